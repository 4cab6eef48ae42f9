# SPDX-License-Identifier: BSD-3-Clause
"""What softfield-target does for hosts that keep to the protocol."""
import ctypes
import json
import os
import signal
import socket
import struct
import subprocess
import tempfile
import time
import unittest

import e2e
from nvmetcp import (CMD, HOSTNQN, SGL_IN_CAPSULE, SGL_TRANSPORT, Closed, Controller, Queue,
                     command, sgl)
from served import NQN, TARGET, ServedTest, free_port

DNR = 0x4000
# a file that is wrong, and what is said about it
BAD_FILES = [
    ('{\n"subsystems": [\n,', ':3: not JSON: unexpected character, at: ,'),
    ('{', ':1: the text ends too early'),
    ('[]', ':1: array where an object { ... } is expected'),
    ('{}', ':1: has no "subsystems"'),
    ('{\n"threads": 99, "subsystems": []}', ':2: threads: 99 is out of range; expected 1 to 16'),
    ('{"subsystems": [],\n"subsystems": []}', ':2: subsystems: the key is given twice'),
    ('{"subsystems": [],\n"port": 1}',
     ':2: port: unknown key; allowed here: threads, prometheus, ports, subsystems'),
    ('{"subsystems": [\n{"nqn": "x"}]}',
     ':2: subsystems[0].nqn: "x" is no NQN: those have 11 to 223 characters, such as '
     'nqn.2025-11.local.softfield:disk'),
    ('{"subsystems": [{"nqn": "%s"},\n{\n"nqn": "%s"}]}' % (NQN, NQN),
     ':3: subsystems[1].nqn: subsystems[0] has this name already'),
    ('{"subsystems": [{"nqn": "%s",\n"namespaces": [\n{}]}]}' % NQN,
     ':3: subsystems[0].namespaces[0]: needs one of "file", "pci", "memory": true and '
     '"null": true'),
    ('{"subsystems": [{"nqn": "%s",\n"namespaces": [{"nsid": 7, "null": true, "size": "1M"},\n'
     '{"null": true, "size": "1M",\n"nsid": 7}]}]}' % NQN,
     ':4: subsystems[0].namespaces[1].nsid: namespaces[0] has 7 already'),
    ('{"subsystems": [{"nqn": "%s1", "namespaces": [{"null": true, "size": "1M"},\n'
     '{"null": true, "size": "1M", "uuid": "12345678-1234-1234-1234-123456789abc"}]},\n'
     '{"nqn": "%s2", "namespaces": [{"null": true, "size": "1M",\n'
     '"uuid": "12345678-1234-1234-1234-123456789ABC"}]}]}' % (NQN, NQN),
     ':4: subsystems[1].namespaces[0].uuid: subsystems[0].namespaces[1] has it already'),
    ('{"subsystems": [{"nqn": "%s", "namespaces": [\n'
     '{"memory": true, "size": "1M", "uuid": "00000000-0000-0000-0000-000000000000"}]}]}' % NQN,
     ':2: subsystems[0].namespaces[0].uuid: "00000000-0000-0000-0000-000000000000" stands for no '
     'UUID'),
    ('{"ports": [{},\n{"address": "nowhere"}], "subsystems": []}',
     ':2: ports[1].address: "nowhere" is no IPv4 or IPv6 address'),
    ('{"ports": [{}, {"port": 1},\n{}], "subsystems": []}',
     ':2: ports[2]: is the same as ports[0]'),
    ('{"ports": [{"ana":\n{"1": "fast"}}], "subsystems": []}',
     ':2: ports[0].ana.1: states are "optimized", "non-optimized", "inaccessible", '
     '"persistent-loss" and "change"'),
]
# arguments that are wrong, the exit status, and a part of what is said
BAD_ARGUMENTS = [
    ('', 2, 'nothing to serve: give one of --file, --memory, --null, --pci, --config'),
    ('--nothing', 2, "unrecognized option '--nothing'"),
    ('disk.img', 2, 'unexpected "disk.img"'),
    ('--memory 1x', 2, '--memory: "1x" is not a size such as 512M'),
    ('--memory -1', 2, '--memory: "-1" is not a size such as 512M'),
    ('--null 1M --threads 17', 2, '--threads: "17" is not a number from 1 to 16'),
    ('--null 1M --table x', 2, '--table: "x" is not a number from 1 to 86400'),
    ('--null 1M --block-size 500', 2,
     '--block-size: "500" is not a power of two from 512 to 65536'),
    ('--null 1M --block-size -18446744073709551104', 2,
     '--block-size: "-18446744073709551104" is not a power of two from 512 to 65536'),
    ('--null 1M --nqn x', 2, '--nqn: "x" is not an NQN: 11 to 223 characters'),
    ('--null 1M --listen 127.0.0.1:0', 2,
     '--listen: "127.0.0.1:0" is not ADDRESS:PORT such as 127.0.0.1:4420'),
    ('--null 1M --prometheus 127.0.0.1', 2,
     '--prometheus: "127.0.0.1" is not ADDRESS:PORT such as 127.0.0.1:9464'),
    ('--config x --direct', 2, 'with --config the file says everything'),
    ('--config x --null 1M', 2, 'with --config the file says everything'),
    ('--config /nonexistent', 1, '/nonexistent: No such file or directory'),
    ('--file /nonexistent', 1, '/nonexistent: Not found (to make it: truncate -s 1G FILE)'),
    ('--file /dev', 1, '/dev: Invalid argument (a file or block device of at least'),
    ('--pci 0000:00:00.0 --read-only', 2, '--read-only: a disk on PCI knows itself'),
    ('--pci 0000:00:00.0 --block-size 512', 2, '--block-size: a disk on PCI has its own'),
    ('--null 1M --nqn nqn.2014-08.org.nvmexpress.discovery', 2,
     '--nqn: the discovery subsystem is there by itself'),
    ('--null 1M --direct', 2, '--direct is for --file only'),
    ('--memory 1K --block-size 4096', 2, '--memory: 1024 bytes are less than a block of 4096'),
    ('--file /dev/zero --null 100', 2, '--null: 100 bytes are less than a block of 512'),
    ('--null 1M --listen=', 2, '--listen: "" is not ADDRESS:PORT such as 127.0.0.1:4420'),
    ('--null 1M --listen []:4420', 2, '--listen: "[]:4420" is not ADDRESS:PORT'),
    ('--null 1M --listen [::1', 2, '--listen: "[::1" is not ADDRESS:PORT'),
    ('--null 1M --listen [::1]x:4420', 2, '--listen: "[::1]x:4420" is not ADDRESS:PORT'),
    ('--pci nowhere', 1, 'nowhere: Not found (lspci -D shows'),
]
DISCOVERY = 'nqn.2014-08.org.nvmexpress.discovery'


def obey_modes_of_files():
    """Also root: CAP_DAC_OVERRIDE is not for the next program."""
    if os.geteuid() == 0:
        ctypes.CDLL(None).prctl(24, 1, 0, 0, 0)


def get_log(queue, lid, size, offset=0, retain=True):
    cdw10 = lid | (0x8000 if retain else 0) | (size // 4 - 1) << 16
    return queue.admin_read(2, size, 0xffffffff, (cdw10, 0, offset))


class OneFile(ServedTest):
    def test_data_is_in_the_file(self):
        host = self.target.connect(2)
        data = os.urandom(65536)
        self.assertEqual(host.queues[0].write_blocks(100, data), 0)
        self.assertEqual(host.queues[1].read_blocks(100, 128)[::2], (0, data))
        with open(self.target.disk, 'rb') as file:
            file.seek(100 * 512)
            self.assertEqual(file.read(65536), data)
        host.close()

    def test_acknowledged_writes_survive_a_kill(self):
        host = self.target.connect()
        blocks = [os.urandom(4096) for _ in range(32)]
        for index, data in enumerate(blocks):
            self.assertEqual(host.queues[0].write_blocks(index * 8, data, in_capsule=True), 0)
        self.assertEqual(host.queues[0].execute(command(0, 1, 1))[0], 0)
        self.target.kill()
        host.close()
        self.target.start()
        host = self.target.connect()
        for index, data in enumerate(blocks):
            self.assertEqual(host.queues[0].read_blocks(index * 8, 8)[::2], (0, data))
        host.close()

    def test_N3_to_N6_commands_of_the_program(self):
        host = self.target.connect()
        queue = host.queues[0]
        data = os.urandom(4096)
        compare = command(5, 1, 1, sgl(SGL_TRANSPORT, 4096), (8, 0, 7))
        self.assertEqual(queue.write_blocks(8, data, fua=True), 0)
        self.assertEqual(queue.execute(compare, write=data)[0], 0)
        self.assertEqual(queue.execute(compare, write=bytes(4096))[0], 0x285 | DNR)
        self.assertEqual(queue.execute(command(8, 2, 1, None, (8, 0, 3)))[0], 0)
        self.assertEqual(queue.read_blocks(8, 8)[::2], (0, bytes(2048) + data[2048:]))
        ranges = struct.pack('<IIQ', 0, 4, 12)
        dsm = command(9, 3, 1, sgl(SGL_IN_CAPSULE, 16), (0, 4))
        self.assertEqual(queue.execute(dsm, ranges)[0], 0)
        self.assertEqual(queue.read_blocks(8, 8)[::2], (0, bytes(4096)))
        for offset in (1, 2, 3):  # anywhere behind the command
            for opcode, cdw, part in ((5, (0, 0, 0), bytes(512)), (9, (0, 4), ranges)):
                sqe = command(opcode, 4, 1, sgl(SGL_IN_CAPSULE, len(part), offset), cdw)
                self.assertEqual(queue.execute(sqe, b'x' * offset + part)[0], 0, opcode)
        bad = struct.pack('<IIQ', 0, 4, 1 << 60)
        self.assertEqual(queue.execute(dsm, bad)[0], 0x80 | DNR)
        self.assertEqual(queue.execute(command(8, 2, 1, None, (0xffffffff, 9, 3)))[0], 0x80 | DNR)
        self.assertEqual(queue.execute(command(0, 1, 0xffffffff))[0], 0x0b | DNR)
        host.close()

    def test_D_discovery(self):
        queue = Queue(self.target.address)
        queue.initialize()
        self.assertEqual(queue.connect(DISCOVERY)[0], 0)
        self.assertEqual(queue.property_set(0x14, 0x460001), 0)
        status, _, log = get_log(queue, 0x70, 2048)
        self.assertEqual(status, 0)
        self.assertEqual(struct.unpack('<QQH', log[:18])[1:], (1, 0))
        entry = log[1024:]
        self.assertEqual(entry[:4], bytes([3, 1, 2, 4]))
        self.assertEqual(entry[32:64].rstrip(), str(self.target.port).encode())
        self.assertEqual(entry[256:512].rstrip(b'\0'), NQN.encode())
        self.assertEqual(entry[512:768].rstrip(), b'127.0.0.1')
        queue.close()

    def test_T16_success_flag_without_flow_control(self):
        host = self.target.connect(0)
        queue = host.open()
        self.assertEqual(queue.connect(NQN, 1, host.cntlid, cattr=4)[0], 0)
        self.assertEqual(queue.sqhd, 0xffff)  # granted
        queue.submit(command(2, 1, 1, sgl(SGL_TRANSPORT, 512)))
        kind, flags, _, data = queue.receive()
        self.assertEqual((kind, flags & 12, len(data)), (7, 12, 512))
        queue.close()
        host.close()

    def test_Q2_every_command_moves_the_head(self):
        host = self.target.connect(0)
        queue = host.open()
        self.assertEqual(queue.connect(NQN, 1, host.cntlid, sqsize=7)[0], 0)
        self.assertEqual(queue.sqhd, 1)
        for count in range(2, 20):
            self.assertEqual(queue.execute(command(0, 1, 1))[0], 0)
            self.assertEqual(queue.sqhd, count % 8)
        queue.close()
        host.close()

    def test_P3_resets_are_silent(self):
        host = self.target.connect(0)
        for _ in range(20):  # more requests than the queue has entries
            for cid in range(4):
                host.admin.submit(command(0x0c, 0x1000 + cid))
            self.assertEqual(host.admin.property_set(0x14, 0), 0)
            self.assertEqual(host.admin.property_set(0x14, 0x460001), 0)
        host.close()

    def test_a_file_is_served_once(self):
        other = subprocess.run([TARGET, '--file', self.target.disk, '--listen', '127.0.0.1:1'],
                               capture_output=True, text=True, check=False)
        self.assertEqual(other.returncode, 1)

    def test_sixty_four_hosts(self):
        hosts = [self.target.connect(1, hostnqn=HOSTNQN[:-2] + '%02x' % n) for n in range(64)]
        for index, host in enumerate(hosts):
            data = bytes([index]) * 512
            self.assertEqual(host.queues[0].write_blocks(index, data, in_capsule=True), 0)
        for index, host in enumerate(hosts):
            self.assertEqual(host.queues[0].read_blocks(index, 1)[2], bytes([index]) * 512)
            host.close()


class Configured(ServedTest):
    def setUp(self):
        self.config = {'subsystems': [{'nqn': NQN, 'ana': True, 'namespaces': [
            {'nsid': 1, 'memory': True, 'size': '4M'},
            {'nsid': 3, 'null': True, 'size': '1G', 'block_size': 4096}]}]}
        super().setUp()

    def namespaces(self, host):
        status, _, page = host.admin.admin_read(6, 4096, 0, (2,))
        self.assertEqual(status, 0)
        return [n for n in struct.unpack('<1024I', page) if n]

    def test_live_reconfiguration(self):
        host = self.target.connect()
        self.assertEqual(self.namespaces(host), [1, 3])
        self.assertEqual(host.admin.execute(command(9, 1, 0, None, (0x0b, 0x100)))[0], 0)
        host.admin.submit(command(0x0c, 2))
        subsys = self.config['subsystems'][0]
        subsys['namespaces'] = [subsys['namespaces'][0], {'nsid': 2, 'file': self.target.disk}]
        self.target.reload(self.config)
        self.assertEqual(host.admin.completion()[:3], (2, 0, 0x00040002))
        _, _, changed = get_log(host.admin, 4, 4096, retain=False)
        self.assertEqual(sorted(n for n in struct.unpack('<1024I', changed) if n), [2, 3])
        self.assertEqual(self.namespaces(host), [1, 2])
        queue = host.queues[0]
        self.assertEqual(queue.read_blocks(0, 1, 4096, nsid=3)[0], 0x0b | DNR)
        self.assertEqual(queue.write_blocks(0, b'x' * 512, nsid=2, in_capsule=True), 0)
        host.close()

    def test_N13_growing_a_file(self):
        subsys = self.config['subsystems'][0]
        subsys['namespaces'].append({'nsid': 2, 'file': self.target.disk})
        self.target.reload(self.config)
        host = self.target.connect()
        self.assertEqual(host.queues[0].read_blocks(32768, 1, nsid=2)[0], 0x80 | DNR)
        os.truncate(self.target.disk, 32 << 20)
        self.target.reload(self.config)
        self.assertEqual(host.queues[0].read_blocks(32768, 1, nsid=2)[0], 0)
        host.close()

    def test_N13_removal_under_load(self):
        host = self.target.connect()
        queue = host.queues[0]
        for cid in range(100):
            queue.submit(command(2, cid, 1, sgl(SGL_TRANSPORT, 4096), (0, 0, 7)))
        self.config['subsystems'][0]['namespaces'].pop(0)
        self.target.reload(self.config)
        answers = [queue.completion() for _ in range(100)]
        self.assertEqual(sorted(a[0] for a in answers), list(range(100)))
        self.assertLessEqual({a[1] for a in answers}, {0, 0x0b | DNR})
        host.close()

    def test_H1_ana_states(self):
        host = self.target.connect()
        ports = [{'address': '127.0.0.1', 'port': self.target.port, 'ana': {'1': 'inaccessible'}}]
        self.target.reload(dict(self.config, ports=ports))
        self.assertEqual(host.queues[0].read_blocks(0, 1)[0], 0x302)
        self.assertEqual(host.queues[0].execute(command(0, 1, 1))[0], 0x302)
        status, _, log = get_log(host.admin, 0x0c, 4096)
        self.assertEqual((status, log[16 + 16]), (0, 3))
        ports[0]['ana']['1'] = 'optimized'
        self.target.reload(dict(self.config, ports=ports))
        self.assertEqual(host.queues[0].read_blocks(0, 1)[0], 0)
        host.close()

    def test_F13_allowed_hosts(self):
        self.config['subsystems'][0]['hosts'] = [HOSTNQN]
        self.target.reload(self.config)
        host = self.target.connect(0)
        stranger = Queue(self.target.address)
        stranger.initialize()
        status, _ = stranger.connect(NQN, hostnqn='nqn.2024-01.example:stranger')
        self.assertEqual(status, 0x184 | DNR)
        stranger.close()
        del self.config['subsystems'][0]['hosts']
        self.target.reload(self.config)
        stranger = self.target.connect(1, hostnqn='nqn.2024-01.example:stranger')
        self.config['subsystems'][0]['hosts'] = [HOSTNQN]
        self.target.reload(self.config)
        with self.assertRaises((Closed, ConnectionError)):
            stranger.admin.receive()
        stranger.close()
        self.assertEqual(host.admin.execute(command(0x18, 1))[0], 0)
        host.close()

    def test_serial_numbers_are_made_from_names(self):
        first, second = (dict(self.config['subsystems'][0], nqn=NQN + c) for c in 'ab')
        third = dict(first, nqn=NQN + 'c', serial='0815')
        self.target.reload({'subsystems': [first, second, third]})
        serials = []
        for nqn in (NQN + 'a', NQN + 'b', NQN + 'c'):
            host = Controller(self.target.address, nqn, 0)
            serials.append(host.admin.admin_read(6, 4096, 0, (1,))[2][4:24].decode().rstrip())
            host.close()
        self.assertEqual(serials[2], '0815')
        self.assertNotEqual(serials[0], serials[1])
        for serial in serials[:2]:
            self.assertRegex(serial, '^SF[0-9a-f]{16}$')

    def test_a_bad_file_changes_nothing(self):
        for text, message in BAD_FILES:
            with open(self.target.config_file, 'w', encoding='utf-8') as file:
                file.write(text)
            result = subprocess.run([TARGET, '--config', self.target.config_file],
                                    capture_output=True, text=True, check=False, timeout=60)
            self.assertEqual(result.returncode, 1)
            self.assertEqual(result.stderr.splitlines(), [
                'softfield target: ' + self.target.config_file + message])
        self.target.process.send_signal(signal.SIGHUP)
        host = self.target.connect()
        self.assertEqual(self.namespaces(host), [1, 3])
        host.close()


class Crowded(ServedTest):
    """More commands for the program than the disk takes at once."""
    PER_QUEUE = 126

    def setUp(self):
        self.config = {'subsystems': [{'nqn': NQN, 'namespaces': []}]}
        super().setUp()
        self.reload([{'nsid': 1, 'file': self.target.disk}])
        self.host = self.target.connect(4)

    def tearDown(self):
        self.host.close()
        super().tearDown()

    def reload(self, namespaces):
        self.config['subsystems'][0]['namespaces'] = namespaces
        self.target.reload(self.config)

    def crowd(self, opcode, cdw=(), data=None, inside=b''):
        for queue in self.host.queues:
            queue.send(b''.join(queue.pdu(CMD, command(opcode, cid, 1, data, cdw), inside)
                                for cid in range(self.PER_QUEUE)))

    def statuses(self, queue, write=b''):
        answers = [queue.completion(write)[:2] for _ in range(self.PER_QUEUE)]
        self.assertEqual(sorted(cid for cid, _ in answers), list(range(self.PER_QUEUE)))
        return {status for _, status in answers}

    def test_N3_to_N6_none_is_refused(self):
        ranges = struct.pack('<IIQ', 0, 8, 0)
        for opcode, cdw, data, inside, write in (
                (0, (), None, b'', b''), (8, (0, 0, 127), None, b'', b''),
                (9, (0, 4), sgl(SGL_IN_CAPSULE, 16), ranges, b''),
                (5, (0, 0, 7), sgl(SGL_TRANSPORT, 4096), b'', bytes(4096))):
            self.crowd(opcode, cdw, data, inside)
            for queue in self.host.queues:
                self.assertEqual(self.statuses(queue, write), {0}, opcode)

    def test_hosts_that_leave_hold_up_nobody(self):
        self.crowd(8, (0, 0, 127))
        for queue in self.host.queues[:3]:
            queue.close()
        self.assertEqual(self.statuses(self.host.queues[3]), {0})
        self.host.queues[:3] = [self.host.add_queue(qid + 1) for qid in range(3)]
        self.crowd(0)
        for queue in self.host.queues:
            self.assertEqual(self.statuses(queue), {0})

    def test_N13_removal_answers_all(self):
        self.crowd(8, (0, 0, 127))
        self.reload([])
        for queue in self.host.queues:
            self.assertLessEqual(self.statuses(queue), {0, 0x0b | DNR})


class Arguments(unittest.TestCase):
    def test_wrong_ones_are_told(self):
        for arguments, status, said in BAD_ARGUMENTS:
            result = subprocess.run([TARGET] + arguments.split(), text=True, check=False,
                                    capture_output=True, timeout=60)
            self.assertEqual((result.returncode, result.stdout), (status, ''), arguments)
            self.assertIn(said, result.stderr)

    def test_blanks_are_no_units(self):
        result = subprocess.run([TARGET, '--null', '1 ', '--listen', '127.0.0.1:1', '--table', 'x'],
                                text=True, check=False, capture_output=True, timeout=60)
        self.assertIn('--null: "1 " is not a size such as 512M', result.stderr)

    def test_what_to_do_about_a_disk_is_told(self):
        with tempfile.NamedTemporaryFile('w+') as file:
            json.dump({'ports': [{'port': free_port()}], 'subsystems': [{
                'nqn': NQN, 'namespaces': [{'memory': True, 'size': '100'}]}]}, file)
            file.flush()
            self.check_told(['--config', file.name, '--table', '1'],
                            ': memory: Invalid argument (at least one block')
        with tempfile.NamedTemporaryFile() as disk:
            disk.truncate(1 << 20)
            os.chmod(disk.name, 0o444)
            self.check_told(['--file', disk.name, '--listen', '127.0.0.1:%d' % free_port()],
                            '(without the right to write: --read-only')

    def test_ports_may_be_left_out_and_addresses_be_of_version_6(self):
        listeners = [('127.0.0.2', '127.0.0.2', '4420'), ('[::1]:%d' % free_port(), '::1', None),
                     ('::1', '::1', '4420'), ('127.2:%d' % free_port(), '127.0.0.2', None),
                     ('0:%d' % free_port(), '<address of this machine>', None),
                     ('[::0]:%d' % free_port(), '<address of this machine>', None)]
        for text, address, port in listeners:
            port = port or text.split(':')[-1]
            with subprocess.Popen([TARGET, '--null', '1M', '--listen', text], text=True,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as process:
                said = [process.stdout.readline() for _ in range(3)]
                process.terminate()
            if 'cannot listen' in said[0]:
                continue  # somebody else does, or the machine has no such address
            self.assertIn('-a %s -s %s ' % (address, port), said[2])

    def test_without_standard_descriptors_nothing_takes_their_place(self):
        port = free_port()
        with subprocess.Popen(['sh', '-c', 'exec "$@" <&- >&- 2>&-', '-', TARGET, '--null', '1M',
                               '--listen', '127.0.0.1:%d' % port]) as process:
            while True:
                with socket.socket() as sock:
                    if not sock.connect_ex(('127.0.0.1', port)):
                        break
                self.assertIsNone(process.poll())
                time.sleep(0.01)
            places = [os.readlink('/proc/%d/fd/%d' % (process.pid, fd)) for fd in range(3)]
            process.terminate()
        self.assertEqual(places, ['/dev/null'] * 3)

    def default_name(self, *before):
        """What a target without --nqn is called."""
        with subprocess.Popen([*before, TARGET, '--null', '1M', '--listen',
                               '127.0.0.1:%d' % free_port()], text=True,
                              stdout=subprocess.PIPE) as process:
            name = process.stdout.readline().strip()
            process.terminate()
        return name

    def test_machines_have_names_of_their_own(self):
        try:
            with open('/etc/machine-id', encoding='ascii') as file:
                machine = file.read().strip()
        except OSError:
            machine = ''
        name = self.default_name()
        self.assertEqual(self.default_name(), name)
        if len(machine) != 32:
            self.assertEqual(name, 'nqn.2025-11.local.softfield:disk')
            return
        self.assertRegex(name, '^nqn.2025-11.local.softfield:[0-9a-f]{8}:disk$')
        self.assertNotIn(name.split(':')[1], machine)
        with tempfile.NamedTemporaryFile('w') as other:
            other.write(32 * '7' + '\n')
            other.flush()
            elsewhere = ['unshare', '-rm', 'sh', '-c',
                         'mount --bind "$0" /etc/machine-id && exec "$@"', other.name]
            try:
                subprocess.run(elsewhere + ['true'], check=True, stderr=subprocess.DEVNULL)
            except (OSError, subprocess.CalledProcessError):
                return  # not everywhere may one have mounts of one's own
            self.assertRegex(self.default_name(*elsewhere), ':[0-9a-f]{8}:disk$')
            self.assertNotEqual(self.default_name(*elsewhere), name)

    def test_rows_of_the_table_fit_a_terminal(self):
        target = subprocess.Popen(
            [TARGET, '--null', '1G', '--nqn', NQN + 'x' * 100 + '-the-end', '--table', '1',
             '--listen', '127.0.0.1:%d' % free_port()], text=True, stdout=subprocess.PIPE)
        lines = iter(target.stdout.readline, '')
        rows = [next(line for line in lines if line.startswith('subsystem ')), next(lines)]
        target.terminate()
        target.communicate()
        self.assertIn('x-the-end     1 ', rows[1])
        self.assertEqual([len(row.rstrip('\n')) for row in rows], [79, 79])

    def check_told(self, arguments, said):
        result = subprocess.run([TARGET] + arguments, text=True, check=False, capture_output=True,
                                timeout=60, preexec_fn=obey_modes_of_files)
        self.assertEqual(result.returncode, 1, result.stderr)
        self.assertIn(said, result.stderr)


class Threads(ServedTest):
    options = ('--threads', '3')

    def test_Q9_queues_come_back_at_once(self):
        host = self.target.connect(0)
        for _ in range(200):  # the old end and the new beginning are in two threads
            host.add_queue(1).close()
        kept = host.add_queue(1)
        duplicate = host.open()
        self.assertEqual(duplicate.connect(NQN, 1, host.cntlid)[0], 0x101 | DNR)
        self.assertEqual(kept.execute(command(0, 1, 1))[0], 0)
        for queue in (duplicate, kept, host):
            queue.close()


class Observed(ServedTest):
    def setUp(self):
        self.metrics = ('127.0.0.1', free_port())
        super().setUp()

    def test_whoever_reads_what_it_says_may_go(self):
        self.target.stop()
        self.target.options += ['--table', '1']
        reader, self.target.errors = os.pipe()
        self.target.start()
        for end in (reader, self.target.errors):
            os.close(end)
        self.target.process.stdout.close()
        with socket.create_connection(self.target.address) as sock:
            sock.sendall(bytes(128))  # of what is wrong with it a line tells
            sock.recv(1)
        time.sleep(1.2)  # and of how things are, a table
        host = self.target.connect()
        self.assertEqual(host.queues[0].read_blocks(0, 1)[0], 0)
        host.close()

    def test_prometheus(self):
        self.target.stop()
        self.target.options += ['--prometheus', '%s:%d' % self.metrics]
        self.target.start()
        host = self.target.connect()
        host.queues[0].write_blocks(0, bytes(4096), in_capsule=True)
        idle = [socket.create_connection(self.metrics) for _ in range(40)]
        with socket.create_connection(self.metrics) as sock:
            sock.sendall(b'GET /metrics HTTP/1.0\r\n\r\n')
            text = b''.join(iter(lambda: sock.recv(65536), b'')).decode()
        self.assertIn('softfield_target_connections 2', text)
        lines = text[text.index('\r\n\r\n') + 4:].splitlines()
        names = [line.split('{')[0].split()[2 if line[0] == '#' else 0] for line in lines]
        together = [name for n, name in enumerate(names) if not n or names[n - 1] != name]
        self.assertEqual(len(together), len(set(together)))
        for name in together:
            about = [line for line, its in zip(lines, names) if its == name]
            self.assertTrue(about[0].startswith('# HELP') and about[1].startswith('# TYPE'), about)
            self.assertNotIn('not described', about[0])
            self.assertRegex(about[2], r'^%s(\{[^}]*\})? \d+$' % name)
        self.assertIn('namespace_writes_total{subsystem="%s",nsid="1"} 1\n' % NQN, text)
        self.assertEqual([sock.recv(1) for sock in idle[:24]], [b''] * 24)  # they make room
        for sock in idle:
            sock.close()
        host.close()

    def test_prometheus_in_pieces(self):
        """More than the kernel keeps for one who has not read yet."""
        self.target.stop()
        config = {'prometheus': '%s:%d' % self.metrics, 'threads': 4, 'subsystems': [
            {'nqn': NQN.ljust(223, 'x'), 'namespaces': 64 * [{'null': True, 'size': '1M'}]}]}
        self.target.options = ['--config', self.target.config_file]
        self.target.configure(config)
        self.target.start()
        with socket.socket() as sock:
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_MAXSEG, 536)
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            sock.connect(self.metrics)
            sock.sendall(b'GET /metrics HTTP/1.0\r\n')
            time.sleep(0.1)
            sock.sendall(b'Host: the target\r\n\r\n')
            text = b''.join(iter(lambda: sock.recv(4096), b''))
        head, body = text.split(b'\r\n\r\n', 1)
        self.assertIn(b'Content-Length: %d' % len(body), head)


if __name__ == '__main__':
    e2e.main()
