# SPDX-License-Identifier: BSD-3-Clause
"""Are functions, files and lines within the budget?

A function's body has at most 70 lines. A file has at most 600; a longer one says why in its header
comment, in a sentence that starts with "Long because"; public headers are cut as the SDK's are. A
line has at most 100 columns (a tab is 8).
"""
from lintlib import Findings, c_files, files_with, read_lines

FUNCTION_LINES, FILE_LINES, COLUMNS = 70, 600, 100


def check_functions(path, lines, findings):
    """In this layout only a function's body has its braces alone in the first column."""
    start = None
    for number, line in enumerate(lines, 1):
        if line == '{':
            start = number
        elif line == '}' and start is not None:
            length = number - start - 1
            if length > FUNCTION_LINES:
                findings.add(path, start, 'function of %d lines; limit %d' %
                             (length, FUNCTION_LINES))
            start = None


def check_length(path, lines, findings):
    head = '\n'.join(lines[:40]).split('*/\n#')[0]
    if path.startswith('include/') or 'Long because' in head:
        return
    if len(lines) > FILE_LINES:
        findings.add(path, FILE_LINES + 1, 'file of %d lines; limit %d, unless the header comment '
                     'has a sentence "Long because ..."' % (len(lines), FILE_LINES))


def check_columns(path, lines, findings):
    for number, line in enumerate(lines, 1):
        width = len(line.expandtabs(8))
        if width > COLUMNS:
            findings.add(path, number, 'line of %d columns; limit %d' % (width, COLUMNS))


def main():
    findings = Findings()
    sources = c_files()
    for path in sources:
        lines = read_lines(path)
        check_functions(path, lines, findings)
        check_length(path, lines, findings)
    for path in sources + files_with('.py', '.sh', 'meson.build', 'dev', '.ci/run'):
        check_columns(path, read_lines(path), findings)
    findings.exit('budgets')


if __name__ == '__main__':
    main()
