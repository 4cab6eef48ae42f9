# SPDX-License-Identifier: BSD-3-Clause
"""samples/msgq as a program of a user's: copied from an installation, built against it by its own
build file for both sides, also with the address sanitizer in both halves, and run. And DPA code as
it is found in public programs, which the compiler of another machine accepts.

usage: installed.py BUILD PREFIX LIBDIR BINDIR
"""
import os
import shutil
import subprocess
import sys
import tempfile

import e2e

BUILD, PREFIX, LIBDIR, BINDIR = sys.argv[1:5]
del sys.argv[1:5]

FOUND = '''
#include <doca_dpa_dev.h>
#include <doca_dpa_dev_buf.h>
#include <doca_dpa_dev_comch_msgq.h>
#include <doca_dpa_dev_rdma.h>
#include <doca_dpa_dev_sync_event.h>
#include <dpaintrin.h>

void memcpy(void *to, const void *from, unsigned int count)
{
	for (unsigned int i = 0; i < count; i++)
		((char *)to)[i] = ((const char *)from)[i];
}

__forceinline int count_pairs(const uintptr_t *list);

__forceinline int count_rest(const uintptr_t *list)
{
	return *list ? count_pairs((const uintptr_t *)*list) : 0;
}

__forceinline int count_pairs(const uintptr_t *list)
{
	return *list ? 1 + count_rest((const uintptr_t *)*list) : 0;
}

__dpa_global__ void copy(uintptr_t to, uintptr_t from)
{
	memcpy((void *)to, (void *)from, count_pairs((const uintptr_t *)from));
}

__dpa_global__ void tell_the_others(doca_dpa_dev_rdma_t rdma, doca_dpa_dev_mmap_t to,
				    doca_dpa_dev_mmap_t from, uint64_t addr,
				    doca_dpa_dev_sync_event_remote_net_t event)
{
	doca_dpa_dev_rdma_post_write(rdma, 0, to, addr, from, addr, 8,
				     DOCA_DPA_DEV_SUBMIT_FLAG_OPTIMIZE_REPORTS |
					     DOCA_DPA_DEV_SUBMIT_FLAG_FLUSH);
	doca_dpa_dev_rdma_signal_set(rdma, 0, event, 1);
}
'''


class Installed(e2e.Test):
    @classmethod
    def setUpClass(cls):
        cls.dir = tempfile.mkdtemp(prefix='softfield-e2e-')
        cls.addClassCleanup(shutil.rmtree, cls.dir)
        cls.root = os.path.join(cls.dir, 'stage', PREFIX.lstrip('/'))
        cls.run_tool({}, 'meson', 'install', '-C', BUILD, '--no-rebuild', '--quiet', '--destdir',
                     os.path.join(cls.dir, 'stage'))

    @staticmethod
    def run_tool(env, *command):
        run = subprocess.run(command, check=False, text=True, stdout=subprocess.PIPE,
                             stderr=subprocess.STDOUT, env=dict(e2e.clean_environment(), **env))
        if run.returncode:
            raise RuntimeError('%s\n%s' % (' '.join(command), run.stdout[-3000:]))

    def env(self, modules):
        libdir = os.path.join(self.root, LIBDIR)
        return {'PKG_CONFIG_PATH': os.path.join(libdir, modules), 'LD_LIBRARY_PATH': libdir,
                'PATH': os.path.join(self.root, BINDIR) + ':' + os.environ['PATH']}

    def source(self):
        for folder in ('samples', 'share/softfield/samples'):
            path = os.path.join(self.root, folder, 'msgq')
            if os.path.isdir(path):
                return path
        return self.fail('the sample is not installed')

    def converse(self, modules, *options):
        env = self.env(modules)
        target = os.path.join(self.temp_dir(), 'build')
        self.run_tool(env, 'meson', 'setup', '--werror', *options, target, self.source())
        self.run_tool(env, 'ninja', '-C', target)
        sample = e2e.Process(self, [os.path.join(target, 'doca_msgq'), '500'], env=env)
        self.assertEqual(sample.wait(), 0, sample.log())
        self.assertRegex(sample.lines[-1], '^500 questions answered')
        self.assertEqual(sample.log(), '')

    def test_host(self):
        self.converse('pkgconfig')

    def test_dpu(self):
        self.converse('pkgconfig-dpu')

    def test_sanitized(self):
        source = os.path.join(self.temp_dir(), 'empty.c')
        with open(source, 'w', encoding='ascii') as file:
            file.write('int main(void) { return 0; }\n')
        if subprocess.run(['cc', '-fsanitize=address', source, '-o', source[:-2]], check=False,
                          stderr=subprocess.DEVNULL).returncode:
            self.skipTest('no address sanitizer')
        self.converse('pkgconfig', '-Db_sanitize=address')

    def test_code_of_others(self):
        source = os.path.join(self.temp_dir(), 'copy_dev.c')
        with open(source, 'w', encoding='ascii') as file:
            file.write(FOUND)
        self.run_tool(self.env('pkgconfig'), 'sh', '-c',
                      'dpacc "$0" -o "$0.a" $(pkg-config --cflags-only-I doca-dpa)', source)


if __name__ == '__main__':
    e2e.main()
