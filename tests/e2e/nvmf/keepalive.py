# SPDX-License-Identifier: BSD-3-Clause
"""Many hosts that have promised to be heard. Those that fall silent lose every connection, and only
they: the others are served before, meanwhile and after."""
import os
import select
import time

import e2e
from nvmetcp import HOSTNQN, Closed, command
from served import ServedTest

HOSTS, QUEUES = 64, 2
KATO_MS = 2000
PACE_MS = 200  # how often the others are heard: ten times as often as promised
KEEP_ALIVE = 0x18


class KeepAlive(ServedTest):
    def setUp(self):
        super().setUp()
        self.hosts = []
        for number in range(HOSTS):
            # some have promised nothing, and may be silent
            self.hosts.append(self.target.connect(QUEUES, kato=0 if number % 8 == 7 else KATO_MS,
                                                  hostnqn=self.name(number)))
            self.keep_alive(self.hosts)
        self.silent = self.hosts[::3]
        self.heard = [host for host in self.hosts if host not in self.silent]

    def tearDown(self):
        for host in self.hosts:
            host.close()
        super().tearDown()

    @staticmethod
    def name(number):
        return HOSTNQN[:-2] + '%02x' % number

    def keep_alive(self, hosts):
        for host in hosts:
            self.assertEqual(host.admin.execute(command(KEEP_ALIVE, host.admin.next_cid()))[0], 0)

    def work(self, hosts):
        for host in hosts:
            number = self.hosts.index(host)
            data = os.urandom(4096)
            for queue in host.queues:
                self.assertEqual(queue.write_blocks(64 + number * 8, data), 0)
            self.assertEqual(host.queues[0].read_blocks(64 + number * 8, 8)[2], data)
            if number % 8 == 0:  # whatever time it takes
                self.keep_alive(self.heard)

    def wait_for_their_end(self, hosts):
        """Returns how many connections have ended, while the others keep their promise."""
        queues = {queue.sock.fileno(): queue for host in hosts
                  for queue in [host.admin] + host.queues}
        ended, poll, deadline = 0, select.poll(), time.monotonic() + e2e.PATIENCE_S
        for descriptor in queues:
            poll.register(descriptor, select.POLLIN)
        while queues and time.monotonic() < deadline:
            for descriptor, _ in poll.poll(PACE_MS):
                with self.assertRaises(Closed):
                    queues[descriptor].receive()
                poll.unregister(descriptor)
                del queues[descriptor]
                ended += 1
            self.keep_alive(self.heard)
        return ended

    def test_K2_K3_only_silent_hosts_are_dropped(self):
        promised = [host for host in self.silent if self.hosts.index(host) % 8 != 7]
        self.work(self.heard)
        self.assertEqual(self.wait_for_their_end(promised), len(promised) * (1 + QUEUES))
        self.work([host for host in self.hosts if host not in promised])
        for host in promised:  # they may come back
            number = self.hosts.index(host)
            host.close()
            self.hosts[number] = self.target.connect(QUEUES, hostnqn=self.name(number))
            self.keep_alive(self.heard)
        self.work(self.hosts)


if __name__ == '__main__':
    e2e.main()
