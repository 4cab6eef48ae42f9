/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Runs a fuzz target over files, without a fuzzer: the corpus as a regression test.
 * usage: <program> [FOLDER...]
 */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void replay(const char *path)
{
	struct stat st;
	uint8_t *data;
	FILE *file = fopen(path, "rb");

	if (!file || fstat(fileno(file), &st) != 0) {
		perror(path);
		exit(1);
	}
	data = malloc(st.st_size + 1);
	if (!data || fread(data, 1, st.st_size, file) != (size_t)st.st_size) {
		fprintf(stderr, "%s: cannot be read\n", path);
		exit(1);
	}
	fclose(file);
	/* A copy of exactly this size: reading past the end is seen by the sanitizers. */
	data = realloc(data, st.st_size ? st.st_size : 1);
	LLVMFuzzerTestOneInput(data, st.st_size);
	free(data);
}

static unsigned int replay_folder(const char *folder)
{
	unsigned int count = 0;
	struct dirent *entry;
	char path[4096];
	DIR *dir = opendir(folder);

	if (!dir) {
		perror(folder);
		exit(1);
	}
	while ((entry = readdir(dir)) != NULL) {
		if (entry->d_name[0] == '.')
			continue;
		snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name);
		replay(path);
		count++;
	}
	closedir(dir);
	return count;
}

int main(int argc, char **argv)
{
	unsigned int count = 0;

	LLVMFuzzerTestOneInput((const uint8_t *)"", 0);
	for (int i = 1; i < argc; i++)
		count += replay_folder(argv[i]);
	printf("%u inputs\n", count);
	return 0;
}
