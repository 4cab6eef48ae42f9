/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Pieces of memory and the address spaces that see them. A page in front of each piece remembers
 * it; pages that nobody touches and no device sees cost nothing.
 */
#include "nvme/dma.h"

#include <pthread.h>
#include <stdint.h>
#include <sys/mman.h>
#include "base/page.h"

/* An Intel IOMMU may have 39 bits of address; the kernel keeps programs off this part. */
#define LOW_START (1ull << 36)
#define LOW_END	  (1ull << 38)

/* The memory begins on the next page; IOMMUs map no part of one, whatever its size is. */
struct piece {
	struct list_node node;
	void *memory;
	size_t size;
};

/* protects everything below; held while spaces are called, which call nobody */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct list_node pieces = {&pieces, &pieces};
static struct list_node spaces = {&spaces, &spaces};
static uint64_t cursor = LOW_START;

static size_t round_up(size_t size)
{
	return (size + page_size() - 1) & ~(size_t)(page_size() - 1);
}

/* until the given space, which is not asked; NULL: all */
static void unmap_piece(struct piece *piece, const struct list_node *end)
{
	struct list_node *node;

	for (node = spaces.next; node != &spaces && node != end; node = node->next) {
		struct dma_space *space = container_of(node, struct dma_space, node);

		space->unmap(space, piece->memory, piece->size);
	}
}

static bool map_piece(struct piece *piece)
{
	struct list_node *node;

	list_for_each (node, &spaces) {
		struct dma_space *space = container_of(node, struct dma_space, node);

		if (space->map(space, piece->memory, piece->size)) {
			unmap_piece(piece, node);
			return false;
		}
	}
	return true;
}

static struct piece *new_piece(size_t size)
{
	size_t all = page_size() + size;
	struct piece *piece;

	if (cursor + all > LOW_END)
		cursor = LOW_START;
	/* a wish: where something is already the kernel chooses */
	piece = mmap((void *)(uintptr_t)cursor, all, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (piece == MAP_FAILED)
		return NULL;
	cursor += all;
	piece->memory = (char *)piece + page_size();
	piece->size = size;
	return piece;
}

void *dma_alloc(size_t size)
{
	struct piece *piece;

	pthread_mutex_lock(&lock);
	piece = new_piece(round_up(size));
	if (piece && !map_piece(piece)) {
		munmap(piece, page_size() + piece->size);
		piece = NULL;
	}
	if (piece)
		list_add_tail(&pieces, &piece->node);
	pthread_mutex_unlock(&lock);
	return piece ? piece->memory : NULL;
}

void dma_free(void *memory)
{
	struct piece *piece = (void *)((char *)memory - page_size());

	pthread_mutex_lock(&lock);
	unmap_piece(piece, NULL);
	list_remove(&piece->node);
	munmap(piece, page_size() + piece->size);
	if (list_is_empty(&pieces))
		cursor = LOW_START;
	pthread_mutex_unlock(&lock);
}

bool dma_contains(const void *addr, size_t size)
{
	uintptr_t start = (uintptr_t)addr;
	struct list_node *node;
	bool found = false;

	pthread_mutex_lock(&lock);
	list_for_each (node, &pieces) {
		struct piece *piece = container_of(node, struct piece, node);
		uintptr_t memory = (uintptr_t)piece->memory;

		found = start >= memory && start - memory < piece->size &&
			size <= piece->size - (start - memory);
		if (found)
			break;
	}
	pthread_mutex_unlock(&lock);
	return found;
}

doca_error_t dma_attach(struct dma_space *space)
{
	doca_error_t err = DOCA_SUCCESS;
	struct list_node *node, *done;

	pthread_mutex_lock(&lock);
	list_for_each (node, &pieces) {
		struct piece *piece = container_of(node, struct piece, node);

		err = space->map(space, piece->memory, piece->size);
		if (err)
			break;
	}
	for (done = pieces.next; err && done != node; done = done->next) {
		struct piece *piece = container_of(done, struct piece, node);

		space->unmap(space, piece->memory, piece->size);
	}
	if (!err)
		list_add_tail(&spaces, &space->node);
	pthread_mutex_unlock(&lock);
	return err;
}

void dma_detach(struct dma_space *space)
{
	struct list_node *node;

	pthread_mutex_lock(&lock);
	list_remove(&space->node);
	list_for_each (node, &pieces) {
		struct piece *piece = container_of(node, struct piece, node);

		space->unmap(space, piece->memory, piece->size);
	}
	pthread_mutex_unlock(&lock);
}
