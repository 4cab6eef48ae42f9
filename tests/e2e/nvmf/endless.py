# SPDX-License-Identifier: BSD-3-Clause
"""Commands that would take a disk long, of hosts that do not want them any more: discards of 256
times almost all of it, more than can be done while a host changes its mind. The last one, and it
alone, discards a block with a mark: as long as the mark is there, not all has been done."""
import struct
import tempfile

import e2e
from nvmetcp import CMD, SGL_IN_CAPSULE, SGL_TRANSPORT, command, sgl
from served import NQN, ServedTest

BLOCK = 4096
MARK = b'mark' * (BLOCK // 4)
ABORTED, INVALID_NS, DNR = 0x07, 0x0b, 0x4000
DEPTH = 120


class OnMemory(ServedTest):
    size = 64 << 30

    def disk(self):
        return {'memory': True, 'size': str(self.size)}

    def setUp(self):
        disk = dict(self.disk(), nsid=1, block_size=BLOCK)
        self.at = self.size // BLOCK - 1  # the mark
        self.config = {'subsystems': [{'nqn': NQN, 'namespaces': [disk]}]}
        super().setUp()
        self.host = self.begin()

    def tearDown(self):
        self.host.close()
        super().tearDown()

    def discard(self, cid):
        """The command, and what comes with it."""
        ranges = 256 * [(0, self.at)]
        if cid == DEPTH - 1:
            ranges[-1] = (self.at, 1)
        data = b''.join(struct.pack('<IIQ', 0, count, first) for first, count in ranges)
        return command(9, cid, 1, sgl(SGL_IN_CAPSULE, len(data)), (255, 4)), data

    def begin(self, **args):
        host = self.target.connect(**args)
        for queue in [host.admin] + host.queues:
            queue.sock.settimeout(e2e.PATIENCE_S)
        self.assertEqual(host.queues[0].write_blocks(self.at, MARK, BLOCK, in_capsule=True), 0)
        host.queues[0].send(b''.join(host.queues[0].pdu(CMD, *self.discard(cid))
                                     for cid in range(DEPTH)))
        self.wait_for_commands(host)
        return host

    def wait_for_commands(self, host):
        """A read of what they leave alone comes behind them."""
        queue, read, cid = host.queues[0], 1000, None
        queue.submit(command(2, read, 1, sgl(SGL_TRANSPORT, BLOCK), (self.at, 0, 0)))
        host.answers = {}
        while cid != read:
            cid, status, _, data = queue.completion()
            host.answers[cid] = status
        self.assertEqual((host.answers.pop(read), data), (0, MARK))

    def assert_not_all_was_done(self, queue):
        self.assertEqual(queue.read_blocks(self.at, 1, BLOCK)[::2], (0, MARK))

    def abort(self, cid):
        """0: it was."""
        status, dw0, _ = self.host.admin.execute(command(8, cid, cdw=(cid << 16 | 1,)))
        self.assertEqual(status, 0)
        return dw0

    def test_A3_abort(self):
        """The answer to what is aborted comes first, so Abort tells the truth about it."""
        queue = self.host.queues[0]
        answers = self.host.answers
        told = {cid: self.abort(cid) for cid in reversed(range(DEPTH))}
        while len(answers) < DEPTH:
            cid, status, _, _ = queue.completion()
            answers[cid] = status
        self.assertEqual({cid: 0 if told[cid] else ABORTED for cid in told}, answers)
        self.assertEqual(answers[DEPTH - 1], ABORTED)
        self.assert_not_all_was_done(queue)

    def test_N13_a_host_leaves(self):
        self.host.queues[0].close()
        self.host.queues[0] = self.host.add_queue(1)
        self.assert_not_all_was_done(self.host.queues[0])

    def test_P3_a_reset(self):
        self.assertEqual(self.host.admin.property_set(0x14, 0x460000), 0)
        self.assertEqual(self.host.admin.property_get(0x1c)[:2], (0, 0))
        self.assertEqual(self.host.admin.property_set(0x14, 0x460001), 0)
        self.host.queues[0].close()
        self.host.queues[0] = self.host.add_queue(1)
        self.assert_not_all_was_done(self.host.queues[0])

    def test_N13_another_host_goes_on(self):
        other = self.begin(hostnqn='nqn.2024-01.example:other')
        self.host.queues[0].close()
        self.host.queues[0] = self.host.add_queue(1)
        self.assertEqual(self.host.queues[0].execute(command(0, 1, 1))[0], 0)
        other.queues[0].close()
        other.queues[0] = other.add_queue(1)
        self.assert_not_all_was_done(other.queues[0])
        other.close()

    def test_N13_a_removal(self):
        self.config['subsystems'][0]['namespaces'] = []
        self.target.reload(self.config)
        left = DEPTH - len(self.host.answers)
        statuses = {self.host.queues[0].completion()[1] for _ in range(left)}
        self.assertLessEqual(statuses, {0, INVALID_NS | DNR})
        self.assertIn(INVALID_NS | DNR, statuses)


class OnFile(OnMemory):
    size = 1 << 40

    def disk(self):
        file = tempfile.NamedTemporaryFile()
        self.addCleanup(file.close)
        file.truncate(self.size)
        return {'file': file.name}


if __name__ == '__main__':
    e2e.main()
