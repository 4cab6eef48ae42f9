# SPDX-License-Identifier: BSD-3-Clause
"""What the lint scripts share: the files of the tree, findings, the symbol tables."""
import collections
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
API = os.path.join(HERE, 'api')

Row = collections.namedtuple('Row', 'file line header kind name value generation since stability')


class Findings:
    """Collects 'file:line: what is wrong, what is allowed' and ends the program."""

    def __init__(self):
        self.lines = []

    def add(self, path, line, text):
        self.lines.append('%s:%d: %s' % (path, line, text))

    def exit(self, what):
        for line in self.lines:
            print(line)
        print('%s: %s' % (what, '%d findings' % len(self.lines) if self.lines else 'clean'))
        sys.exit(1 if self.lines else 0)


def tree_files():
    """All files of the project, relative to its root: what git knows or would add."""
    try:
        names = subprocess.run(
            ['git', '-c', 'safe.directory=*', 'ls-files', '-z', '--cached', '--others',
             '--exclude-standard'],
            cwd=ROOT, check=True, capture_output=True).stdout.decode().split('\0')
        names = [name for name in names if name]
    except (OSError, subprocess.CalledProcessError):
        names = []  # an exported tree: no git
        for folder, dirs, files in os.walk(ROOT):
            dirs[:] = [d for d in dirs
                       if d not in ('.git', '__pycache__') and not d.startswith('build')]
            names += [os.path.relpath(os.path.join(folder, f), ROOT) for f in files]
    return sorted(name for name in names if os.path.isfile(os.path.join(ROOT, name)))


def files_with(*suffixes):
    return [name for name in tree_files() if name.endswith(suffixes)]


def c_files():
    return files_with('.c', '.h', '.cpp')


def read_lines(path):
    with open(os.path.join(ROOT, path), encoding='utf-8', errors='replace') as f:
        return f.read().splitlines()


def read_rows(path, columns):
    """Lines of a tab-separated file without its comments: (line number, fields)."""
    with open(path, encoding='utf-8') as f:
        for number, line in enumerate(f, 1):
            line = line.rstrip('\n')
            if not line or line.startswith('#'):
                continue
            fields = re.split(r'\t+', line)
            if len(fields) != columns:
                sys.exit('%s:%d: %d columns, expected %d' % (path, number, len(fields), columns))
            yield number, fields


def read_table(name):
    """One symbol table: tests/lint/api/<name>.tsv"""
    path = os.path.join(API, name + '.tsv')
    return [Row(os.path.relpath(path, ROOT), number, *fields)
            for number, fields in read_rows(path, 7)]


def libraries():
    """Library name -> its tables, in the order of libraries.tsv."""
    return {fields[0]: fields[1].split()
            for _, fields in read_rows(os.path.join(API, 'libraries.tsv'), 2)}


def has_header(header):
    return os.path.exists(os.path.join(ROOT, 'include/doca', header))
