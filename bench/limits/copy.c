/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Limit of any bandwidth: one core copies private memory into shared memory, nobody reads it.
 */
#include <stdlib.h>
#include <sys/mman.h>
#include "clock.h"
#include "copy_kernel.h"
#include "options.h"
#include "pair.h"
#include "report.h"

#define BEHIND 8u /* bytes: begins so much later in its page than the source */

static const size_t default_sizes[] = {4096, 65536, 1048576, 16777216, 268435456};

static void copy_libc(void *to, const void *from, size_t size)
{
	memcpy(to, from, size);
}

static void measure(const char *name, void (*copy)(void *, const void *, size_t), void *to,
		    const void *from, size_t size, uint64_t point_ns)
{
	uint64_t start_ns, end_ns;
	uint64_t look_every = size >= 65536 ? 1 : 64;
	uint64_t count = 0;

	copy(to, from, size);
	start_ns = clock_ns();
	end_ns = start_ns + point_ns;
	while (count % look_every != 0 || clock_ns() < end_ns) {
		copy(to, from, size);
		count++;
	}
	report_bandwidth(name, size, (double)count, (double)(clock_ns() - start_ns));
}

int main(int argc, char **argv)
{
	struct bench_options options;

	options_parse(&options, argc, argv);
	options_default_sizes(&options, default_sizes, sizeof(default_sizes) / sizeof(size_t));
	pair_pin(options.cpu[0]);
	for (size_t i = 0; i < options.size_count; i++) {
		size_t size = options.sizes[i];
		void *to = pair_shared(size);
		void *from = aligned_alloc(4096, (size + 4095) & ~(size_t)4095);

		if (!from)
			bench_fail("no memory for %zu bytes", size);
		memset(from, 1, size);
		measure("limit_copy_memcpy", copy_libc, to, from, size, options.point_ns);
		if (copy_has_movsb())
			measure("limit_copy_movsb", copy_movsb, to, from, size, options.point_ns);
		measure("limit_copy_behind", copy_libc, (char *)to + BEHIND, from, size - BEHIND,
			options.point_ns);
		free(from);
		munmap(to, size);
	}
	return 0;
}
