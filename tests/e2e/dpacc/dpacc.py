# SPDX-License-Identifier: BSD-3-Clause
"""dpacc: applications with every kind of parameter and mark work in a program, whatever compiler
made them; options are written as build files write them; what is wrong is said with file and line.

usage: dpacc.py TOOLS INCLUDE
"""
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

import e2e

HERE = os.path.dirname(os.path.abspath(__file__))
TOOLS, INCLUDE = sys.argv[1:3]
del sys.argv[1:3]
STRICT = '-Wall -Wextra -Werror -Wshadow -Wundef'
MARKS = '#include <softfield_dpa_types.h>\n'


class Dpacc(unittest.TestCase):

    def setUp(self):
        self.dir = tempfile.mkdtemp(prefix='softfield-dpacc-')
        self.addCleanup(shutil.rmtree, self.dir)
        self.compiler = 'cc'

    def run_tool(self, tool, *words):
        env = {name: value for name, value in os.environ.items() if name != 'CC'}
        return subprocess.run([os.path.join(TOOLS, tool), *words], cwd=self.dir, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False,
                              env=dict(env, CC=self.compiler) if self.compiler != 'cc' else env)

    def dpacc(self, *words):
        """What it says; it succeeds."""
        result = self.run_tool('dpacc', *words)
        self.assertEqual(0, result.returncode, result.stderr)
        return result.stderr

    def refused(self, *words, status=1):
        """What it says; it fails and leaves no archive."""
        result = self.run_tool('dpacc', '-o', 'refused.a', *words)
        self.assertEqual(status, result.returncode)
        self.assertNotIn('Traceback', result.stderr)
        self.assertFalse(os.path.exists(self.path('refused.a')))
        return result.stderr

    def path(self, name):
        return os.path.join(self.dir, name)

    def write(self, name, text):
        with open(self.path(name), 'w', encoding='utf-8') as file:
            file.write(text)
        return name

    def read(self, name):
        with open(self.path(name), encoding='utf-8') as file:
            return file.read()

    def program(self, compiler, *options):
        """Builds two applications and a program with a compiler, and runs it."""
        self.compiler = compiler
        sources = [os.path.join(HERE, name) for name in ('kinds.c', 'more/kinds.c')]
        self.dpacc(*sources, '-o', 'first.a', '-app-name=first_app', '-I' + HERE,
                   '--devicecc-options=%s %s -Wno-unused-parameter' % (STRICT, ' '.join(options)),
                   '-hostcc-options=' + STRICT)
        self.dpacc(os.path.join(HERE, 'other.c'), '-o', 'other.a', '--app-name', 'other_app')
        subprocess.run([*compiler.split(), '-I' + INCLUDE, os.path.join(HERE, 'program.c'),
                        'first.a', 'other.a', '-o', 'program'], cwd=self.dir, check=True)
        run = subprocess.run([self.path('program')], text=True, stdout=subprocess.PIPE,
                             stderr=subprocess.STDOUT, check=False)
        self.assertEqual('all is well\n', run.stdout)

    def test_program(self):
        self.program('cc')

    def test_without_optimization(self):
        self.program('cc', '-O0', '-g')

    def test_other_standard(self):
        self.program('cc', '-std=gnu99')

    def test_clang(self):
        if not shutil.which('clang'):
            self.skipTest('no clang')
        self.program('clang')

    def test_compiler_of_another_language(self):
        if not shutil.which('g++'):
            self.skipTest('no g++')
        source = self.write('dev.c', '#include <doca_dpa_dev.h>\n'
                            '__dpa_rpc__ uint64_t answer(int new) { return (uint64_t)new; }\n')
        self.assertEqual('', self.dpacc(source, '-o', 'dev.a', '-hostcc=g++', '-app-name=dev_app'))
        symbols = subprocess.run(['nm', 'dev.a'], cwd=self.dir, text=True, check=True,
                                 stdout=subprocess.PIPE, stderr=subprocess.PIPE).stdout
        self.assertIn('T softfield_dpa__dev_app__answer_run', symbols)

    def test_sanitizer(self):
        source = self.write('empty.c', 'int main(void)\n{\n\treturn 0;\n}\n')
        if subprocess.run(['cc', '-fsanitize=address', source, '-o', 'empty'], cwd=self.dir,
                          stderr=subprocess.DEVNULL, check=False).returncode:
            self.skipTest('no address sanitizer')
        self.program('cc -fsanitize=address -g')

    def test_source_that_is_clean_for_clang(self):
        source = self.write('dev.c', MARKS + '__dpa_global__ void f(unsigned n, int *sum)\n{\n'
                            '#pragma unroll\n\tfor (unsigned i = 0; i < 8; i++)\n'
                            '\t\tsum[i] = 0;\n\tif (n >= 0)\n\t\tsum[0]++;\n\tswitch (n) {\n'
                            '\tcase 1:\n\t\tsum[0]++;\n\tdefault:\n\t\tsum[1]++;\n\t}\n}\n')
        self.dpacc(source, '-o', 'dev.a', '--devicecc-options=' + STRICT)
        self.write('dev.c', MARKS + '__dpa_global__ void f(void) { int unused; }\n')
        self.assertIn('unused', self.refused(source, '-devicecc-options=' + STRICT))

    def test_options_as_build_files_write_them(self):
        self.write('dev.c', '#include <marks.h>\n#include <three.h>\n'
                   '__dpa_global__ void f(void) { (void)ONE; (void)TWO; (void)THREE; }\n')
        for folder in ('keep', 'inc', 'more'):
            os.mkdir(self.path(folder))
        self.write('inc/marks.h', MARKS)
        self.write('more/three.h', '#define THREE 3\n')
        said = self.dpacc(
            'dev.c', '-o', 'dev.a', '-mcpu=nv-dpa-bf3,nv-dpa-cx7', '-hostcc=cc',
            '-hostcc-options=-Wall -DX', '--devicecc-options=-Wall -DONE=1,-mcmodel=medany,-ggdb '
            '-MMD -MT dev.a, -DTWO=2', '--app-name=dev', '-device-libs=-L/nowhere -ldoca_dpa_dev',
            '-flto', '-disable-asm-checks', '--keep-dir', 'keep', '--dpa-proc-attr=none',
            '--common-include-path', 'inc', '-common-include-path=more', '--devicelink-options=',
            '-devicelink-options', '-lnothing')
        self.assertEqual('', said)
        self.assertTrue(self.read('keep/dev.d').startswith('dev.a: dev.c'))

    def test_objects(self):
        """As of a compiler: one command for each source, and one for all of them."""
        os.mkdir(self.path('sub'))
        os.mkdir(self.path('inc'))
        self.write('inc/one.h', MARKS + '#define ONE 1\n')
        self.write('sub/one.c', '#include <one.h>\nint two(void);\n'
                   '__dpa_global__ void f(void) { (void)(ONE + two() + NAME); }\n')
        self.write('sub/two.c', 'int two(void);\nint two(void) { return 2; }\n')
        self.dpacc('-c', 'sub/one.c', '-o', 'sub/one.o', '-Iinc', '--devicecc-options=-DNAME=3',
                   '-MMD')
        self.dpacc('-compile', 'sub/two.c')
        self.assertTrue(self.read('sub/one.d').startswith('sub/one.o: sub/one.c'))
        self.dir = self.path('sub')  # a folder where -Iinc means nothing
        self.dpacc('one.o', '../two.dpa.o', '-o', 'all.a', '-app-name=all')
        names = subprocess.run(['nm', self.path('all.a')], text=True, check=True,
                               stdout=subprocess.PIPE).stdout
        self.assertIn(' all\n', names)
        self.assertIn('softfield_dpa__all__f_run', names)

    def test_objects_with_folders_that_are_made_later(self):
        self.write('one.c', MARKS + '#include <later.h>\n__dpa_global__ void f(void) {}\n')
        self.write('empty.c', 'int nothing;\n')
        self.dpacc('-c', 'empty.c', '-Ilater', '-I', 'more', '-o', 'empty.o')
        self.assertIn('"-I%s"' % self.path('later'), self.read('empty.o'))
        self.assertIn('"-I", "%s"' % self.path('more'), self.read('empty.o'))

    def test_damaged_objects(self):
        for text in ('', '["one.c", ["-I', '{}', '[1, 2]', '["one.c", "-I"]', '["one.c", [1]]'):
            self.write('one.o', '#!softfield dpacc object\n' + text)
            self.assertIn('one.o: damaged', self.refused('one.o', '-o', 'x.a'))
        self.dpacc('-c', self.write('one.c', MARKS), '-o', '/dev/null')
        self.assertFalse(os.path.isfile('/dev/null'))

    def test_objects_of_what_does_not_compile(self):
        self.write('dev.c', MARKS + 'int f(void) { return nothing; }\n')
        said = self.refused('-c', 'dev.c')
        self.assertIn('dev.c: see above', said)
        self.assertFalse(os.path.exists(self.path('dev.dpa.o')))

    def test_one_file_of_rules(self):
        for name in ('one', 'two'):
            self.write(name + '.c', MARKS + '__dpa_global__ void %s(void) {}\n' % name)
        self.dpacc('one.c', 'two.c', '-o', 'both.a', '-MMD', '-MT', 'x', '-MF', 'rules')
        self.assertIn('x: one.c', self.read('rules'))
        self.assertIn('x: two.c', self.read('rules'))

    def test_dry_run(self):
        self.write('dev.c', MARKS + '__dpa_global__ void f(void) {}\n')
        words = ('-MMD', '-MF', 'rules', '-keep-dir', 'kept', '-dryrun')
        for output in (('dev.c', '-o', 'dev.a'), ('-c', 'dev.c', '-o', 'dev.o')):
            self.assertIn('-x c dev.c', self.dpacc(*output, *words))
        self.assertIn(' rcsD dev.a', self.dpacc('dev.c', '-o', 'dev.a', '--dryrun'))
        self.assertEqual(['dev.c'], os.listdir(self.dir))

    def test_default_names(self):
        self.write('dev.c', MARKS + '__dpa_global__ void f(void) {}\n')
        self.dpacc('dev.c')
        names = subprocess.run(['nm', self.path('dev.a')], text=True, check=True,
                               stdout=subprocess.PIPE).stdout
        self.assertIn(' __dpa_a_out\n', names)

    def test_output_into_a_pipe(self):
        self.write('dev.c', MARKS + '__dpa_global__ void f(void) {}\n')
        result = self.run_tool('dpacc', '-c', 'dev.c', '-o', '/dev/stdout')
        self.assertEqual(0, result.returncode, result.stderr)
        self.assertIn('dev.c', result.stdout)

    def test_unknown_options(self):
        self.write('dev.c', MARKS + '__dpa_global__ void f(void) {}\n')
        said = self.dpacc('dev.c', '--what', 'value', '-devicecc-options', '-funheard-of -Wall')
        self.assertIn('--what: unknown option', said)
        self.assertIn('value: taken for the value of --what', said)
        self.assertIn('-funheard-of: ', said)

    def test_wrong_functions(self):
        self.write('dev.c', MARKS + '''
__dpa_rpc__ int no_rpc(int x) { return x; }
__dpa_global__ uint64_t no_kernel(void) { return 0; }
struct huge { char bytes[5000]; };
__dpa_global__ void too_large(struct huge huge) { (void)huge; }
''')
        said = self.refused('dev.c')
        self.assertIn('dev.c:3:', said)
        self.assertIn('no_rpc: a __dpa_rpc__ function returns uint64_t', said)
        self.assertIn('dev.c:4:', said)
        self.assertIn('no_kernel: a __dpa_global__ function returns void', said)
        self.assertIn('dev.c:6:', said)
        self.assertIn('too_large: its parameters are too large', said)

    def test_variable_arguments(self):
        self.write('dev.c', MARKS + '\n__dpa_global__ void f(int x, ...) { (void)x; }\n')
        self.assertIn('dev.c:3: error: f is started', self.refused('dev.c'))

    def test_both_marks(self):
        self.write('dev.c', MARKS + '__dpa_rpc__ void f(void);\n__dpa_global__ void f(void) {}\n')
        self.assertIn('dev.c:3: error: f is __dpa_global__ in one', self.refused('dev.c'))

    def test_error_of_the_compiler(self):
        self.write('dev.c', MARKS + '\nint x = ;\n')
        said = self.refused('dev.c')
        self.assertIn('dev.c:3:', said)
        self.assertIn('dpacc: dev.c: see above', said)

    def test_nothing_marked(self):
        self.write('dev.c', 'int x;\n')
        self.assertIn('dev.c: no function is marked', self.dpacc('dev.c'))

    def test_wrong_arguments(self):
        self.write('dev.c', MARKS)
        self.assertIn('no sources', self.refused(status=2))
        self.assertIn('none.c: No such file', self.refused('none.c'))
        self.assertIn('dev.o: No such file', self.refused('dev.o'))
        self.write('dev.o', 'something else')
        self.assertIn('dev.o: neither a C source nor an object', self.refused('dev.o'))
        self.assertIn('dev.o: not a C source', self.refused('-c', 'dev.o'))
        self.assertIn('of several sources', self.refused('-c', 'dev.c', 'dev.c', status=2))
        self.assertIn('not a name in C', self.refused('dev.c', '-app-name=4', status=2))
        self.assertIn('no/such: no such folder', self.refused('dev.c', '-o', 'no/such/x.a'))
        self.assertIn('-mcpu: a value is missing', self.refused('dev.c', '-mcpu', status=2))
        self.compiler = 'no-such-compiler'
        self.assertIn('no-such-compiler: No such file', self.refused('dev.c'))

    def test_help(self):
        for word in ('--help', '-h', '--version', '-V'):
            result = self.run_tool('dpacc', word)
            self.assertEqual((0, ''), (result.returncode, result.stderr))
            self.assertIn('dpacc', result.stdout)
            self.assertLessEqual(max(map(len, result.stdout.splitlines())), 80)

    def test_version_as_build_files_read_it(self):
        said = self.run_tool('dpacc', '--version').stdout
        self.assertRegex(said, r'(?m)^.*version \d+\.\d+\.\d+$')

    def test_attributes(self):
        self.write('attributes.yaml', 'x: 1\n')
        self.assertEqual(0, self.run_tool('dpa-app-attributes2blob', 'attributes.yaml',
                                          'blob').returncode)
        self.assertTrue(os.path.exists(self.path('blob')))
        said = self.run_tool('dpa-app-attributes2blob', 'none.yaml', 'blob2')
        self.assertIn('none.yaml: No such file', said.stderr)
        self.assertFalse(os.path.exists(self.path('blob2')))
        self.assertEqual(2, self.run_tool('dpa-app-attributes2blob').returncode)


if __name__ == '__main__':
    e2e.main()
