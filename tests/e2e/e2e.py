# SPDX-License-Identifier: BSD-3-Clause
"""What the tests of whole programs have in common: programs that are told what to do and watched,
names nobody else uses, and what a dead program must not leave behind.

Nothing waits for time to pass: every step waits for a line of output. PATIENCE_S only ends a test
that hangs.
"""
import ctypes
import faulthandler
import glob
import os
import re
import secrets
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

PATIENCE_S = 60
PROGRAMS = os.environ.get('E2E_PROGRAMS', '.')
MARK = secrets.token_hex(3)  # a process of another container may have our number
SANITIZED = os.environ.get('E2E_SANITIZE', 'none') != 'none'


def clean_environment():
    """The caller's own settings must not decide what is tested."""
    return {name: value for name, value in os.environ.items()
            if not name.startswith('SOFTFIELD_')}


def program(name):
    return os.path.join(PROGRAMS, name)


def may_open_pidfds():
    """Unless a filter of system calls, as in a container, forbids it."""
    try:
        os.close(os.pidfd_open(os.getpid()))
    except OSError:
        return False
    return True


def may_copy_between_processes():
    """The same for process_vm_readv()."""
    source, target = ctypes.create_string_buffer(8), ctypes.create_string_buffer(8)
    vector = ctypes.c_size_t * 2
    libc = ctypes.CDLL(None)
    return libc.process_vm_readv(os.getpid(), vector(ctypes.addressof(target), 8),
                                 ctypes.c_ulong(1), vector(ctypes.addressof(source), 8),
                                 ctypes.c_ulong(1), ctypes.c_ulong(0)) == 8


class Process:
    """A program whose standard output is read line by line."""

    def __init__(self, test, command, env=None, title='', cwd=None, may_fail=False):
        self._test = test
        self._may_fail = may_fail
        self.title = title or os.path.basename(command[0])
        self._errors = tempfile.TemporaryFile()
        self._log = ''
        self._pending = b''
        self._ended = False
        self.lines = []
        self._seen = 0
        self.popen = subprocess.Popen(command, env=dict(clean_environment(), **(env or {})),
                                      stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                      stderr=self._errors, cwd=cwd)
        test.processes.append(self)
        test.addCleanup(self._clean_up)

    def _clean_up(self):
        if self.popen.returncode is None:
            self.popen.kill()
        self._end()

    def _end(self):
        """Its exit status; what it had open here is closed."""
        status = self.popen.wait()
        if self in self._test.processes:
            self._log = self.log()
            self._test.processes.remove(self)
            for file in (self.popen.stdin, self.popen.stdout, self._errors):
                file.close()
        return status

    def fail(self, what):
        self._test.fail('%s: %s\n--- its output\n%s\n--- its log\n%s' % (
            self.title, what, '\n'.join(self.lines[-60:]), self.log()[-4000:]))

    def log(self):
        """What it has written to standard error so far."""
        if self._errors.closed:
            return self._log
        return os.pread(self._errors.fileno(), 1 << 20, 0).decode(errors='replace')

    def _read(self):
        data = os.read(self.popen.stdout.fileno(), 65536)
        self._ended = not data
        *lines, self._pending = (self._pending + data).split(b'\n')
        if self._ended and self._pending:
            lines.append(self._pending)
        for line in lines:
            self.lines.append(line.decode(errors='replace'))
            if self.lines[-1].startswith('error') and not self._may_fail:
                self.fail('said: ' + self.lines[-1])

    def _take_in(self, wait_s):
        """Reads what there is, or waits for more; the processes that said something. All of them
        are read from, so that none blocks because nobody listens to it."""
        files = {process.popen.stdout: process for process in self._test.processes
                 if not process._ended}
        ready = [files[file] for file in select.select(files, [], [], wait_s)[0]]
        for process in ready:
            process._read()
        return ready

    def drain(self):
        while not self._ended and self in self._take_in(0):
            pass
        return self.lines

    def _await(self, condition, what):
        """Takes in output until condition() is true."""
        deadline = time.monotonic() + PATIENCE_S
        while not condition():
            if self._ended:
                self.fail('ended, status %d; expected: %s' % (self._end(), what))
            if not self._take_in(max(0, deadline - time.monotonic())) and not self._ended:
                self.fail('silent for long; expected: ' + what)

    def _find(self, regex):
        while self._seen < len(self.lines):
            self._seen += 1
            match = regex.search(self.lines[self._seen - 1])
            if match:
                return match
        return None

    def expect(self, pattern):
        """The first line that matches and comes after the one expected before."""
        regex = re.compile(pattern)
        found = []
        self._await(lambda: found.append(self._find(regex)) or found[-1], pattern)
        return found[-1]

    def wait(self):
        """Its exit status, after reading what it had to say."""
        deadline = time.monotonic() + PATIENCE_S
        while not self._ended:
            if not self._take_in(max(0, deadline - time.monotonic())) and not self._ended:
                self.fail('does not end')
        return self._end()

    def kill(self):
        self.popen.kill()
        self._end()


class Peer(Process):
    """The program peer: see README.md."""

    def __init__(self, test, side, name, *options, prefix=(), **more):
        command = [*prefix, program('peer'), side, name, *options]
        super().__init__(test, command, title='%s "%s"' % (side, name), **more)

    def command(self, line):
        """Gives a command and waits until it has been carried out; what it has printed till then
        can still be expected."""
        done = self.drain().count('done')
        self.popen.stdin.write(line.encode() + b'\n')
        self.popen.stdin.flush()
        self._await(lambda: self.lines.count('done') > done, 'done')

    def ask(self, line, pattern):
        """The same; the last line that matches, out of turn."""
        self.command(line)
        return [match for match in map(re.compile(pattern).search, self.lines) if match][-1]

    def resources(self):
        """(descriptors, mappings, bytes of heap)"""
        match = self.ask('resources', r'^resources fds (\d+) mappings (\d+) heap (\d+)$')
        return tuple(int(number) for number in match.groups())

    def states(self):
        """All changes of state so far, as (from, to)."""
        return [tuple(line.split()[1:]) for line in self.drain() if line.startswith('state ')]

    def await_start(self):
        self._await(lambda: self.states()[-1][1] != 'STARTING', 'the end of its start')

    def await_state(self, state):
        """Until it is there, however it comes there."""
        self._await(lambda: self.states() and self.states()[-1][1] == state, 'state ' + state)

    def quit(self):
        """Ends it in an orderly way; it checks itself that it leaves nothing open."""
        self.popen.stdin.close()
        status = self.wait()
        if status or self.lines[-1] != 'end':
            self.fail('exit status %d' % status)


# What the documentation of contexts allows.
STATE_CHANGES = {
    'server': {('IDLE', 'RUNNING'), ('RUNNING', 'STOPPING'), ('RUNNING', 'IDLE'),
               ('STOPPING', 'IDLE')},
    'client': {('IDLE', 'STARTING'), ('STARTING', 'RUNNING'), ('STARTING', 'IDLE'),
               ('RUNNING', 'STOPPING'), ('STOPPING', 'IDLE')},
}


class Test(unittest.TestCase):
    names = 0

    def setUp(self):
        self.processes = []
        Test.names += 1
        self.name = 'e2e-%d-%s-%d' % (os.getpid(), MARK, Test.names)

    def temp_dir(self, mode=0o700):
        path = tempfile.mkdtemp(prefix='softfield-e2e-')
        os.chmod(path, mode)
        self.addCleanup(shutil.rmtree, path)
        return path

    def server(self, *options, **more):
        """A server that listens."""
        server = Peer(self, 'server', self.name, *options, '--start', **more)
        server.expect('^state IDLE RUNNING$')
        return server

    def client(self, *options, **more):
        """A client that is connected."""
        client = Peer(self, 'client', self.name, *options, '--start', **more)
        client.expect('^state STARTING RUNNING$')
        return client

    def refused_client(self, *options, **more):
        """A client that does not get in."""
        client = Peer(self, 'client', self.name, *options, '--start', **more)
        client.expect('^state STARTING IDLE$')
        client.quit()
        return client

    def check_states(self, peer, side):
        states = peer.states()
        here = 'IDLE'
        for before, after in states:
            if before != here or (before, after) not in STATE_CHANGES[side]:
                peer.fail('went from %s to %s: %s' % (before, after, states))
            here = after
        return states

    def check_connections(self, server):
        """Every connection that came goes exactly once; the ids of those that are there."""
        there = set()
        for line in server.drain():
            if line.startswith('connect '):
                there.add(line.split()[1])
            elif line.startswith('disconnect '):
                if line.split()[1] not in there:
                    server.fail('second ' + line)
                there.remove(line.split()[1])
        return there

    def check_nothing_left(self, runtime_dir=None):
        """No socket, no file has the name of this test."""
        with open('/proc/net/unix', encoding='ascii', errors='replace') as sockets:
            left = [line.strip() for line in sockets if self.name in line]
        if runtime_dir:
            left += os.listdir(runtime_dir)
        # folders there are of tests and compilers whose TMPDIR that is
        left += [path for path in glob.glob('/dev/shm/*softfield*') if not os.path.isdir(path)]
        self.assertEqual(left, [], 'left behind')


def run():
    """Runs the tests of the calling module: the status to exit with; 77 when none could run."""
    faulthandler.register(signal.SIGTERM, chain=True)  # where was it when its time was up?
    result = unittest.main(module='__main__', verbosity=2, exit=False, argv=sys.argv).result
    skipped = len(result.skipped)
    if skipped:  # a class that is skipped as a whole has run nothing
        print('SKIPPED %d of %d: %s' % (skipped, max(skipped, result.testsRun), '; '.join(
            sorted({reason for _, reason in result.skipped}))))
    if not result.wasSuccessful():
        return 1
    return 77 if skipped and skipped >= result.testsRun else 0


def main():
    sys.exit(run())
