# SPDX-License-Identifier: BSD-3-Clause
"""A stock Linux host with fio on the disk, in a QEMU guest, while the target is killed and started
again, the host is frozen for longer than it has promised to be heard, and its cable is pulled: no
command fails, and every acknowledged byte is there. The argument is the class to run."""
import os
import tempfile
import time
import unittest

import e2e
from linux_guest import Guest, need_rdma, prepare, run, script
from served import NQN, TARGET, Target

KILLS = 3
SIZE = 64 << 20
SILENT = 'keep alive timer expired'

setUpModule = prepare


class Faults(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = temporary.name

    def check(self, output):
        self.assertEqual(output.count('ok kill'), KILLS)
        self.assertIn('ok cable', output)
        self.assertIn('ok flushed data', output)


class Rdma(Faults):
    def test_R15_a_host_goes_on(self):
        need_rdma()
        with open(os.path.join(self.folder, 'disk.img'), 'wb') as file:
            file.truncate(SIZE)
        where = ['10.0.2.15', '4420', NQN]
        self.check(run(self, self.folder, script('with-rxe.sh'), script('with-target.sh'),
                       os.path.abspath(TARGET), *where, script('faults.sh'), 'rdma', *where,
                       str(KILLS)))


class Tcp(Faults):
    def setUp(self):
        super().setUp()
        self.log = open(os.path.join(self.folder, 'target.err'), 'w+', encoding='utf-8')
        self.addCleanup(self.log.close)
        self.target = Target(self.folder, errors=self.log)
        self.addCleanup(self.target.abandon)

    def kill(self):
        self.target.kill()
        self.target.start()

    def silent_hosts(self):
        with open(self.log.name, encoding='utf-8') as log:
            return log.read().count(SILENT)

    def freeze(self, guest):
        """Until the target has given the host up."""
        before, deadline = self.silent_hosts(), time.monotonic() + e2e.PATIENCE_S
        guest.freeze()
        try:
            while self.silent_hosts() == before:
                self.assertIsNone(self.target.process.poll())
                self.assertLess(time.monotonic(), deadline)
                time.sleep(0.1)
        finally:
            guest.thaw()  # else it could not be ended

    def test_a_host_goes_on(self):
        guest = Guest(self, self.folder, script('faults.sh'), 'tcp', '10.0.2.2',
                      str(self.target.port), NQN, str(KILLS))
        for _ in range(KILLS):
            guest.expect('now kill')
            self.kill()
        guest.expect('now freeze')
        self.freeze(guest)
        guest.expect('ok freeze')
        guest.expect('now kill')
        self.kill()
        self.check(guest.finish())
        self.assertEqual(self.target.stop(), 0)


if __name__ == '__main__':
    e2e.main()
