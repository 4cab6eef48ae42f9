# SPDX-License-Identifier: BSD-3-Clause
"""Is there what a comment on the order of memory says that it pairs with?

"Acquire: pairs with the release in f()" wants a function f() in which something is released.
"""
import re

from budgets import DEFINITION
from lintlib import Findings, c_files, read_lines

COMMENT = re.compile(r'/\*.*?\*/', re.S)
PAIR = re.compile(r'pairs with the (acquire|release) in (\w+)\(\)')
# with that order, or without any, which is stronger
ORDERS = {
    'acquire': re.compile(r'(?:memory_order_|__ATOMIC_)(?:acquire|acq_rel|seq_cst)|'
                          r'atomic_(?:load|exchange|fetch_(?:add|sub|or|and))\(', re.I),
    'release': re.compile(r'(?:memory_order_|__ATOMIC_)(?:release|acq_rel|seq_cst)|'
                          r'atomic_(?:store|exchange|fetch_(?:add|sub|or|and))\(', re.I),
}


def bodies(text):
    """Each function of a source with what is between its braces."""
    for match in DEFINITION.finditer(text):
        yield match.group(1), COMMENT.sub('', text[match.end():text.find('\n}', match.end())])


def check(path, text, functions, findings):
    for comment in COMMENT.finditer(text):
        words = re.sub(r'\s*\n\s*\*?\s*', ' ', comment.group())
        for order, name in PAIR.findall(words):
            number = text.count('\n', 0, comment.start()) + 1
            if name not in functions:
                findings.add(path, number, 'there is no %s()' % name)
            elif not any(ORDERS[order].search(body) for body in functions[name]):
                findings.add(path, number, 'there is no %s in %s()' % (order, name))


def main():
    findings = Findings()
    texts = {path: '\n'.join(read_lines(path)) for path in c_files()}
    functions = {}
    for text in texts.values():
        for name, body in bodies(text):
            functions.setdefault(name, []).append(body)
    for path, text in texts.items():
        check(path, text, functions, findings)
    findings.exit('pairs')


if __name__ == '__main__':
    main()
