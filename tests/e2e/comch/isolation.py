# SPDX-License-Identifier: BSD-3-Clause
"""Who gets in and who does not: functions, users, groups, namespaces.

A client that is refused sees an error; the server's program sees nothing.
"""
import json
import os
import shutil
import socket
import subprocess
import unittest

import e2e

OTHER_UID, OTHER_GID = 65534, 65533
AS_OTHER = ('setpriv', '--reuid=%d' % OTHER_UID, '--regid=%d' % OTHER_GID, '--clear-groups', '--')
CARD = {'dpu': [{'pci': '0000:03:00.0'}], 'host': [{'pci': '0000:b1:00.0'}]}


def works(*command):
    """Can this machine do that at all?"""
    if not shutil.which(command[0]):
        return False
    return subprocess.run(command, check=False, capture_output=True).returncode == 0


class Isolation(e2e.Test):
    def talk(self, server, client):
        """They hear each other, and the server survives the client's leaving."""
        before = len(server.drain())
        client.command('send 0 hello')
        client.expect('^message 0 5 hello$')
        client.quit()
        server.expect('^disconnect')
        self.assertIn('connect', ' '.join(server.lines[before - 2:]))

    def check_saw_nothing(self, server):
        """A friend who comes after is the first one the server's program hears of."""
        self.client().quit()
        server.expect('^disconnect 0$')
        self.assertEqual(self.check_connections(server), set())
        events = [line for line in server.drain() if 'connect' in line]
        self.assertEqual(events, ['connect 0', 'disconnect 0'])

    def topology(self, **card):
        """A file that others may read, with a runtime folder they may write to."""
        folder = self.temp_dir(0o755)
        path = os.path.join(folder, 'topology.json')
        runtime_dir = os.path.join(folder, 'run')
        os.mkdir(runtime_dir)
        os.chmod(runtime_dir, 0o1777)
        with open(path, 'w', encoding='ascii') as file:
            json.dump({'runtime_dir': runtime_dir, 'cards': [dict(CARD, **card)]}, file)
        return {'SOFTFIELD_TOPOLOGY': path}


class Functions(Isolation):
    def test_other_function(self):
        server = self.server()
        for address in ('b1:00.1', 'b1:00.2', '0000:b1:00.3'):
            client = self.refused_client('--pci', address)
            self.assertIn('no server "%s"' % self.name, client.log())
        self.check_saw_nothing(server)
        server.quit()

    def test_other_representor(self):
        server = self.server('--rep', 'b1:00.2', '--echo')
        self.refused_client()
        self.talk(server, self.client('--pci', 'b1:00.2'))
        server.quit()

    def test_other_name(self):
        server = self.server()
        client = e2e.Peer(self, 'client', self.name + 'x', '--start')
        client.expect('^state STARTING IDLE$')
        client.quit()
        self.assertRegex(client.log(), 'no server "%sx" for function 0000:b1:00.0 of card card0: '
                         r'there (is|are) ".* \(SOFTFIELD_CONNECT_WAIT=10s waits for one\)$' %
                         self.name)
        self.check_saw_nothing(server)
        server.quit()

    def test_same_name_on_two_functions(self):
        first = self.server('--echo')
        second = self.server('--rep', 'b1:00.2', '--echo')
        self.talk(first, self.client())
        self.talk(second, self.client('--pci', 'b1:00.2'))
        first.quit()
        second.quit()

    def test_name_is_taken(self):
        server = self.server()
        second = e2e.Peer(self, 'server', self.name, '--start', may_fail=True)
        second.expect('^error start DOCA_ERROR_IN_USE$')
        self.assertIn('a server named "%s" exists already' % self.name, second.log())
        second.quit()
        self.check_saw_nothing(server)
        server.quit()
        self.server().quit()

    def test_wrong_side(self):
        client = e2e.Peer(self, 'client', self.name, '--pci', '03:00.0', '--start', may_fail=True)
        client.expect('^error start DOCA_ERROR_NOT_SUPPORTED$')
        self.assertIn('a server needs one of the DPU, a client one of the host', client.log())
        client.quit()

    def test_other_card(self):
        server = self.server('--echo')
        env = self.topology(name='other')
        self.refused_client(env=dict(env, SOFTFIELD_RUNTIME_DIR=''))
        self.check_saw_nothing(server)
        server.quit()


@unittest.skipUnless(os.geteuid() == 0, 'only root can be another user')
class Users(Isolation):
    def setUp(self):
        super().setUp()
        if not works(*AS_OTHER, 'test', '-x', e2e.program('peer')):
            self.skipTest('user %d cannot run %s' % (OTHER_UID, e2e.program('peer')))

    def other(self, side, env, **more):
        return e2e.Peer(self, side, self.name, '--start', prefix=AS_OTHER, env=env, **more)

    def test_finds_nobody(self):
        """By default the names of another user are other names."""
        server = self.server()
        client = self.other('client', {})
        client.expect('^state STARTING IDLE$')
        client.quit()
        self.assertIn('user 0 has one, for clients of its own', client.log())
        self.check_saw_nothing(server)
        server.quit()

    def test_forged_name(self):
        """Whoever connects under the name of this user is told off by its credentials."""
        server = self.server()
        with open('/proc/net/unix', encoding='ascii', errors='replace') as sockets:
            path = next(line.split()[-1] for line in sockets if self.name in line)
        answer = subprocess.run([*AS_OTHER, 'python3', '-c', FORGER, path], check=True,
                                capture_output=True, text=True).stdout
        self.assertEqual(answer, "b'softfield: not permitted\\x00' b''\n")
        self.check_saw_nothing(server)
        self.assertRegex(server.log(), r'refused: process \d+ of user %d' % OTHER_UID)
        server.quit()

    def test_server_that_gives_up_root(self):
        """It is found under the name of the user that it began as, and is for that user."""
        for env in ({}, self.topology()):
            server = self.server('--echo', env=env)
            server.command('become %d' % OTHER_UID)
            server.expect('^done$')
            self.talk(server, self.client(env=env))
            server.quit()

    def test_shared_dir_without_access(self):
        env = self.topology()
        server = self.server(env=env)
        client = self.other('client', env)
        client.expect('^state STARTING IDLE$')
        self.assertRegex(client.log(), '"%s" for function .* is one of user 0, whose topology '
                         'gives user %d no "access"' % (self.name, OTHER_UID))
        client.quit()
        self.assertEqual(self.check_connections(server), set())
        server.quit()

    def test_listed_user(self):
        env = self.topology(access={'users': [0, OTHER_UID]})
        server = self.server('--echo', env=env)
        client = self.other('client', env)
        client.expect('^state STARTING RUNNING$')
        self.talk(server, client)
        server.quit()

    def test_listed_group(self):
        env = self.topology(access={'groups': [0, OTHER_GID]})
        server = self.server('--echo', env=env)
        client = self.other('client', env)
        client.expect('^state STARTING RUNNING$')
        self.talk(server, client)
        server.quit()

    def test_anybody(self):
        env = self.topology(access={'any_user': True})
        server = self.server('--echo', env=env)
        client = self.other('client', env)
        client.expect('^state STARTING RUNNING$')
        self.talk(server, client)
        server.quit()

    def test_user_who_is_not_listed(self):
        """Others are let in, this one is not: the server's library answers, not the file mode."""
        env = self.topology(access={'users': [0, OTHER_UID - 1]})
        server = self.server('--echo', env=env)
        client = self.other('client', env)
        client.expect('^state STARTING IDLE$')
        self.assertIn('does not accept user %d' % OTHER_UID, client.log())
        client.quit()
        self.assertRegex(server.log(), r'refused: process \d+ of user %d' % OTHER_UID)
        self.talk(server, self.client(env=env))
        server.quit()

    def test_server_who_is_not_trusted(self):
        """A client does not talk to just anybody who has taken the name."""
        env = self.topology(access={'users': [0, OTHER_UID - 1]})
        server = self.other('server', env)
        server.expect('^state IDLE RUNNING$')
        client = self.refused_client(env=env)
        self.assertRegex(client.log(), r'"%s" is process \d+ of user %d, group \d+: allowed are '
                         'user 0 and' % (self.name, OTHER_UID))
        self.assertEqual(self.check_connections(server), set())
        server.quit()


FORGER = '''
import socket, sys
sock = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
sock.connect(chr(0) + sys.argv[1][1:])
print(sock.recv(100), sock.recv(100))
'''


class Namespaces(Isolation):
    def inside(self, unshare, env):
        """A client in namespaces of its own talks to a server outside, and the other way round."""
        if not works('unshare', *unshare, 'true'):
            self.skipTest('unshare %s is not allowed here' % ' '.join(unshare))
        prefix = ('unshare', *unshare, '--')
        server = self.server('--echo', env=env)
        self.talk(server, self.client(env=env, prefix=prefix))
        server.quit()
        server = self.server('--echo', env=env, prefix=prefix)
        self.talk(server, self.client(env=env))
        server.quit()

    def test_network(self):
        alone = ['-n'] if os.geteuid() == 0 else ['-Urn']
        runtime_dir = self.temp_dir()
        self.inside(alone, {'SOFTFIELD_RUNTIME_DIR': runtime_dir})
        self.assertEqual(os.listdir(runtime_dir), [])

    def test_network_without_runtime_dir(self):
        """Abstract names end at the border of the network namespace."""
        alone = ['-n'] if os.geteuid() == 0 else ['-Urn']
        if not works('unshare', *alone, 'true'):
            self.skipTest('unshare %s is not allowed here' % alone[0])
        server = self.server()
        self.refused_client(prefix=('unshare', *alone, '--'))
        self.check_saw_nothing(server)
        server.quit()

    def test_all(self):
        runtime_dir = self.temp_dir()
        self.inside(['-Urmpf', '--kill-child'], {'SOFTFIELD_RUNTIME_DIR': runtime_dir})
        self.assertEqual(os.listdir(runtime_dir), [])

    def test_all_with_their_own_proc(self):
        runtime_dir = self.temp_dir()
        self.inside(['-Urmpf', '--kill-child', '--mount-proc'],
                    {'SOFTFIELD_RUNTIME_DIR': runtime_dir})

    def test_death_in_a_pid_namespace(self):
        """There is no pid to watch; the hang-up must do."""
        if not works('unshare', '-Urmpf', '--kill-child', 'true'):
            self.skipTest('unshare -Urmpf is not allowed here')
        env = {'SOFTFIELD_RUNTIME_DIR': self.temp_dir()}
        prefix = ('unshare', '-Urmpf', '--kill-child', '--')
        server = self.server('--echo', env=env, prefix=prefix)
        client = self.client(env=env)
        server.kill()
        client.expect('^state RUNNING STOPPING$')
        client.expect('^state STOPPING IDLE$')
        client.quit()
        self.assertEqual(os.listdir(env['SOFTFIELD_RUNTIME_DIR']), [])


class BadSetup(Isolation):
    """What is wrong is said, and what is allowed."""

    def fails_to_start(self, env, code, log, side='server', **more):
        peer = e2e.Peer(self, side, self.name, '--start', env=env, may_fail=True, **more)
        peer.expect('^error start %s$' % code)
        peer.quit()
        self.assertRegex(peer.log(), log)

    def has_no_device(self, env, log):
        peer = e2e.Peer(self, 'client', self.name, env=env, may_fail=True)
        peer.expect('^error list DOCA_ERROR_NOT_FOUND$')
        self.assertEqual(peer.wait(), 1)
        self.assertRegex(peer.log(), log)

    def test_runtime_dir_that_cannot_be_made(self):
        folder = os.path.join(self.temp_dir(), 'missing', 'run')
        env = {'SOFTFIELD_RUNTIME_DIR': folder}
        self.fails_to_start(env, 'DOCA_ERROR_INITIALIZATION',
                            '%s: cannot be made: No such file.*must name a folder you may write' %
                            folder)
        client = self.refused_client(env=env)
        self.assertIn('no server "%s"' % self.name, client.log())

    def test_runtime_dir_that_is_a_file(self):
        path = os.path.join(self.temp_dir(), 'file')
        with open(path, 'w', encoding='ascii'):
            pass
        self.fails_to_start({'SOFTFIELD_RUNTIME_DIR': path}, 'DOCA_ERROR_INITIALIZATION',
                            '%s: Not a directory' % path)

    @unittest.skipUnless(os.geteuid() == 0, 'only root can be another user')
    def test_runtime_dir_of_somebody_else(self):
        if not works(*AS_OTHER, 'test', '-x', e2e.program('peer')):
            self.skipTest('user %d cannot run %s' % (OTHER_UID, e2e.program('peer')))
        folder = self.temp_dir(0o755)
        self.fails_to_start({'SOFTFIELD_RUNTIME_DIR': folder}, 'DOCA_ERROR_INITIALIZATION',
                            '%s: Permission denied' % folder, prefix=AS_OTHER)

    def test_runtime_dir_that_is_too_long(self):
        env = {'SOFTFIELD_RUNTIME_DIR': '/tmp/' + 'x' * 90}
        self.has_no_device(env, 'SOFTFIELD_RUNTIME_DIR: .*at most')

    def test_relative_runtime_dir(self):
        self.has_no_device({'SOFTFIELD_RUNTIME_DIR': 'run'}, 'not an absolute path')

    def test_topology_that_is_missing(self):
        self.has_no_device({'SOFTFIELD_TOPOLOGY': '/nowhere/topology.json'},
                           '/nowhere/topology.json: No such file')

    def test_corrupt_topology(self):
        path = os.path.join(self.temp_dir(), 'topology.json')
        cases = {
            '{\n "cards": [\n': r'topology.json:\d+: the text ends too early',
            '{\n "cards": [],\n "speed": 9\n}':
                'topology.json:3: speed: unknown key; allowed here: runtime_dir',
            '\0\1\2': 'topology.json: has a zero byte in it: not a text file',
            '{\n "cards": nothing\n}': 'topology.json:2: not JSON',
            '': 'topology.json:1: the text ends too early',
        }
        for text, log in cases.items():
            with open(path, 'w', encoding='ascii') as file:
                file.write(text)
            self.has_no_device({'SOFTFIELD_TOPOLOGY': path}, log)

    def test_foreign_socket_at_our_place(self):
        """Somebody else's program listens under our name and talks nonsense."""
        server = self.server()
        with open('/proc/net/unix', encoding='ascii', errors='replace') as sockets:
            path = next(line.split()[-1] for line in sockets if self.name in line)
        server.quit()
        with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as foreign:
            foreign.bind('\0' + path[1:])
            foreign.listen()
            client = e2e.Peer(self, 'client', self.name, '--start')
            connection = foreign.accept()[0]
            connection.send(b'220 mail.example ready')
            client.expect('^state STARTING IDLE$')
            connection.close()
        self.assertIn('does not speak our protocol', client.log())
        client.quit()


del Isolation  # has no tests of its own

if __name__ == '__main__':
    e2e.main()
