# SPDX-License-Identifier: BSD-3-Clause
"""Programs of earlier releases, built against an installation of this build as builds of their age
do, talk to each other.

usage: legacy.py BUILD PREFIX LIBDIR CC
"""
import os
import shlex
import shutil
import subprocess
import sys
import tempfile

import e2e

BUILD, PREFIX, LIBDIR, CC = sys.argv[1:5]
del sys.argv[1:5]
HERE = os.path.dirname(os.path.abspath(__file__))

# name -> (source, pkg-config module, what the build defines, release)
PROGRAMS = {
    'early': ('early.c', 'doca', [], '1.4'),
    'early_by_itself': ('early.c', 'doca-comm-channel', [], '1.4'),
    'late': ('late.c', 'doca-libs', [], '2.2'),
    'late_by_itself': ('late.c', 'doca-comm-channel', [], '2.2'),
    'cc': ('cc.c', 'doca-cc', ['DOCA_CC_LEGACY_2_5'], '2.5'),
}


class Tree:
    """An installation, and each program built against it for both sides."""

    def __init__(self):
        self.dir = tempfile.mkdtemp(prefix='softfield-legacy-')
        subprocess.run(['meson', 'install', '-C', BUILD, '--no-rebuild', '--quiet', '--destdir',
                        os.path.join(self.dir, 'stage')], check=True, stdout=subprocess.DEVNULL)
        self.libdir = os.path.join(self.dir, 'stage', PREFIX.lstrip('/'), LIBDIR)
        for side in ('dpu', 'host'):
            os.mkdir(os.path.join(self.dir, side))
            for name in PROGRAMS:
                self._build(side, name)

    def _build(self, side, name):
        source, module, macros, _ = PROGRAMS[name]
        folder = os.path.join(self.libdir, 'pkgconfig-dpu' if side == 'dpu' else 'pkgconfig')
        flags = subprocess.run(['pkg-config', '--cflags', '--libs', module], check=True, text=True,
                               stdout=subprocess.PIPE,
                               env=dict(e2e.clean_environment(), PKG_CONFIG_PATH=folder)).stdout
        subprocess.run([*shlex.split(CC), '-Wall', '-Werror', '-DDOCA_ALLOW_EXPERIMENTAL_API',
                        *('-D' + macro for macro in macros), '-o', self.program(side, name),
                        os.path.join(HERE, source), *flags.split()], check=True)

    def program(self, side, name):
        return os.path.join(self.dir, side, name)


class Legacy(e2e.Test):
    def start(self, side, name, role, service):
        return e2e.Process(self, [TREE.program(side, name), role, service], self.env)

    def talk(self, service_name, client_name):
        service = self.start('dpu', service_name, 'service', 'legacy')
        service.expect('^listening$')
        client = self.start('host', client_name, 'client', 'legacy')
        service.expect('^received question of %s$' % PROGRAMS[client_name][3])
        client.expect('^received answer of %s$' % PROGRAMS[service_name][3])
        for process in (client, service):
            if process.wait():
                process.fail('exit status')

    def setUp(self):
        super().setUp()
        self.env = {'SOFTFIELD_RUNTIME_DIR': self.temp_dir(), 'LD_LIBRARY_PATH': TREE.libdir}


def add_pair(service, client):
    def test(self):
        self.talk(service, client)
    setattr(Legacy, 'test_%s_serves_%s' % (service, client), test)


for service_program in PROGRAMS:
    for client_program in PROGRAMS:
        add_pair(service_program, client_program)

TREE = None


def setUpModule():
    global TREE
    TREE = Tree()


def tearDownModule():
    if TREE:
        shutil.rmtree(TREE.dir)


if __name__ == '__main__':
    e2e.main()
