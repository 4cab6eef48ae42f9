#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""softfield and doca_caps as people and scripts call them.

usage: tools.py SOFTFIELD DOCA_CAPS PEER EXAMPLE_TOPOLOGY
"""
import contextlib
import json
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import unittest

import e2e

SOFTFIELD, DOCA_CAPS, PEER, EXAMPLE = sys.argv[1:5]
del sys.argv[1:5]
CLEAN = {k: v for k, v in os.environ.items() if not k.startswith('SOFTFIELD_')}


def run(*command, **variables):
    """Exit code, standard output, standard error."""
    done = subprocess.run(command, env={**CLEAN, **variables}, capture_output=True, text=True,
                          check=False)
    return done.returncode, done.stdout, done.stderr


def output_of(*command, **variables):
    code, out, err = run(*command, **variables)
    assert (code, err) == (0, ''), (command, code, err)
    return out


def parse_caps(text):
    """Lines by depth, four spaces each: [(depth, key, value)]."""
    rows = []
    for line in text.splitlines():
        indent = len(line) - len(line.lstrip(' '))
        assert indent % 4 == 0 and '\t' not in line, line
        rows.append((indent // 4, *(line.split(None, 1) + [''])[:2]))
    return rows


class Arguments(unittest.TestCase):
    def test_help_is_not_an_error(self):
        for command in ([SOFTFIELD], [SOFTFIELD, 'devices'], [SOFTFIELD, 'servers'],
                        [SOFTFIELD, 'limits'], [SOFTFIELD, 'topology'], [SOFTFIELD, 'version'],
                        [DOCA_CAPS]):
            for option in ('--help', '-h'):
                self.assertTrue(output_of(*command, option).startswith('usage: '))

    def test_help_fits_a_terminal(self):
        for command in ([SOFTFIELD], [SOFTFIELD, 'devices'], [SOFTFIELD, 'servers'],
                        [SOFTFIELD, 'limits'], [SOFTFIELD, 'topology'], [SOFTFIELD, 'target'],
                        [DOCA_CAPS]):
            for line in output_of(*command, '--help').splitlines():
                self.assertLessEqual(len(line), 80, line)

    def test_help_names_what_is_no_command(self):
        words = output_of(SOFTFIELD, '--help').replace(',', '').split()
        self.assertEqual({'help', '-h', '--help', '-v', '--version'} - set(words), set())

    def test_help_of_a_command(self):
        for command in 'devices', 'servers', 'limits', 'topology', 'version':
            self.assertEqual(output_of(SOFTFIELD, 'help', command),
                             output_of(SOFTFIELD, command, '--help'))

    def test_completion_of_commands(self):
        script = os.path.join(os.path.dirname(__file__), '../../../data/bash-completion/softfield')
        commands = ['devices', 'servers', 'limits', 'topology', 'target', 'version']
        for words, offered in ((['softfield', ''], [*commands, 'help', '--help', '--version']),
                               (['softfield', 'help', ''], commands),
                               (['softfield', 'help', 'devices', ''], []),
                               (['softfield', 'limits', ''], ['--json', '--help'])):
            said = output_of('bash', '-c', 'source "$0"; COMP_WORDS=("$@")\n'
                             'COMP_CWORD=$(($# - 1)); _softfield; echo "${COMPREPLY[@]}"',
                             script, *words)
            self.assertEqual(said.split(), offered)
        for command in commands:
            self.assertIn('\n  %s ' % command, output_of(SOFTFIELD, '--help'))

    def test_what_cannot_be_written_is_an_error(self):
        for command in ([SOFTFIELD, 'devices'], [SOFTFIELD, 'help'], [SOFTFIELD, '--version'],
                        [DOCA_CAPS], [DOCA_CAPS, '--help'], [DOCA_CAPS, '--version']):
            with open('/dev/full', 'w', encoding='utf-8') as full:
                done = subprocess.run(command, env=CLEAN, stdout=full, stderr=subprocess.PIPE,
                                      text=True, check=False)
            self.assertEqual(done.returncode, 1, command)
            self.assertIn('cannot write: No space left on device', done.stderr)

    def test_wrong_arguments_exit_with_2(self):
        for command in ([SOFTFIELD], [SOFTFIELD, 'devces'], [SOFTFIELD, 'devices', '--jsn'],
                        [SOFTFIELD, 'devices', 'b1:00.0'], [SOFTFIELD, 'devices', '-p', 'b1'],
                        [SOFTFIELD, 'devices', '-r', 'b1:00.0'], [SOFTFIELD, 'limits', 'x'],
                        [SOFTFIELD, 'topology'], [SOFTFIELD, 'topology', 'check'],
                        [SOFTFIELD, 'version', '-x'], [SOFTFIELD, 'servers', 'x'],
                        [DOCA_CAPS, 'x'], [DOCA_CAPS, '--list'], [DOCA_CAPS, '-p', 'mlx5_0'],
                        [DOCA_CAPS, '-b', 'flow'], [DOCA_CAPS, '--list-devs', '--list-libs'],
                        [SOFTFIELD, 'help', 'x']):
            code, out, err = run(*command)
            self.assertEqual((code, out), (2, ''), command)
            self.assertRegex(err, '^(softfield|doca_caps)', command)

    def test_wrong_arguments_are_told_what_exists(self):
        commands = 'there are devices, '
        for command, told in (([SOFTFIELD], commands),
                              ([SOFTFIELD, 'devces'], '"devces"; ' + commands),
                              ([SOFTFIELD, 'help', 'x'], '"x"; ' + commands),
                              ([SOFTFIELD, 'topology', 'x'], '"x"; there is "check"'),
                              ([SOFTFIELD, 'devices', '--jsn'], 'see softfield devices --help'),
                              ([DOCA_CAPS, '--nope'], 'see doca_caps --help')):
            self.assertIn(told, run(*command)[2], command)

    def test_version(self):
        versions = json.loads(output_of(SOFTFIELD, 'version', '-j'))
        self.assertEqual(set(versions), {'softfield', 'interface', 'headers', 'library'})
        self.assertTrue(versions['softfield'].startswith(versions['interface'] + '.'))
        self.assertEqual(output_of(SOFTFIELD, '--version'), output_of(SOFTFIELD, 'version'))
        self.assertEqual(output_of(DOCA_CAPS, '-v').split(), ['doca_caps', versions['library']])


class Devices(unittest.TestCase):
    def list(self, *options, **variables):
        return json.loads(output_of(SOFTFIELD, 'devices', '-j', *options, **variables))

    def test_table_and_json_agree(self):
        rows = output_of(SOFTFIELD, 'devices').splitlines()
        devices = self.list()
        self.assertEqual(len(rows), 1 + len(devices))
        for row, device in zip(rows[1:], devices):
            cells = row.split()
            self.assertEqual(cells[:3], [device['card'], device['side'], device['pci']])
            self.assertEqual(row.rstrip(), row)

    def test_role_hides_a_side(self):
        self.assertEqual({d['side'] for d in self.list()}, {'dpu', 'host'})
        for role in 'dpu', 'host':
            self.assertEqual({d['side'] for d in self.list(SOFTFIELD_ROLE=role)}, {role})

    def test_selection(self):
        self.assertEqual([d['ibdev'] for d in self.list('-p', 'B1:00.2')], ['mlx5_4'])
        for variables in {}, {'SOFTFIELD_ROLE': 'dpu'}:
            found = self.list('-p', '03:00.0', '-r', '0000:b1:00.3', **variables)
            self.assertEqual([d['rep']['iface'] for d in found], ['pf0vf1'])

    def test_what_is_missing_is_told_with_what_there_is(self):
        self.assertEqual(
            run(SOFTFIELD, 'devices', '-p', '05:00.0', SOFTFIELD_ROLE='dpu'),
            (1, '', 'softfield devices: no device 0000:05:00.0; there is 0000:03:00.0, '
                    '0000:03:00.1\n'))
        self.assertEqual(
            run(SOFTFIELD, 'devices', '-p', '03:00.0', '-r', 'b1:00.7'),
            (1, '', 'softfield devices: no representor 0000:b1:00.7 on 0000:03:00.0; it has '
                    '0000:b1:00.0, 0000:b1:00.2, 0000:b1:00.3\n'))

    def test_more_than_fit_in_a_message(self):
        pf = {'pci': '0000:b1:00.0'}
        vfs = [{'pci': '0000:b1:%02x.%x' % divmod(i, 8), 'type': 'vf', 'pf': pf['pci']}
               for i in range(8, 208)]
        with tempfile.NamedTemporaryFile('w', suffix='.json') as file:
            json.dump({'cards': [{'dpu': [{'pci': '0000:03:00.0'}], 'host': [pf] + vfs}]}, file)
            file.flush()
            for words in (SOFTFIELD, 'devices'), (DOCA_CAPS,):
                code, _, err = run(*words, '-p', '05:00.0', SOFTFIELD_TOPOLOGY=file.name)
                told = err.rpartition('there is ')[2].rstrip('\n').split(', ')
                self.assertEqual((code, told.pop()), (1, '...'))
                self.assertLess(20, len(told))
                self.assertLessEqual(set(told), {'0000:03:00.0'} | {f['pci'] for f in [pf] + vfs})

    def test_output_has_no_colours(self):
        self.assertNotIn('\033', output_of(SOFTFIELD, 'devices'))


class Topology(unittest.TestCase):
    def check(self, text):
        with tempfile.NamedTemporaryFile('w', suffix='.json') as file:
            file.write(text)
            file.flush()
            code, out, err = run(SOFTFIELD, 'topology', 'check', file.name)
            return code, (out + err).replace(file.name, 'FILE')

    def test_example_is_right(self):
        self.assertEqual(output_of(SOFTFIELD, 'topology', 'check', EXAMPLE),
                         EXAMPLE + ': 1 card, 2 DPU functions, 5 host functions\n')

    def test_wrong_file_is_told_with_its_line(self):
        self.assertEqual(self.check('{"cards":[\n{"dpu":[]}]}'),
                         (1, 'softfield topology: FILE:2: cards[0].dpu: has 0 elements; '
                             'expected 1 to 16\n'))

    def test_every_file_is_looked_at(self):
        code, out, err = run(SOFTFIELD, 'topology', 'check', '/nonexistent', EXAMPLE)
        self.assertEqual(code, 1)
        self.assertIn('2 DPU functions', out)
        self.assertIn('No such file', err)

    def test_wrong_topology_stops_every_command(self):
        for command in ([SOFTFIELD, 'devices'], [SOFTFIELD, 'limits'], [SOFTFIELD, 'servers'],
                        [DOCA_CAPS], [DOCA_CAPS, '--list-devs']):
            code, out, err = run(*command, SOFTFIELD_ROLE='card')
            self.assertEqual((code, out), (1, ''), command)
            reason = 'SOFTFIELD_ROLE: "card" is neither "host" nor "dpu"'
            self.assertEqual(err.count(reason), 1, err)

    def test_misspelled_variable_is_told(self):
        code, out, err = run(SOFTFIELD, 'devices', SOFTFIELD_TOPOLGY='/nowhere')
        self.assertEqual(code, 0)
        self.assertEqual(run(SOFTFIELD, 'devices'), (0, out, ''))
        told = 'no variable is called SOFTFIELD_TOPOLGY; there are SOFTFIELD_TOPOLOGY,'
        self.assertEqual(err.count(told), 1, err)

    def test_file_is_used(self):
        self.assertIn('ens1f0np0', output_of(SOFTFIELD, 'devices', SOFTFIELD_TOPOLOGY=EXAMPLE))


class Limits(unittest.TestCase):
    def test_names_are_listed_when_one_is_unknown(self):
        code, out, err = run(SOFTFIELD, 'limits', SOFTFIELD_LIMITS='max_client=4')
        self.assertEqual(code, 1)
        self.assertIn('unknown "max_client"', err)
        self.assertIn('comch_max_clients ', out)

    def test_value_can_be_set(self):
        limits = json.loads(output_of(SOFTFIELD, 'limits', '-j',
                                      SOFTFIELD_LIMITS='max_clients=4000'))
        clients = [limit for limit in limits if limit['name'] == 'comch_max_clients'][0]
        self.assertEqual((clients['value'], clients['default']), (4000, 512))
        self.assertIn('4000 (set)', output_of(SOFTFIELD, 'limits',
                                              SOFTFIELD_LIMITS='max_clients=4000'))

    def test_capabilities_report_it(self):
        rows = parse_caps(output_of(DOCA_CAPS, '-b', 'comch', '-p', '03:00.0',
                                    SOFTFIELD_LIMITS='max_clients=4000'))
        self.assertIn((2, 'max_clients', '4000'), rows)


class Caps(unittest.TestCase):
    def test_devices(self):
        rows = parse_caps(output_of(DOCA_CAPS, '--list-devs'))
        self.assertEqual([value for _, key, value in rows if key == 'PCI:'][:3],
                         ['0000:03:00.0', '0000:03:00.1', '0000:b1:00.0'])
        self.assertEqual(rows[1], (2, 'ibdev_name', 'mlx5_0'))
        self.assertIn((2, 'ipv4_addr', '0.0.0.0'), rows)

    def test_representors(self):
        rows = parse_caps(output_of(DOCA_CAPS, '--list-rep-devs', '-p', '03:00.0'))
        self.assertEqual(rows[0], (0, 'PCI:', '0000:03:00.0'))
        reps = []
        for depth, key, value in rows[1:]:
            if depth == 2:
                self.assertEqual(key, 'representor-PCI:')
                reps.append({'pci': value})
            else:
                self.assertEqual(depth, 3)
                reps[-1][key] = value
        self.assertEqual([rep['iface_name'] for rep in reps],
                         ['pf0hpf', 'pf0vf0', 'pf0vf1', 'pf0sf4'])
        self.assertEqual(len({rep['vuid'] for rep in reps}), 4)
        self.assertEqual((reps[3]['pci_func_type'], reps[3]['sf_index']), ('SF', '4'))
        self.assertEqual((reps[1]['pf_index'], reps[1]['vf_index']), ('0', '0'))

    def test_hosts_have_no_representors(self):
        self.assertEqual(output_of(DOCA_CAPS, '--list-rep-devs', '-p', 'b1:00.1'),
                         'PCI: 0000:b1:00.1\n')

    def test_libraries(self):
        libs = dict(line.split(None, 1) for line in
                    output_of(DOCA_CAPS, '--list-libs').splitlines())
        self.assertEqual(libs['common'], 'installed')
        self.assertEqual(libs['comch'], 'installed')

    def test_loggers_are_all_that_there_are(self):
        source = os.path.join(os.path.dirname(os.path.abspath(__file__)), '../../../src')
        names = set()
        for folder, _, files in os.walk(source):
            for name in files:
                if name.endswith('.c'):
                    with open(os.path.join(folder, name), encoding='utf-8') as file:
                        names.update(re.findall(r'^#define LOG_MODULE "(.+)"', file.read(), re.M))
        names.add('argp')  # which has a place of its own for its lines
        self.assertEqual(output_of(DOCA_CAPS, '--list-loggers').split(), sorted(names))

    def test_capabilities_follow_the_side(self):
        for address, server, client in (('03:00.0', 'supported', 'unsupported'),
                                        ('b1:00.0', 'unsupported', 'supported')):
            rows = parse_caps(output_of(DOCA_CAPS, '-p', address, '-b', 'comch'))
            self.assertEqual(rows[1], (1, 'comch', ''))
            self.assertIn((2, 'server', server), rows)
            self.assertIn((2, 'client', client), rows)

    def test_missing_device(self):
        code, out, err = run(DOCA_CAPS, '--list-devs', '-p', '05:00.0')
        self.assertEqual((code, out), (1, ''))
        self.assertIn('no device 05:00.0; there is 0000:03:00.0, ', err)


class Servers(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.variables = {'SOFTFIELD_RUNTIME_DIR': folder.name}

    def start(self, role, name):
        """Runs the peer until the end of the test; returns when it is ready."""
        peer = subprocess.Popen([PEER, role, name], env={**CLEAN, **self.variables}, text=True,
                                stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.addCleanup(self.finish, peer)
        self.assertEqual(peer.stdout.readline(), 'ready\n')
        return peer

    @staticmethod
    def finish(peer):
        peer.send_signal(signal.SIGCONT)
        peer.communicate()

    def list(self):
        return json.loads(output_of(SOFTFIELD, 'servers', '-j', **self.variables))

    def test_none(self):
        self.assertEqual(self.list(), [])
        self.assertEqual(output_of(SOFTFIELD, 'servers', **self.variables),
                         'no servers in %s\n' % self.variables['SOFTFIELD_RUNTIME_DIR'])
        missing = dict(self.variables, SOFTFIELD_RUNTIME_DIR='/missing/folder')
        self.assertEqual(output_of(SOFTFIELD, 'servers', **missing),
                         'no servers in /missing/folder, which does not exist\n')

    def check_cannot_look(self, folder, why):
        variables = dict(self.variables, SOFTFIELD_RUNTIME_DIR=folder)
        self.assertEqual(run(SOFTFIELD, 'servers', **variables),
                         (1, '', 'softfield servers: cannot look for servers in %s: %s\n'
                          % (folder, why)))

    def test_runtime_folder_that_is_a_file(self):
        self.check_cannot_look(__file__, 'it is not a folder')
        self.check_cannot_look(__file__ + '/below', 'it is not a folder')

    def test_runtime_folder_that_cannot_be_reached(self):
        with tempfile.TemporaryDirectory() as folder:
            loop = os.path.join(folder, 'loop')
            os.symlink(loop, loop)
            self.check_cannot_look(loop, 'Operating system call failed')

    def test_server_and_client(self):
        server, client = self.start('server', 'alpha'), self.start('client', 'alpha')
        found = self.list()
        self.assertEqual(len(found), 1)
        self.assertEqual((found[0]['name'], found[0]['card'], found[0]['function']),
                         ('alpha', 'card0', '0000:b1:00.0'))
        self.assertEqual((found[0]['pid'], found[0]['max_clients']), (server.pid, 512))
        self.assertEqual([c['pid'] for c in found[0]['clients']], [client.pid])
        table = output_of(SOFTFIELD, 'servers', **self.variables)
        self.assertRegex(table, r'alpha +card0 +0000:b1:00.0 +%d +peer +1 of 512' % server.pid)
        self.assertRegex(table, r'\n  client +%d +peer +0 \(0\)' % client.pid)

    def test_names_cannot_harm_the_terminal(self):
        self.start('server', 'a\033[2J"b')
        self.assertEqual(self.list()[0]['name'], 'a?[2J"b')

    def test_server_without_progress_is_shown_all_the_same(self):
        server = self.start('server', 'beta')
        server.send_signal(signal.SIGSTOP)
        found = self.list()
        self.assertEqual([(s['pid'], s['answered']) for s in found], [(server.pid, False)])
        self.assertIn('no answer', output_of(SOFTFIELD, 'servers', **self.variables))

    def refuse(self, listener):
        """A server that this user may not talk to, which hangs up when it likes."""
        while True:
            try:
                peer = listener.accept()[0]
            except OSError:
                return
            peer.shutdown(socket.SHUT_RD)
            peer.send(b'softfield: not permitted\0')
            peer.setblocking(False)
            with contextlib.suppress(OSError):
                peer.recv(4096)
            peer.close()

    def test_server_that_does_not_let_us_in(self):
        """It is there, whether it hangs up before it is asked or after that."""
        listener = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        listener.bind(os.path.join(self.variables['SOFTFIELD_RUNTIME_DIR'], '0' * 16 + '.sock'))
        listener.listen()
        thread = threading.Thread(target=self.refuse, args=[listener])
        thread.start()
        try:
            for _ in range(20):
                self.assertEqual([(s['pid'], s['answered'], s['refused']) for s in self.list()],
                                 [(os.getpid(), False, True)])
            self.assertRegex(output_of(SOFTFIELD, 'servers', **self.variables),
                             r'%d +python.* refused' % os.getpid())
        finally:
            listener.shutdown(socket.SHUT_RDWR)
            thread.join()
            listener.close()

    def test_server_without_progress_has_a_name_where_there_is_no_folder(self):
        self.variables = {}
        name = 'gamma-%d' % os.getpid()
        server = self.start('server', name)
        server.send_signal(signal.SIGSTOP)
        found = [s for s in self.list() if s['pid'] == server.pid]
        self.assertEqual([(s['answered'], s['name'], s['function']) for s in found],
                         [(False, name, '0000:b1:00.0')])
        self.assertRegex(output_of(SOFTFIELD, 'servers'),
                         r'%s +\? +0000:b1:00.0 +%d +peer +no answer' % (name, server.pid))


if __name__ == '__main__':
    e2e.main()
