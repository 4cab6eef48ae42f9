# SPDX-License-Identifier: BSD-3-Clause
"""The host's side of DH-HMAC-CHAP, computed by what Python has."""
import base64
import hashlib
import hmac
import os
import struct
import zlib

from nvmetcp import SGL_IN_CAPSULE, SGL_TRANSPORT, fabrics, sgl

HASHES = {1: hashlib.sha256, 2: hashlib.sha384, 3: hashlib.sha512}
NEGOTIATE, CHALLENGE, REPLY, SUCCESS1, SUCCESS2 = (0, 0), (1, 1), (1, 2), (1, 3), (1, 4)
FAILURE2, FAILURE1 = (0, 0xf0), (0, 0xf1)
AUTH_REQUIRED = 0x4191
ATR = 1 << 17


def prime(bits, offset):
    """RFC 7919: 2^b - 2^(b-64) + ([2^(b-130) e] + offset) 2^64 - 1"""
    e, term, count = 0, 1 << (bits - 130 + 64), 0
    while term:
        e += term
        count += 1
        term //= count
    return (1 << bits) - (1 << (bits - 64)) + (((e >> 64) + offset) << 64) - 1


GROUPS = {0: None, 1: (2048, 560316), 2: (3072, 2625351), 3: (4096, 5736041),
          4: (6144, 15705020), 5: (8192, 10965728)}


def key_text(transform, key):
    crc = struct.pack('<I', zlib.crc32(key))
    return 'DHHC-1:%02d:%s:' % (transform, base64.b64encode(key + crc).decode())


class Key:
    def __init__(self, transform, size):
        self.transform, self.bytes = transform, os.urandom(size)

    def __str__(self):
        return key_text(self.transform, self.bytes)

    def of(self, nqn):
        if not self.transform:
            return self.bytes
        return hmac.new(self.bytes, nqn.encode() + b'NVMe-over-Fabrics',
                        HASHES[self.transform]).digest()


class Transaction:
    """One of a queue; each step may be left out or changed."""

    def __init__(self, queue, subnqn, hostnqn, key, ctrlr_key=None):
        self.queue, self.subnqn, self.hostnqn = queue, subnqn, hostnqn
        self.key, self.ctrlr_key = key, ctrlr_key
        self.t_id = int.from_bytes(os.urandom(2), 'little')
        self.hash = self.group = self.secret = None

    # commands

    def send(self, message, secp=0xe9, size=None, in_capsule=True):
        tail = struct.pack('<BBBBI', 0, 1, 1, secp, len(message) if size is None else size)
        kind = SGL_IN_CAPSULE if in_capsule else SGL_TRANSPORT
        sqe = fabrics(5, self.queue.next_cid(), tail, sgl(kind, len(message)))
        return self.queue.execute(sqe, message if in_capsule else b'', message)[0]

    def receive(self, size=4096):
        tail = struct.pack('<BBBBI', 0, 1, 1, 0xe9, size)
        sqe = fabrics(6, self.queue.next_cid(), tail, sgl(SGL_TRANSPORT, size))
        status, _, data = self.queue.execute(sqe)
        return status, data

    def header(self, kind):
        return struct.pack('<BBHH', kind[0], kind[1], 0, self.t_id)

    def message(self, kind):
        """What the target has, which must be that."""
        status, data = self.receive()
        assert status == 0, hex(status)
        assert (data[0], data[1]) == kind, data[:8].hex()
        assert data[4:6] == struct.pack('<H', self.t_id)
        return data

    # messages

    def negotiate(self, hashes=(1, 2, 3), groups=(0, 1, 2, 3, 4, 5), sc_c=0):
        descriptor = (struct.pack('<BBBB', 1, 0, len(hashes), len(groups)) +
                      bytes(hashes).ljust(30, b'\0') + bytes(groups).ljust(30, b'\0'))
        return self.header(NEGOTIATE) + struct.pack('<BB', sc_c, 1) + descriptor

    def challenge(self):
        data = self.message(CHALLENGE)
        size, self.hash, self.group, value_size, self.s1 = struct.unpack('<BxBBHI', data[6:16])
        assert size == HASHES[self.hash]().digest_size
        self.c1, value = data[16:16 + size], data[16 + size:16 + size + value_size]
        assert not any(data[16 + size + value_size:])
        self.exchange(value)

    def exchange(self, value):
        self.value, self.secret = b'', None
        if not self.group:
            assert not value
            return
        bits, offset = GROUPS[self.group]
        p, size = prime(bits, offset), bits // 8
        assert len(value) == size
        mine = int.from_bytes(os.urandom(40), 'big')
        self.value = pow(2, mine, p).to_bytes(size, 'big')
        self.secret = pow(int.from_bytes(value, 'big'), mine, p).to_bytes(size, 'big')

    def response(self, key, role, names, challenge, number):
        md = HASHES[self.hash]
        if self.secret:
            challenge = hmac.new(md(self.secret).digest(), challenge, md).digest()
        statement = (challenge + struct.pack('<IHB', number, self.t_id, 0) + role +
                     b'\0'.join(name.encode() for name in names))
        return hmac.new(key.of(names[0]), statement, md).digest()

    def reply(self):
        size = HASHES[self.hash]().digest_size
        response = self.response(self.key, b'HostHost', (self.hostnqn, self.subnqn), self.c1,
                                 self.s1)
        self.c2, self.s2 = os.urandom(size), 0x80000001 if self.ctrlr_key else 0
        return (self.header(REPLY) +
                struct.pack('<BxBxHI', size, bool(self.ctrlr_key), len(self.value), self.s2) +
                response + (self.c2 if self.ctrlr_key else bytes(size)) + self.value)

    def success1(self):
        data = self.message(SUCCESS1)
        size = HASHES[self.hash]().digest_size
        assert data[6] == size and data[8] == bool(self.ctrlr_key)
        if self.ctrlr_key:
            assert data[16:16 + size] == self.response(
                self.ctrlr_key, b'Controller', (self.subnqn, self.hostnqn), self.c2, self.s2)

    def success2(self):
        return self.header(SUCCESS2) + bytes(10)

    def failure1(self):
        """The reason."""
        data = self.message(FAILURE1)
        assert data[6] == 1
        return data[7]

    def begin(self, **args):
        """Until the reply can be sent."""
        status = self.send(self.negotiate(**args))
        assert status == 0, hex(status)
        self.challenge()

    def run(self, **args):
        self.begin(**args)
        assert self.send(self.reply()) == 0
        self.success1()
        if self.ctrlr_key:
            assert self.send(self.success2()) == 0
