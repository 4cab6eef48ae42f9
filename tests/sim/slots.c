/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The memory of consumers and producers, and the tasks that use it.
 */
#include "ends.h"

#include <string.h>
#include <sys/mman.h>

#define BLANK 0xa5

void slots_open(struct end *end)
{
	unsigned int i;

	end->slot_size = end->cast->slot_size + 2 * MARGIN;
	end->memory_size = SLOTS_MAX * end->slot_size + 8192;
	end->memory = mmap(NULL, end->memory_size, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	must(end->memory != MAP_FAILED);
	must(!doca_mmap_create(&end->mmap));
	must(!doca_mmap_set_memrange(end->mmap, end->memory + pick(end->cast, 0, 4095),
				     SLOTS_MAX * end->slot_size + 4096));
	must(!doca_mmap_set_permissions(end->mmap, DOCA_ACCESS_FLAG_PCI_READ_WRITE));
	must(!doca_mmap_start(end->mmap));
	must(!doca_buf_inventory_create(SLOTS_MAX, &end->inventory));
	must(!doca_buf_inventory_start(end->inventory));
	for (i = 0; i < SLOTS_MAX; i++)
		end->slots[i] =
			(struct slot){.end = end, .bytes = end->memory + 4096 + i * end->slot_size};
}

void slots_close(struct end *end)
{
	must(!doca_buf_inventory_destroy(end->inventory));
	must(!doca_mmap_destroy(end->mmap));
	must(!munmap(end->memory, end->memory_size));
}

void slots_restart(struct end *end)
{
	unsigned int i;

	for (i = 0; i < SLOTS_MAX; i++)
		if (end->slots[i].buf)
			return;
	must(!doca_mmap_stop(end->mmap));
	must(!doca_mmap_start(end->mmap));
}

static void slot_clear(struct slot *slot)
{
	if (slot->buf)
		must(!doca_buf_dec_refcount(slot->buf, NULL));
	slot->buf = NULL;
	slot->stream = NULL;
}

void slot_blank(struct slot *slot)
{
	memset(slot->bytes, BLANK, slot->end->slot_size);
}

/* Slots are large: not byte by byte. */
static bool is_blank(const uint8_t *bytes, size_t size)
{
	return !size || (bytes[0] == BLANK && !memcmp(bytes, bytes + 1, size - 1));
}

void slot_check_margins(const struct slot *slot, uint32_t size)
{
	size_t end = (size_t)slot->offset + size;

	must(end <= slot->end->slot_size);
	must(is_blank(slot->bytes, slot->offset));
	must(is_blank(slot->bytes + end, slot->end->slot_size - end));
}

struct slot *slot_find_free(struct end *end)
{
	unsigned int first = pick(end->cast, 0, SLOTS_MAX - 1), i;

	for (i = 0; i < SLOTS_MAX; i++) {
		struct slot *slot = &end->slots[(first + i) % SLOTS_MAX];

		if (!slot->task && !slot->is_spent)
			return slot;
	}
	return NULL;
}

void slot_free_task(struct slot *slot)
{
	struct doca_task *task = slot->task;

	slot->task = NULL;
	slot->is_out = false;
	slot_clear(slot);
	doca_task_free(task);
}

bool slot_is_held(struct slot *slot)
{
	struct end *end = slot->end;

	if (!end->cast->calm && chance(end->cast, end->actor->holds))
		return true;
	slot_free_task(slot);
	return false;
}
