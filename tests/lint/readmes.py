# SPDX-License-Identifier: BSD-3-Clause
"""Has each folder of sources a README that names each of its files, and only files that are there?

A name is in backticks, and may be a pattern (`ep*.c`). A source needs no name of its own if its
header has one, or the other way round.
"""
import fnmatch
import os
import re

from lintlib import Findings, ROOT, files_with, read_lines

CODE = re.compile(r'`([^`]+)`')
FILE = re.compile(r'[\w*]+\.[ch]')


def named(lines):
    """(line number, name or pattern) of the files of the same folder"""
    return [(number, word) for number, line in enumerate(lines, 1) for code in CODE.findall(line)
            for word in code.split() if FILE.fullmatch(word)]


def check(readme, lines, files, findings):
    names = named(lines)
    for number, name in names:
        if not fnmatch.filter(files, name):
            findings.add(readme, number, '%s: there is no such file in this folder' % name)
    for file in files:
        stem = os.path.splitext(file)[0]
        if not any(fnmatch.fnmatch(stem, os.path.splitext(name)[0]) for _, name in names):
            findings.add(readme, 1, '%s is not named' % file)


def main():
    findings = Findings()
    sources = [path for path in files_with('.c', '.h') if path.startswith(('src/', 'apps/'))]
    for folder in sorted({os.path.dirname(path) for path in sources}):
        readme = folder + '/README.md'
        if not os.path.exists(os.path.join(ROOT, readme)):
            findings.add(readme, 1, 'there is no such file')
            continue
        files = [os.path.basename(path) for path in sources if os.path.dirname(path) == folder]
        check(readme, read_lines(readme), files, findings)
    findings.exit('readmes')


if __name__ == '__main__':
    main()
