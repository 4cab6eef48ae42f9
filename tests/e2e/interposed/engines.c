/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A library that stands between programs and libdoca_common, and gives them progress engines of its
 * own; and ends them when one of our libraries calls it.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <doca_mmap.h>
#include <doca_pe.h>

#define REAL(name)     ((__typeof__(&name))dlsym(RTLD_NEXT, #name))
#define CHECK_CALLER() check_caller(__builtin_return_address(0), __func__)

struct wrapped {
	char other[512]; /* it does not begin like an engine */
	struct doca_pe *pe;
};

static void check_caller(const void *caller, const char *name)
{
	Dl_info info;

	if (dladdr(caller, &info) && strstr(info.dli_fname, "libdoca_")) {
		printf("%s: called by %s\n", name, info.dli_fname);
		exit(3);
	}
}

doca_error_t doca_pe_create(struct doca_pe **pe)
{
	struct wrapped *wrapper = calloc(1, sizeof(*wrapper));

	CHECK_CALLER();
	if (!wrapper)
		return DOCA_ERROR_NO_MEMORY;
	*pe = (struct doca_pe *)wrapper;
	return REAL(doca_pe_create)(&wrapper->pe);
}

doca_error_t doca_pe_destroy(struct doca_pe *pe)
{
	struct wrapped *wrapper = (struct wrapped *)pe;
	doca_error_t err = REAL(doca_pe_destroy)(wrapper->pe);

	CHECK_CALLER();
	if (!err)
		free(wrapper);
	return err;
}

doca_error_t doca_pe_connect_ctx(struct doca_pe *pe, struct doca_ctx *ctx)
{
	CHECK_CALLER();
	return REAL(doca_pe_connect_ctx)(((struct wrapped *)pe)->pe, ctx);
}

uint8_t doca_pe_progress(struct doca_pe *pe)
{
	CHECK_CALLER();
	return REAL(doca_pe_progress)(((struct wrapped *)pe)->pe);
}

doca_error_t doca_task_submit(struct doca_task *task)
{
	CHECK_CALLER();
	return REAL(doca_task_submit)(task);
}

doca_error_t doca_mmap_create(struct doca_mmap **mmap)
{
	CHECK_CALLER();
	return REAL(doca_mmap_create)(mmap);
}

doca_error_t doca_mmap_start(struct doca_mmap *mmap)
{
	CHECK_CALLER();
	return REAL(doca_mmap_start)(mmap);
}
