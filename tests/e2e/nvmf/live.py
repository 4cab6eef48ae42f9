# SPDX-License-Identifier: BSD-3-Clause
"""A stock Linux host that is connected through two ports, with fio on the disk, in a QEMU guest,
while the target is reconfigured: paths become inaccessible, namespaces are added, grow and go away.
No command fails."""
import os
import tempfile
import unittest

import e2e
from linux_guest import Guest, prepare, script
from served import NQN, Target, free_port

setUpModule = prepare


class Live(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = temporary.name
        self.second = os.path.join(self.folder, 'second.img')
        with open(self.second, 'wb') as file:
            file.truncate(16 << 20)
        self.namespaces = [{'nsid': 1, 'memory': True, 'size': '64M'}]
        self.config = {
            'subsystems': [{'nqn': NQN, 'ana': True, 'namespaces': self.namespaces}],
            'ports': [{'address': '127.0.0.1', 'port': free_port()} for _ in range(2)]}
        self.target = Target(self.folder, self.config)
        self.addCleanup(self.target.abandon)

    def states(self, *states):
        for port, state in zip(self.config['ports'], states):
            port['ana'] = {'1': state}

    def change(self, what):
        if what == 'first-inaccessible':
            self.states('inaccessible', 'optimized')
        elif what == 'second-inaccessible':
            self.states('optimized', 'inaccessible')
        elif what == 'both-optimized':
            self.states('optimized', 'optimized')
        elif what == 'add':
            self.namespaces.append({'nsid': 2, 'file': self.second})
        elif what == 'grow':
            os.truncate(self.second, 32 << 20)
        elif what == 'remove':
            self.namespaces.pop()
        self.target.reload(self.config)

    def test_H3_N13_reconfiguration(self):
        ports = [str(port['port']) for port in self.config['ports']]
        guest = Guest(self, self.folder, script('live.sh'), '10.0.2.2', *ports, NQN)
        for what in ('first-inaccessible', 'second-inaccessible', 'both-optimized', 'add', 'grow',
                     'remove'):
            guest.expect('now ' + what)
            self.change(what)
        self.assertIn('ok end', guest.finish())
        self.assertEqual(self.target.stop(), 0)


class Replace(unittest.TestCase):
    """Another disk gets the place of one that a host is writing to: none of it arrives there."""
    rounds = 4

    def test_N13_another_disk(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        disks = [os.path.join(temporary.name, 'disk%d' % i) for i in range(self.rounds + 1)]
        for path in disks:
            with open(path, 'wb') as file:
                file.write(b'b' * (32 << 20))
        config = {'subsystems': [{'nqn': NQN, 'namespaces': [{'nsid': 1, 'file': disks[0]}]}],
                  'ports': [{'address': '127.0.0.1', 'port': free_port()}]}
        target = Target(temporary.name, config)
        self.addCleanup(target.abandon)
        guest = Guest(self, temporary.name, script('replace.sh'), '10.0.2.2',
                      str(config['ports'][0]['port']), NQN, str(self.rounds))
        for i in range(1, self.rounds + 1):
            guest.expect('now replace %d' % i)
            config['subsystems'][0]['namespaces'][0]['file'] = disks[i]
            target.reload(config)
            guest.expect('ok written %d' % i)
            with open(disks[i], 'rb') as file:
                self.assertEqual(file.read().count(0), 0)
        self.assertIn('ok end', guest.finish())
        self.assertEqual(target.stop(), 0)


if __name__ == '__main__':
    e2e.main()
