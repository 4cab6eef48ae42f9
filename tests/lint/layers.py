# SPDX-License-Identifier: BSD-3-Clause
"""Do includes only point down? layers.tsv says which folders of src/ a folder may use."""
import os
import re

from lintlib import HERE, Findings, c_files, read_lines, read_rows

INTERNAL = re.compile(r'^\s*#\s*include\s+"((\w+)/[\w./]+)"')
PUBLIC = re.compile(r'^\s*#\s*include\s+["<]((?:doca|softfield)_\w+\.h)[">]')


def folder_of(path):
    parts = path.split('/')
    if parts[0] == 'src' and len(parts) > 2:
        return parts[1]
    return parts[0] if parts[0] in ('tools', 'samples', 'apps') else None


def check(path, lines, allowed, findings):
    folder = folder_of(path)
    uses = allowed[folder]
    headers = [name for name in uses if name.endswith('.h')]
    for number, line in enumerate(lines, 1):
        internal, public = INTERNAL.match(line), PUBLIC.match(line)
        if internal:
            file, used = internal.groups()
            if used in allowed and used not in [folder] + uses and file not in uses:
                findings.add(path, number, '%s may not use %s; allowed: %s' % (
                    folder, used, ' '.join([folder] + uses)))
        elif public and headers and public.group(1) not in headers:
            findings.add(path, number, '%s may not use %s; allowed: %s' % (
                folder, public.group(1), ' '.join(headers)))


def main():
    findings = Findings()
    allowed = {fields[0]: fields[1].split()
               for _, fields in read_rows(os.path.join(HERE, 'layers.tsv'), 2)}
    for path in c_files():
        folder = folder_of(path)
        if folder in allowed:
            check(path, read_lines(path), allowed, findings)
        elif folder:
            findings.add(path, 1, 'folder %s has no line in tests/lint/layers.tsv' % folder)
    findings.exit('layers')


if __name__ == '__main__':
    main()
