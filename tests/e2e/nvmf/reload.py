# SPDX-License-Identifier: BSD-3-Clause
"""What SIGHUP changes about softfield-target, and what it leaves alone."""
import os
import struct
import threading

import e2e
from nvmetcp import R2T, SGL_TRANSPORT, Controller, command, sgl
from served import NQN, ServedTest, free_port

SECOND = 'nqn.2024-01.example:second'
UUID = '12345678-1234-1234-1234-123456789abc'


class Reload(ServedTest):
    def setUp(self):
        self.namespaces = []
        self.config = {'subsystems': [{'nqn': NQN, 'ana': True, 'namespaces': self.namespaces}]}
        super().setUp()
        self.disks = [self.target.disk]
        for name in 'ab':
            self.disks.append(os.path.join(self.temporary.name, name))
            with open(self.disks[-1], 'wb') as file:
                file.write(name.encode() * (1 << 20))
        self.errors = open(os.path.join(self.temporary.name, 'errors'), 'w+', encoding='utf-8')
        self.addCleanup(self.errors.close)
        self.restart()

    def restart(self):
        self.target.stop()
        self.target.errors = self.errors
        self.target.start()

    def said(self):
        self.errors.seek(0)
        return ''.join(line for line in self.errors if 'no io_uring' not in line)

    def apply(self, *namespaces, **subsys):
        self.namespaces[:] = namespaces
        self.config['subsystems'][0].update(subsys)
        self.target.reload(self.config)

    def identify(self, host, nsid=1):
        return host.admin.admin_read(6, 4096, nsid, (0,))[2]

    def blocks(self, host, nsid=1):
        return struct.unpack('<Q', self.identify(host, nsid)[:8])[0]

    def active(self, host):
        page = host.admin.admin_read(6, 4096, 0, (2,))[2]
        return [n for n in struct.unpack('<1024I', page) if n]

    def look(self, host):
        """As often as it takes to see another disk in the place of one."""
        self.active(host)
        return self.active(host)

    def test_what_is_in_memory_remains(self):
        one, two = ({'memory': True, 'size': '1M'} for _ in range(2))
        self.apply(one, two)
        host = self.target.connect()
        for nsid in (1, 2):
            self.assertEqual(host.queues[0].write_blocks(0, bytes([nsid]) * 512, nsid=nsid), 0)
        self.apply(one, two)
        self.apply(one, dict(two, nsid=2), {'null': True, 'size': '1M'})
        for nsid in (1, 2):
            self.assertEqual(host.queues[0].read_blocks(0, 1, nsid=nsid)[::2],
                             (0, bytes([nsid]) * 512))
        self.assertEqual(self.active(host), [1, 2, 3])
        host.close()

    def test_what_a_disk_is_changes(self):
        file = {'nsid': 1, 'file': self.disks[1]}
        self.apply(file)
        host = self.target.connect()
        queue = host.queues[0]
        self.apply(dict(file, read_only=True))
        self.assertEqual(queue.write_blocks(0, b'x' * 512), 0x4020)
        self.assertEqual(self.identify(host)[99], 1)
        self.apply(dict(file, block_size=4096))
        self.assertEqual(self.identify(host)[130], 12)
        self.apply({'nsid': 1, 'memory': True, 'size': '2M'})
        self.look(host)
        self.assertEqual((self.blocks(host), queue.read_blocks(0, 1)[2]), (4096, bytes(512)))
        self.apply({'nsid': 1, 'memory': True, 'size': '4M'})
        self.look(host)
        self.assertEqual(self.blocks(host), 8192)
        self.apply({'nsid': 1, 'file': self.disks[2]})
        self.look(host)
        self.assertEqual(queue.read_blocks(0, 1)[2], b'b' * 512)
        host.close()

    def test_another_file_gets_the_name(self):
        file = {'nsid': 1, 'file': self.disks[1]}
        self.apply(file)
        host = self.target.connect()
        queue = host.queues[0]
        os.rename(self.disks[2], self.disks[1])
        self.assertEqual(queue.read_blocks(0, 1)[2], b'a' * 512)
        self.apply(file)
        self.look(host)
        self.assertEqual(queue.read_blocks(0, 1)[2], b'b' * 512)
        os.unlink(self.disks[1])
        self.apply(file)
        self.assertEqual(queue.read_blocks(0, 1)[2], b'b' * 512)
        host.close()

    def test_what_a_disk_is_called_changes(self):
        memory = {'nsid': 1, 'memory': True, 'size': '1M'}
        self.apply(memory)
        host = self.target.connect()
        self.assertEqual(host.queues[0].write_blocks(0, b'x' * 512), 0)
        self.apply(dict(memory, uuid=UUID, ana_group=2))
        page = self.identify(host)
        self.assertEqual(page[104:120].hex(), UUID.replace('-', ''))
        self.assertEqual(struct.unpack('<I', page[92:96])[0], 2)
        self.assertEqual(host.queues[0].read_blocks(0, 1)[2], b'x' * 512)
        host.close()

    def test_another_disk_has_another_uuid(self):
        """Hosts would go on with what they have cached of the one before."""
        def uuid():
            self.look(host)
            return self.identify(host)[104:120]

        file = {'nsid': 1, 'file': self.disks[1]}
        self.apply(file)
        self.restart()
        host = self.target.connect()
        first = uuid()
        self.apply(dict(file, read_only=True, block_size=4096))
        self.assertEqual(uuid(), first)
        self.apply(dict(file, file=self.disks[2]))
        self.assertNotEqual(uuid(), first)
        self.apply(file)
        self.assertEqual(uuid(), first)
        os.rename(self.disks[2], self.disks[1])
        self.apply(file)
        second = uuid()
        self.assertNotEqual(second, first)
        for change in ({}, {'read_only': True}):
            self.apply(dict(file, **change))
            self.assertEqual(uuid(), second)
        seen = set()
        for size in ('1M', '2M', '1M'):
            self.apply({'nsid': 1, 'memory': True, 'size': size})
            seen.add(uuid())
        host.close()
        for namespace, place in (({'nsid': 1, 'memory': True, 'size': '1M'}, seen.add),
                                 (file, lambda known: self.assertEqual(known, second))):
            self.apply(namespace)
            self.restart()
            host = self.target.connect()
            place(uuid())
            host.close()
        self.assertEqual(len(seen), 4)

    def test_another_file_has_another_uuid_whatever_its_number(self):
        """Most file systems give a new file the number of one that has just been removed."""
        file, other = {'nsid': 1, 'file': self.disks[1]}, {'nsid': 2, 'null': True, 'size': '1M'}
        number = os.stat(self.disks[1]).st_ino
        self.apply(file)
        host = self.target.connect()
        first = self.identify(host)[104:120]
        self.apply(other)
        os.unlink(self.disks[1])
        with open(self.disks[1], 'wb') as disk:
            disk.truncate(1 << 20)
        if os.stat(self.disks[1]).st_ino != number:
            host.close()
            self.skipTest('this file system gives the new file another number')
        self.apply(file, other)
        self.assertEqual(self.blocks(host), 0)
        self.look(host)
        self.assertNotEqual(self.identify(host)[104:120], first)
        host.close()

    def test_N13_what_is_under_way_does_not_reach_another_disk(self):
        """Until its host has looked twice: it has let go of the old one when it comes back."""
        file = {'nsid': 1, 'file': self.disks[1]}
        self.apply(file)
        host, stranger = self.target.connect(), self.target.connect()
        queue = host.queues[0]
        write = command(1, 77, 1, sgl(SGL_TRANSPORT, 16384), (0, 0, 31))
        queue.submit(write)
        kind, _, rest, _ = queue.receive()
        self.assertEqual(kind, R2T)
        self.apply(dict(file, file=self.disks[2]))
        cid, ttag = struct.unpack('<HH', rest[:4])
        queue.h2c(cid, ttag, 0, b'x' * 16384)
        self.assertEqual(queue.completion()[:2], (77, 0x400b))
        for _ in range(2):
            self.assertEqual(queue.write_blocks(0, b'x' * 512), 0x400b)
            self.assertEqual(queue.write_blocks(0, b'x' * 512, in_capsule=True), 0x400b)
            self.assertEqual(queue.execute(command(8, 1, 1, cdw=(0, 0, 3)))[0], 0x400b)
            self.assertEqual(self.blocks(host), 0)
            late = host.add_queue(2 + _)
            self.assertEqual(late.write_blocks(0, b'x' * 512), 0x400b)
            late.close()
            if not _:
                self.assertEqual(self.active(host), [])
        self.assertEqual(self.active(host), [1])
        self.assertEqual(queue.read_blocks(0, 1)[::2], (0, b'b' * 512))
        self.assertEqual(queue.write_blocks(0, b'y' * 512), 0)
        self.assertEqual(stranger.queues[0].write_blocks(0, b'z' * 512), 0x400b)
        newcomer = self.target.connect()
        self.assertEqual(newcomer.queues[0].read_blocks(0, 1)[::2], (0, b'y' * 512))
        for one in (host, stranger, newcomer):
            one.close()

    def test_numbers_go_to_those_that_ask(self):
        first, second = {'file': self.disks[1]}, {'file': self.disks[2]}
        self.apply(first, dict(second, nsid=1))
        host = self.target.connect()
        queue = host.queues[0]
        self.assertEqual([queue.read_blocks(0, 1, nsid=n)[2][:1] for n in (1, 2)], [b'b', b'a'])
        self.apply(second, dict(first, nsid=1))
        self.assertEqual(self.look(host), [1, 2])
        self.assertEqual([queue.read_blocks(0, 1, nsid=n)[2][:1] for n in (1, 2)], [b'a', b'b'])
        host.close()

    def test_a_restart_is_asked_for(self):
        for key, value in (('serial', 'ZZ'), ('model', 'MM'), ('ana', False)):
            self.apply(**{key: value})
            self.assertIn(NQN + ': serial, model and ana are read once: restart', self.said())
            self.errors.truncate(0)
            self.restart()
        self.apply()
        self.assertEqual(self.said(), '')

    def subsystems(self, **files):
        self.config['subsystems'] = [
            {'nqn': nqn, 'ana': True, 'namespaces': [{'nsid': 1, 'file': self.disks[files[key]]}]
             if key in files else []} for nqn, key in ((NQN, 'one'), (SECOND, 'two'))
            if key in files or 'gone' not in files]
        self.target.reload(self.config)

    def first_byte(self, nqn):
        host = Controller(self.target.address, nqn)
        data = host.queues[0].read_blocks(0, 1)[2][:1]
        host.close()
        return data

    def test_disks_move_between_subsystems(self):
        self.subsystems(two=1)
        self.subsystems(one=1)
        self.assertEqual(self.first_byte(NQN), b'a')
        self.subsystems(one=2, two=1)
        self.subsystems(one=1, two=2)
        self.assertEqual((self.first_byte(NQN), self.first_byte(SECOND)), (b'a', b'b'))
        self.subsystems(gone=0, two=1)
        self.subsystems(gone=0, one=1)
        self.assertEqual(self.first_byte(NQN), b'a')
        self.assertEqual(self.said(), '')

    def test_names_may_differ_late(self):
        names = [NQN.ljust(215, 'x') + c for c in 'ab']
        self.config['subsystems'] = [{'nqn': nqn, 'namespaces': [
            {'null': True, 'size': '1M'}]} for nqn in names]
        self.target.reload(self.config)
        self.assertEqual([self.first_byte(nqn) for nqn in names], [b'\0'] * 2)

    def path_states(self, *ports):
        self.config['ports'] = [dict({'address': '127.0.0.1', 'port': port},
                                     **({'ana': {'1': state}} if state else {}))
                                for port, state in ports]
        self.target.configure(self.config)

    def statuses(self, *ports):
        found = []
        for port in ports:
            host = Controller(('127.0.0.1', port), NQN)
            found.append(host.queues[0].execute(command(0, 1, 1))[0])
            host.close()
        return found

    def test_H1_states_go_with_their_ports(self):
        one, two = self.target.port, free_port()
        self.namespaces.append({'nsid': 1, 'null': True, 'size': '1M'})
        self.path_states((one, None), (two, 'inaccessible'))
        self.restart()
        self.assertEqual(self.statuses(one, two), [0, 0x302])
        self.path_states((two, 'inaccessible'), (one, 'optimized'))
        self.target.reload(self.config)
        self.assertEqual(self.statuses(one, two), [0, 0x302])
        self.assertEqual(self.said(), '')
        self.path_states((two, None), (one, None))
        self.target.reload(self.config)
        self.assertEqual(self.statuses(one, two), [0, 0])
        self.path_states((free_port(), 'change'), (one, None), (two, 'inaccessible'))
        self.target.connect_lines = 2
        self.target.process.send_signal(1)
        self.target.wait_for_lines()
        self.assertIn('read once: restart', self.said())
        self.assertEqual(self.statuses(one, two), [0, 0x302])

    def test_H1_what_is_added_has_the_state_of_its_group(self):
        """From the beginning: others that are still being opened do not matter."""
        self.config['ports'][0]['ana'] = {'1': 'inaccessible'}
        sizes = [{'nsid': nsid, 'memory': True, 'size': '1M', 'uuid': UUID[:-2] + '%02x' % nsid}
                 for nsid in range(1, 41)]  # with the same name, or hosts would have to look
        self.apply(*sizes)
        host = self.target.connect()
        found, stop = set(), threading.Event()

        def read_on():
            while not stop.is_set():
                found.add(host.queues[0].read_blocks(0, 1)[0])

        reader = threading.Thread(target=read_on)
        reader.start()
        for round_ in range(8):  # all are opened anew
            self.apply(*(dict(ns, size='%dM' % (2 + round_ % 2)) for ns in sizes))
        stop.set()
        reader.join()
        host.close()
        self.assertIn(0x302, found)
        self.assertLessEqual(found, {0x302, 0x400b, 0x82})  # gone, not ready yet


if __name__ == '__main__':
    e2e.main()
