/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Leak check by what the kernel says of this process.
 */
#include "leak.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static unsigned int count_fds(void)
{
	DIR *dir = opendir("/proc/self/fd");
	unsigned int count = 0;
	struct dirent *entry;

	if (!dir)
		abort();
	while ((entry = readdir(dir)))
		count += entry->d_name[0] != '.';
	closedir(dir);
	return count - 1; /* dir itself */
}

static unsigned int count_mappings(void)
{
	FILE *maps = fopen("/proc/self/maps", "re");
	unsigned int count = 0;
	char line[512];

	if (!maps)
		abort();
	while (fgets(line, sizeof(line), maps))
		count += strstr(line, "memfd:softfield") != NULL;
	fclose(maps);
	return count;
}

static void print_fds(void)
{
	char path[64], target[256];
	int fd;

	for (fd = 0; fd < 1024; fd++) {
		ssize_t size;

		snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
		size = readlink(path, target, sizeof(target) - 1);
		if (size < 0)
			continue;
		target[size] = '\0';
		fprintf(stderr, "  %d -> %s\n", fd, target);
	}
}

struct leak leak_count(void)
{
	return (struct leak){.fds = count_fds(), .mappings = count_mappings()};
}

bool leak_check(const struct leak *before)
{
	struct leak now = leak_count();

	if (now.fds != before->fds) {
		fprintf(stderr, "descriptors: %u before, %u now\n", before->fds, now.fds);
		print_fds();
	}
	if (now.mappings != before->mappings)
		fprintf(stderr, "mappings of memfd:softfield*: %u before, %u now\n",
			before->mappings, now.mappings);
	return now.fds == before->fds && now.mappings == before->mappings;
}

static struct leak before_test;

int leak_setup(void **state)
{
	(void)state;
	before_test = leak_count();
	return 0;
}

int leak_teardown(void **state)
{
	(void)state;
	return leak_check(&before_test) ? 0 : -1;
}
