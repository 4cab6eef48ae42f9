/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A consumer's polls: messages are taken out of its lane, in order.
 */
#include "base/copy.h"
#include "base/yield.h"
#include "comch/consumer_take.h"

/* Messages handled per poll: bounded, so that one busy lane cannot starve the others. */
#define POLL_MAX 64
#define POLL_MIN 8 /* if so many are posted */

/*
 * After so many in a poll there will be more: lines are asked for before they are looked at. But
 * where the data is in the window they are hardly written then, and would be taken away from the
 * producer.
 */
#define STREAM_MIN 2

/* Bytes copied out of shadow memory per poll: no call blocks for long. */
#define COLLECT_MAX (1u << 19)
_Static_assert(POLL_MAX *TAKE_SHORT_MAX <= COLLECT_MAX, "what is not counted is no more");

/*
 * Receiving
 */

/*
 * Is it a message without immediate data whose data is in the line, or in its buffer already? That
 * is the ordinary case.
 */
static inline bool is_plain(uint64_t word, const struct doca_comch_consumer_task_post_recv *task)
{
	return take_is_whole(word, task) &&
	       doca_likely(lane_unpack_head(word).inline_size <= LANE_INLINE);
}

/* Asked once for each message that has come, in order. */
static bool has_come(const void *queue, uint32_t index)
{
	struct doca_comch_consumer *consumer = (struct doca_comch_consumer *)queue;
	const struct lane_consumer *lane = &consumer->fast.lane;

	/* also after a peer has changed what it had written */
	if (index == lane->tail)
		consumer->arrivals = (struct lane_arrivals){lane->line, lane->taken};
	return lane_has_come(lane, &consumer->arrivals);
}

/*
 * A quarter of what is posted would be few lines if messages share them. But a consumer that takes
 * half has nothing left sooner, and then sleeps or lets others run, which costs more.
 */
static inline bool takes_half(const struct lane_consumer *lane)
{
	return lane_has_several(lane->last_word) && !lane->sleeper.asked && !priv_yield_hurry();
}

/*
 * How many messages may be taken in this poll? A quarter of what is posted, if that is not too few,
 * so that the producer fills the rest while the receives of this poll are on their way back to it.
 */
static inline uint32_t poll_max(struct doca_comch_consumer *consumer)
{
	const struct lane_consumer *lane = &consumer->fast.lane;
	uint32_t posted = lane->published - lane->tail;
	uint32_t part = takes_half(lane) ? posted / 2 : posted / 4;
	uint32_t max = part > POLL_MIN ? part : POLL_MIN;

	max = max < posted ? max : posted;
	max = max < POLL_MAX ? max : POLL_MAX;
	if (doca_likely(!consumer->fault))
		return max;
	return priv_fault_count_due(consumer->fault, consumer, lane->tail, has_come, max);
}

/* Messages that were taken are counted, and what is due then happens. */
static void suffer_faults(struct doca_comch_consumer *consumer, uint32_t count)
{
	while (count--)
		priv_fault_count(consumer->fault);
	if (priv_fault_strike(consumer->fault))
		fast_break(consumer->channel);
}

/* Is all of the data in the line, or in its buffer, or can it be copied there in one go? */
static inline bool is_short(struct lane_head head,
			    const struct doca_comch_consumer_task_post_recv *task)
{
	if (head.inline_size == head.size)
		return true;
	return head.inline_size < head.size && (task->direct || head.size <= TAKE_SHORT_MAX);
}

/* Takes a message that has immediate data, or came to shadow memory; 0: not in one go. */
static __attribute__((noinline)) uint32_t
take_short(struct doca_comch_consumer *consumer, struct doca_pe *pe, const struct lane_line *line,
	   uint64_t word, struct doca_comch_consumer_task_post_recv *task)
{
	struct lane_consumer *lane = &consumer->fast.lane;
	struct lane_head head = lane_unpack_head(word);

	if (doca_unlikely(head.imm_size > consumer->imm_max) ||
	    doca_unlikely(!lane_is_inline(head.inline_size, head.imm_size)) ||
	    doca_unlikely(!task->plain_below) || doca_unlikely(head.size > task->room) ||
	    doca_unlikely(!is_short(head, task)) ||
	    doca_unlikely(task->base.state != TASK_SUBMITTED) || doca_unlikely(lane->taken))
		return 0;
	copy_inline(task->addr, line->data + head.imm_size, head.inline_size);
	take_rest(task, head);
	task->imm_size = head.imm_size;
	copy_inline(task->imm, line->data, head.imm_size);
	if (!task->direct && head.inline_size < head.size)
		priv_window_collect(consumer->window, task->addr + head.inline_size,
				    head.size - head.inline_size, head.size);
	lane->tail++;
	lane->line++;
	take_tell(consumer, pe, task);
	return 1;
}

/* Takes one that is nothing but immediate data, as all of a message queue are. */
static __attribute__((noinline)) uint32_t take_imm(struct doca_comch_consumer *consumer,
						   struct doca_pe *pe, const struct lane_line *line,
						   uint64_t word,
						   struct doca_comch_consumer_task_post_recv *task)
{
	struct lane_consumer *lane = &consumer->fast.lane;
	struct lane_head head = lane_unpack_head(word);

	if (doca_unlikely(head.imm_size > consumer->imm_max) || doca_unlikely(!task->plain_below) ||
	    doca_unlikely(task->base.state != TASK_SUBMITTED) || doca_unlikely(lane->taken))
		return 0;
	task->producer_id = head.producer_id;
	task->imm_size = head.imm_size;
	copy_inline(task->imm, line->data, head.imm_size);
	lane->tail++;
	lane->line++;
	take_tell(consumer, pe, task);
	return 1;
}

/* Takes a message that is alone in its line, if all of it is there or in its buffer; else 0. */
static inline uint32_t take_line(struct doca_comch_consumer *consumer, struct doca_pe *pe,
				 const struct lane_line *line, uint64_t word)
{
	struct lane_consumer *lane = &consumer->fast.lane;
	struct doca_comch_consumer_task_post_recv *task = *consumer_slot(consumer, lane->tail);
	struct lane_head head = lane_unpack_head(word);

	if (doca_unlikely(!is_plain(word, task)))
		return lane_has_data(word) ? take_short(consumer, pe, line, word, task)
					   : take_imm(consumer, pe, line, word, task);
	copy_inline(task->addr, line->data, head.inline_size);
	take_rest(task, head);
	lane->tail++;
	lane->taken = 0;
	lane->line++;
	take_tell(consumer, pe, task);
	return 1;
}

/* Asks for a line of what looks like a stream of messages like the last one. */
static inline void expect_more(const struct lane_consumer *lane, uint64_t last_word)
{
	uint32_t coming = lane_is_wide(last_word) ? 2 * CACHE_LINES_COMING : CACHE_LINES_COMING;

	if (doca_unlikely(lane_unpack_head(last_word).size > LANE_INLINE))
		return;
	lane_expect(lane, lane->line + coming);
	lane_expect_second(lane, lane->line + coming);
}

/* Takes the next message, whatever it is, with the budget; 0: not, or only a piece of it. */
static uint32_t take_next(struct doca_comch_consumer *consumer, struct doca_pe *pe,
			  const struct lane_line *line, uint64_t word, uint32_t *budget)
{
	struct lane_consumer *lane = &consumer->fast.lane;
	struct doca_comch_consumer_task_post_recv *task = *consumer_slot(consumer, lane->tail);
	struct lane_head head = lane_unpack_head(word);
	doca_error_t err = consumer_take(consumer, line, head, task, budget);

	if (err == DOCA_ERROR_AGAIN)
		return 0;
	lane_advance(lane, head);
	task_report(&task->base, err);
	pe_tell_done(pe);
	return 1;
}

/* A poll leaves what has come behind its last message for the next one. */
static void end_at_max(struct lane_consumer *lane)
{
	sleeper_note_work(&lane->sleeper);
	lane->in_stream = true;
	lane->noted = lane->tail;
	lane->noted_line = lane->line;
}

/*
 * Calls back for messages, the first of which is there, or a piece of it was taken already; count
 * messages of this poll have been taken before. A callback may end the lane: then it is `receiving`
 * no more. Returns how many there were, a piece of one also counts.
 */
static __attribute__((noinline)) uint32_t take_messages(struct doca_comch_consumer *consumer,
							uint32_t count)
{
	struct lane_consumer *lane = &consumer->fast.lane;
	struct doca_pe *pe = consumer->ctx.pe; /* a callback may take it off */
	uint32_t first = count, max = count + poll_max(consumer), budget = COLLECT_MAX, taken = 0;
	const uint32_t published = lane->published;
	const struct lane_line *line = lane_incoming(lane, lane->line);
	bool has_piece;

	if (doca_unlikely(count == max))
		return 0;
	do {
		uint64_t word = lane_read_word(line);

		if (doca_likely(lane->in_stream || count >= STREAM_MIN))
			expect_more(lane, word);
		taken = lane_has_several(word) ? consumer_take_several(consumer, pe, max - count)
					       : take_line(consumer, pe, line, word);
		if (doca_unlikely(!taken))
			taken = take_next(consumer, pe, line, word, &budget);
		if (doca_unlikely(!taken))
			break;
		lane->last_word = word;
		count += taken;
	} while (doca_likely(consumer->receiving) && count < max && (line = lane_next(lane)));
	pe->has_told |= count != first;
	if (doca_unlikely(!consumer->receiving))
		return count - first;
	if (count == max && lane->tail != published)
		end_at_max(lane);
	else
		lane->in_stream = gather_is_stream(&lane->gather, count);
	has_piece = !taken && budget < COLLECT_MAX;
	return count - first + has_piece;
}

/* A look at the next line was in vain. */
static inline void note_silence(struct lane_consumer *lane)
{
	lane->in_stream = false;
	gather_note_none(&lane->gather);
	lane_expect_second(lane, lane->line);
}

/*
 * What there was for the last poll is what there will be for the next ones. This is thought about
 * in the next poll: whoever answers a message does so first.
 */
static __attribute__((noinline)) void note_last_poll(struct lane_consumer *lane)
{
	uint32_t count = lane->tail - lane->noted, lines = lane->line - lane->noted_line;
	uint32_t outstanding = lane->published - lane->tail;

	if (lines < count)
		outstanding = outstanding * lines / count;
	sleeper_note_work(&lane->sleeper);
	lane->in_stream = gather_is_stream(&lane->gather, count);
	gather_note(&lane->gather, lines, lane->line, outstanding);
	lane->noted = lane->tail;
	lane->noted_line = lane->line;
}

static inline void note_if_any(struct lane_consumer *lane)
{
	if (lane->noted != lane->tail)
		note_last_poll(lane);
}

/* Holds messages back on purpose. */
static __attribute__((noinline)) uint32_t take_slowly(struct doca_comch_consumer *consumer)
{
	struct lane_consumer *lane = &consumer->fast.lane;
	uint32_t first = lane->tail, count = take_messages(consumer, 0);

	if (consumer->receiving)
		suffer_faults(consumer, lane->tail - first);
	return count;
}

/*
 * Mostly there is one plain message in a line of its own: a question, or an answer. Little stands
 * between its line and the callback, and between the callback and the program. The task of one that
 * was taken in part says that it is not plain.
 */
static inline uint32_t take_quickly(struct doca_comch_consumer *consumer, struct doca_pe *pe,
				    const struct lane_line *line)
{
	struct lane_consumer *lane = &consumer->fast.lane;
	uint64_t word = lane_read_word(line);
	uint32_t count;

	if (doca_unlikely(lane->in_stream))
		expect_more(lane, word);
	count = doca_unlikely(lane_has_several(word)) ? 0 : take_line(consumer, pe, line, word);
	pe->has_told |= count;
	if (doca_unlikely(!consumer->receiving))
		return count;
	if (doca_likely(count))
		lane->last_word = word;
	/* take_messages() reads the word anew. */
	if (doca_unlikely(!count) || doca_unlikely(lane_has_next(lane)))
		count += take_messages(consumer, count);
	return count;
}

/* A callback is left by an exception: what it has posted is for the next poll to make known. */
static inline void let_go(struct doca_comch_consumer *const *left)
{
	if (*left)
		(*left)->receiving = false;
}

static unsigned int receive(struct doca_comch_consumer *consumer)
{
	__attribute__((cleanup(let_go), unused)) struct doca_comch_consumer *left = NULL;
	struct lane_consumer *lane = &consumer->fast.lane;
	struct doca_pe *pe = consumer->ctx.pe; /* a callback may take it off */
	const struct lane_line *line;
	uint32_t count;
	bool told;

	note_if_any(lane);
	if (doca_unlikely(lane->gather.looks))
		while (gather_goes_on(&lane->gather, lane_has_line(lane, lane->gather.index)))
			clock_relax();
	line = lane_incoming(lane, lane->line);
	if (!lane_is_there(lane, line) && doca_likely(!consumer->collected)) {
		note_silence(lane);
		return 0;
	}
	if (doca_unlikely(lane->tail == lane->published)) {
		consumer_distrust(consumer, "a message without a posted receive");
		return 0;
	}
	consumer->receiving = true;
	left = consumer;
	told = pe_tell_done(pe); /* who may end the lane */
	if (doca_unlikely(!consumer->receiving))
		return told;
	if (doca_likely(!consumer->fault))
		count = take_quickly(consumer, pe, line);
	else
		count = told + take_slowly(consumer);
	left = NULL;
	if (doca_unlikely(!consumer->receiving))
		return count;
	consumer->receiving = false;
	if (doca_unlikely(lane->in_stream))
		lane_release_lines(lane);
	consumer_post(consumer, POLL_PIECES);
	return count;
}

/*
 * Polling
 */

/* Messages that are there come first. */
static bool has_message(const struct doca_comch_consumer *consumer)
{
	return !consumer->broken && lane_has_next(&consumer->fast.lane) &&
	       (doca_likely(!consumer->fault) || !consumer->fault->spent);
}

static unsigned int consumer_poll(struct poller *poller)
{
	struct doca_comch_consumer *consumer =
		container_of(poller, struct doca_comch_consumer, poller);
	unsigned int done = doca_unlikely(consumer->broken) ? 0 : receive(consumer);

	/* receive() has posted what could be; and messages come before the end. */
	if (done || doca_unlikely(!consumer->open))
		return done;
	if (doca_unlikely(consumer->stopping || consumer_is_lost(consumer))) {
		/* A callback may have started it again. */
		if (has_message(consumer) || consumer->ctx.state == DOCA_CTX_STATE_STARTING)
			return 0;
		return consumer_end(consumer);
	}
	return doca_unlikely(consumer_has_unpublished(consumer))
		       ? consumer_post(consumer, POLL_PIECES)
		       : 0;
}

static bool consumer_arm(struct poller *poller, bool often)
{
	struct lane_consumer *lane =
		&container_of(poller, struct doca_comch_consumer, poller)->fast.lane;

	note_if_any(lane);
	gather_stop(&lane->gather);
	return sleeper_announce(&lane->sleeper, often);
}

static bool consumer_pending(struct poller *poller)
{
	struct doca_comch_consumer *consumer =
		container_of(poller, struct doca_comch_consumer, poller);

	/* What is held back on purpose heats the poller when it is due. */
	if (has_message(consumer) && poll_max(consumer))
		return true;
	if (consumer_is_lost(consumer))
		return !has_message(consumer);
	if (!consumer->stopping)
		return consumer_has_unpublished(consumer);
	/* While it is counted, a poll has still to see that the peer lets it wait. */
	return consumer->counted || consumer_is_quiet(consumer);
}

static void consumer_disarm(struct poller *poller)
{
	struct doca_comch_consumer *consumer =
		container_of(poller, struct doca_comch_consumer, poller);

	sleeper_revoke(&consumer->fast.lane.sleeper);
}

const struct poller_ops consumer_poller_ops = {
	.poll = consumer_poll,
	.arm = consumer_arm,
	.pending = consumer_pending,
	.disarm = consumer_disarm,
	.polls_memory = true,
};
