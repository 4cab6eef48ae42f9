# SPDX-License-Identifier: BSD-3-Clause
"""Is every public function documented, and marked with the stability of its table?

Each declaration in include/doca has a doxygen comment with @brief, one @param per parameter with
its direction, @return unless it returns void, and a sentence that says which threads may call it.
"""
import re

from lintlib import Findings, files_with, libraries, read_lines, read_table

FUNCTION = re.compile(
    r'(?P<comment>/\*\*(?:(?!\*/).)*\*/\s*)?^'  # declarations start in the first column
    r'(?P<mark>(?:DOCA_\w+\s+)*)'
    r'(?P<type>(?:static inline |const |struct |enum |union |unsigned )*\w+[\s*]+)'
    r'(?P<name>(?:doca|softfield)_\w+)\((?P<params>(?:[^();{}]|\([^()]*\))*)\)\s*'
    r'(?:__attribute__\(\(.*?\)\)\)?\s*)?[;{]', re.S | re.M)

THREAD_RULE = re.compile(
    r'(?:^|[.:;] )(?:(?:Any|One|Only one|Only the) thread\b|The thread of the\b|Thread rule: '
    r'|A kernel or a thread\b|For a struct doca_dpa_thread only\b)', re.M)  # the last: DPA code


def parameters(text):
    """Names of the parameters; a variable list has none."""
    names = []
    for part in re.sub(r'\(\s*\*\s*(\w+)\s*\)\s*\([^()]*\)', r'\1', text).split(','):
        match = re.search(r'(\w+)\s*(\[[^]]*\])?$', part.strip())
        if match and match.group(1) != 'void':
            names.append(match.group(1))
    return names


def check_comment(path, line, match, findings):
    comment, name = match.group('comment') or '', match.group('name')
    if '@brief' not in comment:
        findings.add(path, line, '%s has no comment with @brief' % name)
        return
    documented = dict((param, way) for way, param in
                      re.findall(r'@param\s*(\[[a-z, ]+\])?\s*(\w+)', comment))
    for param in parameters(match.group('params')):
        if param not in documented:
            findings.add(path, line, '%s: parameter %s has no @param' % (name, param))
        elif not documented[param]:
            findings.add(path, line, '%s: @param %s names no direction: [in], [out] or [in,out]' %
                         (name, param))
    returns = match.group('type').replace('static inline', '').strip() != 'void'
    if returns and '@return' not in comment:
        findings.add(path, line, '%s has no @return' % name)
    if not THREAD_RULE.search(re.sub(r'^ \*[ \t]*', '', comment, flags=re.M)):
        findings.add(path, line, '%s: nothing says which threads may call it: "Any thread.", '
                     '"One thread at a time for ..." and the like' % name)


def check_mark(path, line, match, rows, findings):
    row = rows.get(match.group('name'))
    if not row and not match.group('name').startswith('softfield_'):
        findings.add(path, line, '%s is in no table of tests/lint/api' % match.group('name'))
    elif row and row.kind == 'function':
        expected = 'DOCA_STABLE' if row.stability == 'stable' else 'DOCA_EXPERIMENTAL'
        if expected not in match.group('mark').split():
            findings.add(path, line, '%s is %s in the table (%s:%d) and marked "%s" here' % (
                row.name, expected, row.file, row.line, match.group('mark').strip()))


def main():
    findings = Findings()
    rows = {row.name: row for tables in libraries().values() for table in tables
            for row in read_table(table)}
    count = 0
    for path in files_with('.h'):
        if not path.startswith('include/doca/'):
            continue
        text = '\n'.join(read_lines(path))
        for match in FUNCTION.finditer(text):
            line = text.count('\n', 0, match.start('type')) + 1
            check_comment(path, line, match, findings)
            check_mark(path, line, match, rows, findings)
            count += 1
    print('%d public functions' % count)
    findings.exit('documentation')


if __name__ == '__main__':
    main()
