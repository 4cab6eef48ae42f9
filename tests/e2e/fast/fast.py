# SPDX-License-Identifier: BSD-3-Clause
"""Messages of every size between two processes, both ways at once, every byte checked.

usage: fast.py [--seed N] [--scale N] [--minutes N] [--gigabyte]

--scale N    so many times as many messages
--minutes N  a soak: again and again, with other seeds, until the time is over or something fails
--gigabyte   messages of up to 1 GiB too (needs some 8 GiB of memory)
"""
import argparse
import json
import os
import random
import secrets
import subprocess
import sys
import time

import e2e

SEED, SCALE, GIGABYTE = 0, 1, False
COPY = {'SOFTFIELD_REGION': 'copy'}
MB = 1 << 20


class Fast(e2e.Test):
    def setUp(self):
        super().setUp()
        self.random = random.Random('%d %s' % (SEED, self._testMethodName))

    def side(self, side, options, env=None, may_fail=False, prefix=()):
        command = [*prefix, e2e.program('move'), side, self.name]
        for option, value in options.items():
            command += ['--' + option] if value is True else ['--' + option, str(value)]
        command += ['--seed', str(self.random.randrange(1 << 31))]
        process = e2e.Process(self, command, env, title=' '.join(command[1:]), may_fail=may_fail)
        if side == 'server':
            process.expect('^listening$')
        return process

    def move(self, server_env=None, client_env=None, server_prefix=(), client_prefix=(),
             **options):
        server = self.side('server', options, server_env, prefix=server_prefix)
        client = self.side('client', options, client_env, prefix=client_prefix)
        for process in (client, server):
            process.expect('^moved: ')
            self.assertEqual(process.wait(), 0, process.title)

    def test_small(self):
        self.move(max=64, messages=20000 * SCALE, window=32, consumers=2, producers=2)

    def test_pages(self):
        self.move(max=10000, messages=3000 * SCALE, window=16, consumers=2, producers=2)

    def test_megabytes(self):
        self.move(min=100000, max=4 * MB, messages=20 * SCALE, window=4, consumers=2, producers=2)

    def test_large(self):
        self.move(min=8 * MB, max=64 * MB, messages=2 * SCALE, window=1)

    def test_gigabyte(self):
        if not GIGABYTE:
            self.skipTest('only with --gigabyte')
        self.move(min=1 << 30, max=1 << 30, messages=2 * SCALE, window=1)

    def test_all_to_all(self):
        self.move(max=100000, messages=500 * SCALE, window=8, consumers=8, producers=8,
                  restart=100)

    def test_sleeping(self):
        self.move(max=5000, messages=1000 * SCALE, window=4, consumers=4, producers=4,
                  restart=50, sleep=True)

    def test_without_membarrier(self):
        """Neither side, or only one, can use heavy barriers."""
        without = [os.environ['E2E_WITHOUT_MEMBARRIER']]
        for prefixes in ([(), without], [without, ()], [without, without]):
            self.move(None, None, *prefixes, max=1000, messages=500 * SCALE, window=2,
                      consumers=2, producers=2, restart=50, sleep=True)

    def test_confined(self):
        """As in a container that lets nobody reach into others, nor use userfaultfd."""
        confined = [os.environ['E2E_CONFINED']]
        # The leak sanitizer is one of those who reach into others.
        env = {'ASAN_OPTIONS': os.environ.get('ASAN_OPTIONS', '') + ':detect_leaks=0'}
        for prefixes in ([(), confined], [confined, confined]):
            self.move(env, env, *prefixes, max=MB, messages=30 * SCALE, window=2,
                      consumers=2, producers=2, restart=10)

    def test_copied_at_the_server(self):
        self.move(COPY, None, max=100000, messages=300 * SCALE, consumers=4, producers=4,
                  restart=50)

    def test_copied_at_both(self):
        self.move(COPY, COPY, max=3 * MB, messages=50 * SCALE, consumers=2, producers=2,
                  window=3, restart=20, sleep=True)

    def servers(self, option):
        return subprocess.run([os.environ['E2E_SOFTFIELD'], 'servers', option], check=True,
                              capture_output=True, text=True,
                              env=e2e.clean_environment()).stdout

    def test_servers_shows_how_memory_is_received_into(self):
        options = {'messages': 0, 'report': 10, 'max': 10000, 'window': 2}
        sides = [self.side('server', options, COPY), self.side('client', options)]
        for process in sides:
            process.expect('^received ')
        (server,) = [s for s in json.loads(self.servers('-j')) if s.get('name') == self.name]
        (client,) = server['clients']
        self.assertEqual((client['consumers'], client['producers']), (1, 1))
        own, its = sorted(client['windows'], key=lambda window: window['of'], reverse=True)
        self.assertEqual((own['of'], its['of']), ('server', 'client'))
        self.assertEqual((own['in_place'], own['why']), (0, 'SOFTFIELD_REGION=copy'))
        self.assertGreater(own['copied'], 0)
        self.assertGreater(its['in_place'] + its['copied'], 0)
        text = self.servers('-v')
        self.assertRegex(text, r'\n%s, client \d+: the server has 1 consumers and 1 producers\n'
                         % self.name)
        self.assertRegex(text, r'consumer %d of the server, .*: .* copied: SOFTFIELD_REGION=copy\n'
                         % own['consumer'])
        for process in sides:
            process.kill()

    def one_dies(self, victim, **options):
        """kill -9 with transfers under way: the other one is told, nothing is half done."""
        for _ in range(4 * SCALE):
            sides = {side: self.side(side, dict(options, report=10, messages=0), may_fail=True)
                     for side in ('server', 'client')}
            for _ in range(self.random.randrange(1, 10)):
                sides[victim].expect('^received ')
            dead = sides.pop(victim)
            dead.kill()
            (survivor,) = sides.values()
            survivor.expect('^lost: ')
            self.assertEqual(survivor.wait(), 1, survivor.log())
        self.check_nothing_left()

    def test_slow_with_full_queues(self):
        def faults():
            return {'SOFTFIELD_FAULTS': 'delay=30us,jitter=100us,full=20%%,seed=%d'
                    % self.random.randrange(1 << 31)}
        self.move(faults(), faults(), max=MB, messages=60 * SCALE, consumers=2, producers=2,
                  window=4, restart=20, sleep=True)
        self.move(faults(), None, max=100, messages=1000 * SCALE, consumers=3, producers=3,
                  window=16)

    def ends_on_purpose(self, fault):
        for victim in ('server', 'client'):
            env = {'SOFTFIELD_FAULTS': '%s=%d' % (fault, self.random.randrange(20, 300))}
            sides = {side: self.side(side, {'max': MB, 'consumers': 2, 'producers': 2, 'window': 4,
                                            'report': 10, 'messages': 0},
                                     env if side == victim else None, may_fail=True)
                     for side in ('server', 'client')}
            for side, process in sides.items():
                if side != victim or fault != 'kill_after':
                    process.expect('^lost: ')
                    self.assertEqual(process.wait(), 1, process.log())
        self.check_nothing_left()

    def test_connections_that_break(self):
        self.ends_on_purpose('drop_after')

    def test_processes_that_are_killed(self):
        self.ends_on_purpose('kill_after')

    def test_client_dies(self):
        self.one_dies('client', max=MB, consumers=2, producers=2, window=4, restart=40)

    def test_server_dies(self):
        self.one_dies('server', max=MB, consumers=2, producers=2, window=4, sleep=True)

    def test_client_of_copied_memory_dies(self):
        self.one_dies('client', max=8 * MB, window=2)


if __name__ == '__main__':
    parser = argparse.ArgumentParser(description=__doc__.split('\n', maxsplit=1)[0])
    parser.add_argument('--seed', type=int, default=secrets.randbelow(1 << 31))
    parser.add_argument('--scale', type=int, default=1)
    parser.add_argument('--minutes', type=float, default=0)
    parser.add_argument('--gigabyte', action='store_true')
    options, sys.argv[1:] = parser.parse_known_args()
    SEED, SCALE, GIGABYTE = options.seed, options.scale, options.gigabyte
    end = time.monotonic() + 60 * options.minutes
    while True:
        print('to repeat: --seed %d --scale %d' % (SEED, SCALE), flush=True)
        status = e2e.run()
        if status or time.monotonic() >= end:
            sys.exit(status)
        SEED += 1
