# SPDX-License-Identifier: BSD-3-Clause
"""The rows of the table: what of ours is compared with which limit, which peers, and which target.

A reference is a function of the medians of one placement class, so a ratio never mixes classes.
"""
from dataclasses import dataclass, field

from .measurements import (CLIENT_COUNTS, DMA_OPERATIONS, DMA_SIZES, GENERATION_SIZES,
                           HEAP_SIZES, LONGEST_SIZE, MSGQ_LATENCY_SIZES, MSGQ_MODES,
                           MSGQ_RATE_SIZES, PAIRS, POINTS, STA_DEPTH_MAX, STA_FILE_SIZES,
                           STA_PROFILED, STA_SIZES, STA_WIRE)
from .results import HIGHER_IS_BETTER

# Two-sided: the receiver is told. UCX's put is not, so it is a reference of its own.
PEERS = ["unix_seqpacket", "unix_seqpacket_spin", "pipe", "ucx_am", "ucx_tag", "libfabric_shm",
         "openmpi", "mpich", "dpdk_rte_ring", "iceoryx", "zeromq_ipc", "nng_ipc"]

# Every task flushed by itself, or all of a progress call together: suffix of the peer's name, title
SUBMITS = [("", ""), ("_batch", ", batched")]


@dataclass
class Target:
    """Ours must be at most (latency) or at least (rate) this factor times the reference."""
    factor: float
    text: str
    reference: object

    def ratio(self, medians, ours):
        reference = self.reference(medians)
        return ours / reference if reference else None


@dataclass
class Row:
    title: str
    key: tuple  # (peer, metric, size) of ours
    unit: str
    limit: object
    targets: list = field(default_factory=list)
    peers: bool = True  # compare with the best peer at the same metric and size

    @property
    def higher_is_better(self):
        return self.key[1] in HIGHER_IS_BETTER

    def best_peer(self, medians):
        """(name, value) of the best two-sided peer, or None."""
        if not self.peers:
            return None
        found = [(name, medians[(name, *self.key[1:])].median) for name in PEERS
                 if (name, *self.key[1:]) in medians]
        if not found:
            return None
        return (max if self.higher_is_better else min)(found, key=lambda pair: pair[1])


def median(peer, metric, size, factor=1.0):
    def reference(medians):
        value = medians.get((peer, metric, size))
        return value.median * factor if value else None
    return reference


def one_after_the_other(peers, metric, size):
    """What a single thread can do at best that has to do all of it."""
    def reference(medians):
        values = [median(peer, metric, size)(medians) for peer in peers]
        if not all(values):
            return None
        if metric in HIGHER_IS_BETTER:
            return 1 / sum(1 / value for value in values)
        return sum(values)
    return reference


def copy_bandwidth(size, kernels=("memcpy", "movsb")):
    def reference(medians):
        values = [median(f"limit_copy_{kernel}", "bandwidth", size)(medians)
                  for kernel in kernels]
        return max((value for value in values if value), default=None)
    return reference


def copy_time(size, **kernels):
    def reference(medians):
        bandwidth = copy_bandwidth(size, **kernels)(medians)
        return size / bandwidth if bandwidth else None
    return reference


def human(size):
    for unit, factor in (("MiB", 1 << 20), ("KiB", 1 << 10)):
        if size >= 4 * (1 << 10) and size % factor == 0:
            return f"{size // factor} {unit}"
    return f"{size} B"


def _to_peer(row, factor, text):
    def reference(medians):
        best = row.best_peer(medians)
        return best[1] if best else None
    return Target(factor, text, reference)


def _to(peer, row, factor):
    return Target(factor, peer, median(peer, *row.key[1:]))


def _shared_cpus(peer, title, metrics=("latency", "rate")):
    """Both sides have one CPU, or others compute there; the limit is a socket that they sleep on.

    Where others compute, some messages wait for a turn of theirs: the mean tells."""
    rows = []
    for suffix, where, key, kind in [("_one_cpu", "one CPU", "latency_p50", "latency"),
                                     ("_busy", "busy machine", "latency_mean", "mean latency"),
                                     ("_one_cpu_busy", "one busy CPU", "latency_mean",
                                      "mean latency")]:
        names = {"latency": (kind, key, "ns"), "rate": ("rate", "rate", "Mmsg/s")}
        for name, metric, unit in [names[metric] for metric in metrics]:
            rows.append(Row(f"{title} {name} 8 B, {where}", (peer + suffix, metric, 8), unit,
                            median("unix_seqpacket" + suffix, metric, 8), peers=False))
    return rows


def control_rows():
    rows = []
    for size in POINTS["control"]["latency"]:
        limit = median("limit_ring", "latency_p50", size)
        row = Row(f"control latency {human(size)}", ("softfield_control", "latency_p50", size),
                  "ns", limit, [Target(1.25, "limit", limit)])
        if size == max(POINTS["control"]["latency"]):
            row.targets.append(_to("unix_seqpacket", row, 0.08))
        rows.append(row)
    for size in POINTS["control"]["rate"]:
        for suffix, title in SUBMITS:
            key = ("softfield_control" + suffix, "rate", size)
            rows.append(Row(f"control rate {human(size)}{title}", key, "Mmsg/s",
                            median("limit_spsc", "rate", size)))
    limit = median("limit_eventfd_epoll", "latency_p50", 8)
    rows.append(Row("control event mode", ("softfield_control_event", "latency_p50", 8), "ns",
                    limit, [Target(1.2, "limit", limit),
                            Target(0.95, "unix_seqpacket",
                                   median("unix_seqpacket", "latency_p50", 8))], peers=False))
    limit = median("limit_eventfd_epoll_pauses", "latency_p50", 8)
    rows.append(Row("control event mode, pauses", ("softfield_control_pauses", "latency_p50", 8),
                    "ns", limit, [Target(1.2, "limit", limit)], peers=False))
    for size in GENERATION_SIZES:
        rows.append(Row(f"control latency {human(size)}, copied out",
                        ("softfield_control_copied", "latency_p50", size), "ns",
                        median("limit_ring", "latency_p50", size)))
    for name, newest in (("cc", "softfield_control"),
                         ("comm_channel", "softfield_control_copied")):
        for size in GENERATION_SIZES:
            row = Row(f"{name} latency {human(size)}",
                      ("softfield_" + name, "latency_p50", size), "ns", None, peers=False)
            row.targets = [_to(newest, row, 1.2)]
            rows.append(row)
    rows += [Row(f"comm_channel rate {human(size)}", ("softfield_comm_channel", "rate", size),
                 "Mmsg/s", median("softfield_control", "rate", size))
             for size in POINTS["control"]["rate"]]
    for mode, title in (("block", "blocking"), ("event", "event mode")):
        rows.append(Row(f"comm_channel {title}, 8 B",
                        ("softfield_comm_channel_" + mode, "latency_p50", 8), "ns", None,
                        peers=False))
    for count in CLIENT_COUNTS:
        one = CLIENT_COUNTS[0]
        rows.append(Row(f"poll, {count} clients", ("softfield_clients", "poll", count), "ns",
                        median("softfield_clients", "poll", one), peers=False))
        rows.append(Row(f"one way, {count} clients", ("softfield_clients", "latency_p50", count),
                        "ns", median("softfield_clients", "latency_p50", one), peers=False))
    rows += [*_shared_cpus("softfield_control", "control"),
             *_shared_cpus("softfield_comm_channel", "comm_channel"),
             *_shared_cpus("softfield_comm_channel_block", "comm_channel blocking", ["latency"])]
    ideal = median("limit_cacheline", "latency_p50", 8, PAIRS)
    row = Row(f"{PAIRS} pairs on 2 CPUs, mean",
              ("softfield_control", f"latency_mean_{PAIRS}pairs", 8), "ns", ideal)
    row.targets = [Target(3, "limit", ideal), _to("openmpi", row, 0.25)]
    fast = Row(f"{PAIRS} pairs on 2 CPUs, producers and consumers, mean",
               ("softfield_fast", f"latency_mean_{PAIRS}pairs", 8), "ns", ideal, peers=False)
    return [*rows, row, fast]


def _fast_latency(size):
    row = Row(f"fast latency {human(size)}", ("softfield_fast", "latency_p50", size), "ns", None)
    if size <= 48:
        row.limit = median("limit_cacheline", "latency_p50", 8)
        row.targets = [Target(1.15, "limit", row.limit), _to("ucx_am", row, 0.85),
                       _to("ucx_put", row, 1.15)]
    elif size <= 4096:
        row.limit = median("limit_posted_copy", "latency_p50", size)
        row.targets = [Target(1.25, "limit", row.limit), _to_peer(row, 0.7, "best peer"),
                       _to("ucx_put", row, 1.1)]
    else:
        row.limit = copy_time(size)
        large = size >= 1 << 20
        row.targets = [Target(1.1, "limit", row.limit),
                       _to("iceoryx", row, 0.9 if large else 0.55),
                       _to("ucx_am", row, 0.25 if large else 0.15), _to("ucx_put", row, 1.0)]
    return row


def _fast_rate(peer, title, size):
    row = Row(f"fast rate {human(size)}{title}", (peer, "rate", size), "Mmsg/s", None)
    if size == 8:
        row.limit = median("limit_spsc", "rate", size)
        row.targets = [Target(0.35, "limit", row.limit), _to("ucx_tag", row, 2),
                       _to("ucx_put", row, 0.95)]
        return row
    row.limit = median("limit_posted_copy", "rate", size)
    if size == 256:
        row.targets = [Target(0.6, "limit", row.limit), _to_peer(row, 3, "best peer"),
                       _to("ucx_put", row, 1.4)]
    return row


# size -> factor to the best two-sided peer, factor to UCX's put
_BANDWIDTH_TARGETS = {
    65536: (2.2, 1.0), 1048576: (1.2, 1.1), 16777216: (4, 1.2), 268435456: (3, 1.3),
}


def _fast_bandwidth(size):
    row = Row(f"fast bandwidth {human(size)}", ("softfield_fast", "bandwidth", size), "GB/s", None)
    if size == 4096:
        row.limit = median("limit_posted_copy", "bandwidth", size)
        row.targets = [Target(0.8, "limit", row.limit), _to_peer(row, 1.6, "best peer"),
                       _to("ucx_put", row, 0.9)]
        return row
    to_peer, to_put = _BANDWIDTH_TARGETS[size]
    row.limit = copy_bandwidth(size)
    row.targets = [Target(0.92, "limit", row.limit), _to_peer(row, to_peer, "best peer"),
                   _to("ucx_put", row, to_put)]
    return row


def _fast_modes():
    """With 999 other consumers, with a progress engine for each context, sent from the program's
    loop instead of callbacks, with immediate data and no buffers, asleep whenever there is nothing
    to do, the same and sent from the loop, beside others who never have, with many buffers that
    have a place each, with a task and a buffer that are taken for each message, with four producers
    and four consumers by turns, in memory that shares its pages with others, and eight messages
    there and back at a time; the limit is ours without that."""
    rows = [Row(f"fast {metric} 8 B, {title}", ("softfield_fast_" + mode, key, 8), unit,
                median("softfield_fast", key, 8), peers=False)
            for mode, title in [("crowd", "1000 consumers"), ("split", "engine for each"),
                                ("loop", "sent from a loop"),
                                ("imm", "immediate data"), ("event", "event mode"),
                                ("event_loop", "event mode, sent from a loop")]
            for metric, key, unit in [("latency", "latency_p50", "ns"),
                                      ("rate", "rate", "Mmsg/s")]]
    rows += [Row(f"fast rate {human(size)}, {title}", ("softfield_fast_" + mode, "rate", size),
                 "Mmsg/s", median("softfield_fast", "rate", size), peers=False)
             for mode, title in [("apart", "1024 buffers"), ("fresh", "tasks taken anew"),
                                 ("turns", "4 producers, 4 consumers"), ("heap", "malloc()")]
             for size in POINTS["fast"]["rate"]]
    rows += [Row(f"fast latency {human(size)}, malloc()", ("softfield_fast_heap", "latency_p50",
                                                           size), "ns",
                 median("softfield_fast", "latency_p50", size), peers=False)
             for size in HEAP_SIZES]
    rows += [*_shared_cpus("softfield_fast", "fast"),
             *_shared_cpus("softfield_fast_split", "fast, engine for each,")]
    return [*rows, Row("fast latency 8 x 8 B", ("softfield_fast_burst", "latency_p50", 8), "ns",
                       median("softfield_fast", "latency_p50", 8), peers=False)]


def _fast_longest():
    rows = [Row(f"longest call, 1 GiB, {side}",
                ("softfield_fast_" + side, "longest_call", LONGEST_SIZE), "us", None, peers=False)
            for side in ("sender", "receiver")]
    for row in rows:
        row.targets = [Target(1, "2 ms", lambda _: 2000)]
    return rows


def _least_with_tasks():
    """Not ours: what an interface of this shape costs."""
    return Row("(tasks and callbacks alone, 8 B)", ("limit_task", "latency_p50", 8), "ns",
               median("limit_cacheline", "latency_p50", 8), peers=False)


def fast_rows():
    points = POINTS["fast"]
    return [_least_with_tasks(), *map(_fast_latency, points["latency"]),
            *[_fast_rate("softfield_fast" + suffix, title, size)
              for size in points["rate"] for suffix, title in SUBMITS],
            *map(_fast_bandwidth, points["bandwidth"]), *_fast_modes(), *_fast_longest()]


def dma_rows():
    """One copy at a time, to exported memory and from it; and what the export takes, once."""
    copies = [Row(f"dma {operation} {human(size)}",
                  (f"softfield_dma_{operation}", "copy_p50", size), "ns", copy_time(size),
                  peers=False)
              for operation in DMA_OPERATIONS for size in DMA_SIZES]
    behind = [Row(f"dma write {human(size)}, 8 B behind",
                  ("softfield_dma_write_behind", "copy_p50", size - 8), "ns",
                  copy_time(size - 8, kernels=("behind",)), peers=False)
              for size in DMA_SIZES if size >= 4096]
    exports = [Row(f"export of {human(size)}", ("softfield_dma", "export", size), "ns", None,
                   peers=False)
               for size in DMA_SIZES if size >= 4096]
    return copies + behind + exports


def msgq_rows():
    """CPU to DPA and back, halved; and a stream to the DPA."""
    rows = [Row(f"msgq latency {human(size)}, {mode}",
                ("softfield_msgq_" + mode, "latency_p50", size), "ns",
                median("limit_cacheline", "latency_p50", 8), peers=False)
            for size in MSGQ_LATENCY_SIZES for mode in MSGQ_MODES]
    return rows + [Row(f"msgq rate {human(size)}, {mode}", ("softfield_msgq_" + mode, "rate", size),
                       "Mmsg/s", median("limit_spsc", "rate", size), peers=False)
                   for size in MSGQ_RATE_SIZES for mode in MSGQ_MODES]


def _sta_cpu(disk, operation, size):
    row = Row(f"engine, {disk} disk, {operation} {human(size)}",
              (f"softfield_sta_{disk}_{operation}", "cpu", size), "ns", copy_time(size),
              peers=False)
    if disk == "null" and size == 4096:
        row.targets = [Target(1, "500 ns", lambda medians: 500.0)]
    return row


def _sta_operation(write, depth):
    return f"{'write' if write else 'read'}_qd{depth}"


def _sta_wire(disk, write, size, depth):
    operation = _sta_operation(write, depth)
    metric, unit = ("command_p50", "ns") if depth == 1 else ("rate", "Mmsg/s")
    limits = ["limit_tcp_echo_" + operation]
    if disk == "file":
        limits.append("limit_uring_file_" + operation)
    limit = one_after_the_other(limits, metric, size)
    row = Row(f"NVMe/TCP, {disk} disk, {operation.replace('_qd', ', depth ')}, {human(size)}",
              (f"softfield_sta_tcp_{disk}_{operation}", metric, size), unit, limit, peers=False)
    if size == 4096 and depth == 1:
        row.targets = [Target(1.25, "limit", limit)]
    return row


def _sta_rate(disk, operation, size):
    limit = None
    if disk == "file":
        limit = median(f"limit_uring_file_{operation}_qd{STA_DEPTH_MAX}", "rate", size)
    return Row(f"commands, {disk} disk, {operation} {human(size)}",
               (f"softfield_sta_{disk}_{operation}", "rate", size), "Mmsg/s", limit, peers=False)


def _sta_kernel(write, size, depth):
    operation = _sta_operation(write, depth)
    return Row(f"in system calls, null disk, {operation.replace('_qd', ', depth ')}, {human(size)}",
               ("softfield_sta_tcp_null_" + operation, "kernel", size), "%", None, peers=False)


def _sta_idle():
    row = Row("idle target, CPU time", ("softfield_sta_idle", "cpu", 0), "us/s", None, peers=False)
    row.targets = [Target(1, "1 ms/s", lambda _: 1000)]
    return row


def sta_rows():
    operations = ("read", "write")
    points = [(disk, operation, size) for disk in ("null", "memory")
              for operation in operations for size in STA_SIZES]
    files = [("file", operation, size) for operation in operations for size in STA_FILE_SIZES]
    return [*[_sta_cpu(*point) for point in points],
            *[_sta_rate(*point) for point in points + files],
            *[_sta_wire(disk, *point) for disk in ("null", "file") for point in STA_WIRE],
            *[_sta_kernel(*point) for point in STA_PROFILED], _sta_idle()]


def rows_of(areas):
    rows = []
    if "control" in areas:
        rows += control_rows()
    if "fast" in areas:
        rows += fast_rows()
    if "dma" in areas:
        rows += dma_rows()
    if "msgq" in areas:
        rows += msgq_rows()
    if "sta" in areas:
        rows += sta_rows()
    return rows
