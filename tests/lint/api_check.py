# SPDX-License-Identifier: BSD-3-Clause
"""Do the public headers declare what the symbol tables say?

Turns one table into a source of compile-time checks and compiles it as C11 and as C++17. A wrong
value, a wrong prototype or a missing name is an error of the compiler at the table's line.

usage: api_check.py TABLE CC CXX
"""
import os
import re
import subprocess
import sys

from lintlib import API, ROOT, has_header, read_rows, read_table

PREAMBLE = '''
#ifdef __cplusplus
#include <type_traits>
#define CHECK(condition, text) static_assert(condition, text)
#define SAME(a, b) std::is_same<a, b>::value
#else
#define CHECK(condition, text) _Static_assert(condition, text)
#define SAME(a, b) __builtin_types_compatible_p(a, b)
#endif
'''


def check_value(row):
    return 'CHECK({0} == {1}, "{0} is not {1}");'.format(row.name, row.value)


def check_defined(row):
    return '#ifndef {0}\n#line {1} "{2}"\n#error "{0} is not defined"\n#endif'.format(
        row.name, row.line, row.file)


def check_enum(row):
    return 'CHECK(sizeof(enum {0}) == sizeof(int), "enum {0} is not an int");'.format(row.name)


def check_typedef(row):
    twin = re.sub(r'\b%s\b' % row.name, 'table_' + row.name, row.value, count=1)
    return '{0}; CHECK(SAME({1}, table_{1}), "{1} is not: {2}");'.format(twin, row.name, row.value)


def check_function(row):
    twin = re.sub(r'\b%s\b' % row.name, '(*table_%s)' % row.name, row.value, count=1)
    return ('typedef {0}; CHECK(SAME(__typeof__(&{1}), table_{1}), "{1} is not: {2}");'
            .format(twin, row.name, row.value))


def check_layout(row):
    """A struct or union that is not opaque: the size and offsets of a twin made from the table."""
    if row.value == '-':
        return ''
    tag, twin = '%s %s' % (row.kind, row.name), '%s table_%s' % (row.kind, row.name)
    body = row.value[row.value.index('{') + 1:row.value.rindex('}')]
    names = [re.search(r'(\w+)\s*(\[.*\])?$', part.strip()).group(1)
             for part in body.split(';') if part.strip()]
    checks = ['{0}; CHECK(sizeof({1}) == sizeof({2}), "size of {1}");'.format(
        row.value.replace(tag, twin, 1), tag, twin)]
    checks += ['CHECK(offsetof({0}, {2}) == offsetof({1}, {2}), "{0}: place of {2}");'
               'CHECK(SAME(__typeof__((({0} *)0)->{2}), __typeof__((({1} *)0)->{2})),'
               ' "{0}: type of {2}");'.format(tag, twin, name) for name in names]
    return ' '.join(checks)


CHECKS = {'macro': check_value, 'enumerator': check_value, 'define': check_defined,
          'enum': check_enum, 'typedef': check_typedef, 'function': check_function,
          'inline': check_function, 'struct': check_layout, 'union': check_layout}


def source(rows, macros):
    lines = ['#define %s' % macro for macro in macros]
    lines += ['#include <stddef.h>']
    lines += ['#include <%s>' % header for header in sorted({row.header for row in rows})]
    lines.append(PREAMBLE)
    for row in rows:
        lines.append('#line %d "%s"' % (row.line, row.file))
        lines.append(CHECKS[row.kind](row))
    return '\n'.join(lines) + '\n'


def compiles(compiler, text):
    result = subprocess.run(
        compiler + ['-fsyntax-only', '-w', '-fno-diagnostics-show-caret',
                    '-ftrack-macro-expansion=0',
                    '-I' + os.path.join(ROOT, 'include/doca-role/host'),
                    '-I' + os.path.join(ROOT, 'include/doca'),
                    '-DDOCA_ALLOW_EXPERIMENTAL_API', '-DDOCA_ALLOW_DEPRECATED_API', '-'],
        input=text, text=True, capture_output=True)
    errors = [line for line in result.stderr.splitlines() if 'error' in line]
    print('\n'.join(errors or result.stderr.splitlines()), end='\n' if result.stderr else '')
    return result.returncode == 0


def main():
    table, cc, cxx = sys.argv[1:]
    rows = read_table(table)
    if not any(has_header(row.header) for row in rows):
        print('skipped: no header of %s.tsv is in include/doca' % table)
        sys.exit(77)
    macros = {fields[1]: fields[2]
              for _, fields in read_rows(os.path.join(API, 'generations.tsv'), 3)
              if fields[0] == table}
    passed = True
    for generation in sorted({row.generation for row in rows}):
        chosen = [row for row in rows if row.generation == generation]
        if generation != '-' and generation not in macros:
            print('not checked: %d rows of generation %s: generations.tsv names no macro' % (
                len(chosen), generation))
            continue
        text = source(chosen, [] if generation == '-' else [macros[generation]])
        for compiler in ([cc, '-std=c11', '-x', 'c'], [cxx, '-std=c++17', '-x', 'c++']):
            passed = compiles(compiler, text) and passed
        print('%d rows of generation %s checked' % (len(chosen), generation))
    sys.exit(0 if passed else 1)


if __name__ == '__main__':
    main()
