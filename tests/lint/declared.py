# SPDX-License-Identifier: BSD-3-Clause
"""Is what our own headers declare used outside of the file that defines it?

Else it is static there, and the reader of the header is spared it. A use is one by a second file,
of tests and benches, too, or by the header's own macros and inline functions. The public headers
declare what the SDK does, not what we use.
"""
import os
import re

from lintlib import Findings, ROOT, c_files

COMMENT = re.compile(r'/\*.*?\*/', re.S)
FUNCTION = re.compile(r'^(?!static|typedef|#|\s)[^;{}()=]*?\b(\w+)\((?:[^(){};]|\([^(){};]*\))*\)'
                      r'[^;{}]*;', re.M)
OBJECT = re.compile(r'^extern\s+[^;{}()]*;', re.M)
NAME = re.compile(r'(\w+)(?:\[\w*\])*\s*(?=[,;])')
WORD = re.compile(r'[A-Za-z_]\w*')


def declared(text):
    """(position, name) of functions and objects that a header declares and does not define"""
    for match in FUNCTION.finditer(text):
        yield match.start(1), match.group(1)
    for match in OBJECT.finditer(text):
        for name in NAME.finditer(match.group()):
            yield match.start() + name.start(1), name.group(1)


def blank(comment):
    return '\n' * comment.group().count('\n')


def check(header, texts, words, findings):
    for position, name in declared(texts[header]):
        users = [path for path in texts if path != header and name in words[path]]
        if len(users) < 2 and len(re.findall(r'\b%s\b' % name, texts[header])) < 2:
            findings.add(header, texts[header].count('\n', 0, position) + 1, '%s %s' % (
                name, 'is used in %s only: it can be static' % users[0] if users else
                'is neither defined nor used'))


def main():
    findings = Findings()
    texts = {}
    for path in c_files():
        with open(os.path.join(ROOT, path), encoding='utf-8') as f:
            texts[path] = COMMENT.sub(blank, f.read())
    words = {path: set(WORD.findall(text)) for path, text in texts.items()}
    for path in sorted(texts):
        if path.endswith('.h') and not path.startswith('include/'):
            check(path, texts, words, findings)
    findings.exit('declared')


if __name__ == '__main__':
    main()
