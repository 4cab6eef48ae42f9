# SPDX-License-Identifier: BSD-3-Clause
"""A short conversation of two programs under valgrind: no errors, no leaks.

usage: memcheck.py SUPPRESSIONS
"""
import shutil
import sys
import unittest

import e2e

SUPPRESSIONS = sys.argv.pop(1)
LEAKS = 'definite,indirect,possible'  # the topology stays reachable till the end
VALGRIND = ('valgrind', '--quiet', '--error-exitcode=99', '--leak-check=full',
            '--show-leak-kinds=' + LEAKS, '--errors-for-leak-kinds=' + LEAKS,
            '--suppressions=' + SUPPRESSIONS)


@unittest.skipUnless(shutil.which('valgrind'), 'no valgrind; Debian packages: valgrind libc6-dbg')
@unittest.skipIf(e2e.SANITIZED, 'valgrind does not run sanitized programs')
class Memcheck(e2e.Test):
    def test_pair(self):
        server = self.server('--echo', prefix=VALGRIND)
        client = self.client(prefix=VALGRIND)
        client.command('send 0 hello')
        client.expect('^message 0 5 hello$')
        client.command('stop')
        client.await_state('IDLE')
        client.command('start')
        client.expect('^state STARTING RUNNING$')
        server.command('stop')
        client.await_state('IDLE')
        client.quit()
        server.quit()

    def test_chat_and_death(self):
        server = self.server('--echo', prefix=VALGRIND)
        chat = self.client('--chat', '1', '--again', prefix=VALGRIND)
        for _ in range(5):
            chat.expect('^state STOPPING IDLE$')
        doomed = self.client('--chat', '2', '--again')
        doomed.expect('^state STOPPING IDLE$')
        doomed.kill()
        chat.quit()
        while self.check_connections(server):
            server.expect('^disconnect')
        server.quit()

    def test_fast_path(self):
        server = self.server('--echo', '--fast', prefix=VALGRIND)
        chat = self.client('--chat', '3', '--fast', '--again', prefix=VALGRIND)
        for _ in range(3):
            chat.expect('^state STOPPING IDLE$')
        chat.quit()
        while self.check_connections(server):
            server.expect('^disconnect')
        server.quit()

    def test_refused(self):
        client = e2e.Peer(self, 'client', self.name, '--start', prefix=VALGRIND)
        client.expect('^state STARTING IDLE$')
        client.quit()


if __name__ == '__main__':
    e2e.main()
