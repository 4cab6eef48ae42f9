# SPDX-License-Identifier: BSD-3-Clause
"""Does each check find what it is there to find? Small wrong inputs, one per rule.

usage: selftest.py CC CXX
"""
import contextlib
import io
import sys
import unittest

import api_check
import api_docs
import bindings
import budgets
import checklist
import declared
import exports
import headers_alone
import layers
import pairs
import readmes
import symbol_home
import texts
from lintlib import Findings, Row, read_table

CC, CXX = sys.argv[1:]
GOOD = {row.name: row for row in read_table('core')}


def row(original, **changes):
    return GOOD[original]._replace(file='table.tsv', line=7, **changes)


class ApiCheck(unittest.TestCase):
    def complains(self, *rows):
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            results = [api_check.compiles(compiler, api_check.source(rows, []))
                       for compiler in ([CC, '-std=c11', '-x', 'c'],
                                        [CXX, '-std=c++17', '-x', 'c++'])]
        self.assertEqual(results[0], results[1], out.getvalue())
        self.assertEqual('table.tsv:7' in out.getvalue(), not results[0], out.getvalue())
        return not results[0]

    def test_accepts_what_is_right(self):
        self.assertFalse(self.complains(row('DOCA_ERROR_AGAIN'), row('doca_dev_open'),
                                        row('doca_gather_list'), row('doca_be16_t')))

    def test_value(self):
        self.assertTrue(self.complains(row('DOCA_ERROR_AGAIN', value='6')))

    def test_missing_macro(self):
        self.assertTrue(self.complains(row('doca_likely', name='doca_maybe')))

    def test_typedef(self):
        self.assertTrue(self.complains(
            row('doca_event_handle_t', value='typedef long doca_event_handle_t')))

    def test_prototype(self):
        value = GOOD['doca_dev_open'].value
        self.assertTrue(self.complains(row('doca_dev_open', value=value.replace('**', '*'))))
        self.assertTrue(self.complains(
            row('doca_dev_open', value=value.replace('doca_error_t', 'int'))))

    def test_missing_function(self):
        self.assertTrue(self.complains(
            row('doca_dev_open', name='doca_dev_ajar', value='int doca_dev_ajar(void)')))

    def test_struct_layout(self):
        value = GOOD['doca_gather_list'].value
        for wrong in (value.replace('uint64_t', 'uint32_t'), value.replace(' len', ' length'),
                      value.replace(' }', ' int more; }')):
            self.assertTrue(self.complains(row('doca_gather_list', value=wrong)))


class Texts(unittest.TestCase):
    def found(self, check, *args):
        findings = Findings()
        check(*args, findings)
        return findings.lines

    def test_budgets(self):
        body = ['{'] + ['\tx();'] * 70 + ['}']
        self.assertFalse(self.found(budgets.check_functions, 'f.c', body))
        self.assertTrue(self.found(budgets.check_functions, 'f.c', body[:1] + [''] + body[1:]))
        for count, found in ((6, False), (7, True)):
            lines = ['static int f(%s)' % ', '.join(['int (*x)(int, int)'] * count), '{', '}']
            self.assertEqual(found, bool(self.found(
                lambda path, text, findings: budgets.check_parameters(path, text, set(), findings),
                'f.c', lines)))
        self.assertFalse(self.found(budgets.check_length, 'f.c', [''] * 600))
        self.assertTrue(self.found(budgets.check_length, 'f.c', [''] * 601))
        self.assertFalse(self.found(budgets.check_length, 'f.c',
                                    ['/* Long because of a table. */'] + [''] * 600))
        self.assertFalse(self.found(budgets.check_columns, 'f.c', ['\t' + 'x' * 92]))
        self.assertTrue(self.found(budgets.check_columns, 'f.c', ['\t' + 'x' * 93]))

    def test_checklist(self):
        names = ['Q1_Q3_entries', 'R5_to_R7_host', 'Q9_Q10']
        self.assertEqual(checklist.rows_of('R5_to_R7_host_R9'), ['R5', 'R6', 'R7'])
        for row, wrong in (('Q1', False), ('Q3 x', False), ('Q2', True), ('R6', False),
                           ('R8', True), ('# R8', False), ('', False), ('Q10', False)):
            self.assertEqual(bool(self.found(checklist.check, [row], names)), wrong, row)

    def test_layers(self):
        allowed = {'base': ['doca_error.h'], 'core': ['base']}
        for path, line, wrong in (('src/core/x.c', '#include "base/list.h"', False),
                                  ('src/base/x.c', '#include "core/pe.h"', True),
                                  ('src/base/x.c', '#include "doca_error.h"', False),
                                  ('src/base/x.c', '#include "doca_dev.h"', True)):
            self.assertEqual(bool(self.found(layers.check, path, [line], allowed)), wrong, line)

    def test_symbol_home(self):
        stems = ['buf', 'buf_pool', 'server', 'cap']
        for name, folder, expected in (('doca_buf_pool_create', 'core', 'buf_pool'),
                                       ('doca_buf_inc_refcount', 'core', 'buf'),
                                       ('doca_comch_server_create', 'comch', 'server'),
                                       ('doca_comch_get_max_clients', 'comch', 'cap'),
                                       ('doca_comch_anything', 'comch', 'comch')):
            self.assertEqual(symbol_home.home(name, folder, stems), expected)
        self.assertEqual(symbol_home.home('doca_dma_cap_x', 'dma', ['dma']), 'dma')
        source = ['doca_error_t doca_a(int x)', '{', '}', 'int doca_b(void);',
                  'static int doca_c(int x)', '{', '\treturn doca_d(x);', '}',
                  'struct x *doca_e(int a,', '\t\tint b)', '{', '}']
        found = [name for _, name in symbol_home.definitions(source)]
        self.assertEqual(found, ['doca_a', 'doca_e'])

    def test_exports(self):
        names = {r.name: '' for table in ('argp',) for r in read_table(table)
                 if r.kind == 'function'}

        def found(symbols, absent=frozenset()):
            with contextlib.redirect_stdout(io.StringIO()):
                return self.found(lambda f: exports.check('libdoca_argp', 'lib.so', symbols, absent,
                                                          f))
        self.assertFalse(found(names))
        self.assertTrue(found({**names, 'doca_stray': ''}))
        self.assertTrue(found({**names, 'doca_argp_init': 'SOME_NODE'}))
        self.assertTrue(found({**names, 'priv_x': ''}))
        self.assertFalse(found({**names, 'priv_x': 'DOCA_COMMON_PRIVATE_1'}))
        self.assertTrue(found(names, {'doca_argp_init'}))
        names.pop('doca_argp_init')
        self.assertTrue(found(names))
        self.assertFalse(found(names, {'doca_argp_init'}))

    def test_documentation(self):
        def found(comment):
            text = comment + '\nDOCA_STABLE\nint doca_f(int a, void (*cb)(int), char n[8]);'
            match = api_docs.FUNCTION.search(text)
            self.assertEqual(api_docs.parameters(match.group('params')), ['a', 'cb', 'n'])
            return self.found(api_docs.check_comment, 'doca_f.h', 1, match)
        good = '/**\n * @brief B.\n * @param [in] a A.\n * @param [in] cb C.\n' \
               ' * @param [out] n N.\n * @return R.\n *\n * Any thread.\n */'
        self.assertFalse(found(good))
        for wrong in ('@brief', '@return', '[in] ', '@param [out] n', 'Any thread.'):
            self.assertTrue(found(good.replace(wrong, '')), wrong)
        for rule in ('A thread.', 'For any thread.', '@brief The thread that runs.'):
            self.assertTrue(found(good.replace('Any thread.', rule)), rule)
        for rule in ('Source: x. One thread at a time for a task.', 'Thread rule: see there.'):
            self.assertFalse(found(good.replace('Any thread.', rule)), rule)

    def test_stability(self):
        for mark, wrong in (('DOCA_STABLE', False), ('DOCA_EXPERIMENTAL', True), ('', True)):
            match = api_docs.FUNCTION.search('\n%s\nint doca_dev_open(int a);' % mark)
            self.assertEqual(bool(self.found(api_docs.check_mark, 'x.h', 1, match, GOOD)), wrong)
        match = api_docs.FUNCTION.search('\nDOCA_STABLE\nint doca_dev_ajar(int a);')
        self.assertTrue(self.found(api_docs.check_mark, 'x.h', 1, match, GOOD))

    def test_forbidden(self):
        def found(line):
            return any(pattern.search(line) for pattern, _ in texts.FORBIDDEN)
        for wrong in ('a /' + 'work/x', 'in /' + 'root', '/' + 'home/joe/x', 'py' + 'pi.org'):
            self.assertTrue(found(wrong), wrong)
        for right in ('a/work/x', '/works', 'the /home of', '${x}/work', 'rework/'):
            self.assertFalse(found(right), right)

    def test_links(self):
        for line, links in (('see [a](b/c.md), [d](e.md#f)', ['b/c.md', 'e.md']),
                            ('[x](https://github.com/y) [z](#here)', [])):
            self.assertEqual(texts.LINK.findall(line), links)

    def test_files(self):
        for line, files in (('see src/a/b.h, ../src/x.c and `docs/c-d.md`.',
                             ['src/a/b.h', 'docs/c-d.md']), ('tests/unit, a/tests/x.c', [])):
            self.assertEqual(texts.FILE.findall(line), files)

    def test_headings(self):
        self.assertEqual(texts.anchors(['# The `ring`, again', 'text', '## Two: of 2.2']),
                         {'the-ring-again', 'two-of-22'})
        self.assertEqual(texts.HEADING_LINK.findall('[d](e.md#f), [z](#here), [x](y.md)'),
                         [('e.md', 'f'), ('', 'here')])

    def test_declared(self):
        texts_of = {'a.h': 'int used(int x);\nint own(void);\nint inlined(void);\n'
                           'static inline int f(void) { return inlined(); }\n'
                           'extern const struct table one, two;\nint nowhere(int (*x)(void));\n',
                    'a.c': 'used own one two', 'b.c': 'used one'}
        words = {path: set(text.split()) for path, text in texts_of.items()}
        self.assertEqual(self.found(declared.check, 'a.h', texts_of, words), [
            'a.h:2: own is used in a.c only: it can be static',
            'a.h:6: nowhere is neither defined nor used',
            'a.h:5: two is used in a.c only: it can be static'])

    def test_bindings(self):
        self.assertEqual(list(bindings.unseen('''
            __attribute__((deprecated("a"), section(".b"))) int doca_today(int (*callback)(void));
            int softfield_a(void);
            static inline int f(void) { if (1) { return doca_today(f); } return softfield_b(); }
            int doca_one (void) __asm__("softfield_a");
            int doca_two (int (*callback)(void)) __asm__("doca_today");
            int doca_three (void) __asm__("softfield_b");
            int softfield_b(void);
            ''')), ['doca_one is softfield_a, which softfield_a has been before',
                   'doca_two is doca_today, which doca_today has been before'])

    def test_pairs(self):
        self.assertEqual(list(pairs.bodies('static int f(void)\n{\n\t/* no */ g();\n}\n')),
                         [('f', '\n\t g();')])
        functions = {'f': ['g();', 'atomic_load_explicit(&y, memory_order_acquire);'],
                     'g': ['atomic_load_explicit(&y, memory_order_relaxed);'],
                     'h': ['atomic_store(&y, 1);']}
        for order, name, wrong in (('acquire', 'f', False), ('release', 'f', True),
                                   ('acquire', 'g', True), ('acquire', 'h', True),
                                   ('release', 'h', False), ('release', 'no', True)):
            text = '/*\n * This pairs with\n * the %s in %s(). */\n' % (order, name)
            self.assertEqual(bool(self.found(pairs.check, 'f.c', text, functions)), wrong, text)

    def test_readmes(self):
        def found(line, *files):
            return self.found(readmes.check, 'README.md', [line], files)
        self.assertFalse(found('`ep.h` and `wait.c`', 'ep.c', 'ep.h', 'wait.c'))
        self.assertFalse(found('`ep*.c`', 'ep.c', 'ep_get.c'))
        self.assertFalse(found('`ep.h ep.c`, see `core/pe.h`', 'ep.c', 'ep.h'))
        self.assertTrue(found('`ep.c`', 'ep.c', 'wait.c'))
        self.assertTrue(found('ep.c', 'ep.c'))
        self.assertTrue(found('`ep.c`, `gone.c`', 'ep.c'))

    def test_places(self):
        self.assertEqual(texts.NAME.findall('`ring_push`, `chan_send()`, `f`, `a_b.c`, `x_*`'),
                         ['ring_push', 'chan_send'])
        self.assertTrue(texts.ABOUT_CODE.match('docs/internals/walk.md'))
        self.assertTrue(texts.ABOUT_CODE.match('src/base/README.md'))
        self.assertFalse(texts.ABOUT_CODE.match('docs/guide/samples.md'))
        self.assertEqual(texts.places('| 1 | `f` | `src/a/b.c` | `g`: what `h` does |'),
                         [('f', 'src/a/b.c'), ('g', 'src/a/b.c')])
        self.assertEqual(texts.places('| `f` | `g`: no file |'), [])
        self.assertTrue(texts.defines('src/core/task.c', 'doca_task_submit'))
        self.assertFalse(texts.defines('src/core/task.c', 'doca_task_submits'))
        self.assertFalse(texts.defines('src/core/no_such.c', 'doca_task_submit'))


class Headers(unittest.TestCase):
    def test_compile_together(self):
        compiler = [CC, '-std=c11', '-x', 'c']
        self.assertEqual(headers_alone.compile_together(
            ['doca_error.h', 'doca_types.h'], '', 'host', compiler, 'A'), '')
        self.assertNotEqual(headers_alone.compile_together(
            ['doca_error.h', 'no_such.h'], '', 'host', compiler, 'A'), '')

    def test_parts(self):
        parts = headers_alone.parts()
        self.assertIn('softfield_core_2_2.h', parts)
        self.assertNotIn('softfield_sta.h', parts)  # programs include it


if __name__ == '__main__':
    unittest.main(argv=sys.argv[:1])
