/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The libraries that doca_caps knows, and their capability calls that take a device.
 */
#ifndef SOFTFIELD_TOOLS_CAPS_TABLE_H
#define SOFTFIELD_TOOLS_CAPS_TABLE_H

#include <stddef.h>
#include "doca_dev.h"

enum cap_kind {
	CAP_SUPPORTED, /* (devinfo): the code is the answer */
	CAP_FLAG,      /* (devinfo, uint8_t *) */
	CAP_U32,       /* (devinfo, uint32_t *) */
	CAP_U64,       /* (devinfo, uint64_t *) */
};

struct cap {
	const char *name;
	const char *symbol; /* of the call */
	enum cap_kind kind;
};

struct cap_lib {
	const char *name; /* libdoca_<name>.so.2 */
	const struct cap *caps;
	size_t cap_count;
};

extern const struct cap_lib cap_libs[];
extern const size_t cap_lib_count;

/* The library's handle, loaded at the first call; NULL: it is not installed. */
void *cap_lib_load(const struct cap_lib *lib);

#define CAP_TEXT_SIZE 32

/*
 * "supported", "unsupported" or a number. NULL: the library has no such call, or the call failed.
 * library: of cap_lib_load()
 */
const char *cap_text(void *library, const struct cap *cap, const struct doca_devinfo *devinfo,
		     char buf[CAP_TEXT_SIZE]);

#endif
