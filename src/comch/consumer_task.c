/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Post receive tasks.
 *
 * Tasks stand in an array by the index of their post. Those up to the lane's `filled` are posted;
 * the memory of the ones behind is still being made reachable, piece by piece, in the polls; that
 * of up to a MiB is in the submit.
 */
#define LOG_MODULE "comch"
#include <assert.h>
#include "base/log.h"
#include "comch/consumer.h"

/* for tools, of either side */
static void note_use(struct doca_comch_consumer *consumer)
{
	struct window_use use = priv_window_use(consumer->window);
	struct lane_use *noted = &consumer->fast.lane.shared->use;

	/* Relaxed: numbers for people. */
	atomic_store_explicit(&noted->in_place, use.in_place, memory_order_relaxed);
	atomic_store_explicit(&noted->copied, use.shadow, memory_order_relaxed);
	atomic_store_explicit(&noted->why, use.why, memory_order_relaxed);
}

/* Makes a task's memory reachable; see priv_window_prepare(). */
static doca_error_t prepare(struct doca_comch_consumer *consumer,
			    struct doca_comch_consumer_task_post_recv *task, unsigned int *budget)
{
	unsigned int before = *budget;
	doca_error_t err;

	task->direct = true;
	if (!task->room)
		return DOCA_SUCCESS;
	err = priv_window_prepare(consumer->window, task->addr, task->room, budget, &task->direct);
	if (*budget != before || !consumer->fast.lane.filled)
		note_use(consumer);
	/* What is known needs no look at the map; a thread-safe one needs one each time. */
	if (!err && !consumer->mmap->thread_safe)
		priv_window_find_known(consumer->window, task->addr, &consumer->known);
	return err;
}

/* The first task that is not posted yet fails, and those behind it move up. */
static void fail_unposted(struct doca_comch_consumer *consumer, doca_error_t err)
{
	struct doca_comch_consumer_task_post_recv *task =
		*consumer_slot(consumer, consumer->fast.lane.filled);
	uint32_t i;

	consumer->submitted--;
	for (i = consumer->fast.lane.filled; i != consumer->submitted; i++)
		*consumer_slot(consumer, i) = *consumer_slot(consumer, i + 1);
	task_complete(&task->base, err);
}

/* In shadow memory, what does not fit into the message's line has to be collected. */
static inline uint64_t plain_below(size_t room, bool direct)
{
	return direct || room < LANE_INLINE ? room + 1 : LANE_INLINE + 1;
}

/* Writes the next post, for a task whose memory is reachable. */
static void fill(struct doca_comch_consumer *consumer,
		 struct doca_comch_consumer_task_post_recv *task, uint64_t offset)
{
	struct lane_consumer *lane = &consumer->fast.lane;

	task->plain_below = plain_below(task->room, task->direct);
	if (consumer->mmap->thread_safe && task->room)
		task->plain_below = 0; /* another thread may destroy it (mmap_begin_access()) */
	lane_post_fill(lane, lane->filled++, offset, task->room);
}

/* Is that memory known to be in place? This and the next one: while its window is the map's. */
static inline bool is_known_direct(const struct doca_comch_consumer *consumer, const char *addr,
				   size_t room)
{
	return addr >= consumer->known.direct && addr + room <= consumer->known.direct_end;
}

/* Is that memory known to be reachable, in place or not? */
static inline bool is_known(const struct doca_comch_consumer *consumer, const char *addr,
			    size_t room)
{
	return addr >= consumer->known.begin && addr + room <= consumer->known.end;
}

static inline uint64_t offset_of(const struct doca_comch_consumer *consumer,
				 const struct doca_comch_consumer_task_post_recv *task)
{
	return window_offset(consumer->window, task->addr);
}

/* Fills the post of that index, the next one, for a task whose memory is known. */
static inline void fill_known(struct doca_comch_consumer *consumer,
			      struct doca_comch_consumer_task_post_recv *task, uint32_t index,
			      uint64_t offset, size_t room, bool direct)
{
	struct lane_consumer *lane = &consumer->fast.lane;

	task->direct = direct;
	task->plain_below = plain_below(room, direct);
	lane->filled = index + 1;
	lane_post_fill(lane, index, offset, (uint32_t)room);
}

/* Fills the next post, if enough is known of its task's memory; false: not. */
static bool fill_if_known(struct doca_comch_consumer *consumer,
			  struct doca_comch_consumer_task_post_recv *task)
{
	uint32_t index = consumer->fast.lane.filled;

	if (window_is_withdrawn(consumer->window))
		return false;
	if (is_known_direct(consumer, task->addr, task->room))
		fill_known(consumer, task, index, offset_of(consumer, task), task->room, true);
	else if (is_known(consumer, task->addr, task->room))
		fill_known(consumer, task, index, offset_of(consumer, task), task->room, false);
	else
		return false;
	return true;
}

/* Fills the next post, if its task's memory can be made reachable now; false: not yet. */
static bool fill_next(struct doca_comch_consumer *consumer, unsigned int *budget)
{
	struct doca_comch_consumer_task_post_recv *task =
		*consumer_slot(consumer, consumer->fast.lane.filled);
	doca_error_t err;

	if (fill_if_known(consumer, task))
		return true;
	err = prepare(consumer, task, budget);
	if (err == DOCA_ERROR_AGAIN)
		return false;
	if (err)
		fail_unposted(consumer, err);
	else
		fill(consumer, task, task->room ? window_offset(consumer->window, task->addr) : 0);
	return true;
}

unsigned int consumer_fill_posts(struct doca_comch_consumer *consumer, unsigned int budget)
{
	unsigned int done = 0;

	while (!consumer_has_filled_all(consumer)) {
		done++;
		if (!fill_next(consumer, &budget)) {
			priv_poll_group_heat(&consumer->poller); /* no peer wakes it for the rest */
			break;
		}
	}
	return done;
}

/* Would it do, with its map started? */
static inline bool buf_would_do(const struct doca_comch_consumer *consumer,
				const struct doca_buf *buf, size_t *ret_space)
{
	const struct doca_mmap *mmap = consumer->mmap;

	return buf->mmap == mmap && buf_is_single(buf) && buf_find_space(buf, ret_space) &&
	       *ret_space <= consumer->max_size &&
	       (mmap->permissions & DOCA_ACCESS_FLAG_PCI_READ_WRITE);
}

static inline bool buf_is_usable(const struct doca_comch_consumer *consumer,
				 const struct doca_buf *buf, size_t *ret_space)
{
	return buf_would_do(consumer, buf, ret_space) && mmap_is_started(consumer->mmap);
}

static doca_error_t post_recv_check(const struct doca_task *base)
{
	const struct doca_comch_consumer_task_post_recv *task =
		(const struct doca_comch_consumer_task_post_recv *)base;
	size_t space;

	if (task->buf && (buf_is_free(task->buf) ||
			  !buf_is_usable(consumer_of(base->pool->ctx), task->buf, &space)))
		return DOCA_ERROR_INVALID_VALUE;
	return DOCA_SUCCESS;
}

/* The task, as number `index`, is the next one to be posted. */
static inline void append(struct doca_comch_consumer *consumer,
			  struct doca_comch_consumer_task_post_recv *task, uint32_t index,
			  char *addr, size_t room)
{
	task_take(&consumer->ctx, &task->base);
	consumer->submitted = index + 1;
	*consumer_slot(consumer, index) = task;
	task->addr = addr;
	task->room = (uint32_t)room;
	/* of what has not come yet */
	task->producer_id = 0;
	task->imm_size = 0;
}

/* The task is posted without a buffer; nothing is being prepared. */
static inline void append_bare(struct doca_comch_consumer *consumer,
			       struct doca_comch_consumer_task_post_recv *task)
{
	uint32_t index = consumer->submitted;

	append(consumer, task, index, NULL, 0);
	fill_known(consumer, task, index, 0, 0, true);
}

void consumer_post_bare(struct doca_comch_consumer *consumer, uint32_t count)
{
	while (count--) {
		struct doca_task *task = on_dpa_next_task(&consumer->on_dpa.common);

		assert(task);
		append_bare(consumer, (struct doca_comch_consumer_task_post_recv *)task);
	}
	consumer_post(consumer, SUBMIT_PIECES);
}

/* The producers learn of what was posted: now, or in the next poll. */
static __attribute__((noinline)) doca_error_t make_known(struct doca_comch_consumer *consumer,
							 uint32_t flags)
{
	if (doca_likely(flags & DOCA_TASK_SUBMIT_FLAG_FLUSH))
		consumer_post(consumer, SUBMIT_PIECES);
	else
		priv_poll_group_heat(&consumer->poller);
	return DOCA_SUCCESS;
}

/*
 * What is posted from callbacks is made known when receive() is through; but producers know of one
 * at any time, for a callback may wait for a message.
 */
static inline doca_error_t end_submit(struct doca_comch_consumer *consumer, uint32_t flags)
{
	const struct lane_consumer *lane = &consumer->fast.lane;

	if (doca_likely(consumer->receiving) && doca_likely(lane->tail != lane->published))
		return DOCA_SUCCESS;
	return make_known(consumer, flags);
}

/* Posts whatever it is. A buffer that is no good is refused. */
static __attribute__((noinline)) doca_error_t post_recv_submit_any(struct doca_task *base,
								   uint32_t flags)
{
	struct doca_comch_consumer_task_post_recv *task =
		(struct doca_comch_consumer_task_post_recv *)base;
	struct doca_comch_consumer *consumer = consumer_of(base->pool->ctx);
	const struct doca_buf *buf = task->buf;
	uint32_t index = consumer->submitted;
	size_t space = 0;

	if (buf && !buf_is_usable(consumer, buf, &space)) {
		LOG_DBG("consumer %u: the buffer of the task is a list, or not of its map, or that "
			"is stopped, or has more room than %zu bytes",
			consumer->fast.user.id, consumer->max_size);
		return DOCA_ERROR_INVALID_VALUE;
	}
	append(consumer, task, index, buf ? buf->data + buf->data_len : NULL, space);
	if (!space && consumer->fast.lane.filled == index) {
		task->direct = true;
		fill(consumer, task, 0);
	}
	return end_submit(consumer, flags);
}

/* Posts one without a buffer. */
static __attribute__((noinline)) doca_error_t
post_recv_submit_bare(struct doca_comch_consumer *consumer,
		      struct doca_comch_consumer_task_post_recv *task, uint32_t flags)
{
	if (doca_unlikely(!consumer_has_filled_all(consumer)))
		return post_recv_submit_any(&task->base, flags);
	append_bare(consumer, task);
	return end_submit(consumer, flags);
}

/* Is it a buffer that is good, for the next post? */
static inline bool is_ordinary(const struct doca_comch_consumer *consumer,
			       const struct doca_buf *buf, size_t *ret_space)
{
	return doca_likely(buf_would_do(consumer, buf, ret_space)) &&
	       doca_likely(mmap_has_window(consumer->mmap, consumer->window)) &&
	       doca_likely(consumer_has_filled_all(consumer));
}

/* The task is posted, whose memory is known. */
static inline doca_error_t post(struct doca_comch_consumer *consumer,
				struct doca_comch_consumer_task_post_recv *task, char *addr,
				size_t room, bool direct, uint32_t flags)
{
	uint32_t index = consumer->submitted;

	append(consumer, task, index, addr, room);
	fill_known(consumer, task, index, offset_of(consumer, task), room, direct);
	return end_submit(consumer, flags);
}

static __attribute__((noinline)) doca_error_t
post_shadow(struct doca_comch_consumer *consumer, struct doca_comch_consumer_task_post_recv *task,
	    char *addr, size_t room, uint32_t flags)
{
	return post(consumer, task, addr, room, false, flags);
}

static doca_error_t post_recv_submit(struct doca_task *base, uint32_t flags)
{
	struct doca_comch_consumer_task_post_recv *task =
		(struct doca_comch_consumer_task_post_recv *)base;
	struct doca_comch_consumer *consumer = consumer_of(base->pool->ctx);
	const struct doca_buf *buf = task->buf;
	size_t space;
	char *addr;

	if (doca_unlikely(!buf))
		return post_recv_submit_bare(consumer, task, flags);
	if (doca_unlikely(!is_ordinary(consumer, buf, &space)))
		return post_recv_submit_any(base, flags);
	addr = buf->data + buf->data_len;
	if (doca_likely(is_known_direct(consumer, addr, space)))
		return post(consumer, task, addr, space, true, flags);
	if (is_known(consumer, addr, space))
		return post_shadow(consumer, task, addr, space, flags);
	return post_recv_submit_any(base, flags);
}

static const struct task_type post_recv_type = {
	.name = "comch post receive",
	.check = post_recv_check,
	.submit = post_recv_submit,
};

doca_error_t
consumer_configure_receives(struct doca_comch_consumer *consumer,
			    doca_comch_consumer_task_post_recv_completion_cb_t completion_cb,
			    doca_comch_consumer_task_post_recv_completion_cb_t error_cb,
			    uint32_t count, uint32_t max)
{
	return priv_task_pool_configure(
		&consumer->pool, &consumer->ctx,
		&(struct task_pool_config){
			.type = &post_recv_type,
			.task_size = offsetof(struct doca_comch_consumer_task_post_recv, imm) +
				     fast_imm_max(consumer->channel),
			.completion_cb = (doca_task_completion_cb_t)completion_cb,
			.error_cb = (doca_task_completion_cb_t)error_cb,
			.count = count,
			.max = max,
		});
}

/*
 * Public
 */

doca_error_t doca_comch_consumer_task_post_recv_set_conf(
	struct doca_comch_consumer *consumer,
	doca_comch_consumer_task_post_recv_completion_cb_t task_completion_cb,
	doca_comch_consumer_task_post_recv_completion_cb_t task_error_cb,
	uint32_t num_post_recv_tasks)
{
	if (!consumer)
		return DOCA_ERROR_INVALID_VALUE;
	if (consumer->on_dpa.common.is_wanted) {
		LOG_ERR("consumer %u: on a DPA it has no tasks", consumer->fast.user.id);
		return DOCA_ERROR_NOT_SUPPORTED;
	}
	return consumer_configure_receives(consumer, task_completion_cb, task_error_cb,
					   num_post_recv_tasks,
					   (uint32_t)priv_topo_limits()->consumer_max_num_tasks);
}

doca_error_t
doca_comch_consumer_task_post_recv_alloc_init(struct doca_comch_consumer *consumer,
					      struct doca_buf *buf,
					      struct doca_comch_consumer_task_post_recv **task)
{
	struct doca_task *base;
	doca_error_t err;

	if (doca_unlikely(!consumer || !task))
		return DOCA_ERROR_INVALID_VALUE;
	err = task_alloc(&consumer->pool, &base);
	if (doca_unlikely(err))
		return consumer->on_dpa.common.is_wanted
			       ? on_dpa_refuse_task("consumer", consumer->fast.user.id)
			       : err;
	*task = (struct doca_comch_consumer_task_post_recv *)base;
	(*task)->buf = buf;
	(*task)->producer_id = 0;
	(*task)->imm_size = 0;
	return DOCA_SUCCESS;
}

struct doca_buf *
doca_comch_consumer_task_post_recv_get_buf(const struct doca_comch_consumer_task_post_recv *task)
{
	return task ? task->buf : NULL;
}

void doca_comch_consumer_task_post_recv_set_buf(struct doca_comch_consumer_task_post_recv *task,
						struct doca_buf *buf)
{
	if (task)
		task->buf = buf;
}

uint32_t doca_comch_consumer_task_post_recv_get_producer_id(
	const struct doca_comch_consumer_task_post_recv *task)
{
	return task ? task->producer_id : 0;
}

const uint8_t *doca_comch_consumer_task_post_recv_get_imm_data(
	const struct doca_comch_consumer_task_post_recv *task)
{
	return task && task->imm_size ? task->imm : NULL;
}

uint32_t doca_comch_consumer_task_post_recv_get_imm_data_len(
	const struct doca_comch_consumer_task_post_recv *task)
{
	return task ? task->imm_size : 0;
}

struct doca_task *
doca_comch_consumer_task_post_recv_as_task(struct doca_comch_consumer_task_post_recv *task)
{
	return &task->base;
}
