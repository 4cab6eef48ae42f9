# SPDX-License-Identifier: BSD-3-Clause
"""Hosts that come and go by the thousand, and many that stay: memory and descriptors of the target
do not grow, and a host that is connected works on beside them. Prints what it has measured.

STORM_CONNECTS says how many connections are made: a minute at 1,000 a second unless built with a
sanitizer."""
import os
import socket
import struct
import time

import e2e
from nvmetcp import CMD, HOSTNQN, ICREQ, SGL_IN_CAPSULE, fabrics, header, sgl
from served import NQN, ServedTest

CONNECTS = int(os.environ.get('STORM_CONNECTS', 2000 if e2e.SANITIZED else 60000))
AT_ONCE, PEAK = 20, 200
HOSTS, QUEUES = 64, 2
GROWTH_KIB = 1024
ROUNDS, STEADY = 100, 5
RESET = struct.pack('ii', 1, 0)


def whole_connect():
    """The bytes of a host up to and including Connect; 152 come back."""
    data = (bytes(16) + struct.pack('<H', 0xffff) + bytes(238) + NQN.encode().ljust(256, b'\0') +
            HOSTNQN.encode().ljust(512, b'\0'))
    sqe = fabrics(1, 1, struct.pack('<HHHBxI', 0, 0, 31, 0, 0), sgl(SGL_IN_CAPSULE, len(data)))
    icreq = header(ICREQ, 0, 128, 0, 128) + bytes(120)
    return icreq + header(CMD, 0, 72, 72, 72 + len(data)) + sqe + data


class Storm(ServedTest):
    def setUp(self):
        super().setUp()
        self.good = self.target.connect()
        for _ in range(10):
            self.work()
        self.wait_until_asleep()  # what is opened once is open, also what a sleep needs

    def tearDown(self):
        self.good.close()
        super().tearDown()

    def work(self):
        """One that keeps to the protocol is served meanwhile."""
        data = os.urandom(4096)
        self.assertEqual(self.good.queues[0].write_blocks(8, data, in_capsule=True), 0)
        self.assertEqual(self.good.queues[0].read_blocks(8, 8)[::2], (0, data))

    def wait_until_asleep(self):
        """All threads of the target."""
        tasks = '/proc/%d/task' % self.target.process.pid
        deadline = time.monotonic() + e2e.PATIENCE_S
        while True:
            states = []
            for task in os.listdir(tasks):
                try:
                    with open('%s/%s/stat' % (tasks, task), encoding='ascii') as stat:
                        states.append(stat.read().rpartition(') ')[2][0])
                except (FileNotFoundError, ProcessLookupError):
                    pass  # a worker of io_uring that has ended
            if set(states) == {'S'}:
                return
            self.assertLess(time.monotonic(), deadline, states)

    def memory_kib(self):
        """Of its own, counted by the page: totals in /proc may lag behind."""
        with open('/proc/%d/smaps_rollup' % self.target.process.pid, encoding='ascii') as rollup:
            return int(next(line for line in rollup if line.startswith('Anonymous')).split()[1])

    def descriptors(self):
        return len(os.listdir('/proc/%d/fd' % self.target.process.pid))

    def settle(self, descriptors):
        """Until the target has closed what its hosts have."""
        deadline = time.monotonic() + e2e.PATIENCE_S
        while self.descriptors() > descriptors and time.monotonic() < deadline:
            self.work()
        self.assertEqual(self.descriptors(), descriptors)

    def read_answer(self, sock):
        answer = b''
        while len(answer) < 152:
            part = sock.recv(152 - len(answer))
            self.assertTrue(part, 'closed')
            answer += part
        self.assertEqual((answer[128], answer[150:]), (5, b'\0\0'))

    def come_and_go(self, count, request, at_once=AT_ONCE):
        """Every other host resets its connection."""
        for first in range(0, count, at_once):
            socks = [socket.create_connection(self.target.address, 60,
                                              ('127.0.0.%d' % (2 + first // at_once % 200), 0))
                     for _ in range(at_once)]
            for sock in socks:
                sock.sendall(request)
            for number, sock in enumerate(socks):
                self.read_answer(sock)
                if number & 1:
                    sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
                sock.close()
            if first % 1000 == 0:
                self.work()

    def test_connects_and_disconnects(self):
        request, idle = whole_connect(), self.descriptors()
        self.come_and_go(PEAK, request, PEAK)  # memory of connections is kept for the next ones
        self.settle(idle)
        before, start = self.memory_kib(), time.monotonic()
        self.come_and_go(CONNECTS, request)
        seconds = time.monotonic() - start
        self.settle(idle)
        after = self.memory_kib()
        print('%d connects in %.1f s: %.0f a second; %d descriptors before and after; '
              '%d KiB before, %d after' % (CONNECTS, seconds, CONNECTS / seconds, idle, before,
                                           after))
        if not e2e.SANITIZED:  # sanitizers keep freed memory
            self.assertLess(after - before, GROWTH_KIB)

    def serve_many(self):
        """64 hosts write and read."""
        hosts = [self.target.connect(QUEUES, hostnqn=HOSTNQN[:-2] + '%02x' % n)
                 for n in range(HOSTS)]
        for number, host in enumerate(hosts):
            for queue in host.queues:
                data = bytes([number]) * 4096
                self.assertEqual(queue.write_blocks(64 + number * 8, data), 0)
        for number, host in enumerate(hosts):
            self.assertEqual(host.queues[0].read_blocks(64 + number * 8, 8)[2],
                             bytes([number]) * 4096)
        for host in hosts:
            host.close()

    def test_sixty_four_hosts_again_and_again(self):
        """Each time other parts of the memory that is kept are touched, until all have been."""
        idle, used = self.descriptors(), [self.memory_kib()]
        rounds = STEADY if e2e.SANITIZED else ROUNDS  # sanitizers keep freed memory
        while len(used) < STEADY or (len(used) <= rounds and len(set(used[-STEADY:])) > 1):
            self.serve_many()
            self.settle(idle)
            used.append(self.memory_kib())
        print('%d hosts of %d queues, KiB before and after each time: %s' %
              (HOSTS, QUEUES + 1, ' '.join(map(str, used))))
        if not e2e.SANITIZED:
            self.assertEqual(len(set(used[-STEADY:])), 1)


if __name__ == '__main__':
    e2e.main()
