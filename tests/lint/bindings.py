# SPDX-License-Identifier: BSD-3-Clause
"""Does bindgen see the names of release 2.2? Of functions that are one symbol, it sees the first
that is declared. Which header a program includes first must not matter.

usage: bindings.py CC CXX
"""
import os
import re
import subprocess
import sys

from lintlib import ROOT

HEADERS = ['doca_buf.h', 'doca_buf_inventory.h', 'doca_ctx.h', 'doca_dev.h', 'doca_dma.h',
           'doca_mmap.h', 'doca_workq.h']
ATTRIBUTE = re.compile(r'__attribute__\(\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)\)')
FUNCTION = re.compile(r'(\w+)\s*\((?:[^()]|\([^()]*\))*\)\s*(?:__asm__\("(\w+)"\))?\s*$')


def declared(text):
    """(name, symbol) of functions, in their order"""
    text = ATTRIBUTE.sub('', re.sub('^#.*', '', text, flags=re.M))
    while '{' in text:
        text, count = re.subn(r'\{[^{}]*\}', ';', text)
        if not count:
            sys.exit('unbalanced braces')
    for statement in text.split(';'):
        match = FUNCTION.search(statement)
        if match:
            yield match.group(1), match.group(2) or match.group(1)


def unseen(text):
    """what is wrong with preprocessed headers, a line each"""
    first = {}
    for name, symbol in declared(text):
        seen = first.setdefault(symbol, name)
        if seen != name and name.startswith('doca_'):
            yield '%s is %s, which %s has been before' % (name, symbol, seen)


def preprocessed(compiler, headers):
    return subprocess.run(
        [compiler, '-E', '-I' + os.path.join(ROOT, 'include/doca-role/host'),
         '-I' + os.path.join(ROOT, 'include/doca'), '-'],
        input='#define DOCA_LEGACY_2_2_BINDINGS\n' +
        ''.join('#include <%s>\n' % header for header in headers),
        text=True, check=True, capture_output=True).stdout


def main():
    failed = 0
    for headers in ([header, *HEADERS] for header in HEADERS):
        text = preprocessed(sys.argv[1], headers)
        lines = list(unseen(text))
        if 'doca_workq_create' not in dict(declared(text)):
            lines.append('doca_workq_create is not declared')
        failed += len(lines)
        for line in lines:
            print('%s first: %s' % (headers[0], line))
    print('bindings: %d findings' % failed)
    sys.exit(1 if failed else 0)


if __name__ == '__main__':
    main()
