# SPDX-License-Identifier: BSD-3-Clause
"""One server and 2,000 clients, in processes that start with the usual 1024 descriptors."""
import resource

import e2e

CLIENTS, PROCESSES = 2000, 4
PER_CLIENT = 6  # descriptors, on each side
ENV = {'SOFTFIELD_LIMITS': 'comch_max_clients=4000'}


class Scale(e2e.Test):
    def setUp(self):
        super().setUp()
        hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
        if hard != resource.RLIM_INFINITY and hard < CLIENTS * PER_CLIENT:
            self.skipTest('the hard limit is %d descriptors; needed: %d (ulimit -Hn)' %
                          (hard, CLIENTS * PER_CLIENT))
        resource.setrlimit(resource.RLIMIT_NOFILE, (1024, hard))

    def crowds(self, count):
        each = str(count // PROCESSES)
        return [e2e.Process(self, [e2e.program('crowd'), self.name, each], ENV)
                for _ in range(PROCESSES)]

    @staticmethod
    def tell(crowds, command, pattern):
        for crowd in crowds:
            crowd.popen.stdin.write(command.encode() + b'\n')
            crowd.popen.stdin.flush()
        for crowd in crowds:
            crowd.expect(pattern)

    def test_thousands_of_clients(self):
        server = self.server('--echo', env=ENV)
        self.client(env=ENV).quit()
        server.expect('^disconnect 0$')
        before = server.resources()
        crowds = self.crowds(CLIENTS)
        each = CLIENTS // PROCESSES
        self.tell(crowds, 'start', '^answered %d$' % each)
        self.assertEqual(len(self.check_connections(server)), CLIENTS)
        # A few talk, the others are idle.
        self.tell(crowds, 'talk 10', '^answered %d$' % (each + 10))
        self.tell(crowds, 'talk %d' % each, '^answered %d$' % (2 * each + 10))
        self.tell(crowds, 'stop', '^stopped %d$' % each)
        for crowd in crowds:
            crowd.popen.stdin.close()
            self.assertEqual(crowd.wait(), 0, crowd.log())
        while self.check_connections(server):
            server.expect('^disconnect')
        self.assertEqual(server.resources()[:2], before[:2])
        server.quit()

    def test_server_that_goes_first(self):
        server = self.server('--echo', env=ENV)
        crowds = self.crowds(400)
        self.tell(crowds, 'start', '^answered 100$')
        server.command('stop')
        server.await_state('IDLE')
        self.assertEqual(self.check_connections(server), set())
        server.quit()
        for crowd in crowds:
            crowd.kill()

    def test_more_clients_than_places(self):
        limit = {'SOFTFIELD_LIMITS': 'comch_max_clients=3'}
        server = self.server(env=limit)
        clients = [self.client(env=limit) for _ in range(3)]
        late = self.refused_client(env=limit)
        self.assertIn('all 3 places are taken', late.log())
        self.assertEqual(len(self.check_connections(server)), 3)
        clients.pop().quit()
        server.expect('^disconnect 2$')
        self.client(env=limit).quit()
        server.quit()


if __name__ == '__main__':
    e2e.main()
