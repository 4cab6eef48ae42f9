#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Peer: UCX over shared memory, measured by its own ucx_perftest; prints rows like our programs.

--mode is the interface: tag, ucp_am, ucp_put. A put is one-sided: the receiver is not told.
"""
import argparse
import itertools
import json
import os
import random
import subprocess
import sys
import time

MAX_SIZE = 16 << 20
CONNECT_TRIES = 50
RUN_TRIES = 3


def perftest(cpu, port, *args):
    env = {**os.environ, "UCX_TLS": "shm,self", "UCX_LOG_LEVEL": "error"}
    return subprocess.Popen(["taskset", "-c", str(cpu), "ucx_perftest", "-p", str(port), *args],
                            env=env, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)


def result_line(output):
    """The last line of the form "iterations,latency,..." as numbers, or None."""
    for line in reversed(output.splitlines()):
        values = line.split(",")
        if len(values) > 7 and values[0].strip().isdigit():
            return [float(value) for value in values]
    return None


def try_run(cpus, port, test, size, count, rank):
    """The numbers of one run; None: the server has given up."""
    server = perftest(cpus[1], port)
    options = ["-t", test, "-s", str(size), "-n", str(count), "-w", str(count // 10 + 1),
               "-R", str(rank), "-f", "-v", "127.0.0.1"]
    try:
        for _ in range(CONNECT_TRIES):  # the server has no way to say that it listens
            output, _ = perftest(cpus[0], port, *options).communicate()
            values = result_line(output)
            if values:
                return values
            if server.poll() is not None:
                return None
            time.sleep(0.02)
    finally:
        if server.poll() is None:
            server.terminate()
        server.wait()
    return None


def run(cpus, ports, test, size, count, rank):
    for _ in range(RUN_TRIES):
        values = try_run(cpus, next(ports), test, size, count, rank)
        if values:
            return values
    sys.exit(f"ucx_perftest -t {test} -s {size}: no result")


def count_for(metric, size, time_ms):
    """Messages that take about the given time; ucx_perftest counts instead of timing."""
    if metric == "latency":
        per_message_ns = 500 + size / 5
    elif metric == "rate":
        per_message_ns = 50
    else:
        per_message_ns = 50 + size / 10
    return max(20, min(int(time_ms * 1e6 / per_message_ns), 2000000))


def measure(mode, metric, size, cpus, ports, time_ms):
    count = count_for(metric, size, time_ms)
    if metric == "latency":
        for rank in (50, 99):
            values = run(cpus, ports, f"{mode}_lat", size, count, rank)
            yield f"latency_p{rank}", values[1] * 1000, "ns"
    elif metric == "rate":
        values = run(cpus, ports, f"{mode}_bw", size, count, 50)
        yield "rate", values[7] / 1e6, "Mmsg/s"
    else:
        values = run(cpus, ports, f"{mode}_bw", size, count, 50)
        yield "bandwidth", values[7] * size / 1e9, "GB/s"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mode", choices=["tag", "ucp_am", "ucp_put"], required=True)
    parser.add_argument("--metric", choices=["latency", "rate", "bandwidth"], required=True)
    parser.add_argument("--sizes", required=True)
    parser.add_argument("--cpus", default="0,1")
    parser.add_argument("--time-ms", type=float, default=100)
    options = parser.parse_args()
    ports = itertools.count(random.randrange(20000, 32000))
    for size in map(int, options.sizes.split(",")):
        if size > MAX_SIZE:
            continue
        peer = "ucx_" + options.mode.removeprefix("ucp_")
        for metric, value, unit in measure(options.mode, options.metric, size,
                                           options.cpus.split(","), ports, options.time_ms):
            print(json.dumps({"name": "ucx_perftest", "peer": peer, "metric": metric,
                              "size": size, "value": value, "unit": unit}), flush=True)


if __name__ == "__main__":
    main()
