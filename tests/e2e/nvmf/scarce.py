# SPDX-License-Identifier: BSD-3-Clause
"""A target that has no descriptor left for more hosts, no task left for more answers, or few queues
for its disks."""
import array
import copy
import fcntl
import json
import os
import resource
import signal
import socket
import struct
import subprocess
import termios
import threading
import time

import e2e
from nvmetcp import (CMD, HOSTNQN, R2T, SGL_IN_CAPSULE, SGL_TRANSPORT, Closed, Queue, command,
                     fabrics, sgl)
from served import NQN, TARGET, ServedTest, free_port, limit

FILES = resource.RLIMIT_NOFILE
HOSTS = 40
DISCOVERY = 'nqn.2014-08.org.nvmexpress.discovery'
COMPLAINT = 'softfield target: no more connections until others end: '


class Descriptors(ServedTest):
    def setUp(self):
        self.metrics = ('127.0.0.1', free_port())
        self.options = ('--prometheus', '%s:%d' % self.metrics)
        super().setUp()

    def errors_to_file(self):
        """The target again, and where it writes errors; under this process's limits."""
        self.assertEqual(self.target.stop(), 0)
        path = os.path.join(self.temporary.name, 'errors')
        with open(path, 'w', encoding='utf-8') as self.target.errors:
            self.target.start()
        return path

    def complaints(self, path):
        with open(path, encoding='utf-8') as file:
            return [line for line in file if line.startswith(COMPLAINT)]

    def cpu_seconds(self):
        """Of the thread that lets hosts in; the engine's look for work for a while."""
        pid = self.target.process.pid
        with open('/proc/%d/task/%d/stat' % (pid, pid), encoding='ascii') as file:
            user, system = file.read().rsplit(')', 1)[1].split()[11:13]
        return (int(user) + int(system)) / os.sysconf('SC_CLK_TCK')

    def crowd(self, address):
        sock = socket.create_connection(address)
        self.addCleanup(sock.close)
        return sock

    def scrape(self):
        with socket.create_connection(self.metrics, timeout=60) as sock:
            sock.sendall(b'GET / HTTP/1.0\r\n\r\n')
            return b''.join(iter(lambda: sock.recv(65536), b''))

    def test_the_soft_limit_is_raised(self):
        soft, hard = resource.getrlimit(FILES)
        self.addCleanup(resource.setrlimit, FILES, (soft, hard))
        resource.setrlimit(FILES, (HOSTS, hard))
        path = self.errors_to_file()
        resource.setrlimit(FILES, (soft, hard))
        hosts = [self.target.connect() for _ in range(HOSTS)]
        self.assertEqual(hosts[-1].queues[0].read_blocks(0, 1)[0], 0)
        for host in hosts:
            host.close()
        self.assertEqual(self.complaints(path), [])

    def test_hosts_wait_until_others_end(self):
        path = self.errors_to_file()
        good = self.target.connect()
        pid = self.target.process.pid
        count = len(os.listdir('/proc/%d/fd' % pid))
        resource.prlimit(pid, FILES, (count + 4, count + 4))
        crowd = [self.crowd(self.target.address) for _ in range(HOSTS)]
        crowd += [self.crowd(self.metrics) for _ in range(4)]
        deadline = time.monotonic() + 30
        while not self.complaints(path):
            self.assertLess(time.monotonic(), deadline, 'nothing is said')
            self.assertEqual(good.queues[0].read_blocks(0, 1)[0], 0)
        used = self.cpu_seconds()
        time.sleep(1)
        self.assertLess(self.cpu_seconds() - used, 0.25)
        self.assertEqual(good.queues[0].read_blocks(0, 1)[0], 0)
        self.assertEqual(len(self.complaints(path)), 1)
        for sock in crowd:
            sock.close()
        self.target.connect().close()  # there is room again, for few
        self.assertIn(b'200 OK', self.scrape())
        self.assertEqual(good.queues[0].read_blocks(0, 1)[0], 0)
        good.close()


class Readers(ServedTest):
    """Nobody reads what the target says."""

    def test_hosts_are_served_nevertheless(self):
        config = {'subsystems': [{'nqn': NQN, 'namespaces': [
            {'null': True, 'size': '1M'} for _ in range(40)]}]}
        self.target.stop()
        self.target.configure(config)
        self.target.options = ['--config', self.target.config_file]
        self.target.start()
        fcntl.fcntl(self.target.process.stdout, 1031, 4096)  # F_SETPIPE_SZ
        host = self.target.connect()
        for _ in range(6):
            host.admin.submit(command(0x0c, 1))
            config['subsystems'][0]['namespaces'].pop()
            self.assertEqual(host.admin.execute(command(9, 2, 0, None, (0x0b, 0x100)))[0], 0)
            self.target.configure(config)
            self.target.process.send_signal(signal.SIGHUP)
            self.assertEqual(host.admin.completion()[:3], (1, 0, 0x00040002))
            host.admin.admin_read(2, 4096, 0xffffffff, (4 | 1023 << 16,))
        for _ in range(6):  # it has been kept
            self.target.wait_for_lines()
        host.close()


class Busy(ServedTest):
    """Hosts whose commands keep the program at work all the time."""
    config = {'subsystems': [{'nqn': NQN, 'namespaces': [
        {'nsid': 1, 'memory': True, 'size': '1G'}, {'nsid': 2, 'memory': True, 'size': '1M'}]}]}
    ranges = struct.pack('<IIQ', 0, (1 << 30) // 512, 0) * 256

    def work(self, host):
        queue = host.queues[0]
        discard = queue.pdu(CMD, command(9, 1, 1, sgl(SGL_IN_CAPSULE, 4096), (255, 4)),
                            self.ranges)
        try:
            queue.send(discard * 100)
            while True:
                queue.completion()
                queue.send(discard)
        except (Closed, OSError):
            pass

    def test_others_have_their_turn(self):
        config = copy.deepcopy(self.config)
        good = self.target.connect()
        hosts = [self.target.connect(hostnqn=HOSTNQN[:-2] + str(10 + n)) for n in range(4)]
        threads = [threading.Thread(target=self.work, args=(host,)) for host in hosts]
        for thread in threads:
            thread.start()
        time.sleep(1)
        for _ in range(5):
            self.assertEqual(good.admin.execute(command(0x18, 1))[0], 0)
            self.assertEqual(good.queues[0].execute(command(0, 1, 2))[0], 0)
            self.target.connect().close()
        del config['subsystems'][0]['namespaces'][1]
        self.target.reload(config)
        self.assertEqual(self.target.stop(), 0)  # while they go on
        for thread in threads:
            thread.join()
        for host in hosts + [good]:
            host.close()


class Limits(ServedTest):
    def test_the_setting_is_named(self):
        path = os.path.join(self.temporary.name, 'full.json')
        namespaces = [{'null': True, 'size': '1M'}] * 65
        for subsystems, setting in (
                ([{'nqn': NQN, 'namespaces': namespaces}], '64 namespaces are served: '
                 'SOFTFIELD_LIMITS=sta_max_be=NUMBER'),
                ([{'nqn': NQN + str(n)} for n in range(65)],
                 'SOFTFIELD_LIMITS=sta_max_subsys=NUMBER')):
            with open(path, 'w', encoding='utf-8') as file:
                json.dump({'ports': [{'port': free_port()}], 'subsystems': subsystems}, file)
            result = subprocess.run([TARGET, '--config', path], capture_output=True, text=True,
                                    check=False, timeout=60)
            self.assertEqual(result.returncode, 1)
            self.assertIn(setting, result.stderr)


class Queues(ServedTest):
    """A disk with fewer queues than the engine has threads: these share them."""
    options = ('--threads', '3')

    def setUp(self):
        limit(self, 'sta_max_qs_per_be=1')
        super().setUp()

    def test_each_thread_reaches_the_disk(self):
        host = self.target.connect(6)
        for number, queue in enumerate(host.queues):
            data = bytes([number]) * 4096
            self.assertEqual(queue.write_blocks(8 * number, data), 0)
            self.assertEqual(queue.read_blocks(8 * number, 8), (0, 0, data))
        host.close()


class Connections(ServedTest):
    """All that there may be are taken."""
    MOST = 16

    def setUp(self):
        limit(self, 'sta_max_qps=%d' % self.MOST)
        super().setUp()

    def test_strangers_make_room(self):
        first = self.target.connect()
        crowd = [socket.create_connection(self.target.address) for _ in range(3 * self.MOST)]
        for number in range(4):  # each at the first attempt
            host = self.target.connect(hostnqn=HOSTNQN[:-2] + str(10 + number))
            self.assertEqual(host.queues[0].read_blocks(0, 1)[0], 0)
            self.assertEqual(first.queues[0].read_blocks(0, 1)[0], 0)
            host.close()
            crowd += [socket.create_connection(self.target.address) for _ in range(self.MOST)]
        for sock in crowd:
            sock.close()
        first.close()

    def test_those_that_owe_the_data_of_connect_do_too(self):
        sqe = fabrics(1, 1, struct.pack('<HHHBxI', 0, 0, 31, 0, 0), sgl(SGL_TRANSPORT, 1024))
        crowd = [Queue(self.target.address) for _ in range(self.MOST)]
        for queue in crowd:
            queue.initialize()
            queue.submit(sqe)
            self.assertEqual(queue.receive()[0], R2T)
        host = self.target.connect()
        self.assertEqual(host.queues[0].read_blocks(0, 1)[0], 0)
        for queue in crowd + [host]:
            queue.close()

    def test_those_that_look_around_do_too(self):
        first = self.target.connect()
        crowd = [Queue(self.target.address) for _ in range(self.MOST - 2)]
        for queue in crowd:
            queue.initialize()
            self.assertEqual(queue.connect(DISCOVERY)[0], 0)
        for number in range(4):
            host = self.target.connect(hostnqn=HOSTNQN[:-2] + str(10 + number))
            self.assertEqual(host.queues[0].read_blocks(0, 1)[0], 0)
            self.assertEqual(first.queues[0].read_blocks(0, 1)[0], 0)
            crowd.append(host)
        self.assertEqual(crowd[self.MOST - 3].property_get(0x1c)[0], 0)  # the oldest have gone
        for one in crowd + [first]:
            one.close()

    def test_who_has_just_come_does_not_make_room_for_one_more(self):
        """Those who hold the places do, whatever they have said."""
        crowd = [Queue(self.target.address) for _ in range(self.MOST)]
        for queue in crowd:
            queue.initialize()
            self.assertEqual(queue.connect(DISCOVERY)[0], 0)
        host = Queue(self.target.address)
        others = [socket.create_connection(self.target.address) for _ in range(3)]
        host.initialize()
        self.assertEqual(host.connect(NQN)[0], 0)
        self.assertEqual(crowd[-1].property_get(0x1c)[0], 0)  # the youngest of them has not gone
        for one in crowd + others + [host]:
            one.close()

    def test_hosts_do_not(self):
        self.assertEqual(self.target.stop(), 0)
        path = os.path.join(self.temporary.name, 'errors')
        with open(path, 'w', encoding='utf-8') as self.target.errors:
            self.target.start()
        hosts = [self.target.connect(3) for _ in range(self.MOST // 4)]
        for _ in range(100):
            with socket.create_connection(self.target.address) as sock:
                self.assertEqual(sock.recv(1), b'')
        for host in hosts:
            for queue in host.queues:
                self.assertEqual(queue.read_blocks(0, 1)[0], 0)
            host.close()
        with open(path, encoding='utf-8') as file:
            lines = file.readlines()
        self.assertIn('sta_max_qps', lines[0])
        self.assertLess(len(lines), 30)  # not one for each


class Errors(ServedTest):
    """A pipe that nobody reads is soon full of lines about hosts."""

    def test_nobody_has_to_read_them(self):
        self.assertEqual(self.target.stop(), 0)
        reader, self.target.errors = os.pipe()
        self.addCleanup(os.close, reader)
        fcntl.fcntl(reader, 1031, 4096)  # F_SETPIPE_SZ
        self.target.start()
        os.close(self.target.errors)
        good = self.target.connect()
        for _ in range(20):  # that is how many there are in a while
            queue = Queue(self.target.address)
            queue.initialize()
            self.assertEqual(queue.connect(NQN, hostnqn='nqn.2024-01.example:' + 200 * 'h')[0], 0)
            queue.send(bytes(128))
            queue.sock.recv(1)
            queue.close()
        self.assertEqual(good.admin.execute(command(0x18, 1))[0], 0)
        good.close()


class Tasks(ServedTest):
    """Each answer is a task until the host has read it."""
    HOGS = 6

    def setUp(self):
        limit(self, 'sta_max_non_offload_tasks=64,sta_max_qps=8')
        super().setUp()

    def hog(self, number):
        """An admin queue of a host that asks and does not read."""
        queue = Queue(self.target.address)
        self.addCleanup(queue.close)
        queue.sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
        queue.initialize()
        self.assertEqual(queue.connect(NQN, sqsize=127, hostnqn=HOSTNQN[:-2] + str(10 + number))[0],
                         0)
        self.assertEqual(queue.property_set(0x14, 0x460001), 0)
        for cid in range(60):
            queue.submit(command(6, cid, 0, sgl(SGL_TRANSPORT, 131072), (1,)))
        return queue

    def unread(self, queue):
        count = array.array('i', [0])
        fcntl.ioctl(queue.sock, termios.FIONREAD, count)
        return count[0]

    def keep_alive(self, host, times):
        for _ in range(times):
            self.assertEqual(host.admin.execute(command(0x18, 1))[0], 0)

    def test_who_does_not_read_costs_nobody_else(self):
        good = self.target.connect()
        hogs = [self.hog(number) for number in range(self.HOGS)]
        before, now = [], [0]
        while before != now:
            self.keep_alive(good, 200)
            before, now = now, [self.unread(hog) for hog in hogs]
        for hog in hogs:
            for cid in range(60):
                hog.submit(command(0x18, 100 + cid))
        self.keep_alive(good, 200)
        self.assertEqual(good.queues[0].execute(command(0, 1, 1))[0], 0)
        for hog in hogs:
            hog.close()
        good.close()


if __name__ == '__main__':
    e2e.main()
