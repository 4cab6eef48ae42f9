# SPDX-License-Identifier: BSD-3-Clause
"""Runs softfield-target for the tests of this folder."""
import atexit
import json
import os
import random
import signal
import socket
import subprocess
import tempfile
import unittest

from nvmetcp import Controller

TARGET = os.environ.get('E2E_TARGET', 'softfield-target')
SIZE = 16 << 20
BLOCK = 512
NQN = 'nqn.2024-01.example:e2e'


def free_port():
    """Not one of those that the kernel gives to clients: they could have it before the target; nor
    one that another test has taken: it may listen there only later."""
    with open('/proc/sys/net/ipv4/ip_local_port_range', encoding='ascii') as file:
        first_of_clients = int(file.read().split()[0])
    while True:
        port = random.randrange(1024, max(first_of_clients, 10000))
        mark = socket.socket(socket.AF_UNIX)
        with socket.socket() as sock:
            try:
                mark.bind('\0softfield-test-port-%d' % port)
                sock.bind(('', port))
                atexit.register(mark.close)
                return port
            except OSError:
                mark.close()


class Target:
    """The program, with a folder of its own."""

    def __init__(self, folder, config=None, options=(), errors=None):
        self.folder, self.port, self.errors = folder, free_port(), errors
        self.disk = os.path.join(folder, 'disk.img')
        if not os.path.exists(self.disk):
            with open(self.disk, 'wb') as file:
                file.truncate(SIZE)
        self.config_file = os.path.join(folder, 'target.json')
        self.connect_lines = 1
        self.options = list(options) + os.environ.get('E2E_TARGET_OPTIONS', '').split()
        if config is not None:
            self.configure(config)
            self.options += ['--config', self.config_file]
        else:
            self.options += ['--file', self.disk, '--nqn', NQN,
                             '--listen', '127.0.0.1:%d' % self.port]
        self.start()

    def configure(self, config):
        config.setdefault('ports', [{'address': '127.0.0.1', 'port': self.port}])
        self.connect_lines = len(config.get('subsystems', ())) * len(config['ports'])
        with open(self.config_file, 'w', encoding='utf-8') as file:
            json.dump(config, file)

    def start(self):
        self.process = subprocess.Popen([TARGET] + self.options, stdout=subprocess.PIPE,
                                        stderr=self.errors, text=True)
        self.wait_for_lines()

    def wait_for_lines(self):
        """Until it has said where everything is; returns what it has said."""
        lines, missing = [], self.connect_lines
        while missing:
            line = self.process.stdout.readline()
            if not line:
                raise AssertionError('the target has ended: %r' % lines)
            lines.append(line)
            missing -= 'nvme connect' in line
        return lines

    def reload(self, config):
        self.configure(config)
        self.process.send_signal(signal.SIGHUP)
        return self.wait_for_lines()

    def kill(self):
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()

    def abandon(self):
        if self.process.poll() is None:
            self.kill()

    def stop(self):
        """An orderly end; the sanitizers look for what is left."""
        self.process.terminate()
        status = self.process.wait(60)
        self.process.stdout.close()
        return status

    @property
    def address(self):
        return ('127.0.0.1', self.port)

    def connect(self, queues=1, **args):
        return Controller(self.address, NQN, queues, **args)


def limit(test, limits):
    """Targets that are started in this test have these instead of the usual ones."""
    os.environ['SOFTFIELD_LIMITS'] = limits
    test.addCleanup(os.environ.pop, 'SOFTFIELD_LIMITS')


class ServedTest(unittest.TestCase):
    """A target for each test; it must end well."""
    config = None
    options = ()

    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.target = Target(self.temporary.name, self.config, self.options)
        self.addCleanup(self.target.abandon)  # also when the test or its end has failed

    def tearDown(self):
        if self.target.process.poll() is None:
            self.assertEqual(self.target.stop(), 0)
        else:
            self.assertEqual(self.target.process.returncode, 0)
        self.temporary.cleanup()
