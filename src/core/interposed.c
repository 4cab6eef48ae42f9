/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Who stands before this library.
 */
#include "core/interposed.h"

#include <dlfcn.h>
#include <stddef.h>

/* To programs, softfield_inline.h, it is constant: it is written before they run. */
__attribute__((visibility("default"))) int softfield_interposed;

static const void *library_of(const void *address)
{
	Dl_info info;

	return dladdr(address, &info) ? info.dli_fbase : NULL;
}

void priv_interposed_look(const char *const *names, const void *own)
{
	for (; *names; names++) {
		const void *found = dlsym(RTLD_DEFAULT, *names);

		/* in nobody's scope: a program that has loaded us for itself */
		if (found && library_of(found) != library_of(own))
			softfield_interposed = 1;
	}
}

__attribute__((constructor)) static void look(void)
{
	static const char *const names[] = {
		"doca_buf_get_head",
		"doca_buf_get_len",
		"doca_buf_get_data",
		"doca_buf_get_data_len",
		"doca_buf_set_data",
		"doca_buf_set_data_len",
		"doca_buf_reset_data_len",
		"doca_task_get_status",
		"doca_task_get_user_data",
		"doca_task_set_user_data",
		NULL,
	};

	priv_interposed_look(names, names);
}
