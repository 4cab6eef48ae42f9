# SPDX-License-Identifier: BSD-3-Clause
"""Runs clang-format, shellcheck or codespell over the files of the tree that it is for.

usage: on_tree.py clang-format|shellcheck|codespell PROGRAM
"""
import os
import shutil
import subprocess
import sys

from lintlib import HERE, ROOT, c_files, read_lines, tree_files


def shell_scripts():
    def is_shell(path):
        first = (read_lines(path) or [''])[0]
        return first.startswith('#!') and first.split('/')[-1].split()[-1] in ('sh', 'bash')
    return [path for path in tree_files() if path.endswith('.sh') or is_shell(path)]


def prose():
    return [path for path in tree_files() if '/corpus/' not in path]


TOOLS = {
    'clang-format': (['--dry-run', '--Werror', '--style=file'], c_files),
    'shellcheck': (['--severity=style', '--external-sources'], shell_scripts),
    'codespell': (['--ignore-words', os.path.join(HERE, 'codespell-ignore.txt')], prose),
}


def main():
    tool, program = sys.argv[1:]
    options, choose = TOOLS[tool]
    files = choose()
    if not shutil.which(program):
        print('skipped: no %s; Debian package: %s' % (program, program))
        sys.exit(77)
    result = subprocess.run([program] + options + files, cwd=ROOT)
    print('%s: %d files, %s' % (tool, len(files), 'findings' if result.returncode else 'clean'))
    sys.exit(1 if result.returncode else 0)


if __name__ == '__main__':
    main()
