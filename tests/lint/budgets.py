# SPDX-License-Identifier: BSD-3-Clause
"""Are functions, files and lines within the budget?

A function's body has at most 70 lines, and it takes at most 6 parameters, unless the public headers
or a callback of theirs say otherwise. A file has at most 600; a longer one says why in its header
comment, in a sentence that starts with "Long because"; public headers are cut as the SDK's are. A
line has at most 100 columns (a tab is 8).
"""
import re

from lintlib import Findings, c_files, files_with, read_lines

FUNCTION_LINES, FILE_LINES, COLUMNS, PARAMETERS = 70, 600, 100, 6

PARENTHESES = r'\(((?:[^()]|\((?:[^()]|\([^()]*\))*\))*)\)'
DEFINITION = re.compile(r'^(?![ \t#/*}])[^;{}()=]*?\b(\w+)' + PARENTHESES + r'\s*\n\{', re.M)
CALLED = re.compile(r'\b(\w+)\(')
CALLBACKS = {'on_command'}  # of doca_sta_io_non_offload_cb_t


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


def count_parameters(text):
    depth, count = 0, 1
    for char in text:
        depth += (char == '(') - (char == ')')
        count += char == ',' and not depth
    return count


def check_parameters(path, lines, public, findings):
    text = '\n'.join(lines)
    for match in DEFINITION.finditer(text):
        name, count = match.group(1), count_parameters(match.group(2))
        if count > PARAMETERS and name not in public:
            findings.add(path, text.count('\n', 0, match.start()) + 1, '%s() has %d parameters; '
                         'limit %d: a struct with named members' % (name, count, PARAMETERS))


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
    public = CALLBACKS.union(*(CALLED.findall('\n'.join(read_lines(path)))
                               for path in sources if path.startswith('include/')))
    for path in sources:
        lines = read_lines(path)
        check_functions(path, lines, findings)
        if path.startswith(('src/', 'apps/', 'tools/')):
            check_parameters(path, lines, public, findings)
        check_length(path, lines, findings)
    for path in sources + files_with('.py', '.sh', 'meson.build', 'dev', '.ci/run'):
        check_columns(path, read_lines(path), findings)
    findings.exit('budgets')


if __name__ == '__main__':
    main()
