#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Compares two result files of run.py and tells what became worse beyond the noise.

The band of a row is the larger of --band and three times the median deviation of either file, so
a row that jumps about by itself raises no alarm. Exit status 1: at least one of our rows is worse;
2: there is nothing to compare.
"""
import argparse
import os
import signal
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from harness import results  # noqa: E402

NOISE_FACTOR = 3


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("before")
    parser.add_argument("after")
    parser.add_argument("--band", type=float, default=5, help="percent that never count (5)")
    parser.add_argument("--all", action="store_true", help="limits and peers too: has the machine "
                        "changed? They never fail the comparison")
    return parser.parse_args()


def compare(before, after, band, everything):
    """Yields (class, key, old, new, change, allowed); change > 0 is worse."""
    for name in sorted(before.keys() & after.keys()):
        for key in sorted(before[name].keys() & after[name].keys()):
            old, new = before[name][key], after[name][key]
            if not everything and not key[0].startswith("softfield"):
                continue
            if not old.median or not new.median:
                continue
            if key[1] in results.HIGHER_IS_BETTER:
                change = old.median / new.median - 1
            else:
                change = new.median / old.median - 1
            # a count has no noise: any change is one
            noise = NOISE_FACTOR * max(old.spread, new.spread)
            allowed = 0.001 if name == "counted" else max(band / 100, noise)
            yield name, key, old, new, change, allowed


def fail(text):
    print(f"compare.py: {text}", file=sys.stderr)
    return 2


def main():
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # `| head` is no error
    options = parse_arguments()
    try:
        before, after = (results.summarise(results.read(path))
                         for path in (options.before, options.after))
    except results.Unreadable as reason:
        return fail(reason)
    worse = compared = 0
    for name, (peer, metric, size), old, new, change, allowed in compare(
            before, after, options.band, options.all):
        compared += 1
        if abs(change) <= allowed:
            continue
        word = "WORSE" if change > 0 else "better"
        print(f"{word:6} {name:7} {peer:24} {metric:20} {size:>10}  {old.median:.4g} -> "
              f"{new.median:.4g}  ({change * 100:+.1f} %, band {allowed * 100:.1f} %, "
              f"n {old.count} and {new.count})")
        worse += change > 0 and peer.startswith("softfield")
    if not compared:
        return fail("no row is in both files in the same class")
    print(f"{compared} rows compared, {worse} of ours worse")
    return 1 if worse else 0


if __name__ == "__main__":
    sys.exit(main())
