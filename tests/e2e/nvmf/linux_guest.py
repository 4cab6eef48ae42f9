# SPDX-License-Identifier: BSD-3-Clause
"""A Linux machine to test with: a Debian kernel in QEMU, booted for one script of guest/."""
import os
import shutil
import signal
import subprocess
import unittest

from served import TARGET

HERE = os.path.dirname(os.path.abspath(__file__))
NEEDED = ['qemu-system-x86_64', 'nvme', 'fio', 'mkfs.ext4', 'cpio', 'zstd', 'depmod', 'tshark']
TIME_LIMIT_S = '600'
# The dissector takes the 64 bytes of an error log entry for more.
KNOWN_MALFORMED = 'Get Log Page Error Information'
folder = None  # of the guest


def script(name):
    return os.path.join(HERE, 'guest', name)


def find(tool):
    return shutil.which(tool, path=os.environ['PATH'] + ':/usr/sbin:/sbin')


def prepare():
    """Makes the guest, or skips everything."""
    global folder
    missing = [tool for tool in NEEDED if not find(tool)]
    if missing:
        raise unittest.SkipTest('no Linux host: missing ' + ' '.join(missing))
    built = subprocess.run([script('build-guest.sh')], capture_output=True, text=True, check=False)
    if built.returncode:
        raise unittest.SkipTest('no Linux host: ' + built.stderr.strip().replace('\n', '; '))
    folder = built.stdout.strip()


def kernel_has(option):
    """Is it built with that? After prepare()."""
    with open(os.path.join(folder, 'config'), encoding='utf-8') as file:
        return any(line.startswith(option + '=') for line in file)


def need_rdma():
    if not find('rdma'):
        raise unittest.SkipTest('no RDMA: missing rdma (package iproute2)')
    tried = subprocess.run([TARGET, '--null', '1M', '--listen-rdma', '192.0.2.1'],
                           capture_output=True, text=True, check=False, timeout=60)
    if 'built without' in tried.stderr:
        raise unittest.SkipTest('no RDMA: softfield-target is ' +
                                tried.stderr.split(': ')[-1].strip())


class Guest:
    """Runs a script in the guest; a test talks with it by lines and files of folder."""

    def __init__(self, test, folder, *command, **settings):
        self.test, self.folder = test, folder
        self.pid_file = os.path.join(folder, 'qemu.pid')
        self.lines = []
        self.errors = open(os.path.join(folder, 'guest.err'), 'w+', encoding='utf-8')
        self.process = subprocess.Popen(
            [script('run-guest.sh')] + list(command), stdout=subprocess.PIPE, stderr=self.errors,
            text=True, env=dict(os.environ, GUEST_TIMEOUT=TIME_LIMIT_S, GUEST_JOB=folder,
                                GUEST_ARGS='-pidfile ' + self.pid_file, **settings))
        test.addCleanup(self.end)

    def end(self):
        if self.process.poll() is None:
            self.process.terminate()
            self.process.wait()
        self.process.stdout.close()
        self.errors.close()

    def expect(self, text):
        """Reads lines until one has the text; None: until the end."""
        for line in self.process.stdout:
            print(line, end='', flush=True)
            self.lines.append(line)
            if text and text in line:
                return
        if text:
            self.finish()
            self.test.fail('the guest has ended without "%s"' % text)

    def finish(self):
        """Its output; it must have ended well."""
        self.expect(None)
        status = self.process.wait()
        self.errors.seek(0)
        self.test.assertEqual(status, 0, ''.join(self.lines) + self.errors.read())
        return ''.join(self.lines)

    def answer(self, name):
        """What a script waits for with "until [ -e /job/NAME ]"."""
        with open(os.path.join(self.folder, name), 'w', encoding='utf-8'):
            pass

    def signal(self, number):
        """To the whole machine: SIGSTOP, SIGCONT."""
        with open(self.pid_file, encoding='utf-8') as file:
            os.kill(int(file.read()), number)

    def freeze(self):
        self.signal(signal.SIGSTOP)

    def thaw(self):
        self.signal(signal.SIGCONT)


def run(test, folder, *command, **settings):
    return Guest(test, folder, *command, **settings).finish()


def judge(test, capture, port):
    """Wireshark's dissectors must find nothing wrong, and no side may have ended a connection."""
    judged = subprocess.run([script('judge.sh'), capture, str(port)], capture_output=True,
                            text=True, check=False)
    print(judged.stdout)
    bad = [line for line in judged.stdout.splitlines()
           if 'Malformed Packet' in line and KNOWN_MALFORMED not in line]
    test.assertEqual(bad, [])
    test.assertRegex(judged.stdout, r'recognised: [1-9]\d+; terminations: 0;')
