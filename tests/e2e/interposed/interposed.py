# SPDX-License-Identifier: BSD-3-Clause
"""Functions that are compiled into programs are called when somebody else defines them.

usage: interposed.py PROGRAM WRAPPER PROGRAM_WITH_DOUBLES
"""
import os
import subprocess
import sys
import unittest

PROGRAM, WRAPPER, WITH_DOUBLES = sys.argv[1:]


def said(program, **env):
    return subprocess.run([program], env={**os.environ, **env}, text=True, check=True,
                          stdout=subprocess.PIPE).stdout.strip()


class Interposed(unittest.TestCase):
    def test_nobody(self):
        self.assertEqual('100 at 8, status 6', said(PROGRAM))

    def test_library_before_ours(self):
        self.assertEqual('101 at 8, status 6', said(PROGRAM, LD_PRELOAD=WRAPPER))

    def test_doubles_in_the_program(self):
        self.assertEqual('100 at 8, status 27', said(WITH_DOUBLES))


if __name__ == '__main__':
    unittest.main(argv=sys.argv[:1])
