# SPDX-License-Identifier: BSD-3-Clause
"""Compare and Write, fused: what hosts that share a disk take locks with."""
import os
import struct
import tempfile
import threading
import time

import e2e
from nvmetcp import R2T, SGL_IN_CAPSULE, SGL_TRANSPORT, command, sgl
from served import NQN, ServedTest

DNR = 0x4000
FIELD, INVALID_NS, LENGTH, DIFFERS = 0x02 | DNR, 0x0b | DNR, 0x0f | DNR, 0x285 | DNR
ABORTED, FAILED, MISSING, PROTECTED, RANGE = 0x07, 0x09, 0x0a, 0x20 | DNR, 0x80 | DNR
WRITE, READ, COMPARE, ABORT = 1, 2, 5, 8
FIRST, SECOND = 1, 2
MEMORY, FILE, SEALED = 1, 2, 3
ROUNDS = 60


class Fused(ServedTest):
    def setUp(self):
        self.disks = [tempfile.NamedTemporaryFile() for _ in '12']
        for disk in self.disks:
            self.addCleanup(disk.close)
            disk.truncate(1 << 20)
        self.config = {'threads': 2, 'subsystems': [{'nqn': NQN, 'namespaces': [
            {'nsid': MEMORY, 'memory': True, 'size': '1M'},
            {'nsid': FILE, 'file': self.disks[0].name, 'block_size': 4096},
            {'nsid': SEALED, 'file': self.disks[1].name, 'read_only': True}]}]}
        super().setUp()
        self.host = self.target.connect(2)
        self.queue = self.host.queues[0]

    def tearDown(self):
        self.host.close()
        super().tearDown()

    @staticmethod
    def half(queue, which, data, slba=0, nsid=MEMORY, kind=SGL_IN_CAPSULE, blocks=1):
        """Sends one; returns its cid. Data that is not in the capsule is for completions()."""
        cid = queue.next_cid()
        queue.submit(command(COMPARE if which == FIRST else WRITE, cid, nsid,
                             sgl(kind, len(data)), (slba & 0xffffffff, slba >> 32, blocks - 1),
                             0x40 | which), data if kind == SGL_IN_CAPSULE else b'')
        return cid

    @staticmethod
    def completions(queue, count, write=b''):
        return {cid: status for cid, status, _, _ in (queue.completion(write)
                                                      for _ in range(count))}

    def pair(self, expected, new, queue=None, kinds=(SGL_IN_CAPSULE, SGL_IN_CAPSULE), **args):
        queue = queue or self.queue
        cids = [self.half(queue, which, data, kind=kind, **args) for which, data, kind in
                zip((FIRST, SECOND), (expected, new), kinds)]
        got = self.completions(queue, 2, expected if kinds[0] == SGL_TRANSPORT else new)
        return [got[cid] for cid in cids]

    def fields(self):
        page = self.host.admin.admin_read(6, 4096, 0, (1,))[2]
        return struct.unpack('<H', page[522:524])[0], struct.unpack('<H', page[532:534])[0]

    def test_identify(self):
        self.assertEqual(self.fields(), (1, 0))
        self.config['subsystems'][0]['namespaces'].append(
            {'nsid': 9, 'memory': True, 'size': '1M', 'block_size': 16384})
        self.target.reload(self.config)
        self.assertEqual(self.fields(), (0, 0))
        data = bytes(16384)
        self.assertEqual(self.pair(data, data, nsid=9, kinds=(SGL_TRANSPORT, SGL_TRANSPORT)),
                         [FIELD, FIELD])

    def test_the_block_is_written_if_it_is_as_expected(self):
        for nsid, block in ((MEMORY, 512), (FILE, 4096)):
            held = bytes(block)
            for kinds in ((SGL_IN_CAPSULE, SGL_IN_CAPSULE), (SGL_TRANSPORT, SGL_IN_CAPSULE),
                          (SGL_IN_CAPSULE, SGL_TRANSPORT)):
                new = os.urandom(block)
                self.assertEqual(self.pair(held, new, nsid=nsid, slba=7, kinds=kinds), [0, 0])
                self.assertEqual(self.pair(held, held, nsid=nsid, slba=7, kinds=kinds),
                                 [DIFFERS, FAILED])
                self.assertEqual(self.queue.read_blocks(7, 1, block, nsid)[2], new)
                held = new
            self.assertEqual(self.queue.read_blocks(8, 1, block, nsid)[2], bytes(block))

    def test_what_is_not_done(self):
        block, blocks = bytes(512), 2048
        self.assertEqual(self.pair(block, block, slba=blocks), [RANGE, FAILED])
        self.assertEqual(self.pair(block, block, nsid=9), [INVALID_NS, FAILED])
        self.assertEqual(self.pair(block, block, nsid=SEALED), [FAILED, PROTECTED])
        self.assertEqual(self.pair(bytes(1024), bytes(1024), blocks=2), [FIELD, FIELD])
        self.assertEqual(self.pair(bytes(1024), block), [LENGTH, FAILED])
        self.assertEqual(self.pair(block, bytes(1024)), [FAILED, LENGTH])

    def test_halves_that_are_alone(self):
        block = bytes(512)
        cid = self.half(self.queue, SECOND, block)
        self.assertEqual(self.completions(self.queue, 1), {cid: MISSING})
        alone = [self.half(self.queue, FIRST, block) for _ in '12']
        read = self.queue.next_cid()
        self.queue.submit(command(READ, read, 1, sgl(SGL_TRANSPORT, 512)))
        late = self.half(self.queue, SECOND, block)
        self.assertEqual(self.completions(self.queue, 4),
                         {alone[0]: MISSING, alone[1]: MISSING, read: 0, late: MISSING})

    def test_a_half_that_is_aborted(self):
        cid = self.half(self.queue, FIRST, bytes(512))
        deadline = time.monotonic() + e2e.PATIENCE_S
        while self.host.admin.execute(command(ABORT, 1, cdw=(1 | cid << 16,)))[1]:
            self.assertLess(time.monotonic(), deadline)  # it may not have arrived
        self.assertEqual(self.completions(self.queue, 1), {cid: ABORTED})
        late = self.half(self.queue, SECOND, bytes(512))
        self.assertEqual(self.completions(self.queue, 1), {late: MISSING})
        self.assertEqual(self.pair(bytes(512), bytes(512)), [0, 0])

    def test_hosts_go_in_the_middle(self):
        for data in (b'', bytes(512)):
            host = self.target.connect(1)
            self.half(host.queues[0], FIRST, bytes(512),
                      kind=SGL_IN_CAPSULE if data else SGL_TRANSPORT)
            if data:
                self.half(host.queues[0], SECOND, data, kind=SGL_TRANSPORT)
            host.close()
        self.assertEqual(self.pair(bytes(512), bytes(512)), [0, 0])

    def test_a_digest_that_is_wrong(self):
        """The other one has come well: neither is executed."""
        host = self.target.connect(1, ddgst=True)
        queue = host.queues[0]
        for bad in (FIRST, SECOND):
            cids = []
            for which in (FIRST, SECOND):
                cids.append(queue.next_cid())
                sqe = command(COMPARE if which == FIRST else WRITE, cids[-1], MEMORY,
                              sgl(SGL_IN_CAPSULE, 512), flags=0x40 | which)
                pdu = queue.pdu(4, sqe, bytes(512) if which == FIRST else b'\1' * 512)
                queue.send(pdu[:-1] + bytes([pdu[-1] ^ (which == bad)]))
            got = self.completions(queue, 2)
            self.assertEqual([got[cid] for cid in cids],
                             [0x22, FAILED] if bad == FIRST else [FAILED, 0x22])
            self.assertEqual(queue.read_blocks(0, 1)[2], bytes(512))
        host.close()

    def test_many_are_under_way(self):
        """With reads between the pairs, never between the halves of one."""
        queue, block = self.queue, [number.to_bytes(4, 'little') * 128 for number in range(41)]
        expect = {}
        for number in range(40):
            for which, data in ((FIRST, block[number]), (SECOND, block[number + 1])):
                expect[self.half(queue, which, data)] = 0
            if number % 3 == 0:
                cid = queue.next_cid()
                expect[cid] = 0
                queue.submit(command(READ, cid, 1, sgl(SGL_TRANSPORT, 512)))
        self.assertEqual(self.completions(queue, len(expect)), expect)
        self.assertEqual(queue.read_blocks(0, 1)[2], block[40])

    def test_large_writes_beside(self):
        """Before the halves, but their data comes later, also between these."""
        queue, blocks = self.queue, 256
        for before in range(0, 9, 2):
            expect = {}
            for _ in range(8):
                cid = queue.next_cid()
                expect[cid] = 0
                queue.submit(command(WRITE, cid, MEMORY, sgl(SGL_TRANSPORT, blocks * 512),
                                     (0, 0, blocks - 1)))
            expect[self.half(queue, FIRST, bytes(512))] = 0
            requests = [queue.receive() for _ in range(8)]
            self.assertEqual({kind for kind, _, _, _ in requests}, {R2T})
            for number, (_, _, rest, _) in enumerate(requests):
                if number == before:
                    expect[self.half(queue, SECOND, bytes(512))] = 0
                cid, ttag, offset, size = struct.unpack('<HHII', rest[:12])
                queue.h2c(cid, ttag, offset, bytes(size))
            if before == 8:
                expect[self.half(queue, SECOND, bytes(512))] = 0
            self.assertEqual(self.completions(queue, len(expect)), expect)

    def count(self, nsid, block):
        host = self.target.connect(1)
        queue = host.queues[0]
        for _ in range(ROUNDS):
            while True:
                old = queue.read_blocks(3, 1, block, nsid)[2]
                new = (int.from_bytes(old[:4], 'little') + 1).to_bytes(4, 'little') + old[4:]
                got = self.pair(old, new, queue, nsid=nsid, slba=3)
                if got == [0, 0]:
                    break
                self.assertEqual(got, [DIFFERS, FAILED])
        host.close()

    def test_hosts_that_count_together(self):
        for nsid, block in ((MEMORY, 512), (FILE, 4096)):
            threads = [threading.Thread(target=self.count, args=(nsid, block)) for _ in '123']
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            got = self.queue.read_blocks(3, 1, block, nsid)[2]
            self.assertEqual(int.from_bytes(got[:4], 'little'), 3 * ROUNDS)


if __name__ == '__main__':
    e2e.main()
