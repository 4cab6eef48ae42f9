# SPDX-License-Identifier: BSD-3-Clause
"""Hosts that break the protocol. Each costs itself its connection, in the way the specification
says, and nobody else anything: a well-behaved host works on beside them."""
import os
import random
import resource
import select
import socket
import struct
import time

import e2e
from nvmetcp import (CMD, H2C_DATA, H2C_TERM, RESP, R2T, SGL_IN_CAPSULE, SGL_TRANSPORT, Closed,
                     Controller, Queue, command, crc32c, fabrics, header, sgl)
from served import NQN, ServedTest

DNR = 0x4000
FIELD, SEQUENCE, DIGEST, RANGE, LIMIT, PARAMETER = 1, 2, 3, 4, 5, 6
FLUSH = command(0, 9, 1)
DISCOVERY = 'nqn.2014-08.org.nvmexpress.discovery'
# what may become of commands that are answered at all
STATUSES = {0, 1, 2, 7, 9, 0x0a, 0x0b, 0x0c, 0x0d, 0x0f, 0x11, 0x16, 0x1a, 0x80, 0x103, 0x105,
            0x109, 0x10d, 0x10e, 0x10f, 0x180, 0x182, 0x285}
FUSED = 3  # bits of the flags


class Hostile(ServedTest):
    def setUp(self):
        super().setUp()
        self.good = self.target.connect()
        self.block = 0

    def tearDown(self):
        self.check_bystander()
        self.good.close()
        super().tearDown()

    def check_bystander(self):
        data = os.urandom(4096)
        self.block = (self.block + 8) % 1024 + 8192  # where nobody else writes
        queue = self.good.queues[0]
        self.assertEqual(queue.write_blocks(self.block, data, in_capsule=True), 0)
        self.assertEqual(queue.read_blocks(self.block, 8)[::2], (0, data))

    def connected(self, hdgst=False, ddgst=False):
        """An I/O queue of a controller of its own, and that controller."""
        controller = self.target.connect(1, hdgst=hdgst, ddgst=ddgst)
        self.addCleanup(controller.close)
        return controller.queues[0]

    def fresh(self, initialize=True, **args):
        queue = Queue(self.target.address, **args)
        self.addCleanup(queue.close)
        if initialize:
            queue.initialize()
        return queue

    def expect_end(self, queue, fes, fei=None):
        """The connection must be terminated for that reason."""
        with self.assertRaises(Closed):
            while True:
                queue.receive()
        self.assertIsNotNone(queue.terminated, 'closed without a reason')
        self.assertEqual(queue.terminated[0], fes)
        if fei is not None:
            self.assertEqual(queue.terminated[1], fei)
        quoted = queue.terminated[2]  # the header
        self.assertLessEqual(len(quoted), max(8, min(128, quoted[2])))

    def test_T19_T20_bad_headers(self):
        cases = [
            (header(8, 0, 24, 0, 24), FIELD, 0), (header(0xff, 0, 8, 0, 8), FIELD, 0),
            (header(1, 0, 128, 0, 128), FIELD, 0), (header(3, 0, 24, 0, 24), FIELD, 0),
            (header(RESP, 0, 24, 0, 24), FIELD, 0), (header(7, 0, 24, 24, 32), FIELD, 0),
            (header(R2T, 0, 24, 0, 24), FIELD, 0), (header(0, 0, 128, 0, 128), SEQUENCE, None),
            (header(CMD, 0, 64, 0, 72), FIELD, 2), (header(CMD, 0, 72, 0, 0), FIELD, 4),
            (header(CMD, 0, 72, 0, 71), FIELD, 4), (header(CMD, 0, 72, 72, 0xffffffff), FIELD, 4),
            (header(CMD, 0, 72, 72, 72 + 8193), FIELD, 4), (header(CMD, 0, 72, 8, 600), FIELD, 3),
            (header(CMD, 0, 72, 200, 600), FIELD, 3), (header(CMD, 1, 72, 0, 76), FIELD, 1),
            (header(CMD, 2, 72, 72, 600), FIELD, 1),
            (header(H2C_DATA, 4, 24, 24, 24 + (1 << 20)), LIMIT, None),
        ]
        for data, fes, fei in cases:
            with self.subTest(data=data.hex()):
                queue = self.connected()
                queue.send(data + bytes(200))
                self.expect_end(queue, fes, fei)
                self.check_bystander()

    def test_T20_before_icreq(self):
        queue = self.fresh(False)
        queue.send(queue.pdu(CMD, FLUSH))
        self.expect_end(queue, SEQUENCE)

    def test_T20_pfv(self):
        queue = self.fresh(False)
        queue.icreq(pfv=1)
        self.expect_end(queue, PARAMETER, 8)

    def test_T4_hpda_out_of_range(self):
        queue = self.fresh(False)
        queue.icreq(hpda=32)
        self.expect_end(queue, FIELD, 10)

    def test_T8_header_digest(self):
        queue = self.connected(hdgst=True)
        bad = bytearray(queue.pdu(CMD, FLUSH))
        bad[-1] ^= 1
        queue.send(bad)
        self.expect_end(queue, DIGEST, struct.unpack('<I', bad[-4:])[0])

    def test_T9_data_digest_fails_the_command_only(self):
        queue = self.connected(ddgst=True)
        data = os.urandom(4096)
        write = command(1, 5, 1, sgl(SGL_IN_CAPSULE, 4096), (0, 0, 7))
        bad = bytearray(queue.pdu(CMD, write, data))
        bad[-1] ^= 1
        queue.send(bad)
        self.assertEqual(queue.completion()[:2], (5, 0x22))
        # a command of the engine's and one of the program's
        for cid, opcode, size, cdw in ((6, 1, 4096, (0, 0, 7)), (7, 9, 16, (0, 4))):
            queue.submit(command(opcode, cid, 1, sgl(SGL_TRANSPORT, size), cdw))
            _, _, rest, _ = queue.receive()
            tags = struct.unpack('<HH', rest[:4])
            bad = bytearray(queue.pdu(H2C_DATA, struct.pack('<HHII4x', *tags, 0, size),
                                      data[:size], last=True))
            bad[-5] ^= 1
            queue.send(bad)
            self.assertEqual(queue.completion()[:2], (cid, 0x22))
        self.assertEqual(queue.write_blocks(0, data), 0)

    def start_write(self, size=8192):
        queue = self.connected()
        queue.submit(command(1, 7, 1, sgl(SGL_TRANSPORT, size), (0, 0, size // 512 - 1)))
        kind, _, rest, _ = queue.receive()
        self.assertEqual(kind, R2T)
        return (queue,) + struct.unpack('<HHII', rest[:12])

    def test_T20_data_nobody_asked_for(self):
        queue = self.connected()
        queue.send(queue.pdu(H2C_DATA, struct.pack('<HHII4x', 0, 0, 0, 512), bytes(512), last=True))
        self.expect_end(queue, FIELD, 10)

    def test_T20_data_that_does_not_fit_the_request(self):
        cases = [
            (lambda c, t: (c, t + 1, 0, 512, 512), FIELD, 10),
            (lambda c, t: (c, 0xffff, 0, 512, 512), FIELD, 10),
            (lambda c, t: (c + 1, t, 0, 512, 512), FIELD, 8),
            (lambda c, t: (c, t, 512, 512, 512), SEQUENCE, None),
            (lambda c, t: (c, t, 0xfffffe00, 512, 512), RANGE, None),
            (lambda c, t: (c, t, 0, 8704, 8704), RANGE, None),
            (lambda c, t: (c, t, 0, 1024, 512), FIELD, 16),
        ]
        for make, fes, fei in cases:
            queue, cid, ttag, _, _ = self.start_write()
            cid, ttag, offset, said, sent = make(cid, ttag)
            queue.send(queue.pdu(H2C_DATA, struct.pack('<HHII4x', cid, ttag, offset, said),
                                 bytes(sent)))
            self.expect_end(queue, fes, fei)
            self.check_bystander()

    def test_T20_data_again(self):
        queue, cid, ttag, _, _ = self.start_write()
        queue.send(2 * queue.pdu(H2C_DATA, struct.pack('<HHII4x', cid, ttag, 0, 512), bytes(512)))
        self.expect_end(queue, SEQUENCE)

    def test_T19_a_reason_that_cannot_be_sent(self):
        """The answers before it are not read: the connection is reset."""
        queue = self.connected()
        for cid in range(100):
            queue.submit(command(2, cid, 1, sgl(SGL_TRANSPORT, 131072), (0, 0, 255)))
        queue.receive()
        self.check_bystander()
        queue.send(header(0x55, 0, 24, 0, 24) + bytes(16))
        poll = select.poll()
        poll.register(queue.sock, 0)  # reading before the end would make room for the reason
        self.assertTrue(poll.poll(60000))
        with self.assertRaises(ConnectionResetError):
            while queue.sock.recv(1 << 20):
                pass

    def test_T20_last_too_early(self):
        queue, cid, ttag, _, _ = self.start_write()
        queue.send(queue.pdu(H2C_DATA, struct.pack('<HHII4x', cid, ttag, 0, 512), bytes(512),
                             last=True))
        self.expect_end(queue, RANGE)

    def test_T20_data_twice(self):
        queue, cid, ttag, _, size = self.start_write()
        pdu = queue.pdu(H2C_DATA, struct.pack('<HHII4x', cid, ttag, 0, size), bytes(size),
                        last=True)
        queue.send(pdu + pdu)
        self.expect_end(queue, FIELD, 10)

    def test_T21_host_terminates(self):
        queue = self.connected()
        queue.send(header(H2C_TERM, 0, 24, 0, 24) + struct.pack('<HI10x', 1, 4))
        with self.assertRaises(Closed):
            queue.receive()

    def test_T21_bad_termination(self):
        queue = self.fresh()
        queue.send(header(H2C_TERM, 0, 24, 0, 300) + bytes(292))
        with self.assertRaises((Closed, ConnectionError)):
            queue.receive()
        self.assertIsNone(queue.terminated)

    def test_T22_any_split(self):
        queue = self.connected()
        data = os.urandom(4096)
        sqe = command(1, 3, 1, sgl(SGL_IN_CAPSULE, 4096), (0, 0, 7))
        stream = queue.pdu(CMD, sqe, data) * 3
        for size in (1, 7, 64, 71, 73, 4095):
            for at in range(0, len(stream), size):
                queue.send(stream[at:at + size])
            for _ in range(3):
                self.assertEqual(queue.completion()[:2], (3, 0))

    def test_T23_gone_in_the_middle(self):
        for cut in range(0, 140, 7):
            queue = self.connected()
            stream = queue.pdu(CMD, command(1, 3, 1, sgl(SGL_IN_CAPSULE, 512), (0, 0, 0)),
                               bytes(512))
            queue.send(stream[:cut])
            queue.sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack('ii', 1, 0))
            queue.close()
        self.start_write()[0].close()

    def test_F2_commands_before_connect(self):
        queue = self.fresh()
        for sqe in (FLUSH, command(6, 1, 0, sgl(SGL_TRANSPORT, 4096), (1,)),
                    command(2, 2, 1, sgl(SGL_TRANSPORT, 512)),
                    fabrics(4, 3, struct.pack('<BxxxI', 1, 0))):
            self.assertEqual(queue.execute(sqe)[0], 0x0c | DNR)

    def test_F5_short_and_long_connect(self):
        queue = self.fresh()
        tail = struct.pack('<HHHBxI', 0, 0, 31, 0, 0)
        status = queue.execute(fabrics(1, 1, tail, sgl(SGL_IN_CAPSULE, 1000)), bytes(1000))[0]
        self.assertEqual(status, 0x0f | DNR)
        status = queue.execute(fabrics(1, 2, tail, sgl(SGL_TRANSPORT, 1 << 20)))[0]
        self.assertEqual(status, 0x0f | DNR)  # not Invalid Field: Base 6.3

    def test_T11_in_capsule_out_of_range(self):
        queue = self.connected()
        cases = [(0, 4097, 0x0f), (1, 4096, 0x0f), (4097, 1, 0x16), (1 << 63, 512, 0x16)]
        for offset, length, status in cases:
            sqe = command(1, 1, 1, sgl(SGL_IN_CAPSULE, length, offset), (0, 0, 7))
            self.assertEqual(queue.execute(sqe, bytes(4096))[0], status | DNR)

    def test_T11_no_way_back_into_a_capsule(self):
        controller = self.target.connect(1)
        self.addCleanup(controller.close)
        inside = sgl(SGL_IN_CAPSULE, 4096)
        for queue, sqe in ((controller.admin, command(6, 1, 0, inside, (1,))),
                           (controller.admin, command(2, 2, 0, inside, (0x3ff0002,))),
                           (controller.queues[0], command(2, 3, 1, inside, (0, 0, 7)))):
            self.assertEqual(queue.execute(sqe, bytes(4096))[0], 0x11 | DNR)

    def test_A12_data_of_unknown_commands_is_not_fetched(self):
        controller = self.target.connect(1)
        self.addCleanup(controller.close)
        for queue, opcodes in ((controller.admin, (0x01, 0x11, 0x81)),
                               (controller.queues[0], (0x0d, 0x15, 0x81))):
            for opcode in opcodes:
                for size in (4096, 0xffffffff):
                    queue.submit(command(opcode, 1, 1, sgl(SGL_TRANSPORT, size)))
                    kind, _, rest, _ = queue.receive()
                    self.assertEqual(kind, RESP)
                    self.assertEqual(struct.unpack('<H', rest[14:16])[0] >> 1, 0x01 | DNR)

    def test_N1_descriptors_and_lengths(self):
        queue = self.connected()
        cases = [
            (sgl(0x40, 512), 0, 0x11), (sgl(0x00, 512, 1), 0, 0x11), (sgl(0x5b, 512), 0, 0x11),
            (sgl(SGL_TRANSPORT, 256), 0, 0x0f), (sgl(SGL_TRANSPORT, 1024), 0, 0x0f),
            (sgl(SGL_TRANSPORT, 0), 0, 0x0f), (sgl(SGL_TRANSPORT, 131584), 256, 0x02),
            (sgl(SGL_TRANSPORT, 0xffffffff), 0xffff, 0x02),
        ]
        for opcode in (1, 2):
            for descriptor, nlb, status in cases:
                sqe = command(opcode, 1, 1, descriptor, (0, 0, nlb))
                self.assertEqual(queue.execute(sqe)[0], status | DNR, (opcode, descriptor.hex()))

    def test_N1_no_descriptor_where_there_is_no_data(self):
        controller = self.target.connect(1)
        self.addCleanup(controller.close)
        for junk in (sgl(0x20, 0, 0x1234), sgl(0, 4096, 0x1234), sgl(SGL_IN_CAPSULE, 1 << 31),
                     sgl(SGL_TRANSPORT, 0xffffffff)):
            for queue, opcode, nsid in ((controller.admin, 0x18, 0), (controller.queues[0], 0, 1)):
                self.assertEqual(queue.execute(command(opcode, 1, nsid, junk))[0], 0)

    def test_N1_reserved_kinds_of_descriptors(self):
        controller = self.target.connect(1)
        self.addCleanup(controller.close)
        page = sgl(SGL_TRANSPORT, 4096)
        for queue, opcode, cdw in ((controller.admin, 6, (1,)), (controller.queues[0], 0, ()),
                                   (controller.queues[0], 2, (0, 0, 7))):
            sqe = command(opcode, 1, int(opcode != 6), page, cdw, 0xc0)
            self.assertEqual(queue.execute(sqe)[0], 0x02 | DNR)
        sqe = bytearray(fabrics(4, 1, struct.pack('<B3xI', 0, 0x1c)))  # Q10: tolerated
        sqe[1] |= 0xc0
        self.assertEqual(controller.admin.execute(bytes(sqe))[0], 0)

    def test_Q8_more_commands_than_the_queue_holds(self):
        controller = self.target.connect(0)
        self.addCleanup(controller.close)
        queue = controller.add_queue(1, sqsize=3)
        read = command(2, 1, 1, sgl(SGL_TRANSPORT, 131072), (0, 0, 255))
        with self.assertRaises((Closed, ConnectionError)):
            queue.send(queue.pdu(CMD, read) * 2000)
            while True:
                queue.receive()

    def test_Q8_an_overrun_costs_the_controller(self):
        write = command(1, 1, 1, sgl(SGL_TRANSPORT, 512), (0, 0, 0))
        for cattr, sqsize in ((0, 3), (4, 3), (0, 127), (4, 127)):
            controller = self.target.connect(0)
            self.addCleanup(controller.close)
            queue = controller.open()
            self.assertEqual(
                queue.connect(NQN, 1, controller.cntlid, sqsize=sqsize, cattr=cattr)[0], 0)
            for _ in range(sqsize):  # the host owes their data
                queue.submit(write)
                self.assertEqual(queue.receive()[0], R2T)
            queue.submit(write)
            with self.assertRaises((Closed, ConnectionError)):
                controller.admin.receive()
            queue.close()

    def test_Q8_an_overrun_of_all_there_is(self):
        controller = self.target.connect(0)
        self.addCleanup(controller.close)
        queue = controller.add_queue(1, sqsize=127)
        write = command(1, 1, 1, sgl(SGL_TRANSPORT, 512), (0, 0, 0))
        queue.send(queue.pdu(CMD, write) * 126 + queue.pdu(CMD, FLUSH))
        while queue.receive()[0] == R2T:  # the host owes their data
            pass
        queue.send(queue.pdu(CMD, write) * 3)  # the head had two more to give
        with self.assertRaises((Closed, ConnectionError)):
            controller.admin.receive()
        queue.close()

    def test_Q8_flow_control_counts_what_the_head_has_passed(self):
        controller = self.target.connect(0)
        self.addCleanup(controller.close)
        queue = controller.add_queue(1, sqsize=3)
        for cid in range(12):  # more than the queue has entries are outstanding
            queue.submit(command(1, 0x2000 + cid, 1, sgl(SGL_TRANSPORT, 512), (cid, 0, 0)))
            self.assertEqual(queue.receive()[0], R2T)
            self.assertEqual(queue.read_blocks(100, 1)[0], 0)
        queue.close()

    def test_Q8_each_entry_that_the_head_has_passed_may_be_used(self):
        for sqsize in (127, 3):
            controller = self.target.connect(0)
            self.addCleanup(controller.close)
            queue = controller.add_queue(1, sqsize=sqsize)
            tail, owed, entries = 1, 0, sqsize + 1
            for _ in range(140):  # the host owes more and more data
                self.assertEqual(queue.execute(FLUSH)[0], 0)
                tail += 1
                room = sqsize - (tail - queue.sqhd) % entries
                if room < 2:  # one for the next flush
                    break
                for _ in range(room - 1):
                    queue.submit(command(1, 0x2000 + owed, 1, sgl(SGL_TRANSPORT, 512)))
                    self.assertEqual(queue.receive()[0], R2T)
                    owed, tail = owed + 1, tail + 1
            self.assertGreaterEqual(owed, 126)
            queue.close()

    def test_Q15_T22_a_host_that_does_not_read(self):
        queue = self.connected()
        for cid in range(100):
            queue.submit(command(2, cid, 1, sgl(SGL_TRANSPORT, 131072), (0, 0, 255)))
        for _ in range(50):
            self.check_bystander()
        for _ in range(100):
            self.assertEqual(queue.completion()[1], 0)

    def test_hosts_that_owe_data_or_do_not_read(self):
        """Twelve queues hold all the data buffers they can get: other hosts still find some."""
        for opcode in (1, 2):
            bad = self.target.connect(12)
            self.addCleanup(bad.close)
            for queue in bad.queues:
                size = 512 if opcode == 1 else 131072
                sqe = command(opcode, 1, 1, sgl(SGL_TRANSPORT, size), (0, 0, size // 512 - 1))
                queue.send(queue.pdu(CMD, sqe) * 126)
            for _ in range(50):
                self.check_bystander()
            self.assertEqual(self.good.admin.admin_read(6, 4096, 0, (1,))[0], 0)
            self.assertEqual(self.good.queues[0].write_blocks(0, bytes(131072)), 0)
            self.target.connect(2).close()

    def test_hosts_that_owe_data_of_commands_of_the_program(self):
        """They have all the places that they can get, for some seconds."""
        bad = self.target.connect(24)
        self.addCleanup(bad.close)
        compare = command(5, 1, 1, sgl(SGL_TRANSPORT, 512))
        for queue in bad.queues:
            queue.send(queue.pdu(CMD, compare) * 126)
        while bad.queues[0].receive()[0] != R2T:
            pass
        self.assertEqual(self.good.queues[0].execute(FLUSH)[0], 0)
        with self.assertRaises((Closed, ConnectionError)):
            while True:
                bad.queues[0].receive()

    def test_hosts_that_do_not_read_what_the_program_answers(self):
        """The same; a host that goes on, though slowly, stays."""
        slow = self.connected()
        slow.send(slow.pdu(CMD, command(5, 7, 1, sgl(SGL_TRANSPORT, 131072), (0, 0, 255))))
        cid, ttag = struct.unpack('<HH', slow.receive()[2][:4])
        bad = self.target.connect(9)
        self.addCleanup(bad.close)
        read = command(2, 1, 1, sgl(SGL_TRANSPORT, 131072), (0, 0, 255))
        for queue in bad.queues:
            queue.sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            queue.send(queue.pdu(CMD, read) * 60)
        time.sleep(1)  # until their sockets are full: nothing tells
        for queue in bad.queues:
            queue.send(queue.pdu(CMD, command(0, 2, 1)) * 66)
        self.good.queues[0].submit(FLUSH)
        for piece in range(8):
            slow.send(slow.pdu(H2C_DATA, struct.pack('<HHII4x', cid, ttag, piece << 14, 1 << 14),
                               bytes(1 << 14), last=piece == 7))
            time.sleep(1)
        self.assertEqual(slow.completion()[0], 7)
        self.assertEqual(self.good.queues[0].completion()[1], 0)

    def test_T25_half_open_flood(self):
        hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
        if hard != resource.RLIM_INFINITY and hard < 1024:
            self.skipTest('the hard limit is %d descriptors; needed: 1024 (ulimit -Hn)' % hard)
        flood = [socket.create_connection(self.target.address) for _ in range(300)]
        self.check_bystander()
        for sock in flood:
            sock.close()
        self.check_bystander()

    def test_connect_storm(self):
        for _ in range(300):
            queue = Queue(self.target.address)
            queue.initialize()
            self.assertEqual(queue.connect(NQN)[0], 0)
            queue.close()

    def test_random_bytes(self):
        chance = random.Random(1)
        for _ in range(200):
            queue = self.fresh(chance.random() < 0.7)
            try:
                for _ in range(chance.randint(1, 10)):
                    if chance.random() < 0.5:
                        queue.send(queue.pdu(CMD, bytes(chance.choices(range(256), k=64))))
                    else:
                        queue.send(bytes(chance.choices(range(256), k=chance.randint(1, 300))))
            except (BrokenPipeError, ConnectionResetError):
                pass
            queue.close()
        self.check_bystander()

    def random_command(self, chance, cid, may_be_half):
        opcode = chance.choice([0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 0x18, 0x7f, chance.randint(0, 255)])
        size = chance.choice([0, 4, 512, 4096, 8192, 131072, 1 << 31])
        kind = chance.choice([SGL_TRANSPORT, SGL_TRANSPORT, SGL_IN_CAPSULE, 0x40])
        cdw = [chance.choice([0, 1, chance.getrandbits(32)]) for _ in range(6)]
        flags = chance.choice([0x40, 0x40, 0x40, 0x80, chance.getrandbits(8)])
        flags &= ~(0 if may_be_half else FUSED)
        sqe = command(opcode, cid, chance.choice([0, 1, 2]), sgl(kind, size), cdw, flags)
        return sqe, size, bytes(512) if kind == SGL_IN_CAPSULE else b''

    def check_random_commands(self, chance, queue, entries, may_hold):
        """Each is answered once, with a status that there is, and as much data as there is room
        for; requests for events may be held. The last answer tells that all have been taken."""
        head, sizes, held = queue.sqhd, {}, {}
        cids = chance.sample(range(1 << 16), 30)
        for cid in cids:
            # a first half without a second one is answered when the next command comes
            sqe, size, data = self.random_command(chance, cid, cid != cids[-1])
            (held if may_hold and sqe[0] == 0x0c else sizes)[cid] = size
            queue.submit(sqe, data)
        while sizes:
            cid, status, _, data = queue.completion(bytes(131072))
            size = held.pop(cid) if cid in held else sizes.pop(cid)
            self.assertIn(status & ~DNR, STATUSES)
            self.assertIn(len(data), (0,) if status else (0, size))
        if not held:
            self.assertEqual(queue.sqhd, (head + 30) % entries)

    def test_random_commands(self):
        """Well-formed capsules with anything in them, on connected queues of each kind."""
        chance = random.Random(2)
        for _ in range(20):
            controller = self.target.connect(1)
            discovery = Controller(self.target.address, DISCOVERY, 0)
            self.check_random_commands(chance, controller.queues[0], 128, False)
            for admin in controller.admin, discovery.admin:
                self.check_random_commands(chance, admin, 32, True)
            controller.close()
            discovery.close()
        self.check_bystander()


assert crc32c(b'123456789') == 0xe3069283

if __name__ == '__main__':
    e2e.main()
