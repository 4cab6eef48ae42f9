# SPDX-License-Identifier: BSD-3-Clause
"""The checklist over TCP, sections 1, 2 and 9: queues, fabrics commands, properties, PDUs. A test's
name starts with the rows that it is about; hostile.py has those about hosts that break the rules,
checklist_admin.py and checklist_io.py the other sections."""
import os
import struct
import time

import e2e
from nvmetcp import (C2H_DATA, C2H_TERM, H2C_DATA, HOSTNQN, R2T, RESP, SGL_IN_CAPSULE,
                     SGL_TRANSPORT, Closed, Queue, command, fabrics, header, sgl)
from served import NQN, ServedTest

DNR = 0x4000
INVALID_PARAM = 0x182 | DNR
CAP, VS, CC, CSTS = 0x00, 0x08, 0x14, 0x1c
ENABLE = 0x460001
HEADER_SIZES = {C2H_TERM: 24, RESP: 24, C2H_DATA: 24, R2T: 24}


class Checked(ServedTest):
    def setUp(self):
        super().setUp()
        self.host = self.target.connect(2)
        self.admin, self.io, self.other = self.host.admin, *self.host.queues

    def tearDown(self):
        self.host.close()
        super().tearDown()

    def fresh(self, **args):
        queue = Queue(self.target.address)
        self.addCleanup(queue.close)
        queue.initialize(**args)
        return queue

    def entry(self, queue, sqe, data=b''):
        """The 16 bytes of a completion: (dw0, dw1, sqhd, sqid, cid, status with phase)."""
        queue.submit(sqe, data)
        while True:
            kind, _, rest, _ = queue.receive()
            if kind == RESP:
                self.assertEqual(len(rest), 16)
                return struct.unpack('<IIHHHH', rest)


class Queues(Checked):
    def test_Q1_entry_sizes(self):
        for config in (0x450001, 0x470001, 0x360001, 0x560001):
            with self.subTest(cc=hex(config)):
                admin, queue = self.fresh(), self.fresh()
                _, cntlid = admin.connect(NQN)
                self.assertEqual(admin.property_set(CC, config), 0)
                self.assertEqual(queue.connect(NQN, 1, cntlid)[0] & 0x7ff, 0x182)
        self.entry(self.io, command(0, 1, 1))
        self.entry(self.admin, command(0x18, 1))

    def test_Q3_no_queue_id_no_phase(self):
        for queue, sqe in ((self.admin, command(0x18, 1)), (self.admin, command(0xff, 2)),
                           (self.io, command(0, 3, 1)), (self.io, command(0x55, 4, 1))):
            _, _, _, sqid, cid, status = self.entry(queue, sqe)
            self.assertEqual((sqid, cid, status & 1), (0, struct.unpack('<H', sqe[2:4])[0], 0))

    def test_Q4_Q5_status_word(self):
        cases = [(self.io, command(0x55, 1, 1), 0, 0x01), (self.io, command(0, 1, 77), 0, 0x0b),
                 (self.io, command(2, 1, 1, sgl(SGL_TRANSPORT, 512), (0, 1 << 20)), 0, 0x80),
                 (self.admin, command(2, 1, 0, sgl(SGL_TRANSPORT, 64), (0xb9 | 15 << 16,)), 1, 9),
                 (self.admin, command(0x0a, 1, 0, None, (0xb9,)), 0, 0x02)]
        for queue, sqe, code_type, code in cases:
            status = self.entry(queue, sqe)[5]
            self.assertEqual(status, 1 << 15 | code_type << 9 | code << 1)  # not CRD, MORE, phase

    def test_Q5_aborts_may_be_tried_again(self):
        self.admin.submit(command(0x0c, 9))
        abort = command(8, 10, 0, None, (9 << 16,))
        self.admin.submit(abort)
        answers = {cid: status for cid, status, _, _ in (self.admin.completion() for _ in '12')}
        self.assertEqual(answers, {9: 0x07, 10: 0})

    def test_Q6_each_command_is_answered_once(self):
        for cid in range(90):
            size = (512, 4096, 131072)[cid % 3]
            if cid % 5:
                sqe = command(2, cid, 1, sgl(SGL_TRANSPORT, size), (cid, 0, size // 512 - 1))
            else:
                sqe = command(0, cid, 1)
            self.io.submit(sqe)
        seen, got = [], {}
        while len(seen) < 90:
            kind, flags, rest, data = self.io.receive()
            if kind == RESP:
                cid, status = struct.unpack('<HH', rest[12:])
                self.assertEqual(status, 0)
            else:
                cid, _, offset, size = struct.unpack('<HHII', rest[:12])
                self.assertEqual((offset, size), (got.get(cid, 0), len(data)))
                got[cid] = offset + size
            if kind == RESP or flags & 8:
                seen.append(cid)
        self.assertEqual(sorted(seen), list(range(90)))
        self.assertEqual({cid: (512, 4096, 131072)[cid % 3] for cid in range(90) if cid % 5}, got)

    def test_Q9_Q14_queues_of_every_depth(self):
        mqes = self.admin.property_get(CAP, True)[1] & 0xffff
        page = self.admin.admin_read(6, 4096, 0, (1,))[2]
        self.assertEqual(struct.unpack('<H', page[514:516])[0], mqes + 1)
        self.assertGreaterEqual(mqes + 1, 32)
        admin = self.fresh()
        self.assertEqual(admin.connect(NQN, sqsize=31)[0], 0)
        for qid, sqsize in ((3, 1), (4, mqes)):
            queue = self.host.add_queue(qid, sqsize)
            for _ in range(2 * sqsize + 3):
                self.assertEqual(queue.execute(command(0, 1, 1))[0], 0)
            queue.close()
        self.assertEqual(self.fresh().connect(NQN, 2, self.host.cntlid)[0], 0x101 | DNR)

    def test_Q15_waiting_for_buffers_is_no_failure(self):
        queues = [self.host.add_queue(qid) for qid in range(3, 7)]
        for queue in queues:
            for cid in range(100):
                queue.submit(command(2, cid, 1, sgl(SGL_TRANSPORT, 131072), (0, 0, 255)))
        for queue in queues:
            for _ in range(100):
                self.assertEqual(queue.completion()[1], 0)
            queue.close()


class Fabrics(Checked):
    def refused(self, status, where=None, sqe=None, **change):
        """A Connect with something changed must be refused so."""
        queue = self.fresh()
        data = {'cntlid': 0xffff, 'subnqn': NQN.encode(), 'hostnqn': HOSTNQN.encode()}
        fields = {'recfmt': 0, 'qid': 0, 'sqsize': 31, 'cattr': 0, 'kato': 0}
        for name, value in change.items():
            (data if name in data else fields)[name] = value
        body = (bytes(16) + struct.pack('<H', data['cntlid']) + bytes(238) +
                data['subnqn'].ljust(256, b'\0') + data['hostnqn'].ljust(256, b'\0') + bytes(256))
        sqe = fabrics(1, 1, struct.pack('<HHHBxI', *fields.values()), sgl(SGL_IN_CAPSULE, 1024))
        got, dw0, _ = queue.execute(sqe, body)
        self.assertEqual((got, dw0 if where is not None else None), (status, where))

    def test_F1_types_that_do_not_exist(self):
        for kind in (0x02, 0x03, 0x05, 0x06, 0x07, 0x08, 0x7f, 0xff):
            status = self.admin.execute(fabrics(kind, 1, b''))[0]
            self.assertIn(status, (0x01 | DNR, 0x02 | DNR), kind)

    def test_F4_fields_of_connect(self):
        admin = self.fresh()
        self.assertEqual(admin.connect(NQN, sqsize=40, kato=7001)[0], 0)
        self.assertEqual(admin.property_set(CC, ENABLE), 0)
        self.assertEqual(admin.execute(command(0x0a, 1, 0, None, (0x0f,)))[:2], (0, 8000))
        heads = [self.entry(admin, command(0x0a, 1, 0, None, (0x0f,)))[2] for _ in range(82)]
        self.assertEqual(heads[41:], heads[:41])
        self.assertEqual(sorted(heads[:41]), list(range(41)))

    def test_F7_record_format(self):
        self.refused(0x180 | DNR, recfmt=1)

    def test_F8_F9_queue_size(self):
        mqes = self.admin.property_get(CAP, True)[1] & 0xffff
        for sqsize in (0, mqes + 1, 0xffff):
            self.refused(INVALID_PARAM, 44, sqsize=sqsize)

    def test_F10_controller_id(self):
        self.assertEqual(self.admin.admin_read(6, 4096, 0, (1,))[2][1802] & 1, 0)  # dynamic
        for cntlid in (0, 1, 0xfffd, 0xfffe):
            self.refused(INVALID_PARAM, 0x10010, cntlid=cntlid)

    def test_F12_names(self):
        for subnqn in (NQN.encode()[:-1], NQN.upper().encode(), b'', b'nqn', b'x' * 256,
                       NQN.encode() + b' ', b'nqn.2024-01.' + b'x' * 240):
            self.refused(INVALID_PARAM, 0x10100, subnqn=subnqn)
        for hostnqn in (b'nqn.short', b'x' * 256, b'x' * 224):
            self.refused(INVALID_PARAM, 0x10200, hostnqn=hostnqn)
        for hostnqn in (b'x' * 223, b''):  # SPDK's tools have no name unless they are given one
            self.refused(0, hostnqn=hostnqn)

    def test_F15_properties(self):
        low, high = (self.admin.property_get(offset)[1] for offset in (CAP, CAP + 4))
        queue = self.admin
        _, dw0, _ = queue.property_get(CAP, True)
        self.assertEqual((dw0, high & 0x3f), (low, 0x20))
        for get in ((2, True), (CC, True), (0x40, False), (0x1000, False), (0xfffffffc, False),
                    (1, False)):
            self.assertEqual(queue.property_get(*get)[0], INVALID_PARAM, get)
        for reserved in ((0x0c, False), (0x20, False), (0x28, True), (0x3c, False)):
            self.assertEqual(queue.property_get(*reserved)[:2], (0, 0), reserved)
        self.assertNotEqual(queue.property_set(CAP, 0), 0)
        self.assertNotEqual(self.io.property_get(CAP)[0], 0)
        self.assertNotEqual(self.io.property_set(CC, 0), 0)
        self.assertEqual(self.io.execute(command(0, 1, 1))[0], 0)

    def test_P1_capabilities(self):
        entry = self.entry(self.admin, fabrics(4, 1, struct.pack('<BxxxI', 1, CAP)))
        cap = entry[0] | entry[1] << 32
        self.assertEqual((cap >> 16 & 1, cap >> 37 & 1, cap >> 48 & 0xff, cap >> 32 & 15),
                         (1, 1, 0, 0))
        self.assertGreater(cap >> 24 & 0xff, 0)

    def test_P2_version(self):
        version = self.admin.property_get(VS)[1]
        self.assertIn(version, (0x10300, 0x10400))
        page = self.admin.admin_read(6, 4096, 0, (1,))[2]
        self.assertEqual(struct.unpack('<I', page[80:84])[0], version)

    def test_P3_configuration(self):
        admin = self.fresh()
        _, cntlid = admin.connect(NQN)
        for wrong in (0x460081, 0x460801, 0x460011, 0x46c001):
            self.assertEqual(admin.property_set(CC, wrong), 0x182 | DNR, hex(wrong))
        self.assertEqual(admin.property_get(CSTS)[1], 0)
        self.assertEqual(admin.property_set(CC, ENABLE | 1 << 28), 0)
        self.assertEqual((admin.property_get(CC)[1] & 0xffffff, admin.property_get(CSTS)[1]),
                         (ENABLE, 1))
        io = self.fresh()
        self.assertEqual(io.connect(NQN, 1, cntlid)[0], 0)
        admin.submit(command(0x0c, 5))
        self.assertEqual(admin.property_set(CC, ENABLE & ~1), 0)  # silently for the event request
        self.assertEqual(admin.property_get(CSTS)[1], 0)
        with self.assertRaises((Closed, ConnectionError)):
            io.execute(command(0, 1, 1))
        self.assertEqual(admin.property_set(CC, ENABLE), 0)
        self.assertEqual(admin.property_get(CSTS)[1], 1)

    def test_P3_P8_nothing_of_before_is_written_afterwards(self):
        old, new = b'o' * 4096, b'n' * 4096
        for end in [ENABLE & ~1, ENABLE | 1 << 14] * 20:
            queue = self.host.add_queue(3)
            for cid in range(50):
                queue.submit(command(8, cid, 1, sgl(SGL_IN_CAPSULE, 0), (0, 0, 2047)))
                queue.submit(command(1, cid + 50, 1, sgl(SGL_IN_CAPSULE, len(old)), (0, 0, 7)),
                             old)
            self.assertEqual(self.admin.property_set(CC, end), 0)
            self.assertEqual(self.admin.property_get(CSTS)[1] & 13, 9 if end & 1 else 0)
            queue.close()
            self.assertEqual(self.admin.property_set(CC, ENABLE & ~1), 0)
            self.assertEqual(self.admin.property_set(CC, ENABLE), 0)
            queue = self.host.add_queue(4)
            self.assertEqual(queue.write_blocks(0, new), 0)
            for _ in range(5):
                self.assertEqual(queue.read_blocks(0, 8)[2], new)
            queue.close()

    def test_P4_status_is_read_only(self):
        self.assertNotEqual(self.admin.property_set(CSTS, 0), 0)
        self.assertEqual(self.admin.property_get(CSTS)[1], 1)

    def test_P8_shutdown(self):
        self.assertEqual(self.io.write_blocks(0, bytes(512)), 0)
        self.assertEqual(self.admin.property_set(CC, ENABLE | 1 << 14), 0)
        self.assertEqual(self.admin.property_get(CSTS)[1] >> 2 & 3, 2)

    def test_P8_shutdown_of_a_busy_host(self):
        for cid in range(100):
            self.io.submit(command(1, cid, 1, sgl(SGL_TRANSPORT, 4096), (cid * 8, 0, 7)))
            self.other.submit(command(0, cid, 1))
        self.assertEqual(self.admin.property_set(CC, ENABLE | 1 << 14), 0)
        self.assertEqual(self.admin.property_get(CSTS)[1] >> 2 & 3, 2)

    def test_Q12_the_admin_queue_takes_the_others(self):
        self.admin.close()
        for queue in self.host.queues:
            with self.assertRaises((Closed, ConnectionError)):
                while True:
                    queue.execute(command(0, 1, 1))

    def test_Q13_an_io_queue_takes_no_other(self):
        self.io.submit(command(1, 7, 1, sgl(SGL_TRANSPORT, 131072), (0, 0, 255)))
        self.io.close()
        self.assertEqual(self.other.write_blocks(0, os.urandom(4096)), 0)
        self.assertEqual(self.admin.execute(command(0x18, 1))[0], 0)


class Pdus(Checked):
    def test_T1_T2_T3_headers_of_answers(self):
        seen = set()
        for hdgst, ddgst in ((False, False), (True, True)):
            host = self.target.connect(1, hdgst=hdgst, ddgst=ddgst)
            queue = host.queues[0]
            queue.submit(command(1, 1, 1, sgl(SGL_TRANSPORT, 4096), (0, 0, 7)))
            queue.submit(command(2, 2, 1, sgl(SGL_TRANSPORT, 4096), (0, 0, 7)))
            queue.submit(command(0, 3, 1))
            while not {R2T, C2H_DATA, RESP} <= seen:
                head = queue.read(8)
                kind, flags, hlen, pdo, plen = struct.unpack('<BBBBI', head)
                queue.read(plen - 8)
                seen.add(kind)
                allowed = (1 if hdgst else 0) | (0x0e if kind == C2H_DATA else 0)
                self.assertEqual((hlen, flags & ~allowed), (HEADER_SIZES[kind], 0))
                self.assertEqual(flags & 1, int(hdgst))
                self.assertEqual(flags >> 1 & 1, int(ddgst and kind == C2H_DATA))
                start = hlen + (4 if hdgst else 0)
                size = 4096 + (4 if ddgst else 0) if kind == C2H_DATA else 0
                self.assertEqual((pdo, plen), (start if size else 0, start + size))
            seen.clear()
            host.close()

    def test_T4_T5_initialization(self):
        for hdgst, ddgst in ((False, False), (True, False), (False, True), (True, True)):
            queue = Queue(self.target.address, hdgst=hdgst, ddgst=ddgst)
            queue.icreq()
            answer = queue.read(128)
            self.assertEqual(answer[:8], header(1, 0, 128, 0, 128))
            pfv, cpda, digests, maxh2c = struct.unpack('<HBBI', answer[8:16])
            self.assertEqual((pfv, cpda, digests), (0, 0, hdgst | ddgst << 1))
            self.assertEqual((maxh2c % 4, maxh2c >= 4096), (0, True))
            self.assertEqual(answer[16:], bytes(112))
            queue.close()

    def test_T7_digests(self):
        data = os.urandom(20480)
        for hdgst, ddgst in ((True, False), (False, True), (True, True)):
            host = self.target.connect(1, hdgst=hdgst, ddgst=ddgst)
            for in_capsule in (True, False):
                part = data[:4096] if in_capsule else data
                queue = host.queues[0]
                self.assertEqual(queue.write_blocks(64, part, in_capsule=in_capsule), 0)
                self.assertEqual(queue.read_blocks(64, len(part) // 512)[::2], (0, part))
            host.close()

    def test_T10_padding_the_host_asks_for(self):
        for number, hpda in enumerate((0, 1, 7, 31)):
            for digest in (False, True):
                queue = Queue(self.target.address, hdgst=digest, ddgst=digest)
                queue.initialize(hpda=hpda)
                qid = 3 + 2 * number + digest
                self.assertEqual(queue.connect(NQN, qid, self.host.cntlid)[0], 0)
                queue.submit(command(2, 1, 1, sgl(SGL_TRANSPORT, 4096), (0, 0, 7)))
                head = queue.read(8)
                self.assertEqual((head[0], head[3] % ((hpda + 1) * 4)), (C2H_DATA, 0))
                queue.close()

    def test_T12_large_capsules_of_other_commands(self):
        queue = self.fresh()
        data = (bytes(16) + b'\xff\xff' + bytes(238) + NQN.encode().ljust(256, b'\0') +
                HOSTNQN.encode().ljust(256, b'\0')).ljust(8192, b'\0')
        sqe = fabrics(1, 1, struct.pack('<HHHBxI', 0, 0, 31, 0, 0), sgl(SGL_IN_CAPSULE, 8192))
        self.assertEqual(queue.execute(sqe, data)[0], 0)

    def test_T13_T14_solicited_data(self):
        for size in (512, 4096, 12288, 131072):
            data, got = os.urandom(size), 0
            self.io.submit(command(1, 3, 1, sgl(SGL_TRANSPORT, size), (0, 0, size // 512 - 1)))
            while got < size:
                kind, _, rest, _ = self.io.receive()
                cid, ttag, offset, length = struct.unpack('<HHII', rest[:12])
                self.assertEqual((kind, cid, offset), (R2T, 3, got))
                self.assertLessEqual(offset + length, size)
                for start in range(offset, offset + length, 1024):  # in small PDUs
                    part = data[start:min(start + 1024, offset + length)]
                    self.io.send(self.io.pdu(
                        H2C_DATA, struct.pack('<HHII4x', cid, ttag, start, len(part)), part,
                        last=start + len(part) == offset + length))
                got += length
            self.assertEqual(self.io.completion()[:2], (3, 0))
            self.assertEqual(self.io.read_blocks(0, size // 512)[2], data)

    def test_T15_data_for_the_host(self):
        data = os.urandom(131072)
        self.assertEqual(self.io.write_blocks(0, data), 0)
        self.io.submit(command(2, 3, 1, sgl(SGL_TRANSPORT, 131072), (0, 0, 255)))
        got, last = b'', False
        while len(got) < len(data):
            kind, flags, rest, part = self.io.receive()
            self.assertEqual(kind, C2H_DATA)
            self.assertEqual(struct.unpack('<HHII', rest[:12]), (3, 0, len(got), len(part)))
            self.assertFalse(last)
            got, last = got + part, bool(flags & 4)
        self.assertEqual((got, last), (data, True))
        if not flags & 8:
            self.assertEqual(self.io.completion()[:2], (3, 0))

    def test_T17_failed_reads_bring_no_data(self):
        self.io.submit(command(2, 3, 1, sgl(SGL_TRANSPORT, 4096), (0, 1, 7)))
        kind, _, rest, _ = self.io.receive()
        self.assertEqual((kind, struct.unpack('<H', rest[14:])[0] >> 1), (RESP, 0x80 | DNR))

    def test_T18_commands_without_data(self):
        for kind in (SGL_TRANSPORT, SGL_IN_CAPSULE):
            for queue, opcode, nsid in ((self.io, 0, 1), (self.admin, 0x18, 0)):
                queue.submit(command(opcode, 4, nsid, sgl(kind, 0)))
                self.assertEqual(queue.receive()[0], RESP)
        # nothing is transferred: what the descriptor says does not matter
        for queue, opcode, nsid in ((self.io, 0, 1), (self.io, 8, 1), (self.admin, 0x18, 0)):
            for size in (4096, 1 << 20, 0xffffffff):
                status = queue.execute(command(opcode, 5, nsid, sgl(SGL_TRANSPORT, size)))[0]
                self.assertEqual(status, 0, (opcode, size))

    def test_T19_termination(self):
        for size in (0, 8, 100, 5000):
            queue = self.target.connect(0).admin
            queue.send(header(0x42, 0, 24, 0, 24 + size) + bytes(size))
            head = queue.read(8)
            self.assertEqual(head[:4], bytes([C2H_TERM, 0, 24, 0]))
            plen = struct.unpack('<I', head[4:])[0]
            self.assertTrue(24 + 8 <= plen <= 152, plen)
            body = queue.read(plen - 8)
            self.assertEqual(struct.unpack('<HI', body[:6]), (1, 0))
            self.assertEqual(body[16:24], header(0x42, 0, 24, 0, 24 + size))
            with self.assertRaises(Closed):
                queue.read(1)
            queue.close()

    def timers(self):
        """What the kernel waits for on each of the target's connections: 02 is keepalive."""
        with open('/proc/net/tcp', encoding='ascii') as table:
            rows = [row.split() for row in table.readlines()[1:]]
        return [row[5].split(':')[0] for row in rows if row[3] == '01' and
                int(row[1].split(':')[1], 16) == self.target.port]

    def test_T24_the_target_notices_hosts_that_vanish(self):
        while '01' in self.timers():  # not all has been acknowledged
            time.sleep(0.02)
        self.assertEqual(self.timers(), ['02'] * 3)


if __name__ == '__main__':
    e2e.main()
