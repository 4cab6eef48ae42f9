# SPDX-License-Identifier: BSD-3-Clause
"""Has every row of nvmeof-rows.txt a test? The name of a test starts with the rows that it is
about: Q3_..., T1_T2_..., R5_to_R11_..."""
import re

from lintlib import Findings, read_lines, tree_files

ROWS = 'tests/lint/nvmeof-rows.txt'
PLACES = ('tests/e2e/nvmf/', 'tests/unit/nvmf/', 'tests/contract/sta')
TEST = re.compile(r'^(?:static void |    def test_)([A-Z]\d+_\w+)\(')
ROW = re.compile(r'([A-Z])(\d+)$')


def rows_of(name):
    """The rows at the beginning of a test's name."""
    rows, words = [], name.split('_')
    for before, word in zip([''] + words, words):
        row = ROW.match(word)
        if row and before == 'to' and rows:
            first = int(rows[-1][1:]) + 1
            rows += ['%s%d' % (row[1], n) for n in range(first, int(row[2]) + 1)]
        elif row:
            rows.append(word)
        elif word != 'to':
            break
    return rows


def check(rows, names, findings):
    tested = {row for name in names for row in rows_of(name)}
    for number, line in enumerate(rows, 1):
        if line and not line.startswith('#') and line.split()[0] not in tested:
            findings.add(ROWS, number, 'no test starts with the name of row %s; looked in %s' %
                         (line.split()[0], ' '.join(PLACES)))


def main():
    findings = Findings()
    names = [found[1] for path in tree_files() if path.startswith(PLACES)
             for found in map(TEST.match, read_lines(path)) if found]
    check(read_lines(ROWS), names, findings)
    findings.exit('checklist')


if __name__ == '__main__':
    main()
