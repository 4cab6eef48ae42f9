/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * softfield target: a program of its own, beside this one, where it was built, or on the search
 * path.
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/count.h"
#include "commands.h"

#define PROGRAM "softfield-target"

/* beside this program, as installed; as built */
static const char *const places[] = {"", "/../apps/softfield_target"};

/* where this program is; "" if that cannot be found out */
static void own_folder(char folder[PATH_MAX])
{
	ssize_t length = readlink("/proc/self/exe", folder, PATH_MAX - 1);
	char *slash;

	folder[length > 0 ? length : 0] = '\0';
	slash = strrchr(folder, '/');
	if (slash)
		*slash = '\0';
}

int command_target(int argc, char **argv)
{
	char folder[PATH_MAX], path[PATH_MAX + 64];
	size_t i;

	(void)argc;
	own_folder(folder);
	for (i = 0; i < COUNT(places); i++) {
		snprintf(path, sizeof(path), "%s%s/" PROGRAM, folder, places[i]);
		execv(path, argv);
	}
	execvp(PROGRAM, argv);
	fprintf(stderr,
		"softfield target: cannot start " PROGRAM ": %s; it is neither in %s nor "
		"on the search path\n",
		strerror(errno), folder);
	return EXIT_FAILURE;
}
