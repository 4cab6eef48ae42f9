# SPDX-License-Identifier: BSD-3-Clause
"""Random commands, right and wrong ones, as many at once as the queues hold, from several hosts.
Each is answered once, with a status that it may have, and blocks hold what a model says.

COMMANDS_SEED repeats a run, COMMANDS_ROUNDS makes it longer."""
import os
import random
import struct
import threading

import e2e
from nvmetcp import (C2H_DATA, CMD, H2C_DATA, HOSTNQN, R2T, RESP, SGL_IN_CAPSULE, SGL_TRANSPORT,
                     Controller, command, sgl)
from served import NQN, ServedTest

ROUNDS = int(os.environ.get('COMMANDS_ROUNDS', 15 if e2e.SANITIZED else 60))
HOSTS, QUEUES, DEPTH = 3, 3, 60
BLOCKS = 240  # of each host, in each namespace
IN_MEMORY = 1  # this namespace
MAX_IO = 128 << 10
DNR = 0x4000
FLUSH, WRITE, READ, COMPARE, ZEROES, DSM, VERIFY, COPY = 0, 1, 2, 5, 8, 9, 0x0c, 0x19
INVALID_OPCODE, INVALID_FIELD, INVALID_NS, DATA_LENGTH = 1, 2, 0x0b, 0x0f
SGL_TYPE, SGL_OFFSET, LBA_RANGE, MISCOMPARE = 0x11, 0x16, 0x80, 0x285
SIZE_LIMIT = 0x183
FAILED_FUSED, MISSING_FUSED = 0x09, 0x0a
FIRST, SECOND = 0x41, 0x42  # flags of the halves of Compare and Write


class Namespace:
    """What a host's blocks of it, which are none of the other hosts', may hold: versions, of which
    0 is all zeros."""

    def __init__(self, nsid, size, block, host):
        self.nsid, self.block, self.blocks = nsid, block, size // block
        self.first = self.blocks - (host + 1) * BLOCKS  # the first host has the last ones
        self.places = int.from_bytes(struct.pack('<%dQ' % (block // 8), *range(block // 8)), 'big')
        self.versions = {}

    def content(self, version, lba):
        """No two parts of blocks are the same."""
        if not version:
            return bytes(self.block)
        words = struct.pack('<QQ', version << 16, lba << 16 & 2**64 - 1) * (self.block // 16)
        return (int.from_bytes(words, 'big') ^ self.places).to_bytes(self.block, 'big')

    def version_of(self, lba, data):
        """None: torn, or somebody else's."""
        version = struct.unpack('<Q', data[:8])[0] >> 16
        return version if data == self.content(version, lba) else None

    def allowed(self, lba):
        return self.versions.setdefault(lba, {0})

    def saw(self, lba, version, written):
        """What nobody writes at the same time is what it is from now on."""
        if (self, lba) not in written:
            self.versions[lba] = {version}


class Command:
    """One on its way. errors: the statuses of which it must have one; none: it must succeed."""

    def __init__(self, opcode, namespace, first=0, count=0):
        self.opcode, self.namespace, self.first, self.count = opcode, namespace, first, count
        self.nsid = namespace.nsid
        self.flags, self.cdw, self.errors = 0x40, (), set()
        self.data, self.inside, self.sgl = b'', b'', sgl(SGL_TRANSPORT, 0)
        self.writes = []  # (lba, version)
        self.must_write = True
        self.restores = []  # lbas that may be what they were before others wrote there
        self.other = None  # half of a fused one
        self.may_end = set()  # without DNR, by what becomes of the other half
        self.requested, self.got, self.status = 0, b'', None

    def lbas(self):
        return range(self.first, self.first + self.count)


class Host:
    def __init__(self, target, number, seed):
        self.random = random.Random(seed)
        self.namespaces = [Namespace(nsid, size, block, number) for nsid, size, block in (
            (IN_MEMORY, 1 << 20, 512), (2, 1 << 20, 512), (3, 4 << 20, 4096))]
        self.next_version = number << 32
        name = HOSTNQN[:-2] + '%02x' % number
        self.controller = Controller(target.address, NQN, QUEUES - 1, hostnqn=name)
        self.controller.options = (True, True)
        self.controller.queues.append(self.controller.add_queue(QUEUES))
        for queue in self.controller.queues:
            queue.sock.settimeout(e2e.PATIENCE_S)

    # making them

    def pick_range(self, cmd, most):
        pick = self.random
        cmd.count = min(pick.choice((1, 1, 2, 8, pick.randrange(1, 33))), most)
        cmd.first = cmd.namespace.first + pick.randrange(BLOCKS - cmd.count + 1)
        if pick.random() < 0.04:
            cmd.first = pick.choice((cmd.namespace.blocks - cmd.count + 1, cmd.namespace.blocks,
                                     2**64 - cmd.count, 2**64 - 1, 1 << 55))
            cmd.errors.add(LBA_RANGE)
        cmd.cdw = (cmd.first & 0xffffffff, cmd.first >> 32, cmd.count - 1)

    def give_data(self, cmd, data):
        pick = self.random
        cmd.data, how = data, pick.random()
        if how < 0.4 and len(data) <= 4096:
            lead = pick.choice((0, 0, 1, 4, 100))
            cmd.inside, cmd.sgl = bytes(lead) + data, sgl(SGL_IN_CAPSULE, len(data), lead)
        elif how < 0.93:
            cmd.sgl = sgl(SGL_TRANSPORT, len(data), pick.getrandbits(64))
        elif how < 0.95:
            cmd.sgl = sgl(SGL_IN_CAPSULE, len(data))
            cmd.errors |= {DATA_LENGTH, SGL_OFFSET}
        elif how < 0.97:
            cmd.sgl = sgl(pick.choice((0, 0x0a, 0x40, 0x4f, 0x5b, 0xff)), len(data))
            cmd.errors.add(SGL_TYPE)
        else:
            size = max(0, len(data) + pick.choice((-1, -4, -512, 4, 512)))
            cmd.data, cmd.sgl = (data + bytes(512))[:size], sgl(SGL_TRANSPORT, size)
            # lists may have more room than they need
            if cmd.opcode not in (DSM, COPY) or size < len(data):
                cmd.errors.add(DATA_LENGTH)
            if size > MAX_IO:
                cmd.errors.add(INVALID_FIELD)

    def make_transfer(self, cmd, digests):
        space = cmd.namespace
        self.pick_range(cmd, 8 if digests else MAX_IO // space.block)
        version = 0
        if cmd.opcode == WRITE:
            self.next_version += 1
            version = self.next_version
            cmd.writes = [(lba, version) for lba in cmd.lbas()]
        elif LBA_RANGE not in cmd.errors:
            version = min(space.allowed(cmd.first))
        data = b''.join(space.content(version, lba) for lba in cmd.lbas())
        if cmd.opcode == READ:
            cmd.sgl = sgl(SGL_TRANSPORT, len(data))
            if self.random.random() < 0.03:
                cmd.sgl = sgl(SGL_TRANSPORT, len(data) + self.random.choice((-512, 512)))
                cmd.errors.add(DATA_LENGTH)
        else:
            self.give_data(cmd, data)

    def make_ranges(self, cmd):
        table = b''
        for _ in range(self.random.choice((1, 1, 2, 16, 256))):
            self.pick_range(cmd, 32)
            table += struct.pack('<IIQ', 0, cmd.count, cmd.first)
            cmd.writes += [(lba, 0) for lba in cmd.lbas()]
        cmd.must_write = cmd.nsid == IN_MEMORY  # to file systems it is a hint
        cmd.cdw = (len(table) // 16 - 1, 4)
        self.give_data(cmd, table)

    def make_copy(self, cmd):
        """Of blocks onto themselves, since contents tell where they belong. It reads before it
        writes: what others write between is lost."""
        pick, space = self.random, cmd.namespace
        longest = MAX_IO // space.block
        sizes = [pick.randrange(1, min(longest, BLOCKS // 16) + 1)
                 for _ in range(pick.randrange(1, 17))]
        lba = first = space.first + pick.randrange(BLOCKS - sum(sizes) + 1)
        table = b''
        for size in sizes:
            table += struct.pack('<8xQH14x', lba, size - 1)
            lba += size
        cmd.restores = list(range(first, lba))
        if pick.random() < 0.05:
            table = table[:-32] + struct.pack('<8xQH14x', first, longest)
            cmd.errors.add(SIZE_LIMIT)
        elif pick.random() < 0.05:
            first = pick.choice((space.blocks - sum(sizes) + 1, 2**64 - 1))
            cmd.errors.add(LBA_RANGE)
        cmd.cdw = (first & 0xffffffff, first >> 32, len(sizes) - 1)
        self.give_data(cmd, table)

    def make(self, digests):
        pick = self.random
        opcode = pick.choices((READ, WRITE, COMPARE, ZEROES, DSM, FLUSH, VERIFY, COPY, None),
                              (30, 30, 12, 6, 10, 5, 5, 8, 4))[0]
        cmd = Command(opcode, pick.choice(self.namespaces))
        if opcode is None:
            cmd.opcode = pick.choice([code for code in range(0x7f) if code not in (
                FLUSH, WRITE, READ, COMPARE, ZEROES, DSM, VERIFY, COPY)])
            cmd.errors.add(INVALID_OPCODE)
        elif opcode == ZEROES:
            self.pick_range(cmd, BLOCKS)
            cmd.writes = [(lba, 0) for lba in cmd.lbas()]
        elif opcode == DSM:
            self.make_ranges(cmd)
        elif opcode == VERIFY:
            self.pick_range(cmd, 32)
        elif opcode == COPY:
            self.make_copy(cmd)
        elif opcode != FLUSH:
            self.make_transfer(cmd, digests)
        if pick.random() < 0.03:
            cmd.nsid = pick.choice((0, 4, 1025, 0xfffffffe, 0xffffffff))
            cmd.errors.add(INVALID_NS)
        if pick.random() < 0.03:
            cmd.flags = pick.choice((0, 0xc0, 0x43))
            cmd.errors.add(INVALID_FIELD)
        return cmd

    def make_half(self, space, lba, version, flags):
        cmd = Command(COMPARE if flags == FIRST else WRITE, space, lba, 1)
        cmd.flags, cmd.cdw = flags, (lba & 0xffffffff, lba >> 32)
        self.give_data(cmd, space.content(version, lba))
        return cmd

    def make_pair(self):
        pick = self.random
        space = pick.choice(self.namespaces)
        lba, old = space.first + pick.randrange(BLOCKS), 0
        if pick.random() < 0.04:
            lba = pick.choice((space.blocks, 2**64 - 1, 1 << 55))
        else:
            old = pick.choice(sorted(space.allowed(lba)))
        self.next_version += 1
        first = self.make_half(space, lba, old, FIRST)
        second = self.make_half(space, lba, self.next_version, SECOND)
        if lba >= space.blocks:
            first.errors.add(LBA_RANGE)
        if pick.random() < 0.05:
            second.cdw = pick.choice(((5, 9, 0), (first.cdw[0], 9, 0), first.cdw + (1,)))
            first.errors.add(INVALID_FIELD)
            second.errors |= {INVALID_FIELD, DATA_LENGTH}
        first.other, second.other = second, first
        second.writes, second.must_write = [(lba, self.next_version)], False
        if first.errors or second.errors:
            first.may_end = second.may_end = {FAILED_FUSED}
        return [first, second]

    def make_lone_half(self):
        """And what is not its other half."""
        half = self.make_pair()[self.random.randrange(2)]
        half.other, half.writes, half.may_end = None, [], {MISSING_FUSED}
        return [half, Command(FLUSH, half.namespace)]

    def make_batch(self, digests):
        cmds = []
        for _ in range(self.random.randrange(1, DEPTH)):
            how = self.random.random()
            cmds += (self.make_lone_half() if how < 0.03 else
                     self.make_pair() if how < 0.2 else [self.make(digests)])
        return cmds

    # a round

    def start(self, queue, cmds):
        cmds = dict(zip(self.random.sample(range(65536), len(cmds)), cmds))
        queue.send(b''.join(
            queue.pdu(CMD, command(cmd.opcode, cid, cmd.nsid, cmd.sgl, cmd.cdw, cmd.flags),
                      cmd.inside) for cid, cmd in cmds.items()))
        return cmds

    def send_requested(self, queue, cid, cmd, rest):
        _, ttag, offset, size = struct.unpack('<HHII', rest[:12])
        assert cmd.sgl[15] == SGL_TRANSPORT and cmd.opcode & 1, cmd.opcode
        assert offset == cmd.requested and size and offset + size <= len(cmd.data)
        cmd.requested = offset + size
        while size:
            part = min(size, queue.maxh2c, self.random.choice((512, 4096, MAX_IO)))
            size -= part
            queue.send(queue.pdu(H2C_DATA, struct.pack('<HHII4x', cid, ttag, offset, part),
                                 cmd.data[offset:offset + part], last=not size))
            offset += part

    def finish(self, queue, cmds):
        """Until each has been answered; returns them."""
        finished = []
        while cmds:
            kind, flags, rest, data = queue.receive()
            cid = struct.unpack('<H', rest[12:14] if kind == RESP else rest[:2])[0]
            assert cid in cmds, 'nobody has asked'
            if kind == R2T:
                self.send_requested(queue, cid, cmds[cid], rest)
            elif kind == C2H_DATA:
                assert not flags & 8  # there is a response
                assert struct.unpack('<II', rest[4:12]) == (len(cmds[cid].got), len(data))
                cmds[cid].got += data
            else:
                assert kind == RESP, (kind, queue.terminated)
                result, _, queue_id, _, status = struct.unpack('<QHHHH', rest)
                assert result == 0 and queue_id == 0 and not status & 1, rest
                cmds[cid].status = status >> 1
                finished.append(cmds.pop(cid))
        return finished

    # what has come of it

    def check(self, cmd, written):
        what = (cmd.opcode, cmd.nsid, cmd.first, cmd.count, cmd.sgl.hex(), hex(cmd.status))
        space, errors = cmd.namespace, cmd.errors
        possible = [space.allowed(lba) | written.get((space, lba), set())
                    for lba in (cmd.lbas() if not errors and cmd.opcode != DSM else ())]
        if errors or cmd.may_end:
            assert cmd.status in {error | DNR for error in errors} | cmd.may_end, what
            return
        if cmd.opcode == WRITE and cmd.other and cmd.other.status:
            assert cmd.status == FAILED_FUSED, what
            return
        if cmd.opcode == COMPARE:
            version = space.version_of(cmd.first, cmd.data[:space.block])
            if cmd.status == MISCOMPARE | DNR:
                assert any(versions != {version} for versions in possible), what
                return
            assert all(version in versions for versions in possible), what
            for lba in cmd.lbas():
                space.saw(lba, version, written)
        assert cmd.status == 0, what
        if cmd.opcode == READ:
            assert len(cmd.got) == cmd.count * space.block, what
            for at, lba in enumerate(cmd.lbas()):
                data = cmd.got[at * space.block:(at + 1) * space.block]
                version = space.version_of(lba, data)
                assert version in possible[at], (what, lba, data[:16].hex())
                space.saw(lba, version, written)

    def look(self):
        """At all blocks."""
        for space in self.namespaces:
            for at in range(0, BLOCKS, 8):
                cmd = Command(READ, space, space.first + at, 8)
                cmd.cdw, cmd.sgl = (cmd.first, 0, 7), sgl(SGL_TRANSPORT, 8 * space.block)
                queue = self.controller.queues[0]
                self.finish(queue, self.start(queue, [cmd]))
                self.check(cmd, {})

    def round(self):
        queues = self.controller.queues
        batches = [self.start(queue, self.make_batch(queue.ddgst)) for queue in queues]
        count = sum(len(batch) for batch in batches)
        finished = [cmd for queue, batch in zip(queues, batches)
                    for cmd in self.finish(queue, batch)]
        assert len(finished) == count
        written, certain = {}, set()
        for cmd in finished:
            for lba, version in cmd.writes if not cmd.status else ():
                written.setdefault((cmd.namespace, lba), set()).add(version)
                if cmd.must_write or cmd.other:
                    certain.add((cmd.namespace, lba))
        for cmd in finished:
            for lba in cmd.restores if not cmd.status else ():
                written.setdefault((cmd.namespace, lba), set())
                certain.discard((cmd.namespace, lba))
        for cmd in finished:
            self.check(cmd, written)
        for place, versions in written.items():
            space, lba = place
            old = set() if place in certain else space.allowed(lba)
            space.versions[lba] = versions | old


class Commands(ServedTest):
    def setUp(self):
        self.config = {'threads': 2, 'subsystems': [{'nqn': NQN, 'namespaces': []}]}
        super().setUp()
        self.config['subsystems'][0]['namespaces'] = [
            {'nsid': IN_MEMORY, 'memory': True, 'size': '1M'},
            {'nsid': 2, 'file': self.make_file('small', 1 << 20)},
            {'nsid': 3, 'file': self.make_file('large', 4 << 20), 'block_size': 4096}]
        self.target.reload(self.config)

    def make_file(self, name, size):
        path = os.path.join(self.temporary.name, name)
        with open(path, 'wb') as file:
            file.truncate(size)
        return path

    def test_each_is_answered_once_and_as_it_should_be(self):
        seed = int(os.environ.get('COMMANDS_SEED', random.randrange(1 << 32)))
        failures = []

        def run(number):
            try:
                host = Host(self.target, number, seed + number)
                for _ in range(ROUNDS):
                    host.round()
                host.look()
                host.controller.close()
            except Exception as error:  # in whatever thread; told below
                failures.append((number, repr(error)))

        threads = [threading.Thread(target=run, args=(number,)) for number in range(HOSTS)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(failures, [], 'COMMANDS_SEED=%d' % seed)


if __name__ == '__main__':
    e2e.main()
