# SPDX-License-Identifier: BSD-3-Clause
"""The checklist over TCP, section 7: commands on namespaces. A test's name starts with the rows
that it is about; target.py has those of commands that the program executes, hostile.py lengths and
descriptors that are wrong."""
import os
import struct
import tempfile

import e2e
from nvmetcp import R2T, SGL_IN_CAPSULE, SGL_TRANSPORT, command, sgl
from served import NQN, ServedTest

DNR = 0x4000
OPCODE, FIELD, INVALID_NS, DATA_LENGTH = 0x01 | DNR, 0x02 | DNR, 0x0b | DNR, 0x0f | DNR
PROTECTED, RANGE, SIZE_LIMIT, READ_ERROR = 0x20 | DNR, 0x80 | DNR, 0x183 | DNR, 0x281
READ, WRITE, FLUSH, VERIFY, COPY = 2, 1, 0, 0x0c, 0x19
BLOCKS = 2048
EDGES = [(BLOCKS, 1), (BLOCKS - 1, 2), (0xffffffffffffffff, 1), (0xffffffffffffffff, 2),
         (1 << 63, 1), (1 << 32, 1)]


def transfer(opcode, slba, blocks, nsid=1, block=512, kind=SGL_TRANSPORT, dw12=0, size=None,
             cid=1):
    return command(opcode, cid, nsid, sgl(kind, blocks * block if size is None else size),
                   (slba & 0xffffffff, slba >> 32, blocks - 1 | dw12))


class Commands(ServedTest):
    def setUp(self):
        disk = tempfile.NamedTemporaryFile()
        self.addCleanup(disk.close)
        disk.write(b'sealed' * 1000)
        disk.truncate(BLOCKS * 512)
        self.shrinking = tempfile.NamedTemporaryFile()
        self.addCleanup(self.shrinking.close)
        self.shrinking.truncate(BLOCKS * 512)
        self.config = {'threads': 2, 'subsystems': [{'nqn': NQN, 'namespaces': [
            {'nsid': 1, 'memory': True, 'size': '1M'},
            {'nsid': 2, 'memory': True, 'size': '8M', 'block_size': 4096},
            {'nsid': 3, 'file': disk.name, 'read_only': True},
            {'nsid': 5, 'file': self.shrinking.name}]}]}
        super().setUp()
        self.host = self.target.connect(2)
        self.queue, self.second = self.host.queues

    def tearDown(self):
        self.host.close()
        super().tearDown()

    def status(self, sqe, data=b'', write=b''):
        return self.queue.execute(sqe, data, write)[0]

    def test_N1_read(self):
        self.assertEqual(self.queue.read_blocks(BLOCKS - 1, 1)[::2], (0, bytes(512)))
        self.assertEqual(self.status(transfer(READ, 0, 1, nsid=9)), INVALID_NS)
        self.assertEqual(self.status(transfer(READ, 0, 1, nsid=0)), INVALID_NS)
        self.assertEqual(self.status(transfer(READ, 0, 1, nsid=0xffffffff)), INVALID_NS)
        for slba, blocks in EDGES:
            self.assertEqual(self.status(transfer(READ, slba, blocks)), RANGE)
        self.assertEqual(self.status(transfer(READ, 0, 257)), FIELD)
        self.assertEqual(self.status(transfer(READ, 0, 2, size=512)), DATA_LENGTH)
        self.assertEqual(self.status(transfer(READ, 0, 33, nsid=2, block=4096)), FIELD)

    def test_N1_order_of_the_checks(self):
        wrong = sgl(0x40, 512)
        for nsid in (9, 1):
            self.assertEqual(self.status(command(READ, 1, nsid, wrong, (1 << 31, 0, 999))),
                             0x11 | DNR)
        self.assertEqual(self.status(transfer(READ, 1 << 31, 1000, nsid=9, size=512)), INVALID_NS)
        self.assertEqual(self.status(transfer(READ, 1 << 31, 1000, size=512)), FIELD)
        self.assertEqual(self.status(transfer(READ, 1 << 31, 2, size=512)), DATA_LENGTH)

    def test_N2_write(self):
        data = os.urandom(8192)
        for in_capsule in (True, False):
            self.assertEqual(self.queue.write_blocks(BLOCKS - 16, data, in_capsule=in_capsule,
                                                     fua=True), 0)
            self.assertEqual(self.queue.read_blocks(BLOCKS - 16, 16)[2], data)
            self.assertEqual(self.queue.write_blocks(BLOCKS - 16, bytes(8192)), 0)
        for kind in (SGL_TRANSPORT, SGL_IN_CAPSULE):
            for slba, blocks in EDGES:
                data = os.urandom(512 * blocks)
                sqe = transfer(WRITE, slba, blocks, kind=kind)
                in_capsule = data if kind == SGL_IN_CAPSULE else b''
                self.assertEqual(self.status(sqe, in_capsule, data), RANGE)
        self.assertEqual(self.status(transfer(WRITE, 0, 1, nsid=9)), INVALID_NS)
        self.assertEqual(self.status(transfer(WRITE, 0, 257)), FIELD)
        self.assertEqual(self.queue.read_blocks(0, 16)[2], bytes(8192))

    def test_N2_write_protected(self):
        before = self.queue.read_blocks(0, 8, nsid=3)[2]
        self.assertIn(b'sealed', before)
        self.assertEqual(self.queue.write_blocks(0, bytes(4096), nsid=3), PROTECTED)
        self.assertEqual(self.status(command(8, 1, 3, None, (0, 0, 7))), PROTECTED)
        self.assertEqual(self.status(command(9, 1, 3, sgl(SGL_IN_CAPSULE, 16), (0, 4)),
                                     bytes(4) + b'\x08' + bytes(11)), PROTECTED)
        self.assertEqual(self.queue.read_blocks(0, 8, nsid=3)[2], before)

    def test_N3_flush(self):
        for nsid in (1, 2, 3):
            self.assertEqual(self.status(command(FLUSH, 1, nsid)), 0)
        for nsid in (0, 9, 0xffffffff):
            self.assertEqual(self.status(command(FLUSH, 1, nsid)), INVALID_NS)

    def test_N7_verify(self):
        def verify(slba, blocks, nsid=1, dw12=0):
            return self.status(command(VERIFY, 1, nsid, None,
                                       (slba & 0xffffffff, slba >> 32, blocks - 1 | dw12)))

        most = 4096 << self.host.admin.admin_read(6, 4096, 0, (6,))[2][0]  # VSL
        self.assertEqual(verify(0, most // 512), 0)
        self.assertEqual(verify(0, most // 512 + 1), FIELD)
        self.assertEqual(verify(0, 8, 3, 1 << 30), 0)
        for slba, blocks in EDGES:
            self.assertEqual(verify(slba, blocks), RANGE)
        self.assertEqual(verify(0, 1, 9), INVALID_NS)

    def test_N7_copy(self):
        def copy(ranges, to, nsid=1, kind=SGL_TRANSPORT, more=0):
            table = b''.join(struct.pack('<8xQH14x', slba, blocks - 1) for slba, blocks in ranges)
            sqe = command(COPY, 1, nsid, sgl(kind, len(table) + more),
                          (to & 0xffffffff, to >> 32, len(ranges) - 1))
            table += bytes(max(more, 0))
            return (self.status(sqe, table) if kind == SGL_IN_CAPSULE else
                    self.status(sqe, write=table))

        page = self.host.admin.admin_read(6, 4096, 1, (0,))[2]
        longest, most = struct.unpack_from('<HI', page, 74)
        data = os.urandom(16 * 512)
        self.assertEqual(self.queue.write_blocks(0, data), 0)
        for to, kind in ((100, SGL_TRANSPORT), (200, SGL_IN_CAPSULE)):
            self.assertEqual(copy([(5, 3), (0, 1), (9, 4)], to, kind=kind), 0)
            expected = data[5 * 512:8 * 512] + data[:512] + data[9 * 512:13 * 512]
            self.assertEqual(self.second.read_blocks(to, 8)[::2], (0, expected))
        self.assertEqual(copy([(n % 16, 1) for n in range(page[80] + 1)], 1000), 0)
        self.assertEqual(self.queue.read_blocks(1000, 16)[2], data)
        self.assertEqual(copy([(0, longest)] * (most // longest), 0), 0)
        for ranges in ([(0, longest + 1)], [(0, longest)] * (most // longest) + [(0, 1)],
                       [(0, 1)] * (page[80] + 2)):
            self.assertEqual(copy(ranges, 0), SIZE_LIMIT)
        for slba, blocks in EDGES:
            self.assertEqual(copy([(0, 1), (slba, blocks)], 50), RANGE)
            self.assertEqual(copy([(0, blocks)], slba), RANGE)
        self.assertEqual(self.queue.read_blocks(50, 1)[2], bytes(512))
        self.assertEqual(copy([(0, 1)], 0, more=-4), DATA_LENGTH)
        self.assertEqual(copy([(0, 1)], 0, more=4), 0)
        self.assertEqual(copy([(0, 1)], 0, 3), PROTECTED)
        self.assertEqual(copy([(0, 1)], 0, 9), INVALID_NS)

    def test_N7_copy_says_which_range_has_failed(self):
        self.shrinking.truncate(BLOCKS // 2 * 512)  # without a word: an error of the medium
        for wrong in range(4):
            slbas = [BLOCKS - 1 if n == wrong else n for n in range(4)]
            table = b''.join(struct.pack('<8xQ16x', slba) for slba in slbas)
            got = self.queue.execute(command(COPY, 1, 5, sgl(SGL_IN_CAPSULE, len(table)),
                                             (50, 0, len(slbas) - 1)), table)
            self.assertEqual(got[:2], (READ_ERROR, wrong))

    def test_N9_opcodes_that_do_not_exist_here(self):
        for opcode in set(range(256)) - {0, 1, 2, 5, 8, 9, 0x0c, 0x19, 0x7f}:
            sqe = command(opcode, 1, 1, sgl(SGL_TRANSPORT, 512))
            self.assertEqual(self.status(sqe, write=bytes(512)), OPCODE, hex(opcode))

    def test_N10_protection_information(self):
        data = os.urandom(512)
        self.assertEqual(self.queue.write_blocks(0, data), 0)
        for bits in (1 << 29, 1 << 26, 7 << 26, 15 << 26):
            status, _, got = self.queue.execute(transfer(READ, 0, 1, dw12=bits))
            self.assertIn((status, got), ((0, data), (FIELD, b'')))
            status = self.status(transfer(WRITE, 8, 1, dw12=bits), write=data)
            self.assertIn(status, (0, FIELD))

    def test_N11_read_after_write(self):
        other = self.target.connect(1)
        for number in range(200):
            data = number.to_bytes(2, 'little') * 2048
            self.assertEqual(self.queue.write_blocks(64, data, in_capsule=number & 1), 0)
            for queue in (self.second, other.queues[0]):
                self.assertEqual(queue.read_blocks(64, 8)[2], data)
        other.close()

    def test_N12_no_torn_blocks(self):
        for number in range(100):
            for queue in (self.queue, self.second):
                data = bytes([number + (queue is self.second)]) * 4096
                queue.submit(transfer(WRITE, 8, 8, kind=SGL_IN_CAPSULE), data)
            self.assertEqual({q.completion()[1] for q in (self.queue, self.second)}, {0})
            got = self.queue.read_blocks(8, 8)[2]
            for block in range(0, 4096, 512):
                self.assertEqual(len(set(got[block:block + 512])), 1)

    def look(self):
        """As often as it takes to see another disk in the place of one."""
        for _ in range(2):
            self.host.admin.admin_read(6, 4096, 0, (2,))

    def test_N13_namespaces_come_and_go_under_load(self):
        """Reads and writes of many sizes while their namespace is taken away and given back."""
        namespaces = self.config['subsystems'][0]['namespaces']
        removable, seen = namespaces[1], set()
        for number in range(6):
            for queue in (self.queue, self.second):
                for cid in range(100):
                    opcode, blocks = (READ, WRITE)[cid & 1], 1 + cid % 3
                    sqe = command(opcode, cid, 2, sgl(SGL_IN_CAPSULE if opcode == WRITE and
                                                      blocks < 3 else SGL_TRANSPORT, blocks * 4096),
                                  (cid * 4, 0, blocks - 1))
                    queue.submit(sqe, bytes(blocks * 4096)
                                 if opcode == WRITE and blocks < 3 else b'')
            if number & 1:
                namespaces.append(removable)
            else:
                namespaces.remove(removable)
            self.target.reload(self.config)
            self.look()
            for queue in (self.queue, self.second):
                answers = [queue.completion(bytes(12288))[:2] for _ in range(100)]
                self.assertEqual(sorted(cid for cid, _ in answers), list(range(100)))
                seen |= {status for _, status in answers}
            self.assertEqual(self.queue.read_blocks(0, 1, 4096, nsid=2)[0],
                             0 if number & 1 else INVALID_NS)
        self.assertLessEqual(seen, {0, INVALID_NS})

    def test_N13_removal_waits_for_blocks_that_are_being_zeroed(self):
        """Zeroing is the program's, and what it removes the namespace for may wait for that."""
        with tempfile.NamedTemporaryFile(dir='/dev/shm') as disk:  # where zeroing is writing
            disk.truncate(32 << 20)
            namespaces = self.config['subsystems'][0]['namespaces']
            for _ in range(4):
                namespaces.append({'nsid': 4, 'file': disk.name})
                self.target.reload(self.config)
                for cid in range(8):
                    self.queue.submit(command(8, cid, 4, cdw=(0, 0, 65535)))
                self.queue.completion()  # the others go on
                for cid in range(60):
                    self.second.submit(transfer(WRITE, cid * 8, 8, nsid=4, cid=cid,
                                                kind=SGL_IN_CAPSULE), bytes(4096))
                namespaces.pop()
                self.target.reload(self.config)
                for queue, count in ((self.queue, 7), (self.second, 60)):
                    self.assertLessEqual({queue.completion()[1] for _ in range(count)},
                                         {0, INVALID_NS})

    def test_N13_removal_waits_for_no_host(self):
        """One host owes the data of its writes, another does not read what it has asked for."""
        silent, deaf = self.target.connect(1), self.target.connect(1)
        for cid in range(100):
            silent.queues[0].submit(transfer(WRITE, 0, 4, nsid=2, block=4096, cid=cid))
            deaf.queues[0].submit(transfer(READ, 0, 32, nsid=2, block=4096, cid=cid))
        self.assertEqual(silent.queues[0].receive()[0], R2T)
        namespaces = self.config['subsystems'][0]['namespaces']
        del namespaces[1]
        self.target.reload(self.config)
        self.assertEqual(self.queue.read_blocks(0, 1, 4096, nsid=2)[0], INVALID_NS)
        self.assertLessEqual({deaf.queues[0].completion()[1] for _ in range(100)}, {0, INVALID_NS})
        deaf.close()
        silent.close()


if __name__ == '__main__':
    e2e.main()
