# SPDX-License-Identifier: BSD-3-Clause
"""An NVMe/TCP host: builds PDUs byte by byte, so that every byte can be wrong."""
import socket
import struct

CRC_TABLE = []
for n in range(256):
    for _ in range(8):
        n = n >> 1 ^ 0x82f63b78 if n & 1 else n >> 1
    CRC_TABLE.append(n)

ICREQ, ICRESP, H2C_TERM, C2H_TERM, CMD, RESP, H2C_DATA, C2H_DATA, R2T = 0, 1, 2, 3, 4, 5, 6, 7, 9
HOSTNQN = 'nqn.2014-08.org.nvmexpress:uuid:00000000-1111-2222-3333-444444444444'
SGL_TRANSPORT, SGL_IN_CAPSULE = 0x5a, 0x01


def crc32c(data):
    crc = 0xffffffff
    for byte in data:
        crc = CRC_TABLE[(crc ^ byte) & 255] ^ crc >> 8
    return crc ^ 0xffffffff


def header(kind, flags, hlen, pdo, plen):
    return struct.pack('<BBBBI', kind, flags, hlen, pdo, plen & 0xffffffff)


def sgl(kind, length, addr=0):
    return struct.pack('<QI3xB', addr, length, kind)


def command(opcode, cid, nsid=0, data=None, cdw=(0,) * 6, flags=0x40):
    """The 64 bytes of a command; data is an SGL descriptor."""
    cdw = (list(cdw) + [0] * 6)[:6]
    return (struct.pack('<BBHI16x', opcode, flags, cid, nsid) + (data or sgl(SGL_TRANSPORT, 0)) +
            struct.pack('<6I', *cdw))


def fabrics(fctype, cid, tail, data=None):
    return (struct.pack('<BBHB19x', 0x7f, 0x40, cid, fctype) +
            (data or sgl(SGL_TRANSPORT, 0)) + tail).ljust(64, b'\0')


class Closed(Exception):
    """The target has closed the connection."""


class Queue:
    """One connection; self.terminated is what a C2HTermReq has said."""

    def __init__(self, address, hdgst=False, ddgst=False, timeout=10):
        self.sock = socket.create_connection(address, timeout)
        self.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.hdgst, self.ddgst = hdgst, ddgst
        self.cid = 0
        self.terminated = None

    def close(self):
        self.sock.close()

    # bytes

    def send(self, data):
        self.sock.sendall(data)

    def read(self, size):
        data = b''
        while len(data) < size:
            try:
                part = self.sock.recv(size - len(data))
            except ConnectionResetError:
                part = b''
            if not part:
                raise Closed()
            data += part
        return data

    def pdu(self, kind, rest, data=b'', flags=0, last=False):
        """A correct PDU around the header's rest and the data."""
        hlen = 8 + len(rest)
        start = hlen + (4 if self.hdgst else 0)
        flags |= (1 if self.hdgst else 0) | (2 if self.ddgst and data else 0) | (4 if last else 0)
        plen = start + len(data) + (4 if self.ddgst and data else 0)
        out = header(kind, flags, hlen, start if data else 0, plen) + rest
        if self.hdgst:
            out += struct.pack('<I', crc32c(out))
        out += data
        if self.ddgst and data:
            out += struct.pack('<I', crc32c(data))
        return out

    def receive(self):
        """The next PDU: (type, flags, rest of the header, data). Digests are checked."""
        head = self.read(8)
        kind, flags, hlen, pdo, plen = struct.unpack('<BBBBI', head)
        body = self.read(plen - 8)
        rest, data = body[:hlen - 8], body[(pdo or hlen) - 8:]
        if flags & 1:
            assert struct.unpack('<I', body[hlen - 8:hlen - 4])[0] == crc32c(head + rest)
        if kind in (RESP, R2T):
            data = b''
        if flags & 2:
            data, digest = data[:-4], struct.unpack('<I', data[-4:])[0]
            assert digest == crc32c(data)
        if kind == C2H_TERM:
            fes, fei = struct.unpack('<HI', rest[:6])
            self.terminated = (fes, fei, data)
        return kind, flags, rest, data

    # set-up

    def icreq(self, pfv=0, hpda=0, maxr2t=0):
        digests = (1 if self.hdgst else 0) | (2 if self.ddgst else 0)
        self.send(header(ICREQ, 0, 128, 0, 128) +
                  struct.pack('<HBBI', pfv, hpda, digests, maxr2t) + bytes(112))

    def initialize(self, **args):
        self.icreq(**args)
        self.hdgst, digests = False, self.hdgst
        kind, _, rest, _ = self.receive()
        self.hdgst = digests
        assert kind == ICRESP, kind
        _, _, dgst, self.maxh2c = struct.unpack('<HBBI', rest[:8])
        assert dgst == (1 if self.hdgst else 0) | (2 if self.ddgst else 0)

    # commands

    def submit(self, sqe, data=b''):
        self.send(self.pdu(CMD, sqe, data))

    def completion(self, write=b''):
        """Waits for the next response: (cid, status field, dw0, data). Sends what R2Ts ask for."""
        data = b''
        while True:
            kind, flags, rest, part = self.receive()
            if kind == RESP:
                dw0, _, self.sqhd, _, cid, status = struct.unpack('<IIHHHH', rest)
                return cid, status >> 1, dw0, data
            if kind == C2H_DATA:
                cid, _, offset, size = struct.unpack('<HHII', rest[:12])
                assert offset == len(data) and size == len(part)
                data += part
                if flags & 8:
                    assert flags & 4
                    return cid, 0, 0, data
            elif kind == R2T:
                cid, ttag, offset, size = struct.unpack('<HHII', rest[:12])
                self.h2c(cid, ttag, offset, write[offset:offset + size])
            elif kind == C2H_TERM:
                raise Closed()

    def h2c(self, cid, ttag, offset, data):
        while data:
            part, data = data[:self.maxh2c], data[self.maxh2c:]
            self.send(self.pdu(H2C_DATA, struct.pack('<HHII4x', cid, ttag, offset, len(part)),
                               part, last=not data))
            offset += len(part)

    def execute(self, sqe, data=b'', write=b''):
        self.submit(sqe, data)
        cid, status, dw0, got = self.completion(write)
        assert cid == struct.unpack('<H', sqe[2:4])[0]
        return status, dw0, got

    def next_cid(self):
        self.cid = (self.cid + 1) & 0xfff
        return self.cid

    def connect(self, nqn, qid=0, cntlid=0xffff, sqsize=31, kato=0, hostnqn=HOSTNQN, cattr=0):
        """Fabrics Connect; returns (status, dw0)."""
        data = (bytes(16) + struct.pack('<H', cntlid) + bytes(238) +
                nqn.encode().ljust(256, b'\0') + hostnqn.encode().ljust(256, b'\0') + bytes(256))
        sqe = fabrics(1, self.next_cid(), struct.pack('<HHHBxI', 0, qid, sqsize, cattr, kato),
                      sgl(SGL_IN_CAPSULE, len(data)))
        return self.execute(sqe, data)[:2]

    def property_set(self, offset, value):
        tail = struct.pack('<BxxxIQ', 0, offset, value)
        return self.execute(fabrics(0, self.next_cid(), tail))[0]

    def property_get(self, offset, size8=False):
        return self.execute(fabrics(4, self.next_cid(),
                                    struct.pack('<BxxxI', 1 if size8 else 0, offset)))

    def admin_read(self, opcode, size, nsid=0, cdw=()):
        return self.execute(command(opcode, self.next_cid(), nsid, sgl(SGL_TRANSPORT, size), cdw))

    def read_blocks(self, slba, count, block=512, nsid=1):
        return self.execute(command(2, self.next_cid(), nsid, sgl(SGL_TRANSPORT, count * block),
                                    (slba, 0, count - 1)))

    def write_blocks(self, slba, data, block=512, nsid=1, in_capsule=False, fua=False):
        kind = SGL_IN_CAPSULE if in_capsule else SGL_TRANSPORT
        cdw12 = len(data) // block - 1 | (1 << 30 if fua else 0)
        sqe = command(1, self.next_cid(), nsid, sgl(kind, len(data)), (slba, 0, cdw12))
        return self.execute(sqe, data if in_capsule else b'', data)[0]


class Controller:
    """An admin queue and I/O queues, enabled."""

    def __init__(self, address, nqn, queues=1, hdgst=False, ddgst=False, kato=0, hostnqn=HOSTNQN):
        self.address, self.nqn, self.hostnqn = address, nqn, hostnqn
        self.options = (hdgst, ddgst)
        self.admin = self.open()
        status, self.cntlid = self.admin.connect(nqn, kato=kato, hostnqn=hostnqn)
        assert status == 0, hex(status)
        assert self.admin.property_set(0x14, 0x460001) == 0
        self.queues = [self.add_queue(qid + 1) for qid in range(queues)]

    def open(self):
        queue = Queue(self.address, *self.options)
        queue.initialize()
        return queue

    def add_queue(self, qid, sqsize=127):
        queue = self.open()
        status, _ = queue.connect(self.nqn, qid, self.cntlid, sqsize, hostnqn=self.hostnqn)
        assert status == 0, hex(status)
        return queue

    def close(self):
        for queue in [self.admin] + self.queues:
            queue.close()
