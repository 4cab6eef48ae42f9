# SPDX-License-Identifier: BSD-3-Clause
"""A stock Linux host: its kernel's initiator, nvme-cli, ext4 and fio, in a QEMU guest, against
softfield-target: on this machine's loopback over TCP, plain and with both digests, and beside it in
the guest over RDMA, where a software RoCE device can be made, and with a disk on PCI that the
target drives. What goes over TCP is captured and judged by Wireshark's dissectors. The argument is
the class to run."""
import os
import tempfile
import unittest

import e2e
from linux_guest import judge, need_rdma, prepare, run, script
from served import NQN, TARGET, Target

CONTRACT = os.environ.get('E2E_CONTRACT_STA', 'contract-sta')
CHECKS = 28
CHECKS_PCI = 26  # nothing is verified or copied there
HOSTS = 4
QUEUE_PAIRS = 8  # twice as many as the host has, for it resets its controller
SIZE = 128 << 20
LEFT = 1 << 20  # of that, once the host has given up everything

setUpModule = prepare


class LinuxHost(unittest.TestCase):
    checks = CHECKS

    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = temporary.name
        with open(os.path.join(self.folder, 'disk.img'), 'wb') as file:
            file.truncate(SIZE)

    def run_checklist(self, *command, **settings):
        output = run(self, self.folder, *command, **settings)
        self.assertEqual(output.count('] ok '), self.checks)


class Tcp(LinuxHost):
    def run_checks(self, *options, config=None):
        target = Target(self.folder, config)
        self.addCleanup(target.abandon)
        capture = os.path.join(self.folder, 'wire.pcap')
        self.run_checklist(script('linux-initiator.sh'), 'tcp', '10.0.2.2', str(target.port), NQN,
                           *options, GUEST_PCAP=capture)
        self.assertEqual(target.stop(), 0)
        self.assertLess(os.stat(target.disk).st_blocks * 512, LEFT)
        judge(self, capture, target.port)

    def test_plain(self):
        self.run_checks()

    def test_with_digests_and_ana(self):
        namespace = {'nsid': 1, 'file': os.path.join(self.folder, 'disk.img')}
        self.run_checks('-g', '-G', config={
            'subsystems': [{'nqn': NQN, 'ana': True, 'namespaces': [namespace]}]})


class Hosts(LinuxHost):
    """Several hosts at once, at depths from 1 to 64."""

    def test_fio_of_all_at_once(self):
        target = Target(self.folder)
        self.addCleanup(target.abandon)
        self.assertIn('ok end', run(self, self.folder, script('hosts.sh'), '10.0.2.2',
                                    str(target.port), NQN, str(HOSTS)))
        self.assertEqual(target.stop(), 0)


class Rdma(LinuxHost):
    def setUp(self):
        need_rdma()
        super().setUp()

    def test_R12_R14_contract(self):
        output = run(self, self.folder, script('with-rxe.sh'), 'env', 'CONTRACT_RDMA=10.0.2.15',
                     os.path.abspath(CONTRACT))
        self.assertIn('(rdma)', output)

    def test_R5_to_R11_T25_linux_host(self):
        """All connections that there may be are silent ones, which make room."""
        where = ['10.0.2.15', '4420', NQN]
        limits = 'SOFTFIELD_LIMITS=sta_max_qps=%d' % QUEUE_PAIRS
        self.run_checklist(script('with-rxe.sh'), 'env', limits, script('with-target.sh'),
                           os.path.abspath(TARGET), *where,
                           script('crowd-rdma.py'), *where[:2], str(QUEUE_PAIRS),
                           script('linux-initiator.sh'), 'rdma', *where)


class Pci(LinuxHost):
    """The target drives an NVMe disk on PCI by itself, through vfio."""

    checks = CHECKS_PCI

    def test_linux_host(self):
        where = ['10.0.2.15', '4420', NQN]
        self.run_checklist(script('with-vfio.sh'), script('with-target.sh'),
                           os.path.abspath(TARGET), *where,
                           script('linux-initiator.sh'), 'tcp', *where, GUEST_IOMMU='1',
                           GUEST_NVME=os.path.join(self.folder, 'disk.img'))


if __name__ == '__main__':
    e2e.main()
