/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The names that there are, for a message about one that there is not.
 */
#ifndef SOFTFIELD_BASE_NAME_LIST_H
#define SOFTFIELD_BASE_NAME_LIST_H

#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* Text of `size` bytes, "" at first: "a, b"; it ends with "..." when there are more than fit. */
static inline void name_list_add(char *list, size_t size, const char *name)
{
	size_t len = strlen(list);
	const char *comma = len ? ", " : "";

	if (len >= 3 && !strcmp(list + len - 3, "..."))
		return;
	if (len + strlen(comma) + strlen(name) + sizeof(", ...") > size)
		name = "...";
	snprintf(list + len, size - len, "%s%s", comma, name);
}

#endif
