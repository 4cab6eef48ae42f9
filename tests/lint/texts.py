# SPDX-License-Identifier: BSD-3-Clause
"""Do the files of the tree say what they must, and nothing that they must not?

Sources start with the SPDX line. No file names a path of the machine it was written on, or an
address on a host that allowed-hosts.txt does not list. Links of a page lead to files of the tree,
and to headings that these have; a file of the tree that a page or a comment names is there.
A file that stands next to a function in a table has it, and the steps that the row describes. Names
of the code in pages about the code are still in it.
"""
import os
import re

from lintlib import Findings, ROOT, read_lines, tree_files

SPDX = 'SPDX-License-Identifier: BSD-3-Clause'
BINARY = ('.bin', '.png', '.seed')
# Written as patterns that do not match themselves.
FORBIDDEN = [
    (re.compile(r'(?<![\w.$}/])/(?:work|root|home/[a-z]\w*)(?![\w-])'), 'path of one machine'),
    (re.compile(r'/tmp/(?:helpers|build-)'), 'path of one machine'),
    (re.compile(r'(?i)\b(?:pypi|npmjs|pythonhosted|crates|artifactory|jfrog)\.(?:org|com|io)\b'),
     'host of a package registry'),
    (re.compile(r'(?i)co-authored[-]by'), 'trailer that belongs in no file'),
]
ADDRESS = re.compile(r'\bhttps?://([\w.-]+)')

LINK = re.compile(r'\]\(([^)#:\s]+)(?:#[^)\s]*)?\)')
HEADING_LINK = re.compile(r'\]\(([^)#:\s]*)#([^)\s]+)\)')
ABOUT_CODE = re.compile(r'docs/internals/\w[\w-]*\.md$|src/\w+/README\.md$')
FILE = re.compile(r'(?<![\w/.])((?:src|tests|docs|bench|tools|apps)/[\w/.-]+\.[a-z]+)\b')
NAME = re.compile(r'`([a-z]\w*_\w+)(?:\(\))?`')
WORD = re.compile(r'[A-Za-z]\w*')
PLACE = re.compile(r'\| `(\w+)` \| `(src/[\w/.]+)` \|')
STEP = re.compile(r'`(\w+)`: ')


def is_source(path, lines):
    return path.endswith(('.c', '.h', '.cpp', '.py', '.sh', '.def')) or \
        bool(lines and lines[0].startswith('#!'))


def defines(path, name):
    pattern = re.compile(r'^(?!\t).*\b%s\(' % name)
    return os.path.exists(os.path.join(ROOT, path)) and \
        any(pattern.search(line) for line in read_lines(path))


def places(line):
    """Functions of a table's row, its own and the steps that it describes, each with the file."""
    return [(name, file) for first, file in PLACE.findall(line)
            for name in (first, *STEP.findall(line))]


def anchors(lines):
    """What links to the headings of a page end with, as GitHub makes it."""
    headings = (line.lstrip('#').strip().lower() for line in lines if re.match(r'#+ ', line))
    return {re.sub(r'[^\w\- ]', '', heading).replace(' ', '-') for heading in headings}


def leads_to_heading(path, target, anchor):
    file = os.path.normpath(os.path.join(os.path.dirname(path), target)) if target else path
    return not os.path.exists(os.path.join(ROOT, file)) or anchor in anchors(read_lines(file))


def words_of_code():
    return {word for path in tree_files() if not path.endswith(('.md', *BINARY))
            for line in read_lines(path) for word in WORD.findall(line)}


def main():
    findings = Findings()
    words = words_of_code()
    hosts = set(read_lines('tests/lint/allowed-hosts.txt'))
    for path in tree_files():
        if path.endswith(BINARY) or '/corpus/' in path:
            continue
        lines = read_lines(path)
        if lines and is_source(path, lines) and not any(SPDX in line for line in lines[:3]):
            findings.add(path, 1, 'no "%s" in the first three lines' % SPDX)
        for number, line in enumerate(lines, 1):
            for pattern, what in FORBIDDEN:
                if pattern.search(line):
                    findings.add(path, number, '%s: "%s"' % (what, pattern.search(line).group()))
            for link in LINK.findall(line) if path.endswith('.md') else ():
                if not os.path.exists(os.path.join(ROOT, os.path.dirname(path), link)):
                    findings.add(path, number, 'link to "%s": there is no such file' % link)
            for file, anchor in HEADING_LINK.findall(line) if path.endswith('.md') else ():
                if not leads_to_heading(path, file, anchor):
                    findings.add(path, number, 'link to "%s#%s": there is no such heading' %
                                 (file, anchor))
            for file in FILE.findall(line) if path.endswith(('.c', '.h', '.md')) else ():
                if not os.path.exists(os.path.join(ROOT, file)):
                    findings.add(path, number, 'names %s: there is no such file' % file)
            for name, file in places(line) if path.endswith('.md') else ():
                if not defines(file, name):
                    findings.add(path, number, '%s does not define %s' % (file, name))
            for name in NAME.findall(line) if ABOUT_CODE.match(path) else ():
                if name not in words:
                    findings.add(path, number, 'there is no %s any more' % name)
            for host in ADDRESS.findall(line):
                if host not in hosts:
                    findings.add(path, number, 'address on %s; allowed hosts: '
                                 'tests/lint/allowed-hosts.txt' % host)
    findings.exit('texts')


if __name__ == '__main__':
    main()
