# SPDX-License-Identifier: BSD-3-Clause
"""A stock Linux host: its kernel's initiator, nvme-cli, ext4 and fio, in a QEMU guest, against
softfield-target: on this machine's loopback over TCP, plain and with both digests, and beside it in
the guest over RDMA, where a software RoCE device can be made. What goes over TCP is captured and
Wireshark's dissectors judge it when they are installed."""
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

from served import NQN, TARGET, Target

GUEST = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'guest')
NEEDED = ['qemu-system-x86_64', 'nvme', 'fio', 'mkfs.ext4', 'cpio', 'zstd', 'depmod']
CONTRACT = os.environ.get('E2E_CONTRACT_STA', 'contract-sta')
CHECKS = 23
SIZE = 128 << 20
# The dissector takes the 64 bytes of an error log entry for more.
KNOWN_MALFORMED = 'Get Log Page Error Information'


def skip(why):
    print('SKIPPED: the Linux host has not been tested: ' + why, file=sys.stderr)
    sys.exit(77)


def prepare():
    path = os.environ['PATH'] + ':/usr/sbin:/sbin'
    missing = [tool for tool in NEEDED if not shutil.which(tool, path=path)]
    if missing:
        skip('missing ' + ' '.join(missing))
    built = subprocess.run([os.path.join(GUEST, 'build-guest.sh')], capture_output=True, text=True,
                           check=False)
    if built.returncode:
        skip(built.stderr.strip())


def why_no_rdma():
    """What keeps RDMA from being tested; None: nothing."""
    if not shutil.which('rdma', path=os.environ['PATH'] + ':/usr/sbin:/sbin'):
        return 'missing rdma (package iproute2)'
    tried = subprocess.run([TARGET, '--null', '1M', '--listen-rdma', '192.0.2.1'],
                           capture_output=True, text=True, check=False, timeout=60)
    return 'softfield-target is ' + tried.stderr.split(': ')[-1].strip() \
        if 'built without' in tried.stderr else None


class LinuxHost(unittest.TestCase):
    def run_checklist(self, *command, **settings):
        output = self.run_guest(*command, **settings)
        self.assertEqual(output.count('] ok '), CHECKS)

    def run_guest(self, *command, **settings):
        done = subprocess.run([os.path.join(GUEST, 'run-guest.sh')] + list(command),
                              capture_output=True, text=True, check=False,
                              env=dict(os.environ, GUEST_TIMEOUT='500', **settings))
        print(done.stdout)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout

    def run_checks(self, *options):
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, 'disk.img'), 'wb') as file:
                file.truncate(SIZE)
            target = Target(folder)
            capture = os.path.join(folder, 'wire.pcap')
            self.run_checklist(os.path.join(GUEST, 'linux-initiator.sh'), 'tcp', '10.0.2.2',
                               str(target.port), NQN, *options, GUEST_PCAP=capture)
            self.assertEqual(target.stop(), 0)
            self.judge(capture, target.port)

    def judge(self, capture, port):
        if not shutil.which('tshark'):
            print('SKIPPED: no tshark to judge the capture', file=sys.stderr)
            return
        judged = subprocess.run([os.path.join(GUEST, 'judge.sh'), capture, str(port)],
                                capture_output=True, text=True, check=False)
        lines = [line for line in judged.stdout.splitlines() if 'Malformed Packet' in line]
        self.assertEqual([line for line in lines if KNOWN_MALFORMED not in line], [])
        self.assertIn('terminations: 0', judged.stdout)

    def test_plain(self):
        self.run_checks()

    def test_with_digests(self):
        self.run_checks('-g', '-G')

    def need_rdma(self):
        why = why_no_rdma()
        if why:
            print('SKIPPED: RDMA has not been tested: ' + why, file=sys.stderr)
            self.skipTest(why)

    def test_contract_over_rdma(self):
        self.need_rdma()
        output = self.run_guest(os.path.join(GUEST, 'with-rxe.sh'), 'env',
                                'CONTRACT_RDMA=10.0.2.15', os.path.abspath(CONTRACT))
        self.assertIn('(rdma)', output)

    def test_rdma(self):
        self.need_rdma()
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, 'disk.img'), 'wb') as file:
                file.truncate(SIZE)
            where = ['10.0.2.15', '4420', NQN]
            self.run_checklist(
                os.path.join(GUEST, 'with-rxe.sh'), os.path.join(GUEST, 'with-target.sh'),
                os.path.abspath(TARGET), *where,
                os.path.join(GUEST, 'linux-initiator.sh'), 'rdma', *where, GUEST_JOB=folder)


if __name__ == '__main__':
    prepare()
    unittest.main()
