# SPDX-License-Identifier: BSD-3-Clause
"""A target that has no descriptor left for more hosts."""
import os
import resource
import socket
import time
import unittest

from served import ServedTest, free_port

FILES = resource.RLIMIT_NOFILE
HOSTS = 40
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


if __name__ == '__main__':
    unittest.main()
