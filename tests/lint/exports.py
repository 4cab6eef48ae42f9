# SPDX-License-Identifier: BSD-3-Clause
"""Does a shared library export exactly the functions of its tables, and priv_ names in their node?

Inline functions live in headers only. A library of libraries.tsv that the build does not make is
named in the output; so is a function of unimplemented.txt, which must not be there yet.

usage: exports.py NM SRC_BUILD_FOLDER
"""
import os
import subprocess
import sys

from lintlib import API, Findings, libraries, read_rows, read_table


def exported(nm, path):
    """name -> version node ('' for the base version)"""
    out = subprocess.run([nm, '-D', '--defined-only', '--with-symbol-versions', path], check=True,
                         capture_output=True, text=True).stdout
    symbols = {}
    for line in out.splitlines():
        kind, name = line.split()[-2:]
        if kind != 'A':  # the version nodes themselves
            name, _, node = name.partition('@')
            symbols[name] = node.lstrip('@')
    return symbols


def unimplemented():
    return {fields[0] for _, fields in read_rows(os.path.join(API, 'unimplemented.txt'), 1)}


def check(library, path, symbols, absent, findings):
    rows = {row.name: row for table in libraries()[library] for row in read_table(table)
            if row.kind == 'function'}
    for name, row in rows.items():
        if name in absent and name in symbols:
            findings.add(row.file, row.line, '%s is there: strike it from unimplemented.txt' % name)
        elif name not in absent and name not in symbols:
            findings.add(row.file, row.line, '%s is not exported by %s' % (name, library))
    for name, node in symbols.items():
        if name.startswith('priv_'):
            if not node.startswith('DOCA_COMMON_PRIVATE_'):
                findings.add(path, 0, '%s must be in a DOCA_COMMON_PRIVATE_ node, not in "%s"' %
                             (name, node))
        elif name not in rows and not name.startswith('softfield_'):
            findings.add(path, 0, '%s is exported but in no table of this library; allowed: the '
                         'tables, priv_*, softfield_*' % name)
        elif node:
            findings.add(path, 0, '%s has version "%s"; public symbols have none' % (name, node))
    print('%s: %d exported, %d in tables, of which not implemented: %d' % (
        library, len(symbols), len(rows), len(absent & rows.keys())))


def main():
    nm, folder = sys.argv[1:]
    findings = Findings()
    for library in libraries():
        path = os.path.join(folder, library + '.so')
        if os.path.exists(path):
            check(library, path, exported(nm, path), unimplemented(), findings)
        else:
            print('%s: not built, its table is not checked' % library)
    findings.exit('exports')


if __name__ == '__main__':
    main()
