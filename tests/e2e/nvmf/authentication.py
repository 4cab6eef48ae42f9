# SPDX-License-Identifier: BSD-3-Clause
"""Hosts that prove who they are by DH-HMAC-CHAP, and those that do not."""
import json
import os
import signal
import subprocess
import tempfile
import unittest

import e2e
from dhchap import ATR, AUTH_REQUIRED, FAILURE2, GROUPS, HASHES, Key, Transaction, prime
from nvmetcp import HOSTNQN, RESP, SGL_TRANSPORT, Closed, Queue, command, sgl
from served import NQN, TARGET, ServedTest, Target, limit

OTHER = 'nqn.2014-08.org.nvmexpress:uuid:00000000-9999-9999-9999-999999999999'
KEY, CTRLR_KEY = Key(1, 32), Key(0, 48)
INVALID_HOST = 0x4184


def complaint_about(text):
    with tempfile.NamedTemporaryFile('w', suffix='.json') as file:
        file.write(text)
        file.flush()
        return subprocess.run([TARGET, '--config', file.name], capture_output=True, text=True,
                              check=False, timeout=e2e.PATIENCE_S).stderr


def complaint(*hosts):
    """What the target says about a configuration that is wrong."""
    return complaint_about(json.dumps(config(*hosts)))


def setUpModule():
    if 'built without' in complaint(host(), OTHER):
        raise unittest.SkipTest('softfield-target is built without libcrypto')


def host(**more):
    return dict({'nqn': HOSTNQN, 'key': str(KEY), 'controller_key': str(CTRLR_KEY)}, **more)


def config(*hosts):
    return {'subsystems': [{'nqn': NQN, 'hosts': list(hosts), 'namespaces': [
        {'nsid': 1, 'memory': True, 'size': '1M'}]}]}


class AuthTest(ServedTest):
    def setUp(self):
        self.config = config(host())
        self.errors = tempfile.NamedTemporaryFile('w+')
        self.addCleanup(self.errors.close)
        self.temporary = tempfile.TemporaryDirectory()
        self.target = Target(self.temporary.name, self.config, errors=self.errors)
        self.addCleanup(self.target.abandon)

    def said(self):
        with open(self.errors.name, encoding='utf-8') as file:
            return file.read()

    def open(self, qid=0, cntlid=0xffff, hostnqn=HOSTNQN):
        """A connected queue that has proved nothing, and its Connect's dword."""
        queue = Queue(self.target.address)
        queue.initialize()
        status, dw0 = queue.connect(NQN, qid, cntlid, 31, hostnqn=hostnqn)
        self.assertEqual(status, 0)
        self.addCleanup(queue.close)
        return queue, dw0

    def transaction(self, queue, key=KEY, ctrlr_key=None, hostnqn=HOSTNQN):
        return Transaction(queue, NQN, hostnqn, key, ctrlr_key)

    def admin(self, **args):
        """A controller that works; (its queue, its number)"""
        queue, dw0 = self.open()
        self.transaction(queue, **args).run()
        self.assertEqual(queue.property_set(0x14, 0x460001), 0)
        return queue, dw0 & 0xffff

    def io(self, cntlid, qid=1, **args):
        queue, dw0 = self.open(qid, cntlid)
        self.assertTrue(dw0 & ATR)
        self.transaction(queue, **args).run()
        return queue

    def assert_ends(self, queue):
        with self.assertRaises(Closed):
            queue.receive()


class Right(AuthTest):
    def test_U1_F6_every_hash_and_group(self):
        for hash_id in HASHES:
            for group in GROUPS:
                queue, dw0 = self.open()
                self.assertEqual(dw0 >> 16, ATR >> 16)
                one = self.transaction(queue, ctrlr_key=CTRLR_KEY if group & 1 else None)
                one.run(hashes=[hash_id], groups=[group])
                self.assertEqual((one.hash, one.group), (hash_id, group))
                self.assertEqual(queue.property_set(0x14, 0x460001), 0)
                queue.close()
        self.assertEqual(self.said(), '')

    def test_U1_keys_of_each_length_and_kind(self):
        for size in 32, 48, 64:
            for transform in range(4):
                key, ctrlr_key = Key(transform, size), Key(3 - transform, size)
                self.target.reload(config(host(key=str(key), controller_key=str(ctrlr_key))))
                queue, _ = self.open()
                self.transaction(queue, key, ctrlr_key).run(groups=[0])
                self.assertEqual(queue.property_get(0x1c)[0], 0)
                queue.close()

    def test_U1_reads_and_writes(self):
        admin, cntlid = self.admin(ctrlr_key=CTRLR_KEY)
        io = self.io(cntlid, ctrlr_key=CTRLR_KEY)
        data = os.urandom(8192)
        self.assertEqual(io.write_blocks(3, data), 0)
        self.assertEqual(io.read_blocks(3, 16), (0, 0, data))
        self.assertEqual(admin.admin_read(6, 4096, cdw=(1,))[0], 0)

    def test_U1_messages_may_be_asked_for(self):
        queue, _ = self.open()
        one = self.transaction(queue)
        self.assertEqual(one.send(one.negotiate(), in_capsule=False), 0)
        one.challenge()
        self.assertEqual(one.send(one.reply(), in_capsule=False), 0)
        one.success1()

    def test_U1_again_while_it_works(self):
        admin, cntlid = self.admin()
        io = self.io(cntlid)
        for queue in admin, io, admin, io:
            one = self.transaction(queue, ctrlr_key=CTRLR_KEY)
            one.begin()
            self.assertEqual(io.write_blocks(0, bytes(512)), 0)
            self.assertEqual(one.send(one.reply()), 0)
            self.assertEqual(io.read_blocks(0, 1), (0, 0, bytes(512)))
            one.success1()
            self.assertEqual(one.send(one.success2()), 0)
        self.assertEqual(io.read_blocks(0, 1)[0], 0)
        self.assertEqual(self.said(), '')

    def test_U1_the_configuration_chooses(self):
        self.target.reload(config(host(hashes=['sha512', 'sha256'], groups=['ffdhe2048'])))
        queue, _ = self.open()
        one = self.transaction(queue)
        one.run()
        self.assertEqual((one.hash, one.group), (3, 1))
        one = self.transaction(queue)
        one.run(hashes=[1, 2])
        self.assertEqual(one.hash, 1)

    def test_D8_discovery_needs_no_key(self):
        queue = Queue(self.target.address)
        queue.initialize()
        status, dw0 = queue.connect('nqn.2014-08.org.nvmexpress.discovery')
        self.assertEqual((status, dw0 & ATR), (0, 0))
        self.assertEqual(queue.property_set(0x14, 0x460001), 0)
        queue.close()


class Wrong(AuthTest):
    def test_U1_nothing_else_before(self):
        queue, dw0 = self.open()
        self.assertEqual(queue.property_set(0x14, 0x460001), AUTH_REQUIRED)
        self.assertEqual(queue.property_get(0)[0], AUTH_REQUIRED)
        self.assertEqual(queue.admin_read(6, 4096, cdw=(1,))[0], AUTH_REQUIRED)
        io = Queue(self.target.address)
        io.initialize()
        self.assertEqual(io.connect(NQN, 1, dw0 & 0xffff)[0], AUTH_REQUIRED)
        io.close()

    def refused(self, io):
        self.assertEqual(io.read_blocks(0, 8), (AUTH_REQUIRED, 0, b''))
        self.assertEqual(io.write_blocks(0, b'y' * 512, in_capsule=True), AUTH_REQUIRED)
        # nobody asks for what would be thrown away
        io.submit(command(1, 77, 1, sgl(SGL_TRANSPORT, 4096), (0, 0, 7)))
        self.assertEqual(io.receive()[0], RESP)
        self.assertEqual(io.execute(command(0, 78, 1))[0], AUTH_REQUIRED)

    def test_U1_no_reads_and_writes_before(self):
        admin, cntlid = self.admin()
        self.io(cntlid).write_blocks(0, b'x' * 4096)
        io, _ = self.open(2, cntlid)
        one = self.transaction(io)
        self.refused(io)
        one.begin()
        self.refused(io)
        self.assertEqual(one.send(one.reply()), 0)
        self.refused(io)
        one.success1()
        self.assertEqual(io.read_blocks(0, 8), (0, 0, b'x' * 4096))
        self.assertEqual(admin.property_get(0x1c)[0], 0)

    def wrong_key(self, queue):
        one = self.transaction(queue, key=Key(1, 32))
        one.begin()
        self.assertEqual(one.send(one.reply()), 0)
        self.assertEqual(one.failure1(), 1)
        self.assert_ends(queue)

    def test_U1_a_wrong_key_costs_nobody_else_anything(self):
        admin, cntlid = self.admin()
        io = self.io(cntlid)
        self.wrong_key(self.open()[0])
        self.assertEqual(io.read_blocks(0, 1)[0], 0)
        self.assertEqual(admin.property_get(0x1c)[0], 0)
        self.assertIn('authentication failed: the keys differ', self.said())
        self.assertIn(HOSTNQN, self.said())

    def test_U1_a_wrong_key_of_an_io_queue_ends_all(self):
        admin, cntlid = self.admin()
        io = self.io(cntlid)
        self.wrong_key(self.open(2, cntlid)[0])
        self.assert_ends(admin)
        self.assert_ends(io)

    def test_U1_failing_again_ends_all(self):
        admin, cntlid = self.admin()
        io = self.io(cntlid)
        self.wrong_key(admin)
        self.assert_ends(io)

    def test_U1_no_reads_and_writes_after_failing_again(self):
        """Until the host fetches why, which ends all; its other queues go on until then."""
        admin, cntlid = self.admin()
        io, other = self.io(cntlid), self.io(cntlid, 2)
        self.assertEqual(io.write_blocks(0, b'x' * 4096), 0)
        one = self.transaction(io, key=Key(1, 32))
        one.begin()
        self.assertEqual(one.send(one.reply()), 0)
        self.refused(io)
        self.assertEqual(one.send(one.negotiate()), AUTH_REQUIRED)
        self.assertEqual(other.read_blocks(0, 8), (0, 0, b'x' * 4096))
        self.assertEqual(one.failure1(), 1)
        for queue in io, other, admin:
            self.assert_ends(queue)

    def test_U1_a_target_that_has_not_its_key(self):
        self.target.reload(config(host(controller_key=str(Key(0, 48)))))
        queue, _ = self.open()
        one = self.transaction(queue, ctrlr_key=CTRLR_KEY)
        one.begin()
        self.assertEqual(one.send(one.reply()), 0)
        with self.assertRaises(AssertionError):
            one.success1()
        self.assertEqual(one.send(one.header(FAILURE2) + b'\1\1'), 0)
        self.assert_ends(queue)

    def test_U1_values_that_give_the_secret_away(self):
        for group, sized in GROUPS.items():
            if not group:
                continue
            p, size = prime(*sized), sized[0] // 8
            for value in 0, 1, p - 1, p, p + 1:
                queue, _ = self.open()
                one = self.transaction(queue)
                one.begin(groups=[group])
                one.value = value.to_bytes(size, 'big')
                one.secret = (value and 1).to_bytes(size, 'big')
                self.assertEqual(one.send(one.reply()), 0)
                self.assertEqual(one.failure1(), 6)
                queue.close()

    def test_U1_other_names(self):
        queue = Queue(self.target.address)
        queue.initialize()
        self.assertEqual(queue.connect(NQN, hostnqn=OTHER)[0], INVALID_HOST)
        queue.close()
        self.target.reload(config(host(), host(nqn=OTHER)))
        queue, _ = self.open(hostnqn=OTHER)  # the same key, tied to another name
        one = self.transaction(queue)
        one.begin()
        self.assertEqual(one.send(one.reply()), 0)
        self.assertEqual(one.failure1(), 1)

    def test_U1_hosts_that_go_away_at_each_step(self):
        for step in range(4):
            queue, _ = self.open()
            one = self.transaction(queue, ctrlr_key=CTRLR_KEY)
            if step > 0:
                one.begin()
            if step > 1:
                one.send(one.reply())
            if step > 2:
                one.success1()
            queue.close()
        self.admin()

    def test_U1_rubbish(self):
        for size in 1, 5, 8, 16, 71, 73, 4096, 8192:
            queue, _ = self.open()
            one = self.transaction(queue)
            self.assertEqual(one.send(os.urandom(size)), 0)
            self.assertEqual(one.receive()[0], 0)
            self.assert_ends(queue)
        queue, _ = self.open()
        one = self.transaction(queue)
        self.assertEqual(one.send(one.negotiate(), secp=0xea), 0x4002)
        self.assertEqual(one.send(one.negotiate(), size=71), 0x400f)
        self.assertEqual(one.receive()[0], 0x400c)
        one.run()
        self.assertEqual(queue.property_get(0x1c)[0], 0)


class Reload(AuthTest):
    def test_U1_a_new_key_counts_the_next_time(self):
        admin, cntlid = self.admin()
        io = self.io(cntlid)
        new = Key(2, 48)
        self.target.reload(config(host(key=str(new))))
        self.assertEqual(io.read_blocks(0, 1)[0], 0)
        self.transaction(admin, new).run()
        self.assertEqual(io.read_blocks(0, 1)[0], 0)

    def test_U1_who_gets_a_key_has_to_prove_it(self):
        self.assertNotIn('dhchap', ''.join(self.target.reload(config(HOSTNQN))))
        admin, dw0 = self.open()
        self.assertFalse(dw0 & ATR)
        self.assertIn(' --dhchap-secret=', ''.join(self.target.reload(config(host()))))
        self.assert_ends(admin)
        self.assertTrue(self.open()[1] & ATR)

    def test_U1_who_is_not_allowed_any_more(self):
        admin, _ = self.admin()
        self.target.reload(config(host(nqn=OTHER)))
        self.assert_ends(admin)

    def test_U1_a_wrong_key_changes_nothing(self):
        admin, _ = self.admin()
        self.target.configure(config(host(key=str(KEY)[:-2] + '*:')))
        self.target.process.send_signal(signal.SIGHUP)
        while 'nothing has been changed' not in self.said():
            self.assertEqual(admin.property_get(0x1c)[0], 0)
        self.assertIn('hosts[0].key: the key is not Base64', self.said())
        self.transaction(admin).run()

    def test_U1_no_key_is_shown_where_the_text_is_no_json(self):
        for text in ('{"subsystems": [{"hosts": [%s', '{"a": "%s" "b"}', '"%s",\n{', '{"a" "%s"}'):
            said = complaint_about(text % KEY)
            self.assertIn('not JSON', said)
            self.assertNotIn(str(KEY)[10:14], said)
        self.assertIn('at: nonsense', complaint_about('"%s"\nnonsense' % KEY))

    def test_U1_what_is_wrong_is_named_and_no_key_is_shown(self):
        key = str(KEY)
        wrong = key[:20] + ('A' if key[20] != 'A' else 'B') + key[21:]
        for hosts, message in (
                ([host(key=wrong)], 'hosts[0].key: the key does not fit its checksum'),
                ([host(key=key[:-1])], 'hosts[0].key: the key does not end with a colon'),
                ([host(key='DHHC-1:04' + key[9:])], 'hosts[0].key: the key has no 00, 01, 02'),
                ([host(controller_key='x')], 'hosts[0].controller_key: the key does not begin'),
                ([host(), OTHER], 'hosts: [0] has a key and [1] has none'),
                ([OTHER, host()], 'hosts: [1] has a key and [0] has none'),
                ([host(), host()], 'hosts: [1] has the same "nqn" as [0]'),
                ([{'nqn': HOSTNQN}], 'hosts[0]'),
                ([key], 'hosts[0]: a key where an NQN is expected'),
                ([host(nqn=key)], 'hosts[0].nqn: a key where an NQN is expected'),
                ([{key: HOSTNQN}], 'hosts[0]'),
                ([host(hashes=['md5'])], 'hosts[0].hashes[0]: "md5" where "sha256", "sha384"'),
                ([host(hashes=[])], 'hosts[0].hashes'),
                ([host(groups=['null', 'null'])], 'hosts[0].groups[1]: "null" is in the list'),
                ([host(groups=[2048])], 'hosts[0].groups[0]')):
            said = complaint(*hosts)
            self.assertIn(message, said)
            for part in key[10:22], wrong[10:22], str(CTRLR_KEY)[10:22]:
                self.assertNotIn(part, said)


class Crowded(AuthTest):
    """All connections that there may be are of hosts that prove nothing."""
    MOST = 16

    def setUp(self):
        limit(self, 'sta_max_qps=%d' % self.MOST)
        super().setUp()

    def test_U1_T25_they_make_room(self):
        first, _ = self.admin()
        for _ in range(self.MOST - 1):
            self.open()
        queue, cntlid = self.admin()
        self.io(cntlid)
        for one in first, queue:
            self.assertEqual(one.property_get(0x1c)[0], 0)


if __name__ == '__main__':
    e2e.main()
