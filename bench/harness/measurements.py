# SPDX-License-Identifier: BSD-3-Clause
"""What can be measured: limits of the machine, peers, and this project."""
import os
import shutil
from dataclasses import dataclass, field

HERE = os.path.dirname(os.path.abspath(__file__))

# area -> metric -> sizes
POINTS = {
    "control": {
        "latency": [8, 48, 64, 256, 1024, 4080],
        "rate": [8, 64, 256],
    },
    "fast": {
        "latency": [8, 48, 64, 256, 1024, 4096, 65536, 1048576],
        "rate": [8, 64, 256],
        "bandwidth": [4096, 65536, 1048576, 16777216, 268435456],
    },
}
AREAS = [*POINTS, "dma", "msgq", "sta"]  # those without points have their own, and no peers
DMA_SIZES = [8, 64, 4096, 65536, 1048576, 16777216]
DMA_OPERATIONS = ["write", "read"]  # to and from memory that another process has exported
MSGQ_LATENCY_SIZES = [8, 32]
MSGQ_RATE_SIZES = [8]
MSGQ_MODES = ["thread", "kernel"]
STA_SIZES = [512, 4096, 131072]
STA_FILE_SIZES = [4096, 131072]
# as in lib/wire.c: is it a write, size, depth
STA_WIRE = [*((write, 4096, depth) for write in (False, True) for depth in (1, 32, 127)),
            *((write, 131072, depth) for write in (False, True) for depth in (1, 32))]
STA_DEPTH_MAX = 127  # of a queue with 128 entries
STA_PROFILED = [(write, size, depth) for write, size, depth in STA_WIRE if depth == 32]
RING_MAX_SIZE = 8192
USUAL_MAX_SIZE = 16 << 20
LONGEST_SIZE = 1 << 30
HEAP_SIZES = [256, 4096, 65536]
GENERATION_SIZES = [8, 256, 4080]  # of the control path's earlier generations
CLIENT_COUNTS = [1, 64, 512, 2000]
PAIRS = 4
BUSY_MS = 400  # the turns that others take are of some milliseconds


@dataclass
class Measurement:
    """One command that prints result rows; or several of it at the same time."""
    name: str
    kind: str  # "limit", "peer", "ours"
    program: str = ""  # path below bench/ in the build folder; "": the prefix does it all
    args: list = field(default_factory=list)
    prefix: list = field(default_factory=list)  # what starts the program, for instance mpirun
    needs: list = field(default_factory=list)  # commands in PATH
    package: str = ""  # Debian package that a missing peer needs
    time_ms: int = 0  # 0: what the run says
    pairs: int = 1
    one_cpu: bool = False  # both sides on the first one
    busy: bool = False  # others compute there all the time
    timeout_s: int = 60

    def _path(self, build):
        return [os.path.join(build, "bench", self.program)] if self.program else []

    def missing(self, build):
        """Why it cannot run, or None."""
        hint = f", Debian package {self.package}" if self.package else ""
        for command in self.needs:
            if not shutil.which(command):
                return f"no command {command}{hint}"
        for path in self._path(build):
            if not os.access(path, os.X_OK):
                return f"{path} has not been built{hint}"
        return None

    def commands(self, build, cpus, time_ms):
        """One command per pair, every other one with the CPUs the other way round."""
        first, second = (cpus[0], cpus[0]) if self.one_cpu else cpus
        beside = []
        if self.busy:
            beside = [os.path.join(build, "bench", "busy"), ",".join(map(str, {first, second}))]
        result = []
        for pair in range(self.pairs):
            order = (first, second) if pair % 2 == 0 else (second, first)
            result.append([*beside, *self.prefix, *self._path(build), *self.args,
                           "--cpus", f"{order[0]},{order[1]}",
                           "--time-ms", str(self.time_ms or time_ms)])
        return result


def _sizes(sizes):
    return ["--sizes", ",".join(map(str, sizes))]


def _limits(points):
    result = [
        Measurement("limit/cacheline", "limit", "limits/cacheline"),
        Measurement("limit/task", "limit", "limits/task_latency"),
        Measurement("limit/syscall", "limit", "limits/syscall"),
        Measurement("limit/wake", "limit", "limits/wake"),
        Measurement("limit/wake-pauses", "limit", "limits/wake", ["--mode", "pauses"]),
        Measurement("limit/ring-latency", "limit", "limits/ring_latency",
                    _sizes([size for size in points["latency"] if size <= RING_MAX_SIZE])),
        Measurement("limit/ring-rate", "limit", "limits/ring_rate", _sizes(points["rate"])),
    ]
    if "bandwidth" in points:
        result.append(Measurement("limit/copy", "limit", "limits/copy",
                                  _sizes(points["bandwidth"])))
        result += _by_metric(points, "limit/posted-copy", "limit", "limits/posted_copy")
    return result


def _by_metric(points, name, kind, program="", args=(), **more):
    """A measurement per metric: each gets its own look at the placement of the CPUs."""
    return [Measurement(f"{name}/{metric}", kind, program,
                        [*args, "--metric", metric, *_sizes(sizes)], **more)
            for metric, sizes in points.items()]


_OPENMPI = {"prefix": ["mpirun.openmpi", "-np", "2", "--bind-to", "none",
                       "--mca", "pml", "ob1", "--mca", "btl", "vader,self"],
            "needs": ["mpirun.openmpi"], "package": "libopenmpi-dev"}
_MPICH = {"prefix": ["mpirun.mpich", "-np", "2", "-bind-to", "none"],
          "needs": ["mpirun.mpich"], "package": "libmpich-dev"}
_UCX = {"prefix": ["python3", os.path.join(HERE, "ucx.py")],
        "needs": ["ucx_perftest", "ucx_info"], "package": "ucx-utils"}
_ICEORYX = {"prefix": ["python3", os.path.join(HERE, "iceoryx.py")],
            "needs": ["iox-roudi"], "package": "libiceoryx-binding-c-dev, iceoryx"}


def _shared_cpus(name, kind, program, label, args=()):
    """Both sides on one CPU; others who compute on each of two, and on that one."""
    def measure(suffix, **more):
        return Measurement(name + "-" + suffix.replace("_", "-"), kind, program,
                           [*args, "--label", f"{label}_{suffix}", *_sizes([8])], **more)

    return [measure("one_cpu", one_cpu=True),
            measure("busy", busy=True, time_ms=BUSY_MS),
            measure("one_cpu_busy", one_cpu=True, busy=True, time_ms=BUSY_MS)]


def _peers(points):
    def peer(name, program="", args=(), **more):
        return _by_metric(points, "peer/" + name, "peer", program, args, **more)

    return [
        *peer("unix_seqpacket", "peers/unix_socket"),
        *peer("unix_seqpacket_spin", "peers/unix_socket", ["--mode", "spin"]),
        *peer("pipe", "peers/pipe"),
        *peer("ucx_am", args=["--mode", "ucp_am"], **_UCX),
        *peer("ucx_tag", args=["--mode", "tag"], **_UCX),
        *peer("ucx_put", args=["--mode", "ucp_put"], **_UCX),
        *peer("libfabric_shm", "peers/libfabric", package="libfabric-dev"),
        *peer("openmpi", "peers/openmpi", **_OPENMPI),
        *peer("mpich", "peers/mpich", **_MPICH),
        *peer("dpdk_rte_ring", "peers/rte_ring", package="libdpdk-dev"),
        *peer("iceoryx", "peers/iceoryx", **_ICEORYX),
        *peer("zeromq_ipc", "peers/zeromq", package="libzmq3-dev"),
        *peer("nng_ipc", "peers/nng", package="libnng-dev"),
        *_shared_cpus("peer/unix_seqpacket", "peer", "peers/unix_socket", "unix_seqpacket"),
    ]


def _four_pairs(name, kind, program, args=(), **more):
    return Measurement(name, kind, program, [*args, *_sizes([8])], pairs=PAIRS, time_ms=600, **more)


def _control(points):
    return [
        Measurement("ours/control/latency", "ours", "comch_latency", _sizes(points["latency"])),
        Measurement("ours/control/copied", "ours", "comch_latency",
                    ["--mode", "copied", *_sizes(GENERATION_SIZES)]),
        Measurement("ours/control/event", "ours", "comch_latency",
                    ["--mode", "event", *_sizes([8])]),
        Measurement("ours/control/pauses", "ours", "comch_latency",
                    ["--mode", "pauses", *_sizes([8])]),
        Measurement("ours/control/rate", "ours", "comch_rate", _sizes(points["rate"])),
        Measurement("ours/control/rate-batch", "ours", "comch_rate",
                    ["--mode", "batch", *_sizes(points["rate"])]),
        Measurement("ours/control/cc", "ours", "cc_latency",
                    ["--label", "softfield_cc", *_sizes(GENERATION_SIZES)]),
        Measurement("ours/control/comm_channel", "ours", "comm_channel_latency",
                    ["--metric", "latency", *_sizes(GENERATION_SIZES)]),
        Measurement("ours/control/comm_channel-rate", "ours", "comm_channel_latency",
                    ["--metric", "rate", *_sizes(points["rate"])]),
        Measurement("ours/control/comm_channel-block", "ours", "comm_channel_latency",
                    ["--mode", "block", "--metric", "latency", *_sizes([8])]),
        Measurement("ours/control/comm_channel-event", "ours", "comm_channel_latency",
                    ["--mode", "event", "--metric", "latency", *_sizes([8])]),
        *[Measurement(f"ours/control/clients-{count}", "ours", "comch_clients", _sizes([count]))
          for count in CLIENT_COUNTS],
        *_shared_cpus("ours/control/latency", "ours", "comch_latency", "softfield_control"),
        *_shared_cpus("ours/control/rate", "ours", "comch_rate", "softfield_control"),
        *_shared_cpus("ours/control/comm_channel", "ours", "comm_channel_latency",
                 "softfield_comm_channel"),
        *_shared_cpus("ours/control/comm_channel-block", "ours", "comm_channel_latency",
                 "softfield_comm_channel_block", ["--mode", "block"]),
        _four_pairs("ours/control/pairs", "ours", "comch_latency"),
        _four_pairs("ours/fast/pairs", "ours", "comch_fast", ["--metric", "latency"]),
        _four_pairs("peer/unix_seqpacket/pairs", "peer", "peers/unix_socket",
                    ["--metric", "latency"]),
        _four_pairs("peer/libfabric_shm/pairs", "peer", "peers/libfabric", ["--metric", "latency"],
                    package="libfabric-dev"),
        _four_pairs("peer/openmpi/pairs", "peer", "peers/openmpi", ["--metric", "latency"],
                    **_OPENMPI),
        _four_pairs("peer/mpich/pairs", "peer", "peers/mpich", ["--metric", "latency"], **_MPICH),
    ]


def _fast(points):
    # A program's memory is as large as its largest message: the very large ones for themselves.
    usual = {metric: [size for size in sizes if size <= USUAL_MAX_SIZE]
             for metric, sizes in points.items()}
    large = [size for size in points["bandwidth"] if size > USUAL_MAX_SIZE]
    return [
        *_by_metric(usual, "ours/fast", "ours", "comch_fast"),
        Measurement("ours/fast/bandwidth-large", "ours", "comch_fast",
                    ["--metric", "bandwidth", *_sizes(large)]),
        Measurement("ours/fast/rate-batch", "ours", "comch_fast",
                    ["--mode", "batch", "--metric", "rate", *_sizes(points["rate"])]),
        *_by_metric({"latency": [8], "rate": [8]}, "ours/fast/crowd", "ours", "comch_fast",
                    ["--mode", "crowd"]),
        *_by_metric({"latency": [8], "rate": [8]}, "ours/fast/split", "ours", "comch_fast",
                    ["--mode", "split"]),
        *_by_metric({"latency": [8], "rate": [8]}, "ours/fast/loop", "ours", "comch_fast",
                    ["--mode", "loop"]),
        *_by_metric({"latency": [8], "rate": [8]}, "ours/fast/imm", "ours", "comch_fast",
                    ["--mode", "imm"]),
        *[Measurement("ours/fast/" + mode, "ours", "comch_fast",
                      ["--mode", mode, "--metric", "rate", *_sizes(points["rate"])])
          for mode in ("apart", "fresh", "turns")],
        *_by_metric({"latency": HEAP_SIZES, "rate": points["rate"]}, "ours/fast/heap", "ours",
                    "comch_fast", ["--mode", "heap"]),
        *_by_metric({"latency": [8], "rate": [8]}, "ours/fast/event", "ours", "comch_fast",
                    ["--mode", "event"]),
        *_by_metric({"latency": [8], "rate": [8]}, "ours/fast/event-loop", "ours", "comch_fast",
                    ["--mode", "event_loop"]),
        *_shared_cpus("ours/fast", "ours", "comch_fast", "softfield_fast"),
        *_shared_cpus("ours/fast/split", "ours", "comch_fast", "softfield_fast_split",
                 ["--mode", "split"]),
        Measurement("ours/fast/burst", "ours", "comch_fast",
                    ["--mode", "burst", "--metric", "latency", *_sizes([8])]),
        Measurement("ours/fast/longest-call", "ours", "comch_fast_longest",
                    _sizes([LONGEST_SIZE])),
    ]


def _dma():
    return [Measurement("limit/dma-copy", "limit", "limits/copy",
                        _sizes([size for size in DMA_SIZES if size >= 4096])),
            Measurement("ours/dma/copy", "ours", "dma_copy", _sizes(DMA_SIZES))]


def _msgq():
    return [measurement for mode in MSGQ_MODES
            for measurement in _by_metric({"latency": MSGQ_LATENCY_SIZES, "rate": MSGQ_RATE_SIZES},
                                          "ours/msgq/" + mode, "ours", "comch_msgq",
                                          ["--mode", mode])]


def _msgq_limits():
    return [Measurement("limit/cacheline", "limit", "limits/cacheline"),
            Measurement("limit/ring-rate", "limit", "limits/ring_rate", _sizes(MSGQ_RATE_SIZES))]


def _sta():
    loop = [Measurement(f"ours/sta/{disk}-{metric}", "ours", "sta_loop",
                        ["--metric", metric, *(["--mode", disk] if disk != "null" else []),
                         *_sizes(STA_SIZES)])
            for disk in ("null", "memory") for metric in ("cpu", "rate")]
    tcp = [Measurement("ours/sta/tcp", "ours", "sta_tcp", timeout_s=120),
           Measurement("ours/sta/tcp-file", "ours", "sta_tcp", ["--mode", "file"], timeout_s=120),
           Measurement("ours/sta/tcp-profile", "ours", "sta_tcp", ["--metric", "kernel"],
                       time_ms=1000)]
    return [Measurement("limit/sta-copy", "limit", "limits/copy", _sizes(STA_SIZES)),
            Measurement("limit/tcp-echo", "limit", "limits/tcp_echo", timeout_s=120),
            Measurement("limit/uring-file", "limit", "limits/uring_file", timeout_s=120), *loop,
            Measurement("ours/sta/file-rate", "ours", "sta_loop",
                        ["--metric", "rate", "--mode", "file", *_sizes(STA_FILE_SIZES)]), *tcp,
            Measurement("ours/sta/idle", "ours", "sta_loop", ["--metric", "idle", *_sizes([512])],
                        time_ms=1000)]


def catalogue(areas):
    """All measurements of the areas, in the order of a round; sizes of several areas are merged."""
    points = {}
    for area in areas:
        for metric, sizes in POINTS.get(area, {}).items():
            points[metric] = sorted({*points.get(metric, []), *sizes})
    result = _limits(points) if points else []
    if "dma" in areas:
        result += _dma()
    if "msgq" in areas:
        result += _msgq() if points else _msgq_limits() + _msgq()
    if "sta" in areas:
        result += _sta()
    if "control" in areas:
        result += _control(POINTS["control"])
    if "fast" in areas:
        result += _fast(POINTS["fast"])
    return result + (_peers(points) if points else [])
