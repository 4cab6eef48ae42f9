# SPDX-License-Identifier: BSD-3-Clause
"""./dev: what it says to wrong arguments, before it builds or installs anything.

usage: dev.py DEV
"""
import subprocess
import sys
import tempfile

import e2e

DEV = sys.argv.pop(1)
COMMANDS = ['demo', 'test', 'bench', 'check', 'stage', 'install', 'uninstall', 'fuzz', 'docs', 'ci',
            'clean']
WRONG = [  # arguments, a part of what is said
    ('', 'usage: ./dev COMMAND'),
    ('tset', "no command 'tset'; there are: demo test"),
    ('help tset', "no command 'tset'; there are: demo test"),
    ('demo now', "unexpected 'now'"),
    ('demo --now', "no option '--now'; there are: --count --help\n"),
    ('demo --count 7', "--count needs a number from 1000 to 10000000, not '7'"),
    ('test unit lnit', "no suite 'lnit'; there are: unit contract lint"),
    ('check asan tsna', "no part 'tsna'; there are: asan tsan"),
    ('bench cotrol', "invalid choice: 'cotrol'"),
    ('bench --cpus 0', 'usage: ./dev bench ['),
    ('bench --cpus 0', 'is not two CPUs'),
    ('stage', 'one folder, not 0'),
    ('stage a b', 'one folder, not 2'),
    ('stage --here', "no option '--here'"),
    ('fuzz fuzz_nothing', "no fuzz target 'fuzz_nothing'; there are: fuzz_argp_json"),
    ('fuzz fuzz_pdu x', "'x' is no number of seconds"),
    ('docs html', "'docs' takes no arguments, not 'html'"),
    ('clean all', "'clean' takes no arguments, not 'all'"),
]


def dev(arguments, **more):
    return subprocess.run([DEV, *arguments.split()], check=False, text=True, capture_output=True,
                          stdin=subprocess.DEVNULL, timeout=60, **more)


class Arguments(e2e.Test):
    def test_wrong_ones_are_told_and_nothing_is_built(self):
        for arguments, said in WRONG:
            run = dev(arguments)
            self.assertEqual((run.returncode, run.stdout), (2, ''), arguments)
            self.assertIn(said, run.stderr)
            self.assertNotIn('\033', run.stderr)

    def test_every_command_has_help(self):
        usage = dev('--help')
        self.assertEqual((usage.returncode, usage.stderr), (0, ''))
        self.assertLessEqual(max(map(len, usage.stdout.splitlines())), 80, usage.stdout)
        for command in COMMANDS:
            self.assertIn('\n  %s ' % command, usage.stdout)
            run = dev(command + ' --help')
            self.assertEqual((run.returncode, run.stderr), (0, ''))
            self.assertTrue(run.stdout.startswith('usage: ./dev ' + command), run.stdout)
            self.assertLessEqual(max(map(len, run.stdout.splitlines())), 80, run.stdout)
            self.assertEqual(dev('help ' + command).stdout, run.stdout)
            self.assertEqual(dev(command + ' whatever --help').stdout, run.stdout)

    def test_a_folder_that_cannot_be_written_to(self):
        with tempfile.NamedTemporaryFile() as file:
            run = dev('stage ' + file.name)
        self.assertEqual((run.returncode, run.stdout), (1, ''))
        self.assertIn('not a folder to write to', run.stderr)


if __name__ == '__main__':
    e2e.main()
