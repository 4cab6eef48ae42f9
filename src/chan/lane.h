/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A lane leads from the producers of one process to one consumer of another: the fast path. The
 * consumer owns its memory: a ring of posts, and a ring of lines that answer them. In post i it
 * writes where in its window there is how much room; `posted` counts them. Message i answers post
 * i. A producer writes it into the next line, whose sequence number is the only thing that the
 * consumer polls. A line is two cache lines, the second of which is used only by messages of more
 * than LANE_NARROW bytes. Of those that wait for each other, several may share the first: a run of
 * short ones with as much data, and as much immediate data, or a batch of longer ones with as much
 * data, all of which is in the window.
 *
 * Data of up to LANE_INLINE bytes is in the line. Of more, the beginning may be: what lies before a
 * cache line's boundary in the window. The rest was written into the window before the line was
 * published. So a program that looks at the beginning of a message waits for nothing but the line.
 *
 * Many messages can be under way at a time: in a stream of them the producer asks for its lines
 * early, and the consumer takes those of a bundle out of the producer's cache (base/cache.h). There
 * are twice as many posts as lines, so that the one that is written, when all receives are posted,
 * and the one that is read next do not share a cache line.
 *
 * A producer claims the next posts, writes the data, publishes the line. `started` counts the
 * claims, so that a consumer that stops knows when nobody writes any more: it sets `closed`, makes
 * that known with a heavy barrier (barrier.h), and waits until every claim has its line. A producer
 * that claims after that finds `closed` and takes the claim back.
 *
 * Neither side trusts the other; what is read from shared memory is read once and checked.
 *
 * Long because its two ends are to be read side by side.
 */
#ifndef SOFTFIELD_CHAN_LANE_H
#define SOFTFIELD_CHAN_LANE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include "base/bell.h"
#include "base/cache.h"
#include "base/copy.h"
#include "base/gather.h"
#include "base/read_once.h"
#include "base/sleeper.h"
#include "doca_common_defines.h"
#include "link/link.h"

#define LANE_INLINE    COPY_INLINE
#define LANE_NARROW    COPY_NARROW
#define LANE_SHARE     (LANE_NARROW / 2) /* two messages of so many bytes may share a line */
#define LANE_BATCH     16u		 /* so many messages, at most, are in a batch, */
#define LANE_BATCH_MAX 2048u		 /* of so many bytes each, at most */
#define LANE_IMM_MAX   96u		 /* with any setting of the limits */
#define LANE_LINES_MIN 16u
#define LANE_LINES_MAX (1u << 17)
#define LANE_MAGIC     0x53464c39u /* layout 9 */
/* in place of the size of immediate data: lane_has_failed() */
#define LANE_FAILED UINT8_MAX

/* What a line says of its message. */
struct lane_head {
	uint32_t size; /* of a message's data, without the immediate data */
	uint16_t producer_id;
	uint8_t imm_size; /* data[] starts with so much immediate data; */
	/* so much follows it: data, of a longer message the rest of which is in the window; behind
	 * that of a shorter one the next ones, each with its immediate data first, are a run; more
	 * than LANE_INLINE: nothing follows, and there is a batch of so many more than that */
	uint8_t inline_size;
};

static inline uint64_t lane_pack_head(struct lane_head head)
{
	return head.size | (uint64_t)head.producer_id << 32 | (uint64_t)head.imm_size << 48 |
	       (uint64_t)head.inline_size << 56;
}

static inline struct lane_head lane_unpack_head(uint64_t word)
{
	return (struct lane_head){.size = (uint32_t)word,
				  .producer_id = (uint16_t)(word >> 32),
				  .imm_size = (uint8_t)(word >> 48),
				  .inline_size = (uint8_t)(word >> 56)};
}

/* the size of a message that has no immediate data; with some: more than any size */
static inline uint64_t lane_plain_size(uint64_t word)
{
	return word & ((uint64_t)UINT8_MAX << 48 | UINT32_MAX);
}

/* Is there more than immediate data? */
static inline bool lane_has_data(uint64_t word)
{
	return word & ((uint64_t)UINT8_MAX << 56 | UINT32_MAX);
}

/* Was the message claimed, and could not be written? */
static inline bool lane_has_failed(struct lane_head head)
{
	return head.imm_size == LANE_FAILED && !head.inline_size;
}

/* How many messages does the line of a batch tell of? 0: it is none */
static inline uint32_t lane_batch_count(struct lane_head head)
{
	return head.inline_size > LANE_INLINE ? head.inline_size - LANE_INLINE : 0;
}

/* Do several messages share the line: a run, or a batch? */
static inline bool lane_has_several(uint64_t word)
{
	struct lane_head head = lane_unpack_head(word);

	return head.inline_size > head.size || head.inline_size > LANE_INLINE;
}

/* Is the message in both cache lines of its line? */
static inline bool lane_is_wide(uint64_t word)
{
	struct lane_head head = lane_unpack_head(word);

	return head.imm_size + head.inline_size > (int)LANE_NARROW && !lane_batch_count(head);
}

/* Is all of the data in the line? */
static inline bool lane_is_inline(uint32_t size, uint32_t imm_size)
{
	return (uint64_t)size + imm_size <= LANE_INLINE;
}

/* Messages of so many bytes, immediate data included. */
static inline bool lane_can_share(size_t size)
{
	return size <= LANE_SHARE;
}

/* How much of data that is not is in the line, when the whole belongs at that place. */
static inline uint32_t lane_begin_size(const void *target, uint32_t imm_size)
{
	uint32_t room = LANE_INLINE - imm_size;
	uint32_t beyond = (uint32_t)(((uintptr_t)target + room) % 64);

	return beyond < room ? room - beyond : 0; /* nothing, if no boundary is near enough */
}

struct lane_line {
	_Alignas(128) uint64_t word; /* lane_pack_head() */
	_Atomic uint32_t seq;	     /* the line's index + 1; the producer's last store */
	uint32_t unused;
	uint8_t data[LANE_INLINE];
};
_Static_assert(sizeof(struct lane_line) == 128 &&
		       offsetof(struct lane_line, data[LANE_NARROW]) == 64,
	       "a message is one cache line, or two neighbouring ones");

/* Where in the consumer's window there is room for a message. */
struct lane_post {
	uint64_t offset; /* of the first free byte */
	uint32_t room;
	uint32_t unused;
};
_Static_assert(sizeof(struct lane_post) == 16, "no gaps");

/* How the consumer's window works so far, for people. */
struct lane_use {
	_Atomic uint64_t in_place, copied; /* bytes */
	_Atomic uint32_t why;		   /* enum takeover */
};

struct lane_shared {
	uint32_t magic;
	uint32_t line_count; /* a power of two */
	uint32_t imm_max;
	struct lane_use use; /* the consumer's, written and read rarely */
	/* Consumer writes; producers read when they have used up what they knew of. */
	_Alignas(128) _Atomic uint32_t posted;
	_Atomic uint32_t in_stream; /* messages follow each other */
	/* The consumer sleeps for messages. */
	_Alignas(128) struct sleeper_shared consumer;
	_Atomic uint32_t closed; /* consumer sets, once */
	/* Producers sleep for posts. */
	_Alignas(128) struct sleeper_shared producers;
	/* Producers write; read when the consumer stops. */
	_Alignas(128) _Atomic uint32_t started;
	/* Producers write. Behind them is the ring of posts, which the consumer writes. */
	struct lane_line lines[];
};

static inline struct lane_post *lane_posts(struct lane_shared *shared, uint32_t line_count)
{
	return (struct lane_post *)&shared->lines[line_count];
}

/*
 * Consumer's end
 */

struct lane_consumer {
	struct lane_shared *shared;
	struct lane_line *lines;
	struct lane_post *posts;
	uint32_t mask, post_mask;
	uint32_t filled;     /* posts written */
	uint32_t published;  /* posts that producers know of */
	uint32_t tail;	     /* messages taken */
	uint32_t line;	     /* lines taken to their end, and */
	uint32_t taken;	     /* of the next one so many bytes of a run, or messages of a batch */
	uint32_t noted;	     /* so many messages and */
	uint32_t noted_line; /* lines gather knows of */
	uint32_t released;   /* lines taken before the last publish: maybe the producers' again */
	uint64_t last_word;  /* of the last message */
	bool in_stream;	     /* it was one of many */
	bool said_stream;    /* so the producers know */
	struct gather gather;
	struct sleeper sleeper;
	struct link_mem *mem;
};

/* NO_MEMORY, FULL */
doca_error_t lane_consumer_init(struct lane_consumer *lane, uint32_t depth, uint32_t imm_max);
void lane_consumer_fini(struct lane_consumer *lane);
/*
 * No more claims after this; lane_count_claims() tells when the last one is done. True when a
 * producer waits for a post and must be woken.
 */
bool lane_consumer_close(struct lane_consumer *lane);

/*
 * Writes the next post, number `index`; the caller keeps the count, which is `filled`. Receives
 * that are posted again in their order come to the same places again and again: their posts need
 * not be written, and stay in the producer's cache.
 */
static inline void lane_post_fill(struct lane_consumer *lane, uint32_t index, uint64_t offset,
				  uint32_t room)
{
	struct lane_post *post = &lane->posts[index & lane->post_mask];

	if (doca_likely(post->offset == offset && post->room == room))
		return;
	post->offset = offset;
	post->room = room;
}

/*
 * Tells the producers, who have attached, of all filled posts. True, once, when one of them waits
 * and must be woken.
 */
static inline bool lane_post_publish(struct lane_consumer *lane)
{
	struct lane_shared *shared = lane->shared;

	lane->published = lane->filled;
	lane->released = lane->line;
	if (doca_unlikely(lane->in_stream != lane->said_stream)) {
		lane->said_stream = lane->in_stream;
		/* Relaxed: a hint. */
		atomic_store_explicit(&shared->in_stream, lane->in_stream, memory_order_relaxed);
	}
	/* Release: pairs with the acquire in lane_refresh(); publishes the posts. */
	atomic_store_explicit(&shared->posted, lane->filled, memory_order_release);
	return sleeper_wants_wake(&shared->producers);
}

static inline bool lane_is_written(const struct lane_line *line, uint32_t index)
{
	/* Acquire: pairs with the release in lane_write(); line and data are there. */
	return atomic_load_explicit(&line->seq, memory_order_acquire) == index + 1;
}

/* of a message; the peer may change it any time: whoever needs it twice keeps it */
static inline uint64_t lane_read_word(const struct lane_line *line)
{
	return read_once(line->word);
}

/* where line `index` comes in */
static inline const struct lane_line *lane_incoming(const struct lane_consumer *lane,
						    uint32_t index)
{
	return &lane->lines[index & lane->mask];
}

static inline bool lane_has_line(const struct lane_consumer *lane, uint32_t index)
{
	return lane_is_written(lane_incoming(lane, index), index);
}

/*
 * The next line is like the last one: if that was in both cache lines of its line, asks for the
 * second one, too, which then comes together with the first.
 */
static inline void lane_expect_second(const struct lane_consumer *lane, uint32_t index)
{
	if (doca_unlikely(lane_is_wide(lane->last_word)))
		cache_prefetch_read(&lane_incoming(lane, index)->data[LANE_NARROW]);
}

/*
 * Asks for the first cache line of a line of what looks like a stream, before it is looked at; and
 * for writing, since lane_release_lines() will take it out of the producer's cache in any case.
 */
static inline void lane_expect(const struct lane_consumer *lane, uint32_t index)
{
	cache_prefetch_write(lane_incoming(lane, index));
}

/*
 * Takes the lines that were read since the last publish out of the producer's cache (base/cache.h).
 * Those before may be the producer's again.
 */
static inline void lane_release_lines(struct lane_consumer *lane)
{
	bool is_wide = lane_is_wide(lane->last_word);

	for (; lane->released != lane->line; lane->released++) {
		struct lane_line *line = &lane->lines[lane->released & lane->mask];

		line->word = 0;
		if (is_wide)
			line->data[LANE_NARROW] = 0;
	}
}

/* Has the next message come, whose line that is? */
static inline bool lane_is_there(const struct lane_consumer *lane, const struct lane_line *line)
{
	return lane->taken || lane_is_written(line, lane->line);
}

/* The line of the next message; NULL: none has come. */
static inline const struct lane_line *lane_next(const struct lane_consumer *lane)
{
	const struct lane_line *line = lane_incoming(lane, lane->line);

	return lane_is_there(lane, line) ? line : NULL;
}

static inline bool lane_has_next(const struct lane_consumer *lane)
{
	return lane_next(lane) != NULL;
}

/* How many bytes are left in the line of the next message, which has that head? */
static inline uint32_t lane_count_left(const struct lane_consumer *lane, struct lane_head head)
{
	uint32_t size = lane_batch_count(head) ? 0 : head.imm_size + (uint32_t)head.inline_size;

	return size > lane->taken ? size - lane->taken : 0;
}

/* How many messages are left in its batch? 0: there is none, or none is left */
static inline uint32_t lane_batch_left(const struct lane_consumer *lane, struct lane_head head)
{
	uint32_t count = lane_batch_count(head);

	return count > lane->taken ? count - lane->taken : 0;
}

/* How much immediate data has the next message, which its line has first? */
static inline uint32_t lane_imm_size(const struct lane_consumer *lane, struct lane_head head)
{
	uint32_t left = lane_count_left(lane, head);

	return head.imm_size < left ? head.imm_size : left;
}

/* How much of its data is in its line, behind that? */
static inline uint32_t lane_inline_size(const struct lane_consumer *lane, struct lane_head head)
{
	uint32_t left = lane_count_left(lane, head) - lane_imm_size(lane, head);

	return head.size < left ? head.size : left;
}

/* The next message is taken, and maybe the last one of its line. */
static inline void lane_advance(struct lane_consumer *lane, struct lane_head head)
{
	uint64_t size = (uint64_t)head.imm_size + head.size;

	lane->tail++;
	if (lane_batch_left(lane, head) > 1) {
		lane->taken++;
	} else if (size && size <= lane_count_left(lane, head) / 2) {
		lane->taken += (uint32_t)size;
	} else {
		lane->taken = 0;
		lane->line++;
	}
}

/* So far somebody has asked lane_has_come(); starts as 0. */
struct lane_arrivals {
	uint32_t line, taken; /* like those of the consumer */
};

/*
 * Has the next message come that nobody was told of? Tells of each once. Ask before those that were
 * told of are taken: their lines may be the producer's again.
 */
bool lane_has_come(const struct lane_consumer *lane, struct lane_arrivals *arrivals);

/* After closing: claims whose messages have not been taken. More than were posted is nonsense. */
static inline uint32_t lane_count_claims(const struct lane_consumer *lane)
{
	/* Acquire: pairs with the release of a claim that is taken back. */
	return atomic_load_explicit(&lane->shared->started, memory_order_acquire) - lane->tail;
}

/*
 * Producers' end: one object per remote consumer and process
 */

/* A producer as the owner of lanes. */
struct lane_key {
	_Atomic bool busy; /* it is claiming */
};

#define LANE_NOWHERE UINT64_MAX /* no id, which has 32 bits */

struct lane_producer {
	/* the producer that claims, mostly one */
	struct lane_shared *shared;
	struct lane_line *lines;
	const struct lane_post *posts;
	uint32_t mask, post_mask;
	uint32_t claimed; /* posts */
	uint32_t posted;  /* last seen */
	uint32_t line;	  /* the next one */
	uint32_t imm_max;
	char *window; /* the peer's memory */
	uint64_t window_size;
	int bell;   /* the consumer's */
	bool fence; /* after a claim: the consumer cannot use membarrier(), or this process */
	uint32_t prefetch_end; /* in a stream: lines before this one may be asked for ahead */
	/* id of the consumer; LANE_NOWHERE: that is gone, or the connection */
	_Atomic uint64_t leads_to;
	/* who claims without a lock; NULL: nobody yet; the key of nobody: nobody any more */
	struct lane_key *_Atomic owner;
	pthread_mutex_t lock; /* of claims, when shared */

	/* cold */
	uint32_t id, key; /* of the consumer, also when it is gone; see fast.h */
	int post_bell;	  /* the consumer rings it when a producer waits for posts */
	atomic_uint refs; /* the connection's, and one for each producer that uses it */
	struct link_mem *mem;
	_Atomic uint8_t *touched; /* by piece of the window: lane_touch() has been there */
};

/* Takes all descriptors, also on failure. INVALID_VALUE: nonsense. NO_MEMORY */
doca_error_t lane_producer_create(uint32_t key, int mem_fd, int window_fd, int bell,
				  struct lane_producer **ret_lane);
void lane_producer_ref(struct lane_producer *lane);
void lane_producer_unref(struct lane_producer *lane);

/* a claimed post, and the line for its message */
struct lane_claim {
	struct lane_line *line;
	uint32_t index; /* of the line */
	char *target;	/* in the window; checked unless the data is inline */
};

enum lane_answer {
	LANE_OK,
	LANE_NO_POST,  /* nothing is posted: wait */
	LANE_TOO_BIG,  /* the next posted buffer has less room; it stays posted */
	LANE_GONE,     /* the consumer has stopped */
	LANE_NONSENSE, /* the consumer has written what cannot be */
	LANE_AGAIN,    /* the lane is not this producer's; not from lane_claim() */
};

/*
 * Around claims of a producer that does not own the lane: it becomes the owner if it is the first,
 * else makes the lane a shared one, whose claims take this lock. Not between lane_begin() and
 * lane_end(): whoever has the lock may be waiting for the latter.
 */
void lane_lock(struct lane_producer *lane, struct lane_key *key);
void lane_unlock(struct lane_producer *lane);
/* one such claim */
enum lane_answer lane_claim_shared(struct lane_producer *lane, struct lane_key *key, uint32_t size,
				   bool is_inline, struct lane_claim *claim);
/* The producer is going: it owns the lane no more. */
void lane_give_up(struct lane_producer *lane, struct lane_key *key);
/* sees what has been posted since, for a message of so many bytes in a line; false: nonsense */
bool lane_refresh(struct lane_producer *lane, uint32_t size);
/* Before much is written at a place in the window: saves a page fault for each page. */
void lane_touch(struct lane_producer *lane, char *target, size_t size);

/*
 * To what is no id, because something else stands above it, it does not lead.
 * Relaxed, both: whoever sees the end late finds the lane closed, and whoever sleeps is woken after
 * it (fast.c).
 */
static inline bool lane_leads_to(const struct lane_producer *lane, uint64_t consumer_id)
{
	return atomic_load_explicit(&lane->leads_to, memory_order_relaxed) == consumer_id;
}

static inline bool lane_is_gone(const struct lane_producer *lane)
{
	return atomic_load_explicit(&lane->leads_to, memory_order_relaxed) == LANE_NOWHERE;
}

static inline void lane_set_gone(struct lane_producer *lane)
{
	atomic_store(&lane->leads_to, LANE_NOWHERE);
}

static inline struct lane_line *lane_line_at(const struct lane_producer *lane, uint32_t index)
{
	return &lane->lines[index & lane->mask];
}

/* the consumer may change it any time: to be read once, or asked for ahead */
static inline const struct lane_post *lane_post_at(const struct lane_producer *lane, uint32_t index)
{
	return &lane->posts[index & lane->post_mask];
}

/*
 * Asks for what the claim that is `ahead` claims away will need, if its message is as long as this
 * one.
 */
static inline void lane_prefetch(const struct lane_producer *lane, uint32_t ahead, uint32_t size)
{
	const struct lane_line *line = lane_line_at(lane, lane->line + ahead);

	cache_prefetch_write(line);
	if (doca_unlikely(size > LANE_NARROW))
		cache_prefetch_write(&line->data[LANE_NARROW]);
	cache_prefetch_read(lane_post_at(lane, lane->claimed + ahead));
}

static inline bool lane_is_owned_by(struct lane_producer *lane, const struct lane_key *key)
{
	return atomic_load_explicit(&lane->owner, memory_order_relaxed) == key;
}

/* Is lane_wake_consumer() worth calling? */
static inline bool lane_may_want_wake(const struct lane_producer *lane)
{
	return sleeper_may_want_wake(&lane->shared->consumer);
}

/* Wakes a consumer that sleeps; after everything that it may sleep for. */
static inline void lane_wake_consumer(struct lane_producer *lane)
{
	if (doca_unlikely(sleeper_wants_wake(&lane->shared->consumer)))
		priv_bell_ring(lane->bell);
}

/* Takes a claim back that came too late. */
void lane_take_back(struct lane_producer *lane);

/*
 * The last step of a claim of the next line and of count posts for size bytes each; false: the
 * consumer has stopped, and there is none.
 */
static inline bool lane_take(struct lane_producer *lane, uint32_t count, uint32_t size)
{
	struct lane_shared *shared = lane->shared;
	uint32_t claimed = lane->claimed + count, line = lane->line + 1;

	/* Relaxed: the consumer's heavy barrier orders it against `closed`. */
	atomic_store_explicit(&shared->started, claimed, memory_order_relaxed);
	if (doca_unlikely(lane->fence))
		atomic_thread_fence(memory_order_seq_cst);
	else
		atomic_signal_fence(memory_order_seq_cst);
	if (doca_unlikely(atomic_load_explicit(&shared->closed, memory_order_relaxed))) {
		lane_take_back(lane);
		return false;
	}
	lane->claimed = claimed;
	lane->line = line;
	/* In a stream: asks for what comes next of what is not asked for yet. */
	if (doca_unlikely((int32_t)(lane->prefetch_end - line) >= (int32_t)CACHE_LINES_AHEAD))
		lane_prefetch(lane, CACHE_LINES_AHEAD - 1, size);
	return true;
}

/* Has the next post room for size bytes? */
static inline bool lane_has_room(const struct lane_producer *lane, uint32_t size)
{
	return size <= read_once(lane_post_at(lane, lane->claimed)->room);
}

/* The posts from the next one on; by value, so that it can stay in registers. */
struct lane_posts {
	const struct lane_post *posts;
	uint32_t mask, index;
};

static inline struct lane_posts lane_next_posts(const struct lane_producer *lane)
{
	return (struct lane_posts){lane->posts, lane->post_mask, lane->claimed};
}

/* Has the one at its index room for size bytes? */
static inline bool lane_posts_have_room(const struct lane_posts *posts, uint32_t size)
{
	return size <= read_once(posts->posts[posts->index & posts->mask].room);
}

/*
 * Nothing is posted that was not claimed: why? A consumer that has changed the count of claims
 * would keep a producer that waits for a post awake (lane_has_post()).
 */
static inline enum lane_answer lane_explain_no_post(const struct lane_producer *lane)
{
	struct lane_shared *shared = lane->shared;

	if (atomic_load_explicit(&shared->closed, memory_order_relaxed))
		return LANE_GONE;
	return atomic_load_explicit(&shared->started, memory_order_relaxed) == lane->claimed
		       ? LANE_NO_POST
		       : LANE_NONSENSE;
}

/* Is there a post, with room for size bytes, inline_size of which are for the line? */
static inline enum lane_answer lane_find_post(struct lane_producer *lane, uint32_t size,
					      uint32_t inline_size)
{
	if (doca_unlikely(lane->claimed == lane->posted)) {
		if (!lane_refresh(lane, inline_size))
			return LANE_NONSENSE;
		if (lane->claimed == lane->posted)
			return lane_explain_no_post(lane);
	}
	return doca_likely(lane_has_room(lane, size)) ? LANE_OK : LANE_TOO_BIG;
}

/* Are there size bytes at that place of the window? */
static inline bool lane_has_target(const struct lane_producer *lane, uint64_t offset, uint32_t size)
{
	return doca_likely(offset <= lane->window_size && size <= lane->window_size - offset);
}

/* one claim; claims exclude each other by ownership or lock */
static inline enum lane_answer lane_claim_next(struct lane_producer *lane, uint32_t size,
					       bool is_inline, struct lane_claim *claim)
{
	enum lane_answer answer = lane_find_post(lane, size, size);
	uint32_t line = lane->line;
	uint64_t offset;

	if (doca_unlikely(answer != LANE_OK))
		return answer;
	offset = read_once(lane_post_at(lane, lane->claimed)->offset);
	if (!is_inline && !lane_has_target(lane, offset, size))
		return LANE_NONSENSE;
	if (doca_unlikely(!lane_take(lane, 1, size)))
		return LANE_GONE;
	/* As a number: of an inline message the offset is not checked, and the place not used. */
	*claim = (struct lane_claim){lane_line_at(lane, line), line,
				     (char *)((uintptr_t)lane->window + offset)};
	return LANE_OK;
}

/* Around a claim: is this producer the only one of the lane? */
static inline bool lane_begin(struct lane_producer *lane, struct lane_key *key)
{
	/* Relaxed: take_over() has a heavy barrier between its store and its look at busy. */
	atomic_store_explicit(&key->busy, true, memory_order_relaxed);
	atomic_signal_fence(memory_order_seq_cst);
	return lane_is_owned_by(lane, key);
}

static inline void lane_end(struct lane_key *key)
{
	/* Release: pairs with the acquire in take_over(); the claim is done. */
	atomic_store_explicit(&key->busy, false, memory_order_release);
}

/*
 * Claims the next post for size bytes. A lane that only one producer uses is claimed without lock
 * and without atomic read-modify-write.
 */
static inline enum lane_answer lane_claim(struct lane_producer *lane, struct lane_key *key,
					  uint32_t size, bool is_inline, struct lane_claim *claim)
{
	enum lane_answer answer = LANE_AGAIN;
	struct lane_claim shared_claim;

	if (doca_likely(lane_begin(lane, key)))
		answer = lane_claim_next(lane, size, is_inline, claim);
	lane_end(key);
	if (doca_likely(answer != LANE_AGAIN))
		return answer;
	/* A variable of its own, so that the one of the ordinary case can stay in registers. */
	answer = lane_claim_shared(lane, key, size, is_inline, &shared_claim);
	*claim = shared_claim;
	return answer;
}

/* Is a post known of, and has it room for size bytes? */
static inline bool lane_fits(const struct lane_producer *lane, uint32_t size)
{
	return lane->claimed != lane->posted && lane_has_room(lane, size);
}

/*
 * Claims the next post for a message that is all in its line, when nothing stands in its way.
 * false: something does, which lane_claim() says and deals with.
 */
static inline bool lane_claim_line(struct lane_producer *lane, struct lane_key *key, uint32_t size,
				   uint32_t *ret_index)
{
	bool claimed = false;

	if (doca_likely(lane_begin(lane, key))) {
		*ret_index = lane->line;
		claimed =
			doca_likely(lane_fits(lane, size)) && doca_likely(lane_take(lane, 1, size));
	}
	lane_end(key);
	return claimed;
}

/*
 * How many messages, up to max, may go into a line with that many places, given the posts that are
 * known of? The next line is free for the owner, between lane_begin() and lane_end(), and for
 * whoever has the lock: it may be written before the messages that fit are claimed.
 */
static inline uint32_t lane_limit_several(const struct lane_producer *lane, uint32_t places,
					  uint32_t max)
{
	uint32_t posts = lane->posted - lane->claimed;

	if (max > posts)
		max = posts;
	return max < places ? max : places;
}

/*
 * Where in the window the one at its index has room for size bytes; NULL: it has not, or says what
 * cannot be
 */
static inline char *lane_posts_target(const struct lane_producer *lane,
				      const struct lane_posts *posts, uint32_t size)
{
	uint64_t offset = read_once(posts->posts[posts->index & posts->mask].offset);

	return lane_posts_have_room(posts, size) && lane_has_target(lane, offset, size)
		       ? lane->window + offset
		       : NULL;
}

/*
 * Publishes a line that was claimed. Inline data and immediate data are already in it, other data
 * in the window.
 */
static inline void lane_write(struct lane_line *line, uint32_t index, struct lane_head head)
{
	line->word = lane_pack_head(head);
	/* Release: pairs with the acquire in lane_is_written(). */
	atomic_store_explicit(&line->seq, index + 1, memory_order_release);
}

static inline void lane_publish(struct lane_producer *lane, const struct lane_claim *claim,
				struct lane_head head)
{
	lane_write(claim->line, claim->index, head);
	lane_wake_consumer(lane);
}

/* asks for a wake-up when something is posted; follow it with a heavy barrier and another look */
static inline void lane_wait_for_post(struct lane_producer *lane)
{
	sleeper_mark(&lane->shared->producers);
}

static inline bool lane_has_post(struct lane_producer *lane)
{
	/* Only a look, after the heavy barrier or before a claim that looks again. */
	return atomic_load_explicit(&lane->shared->posted, memory_order_acquire) !=
		       atomic_load_explicit(&lane->shared->started, memory_order_relaxed) ||
	       atomic_load_explicit(&lane->shared->closed, memory_order_relaxed);
}

#endif
