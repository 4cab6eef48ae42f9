/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Pieces of memory and the address spaces that see them. A page in front of each piece remembers
 * it; pages that nobody touches and no device sees cost nothing.
 */
#include "nvme/dma.h"

#include <pthread.h>
#include <stdint.h>
#include <sys/mman.h>
#include "nvme/spec.h"

/* An Intel IOMMU may have 39 bits of address; the kernel keeps programs off this part. */
#define LOW_START (1ull << 36)
#define LOW_END	  (1ull << 38)

struct piece {
	struct list_node node;
	size_t size;
	uint8_t pad[NVME_PAGE_SIZE - sizeof(struct list_node) - sizeof(size_t)];
};
static_assert(sizeof(struct piece) == NVME_PAGE_SIZE, "what follows starts on a page");

/* protects everything below; held while spaces are called, which call nobody */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct list_node pieces = {&pieces, &pieces};
static struct list_node spaces = {&spaces, &spaces};
static uint64_t cursor = LOW_START;

static void *memory_of(struct piece *piece)
{
	return piece + 1;
}

static size_t round_up(size_t size)
{
	return (size + NVME_PAGE_SIZE - 1) & ~(size_t)(NVME_PAGE_SIZE - 1);
}

/* until the given space, which is not asked; NULL: all */
static void unmap_piece(struct piece *piece, const struct list_node *end)
{
	struct list_node *node;

	for (node = spaces.next; node != &spaces && node != end; node = node->next) {
		struct dma_space *space = container_of(node, struct dma_space, node);

		space->unmap(space, memory_of(piece), piece->size);
	}
}

static bool map_piece(struct piece *piece)
{
	struct list_node *node;

	list_for_each (node, &spaces) {
		struct dma_space *space = container_of(node, struct dma_space, node);

		if (space->map(space, memory_of(piece), piece->size)) {
			unmap_piece(piece, node);
			return false;
		}
	}
	return true;
}

static struct piece *new_piece(size_t size)
{
	size_t all = size + sizeof(struct piece);
	struct piece *piece;

	if (cursor + all > LOW_END)
		cursor = LOW_START;
	/* a wish: where something is already the kernel chooses */
	piece = mmap((void *)(uintptr_t)cursor, all, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (piece == MAP_FAILED)
		return NULL;
	cursor += all;
	piece->size = size;
	return piece;
}

void *dma_alloc(size_t size)
{
	struct piece *piece;

	pthread_mutex_lock(&lock);
	piece = new_piece(round_up(size));
	if (piece && !map_piece(piece)) {
		munmap(piece, piece->size + sizeof(*piece));
		piece = NULL;
	}
	if (piece)
		list_add_tail(&pieces, &piece->node);
	pthread_mutex_unlock(&lock);
	return piece ? memory_of(piece) : NULL;
}

void dma_free(void *memory)
{
	struct piece *piece = (struct piece *)memory - 1;

	pthread_mutex_lock(&lock);
	unmap_piece(piece, NULL);
	list_remove(&piece->node);
	munmap(piece, piece->size + sizeof(*piece));
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
		uintptr_t memory = (uintptr_t)memory_of(piece);

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

		err = space->map(space, memory_of(piece), piece->size);
		if (err)
			break;
	}
	for (done = pieces.next; err && done != node; done = done->next) {
		struct piece *piece = container_of(done, struct piece, node);

		space->unmap(space, memory_of(piece), piece->size);
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

		space->unmap(space, memory_of(piece), piece->size);
	}
	pthread_mutex_unlock(&lock);
}
