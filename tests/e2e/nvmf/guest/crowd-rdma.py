#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""In the guest: makes connections over RDMA that say nothing, then runs the command beside them.
crowd-rdma.py ADDRESS PORT COUNT COMMAND [ARGUMENT...]; exit status: the command's."""
import ctypes
import os
import struct
import subprocess
import sys

RDMA_PS_TCP, IBV_QPT_RC = 0x0106, 2
ENTRIES = 32


def check(what, failed):
    if failed:
        sys.exit('%s: %s' % (what, os.strerror(ctypes.get_errno())))


def connect(cm, info):
    """As an NVMe host does: RECFMT 0, queue 0, sizes of the queues."""
    hello = struct.pack('<HHHH24x', 0, 0, ENTRIES, ENTRIES - 1)
    queue = struct.pack('@PPPP5Iii', 0, 0, 0, 0, ENTRIES, ENTRIES, 1, 1, 0, IBV_QPT_RC, 0)
    ident = ctypes.c_void_p()
    check('rdma_create_ep', cm.rdma_create_ep(ctypes.byref(ident), info, None, queue))
    data = ctypes.create_string_buffer(hello)
    param = struct.pack('@P7BxI', ctypes.addressof(data), len(hello), 1, 1, 0, 7, 7, 0, 0)
    check('rdma_connect', cm.rdma_connect(ident, param))


def main(address, port, count, *command):
    # not afterwards: the target gives them ten seconds
    subprocess.run(['modprobe', 'nvme-rdma'], check=True)
    cm = ctypes.CDLL('librdmacm.so.1', use_errno=True)
    hints = struct.pack('@4i', 0, 0, IBV_QPT_RC, RDMA_PS_TCP).ljust(128, b'\0')
    info = ctypes.c_void_p()
    check('rdma_getaddrinfo', cm.rdma_getaddrinfo(address.encode(), port.encode(), hints,
                                                  ctypes.byref(info)))
    for _ in range(int(count)):
        connect(cm, info)
    print('ok', count, 'silent connections', flush=True)
    return subprocess.run(command, check=False).returncode


sys.exit(main(*sys.argv[1:]))
