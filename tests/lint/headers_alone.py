# SPDX-License-Identifier: BSD-3-Clause
"""Does every public header compile alone, as C99 and as C++17, with what optimized programs get of
them, without a warning?
Also for programs of old releases, which ask for no experimental functions? And what programs write
with some of them? Does the version have the form that build files of old releases look for?

usage: headers_alone.py CC CXX
"""
import concurrent.futures
import os
import re
import shutil
import subprocess
import sys

from lintlib import ROOT, files_with

WARNINGS = ['-Wall', '-Wextra', '-Wpedantic', '-Wundef', '-Wconversion', '-Wsign-conversion',
            '-Wnull-dereference', '-Wstrict-aliasing=1', '-Werror', '-O2']
NO_CARET = '-fno-diagnostics-show-caret'
AS_C = ['-std=c99', '-x', 'c', NO_CARET]
AS_CXX = ['-std=c++17', '-x', 'c++', '-Wold-style-cast', NO_CARET]
# Of clang, if there is one: g++ takes what is declared extern "C" for C, and NULL for nullptr. It
# starts slowly, and gets all headers of programs together.
CLANG = 'clang++'
AS_CLANG_CXX = ['-std=c++17', '-x', 'c++', '-Wold-style-cast', '-Wzero-as-null-pointer-constant',
                '-fno-caret-diagnostics']
CONTEXTS = ['cc', 'cc_consumer', 'cc_producer', 'comch', 'comch_consumer', 'comch_producer', 'dma',
            'sta', 'sync_event']
USES = {'doca_%s.h' % name: '''
extern __typeof__(doca_task_submit) *known_without_doca_pe;
extern enum doca_ctx_states known_without_doca_ctx;
''' for name in CONTEXTS}
USES['doca_sync_event.h'] += '''
extern __typeof__(doca_sync_event_export_to_dpu) *export_of_2_6;
extern __typeof__(doca_sync_event_export_to_dpa) *dpa_export_of_2_6;
extern __typeof__(doca_sync_event_remote_net_export_to_dpa) *net_export_of_2_6;
extern __typeof__(doca_sync_event_cap_is_export_to_dpu_supported) *cap_of_2_6;
extern __typeof__(doca_sync_event_add_publisher_location_dpu) *publisher_of_2_6;
extern __typeof__(doca_sync_event_add_subscriber_location_dpu) *subscriber_of_2_6;
'''
# Callbacks, in which nobody asks whether there is a task.
USES['doca_comch_consumer.h'] += '''
#include <doca_buf.h>
doca_error_t received(struct doca_comch_consumer_task_post_recv *task, size_t *size);
doca_error_t received(struct doca_comch_consumer_task_post_recv *task, size_t *size)
{
	struct doca_buf *buf = doca_comch_consumer_task_post_recv_get_buf(task);
	void *data;

	doca_buf_get_data(buf, &data);
	doca_buf_get_data_len(buf, size);
	doca_buf_reset_data_len(buf);
	return doca_task_get_status(doca_comch_consumer_task_post_recv_as_task(task));
}
'''
USES['doca_comch_producer.h'] += '''
#include <doca_buf.h>
#include <doca_pe.h>
#include <string.h>
size_t sent(struct doca_comch_producer_task_send *task);
size_t sent(struct doca_comch_producer_task_send *task)
{
	struct doca_task *as_task = doca_comch_producer_task_send_as_task(task);
	union doca_data count = doca_task_get_user_data(as_task);
	size_t size, more;

	doca_buf_get_data_len(doca_comch_producer_task_send_get_buf(task), &size);
	memcpy(&more, count.ptr, sizeof(more));
	return size + more;
}
'''
# A program of 1.3, in the order of members that C++ asks for.
USES['doca_argp.h'] = '''
int use(int argc, char **argv, const char *arguments, void (*callback)(void *config, void *param));
int use(int argc, char **argv, const char *arguments, void (*callback)(void *config, void *param))
{
	struct doca_argp_program_type_config type = {false, false};
	struct doca_argp_program_general_config *general;
	struct doca_argp_param param = {"p", "param", arguments, "a flag", callback,
					DOCA_ARGP_TYPE_STRING, true, false};
	int config = 0;

	doca_argp_init("program", &type, &config);
	doca_argp_register_param(&param);
#ifdef DOCA_LEGACY_1_4
	doca_argp_register_version_callback(callback);
	doca_argp_register_validation_callback(callback);
#endif
	doca_argp_start(argc, argv, &general);
	return general->log_level;
}
#ifndef __cplusplus
doca_error_t literals(char *name);
doca_error_t literals(char *name)
{
	struct pair {
		int x, y;
	};

	doca_argp_init("program", &(struct pair){1, 2});
	doca_argp_init("program", &(struct doca_argp_program_type_config){false, true}, NULL);
	doca_argp_start(2, (char *[]){name, name, NULL}, NULL);
	doca_argp_start(1, (char *[]){name});
	doca_argp_start(1, (char *[]){name, NULL});
	return doca_argp_start(2, (char *[]){name, name, NULL});
}
#endif
'''
USES.update({'doca_log.h': '''
DOCA_LOG_REGISTER(NAMES::NO_SEMICOLON)
void use(void);
void use(void)
{
	DOCA_LOG_ERR("one argument");
	DOCA_LOG_TRC("%s", "more");
}
''', 'doca_sta_mem.h': 'extern __typeof__(doca_mmap_create) *known_without_its_own_header;\n',
             'doca_types.h': 'extern bool known_without_stdbool;\n'})


TODAY = 'DOCA_ALLOW_EXPERIMENTAL_API'
LEGACY = 'DOCA_LEGACY_1_4'  # which brings what 2.2 has
LEGACY_CC = 'DOCA_CC_LEGACY_2_5'
BINDINGS = 'DOCA_LEGACY_2_2_BINDINGS'
PROGRAM = 'DOCA_LEGACY_2_2\n#define ' + TODAY
PROGRAM_1_4 = 'DOCA_LEGACY_1_4\n#define ' + TODAY

# What files of a program of 2.2 write that include nothing else.
USES_2_2 = {'doca_buf.h': '''
doca_error_t use(struct doca_buf *buf, bool *is_last);
doca_error_t use(struct doca_buf *buf, bool *is_last)
{
	doca_buf_list_chain(buf, buf);
	doca_buf_list_is_first(buf, is_last);
	doca_buf_list_is_last(buf, is_last);
	return doca_buf_refcount_rm(buf, NULL);
}
''', 'doca_mmap.h': '''
doca_error_t use(struct doca_dev *dev, const void **data, size_t *size);
doca_error_t use(struct doca_dev *dev, const void **data, size_t *size)
{
	struct doca_mmap *mmap;

	doca_mmap_create(NULL, &mmap);
	doca_mmap_create("name", &mmap);
	doca_mmap_dev_add(mmap, dev);
	doca_mmap_export(mmap, dev, data, size);
	doca_mmap_export_dpu(mmap, dev, data, size);
	return doca_mmap_dev_rm(mmap, dev);
}
''', 'doca_dma.h': '''
doca_error_t use(struct doca_dev *dev, struct doca_dma_job_memcpy *job);
doca_error_t use(struct doca_dev *dev, struct doca_dma_job_memcpy *job)
{
	struct doca_dma *dma;
	struct doca_event event;
	struct doca_workq *workq;

	doca_dma_create(&dma);
	doca_ctx_dev_add(doca_dma_as_ctx(dma), dev);
	doca_ctx_start(doca_dma_as_ctx(dma));
	doca_workq_create(1, &workq);
	doca_ctx_workq_add(doca_dma_as_ctx(dma), workq);
	job->base.flags = DOCA_JOB_FLAGS_NONE;
	doca_workq_submit(workq, &job->base);
	return doca_workq_progress_retrieve(workq, &event, DOCA_WORKQ_RETRIEVE_FLAGS_NONE);
}
'''}
# No header but that of the log has its macros: programs have logs of their own.
for header in ('doca_buf.h', 'doca_comch.h', 'doca_dma.h', 'doca_dpa.h', 'doca_mmap.h'):
    USES[header] = USES.get(header, '') + '''
#ifdef DOCA_LOG_ERR
#error brings the log
#endif
'''
# The same with names that are no part of the interface.
USES_MODULE = dict(USES_2_2, **{'doca_comch_consumer.h': '''
uint8_t *use(const struct doca_comch_consumer_task_post_recv *task);
uint8_t *use(const struct doca_comch_consumer_task_post_recv *task)
{
	return doca_comch_consumer_task_post_recv_get_imm_data(task);
}
''', 'doca_argp.h': '''
extern doca_argp_param_cb_t param;
extern callback_func param;
extern doca_argp_dpdk_cb_t dpdk;
extern dpdk_callback dpdk;
extern doca_argp_validation_cb_t validation;
extern validation_callback validation;
'''})
# Names with other arguments today are macros, and yet what today's programs write with functions.
for header, name, args, values in [
        ('doca_mmap.h', 'doca_mmap_create', 'struct doca_mmap **map', '&map'),
        ('doca_dma.h', 'doca_dma_create', 'struct doca_dev *dev, struct doca_dma **dma',
         'dev, &dma'),
        ('doca_buf_inventory.h', 'doca_buf_inventory_create',
         'size_t count, struct doca_buf_inventory **inventory', 'count, &inventory'),
        ('doca_argp.h', 'doca_argp_init', 'const char *name, void *config', 'name, config'),
        ('doca_comm_channel.h', 'doca_comm_channel_ep_create',
         'struct doca_comm_channel_ep_t **ep', '&ep')]:
    USES_2_2[header] = USES_2_2.get(header, '') + '''
struct interface {
	doca_error_t (*%(name)s)(%(args)s);
};
#ifdef __cplusplus
extern "C"
#endif
doca_error_t %(name)s(%(args)s);
doca_error_t today(const struct interface *interface, %(plain)s);
doca_error_t today(const struct interface *interface, %(plain)s)
{
	struct interface ours = {&%(name)s};

	if (ours.%(name)s(%(values)s) || (%(name)s)(%(values)s) || interface->%(name)s(%(values)s))
		return DOCA_ERROR_BAD_STATE;
	return %(name)s(%(values)s);
}
''' % {'name': name, 'args': args, 'plain': args.replace('**', '*'), 'values': values}
USES = {header: USES.get(header, '') + USES_2_2.get(header, '') for header in {*USES, *USES_2_2}}


def uses_of(header, defined):
    return {TODAY: USES, PROGRAM: USES_MODULE, PROGRAM_1_4: USES}.get(defined, {}).get(header, '')


def compile_together(headers, uses, role, compiler, defined):
    """The output of the compiler, empty when all is well."""
    includes = ''.join('#include <%s>\n' % header for header in headers)
    result = subprocess.run(
        compiler + WARNINGS + ['-S', '-o', os.devnull,  # some warnings come with the code
                               '-I' + os.path.join(ROOT, 'include/doca-role', role),
                               '-I' + os.path.join(ROOT, 'include/doca'), '-'],
        input='#define %s\n%sextern int not_empty;\n%s' % (defined, includes, uses),
        text=True, capture_output=True)
    return result.stderr if result.returncode else ''


def lost_versions():
    """Names that find modules of CMake would not find a value of: they read the header as text."""
    with open(os.path.join(ROOT, 'include/doca/doca_version.h'), encoding='utf-8') as file:
        text = file.read()
    values = {'MAJOR': '[0-9]+', 'MINOR': '[0-9]+', 'PATCH': '[0-9]+', 'STRING': '"[0-9.]+"'}
    return ['DOCA_VER_' + name for name, value in values.items()
            if not re.search('^#define DOCA_VER_%s %s$' % (name, value), text, re.M)]


def ways_of(path):
    """(role, what is defined) for all the ways in which a header is compiled: of the old ones, what
    makes a difference to it."""
    with open(os.path.join(ROOT, path), encoding='utf-8') as file:
        text = file.read()
    ways = [('host', TODAY)]
    if re.search(r'LEGACY|softfield_\w+_\d_\d\.h', text):
        ways += [('dpu', LEGACY), ('host', PROGRAM), ('host', BINDINGS)]
    if LEGACY in text or '_1_3.h' in text:
        ways.append(('host', PROGRAM_1_4))
    if LEGACY_CC in text:
        ways.append(('host', LEGACY_CC))
    return ways


def parts():
    """Headers that programs do not include, but that others consist of."""
    found = set()
    for path in files_with('.h'):
        if path.startswith('include/doca/'):
            with open(os.path.join(ROOT, path), encoding='utf-8') as file:
                found |= set(re.findall(r'# *include [<"](softfield_\w+\.h)', file.read()))
    return found


def main():
    cc, cxx = sys.argv[1:]
    compilers = [[cc, *AS_C], [cxx, *AS_CXX]]
    together = {}  # by the way in which they are compiled
    only_parts = parts()
    jobs = []
    for path in files_with('.h'):
        if not path.startswith('include/doca/'):
            continue
        header = os.path.basename(path)
        for role, defined in ways_of(path):
            if header not in only_parts:
                together.setdefault((role, defined), []).append(header)
            jobs += [([header], uses_of(header, defined), role, compiler, defined)
                     for compiler in compilers]
    if shutil.which(CLANG):  # without uses: programs write NULL
        jobs += [(headers, '', role, [CLANG, *AS_CLANG_CXX], defined)
                 for (role, defined), headers in together.items()]
    with concurrent.futures.ThreadPoolExecutor() as pool:
        outputs = list(pool.map(lambda job: compile_together(*job), jobs))
    failed = 0
    for name in lost_versions():
        failed += 1
        print('doca_version.h: %s is not a literal behind one blank' % name)
    for (headers, _, role, compiler, defined), output in zip(jobs, outputs):
        if output:
            failed += 1
            what = headers[0] if len(headers) == 1 else 'all headers'
            print('%s, role %s, %s, %s:\n%s' %
                  (what, role, defined, ' '.join(compiler[:2]), output))
    print('%d compilations, %d findings' % (len(jobs), failed))
    sys.exit(1 if failed or not jobs else 0)


if __name__ == '__main__':
    main()
