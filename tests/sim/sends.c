/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What producers do, and the checks of what they are told.
 */
#include "ends.h"

#include <string.h>

/* the consumer with that id on the other side; NULL: it is gone */
static const struct end *find_consumer(const struct end *producer, uint32_t consumer_id)
{
	const struct cast *cast = producer->cast;
	const struct end *end;

	for (end = cast->ends; end < cast->ends + cast->end_count; end++)
		if (end->ctx && end->is_consumer && end->id == consumer_id &&
		    end->session == producer->session->peer)
			return end;
	return NULL;
}

static struct stream *stream_to(struct end *producer, uint32_t consumer_id)
{
	struct cast *cast = producer->cast;
	const struct end *consumer;
	struct stream *stream;
	struct list_node *node;

	list_for_each (node, &cast->streams) {
		stream = container_of(node, struct stream, node);
		if (stream->session == producer->session && stream->producer_id == producer->id &&
		    stream->consumer_id == consumer_id)
			return stream;
	}
	stream = stream_create(&cast->streams);
	stream->session = producer->session;
	stream->producer_id = producer->id;
	stream->consumer_id = consumer_id;
	consumer = find_consumer(producer, consumer_id);
	stream->is_torn = consumer && consumer->has_withdrawn;
	return stream;
}

static struct doca_comch_producer_task_send *send_of(const struct slot *slot)
{
	return (struct doca_comch_producer_task_send *)(void *)slot->task;
}

/* small ones, ones around the size of a line, one again and again, as batches need it, and any */
static uint32_t roll_size(struct cast *cast, bool has_name)
{
	uint32_t most = (uint32_t)cast->slot_size, size;

	switch (pick(cast, 0, 5)) {
	case 0:
		size = pick(cast, has_name ? 1 : STREAM_KEY_SIZE, 24);
		break;
	case 1:
		size = pick(cast, 8, 9);
		break;
	case 2:
		size = pick(cast, 40, 130);
		break;
	case 3:
		size = most - pick(cast, 0, 2);
		break;
	case 4:
		size = most < 600 ? most : 600;
		break;
	default:
		size = pick(cast, STREAM_KEY_SIZE, most);
	}
	return size;
}

/* mostly none; some sizes again and again, so that messages of them share lines */
static uint32_t roll_imm_size(struct cast *cast)
{
	if (chance(cast, 75))
		return 0;
	return chance(cast, 60) ? 8 : pick(cast, 1, STREAM_IMM_MAX);
}

/* May a submit to that consumer be refused? */
static bool may_refuse(const struct end *producer, uint32_t consumer_id, uint32_t imm_size)
{
	const struct end *consumer = find_consumer(producer, consumer_id);

	return !consumer || consumer->state != DOCA_CTX_STATE_RUNNING ||
	       imm_size > consumer->imm_max || !session_is_whole(producer->session);
}

/* of a consumer, with the one that runs; 0: none does */
static uint32_t count_starts(const struct end *producer, uint32_t consumer_id)
{
	const struct end *consumer = find_consumer(producer, consumer_id);

	return consumer && consumer->state == DOCA_CTX_STATE_RUNNING ? consumer->starts : 0;
}

/* May a send fail so? Not without a reason, to a consumer that has been running all the time. */
static bool may_fail(const struct slot *slot, doca_error_t status)
{
	const struct end *end = slot->end;
	uint32_t id = slot->stream->consumer_id;

	if (!session_is_whole(end->session) || !slot->consumer_starts ||
	    slot->consumer_starts != count_starts(end, id))
		return true;
	if (status == DOCA_ERROR_INVALID_VALUE)
		return find_consumer(end, id)->posts_less;
	return status == DOCA_ERROR_IO_FAILED && end->state == DOCA_CTX_STATE_STOPPING;
}

/* Fills a slot whose task is about to be submitted, and submits it. */
static void submit_send(struct slot *slot, struct stream *stream, uint32_t size, uint32_t imm_size)
{
	struct end *end = slot->end;
	uint32_t flags = chance(end->cast, 60) ? DOCA_TASK_SUBMIT_FLAG_FLUSH : 0;
	uint8_t imm[STREAM_IMM_MAX];
	struct party *before;
	doca_error_t err;

	slot->stream = stream;
	slot->consumer_starts = count_starts(end, stream->consumer_id);
	slot->place = stream_add(stream, size, imm_size, slot->bytes + slot->offset, imm);
	doca_comch_producer_task_send_set_imm_data(send_of(slot), imm_size ? imm : NULL, imm_size);
	before = end_enter(end);
	err = doca_task_submit_ex(slot->task, flags);
	priv_party_switch(before);
	if (err) {
		must(err == DOCA_ERROR_INVALID_VALUE);
		must(may_refuse(end, stream->consumer_id, imm_size));
		ends_tally.refused++;
		stream_drop_last(stream);
		slot_free_task(slot);
		return;
	}
	slot->is_out = true;
	ends_tally.sends++;
}

static bool hears_of_consumers(const struct end *producer)
{
	return !producer->session->over && producer->session->heard_count;
}

/* Takes a task and sends so much; false: there is none left, or it is refused. */
static bool send_to(struct end *end, struct stream *stream, uint32_t size, uint32_t imm_size)
{
	struct doca_comch_producer_task_send *task;
	struct slot *slot = slot_find_free(end);

	if (!slot)
		return false;
	slot->offset = pick(end->cast, 0, MARGIN);
	if (size)
		must(!doca_buf_inventory_buf_get_by_data(
			end->inventory, end->mmap, slot->bytes + slot->offset, size, &slot->buf));
	must(!doca_comch_producer_task_send_alloc_init(end->producer, slot->buf,
						       imm_size ? slot->bytes : NULL, imm_size,
						       stream->consumer_id, &task));
	slot->task = doca_comch_producer_task_send_as_task(task);
	doca_task_set_user_data(slot->task, (union doca_data){.ptr = slot});
	submit_send(slot, stream, size, imm_size);
	return slot->is_out;
}

/* Or some that are alike, and may share lines. */
void send_one(struct end *end)
{
	struct cast *cast = end->cast;
	uint32_t size, imm_size, id, count;
	struct stream *stream;

	if (!hears_of_consumers(end))
		return;
	id = end->session->heard[pick(cast, 0, end->session->heard_count - 1)];
	stream = stream_to(end, id);
	imm_size = roll_imm_size(cast);
	size = imm_size && stream->is_named && chance(cast, 60) ? 0
								: roll_size(cast, stream->is_named);
	count = chance(cast, 20) ? pick(cast, 2, 8) : 1;
	while (count-- && send_to(end, stream, size, imm_size))
		;
}

static void sent(struct doca_comch_producer_task_send *task, union doca_data task_data,
		 union doca_data ctx_data)
{
	struct slot *slot = task_data.ptr;
	struct end *end = ctx_data.ptr;
	doca_error_t status = doca_task_get_status(doca_comch_producer_task_send_as_task(task));

	must(slot->end == end && slot->is_out && send_of(slot) == task);
	slot->is_out = false;
	must(!status || status == DOCA_ERROR_CONNECTION_RESET || status == DOCA_ERROR_IO_FAILED ||
	     status == DOCA_ERROR_INVALID_VALUE);
	must(!status || may_fail(slot, status));
	stream_tell(slot->stream, slot->place, status ? PLACE_FAILED : PLACE_SENT);
	ends_tally.failed_sends += status != DOCA_SUCCESS;
	if (end->state == DOCA_CTX_STATE_RUNNING && slot->buf && !end->cast->calm &&
	    hears_of_consumers(end) && slot->stream->is_named && chance(end->cast, 30)) {
		size_t size;

		must(!doca_buf_get_data_len(slot->buf, &size));
		submit_send(slot, slot->stream, (uint32_t)size, 0);
	} else if (slot_is_held(slot)) {
		return;
	}
	end_act_inside(end);
}

void send_configure(struct end *producer, uint32_t count)
{
	must(!doca_comch_producer_task_send_set_conf(producer->producer, sent, sent, count));
	must(!doca_comch_producer_get_id(producer->producer, &producer->id));
}
