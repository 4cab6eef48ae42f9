# SPDX-License-Identifier: BSD-3-Clause
"""kill -9 of either side at any moment.

The survivor lives through all rounds. Each round starts a victim that connects, talks, stops and
starts again for ever, and kills it: at its N-th system call, or after some microseconds. Then the
survivor must have noticed, gone through its states as documented, hold what it held before, and
find the name free at once.

usage: kill.py [--rounds N] [--seed N]
"""
import argparse
import random
import secrets
import sys
import time

import e2e

CALLS = 700  # a victim does so much in a few rounds of its life
MICROSECONDS = 20000
HEAP_SLACK = 256 << 10  # what an allocator may keep
ROUNDS, SEED = 50, 0


class Kill(e2e.Test):
    may_trace = True

    def setUp(self):
        super().setUp()
        self.random = random.Random('%d %s' % (SEED, self._testMethodName))
        self.rounds = max(1, ROUNDS // 6)
        self.slowest = 0
        self.env = {}
        self.fast = []

    def in_runtime_dir(self):
        self.env = {'SOFTFIELD_RUNTIME_DIR': self.temp_dir()}

    def strike(self, side):
        """Starts a victim, kills it, returns when that was."""
        seed = str(self.random.randrange(1 << 31))
        if self.random.random() < 0.5 and Kill.may_trace:
            how = ['call', str(self.random.randrange(1, CALLS))]
        else:
            how = ['us', str(self.random.randrange(MICROSECONDS * (10 if e2e.SANITIZED else 1)))]
        talk = ['--chat', seed] if side == 'client' else ['--echo', '--cycle', '5']
        command = [e2e.program('strike'), *how, e2e.program('peer'), side, self.name, *talk,
                   *self.fast, '--again', '--start']
        # A traced program cannot look for its leaks.
        victim = e2e.Process(self, command, dict(self.env, ASAN_OPTIONS='detect_leaks=0'),
                             title='victim (%s)' % ' '.join(how))
        status = victim.wait()
        if status == 77:
            print('this machine does not let a process trace its child: killing by time only')
            Kill.may_trace = False
            return self.strike(side)
        if status:
            victim.fail('was not killed: status %d' % status)
        return time.monotonic()

    def learned(self, since):
        self.slowest = max(self.slowest, time.monotonic() - since)

    def await_resources(self, peer, wanted):
        """Until the peer holds as many descriptors and mappings as before."""
        deadline = time.monotonic() + e2e.PATIENCE_S
        while True:
            held = peer.resources()
            if held[:2] == wanted[:2]:
                break
            if time.monotonic() > deadline:
                peer.fail('holds %s, before it held %s' % (held, wanted))
        if not e2e.SANITIZED and held[2] > wanted[2] + HEAP_SLACK:
            peer.fail('its heap has grown from %d to %d bytes' % (wanted[2], held[2]))

    def finish(self, connections):
        self.check_nothing_left(self.env.get('SOFTFIELD_RUNTIME_DIR'))
        print('%d rounds, %d connections, noticed after %.1f ms at most' %
              (self.rounds, connections, self.slowest * 1000))

    def clients_die(self):
        server = self.server('--echo', *self.fast, env=self.env)
        warm_up = self.client('--chat', '1', *self.fast, env=self.env)
        warm_up.expect('^state STOPPING IDLE$')
        warm_up.quit()
        server.expect('^disconnect 0$')
        before = server.resources()
        for _ in range(self.rounds):
            killed = self.strike('client')
            self.await_resources(server, before)
            self.learned(killed)
        self.client(env=self.env).quit()
        self.await_resources(server, before)
        server.command('stop')
        server.await_state('IDLE')
        self.assertEqual(self.check_connections(server), set(), 'disconnect events missing')
        self.check_states(server, 'server')
        server.quit()
        self.finish(sum(line.startswith('connect ') for line in server.lines))

    def servers_die(self):
        client = e2e.Peer(self, 'client', self.name, '--chat', '1', *self.fast,
                          env=dict(self.env, SOFTFIELD_CONNECT_WAIT='3600s'))
        client.expect('^open$')
        before = None
        for _ in range(self.rounds + 1):
            client.command('again')
            client.command('start')
            if before:
                killed = self.strike('server')
            # The name is free at once, and the client comes over by itself.
            heir = self.server('--echo', *self.fast, env=self.env)
            heir.expect('^connect 0$')
            if before:
                self.learned(killed)
            client.command('rest')
            client.await_start()  # or it waits for a server after this one
            if not self.fast:
                heir.command('stop')
                heir.await_state('IDLE')
            client.await_state('IDLE')
            if before:
                self.await_resources(client, before)
            before = before or client.resources()
            heir.quit()
            self.assertEqual(self.check_connections(heir), set(), 'disconnect events missing')
        states = self.check_states(client, 'client')
        client.quit()
        self.finish(states.count(('STARTING', 'RUNNING')))

    def test_client_dies(self):
        self.clients_die()

    def test_client_dies_in_runtime_dir(self):
        self.in_runtime_dir()
        self.clients_die()

    def test_client_dies_on_fast_path(self):
        self.fast = ['--fast']
        self.clients_die()

    def test_server_dies_on_fast_path(self):
        self.fast = ['--fast']
        self.servers_die()

    def test_server_dies(self):
        self.servers_die()

    def test_server_dies_in_runtime_dir(self):
        self.in_runtime_dir()
        self.servers_die()

    def test_lone_servers_die_in_runtime_dir(self):
        """Nobody is there when they die; whoever comes by, for whatever name, removes the files."""
        self.in_runtime_dir()
        for _ in range(self.rounds):
            for i in range(3):
                lone = e2e.Peer(self, 'server', '%s-%d' % (self.name, i), '--start', env=self.env)
                lone.expect('^state IDLE RUNNING$')
                lone.kill()
            self.refused_client(env=self.env)
            self.check_nothing_left(self.env['SOFTFIELD_RUNTIME_DIR'])


if __name__ == '__main__':
    parser = argparse.ArgumentParser(description=__doc__.split('\n', maxsplit=1)[0])
    parser.add_argument('--rounds', type=int, default=ROUNDS)
    parser.add_argument('--seed', type=int, default=secrets.randbelow(1 << 31))
    options, sys.argv[1:] = parser.parse_known_args()
    ROUNDS, SEED = options.rounds, options.seed
    print('to repeat: --rounds %d --seed %d' % (ROUNDS, SEED), flush=True)
    e2e.main()
