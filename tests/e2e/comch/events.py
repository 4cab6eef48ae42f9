# SPDX-License-Identifier: BSD-3-Clause
"""Both sides sleep in epoll on the handle of their progress engine: everything wakes them, and
nothing else does."""
import time

import e2e

ROUNDS = 500
REST_S = 1.0
CPU_SHARE = 0.2  # of one CPU; an endless loop takes all of it
SLEEPS = 20  # wake-ups of a rest in which nothing happens, besides the one that asks


class Events(e2e.Test):
    """Each expectation would hang if the side that is to wake were not woken: it has no time-out
    of its own."""

    def usage(self, peer):
        match = peer.ask('usage', r'^usage cpu_us (\d+) sleeps (\d+)$')
        return int(match[1]) / 1e6, int(match[2])

    def check_rests(self, *peers):
        """Nobody works while nothing happens. The time passes for the peers, not for this test."""
        before = [self.usage(peer) for peer in peers]
        time.sleep(REST_S)
        for peer, (cpu_s, sleeps) in zip(peers, before):
            now_cpu_s, now_sleeps = self.usage(peer)
            self.assertLess(now_cpu_s - cpu_s, CPU_SHARE * REST_S, peer.title)
            self.assertLess(now_sleeps - sleeps, SLEEPS, peer.title)

    def test_messages(self):
        server = self.server()
        client = self.client()
        for i in range(ROUNDS):
            client.command('send 0 ping%d' % i)
            server.expect(r'^message 0 \d+ ping%d$' % i)
            client.expect('^sent$')
            server.command('send 0 pong%d' % i)
            client.expect(r'^message 0 \d+ pong%d$' % i)
            server.expect('^sent$')
        client.quit()
        server.quit()

    def chat(self, *options):
        """Without anybody from outside between question and answer."""
        server = self.server('--echo', *options)
        clients = [e2e.Peer(self, 'client', self.name, '--chat', str(seed), '--again', '--start',
                            *options) for seed in range(4)]
        for client in clients:
            for _ in range(ROUNDS // 10):
                client.expect('^state STOPPING IDLE$')
        for client in clients:
            client.quit()
            self.check_states(client, 'client')
        while self.check_connections(server):
            server.expect('^disconnect')
        server.quit()
        return clients

    def test_chat(self):
        self.chat()

    def test_chat_on_fast_path(self):
        for client in self.chat('--fast'):
            streams = [int(line.split()[1]) for line in client.lines if line.startswith('stream')]
            self.assertGreater(sum(streams), ROUNDS // 10, client.lines)

    def test_one_side_polls(self):
        for server_polls in (False, True):
            server = self.server('--echo', *['--poll'] * server_polls)
            client = self.client(*['--poll'] * (not server_polls))
            for i in range(20):
                client.command('send 0 ping%d' % i)
                client.expect('^message .*ping%d$' % i)
            client.quit()
            server.expect('^disconnect 0$')
            server.quit()

    def test_connect_and_stop_of_client(self):
        server = self.server()
        client = self.client()
        server.expect('^connect 0$')
        client.command('stop')
        client.expect('^state RUNNING STOPPING$')
        client.expect('^state STOPPING IDLE$')
        server.expect('^disconnect 0$')
        client.command('start')
        client.expect('^state STARTING RUNNING$')
        server.expect('^connect 1$')
        client.quit()
        server.expect('^disconnect 1$')
        server.quit()

    def test_client_that_waits_for_its_server(self):
        client = e2e.Peer(self, 'client', self.name, '--start',
                          env={'SOFTFIELD_CONNECT_WAIT': '3600s'})
        client.expect('^state IDLE STARTING$')
        server = self.server()
        client.expect('^state STARTING RUNNING$')
        server.expect('^connect 0$')
        client.quit()
        server.quit()

    def test_client_that_does_not_wait(self):
        client = e2e.Peer(self, 'client', self.name, '--start')
        client.expect('^state STARTING IDLE$')
        self.assertIn('no server "%s"' % self.name, client.log())
        client.quit()

    def test_client_that_stops_waiting(self):
        client = e2e.Peer(self, 'client', self.name, '--start',
                          env={'SOFTFIELD_CONNECT_WAIT': '3600s'})
        client.expect('^state IDLE STARTING$')
        client.command('stop')
        client.expect('^state STARTING (STOPPING|IDLE)$')
        client.await_state('IDLE')
        client.quit()

    def test_disconnect_by_server(self):
        server = self.server()
        client = self.client()
        server.expect('^connect 0$')
        server.command('disconnect 0')
        server.expect('^disconnect 0$')
        client.expect('^state RUNNING STOPPING$')
        client.expect('^state STOPPING IDLE$')
        client.quit()
        server.quit()

    def test_stop_of_server(self):
        server = self.server()
        clients = [self.client() for _ in range(3)]
        server.expect('^connect 2$')
        server.command('stop')
        server.expect('^state RUNNING STOPPING$')
        server.expect('^state STOPPING IDLE$')
        self.assertEqual(self.check_connections(server), set())
        for client in clients:
            client.expect('^state RUNNING STOPPING$')
            client.expect('^state STOPPING IDLE$')
            client.quit()
        self.assertEqual(server.drain().count('disconnect 0'), 1)
        server.quit()

    def test_death_of_client(self):
        server = self.server()
        self.client().kill()
        server.expect('^connect 0$')
        server.expect('^disconnect 0$')
        server.quit()

    def test_death_of_server(self):
        server = self.server()
        client = self.client()
        server.kill()
        client.expect('^state RUNNING STOPPING$')
        client.expect('^state STOPPING IDLE$')
        client.quit()

    def test_idle_pair(self):
        server = self.server('--echo')
        client = self.client()
        client.command('send 0 hello')
        client.expect('^message 0 5 hello$')
        self.check_rests(server, client)
        client.command('send 0 again')
        client.expect('^message 0 5 again$')
        client.quit()
        server.expect('^disconnect 0$')
        self.check_rests(server)
        server.quit()


if __name__ == '__main__':
    e2e.main()
