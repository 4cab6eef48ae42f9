# SPDX-License-Identifier: BSD-3-Clause
"""The first program, as its page shows it: what it prints, and what its page has of it."""
import os
import re

import e2e

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), '../../..')
PAGE = os.path.join(ROOT, 'docs/guide/first-program.md')


def normalized(text):
    return re.sub(r'\s+', ' ', text)


class First(e2e.Test):
    def start(self, side):
        env = {'SOFTFIELD_RUNTIME_DIR': self.folder}
        return e2e.Process(self, [e2e.program('first_' + side)], env=env)

    def setUp(self):
        super().setUp()
        self.folder = self.temp_dir()

    def test_conversation(self):
        dpu = self.start('dpu')
        dpu.expect('^waiting for a client$')
        host = self.start('host')
        self.assertEqual(host.wait(), 0, host.log())
        self.assertEqual(dpu.wait(), 0, dpu.log())
        self.assertEqual(host.lines, ['the DPU says: Yes, on Linux.'])
        self.assertEqual(dpu.lines, ['waiting for a client', 'a client has come',
                                     'the host says: Is anybody there?'])
        with open(PAGE, encoding='utf-8') as page:
            text = page.read()
        for line in host.lines + dpu.lines:
            self.assertIn('\n    %s\n' % line, text)

    def test_without_server(self):
        host = self.start('host')
        self.assertEqual(host.wait(), 1)
        self.assertIn('cannot get an answer: Connection aborted', host.log())
        with open(PAGE, encoding='utf-8') as page:
            self.assertIn('\n    cannot get an answer: Connection aborted\n', page.read())

    def test_the_page_quotes_the_program(self):
        """Every line of C on the page stands in one of the two files."""
        sources = ''
        for side in ('host', 'dpu'):
            with open(os.path.join(ROOT, 'samples/first/first_%s.c' % side),
                      encoding='utf-8') as source:
                sources += normalized(source.read()) + ' '
        with open(PAGE, encoding='utf-8') as page:
            blocks = re.findall(r'```c\n(.*?)```', page.read(), re.S)
        self.assertTrue(blocks)
        for block in blocks:
            self.assertIn(normalized(block).strip(), sources)


if __name__ == '__main__':
    e2e.main()
