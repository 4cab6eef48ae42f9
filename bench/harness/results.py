# SPDX-License-Identifier: BSD-3-Clause
"""Result rows: files of them, and medians by (placement class, peer, metric, size)."""
import json
import os
import platform
import statistics
import subprocess
from collections import defaultdict
from dataclasses import dataclass

CLASSES = ["near", "far", "sibling", "mixed"]
TOO_BUSY_PERCENT = 20  # rows with more load by others count only if there are no better ones
HIGHER_IS_BETTER = {"rate", "bandwidth"}
ROW_KEYS = ["class", "peer", "metric", "size", "value", "run", "machine", "commit"]


class Unreadable(Exception):
    """A file that does not hold rows: which, where, why."""


@dataclass
class Value:
    median: float
    best: float
    count: int
    spread: float  # median distance from the median, as a share of it


def identify_commit(root):
    def git(*args):
        return subprocess.run(["git", "-C", root, *args], capture_output=True, text=True,
                              check=False).stdout.strip()

    commit = git("rev-parse", "--short", "HEAD") or "unknown"
    return commit + ("-dirty" if git("status", "--porcelain", "--untracked-files=no") else "")


def identify_machine():
    model = platform.machine()
    with open("/proc/cpuinfo", encoding="utf-8") as info:
        for line in info:
            if line.startswith("model name"):
                model = line.split(":", 1)[1].strip()
                break
    return f"{model}, {os.cpu_count()} CPUs, Linux {platform.release()}"


def peer_versions(packages):
    """Installed Debian packages with their versions; the others are left out."""
    try:
        out = subprocess.run(["dpkg-query", "-W", "-f", "${Package} ${Version}\\n", *packages],
                             capture_output=True, text=True, check=False).stdout
    except FileNotFoundError:
        return "versions unknown"
    return ", ".join(line for line in out.splitlines() if len(line.split()) == 2)


def parse_row(text):
    try:
        row = json.loads(text)
    except ValueError:
        row = None
    if not isinstance(row, dict):
        raise ValueError("not a JSON object")
    missing = [key for key in ROW_KEYS if key not in row]
    if missing:
        raise ValueError(f"not a row of run.py --json: no {', '.join(missing)}")
    return row


def read(path):
    """The rows that run.py --json has written there."""
    rows, number = [], 0
    try:
        with open(path, encoding="utf-8") as file:
            for number, line in enumerate(file, 1):
                if line.strip():
                    rows.append(parse_row(line))
    except OSError as error:
        raise Unreadable(f"{path}: {error.strerror}") from error
    except ValueError as error:  # text that is not UTF-8 is one as well
        raise Unreadable(f"{path}:{number or 1}: {error}") from error
    if not rows:
        raise Unreadable(f"{path}: no rows")
    return rows


def summarise(rows):
    """{class: {(peer, metric, size): Value}}"""
    quiet, busy = defaultdict(list), defaultdict(list)
    for row in rows:
        key = (row["class"], row["peer"], row["metric"], row["size"])
        target = busy if row.get("foreign_percent", 0) > TOO_BUSY_PERCENT else quiet
        target[key].append(row["value"])
    summary = defaultdict(dict)
    for key in {*quiet, *busy}:
        values = quiet.get(key) or busy[key]
        median = statistics.median(values)
        best = max(values) if key[2] in HIGHER_IS_BETTER else min(values)
        deviation = statistics.median(abs(value - median) for value in values)
        spread = deviation / median if median else 0
        summary[key[0]][key[1:]] = Value(median, best, len(values), spread)
    return summary
