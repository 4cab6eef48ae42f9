/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The version of the library, as opposed to that of the headers a program was compiled with.
 */
#include "doca_version.h"

const char *doca_version_runtime(void)
{
	return DOCA_VERSION_STRING;
}
