# SPDX-License-Identifier: BSD-3-Clause
"""Programs that fork, and what their children keep open."""
import unittest

import e2e


class Forks(e2e.Test):
    def forks(self, what):
        return e2e.Process(self, [e2e.program('forks'), what, self.name])

    def run_against_server(self, what, connections):
        server = self.server('--echo')
        forks = self.forks(what)
        self.assertEqual(forks.wait(), 0, forks.log())
        for _ in range(connections):
            server.expect('^disconnect')
        server.command('stop')
        server.await_state('IDLE')
        self.assertEqual(self.check_connections(server), set())
        server.quit()
        self.check_nothing_left()

    def test_engine(self):
        self.run_against_server('engine', 2)

    def test_devices(self):
        self.run_against_server('devices', 4)

    def test_connection(self):
        self.run_against_server('connection', 1)

    def test_client_whose_child_lives_on(self):
        """The child holds the socket open; the server notices the death all the same."""
        server = self.server('--echo')
        forks = self.forks('orphan')
        server.expect('^connect 0$')
        server.expect('^disconnect 0$')
        forks.popen.stdin.close()
        server.quit()

    def outlived_server(self, what):
        """A server that has died and whose child lives on; its client has noticed."""
        client = e2e.Peer(self, 'client', self.name, '--start',
                          env={'SOFTFIELD_CONNECT_WAIT': '3600s'})
        forks = self.forks(what)
        client.expect('^state RUNNING STOPPING$')
        client.expect('^state STOPPING IDLE$')
        client.quit()
        forks.popen.wait()
        return forks

    def test_server_whose_child_lives_on(self):
        """The name is free, though the child lives."""
        forks = self.outlived_server('listener')
        self.refused_client()
        server = self.server('--echo')
        self.client().quit()
        server.expect('^disconnect 0$')
        server.quit()
        forks.popen.stdin.close()
        forks.wait()

    @unittest.skipUnless(e2e.may_open_pidfds(), 'no pidfd_open()')
    def test_server_whose_unnoticed_child_lives_on(self):
        """The child holds the socket; a client does not wait for an answer from it."""
        forks = self.outlived_server('unnoticed')
        self.refused_client()
        forks.popen.stdin.close()
        forks.wait()
        self.server().quit()


if __name__ == '__main__':
    e2e.main()
