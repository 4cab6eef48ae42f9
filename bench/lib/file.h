/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A file to read and write: what a storage target serves, and what the limit of it does without
 * one.
 */
#ifndef SOFTFIELD_BENCH_FILE_H
#define SOFTFIELD_BENCH_FILE_H

#include <stddef.h>
#include <stdint.h>

#define FILE_RANDOM_MAX 4096u /* larger transfers are sequential */

struct bench_file {
	int fd;
	char path[32]; /* as long as fd is open */
};

/* in the folder of the program, written once, gone with the process */
void file_make(struct bench_file *file, size_t size);

/* where transfer number n begins: anywhere, or behind the one before */
static inline uint64_t file_offset(uint64_t number, size_t size, size_t file_size)
{
	const uint64_t count = file_size / size;

	if (size <= FILE_RANDOM_MAX)
		number = number * 0x9e3779b97f4a7c15u >> 32;
	return number % count * size;
}

#endif
