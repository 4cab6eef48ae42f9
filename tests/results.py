#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""How tests have ended, from meson's logs: what was skipped and why, what has failed and the last
that it said, and counts. What is told last is what is still there when a log has been cut.

usage: results.py PASSED FAILED LOG...    what was counted elsewhere; testlog*.json of build folders
The exit status is 1 when something has failed, or nothing has run.
"""
import collections
import json
import os
import re
import sys

LAST_LINES = 15
MOST_MARKED, LONGEST = 30, 400  # lines, characters: what goes wrong may do so without end
MARKED = re.compile(r'^\[ +(FAILED|ERROR|LINE) +\]')  # by cmocka
SKIPPED_CASE = re.compile(r'^\[  SKIPPED \] ([A-Za-z_]\w*)$', re.MULTILINE)
SKIPPED_CASES = re.compile(r'^SKIPPED (\d+ of \d+: .*)$', re.MULTILINE)  # by e2e.py
PASSED = ('OK', 'EXPECTEDFAIL')
IS_COLOURED = (sys.stdout.isatty() and not os.environ.get('NO_COLOR') and
               os.environ.get('TERM') != 'dumb')


def build_of(log):
    return os.path.basename(os.path.dirname(os.path.dirname(os.path.abspath(log))))


def result_in(line, log):
    """A line that is no result, for it has been cut off, has failed."""
    try:
        result = json.loads(line)
        if isinstance(result, dict) and {'name', 'result'} <= set(result):
            return result
    except ValueError:
        pass
    return {'name': log, 'result': 'CUT OFF', 'stdout': line}


def results_in(logs):
    """The build and the result of each test."""
    for log in logs:
        with open(log, encoding='utf-8', errors='backslashreplace') as file:
            for line in file:
                yield build_of(log), result_in(line, log)


def heading(word):
    return '\033[31m%s\033[0m' % word if IS_COLOURED else word


def output_of(result):
    return (result.get('stdout') or '') + (result.get('stderr') or '')


def cases_skipped(result):
    output = output_of(result)
    cases = ['a case of %s: %s' % (result['name'], case)
             for case in sorted(set(SKIPPED_CASE.findall(output)))]
    if result['result'] != 'SKIP':  # which has been told
        cases += ['%s: %s' % (result['name'], some) for some in SKIPPED_CASES.findall(output)]
    return cases


def tell_skipped(build, result):
    said = (result.get('stdout') or '').strip().splitlines()
    print('%s %s: %s%s' % (heading('SKIPPED'), build, result['name'],
                           ': ' + said[-1][:LONGEST] if said else ''))


def tell_failed(build, result):
    lines = output_of(result).strip().splitlines()
    marked = list(filter(MARKED.match, lines[:-LAST_LINES]))[:MOST_MARKED]
    print('%s %s: %s: %s after %.0f s, status %s. Its failures and its last lines:' % (
        heading('FAILED'), build, result['name'], result['result'], result.get('duration') or 0,
        result.get('returncode')))
    for line in marked + lines[-LAST_LINES:]:
        print('    ' + line[:LONGEST])


def main(passed, failed, *logs):
    sys.stdout.reconfigure(errors='backslashreplace')  # whatever tests say, wherever it goes
    counts = collections.Counter(passed=int(passed), failed=int(failed))
    failures = []
    for build, result in results_in(logs):
        if result['result'] in PASSED:
            counts['passed'] += 1
        elif result['result'] == 'SKIP':
            counts['skipped'] += 1
            tell_skipped(build, result)
        else:
            counts['failed'] += 1
            failures.append((build, result))
        for case in cases_skipped(result):
            print('%s %s: %s' % (heading('SKIPPED'), build, case))
    for failure in failures:
        tell_failed(*failure)
    print(', '.join('%d %s' % (counts[what], what) for what in ('passed', 'failed', 'skipped')
                    if counts[what] or what != 'skipped'))
    if not sum(counts.values()):
        sys.exit('no test ran')
    return 1 if counts['failed'] else 0


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))
