# SPDX-License-Identifier: BSD-3-Clause
"""Is every public function defined in the file that its name points at?

Strip doca_ and the name of the folder (core has none); the longest file stem of the folder that
starts the rest is the home. No such stem: cap.c, if there is one, for cap_, get_max_, get_min_ and
is_; else the file that is named like the folder. A folder inside of one is called by both names:
what begins with doca_dpa_dev_ is at home in src/dpa/dev. Exceptions: symbol-home.txt.
"""
import collections
import os
import re

from lintlib import HERE, Findings, c_files, read_lines, read_rows

DEFINITION = re.compile(r'^(?!static|typedef|return|else)[A-Za-z_][\w \t*]*?\b(doca_\w+)\([^;]*$')
CAPABILITY = ('cap_', 'get_max_', 'get_min_', 'is_')


def home(name, folder, stems):
    """The stem of the file in src/<folder> where a function belongs."""
    rest = name[len('doca_'):]
    prefix = folder.replace('/', '_') + '_'
    if rest.startswith(prefix):
        rest = rest[len(prefix):]
    matching = [stem for stem in stems if rest == stem or rest.startswith(stem + '_')]
    if matching:
        return max(matching, key=len)
    return 'cap' if rest.startswith(CAPABILITY) and 'cap' in stems else os.path.basename(folder)


def definitions(lines):
    """Names of the public functions that a source defines: (line number, name)."""
    for number, line in enumerate(lines, 1):
        match = DEFINITION.match(line)
        # The body's brace is alone on its line; a declaration ends with a semicolon first.
        if match and any(text == '{' for text in lines[number:number + 12]):
            body = next(i for i, text in enumerate(lines[number:]) if text == '{')
            if not any(text.rstrip().endswith(';') for text in lines[number:number + body]):
                yield number, match.group(1)


def main():
    findings = Findings()
    exceptions = collections.defaultdict(list)  # a function may have several homes: alternatives
    for _, (name, path) in read_rows(os.path.join(HERE, 'symbol-home.txt'), 2):
        exceptions[name].append(path)
    sources = [path for path in c_files() if path.startswith('src/') and path.endswith('.c')]
    for path in sources:
        folder = os.path.dirname(path)[len('src/'):]
        stems = [os.path.basename(p)[:-2] for p in sources
                 if os.path.dirname(p) == 'src/' + folder]
        for number, name in definitions(read_lines(path)):
            homes = exceptions.get(name, ['src/%s/%s.c' % (folder, home(name, folder, stems))])
            if path not in homes:
                findings.add(path, number, '%s belongs in %s (symbol-home.txt lists exceptions)' %
                             (name, ' or '.join(homes)))
    findings.exit('symbol home')


if __name__ == '__main__':
    main()
