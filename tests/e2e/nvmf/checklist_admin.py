# SPDX-License-Identifier: BSD-3-Clause
"""The checklist over TCP, sections 3 to 6 and 8: admin commands, Identify, log pages, features,
keep alive, events, discovery, ANA. A test's name starts with the rows that it is about."""
import os
import socket
import struct
import tempfile

import e2e
from nvmetcp import H2C_DATA, R2T, SGL_TRANSPORT, Queue, command, sgl
from served import NQN, ServedTest, free_port

DNR = 0x4000
FIELD = 0x02 | DNR
INVALID_NS = 0x0b | DNR
DISCOVERY = 'nqn.2014-08.org.nvmexpress.discovery'
IDENTIFY, GET_LOG, ABORT, SET, GET, AER, KEEP_ALIVE = 6, 2, 8, 9, 0x0a, 0x0c, 0x18


def feature(opcode, fid, dw11=0, select=0, save=0, data=None):
    return command(opcode, 1, 0, data, (fid | select << 8 | save << 31, dw11))


class Admin(ServedTest):
    def setUp(self):
        disk = tempfile.NamedTemporaryFile()
        self.addCleanup(disk.close)
        disk.truncate(4 << 20)
        self.config = {'subsystems': [
            {'nqn': NQN, 'ana': True, 'serial': '0042', 'model': 'Test disk', 'namespaces': [
                {'nsid': 1, 'memory': True, 'size': '16M'},
                {'nsid': 3, 'file': disk.name, 'read_only': True,
                 'uuid': '01234567-89ab-8def-8123-456789abcdef'}]},
            {'nqn': NQN + ':private', 'hosts': ['nqn.2024-01.example:friend'], 'namespaces': []}]}
        super().setUp()
        self.host = self.target.connect(1)
        self.admin, self.io = self.host.admin, self.host.queues[0]

    def tearDown(self):
        self.host.close()
        super().tearDown()

    def status(self, sqe, queue=None):
        return (queue or self.admin).execute(sqe)[0]

    def identify(self, cns, nsid=0, dw11=0, size=4096, queue=None):
        return (queue or self.admin).admin_read(IDENTIFY, size, nsid, (cns, dw11))

    def log(self, lid, size, offset=0, nsid=0xffffffff, retain=True, lsp=0, queue=None):
        dw10 = lid | lsp << 8 | retain << 15 | (size // 4 - 1 & 0xffff) << 16
        return (queue or self.admin).admin_read(GET_LOG, size, nsid, (
            dw10, size // 4 - 1 >> 16, offset & 0xffffffff, offset >> 32))

    def discovery(self, hostnqn=None, kato=0):
        queue = Queue(self.target.address)
        self.addCleanup(queue.close)
        queue.initialize()
        options = {'hostnqn': hostnqn} if hostnqn else {}
        status, dw0 = queue.connect(DISCOVERY, kato=kato, **options)
        self.assertEqual(status, 0)
        self.assertEqual(queue.property_set(0x14, 0x460001), 0)
        queue.cntlid = dw0 & 0xffff
        return queue


class Commands(Admin):
    def test_A1_log_page_lengths(self):
        whole = self.log(5, 4096)[2]
        for size, offset in ((4, 0), (8, 4), (2048, 1024), (4092, 4)):
            self.assertEqual(self.log(5, size, offset)[::2], (0, whole[offset:offset + size]))

    def test_A1_room_for_less_or_more_than_is_asked_for(self):
        for asked, room in ((8, 4096), (4096, 8), (4096, 0), (1 << 34, 4096)):
            numd = asked // 4 - 1
            cdw = (5 | (numd & 0xffff) << 16, numd >> 16)
            self.assertEqual(self.admin.admin_read(GET_LOG, room, 0xffffffff, cdw)[::2],
                             (0x0f | DNR, b''))

    def test_A2_identify(self):
        whole = self.identify(1)[2]
        self.assertEqual(len(whole), 4096)
        status, _, part = self.identify(1, size=512)
        self.assertIn((status, part), ((0, whole[:512]), (0x0f | DNR, b'')))
        self.assertEqual(self.identify(1, size=0)[0], 0x0f | DNR)

    def test_A3_abort(self):
        self.assertEqual(self.admin.execute(command(ABORT, 1, 0, None, (77 << 16,)))[:2], (0, 1))
        self.admin.submit(command(AER, 5))
        self.admin.submit(command(ABORT, 6, 0, None, (5 << 16,)))
        answers = {a[0]: a[1:3] for a in (self.admin.completion() for _ in range(2))}
        self.assertEqual(answers, {5: (0x07, 0), 6: (0, 0)})

    def test_A4_set_features(self):
        self.assertEqual(self.status(feature(SET, 0x0b, 0x100)), 0)
        self.assertEqual(self.status(feature(SET, 0x0b, save=1)), 0x10d | DNR)
        self.assertEqual(self.admin.execute(feature(GET, 0x0b))[:2], (0, 0x100))

    def test_A5_get_features(self):
        for fid in (1, 2, 4, 5, 6, 7, 0x0a, 0x0b, 0x0f):
            self.assertEqual(self.status(feature(GET, fid)), 0, hex(fid))
            self.assertIn(self.status(feature(GET, fid, select=1)), (0, FIELD))
            self.assertEqual(self.status(feature(GET, fid, select=4)), FIELD)

    def test_A6_V4_event_requests(self):
        limit = self.identify(1)[2][259]
        self.assertGreaterEqual(limit, 3)
        for cid in range(limit + 1):
            self.admin.submit(command(AER, cid))
        self.assertEqual(self.status(command(AER, 100)), 0x105 | DNR)

    def test_A7_keep_alive(self):
        self.assertEqual(self.status(command(KEEP_ALIVE, 1)), 0)

    def test_A8_to_A12_opcodes_that_do_not_exist_here(self):
        known = {IDENTIFY, GET_LOG, ABORT, SET, GET, AER, KEEP_ALIVE, 0x7f}
        effects = struct.unpack('<256I', self.log(5, 1024)[2])
        self.assertEqual({op for op in range(256) if effects[op] & 1}, known - {0x7f})
        for opcode in set(range(256)) - known:
            self.assertEqual(self.status(command(opcode, 1)), 0x01 | DNR, hex(opcode))

    def test_A13_nothing_before_enable(self):
        queue = Queue(self.target.address)
        self.addCleanup(queue.close)
        queue.initialize()
        queue.connect(NQN)
        for opcode in (IDENTIFY, GET_LOG, SET, GET, AER, KEEP_ALIVE, 0xff):
            self.assertEqual(self.status(command(opcode, 1), queue), 0x0c | DNR)


class Identify(Admin):
    def setUp(self):
        super().setUp()
        self.page = self.identify(1)[2]

    def number(self, offset, size):
        return int.from_bytes(self.page[offset:offset + size], 'little')

    def test_I1_namespace(self):
        page = self.identify(0, 1)[2]
        self.assertEqual(struct.unpack('<QQ', page[:16]), (16 << 11, 16 << 11))
        lbaf = struct.unpack('<I', page[128 + 4 * (page[26] & 15):][:4])[0]
        self.assertEqual((lbaf & 0xffff, lbaf >> 16 & 0xff, page[30] & 1), (0, 9, 1))
        self.assertEqual(self.identify(0, 2)[::2], (0, bytes(4096)))
        for nsid in (0, 0xffffffff, 0xfffffffe, self.number(516, 4) + 1):
            self.assertEqual(self.identify(0, nsid)[0], INVALID_NS)
        self.assertEqual(self.identify(0, 3)[2][99] & 1, 1)

    def test_I2_C1_names(self):
        for start, size, text in ((4, 20, b'0042'), (24, 40, b'Test disk')):
            self.assertEqual(self.page[start:start + size], text.ljust(size))
        self.assertTrue(self.page[64:72].strip() and b'\0' not in self.page[64:72])

    def test_I3_active_namespaces(self):
        for after, expected in ((0, [1, 3]), (1, [3]), (3, []), (0xfffffffd, [])):
            page = self.identify(2, after)[2]
            ids = struct.unpack('<1024I', page)
            self.assertEqual(list(ids[:len(expected)]), expected)
            self.assertFalse(any(ids[len(expected):]))
        for nsid in (0xfffffffe, 0xffffffff):
            self.assertEqual(self.identify(2, nsid)[0], INVALID_NS)

    def descriptors(self, nsid, queue=None):
        page, at, found = self.identify(3, nsid, queue=queue)[2], 0, {}
        while page[at + 1]:
            found[page[at]] = page[at + 4:at + 4 + page[at + 1]]
            at += 4 + page[at + 1]
        self.assertFalse(any(page[at:]))
        return found

    def test_I4_identifiers(self):
        found = self.descriptors(3)
        self.assertEqual(found[3].hex(), '0123456789ab8def8123456789abcdef')
        self.assertEqual({kind: len(value) for kind, value in found.items()}, {2: 16, 3: 16, 4: 1})
        self.assertEqual(found[2], self.identify(0, 3)[2][104:120])
        self.assertNotEqual(self.descriptors(1)[3], found[3])
        other = self.target.connect(0)
        self.assertEqual(self.descriptors(1, other.admin), self.descriptors(1))
        other.close()
        for nsid in (0, 2, 0xffffffff):
            self.assertEqual(self.identify(3, nsid)[0], INVALID_NS)
        before = self.descriptors(1)
        self.host.close()
        self.target.stop()
        self.target.start()
        self.host = self.target.connect(1)
        self.assertEqual(self.descriptors(1, self.host.admin), before)

    def test_I5_I9_other_pages(self):
        for cns in (5, 6):
            self.assertEqual(self.identify(cns, 1)[0], 0)
            self.assertEqual(self.identify(cns, 1, 5 << 24)[0], FIELD)
        for cns in (8, 0x10, 0x11, 0x12, 0x13, 0x1c, 0x40, 0xff):
            self.assertEqual(self.identify(cns, 1)[0], FIELD, hex(cns))

    def test_C2_C12_C20_multipath(self):
        self.assertEqual(self.page[76] & 0x0b, 0x0b)
        self.assertTrue(self.page[342] and self.page[343])
        self.assertTrue(0 < self.number(348, 4) <= self.number(344, 4))
        self.assertTrue(0 < self.number(540, 4) <= self.number(516, 4))

    def test_C3_transfer_limit(self):
        size = 4096 << self.page[77]
        self.assertTrue(5 <= self.page[77] <= 8)
        self.assertEqual(self.io.read_blocks(0, size // 512)[0], 0)
        self.assertEqual(self.io.read_blocks(0, size // 512 + 1)[0], FIELD)

    def test_C4_C5_C9_what_the_host_compares(self):
        self.assertEqual(self.number(78, 2), self.host.cntlid)
        self.assertEqual(self.number(80, 4), self.admin.property_get(8)[1])
        self.assertEqual(self.page[111], 1)

    def test_C7_events_are_announced(self):
        self.assertEqual(self.number(92, 4), 1 << 8 | 1 << 11)

    def test_C8_host_ids(self):
        self.assertEqual(self.number(96, 4) & 1, 1)

    def test_C10_what_is_announced_works(self):
        self.assertEqual(self.number(256, 2), 0)
        self.assertGreaterEqual(self.page[259], 3)
        self.assertEqual(self.page[261] & 6, 6)  # effects log, offsets into pages
        self.assertEqual(self.log(5, 4096)[0], 0)
        self.assertEqual(self.log(1, 64 * (self.page[262] + 1))[0], 0)

    def test_C11_keep_alive_granularity(self):
        unit = self.number(320, 2) * 100
        self.assertTrue(unit)
        self.assertEqual(self.status(feature(SET, 0x0f, 3 * unit - 1)), 0)
        self.assertEqual(self.admin.execute(feature(GET, 0x0f))[1], 3 * unit)

    def test_C13_entries(self):
        mqes = self.admin.property_get(0, True)[1] & 0xffff
        self.assertEqual((self.page[512], self.page[513], self.number(514, 2)),
                         (0x66, 0x44, mqes + 1))

    def test_C14_highest_namespace(self):
        self.assertEqual(self.identify(0, self.number(516, 4))[::2], (0, bytes(4096)))

    def test_C15_commands_that_are_announced(self):
        oncs = self.number(520, 2)
        read = sgl(SGL_TRANSPORT, 512)
        cases = {0: command(5, 1, 1, read), 1: command(4, 1, 1), 2: command(9, 1, 1, read),
                 3: command(8, 1, 1), 5: command(0x0e, 1, 1, read, (0, 127)),
                 7: command(0x0c, 1, 1), 8: command(0x19, 1, 1, read)}
        for bit, sqe in cases.items():
            status = self.io.execute(sqe, write=bytes(512))[0]
            self.assertEqual(status == 0x01 | DNR, not oncs >> bit & 1, bit)
        self.assertEqual(self.status(feature(GET, 0x0e)) == 0, bool(oncs >> 6 & 1))

    def test_C17_flush_of_all(self):
        self.assertEqual(self.page[525] >> 1, 2)
        self.assertEqual(self.io.execute(command(0, 1, 0xffffffff))[0], INVALID_NS)

    def test_C19_C22_C24_descriptors_and_capsules(self):
        sgls, capsule = self.number(536, 4), self.number(1792, 4) * 16
        self.assertEqual((sgls & 3, sgls >> 2 & 1, sgls >> 20 & 3), (1, 0, 3))
        self.assertGreaterEqual(capsule, 64)
        self.assertEqual(self.number(1800, 2), 0)
        most = capsule - 64
        self.assertEqual(self.io.write_blocks(0, bytes(most), in_capsule=True), 0)
        self.assertEqual(self.io.write_blocks(0, bytes(most)), 0)

    def test_C21_C23_C25_fabrics_fields(self):
        self.assertEqual(self.page[768:1024], NQN.encode().ljust(256, b'\0'))
        self.assertEqual(self.number(1796, 4), 1)
        self.assertEqual((self.page[1802] & 1, self.page[1803] >= 1), (0, True))


class Pages(Admin):
    def test_G2_errors(self):
        self.assertEqual(self.log(1, 64)[::2], (0, bytes(64)))

    def test_G3_health(self):
        for nsid in (0, 0xffffffff):
            status, _, page = self.log(2, 512, nsid=nsid)
            self.assertEqual((status, page[0], page[3]), (0, 0, 100))
        self.assertEqual(self.log(2, 512, nsid=1)[0], FIELD)

    def test_G4_firmware(self):
        status, _, page = self.log(3, 512)
        self.assertEqual((status, page[0] & 7), (0, 1))
        self.assertEqual(page[8:16], self.identify(1)[2][64:72])

    def test_G5_V1_V2_V3_changed_namespaces(self):
        self.status(feature(SET, 0x0b, 0x100))
        namespaces = self.config['subsystems'][0]['namespaces']
        namespaces.append({'nsid': 9, 'memory': True, 'size': '1M'})
        self.target.reload(self.config)  # nobody listens yet
        self.admin.submit(command(AER, 5))
        self.assertEqual(self.admin.completion()[:3], (5, 0, 0x00040002))
        self.admin.submit(command(AER, 6))
        namespaces.pop()
        self.target.reload(self.config)  # masked until the page has been read
        self.assertEqual(self.status(command(KEEP_ALIVE, 7)), 0)
        for retain in (True, False, False):
            page = struct.unpack('<1024I', self.log(4, 4096, retain=retain)[2])
            self.assertEqual([n for n in page if n], [9] if page[0] else [])
        self.assertEqual(page[0], 0)
        namespaces.append({'nsid': 9, 'memory': True, 'size': '1M'})
        self.target.reload(self.config)
        self.assertEqual(self.admin.completion()[:3], (6, 0, 0x00040002))

    def test_G6_effects(self):
        page = struct.unpack('<1024I', self.log(5, 4096)[2])
        for opcode in range(256):
            if opcode == 0x7f:
                continue
            status = self.io.execute(command(opcode, 1, 1, sgl(SGL_TRANSPORT, 512)),
                                     write=bytes(512))[0]
            self.assertEqual(status != 0x01 | DNR, bool(page[256 + opcode] & 1), hex(opcode))
        self.assertEqual([page[256 + op] & 2 for op in (0, 1, 2, 8, 9)], [0, 2, 0, 2, 2])

    def test_G7_H4_ana(self):
        status, _, page = self.log(0x0c, 4624)
        self.assertEqual(status, 0)
        groups, at, seen = struct.unpack('<H', page[8:10])[0], 16, {}
        for _ in range(groups):
            group, count, _, state = struct.unpack('<IIQB', page[at:at + 17])
            seen[group] = (state, struct.unpack('<%dI' % count, page[at + 32:at + 32 + 4 * count]))
            at += 32 + 4 * count
        self.assertEqual(seen[1], (1, (1, 3)))
        self.assertEqual(len(seen), 16)
        ids = self.identify(1)[2]
        most = 16 + 32 * struct.unpack('<I', ids[348:352])[0] + \
            4 * struct.unpack('<I', ids[540:544])[0]
        self.assertLessEqual(most, 4096 << ids[77])
        only = self.log(0x0c, 16 + 32 * groups, lsp=1)[2]
        self.assertEqual([struct.unpack('<I', only[20 + 32 * g:24 + 32 * g])[0]
                          for g in range(groups)], [0] * groups)

    def test_G10_G11_wrong_requests(self):
        for lid in (0x0d, 0x70, 0x80, 0xb9, 0xff):
            self.assertIn(self.log(lid, 512)[0], (0x109 | DNR, FIELD), hex(lid))
        for offset in (1, 2, 4100, 1 << 40):
            self.assertEqual(self.log(5, 64, offset)[0], FIELD)
        whole = self.log(5, 4096)[2]
        self.assertEqual(self.log(5, 64, 4064)[::2], (0, whole[4064:] + bytes(32)))


class Features(Admin):
    def test_E1_number_of_queues(self):
        admin = self.target.connect(0).admin
        for wrong in (0xffff, 0xffff0000, 0xffffffff):
            self.assertEqual(self.status(feature(SET, 7, wrong), admin), FIELD)
        for wanted, granted in ((0x00030003, 0x00030003), (0x00010005, 0x00010001)):
            self.assertEqual(admin.execute(feature(SET, 7, wanted))[:2], (0, granted))
            self.assertEqual(admin.execute(feature(GET, 7))[:2], (0, granted))
        granted = admin.execute(feature(SET, 7, 0xfffefffe))[1]
        self.assertLess(granted & 0xffff, 1024)
        admin.close()
        self.assertEqual(self.status(feature(SET, 7, 0x00010001)), 0x0c | DNR)

    def test_E2_events(self):
        for value in (0, 0x100, 0x900):
            self.assertEqual(self.status(feature(SET, 0x0b, value)), 0)
            self.assertEqual(self.admin.execute(feature(GET, 0x0b))[:2], (0, value))

    def test_E3_K1_keep_alive_timer(self):
        for value, kept in ((1, 1000), (5000, 5000), (30001, 31000)):
            self.assertEqual(self.status(feature(SET, 0x0f, value)), 0)
            self.assertEqual(self.admin.execute(feature(GET, 0x0f))[:2], (0, kept))
        self.assertEqual(self.status(feature(SET, 0x0f, 0)), 0x1a | DNR)
        for kato in (0, 5000, 30000):
            queue = self.discovery(kato=kato)
            self.assertEqual(queue.execute(feature(GET, 0x0f))[:2], (0, kato))

    def test_E5_write_cache(self):
        self.assertEqual(self.status(feature(SET, 6, 0)), 0x10e | DNR)
        cache = self.identify(1)[2][525] & 1
        self.assertEqual(self.admin.execute(feature(GET, 6))[:2], (0, cache))

    def test_E7_E13_features_that_do_not_exist_here(self):
        for fid in (0, 3, 8, 9, 0x0c, 0x0d, 0x10, 0x11, 0x42, 0x80, 0x82, 0x83, 0xff):
            self.assertEqual(self.status(feature(GET, fid)), FIELD, hex(fid))
            self.assertEqual(self.status(feature(SET, fid)), FIELD, hex(fid))

    def test_E10_host_id(self):
        data = sgl(SGL_TRANSPORT, 16)
        self.assertEqual(self.admin.execute(feature(GET, 0x81, 1, data=data))[::2], (0, bytes(16)))
        self.assertEqual(self.admin.execute(feature(SET, 0x81, 1, data=data), write=bytes(16))[0],
                         0x0c | DNR)


class Discovery(Admin):
    def setUp(self):
        super().setUp()
        self.second = free_port()
        self.config['ports'].append({'address': '127.0.0.1', 'port': self.second})
        self.host.close()
        self.target.stop()
        self.target.configure(self.config)
        self.target.start()
        self.host = self.target.connect(1)

    def read(self, queue):
        status, _, head = self.log(0x70, 1024, queue=queue)
        self.assertEqual(status, 0)
        generation, count, form = struct.unpack('<QQH', head[:18])
        self.assertFalse(form or any(head[18:]))
        return generation, [self.log(0x70, 1024, 1024 * (n + 1), queue=queue)[2]
                            for n in range(count)]

    def test_D1_D2_on_every_listener(self):
        for port in (self.target.port, self.second):
            queue = Queue(('127.0.0.1', port))
            queue.initialize()
            self.assertEqual(queue.connect(DISCOVERY)[0], 0)
            self.assertEqual(queue.property_set(0x14, 0x460001), 0)
            self.assertEqual(len(self.read(queue)[1]), 2)
            queue.close()

    def test_G8_D3_to_D6_entries(self):
        _, entries = self.read(self.discovery())
        ports = []
        for entry in entries:
            self.assertEqual(entry[:4], bytes([3, 1, 2, 4]))  # no TLS
            self.assertEqual(entry[6:8], b'\xff\xff')
            self.assertGreaterEqual(struct.unpack('<H', entry[8:10])[0], 32)
            self.assertEqual(entry[256:512], NQN.encode().ljust(256, b'\0'))
            self.assertEqual(entry[512:768].rstrip(b' \0'), b'127.0.0.1')
            self.assertEqual(entry[768:], bytes(256))  # sectype: none
            ports.append((int(entry[32:64]), struct.unpack('<H', entry[4:6])[0]))
        self.assertEqual(ports, [(self.target.port, 1), (self.second, 2)])

    def check_wildcard(self, wildcard, addresses):
        self.host.close()
        self.target.stop()
        self.config['ports'] = [{'address': wildcard, 'port': self.target.port}]
        self.target.configure(self.config)
        self.target.start()
        for address in addresses:
            queue = Queue((address, self.target.port))
            queue.initialize()
            queue.connect(DISCOVERY)
            queue.property_set(0x14, 0x460001)
            self.assertEqual(self.read(queue)[1][0][512:768].rstrip(b' \0'), address.encode())
            queue.close()

    def test_D6_no_wildcard_address(self):
        self.check_wildcard('0.0.0.0', ('127.0.0.1', '127.0.0.9'))

    def test_D6_no_wildcard_address_however_it_is_written(self):
        try:
            with socket.socket(socket.AF_INET6) as sock:
                sock.bind(('::1', 0))
        except OSError:
            self.skipTest('no IPv6')
        self.check_wildcard('0::0', ('::1',))

    def test_D7_D8_D12_changes_are_told(self):
        friend = 'nqn.2024-01.example:friend'
        queue, other = self.discovery(friend, 30000), self.discovery(kato=30000)
        generation, entries = self.read(queue)
        self.assertEqual((len(entries), len(self.read(other)[1])), (4, 2))
        self.assertEqual(queue.execute(feature(SET, 0x0b, 1 << 31))[0], 0)
        queue.submit(command(AER, 5))
        self.config['subsystems'][1]['hosts'] = ['nqn.2024-01.example:nobody']
        self.target.reload(self.config)
        self.assertEqual(queue.completion()[:3], (5, 0, 0x0070f002))
        self.assertEqual(self.log(0x70, 1024, retain=False, queue=queue)[0], 0)
        changed, entries = self.read(queue)
        self.assertEqual((changed > generation, len(entries)), (True, 2))

    def test_D9_log_in_pieces(self):
        queue = self.discovery()
        whole = self.log(0x70, 3072, queue=queue)[2]
        pieces = b''.join(self.log(0x70, 512, n, queue=queue)[2] for n in range(0, 3072, 512))
        self.assertEqual(pieces, whole)

    def test_D11_controller(self):
        queue = self.discovery()
        page = self.identify(1, queue=queue)[2]
        self.assertEqual((page[111], struct.unpack('<I', page[92:96])[0]), (2, 1 << 31))
        self.assertEqual((page[261] & 4, page[516:520], page[320:322] != b'\0\0'),
                         (4, bytes(4), True))
        self.assertEqual(page[768:1024].rstrip(b'\0'), DISCOVERY.encode())
        io = Queue(self.target.address)
        io.initialize()
        self.assertIn(io.connect(DISCOVERY, 1, queue.cntlid)[0] & 0x7ff, (0x182, 0x185))
        io.close()
        for sqe in (command(IDENTIFY, 1, 1, sgl(SGL_TRANSPORT, 4096), (0,)),
                    feature(SET, 7, 0x10001), feature(GET, 1)):
            self.assertNotEqual(queue.execute(sqe)[0], 0)


class Ana(Admin):
    def change(self, state):
        self.config['ports'][0]['ana'] = {'1': state}
        self.target.reload(self.config)

    def test_H1_path_errors(self):
        data = os.urandom(512)
        for state, status in (('inaccessible', 0x302), ('persistent-loss', 0x301),
                              ('change', 0x303), ('non-optimized', 0), ('optimized', 0)):
            self.change(state)
            self.assertEqual(self.io.read_blocks(0, 1)[0], status)
            self.assertEqual(self.io.write_blocks(0, data), status)
            self.assertEqual(self.io.execute(command(0, 1, 1))[0], status)

    def test_H1_data_that_comes_too_late(self):
        before, after = os.urandom(512), os.urandom(512)
        self.assertEqual(self.io.write_blocks(0, before), 0)
        self.io.submit(command(1, 5, 1, sgl(SGL_TRANSPORT, 512)))
        kind, _, rest, _ = self.io.receive()
        self.assertEqual(kind, R2T)
        tags = struct.unpack('<HH', rest[:4])
        self.change('inaccessible')
        self.io.send(self.io.pdu(H2C_DATA, struct.pack('<HHII4x', *tags, 0, 512), after, last=True))
        self.assertEqual(self.io.completion()[:2], (5, 0x302))
        self.change('optimized')
        self.assertEqual(self.io.read_blocks(0, 1)[2], before)

    def test_H2_admin_commands_go_on(self):
        self.change('inaccessible')
        for cns, nsid in ((0, 1), (1, 0), (2, 0), (3, 1)):
            self.assertEqual(self.identify(cns, nsid)[0], 0)
        self.assertEqual(self.log(0x0c, 4096)[2][32], 3)
        self.assertEqual(self.status(command(KEEP_ALIVE, 1)), 0)

    def test_H3_V1_transition_is_told(self):
        self.status(feature(SET, 0x0b, 0x800))
        self.admin.submit(command(AER, 5))
        self.change('change')
        self.assertEqual(self.admin.completion()[:3], (5, 0, 0x000c0302))
        self.admin.submit(command(AER, 6))
        before = self.log(0x0c, 4096, retain=False)[2]
        self.change('optimized')
        self.assertEqual(self.admin.completion()[:3], (6, 0, 0x000c0302))
        after = self.log(0x0c, 4096, retain=False)[2]
        self.assertEqual((before[32], after[32]), (15, 1))
        self.assertGreater(struct.unpack('<Q', after[:8]), struct.unpack('<Q', before[:8]))
        self.assertEqual(self.io.read_blocks(0, 1)[0], 0)


if __name__ == '__main__':
    e2e.main()
