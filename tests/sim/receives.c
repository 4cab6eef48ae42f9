/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What consumers do, and the checks of what they are told.
 */
#include "ends.h"

#include <string.h>
#include "comch/producer.h"

static bool leads_to(const struct stream *stream, const struct end *consumer)
{
	return stream->session->peer == consumer->session && stream->consumer_id == consumer->id;
}

void receive_tear_streams(const struct end *consumer)
{
	struct list_node *node;

	list_for_each (node, &consumer->cast->streams) {
		struct stream *stream = container_of(node, struct stream, node);

		if (leads_to(stream, consumer))
			stream->is_torn = true;
	}
}

void receive_check_streams(const struct end *consumer)
{
	const struct session *session = consumer->session;
	struct list_node *node;

	if (session->is_broken || session->actor->faults.drop_after)
		return;
	/* When the connection is lost, nobody waits for a copy that has begun, and what is behind.
	 */
	if (!session_is_whole(session) && consumer->cast->slot_size > PRODUCER_SUBMIT_MAX)
		return;
	list_for_each (node, &consumer->cast->streams) {
		const struct stream *stream = container_of(node, struct stream, node);
		const char *fault = leads_to(stream, consumer) ? stream_check_sent(stream) : NULL;

		if (fault)
			world_fail(fault, __FILE__, __LINE__);
	}
}

/* A message too short for a key is one of the streams that are known to lead here. */
static struct stream *stream_from(const struct end *consumer, uint32_t producer_id,
				  const uint8_t *data, size_t size)
{
	struct list_node *node;

	if (size >= STREAM_KEY_SIZE)
		return stream_find(&consumer->cast->streams, data);
	list_for_each (node, &consumer->cast->streams) {
		struct stream *stream = container_of(node, struct stream, node);

		if (stream->has_come && stream->producer_id == producer_id &&
		    leads_to(stream, consumer))
			return stream;
	}
	return NULL;
}

static struct doca_comch_consumer_task_post_recv *receive_of(const struct slot *slot)
{
	return (struct doca_comch_consumer_task_post_recv *)(void *)slot->task;
}

/* A buffer somewhere in the slot; its room is what is left of the slot, or less. */
static void aim_receive(struct slot *slot)
{
	struct end *end = slot->end;
	struct cast *cast = end->cast;
	uint32_t most = (uint32_t)end->slot_size - 2 * MARGIN;
	struct doca_buf *old = slot->buf;

	slot_blank(slot);
	slot->offset = MARGIN;
	slot->room = most;
	if (!end->posts_all && chance(cast, 50)) {
		slot->offset += pick(cast, 0, MARGIN);
		slot->room -= slot->offset - MARGIN;
		if (chance(cast, 30))
			slot->room = pick(cast, 1, slot->room);
	}
	end->posts_less |= slot->room < most;
	if (old)
		must(!doca_buf_inventory_buf_reuse_by_addr(old, slot->bytes + slot->offset,
							   slot->room));
	else
		must(!doca_buf_inventory_buf_get_by_addr(end->inventory, end->mmap,
							 slot->bytes + slot->offset, slot->room,
							 &slot->buf));
}

static void submit_receive(struct slot *slot)
{
	struct end *end = slot->end;
	struct party *before = end_enter(end);
	uint32_t flags = chance(end->cast, 70) ? DOCA_TASK_SUBMIT_FLAG_FLUSH : 0;
	doca_error_t err = doca_task_submit_ex(slot->task, flags);

	priv_party_switch(before);
	must(!err);
	slot->is_out = true;
	slot->number = end->posts++;
	ends_tally.posts++;
}

void receive_post(struct end *end)
{
	struct doca_comch_consumer_task_post_recv *task;
	struct slot *slot = slot_find_free(end);

	if (!slot)
		return;
	if (end->imm_max && !end->posts_all && chance(end->cast, 5)) {
		slot->room = 0;
		end->posts_less = true;
	} else {
		aim_receive(slot);
	}
	must(!doca_comch_consumer_task_post_recv_alloc_init(end->consumer, slot->buf, &task));
	slot->task = doca_comch_consumer_task_post_recv_as_task(task);
	doca_task_set_user_data(slot->task, (union doca_data){.ptr = slot});
	submit_receive(slot);
}

static void check_message(struct slot *slot)
{
	const uint8_t *imm = doca_comch_consumer_task_post_recv_get_imm_data(receive_of(slot));
	uint32_t imm_size = doca_comch_consumer_task_post_recv_get_imm_data_len(receive_of(slot));
	uint32_t producer_id = doca_comch_consumer_task_post_recv_get_producer_id(receive_of(slot));
	const uint8_t *data = slot->bytes + slot->offset;
	struct end *end = slot->end;
	struct stream *stream;
	const char *fault;
	size_t size = 0;

	if (slot->buf)
		must(!doca_buf_get_data_len(slot->buf, &size));
	must(size <= slot->room && !imm == !imm_size && (size || imm));
	stream = stream_from(end, producer_id, data, size);
	must(stream || size < STREAM_KEY_SIZE);
	if (!stream)
		return; /* the messages before may have gone to a receive that was freed */
	must(stream->producer_id == producer_id && leads_to(stream, end));
	stream->has_come = true;
	fault = stream_receive(stream, data, (uint32_t)size, imm, imm_size);
	if (fault)
		world_fail(fault, __FILE__, __LINE__);
	if (slot->buf)
		slot_check_margins(slot, (uint32_t)size);
	ends_tally.messages++;
}

/* Receives are told of in their order. */
static bool is_next(const struct slot *slot)
{
	const struct slot *other;

	for (other = slot->end->slots; other < slot->end->slots + SLOTS_MAX; other++)
		if (other->is_out && other->number < slot->number)
			return false;
	return true;
}

/* Nothing was written for a receive that no message answers. */
static void check_failed(const struct slot *slot, doca_error_t status)
{
	const struct end *end = slot->end;

	must(status == DOCA_ERROR_IO_FAILED && end->state == DOCA_CTX_STATE_STOPPING);
	if (slot->buf && session_is_whole(end->session))
		slot_check_margins(slot, 0);
}

static void received(struct doca_comch_consumer_task_post_recv *task, union doca_data task_data,
		     union doca_data ctx_data)
{
	struct slot *slot = task_data.ptr;
	struct end *end = ctx_data.ptr;
	doca_error_t status =
		doca_task_get_status(doca_comch_consumer_task_post_recv_as_task(task));

	must(slot->end == end && slot->is_out && receive_of(slot) == task && is_next(slot));
	slot->is_out = false;
	if (!status)
		check_message(slot);
	else
		check_failed(slot, status);
	ends_tally.failed_receives += status != DOCA_SUCCESS;
	if (end->state == DOCA_CTX_STATE_RUNNING && slot->buf && chance(end->cast, 60)) {
		aim_receive(slot);
		submit_receive(slot);
	} else if (slot_is_held(slot)) {
		return;
	}
	end_act_inside(end);
}

void receive_withdraw(struct end *end)
{
	struct slot *slot = &end->slots[pick(end->cast, 0, SLOTS_MAX - 1)];

	if (!end->is_consumer || !slot->is_out)
		return;
	receive_tear_streams(end);
	end->has_withdrawn = true;
	slot_free_task(slot);
	slot->is_spent = true;
	ends_tally.withdrawn++;
}

void receive_configure(struct end *consumer, uint32_t count)
{
	must(!doca_comch_consumer_task_post_recv_set_conf(consumer->consumer, received, received,
							  count));
	consumer->imm_max = chance(consumer->cast, 50) ? STREAM_IMM_MAX : 0;
	must(!doca_comch_consumer_set_imm_data_len(consumer->consumer, consumer->imm_max));
	must(!doca_comch_consumer_get_id(consumer->consumer, &consumer->id));
}
