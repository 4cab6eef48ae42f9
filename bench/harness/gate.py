# SPDX-License-Identifier: BSD-3-Clause
"""Runs one measurement under known conditions and records them.

Before: wait for a quiet moment; bring the CPUs to near cores if the hypervisor can be persuaded.
During: idle states held back (where /dev/cpu_dma_latency may be written), highest priority.
After: how far apart the CPUs are now, and how much CPU time others have used meanwhile.
"""
import json
import os
import resource
import signal
import subprocess
import time

# One-way time of a cache line: less between two threads of one core, up to the second between
# cores of one part of the processor; more: farther away.
SIBLING_NS = 30
NEAR_NS = 125
MOVED = 1.8  # so many times as long before as after, or the reverse: the CPUs have moved
QUIET_PERCENT = 50
QUIET_WAIT_S = 2.0
TOO_BUSY_PERCENT = 30


class Broken(Exception):
    """A program failed, timed out, or printed nothing."""


def is_virtual():
    """Of a real machine the kernel knows which threads share a core, and nobody moves them."""
    with open("/proc/cpuinfo", encoding="utf-8") as info:
        return any(line.startswith("flags") and "hypervisor" in line.split() for line in info)


def classify(before_ns, after_ns, may_be_siblings=True):
    """Rows are compared only within a class; "mixed" means that the CPUs have moved meanwhile."""
    if max(before_ns, after_ns) > MOVED * min(before_ns, after_ns):
        return "mixed"
    line_ns = (before_ns + after_ns) / 2
    if line_ns < SIBLING_NS and may_be_siblings:
        return "sibling"
    return "near" if line_ns <= NEAR_NS else "far"


def _busy_s():
    """CPU time used on the whole machine since it started."""
    with open("/proc/stat", encoding="ascii") as stat:
        user, nice, system, _idle, _iowait, irq, softirq = map(int, stat.readline().split()[1:8])
    return (user + nice + system + irq + softirq) / os.sysconf("SC_CLK_TCK")


def _own_s():
    total = 0.0
    for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN):
        usage = resource.getrusage(who)
        total += usage.ru_utime + usage.ru_stime
    return total


class Gate:
    def __init__(self, placement, cpus, patient=True):
        """patient: waits for quiet moments, and measures once more what was disturbed"""
        self._patient = patient
        self._placement = placement  # the program limits/placement
        self._cpus = cpus
        self._is_virtual = is_virtual()
        self._awake = None
        self.can_hold_awake = os.access("/dev/cpu_dma_latency", os.W_OK)
        try:
            os.setpriority(os.PRIO_PROCESS, 0, -20)
        except PermissionError:
            pass  # recorded anyway: the share of others is in every row

    def _hold_awake(self, hold):
        if hold and self._awake is None and self.can_hold_awake:
            self._awake = open("/dev/cpu_dma_latency", "wb", buffering=0)
            self._awake.write(b"\0\0\0\0")
        elif not hold and self._awake is not None:
            self._awake.close()
            self._awake = None

    def _wait_quiet(self):
        deadline = time.monotonic() + (QUIET_WAIT_S if self._patient else 0)
        while time.monotonic() < deadline:
            before, start = _busy_s(), time.monotonic()
            time.sleep(0.1)
            percent = (_busy_s() - before) / (time.monotonic() - start) / os.cpu_count() * 100
            if percent < QUIET_PERCENT:
                return

    def line_ns(self, mode="probe"):
        out = subprocess.run([self._placement, "--cpus", self._cpus, "--mode", mode],
                             check=True, capture_output=True, text=True, timeout=60).stdout
        return float(out)

    def run(self, commands, env, timeout_s, again=False):
        """Runs the commands at the same time; returns their rows, each list with its conditions."""
        self._hold_awake(False)
        self._wait_quiet()
        before_ns = self.line_ns("settle" if self._is_virtual else "probe")
        self._hold_awake(True)
        busy, own, start = _busy_s(), _own_s(), time.monotonic()
        outputs = _run_together(commands, env, timeout_s)
        elapsed = time.monotonic() - start
        foreign = _busy_s() - busy - (_own_s() - own)
        foreign_percent = max(0.0, foreign / elapsed / os.cpu_count() * 100)
        after_ns = self.line_ns()
        if foreign_percent > TOO_BUSY_PERCENT and self._patient and not again:
            return self.run(commands, env, timeout_s, again=True)
        conditions = {
            "class": classify(before_ns, after_ns, self._is_virtual),
            "line_ns": [before_ns, after_ns],
            "foreign_percent": round(foreign_percent, 1),
        }
        return [[{**row, **conditions} for row in _rows(output)] for output in outputs]


def _rows(output):
    rows = [json.loads(line) for line in output.splitlines() if line.startswith("{")]
    if not rows:
        raise Broken("printed no result")
    return rows


def _end(process):
    """Ends a program that was started in a session of its own, with what it has started."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    process.wait()


def _complaint(err):
    """The first two lines with words in them."""
    lines = [line.strip() for line in err.splitlines() if any(map(str.isalpha, line))]
    return " ".join(lines[:2]) or "no message"


def _run_together(commands, env, timeout_s):
    processes = [subprocess.Popen(command, env=env, stdin=subprocess.DEVNULL,
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                  start_new_session=True)
                 for command in commands]
    deadline = time.monotonic() + timeout_s
    outputs = []
    try:
        for process in processes:
            out, err = process.communicate(timeout=max(0.1, deadline - time.monotonic()))
            if process.returncode != 0:
                raise Broken(f"exit status {process.returncode}: {_complaint(err)}")
            outputs.append(out)
    except subprocess.TimeoutExpired:
        raise Broken(f"no end within {timeout_s:.0f} s") from None
    finally:
        for process in processes:
            if process.poll() is None:
                _end(process)
    return outputs
