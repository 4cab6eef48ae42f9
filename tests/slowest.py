#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The tests that took longest, from meson's logs, each with its build.

usage: slowest.py LOG...    testlog*.json of build folders
"""
import sys

from results import results_in

COUNT = 10


def main(*logs):
    took = sorted(((result.get('duration') or 0, build, result['name'])
                   for build, result in results_in(logs)), reverse=True)
    for row in took[:COUNT]:
        print('%6.0f s  %s: %s' % row)


if __name__ == '__main__':
    main(*sys.argv[1:])
