# SPDX-License-Identifier: BSD-3-Clause
"""The demonstration: runs, fits on a terminal of 80 columns, fails when something is off.

usage: demo.py DEMO BUILD
"""
import os
import pty
import re
import shlex
import subprocess
import sys
import unittest

import e2e

DEMO, BUILD = sys.argv[1:3]
del sys.argv[1:3]
COLUMNS = 80
ONE_CPU = len(os.sched_getaffinity(0)) == 1  # where there is nothing to compare with


@unittest.skipIf(re.search(r'[^ -~]|[\'"\\|:,]', BUILD), 'meson finds no libraries in such folders')
class Demo(e2e.Test):
    def run_demo(self, **env):
        return subprocess.run([DEMO, BUILD, '--count', '2000'], check=False, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              env=dict(e2e.clean_environment(), **env))

    def check_output(self, text):
        for part in ('0000:03:00.0  PF    mlx5_0', 'Hello. Who is there?', 'Goodbye.',
                     '5 messages sent, 5 received', 'It works.',
                     'This machine has one CPU' if ONE_CPU else 'limit: one cache line'):
            self.assertIn(part, text)
        too_long = [line for line in text.splitlines() if len(line) > COLUMNS]
        self.assertEqual(too_long, [])

    def test_into_a_file(self):
        run = self.run_demo(LC_ALL='C')
        self.assertEqual(run.returncode, 0, run.stdout)
        self.check_output(run.stdout)
        self.assertTrue(run.stdout.isascii() and '\033' not in run.stdout, run.stdout)
        self.assertRegex(run.stdout, '(?m)^  host --> DPU   Hello')

    def test_on_a_terminal(self):
        terminal, end = pty.openpty()
        environment = dict(e2e.clean_environment(), LC_ALL='C.UTF-8', TERM='linux')
        environment.pop('NO_COLOR', None)
        with subprocess.Popen([DEMO, BUILD, '--count', '2000'], stdout=end, stderr=end,
                              env=environment) as demo:
            os.close(end)
            output = b''
            while True:
                try:
                    output += os.read(terminal, 65536)
                except OSError:  # the last writer has closed it
                    break
            os.close(terminal)
        text = output.decode()
        self.assertEqual(demo.returncode, 0, text)
        self.assertIn('\033[1m', text)
        self.assertEqual('\u2588' in text, not ONE_CPU)
        self.check_output(re.sub('\033\\[[0-9;]*m', '', text).replace('\r', ''))

    def test_no_colour_on_request(self):
        for env in ({'NO_COLOR': '1', 'TERM': 'linux'}, {'NO_COLOR': '', 'TERM': 'dumb'}):
            run = subprocess.run(['script', '-qec', shlex.join([DEMO, BUILD, '--count', '1000']),
                                  '/dev/null'],
                                 check=False, text=True, stdin=subprocess.DEVNULL,
                                 stdout=subprocess.PIPE,
                                 env=dict(e2e.clean_environment(), LC_ALL='C', **env))
            self.assertEqual(run.returncode, 0, run.stdout)
            self.assertNotIn('\033', run.stdout)

    def test_on_one_cpu(self):
        cpu = min(os.sched_getaffinity(0))
        run = subprocess.run(['taskset', '-c', str(cpu), DEMO, BUILD, '--count', '1000'],
                             check=False, text=True, stdout=subprocess.PIPE,
                             stderr=subprocess.STDOUT, env=e2e.clean_environment())
        self.assertEqual(run.returncode, 0, run.stdout)
        self.assertIn('This machine has one CPU', run.stdout)

    def test_something_is_off(self):
        """No device, no server, a server that goes away: never a good end."""
        for env in ({'SOFTFIELD_TOPOLOGY': '/nowhere'}, {'SOFTFIELD_ROLE': 'host'},
                    {'SOFTFIELD_FAULTS': 'drop_after=3'}):
            run = self.run_demo(**env)
            self.assertNotEqual(run.returncode, 0, '%s: %s' % (env, run.stdout))
            self.assertNotIn('It works.', run.stdout)


if __name__ == '__main__':
    e2e.main()
