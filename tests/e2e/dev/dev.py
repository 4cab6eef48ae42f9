# SPDX-License-Identifier: BSD-3-Clause
"""./dev: what it says to wrong arguments, before it builds or installs anything, and how it tells
what tests have ended with.

usage: dev.py DEV
"""
import json
import os
import pty
import shutil
import signal
import subprocess
import sys
import tempfile

import e2e

DEV = sys.argv.pop(1)
RESULTS = os.path.join(os.path.dirname(DEV), 'tests', 'results.py')
SLOWEST = os.path.join(os.path.dirname(DEV), 'tests', 'slowest.py')
DEMO = os.path.join(os.path.dirname(DEV), 'samples', 'demo.sh')
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
    ('check tsan asan tsan', "'tsan' twice"),
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

    def test_a_folder_that_meson_would_find_nothing_in(self):
        """It is told before anything is built, in whatever locale."""
        for folder, status, locale in (('/\u00e9t\u00e9', 1, 'C'), ('/\u00e9t\u00e9', 1, 'C.UTF-8'),
                                       ("/a'", 1, 'C'), ('/a"', 1, 'C'), ('/a\\', 1, 'C'),
                                       ('/a|', 1, 'C'), ('/a:', 1, 'C'), ('/a,', 1, 'C'),
                                       ('/a !~$&;', 0, 'C.UTF-8')):
            run = subprocess.run([DEMO, '--check', folder + '/build'], check=False, text=True,
                                 capture_output=True, env=dict(os.environ, LC_ALL=locale))
            self.assertEqual((run.returncode, run.stdout, 'ASCII' in run.stderr),
                             (status, '', bool(status)), folder)

    def test_a_folder_whose_name_programs_would_not_find(self):
        for character in '\'"$\\|:,':
            run = dev('stage /nowhere/a' + character)
            self.assertEqual((run.returncode, run.stdout), (1, ''), character)
            self.assertIn('a%s: programs would not find it' % character, run.stderr)


class Doubles(e2e.Test):
    """A clone on a machine whose commands are doubles."""

    def make_clone(self, **commands):
        """Its folder, and the PATH to use there."""
        clone = self.temp_dir()
        shutil.copy(DEV, clone)
        folder = os.path.join(clone, 'commands')
        os.mkdir(folder)
        for name, script in commands.items():
            path = os.path.join(folder, name.replace('_', '-'))
            with open(path, 'w', encoding='utf-8') as file:
                file.write('#!/bin/sh\n%s\n' % script)
            os.chmod(path, 0o755)
        return clone, folder + ':' + os.environ['PATH']

    def run_dev(self, clone, path, *arguments, **more):
        return subprocess.run([os.path.join(clone, 'dev'), *arguments], check=False, text=True,
                              capture_output=True, timeout=60, env=dict(os.environ, PATH=path),
                              **more)


class Packages(Doubles):
    """None is there."""

    def install(self, said, refusals):
        """With an apt-get that says so and fails, so many times."""
        calls = os.path.join(self.temp_dir(), 'calls')
        clone, path = self.make_clone(
            dpkg_query='exit 1', sudo='[ "$1" = -n ] && shift; exec "$@"', sleep=':',
            meson='echo no meson; exit 1',
            apt_get='echo "$1" >>"%s"\n'
            '[ $(grep -c . "%s") -gt %d ] || { echo "E: %s" >&2; exit 100; }' %
            (calls, calls, refusals, said))
        run = self.run_dev(clone, path, 'test', 'unit')
        with open(calls, encoding='utf-8') as file:
            return run, file.read().split()

    def test_somebody_else_who_installs_is_waited_for(self):
        run, calls = self.install('Could not get lock /var/lib/apt/lists/lock', 3)
        self.assertEqual(calls[:5], ['update'] * 4 + ['install'], run.stderr)
        self.assertIn('no meson', run.stderr)

    def test_nothing_else_is_waited_for(self):
        run, calls = self.install('Unable to locate package', 1)
        self.assertEqual((run.returncode, calls), (1, ['update']))
        self.assertIn('Unable to locate package', run.stderr)


class Staging(Doubles):
    """With a meson that puts two files there and fails where a file says so."""

    def setUp(self):
        super().setUp()
        self.clone, self.path = self.make_clone(
            dpkg_query='echo installed', ninja=':',
            meson='for last; do :; done\n'
            '[ "$1" = install ] || { mkdir -p "$last" && exec touch "$last/build.ninja"; }\n'
            'mkdir -p "$last/opt/mellanox/doca/lib"; touch "$last/opt/mellanox/doca/lib/one"\n'
            '[ ! -e "$last/full" ] || { echo no space left; exit 1; }\n'
            'touch "$last/opt/mellanox/doca/lib/two"')
        top = os.path.dirname(DEV)
        shutil.copy(os.path.join(top, 'LICENSE'), self.clone)
        shutil.copytree(os.path.join(top, 'pkgconfig'), os.path.join(self.clone, 'pkgconfig'))
        self.folder = os.path.join(self.temp_dir(), 'a [b]*')
        self.prefix = os.path.join(self.folder, 'opt/mellanox/doca')

    def stage(self, **more):
        return self.run_dev(self.clone, self.path, 'stage', self.folder, **more)

    def test_what_was_interrupted_is_ours(self):
        os.mkdir(self.folder)
        with open(os.path.join(self.folder, 'full'), 'w', encoding='utf-8'):
            pass
        run = self.stage()
        self.assertEqual(run.returncode, 1, run.stdout)
        self.assertIn('no space left', run.stderr)
        os.remove(os.path.join(self.folder, 'full'))
        run = self.stage()
        self.assertEqual((run.returncode, run.stderr), (0, ''))
        self.assertEqual(sorted(os.listdir(self.prefix + '/lib')), ['one', 'two'])

    def test_what_is_there_is_replaced(self):
        self.assertEqual(self.stage().returncode, 0)
        with open(self.prefix + '/lib/old', 'w', encoding='utf-8'):
            pass
        self.assertEqual(self.stage().returncode, 0)
        self.assertEqual(sorted(os.listdir(self.prefix + '/lib')), ['one', 'two'])

    def test_all_may_read_it(self):
        self.assertEqual(self.stage(umask=0o77).returncode, 0)
        self.assertEqual(os.stat(self.prefix).st_mode & 0o777, 0o755)

    def test_a_folder_that_meson_finds_nothing_in(self):
        self.assertNotIn('meson finds no', self.stage().stdout)
        self.folder += '\u00e9'
        self.assertIn('meson finds no libraries there', self.stage().stdout)

    def test_what_is_not_ours_stays(self):
        os.makedirs(self.prefix)
        with open(self.prefix + '/precious', 'w', encoding='utf-8'):
            pass
        run = self.stage()
        self.assertEqual((run.returncode, run.stdout), (1, ''))
        self.assertIn('holds something else: not touched', run.stderr)
        self.assertEqual(os.listdir(self.prefix), ['precious'])

    def test_nor_is_a_file_a_folder_of_ours(self):
        os.makedirs(os.path.dirname(self.prefix))
        with open(self.prefix, 'w', encoding='utf-8'):
            pass
        run = self.stage()
        self.assertEqual((run.returncode, run.stdout), (1, ''))
        self.assertIn('holds something else: not touched', run.stderr)
        self.assertTrue(os.path.isfile(self.prefix))

    def test_what_a_link_leads_to_stays(self):
        self.assertEqual(self.stage().returncode, 0)
        moved = os.path.join(self.temp_dir(), 'moved')
        shutil.move(self.prefix, moved)
        os.symlink(moved, self.prefix)
        self.assertEqual(self.stage().returncode, 0)
        for folder in moved, self.prefix:
            self.assertEqual(sorted(os.listdir(folder + '/lib')), ['one', 'two'])
        self.assertFalse(os.path.islink(self.prefix))


class Interrupts(Doubles):
    """Ctrl-C goes to all of a terminal's programs; some take it and end as they like."""

    CTRL_C = 'trap "" INT; kill -INT 0; exit '

    def interrupted(self, meson, *arguments):
        """What is said on both outputs, and what has been run."""
        clone, path = self.make_clone(dpkg_query='echo installed', ninja=':', meson=meson)
        os.makedirs(clone + '/tests/fuzz')
        for name in ('fuzz_one', 'fuzz_two'):
            with open('%s/tests/fuzz/%s.c' % (clone, name), 'w', encoding='utf-8'):
                pass
        shutil.copy(RESULTS, clone + '/tests')
        run = subprocess.run([clone + '/dev', *arguments], check=False, text=True, timeout=60,
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                             start_new_session=True,
                             env=dict(os.environ, PATH=path, CALLS=clone + '/calls'))
        with open(clone + '/calls', encoding='utf-8') as file:
            return run.returncode, run.stdout, file.read().split()

    def test_no_further_target_is_fuzzed(self):
        status, said, calls = self.interrupted(
            'for last; do :; done\nmkdir -p "$last/tests/fuzz"; cd "$last"; touch build.ninja\n'
            'for name in one two; do echo \'#!/bin/sh\necho run >>"$CALLS"; %s 72\' '
            '>tests/fuzz/fuzz_$name; chmod +x tests/fuzz/fuzz_$name; done' % self.CTRL_C, 'fuzz')
        self.assertEqual((status, calls), (-signal.SIGINT, ['run']), said)

    def test_no_further_part_is_checked(self):
        """What has run is told all the same."""
        status, said, calls = self.interrupted(
            'for last; do :; done\n'
            'if [ "$1" = test ]; then dir=$3/meson-logs; mkdir -p "$dir"\n'
            'echo \'{"name": "this", "result": "OK"}\' >"$dir/testlog.json"; %s 1\n'
            'else echo "$last" >>"$CALLS"; mkdir -p "$last"; touch "$last/build.ninja"; fi' %
            self.CTRL_C, 'check', 'asan', 'tsan')
        self.assertEqual((status, calls), (-signal.SIGINT, ['build/asan']), said)
        self.assertIn('\n1 passed, 0 failed', said)


class Results(e2e.Test):
    def tell(self, *lines, **env):
        """Of such a log of meson's: the exit status, and what is said."""
        log = os.path.join(self.temp_dir(), 'testlog.json')
        with open(log, 'wb') as file:
            file.write(b'\n'.join(line if isinstance(line, bytes) else json.dumps(line).encode()
                                  for line in lines))
        run = subprocess.run([RESULTS, '2', '0', log], check=False, text=True, capture_output=True,
                             env=dict(e2e.clean_environment(), NO_COLOR='', **env))
        self.assertEqual(run.stderr, '')
        self.assertNotIn('\033', run.stdout)
        return run.returncode, run.stdout.splitlines()

    def result(self, name, result, said):
        return {'name': name, 'result': result, 'duration': 1.2, 'returncode': 0, 'stdout': said}

    def test_what_passes_is_counted(self):
        results = self.result('a', 'OK', ''), self.result('b', 'EXPECTEDFAIL', '')
        self.assertEqual(self.tell(*results), (0, ['4 passed, 0 failed']))

    def test_what_is_skipped_is_named(self):
        status, said = self.tell(self.result('a', 'SKIP', 'begin\nno such machine\n'),
                                 self.result('b', 'OK', '[  SKIPPED ] some_case\n'),
                                 self.result('c', 'OK', 'SKIPPED 1 of 2: no clang\n'),
                                 self.result('d', 'SKIP', 'SKIPPED 2 of 2: no gcc\n'))
        self.assertEqual((status, said[-1]), (0, '4 passed, 0 failed, 2 skipped'))
        self.assertTrue(said[0].endswith(': a: no such machine'), said)
        self.assertTrue(said[1].endswith(': a case of b: some_case'), said)
        self.assertTrue(said[2].endswith(': c: 1 of 2: no clang'), said)
        self.assertTrue(said[3].endswith(': d: SKIPPED 2 of 2: no gcc'), said)
        self.assertEqual(len(said), 5)

    def test_what_has_failed_comes_last(self):
        log = '[  FAILED  ] some_case\n' + 'more\n' * 100 + 'the end\n'
        status, said = self.tell(self.result('a', 'TIMEOUT', log), self.result('b', 'OK', ''))
        self.assertEqual((status, said[-1]), (1, '3 passed, 1 failed'))
        self.assertIn(': a: TIMEOUT after 1 s', said[0])
        self.assertEqual((said[1], said[-2]), ('    [  FAILED  ] some_case', '    the end'))
        self.assertLess(len(said), 30)

    def test_any_character_on_any_terminal(self):
        status, said = self.tell(self.result('a', 'FAIL', 'caf\u00e9 \ud800\n'),
                                 PYTHONIOENCODING='ascii')
        self.assertEqual((status, said[-1]), (1, '2 passed, 1 failed'))

    def test_nothing_is_not_enough(self):
        run = subprocess.run([RESULTS, '0', '0'], check=False, text=True, capture_output=True)
        self.assertEqual((run.returncode, run.stderr), (1, 'no test ran\n'))

    def test_a_log_that_was_cut(self):
        whole = json.dumps(self.result('b', 'OK', '')).encode()
        for cut in (whole[:20], whole[:20] + b'\xff', b'null', b'{}', b'\0' * 100):
            status, said = self.tell(whole, cut)
            self.assertEqual((status, said[-1]), (1, '3 passed, 1 failed'))
            self.assertIn('CUT OFF', said[0])

    def test_of_one_that_was_ended_not_all_is_known(self):
        ended = dict(self.result('a', 'INTERRUPT', None), duration=None, returncode=None)
        status, said = self.tell(ended, self.result('b', 'SKIP', None))
        self.assertEqual((status, said[-1]), (1, '2 passed, 1 failed, 1 skipped'))

    def test_what_has_failed_without_end_is_told_in_a_page(self):
        log = '[  FAILED  ] some_case\n' * 10000 + 'x' * 10000000
        said = self.tell(self.result('a', 'FAIL', log), self.result('b', 'SKIP', log))[1]
        self.assertLess(len('\n'.join(said)), 10000)

    def test_the_slowest_come_first(self):
        folder = os.path.join(self.temp_dir(), 'some-build', 'meson-logs')
        os.makedirs(folder)
        log = os.path.join(folder, 'testlog.json')
        with open(log, 'w', encoding='ascii') as file:
            for duration in (3, 50, None, *range(4, 20)):
                file.write(json.dumps(dict(self.result('test of %s' % duration, 'OK', ''),
                                           duration=duration)) + '\n')
            file.write('cut')
        run = subprocess.run([SLOWEST, log], check=True, text=True, capture_output=True)
        said = run.stdout.splitlines()
        self.assertEqual(said[:2], ['    50 s  some-build: test of 50',
                                    '    19 s  some-build: test of 19'])
        self.assertEqual(len(said), 10)

    def test_it_is_coloured_on_a_terminal(self):
        log = os.path.join(self.temp_dir(), 'testlog.json')
        with open(log, 'w', encoding='ascii') as file:
            json.dump(self.result('a', 'FAIL', ''), file)
        for env, coloured in (({'NO_COLOR': '', 'TERM': 'linux'}, True),
                              ({'NO_COLOR': '', 'TERM': 'dumb'}, False),
                              ({'NO_COLOR': '1', 'TERM': 'linux'}, False)):
            ours, its = pty.openpty()
            subprocess.run([RESULTS, '0', '0', log], check=False, stdout=its,
                           env=dict(e2e.clean_environment(), **env))
            os.close(its)
            self.assertEqual('\033[31mFAILED\033[0m' in os.read(ours, 65536).decode(), coloured)
            os.close(ours)


if __name__ == '__main__':
    e2e.main()
