/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Ranges that transfers are in.
 */
#include "nvme/vctrl_ranges.h"

/* log2 of the size up to which transfers are looked for near where they start */
#define REGION_SHIFT 17u
#define WIDE	     VCTRL_RANGES_BUCKETS

void vctrl_ranges_init(struct vctrl_ranges *ranges)
{
	pthread_mutexattr_t attr;
	unsigned int i;

	/* the holder is soon done, unless it has lost its processor */
	pthread_mutexattr_init(&attr);
	pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_ADAPTIVE_NP);
	pthread_mutex_init(&ranges->lock, &attr);
	pthread_mutexattr_destroy(&attr);
	ranges->tickets = 0;
	for (i = 0; i <= WIDE; i++) {
		list_init(&ranges->reads[i]);
		list_init(&ranges->writes[i]);
	}
}

void vctrl_ranges_fini(struct vctrl_ranges *ranges)
{
	pthread_mutex_destroy(&ranges->lock);
}

static unsigned int bucket(uint64_t region)
{
	return region % VCTRL_RANGES_BUCKETS;
}

static bool is_wide(const struct vctrl_io *io)
{
	return io->size > 1u << REGION_SHIFT;
}

static bool overlaps_earlier(const struct list_node *list, const struct vctrl_io *io)
{
	struct list_node *node;

	list_for_each (node, list) {
		const struct vctrl_io *other = container_of(node, struct vctrl_io, range);

		if (other->ticket >= io->ticket) /* they are in the order of their tickets */
			return false;
		if (other->offset < io->offset + io->size &&
		    io->offset < other->offset + other->size)
			return true;
	}
	return false;
}

/* reads do not disturb each other */
static bool is_taken(const struct vctrl_ranges *ranges, unsigned int at, const struct vctrl_io *io)
{
	return overlaps_earlier(&ranges->writes[at], io) ||
	       (io->op != VCTRL_READ && overlaps_earlier(&ranges->reads[at], io));
}

static bool is_free(const struct vctrl_ranges *ranges, const struct vctrl_io *io)
{
	uint64_t region = io->offset >> REGION_SHIFT;
	unsigned int i;

	if (is_taken(ranges, WIDE, io))
		return false;
	if (!is_wide(io)) /* those that start in the region before may reach into this one */
		return !is_taken(ranges, bucket(region), io) &&
		       !is_taken(ranges, bucket(region - 1), io) &&
		       !is_taken(ranges, bucket(region + 1), io);
	for (i = 0; i < VCTRL_RANGES_BUCKETS; i++)
		if (is_taken(ranges, i, io))
			return false;
	return true;
}

bool vctrl_range_enter(struct vctrl_ranges *ranges, struct vctrl_io *io)
{
	struct list_node *lists = io->op == VCTRL_READ ? ranges->reads : ranges->writes;
	unsigned int at = is_wide(io) ? WIDE : bucket(io->offset >> REGION_SHIFT);
	bool free;

	pthread_mutex_lock(&ranges->lock);
	io->ticket = ranges->tickets++;
	list_add_tail(&lists[at], &io->range);
	free = is_free(ranges, io);
	pthread_mutex_unlock(&ranges->lock);
	return free;
}

bool vctrl_range_is_free(struct vctrl_ranges *ranges, const struct vctrl_io *io)
{
	bool free;

	pthread_mutex_lock(&ranges->lock);
	free = is_free(ranges, io);
	pthread_mutex_unlock(&ranges->lock);
	return free;
}

void vctrl_range_leave(struct vctrl_ranges *ranges, struct vctrl_io *io)
{
	pthread_mutex_lock(&ranges->lock);
	list_remove(&io->range);
	pthread_mutex_unlock(&ranges->lock);
}
