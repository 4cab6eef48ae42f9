# SPDX-License-Identifier: BSD-3-Clause
"""Runs clang-format, shellcheck or codespell over the files of the tree that it is for.

usage: on_tree.py clang-format|shellcheck|codespell PROGRAM
"""
import os
import re
import shutil
import subprocess
import sys

from lintlib import HERE, ROOT, c_files, read_lines, tree_files


def shell_scripts():
    def is_shell(path):
        lines = read_lines(path)[:3]
        return bool(lines) and (re.match(r'#!.*[/ ](sh|bash)$', lines[0]) is not None or
                                any('shellcheck shell=' in line for line in lines))
    return [path for path in tree_files() if path.endswith('.sh') or is_shell(path)]


def prose():
    return [path for path in tree_files() if '/corpus/' not in path]


TOOLS = {
    'clang-format': (['--dry-run', '--style=file'], c_files),
    'shellcheck': (['--severity=style', '--external-sources', '--format=gcc'], shell_scripts),
    'codespell': (['--ignore-words', os.path.join(HERE, 'codespell-ignore.txt')], prose),
}


def findings_of(tool, program, files):
    options = TOOLS[tool][0]
    result = subprocess.run([program] + options + files, cwd=ROOT, text=True, capture_output=True)
    output = result.stdout + result.stderr
    if tool == 'clang-format':  # one line a file is enough: the tool mends it
        lines = re.findall(r'^(.+?:\d+):\d+: warning', output, re.M)
        first = {line.rsplit(':', 1)[0]: line for line in reversed(lines)}
        findings = ['%s: is laid out otherwise; %s -i %s' % (line, program, path)
                    for path, line in sorted(first.items())]
    else:
        findings = output.splitlines()
    if result.returncode and not findings:
        findings = ['%s: exit code %d: %s' % (program, result.returncode, output)]
    return findings


def main():
    tool, program = sys.argv[1:]
    if not shutil.which(program):
        print('skipped: no %s; Debian package: %s' % (program, program))
        sys.exit(77)
    files = TOOLS[tool][1]()
    findings = findings_of(tool, program, files) if files else []
    for finding in findings:
        print(finding)
    print('%s: %d files, %d findings' % (tool, len(files), len(findings)))
    sys.exit(1 if findings else 0)


if __name__ == '__main__':
    main()
