/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The lock of a thread-safe map, held to the end of a scope.
 */
#ifndef SOFTFIELD_CORE_MMAP_GUARD_H
#define SOFTFIELD_CORE_MMAP_GUARD_H

#include "core/mmap.h"

static inline struct doca_mmap *mmap_guard_take(const struct doca_mmap *mmap)
{
	struct doca_mmap *guard = (struct doca_mmap *)mmap;

	if (!guard->thread_safe)
		return NULL;
	pthread_mutex_lock(&guard->lock);
	return guard;
}

static inline void mmap_guard_release(struct doca_mmap *const *guard)
{
	if (*guard)
		pthread_mutex_unlock(&(*guard)->lock);
}

#define MMAP_GUARD(mmap)                                                                           \
	__attribute__((cleanup(mmap_guard_release), unused)) struct doca_mmap *guard =             \
		mmap_guard_take(mmap)

#endif
