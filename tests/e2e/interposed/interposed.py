# SPDX-License-Identifier: BSD-3-Clause
"""Functions that are compiled into programs are called when somebody else defines them.

usage: interposed.py PROGRAM WRAPPER PROGRAM_WITH_DOUBLES ENGINES PROGRAM_WITH_DPA
"""
import glob
import os
import re
import subprocess
import sys
import unittest

import e2e

PROGRAM, WRAPPER, WITH_DOUBLES, ENGINES, WITH_DPA = sys.argv[1:]
del sys.argv[1:]
ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), '../../..')


def said(program, **env):
    return subprocess.run([program], env={**os.environ, **env}, text=True, check=True,
                          stdout=subprocess.PIPE).stdout.strip()


def names(files, pattern):
    """what the pattern finds in these files of the tree"""
    found = set()
    for path in glob.glob(os.path.join(ROOT, files)):
        with open(path, encoding='utf-8') as file:
            found |= set(re.findall(pattern, file.read()))
    return found


class Interposed(unittest.TestCase):
    def test_all_are_looked_for(self):
        compiled_in = names('include/doca/*.h', r'SOFTFIELD_CALLED\([^,]*, (doca_\w+)')
        self.assertTrue(compiled_in)
        self.assertEqual(compiled_in, names('src/*/interposed.c', r'"(doca_\w+)"'))

    def test_nobody(self):
        self.assertEqual('100 at 8, status 6', said(PROGRAM))

    def test_library_before_ours(self):
        self.assertEqual('101 at 8, status 6', said(PROGRAM, LD_PRELOAD=WRAPPER))

    def test_doubles_in_the_program(self):
        self.assertEqual('100 at 8, status 27', said(WITH_DOUBLES))

    def test_engines_of_our_own(self):
        """What we do for ourselves does not pass through who stands before us."""
        self.assertIn('questions answered', said(WITH_DPA, LD_PRELOAD=ENGINES))


if __name__ == '__main__':
    e2e.main()
