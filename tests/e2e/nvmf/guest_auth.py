# SPDX-License-Identifier: BSD-3-Clause
"""A stock Linux host that authenticates, in a QEMU guest: with keys that nvme-cli has made, of each
kind, each hash, several groups, and with wrong ones. Debian 12's kernel cannot; 13's can."""
import os
import subprocess
import tempfile
import unittest

import e2e
from linux_guest import Guest, find, kernel_has, prepare, script
from served import NQN, Target, free_port

HOSTNQN = 'nqn.2014-08.org.nvmexpress:uuid:00000000-1111-2222-3333-444444444444'
# kind of key, hash, group; the larger groups take an emulated machine minutes
ROUNDS = [(0, 'sha256', 'null'), (1, 'sha384', 'ffdhe2048'), (2, 'sha512', 'ffdhe3072'),
          (3, 'sha256', 'ffdhe4096'), (1, None, None)]


def setUpModule():
    prepare()
    if not kernel_has('CONFIG_NVME_HOST_AUTH'):
        raise unittest.SkipTest('no authentication: the guest\'s kernel is built without '
                                'CONFIG_NVME_HOST_AUTH')


def new_key(kind, nqn):
    return subprocess.run([find('nvme'), 'gen-dhchap-key', '--hmac=%d' % kind, '--nqn=' + nqn],
                          capture_output=True, text=True, check=True).stdout.strip()


class Auth(unittest.TestCase):
    def configure(self, number):
        kind, hash_name, group = ROUNDS[number - 1]
        keys = [new_key(kind, HOSTNQN), new_key(3 - kind, NQN), new_key(kind, HOSTNQN)]
        host = {'nqn': HOSTNQN, 'key': keys[0], 'controller_key': keys[1]}
        if hash_name:
            host.update({'hashes': [hash_name], 'groups': [group]})
        self.config['subsystems'][0]['hosts'] = [host]
        return keys

    def test_U1_linux_host(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.config = {'ports': [{'address': '127.0.0.1', 'port': free_port()}],
                       'subsystems': [{'nqn': NQN, 'namespaces': [
                           {'nsid': 1, 'memory': True, 'size': '8M'}]}]}
        self.configure(1)
        target = Target(temporary.name, self.config)
        self.addCleanup(target.abandon)
        guest = Guest(self, temporary.name, script('auth.sh'), '10.0.2.2',
                      str(self.config['ports'][0]['port']), NQN, HOSTNQN, str(len(ROUNDS)))
        for number in range(1, len(ROUNDS) + 1):
            guest.expect('now round %d' % number)
            keys = self.configure(number)
            target.reload(self.config)
            name = os.path.join(temporary.name, 'keys.%d' % number)
            with open(name + '.new', 'w', encoding='ascii') as file:
                file.write('\n'.join(keys) + '\n')
            os.rename(name + '.new', name)
        output = guest.finish()
        self.assertIn('ok end', output)
        for _, hash_name, group in ROUNDS[:-1]:
            self.assertIn('hash hmac(%s) dhgroup %s' % (hash_name, group), output)
        self.assertEqual(target.stop(), 0)


if __name__ == '__main__':
    e2e.main()
