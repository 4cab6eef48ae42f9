/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Prints the role that the headers give it, and fails when that is not what the build found out.
 */
#include <stdio.h>
#include <string.h>

#include <doca_argp.h>
#include <doca_build_config.h>
#include <doca_comch.h>
#include <doca_dev.h>
#include <doca_dma.h>
#include <doca_error.h>
#include <doca_log.h>

DOCA_LOG_REGISTER(PROGRAM) /* no semicolon: clang-format would */

#if defined(DOCA_ARCH_DPU) && !defined(DOCA_ARCH_HOST)
static const char role[] = "dpu";
#elif defined(DOCA_ARCH_HOST) && !defined(DOCA_ARCH_DPU)
static const char role[] = "host";
#else
#error "a program has one role"
#endif

int main(void)
{
	puts(role);
	/* One symbol of each library: a missing one is an error of the linker or the loader. */
	printf("%s %d %d %d\n", doca_error_get_name(DOCA_SUCCESS), !doca_argp_init,
	       !doca_comch_client_create, !doca_dma_create);
	return strcmp(role, EXPECTED_ROLE) != 0;
}
