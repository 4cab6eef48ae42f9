/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Post receive tasks.
 *
 * Tasks stand in an array by the index of their post. Those up to the lane's `filled` are posted;
 * the memory of the ones behind is still being made reachable, piece by piece, in the polls.
 */
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

/* the next size; of the largest: itself */
static inline uint32_t behind(uint32_t size)
{
	return doca_likely(size < UINT32_MAX) ? size + 1 : size;
}

/* Makes a task's memory reachable; see priv_window_prepare(). */
static doca_error_t prepare(struct doca_comch_consumer *consumer,
			    struct doca_comch_consumer_task_post_recv *task)
{
	doca_error_t err;

	task->direct = true;
	task->plain_below = behind(task->room);
	if (!task->room)
		return DOCA_SUCCESS;
	err = priv_window_prepare(consumer->window, task->addr, task->room, &task->direct);
	if (!task->direct && task->room > LANE_INLINE)
		task->plain_below = LANE_INLINE + 1; /* of more, the rest has to be collected */
	if (err == DOCA_ERROR_AGAIN || !consumer->fast.lane.filled)
		note_use(consumer);
	if (!err && task->direct)
		priv_window_find_direct(consumer->window, task->addr, &consumer->direct,
					&consumer->direct_end);
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

/*
 * Is the task's memory known to be in place? A part of the window that was stays so, until the
 * memory map is stopped.
 */
static inline bool is_known(const struct doca_comch_consumer *consumer,
			    const struct doca_comch_consumer_task_post_recv *task)
{
	return task->addr >= consumer->direct && task->addr + task->room <= consumer->direct_end &&
	       !window_is_withdrawn(consumer->window);
}

/* Posts the next task, whose memory is. */
static inline void post_known(struct doca_comch_consumer *consumer,
			      struct doca_comch_consumer_task_post_recv *task)
{
	struct lane_consumer *lane = &consumer->fast.lane;

	task->direct = true;
	task->plain_below = behind(task->room);
	lane_post_fill(lane->posts, lane->mask, lane->filled++,
		       window_offset(consumer->window, task->addr), task->room);
}

/* Posts the next task, whose memory may not be reachable yet; false: not yet. */
static bool post_next(struct doca_comch_consumer *consumer)
{
	struct lane_consumer *lane = &consumer->fast.lane;
	struct doca_comch_consumer_task_post_recv *task = *consumer_slot(consumer, lane->filled);
	doca_error_t err;

	if (is_known(consumer, task)) {
		post_known(consumer, task);
		return true;
	}
	err = prepare(consumer, task);
	if (err == DOCA_ERROR_AGAIN)
		return false;
	if (err) {
		fail_unposted(consumer, err);
		return true;
	}
	lane_post_fill(lane->posts, lane->mask, lane->filled++,
		       task->room ? window_offset(consumer->window, task->addr) : 0, task->room);
	return true;
}

unsigned int consumer_post_more(struct doca_comch_consumer *consumer)
{
	unsigned int done = 0;

	while (!consumer_has_posted_all(consumer)) {
		done++;
		if (post_next(consumer))
			continue;
		priv_poll_group_heat(&consumer->poller); /* no peer wakes it for what is left */
		break;
	}
	return done;
}

/* Is it a buffer in the consumer's memory map, by itself? */
static inline bool buf_is_usable(const struct doca_comch_consumer *consumer,
				 const struct doca_buf *buf, size_t *ret_space)
{
	return buf->mmap == consumer->mmap && buf_is_single(buf) && buf_find_space(buf, ret_space);
}

/* May the peer write into the map? */
static inline bool mmap_is_usable(const struct doca_mmap *mmap)
{
	return mmap_is_started(mmap) && (mmap->permissions & DOCA_ACCESS_FLAG_PCI_READ_WRITE);
}

static doca_error_t post_recv_check(const struct doca_task *base)
{
	const struct doca_comch_consumer_task_post_recv *task =
		(const struct doca_comch_consumer_task_post_recv *)base;
	const struct doca_comch_consumer *consumer = consumer_of(base->pool->ctx);
	size_t space;

	if (task->buf &&
	    !(buf_is_usable(consumer, task->buf, &space) && mmap_is_usable(consumer->mmap)))
		return DOCA_ERROR_INVALID_VALUE;
	return DOCA_SUCCESS;
}

/* The task comes behind those that were submitted before. */
static inline void append(struct doca_comch_consumer *consumer,
			  struct doca_comch_consumer_task_post_recv *task)
{
	task_accept(&task->base);
	*consumer_slot(consumer, consumer->submitted++) = task;
}

/* What is posted from callbacks is made known once, when receive() is through. */
static inline doca_error_t make_known(struct doca_comch_consumer *consumer, uint32_t flags)
{
	if (doca_likely(consumer->receiving))
		return DOCA_SUCCESS;
	if (doca_likely(flags & DOCA_TASK_SUBMIT_FLAG_FLUSH))
		consumer_post(consumer);
	else
		priv_poll_group_heat(&consumer->poller);
	return DOCA_SUCCESS;
}

/* Takes a task that post_recv_submit() cannot post at once. */
static __attribute__((noinline)) doca_error_t
submit_any(struct doca_comch_consumer *consumer, struct doca_comch_consumer_task_post_recv *task,
	   uint32_t flags)
{
	if (task->buf && !mmap_is_usable(consumer->mmap))
		return DOCA_ERROR_INVALID_VALUE;
	append(consumer, task);
	return make_known(consumer, flags);
}

/* The ordinary case is a run without calls: the next receive, of memory that was received into. */
static doca_error_t post_recv_submit(struct doca_task *base, uint32_t flags)
{
	struct doca_comch_consumer_task_post_recv *task =
		(struct doca_comch_consumer_task_post_recv *)base;
	struct doca_comch_consumer *consumer = consumer_of(base->pool->ctx);
	const struct doca_buf *buf = task->buf;
	size_t space = 0;

	if (doca_likely(buf != NULL) && doca_unlikely(!buf_is_usable(consumer, buf, &space)))
		return DOCA_ERROR_INVALID_VALUE;
	task->addr = doca_likely(buf != NULL) ? buf->data + buf->data_len : NULL;
	task->room = doca_likely(space < UINT32_MAX) ? (uint32_t)space : UINT32_MAX;
	if (doca_unlikely(!consumer_has_posted_all(consumer) || !is_known(consumer, task)))
		return submit_any(consumer, task, flags);
	append(consumer, task);
	post_known(consumer, task);
	return make_known(consumer, flags);
}

static const struct task_type post_recv_type = {
	.name = "comch post receive",
	.check = post_recv_check,
	.submit = post_recv_submit,
};

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
	return priv_task_pool_configure(&consumer->pool, &consumer->ctx, &post_recv_type,
					sizeof(struct doca_comch_consumer_task_post_recv),
					(doca_task_completion_cb_t)task_completion_cb,
					(doca_task_completion_cb_t)task_error_cb,
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
		return err;
	*task = (struct doca_comch_consumer_task_post_recv *)base;
	(*task)->buf = buf;
	(*task)->imm_size = 0;
	return DOCA_SUCCESS;
}

struct doca_buf *
doca_comch_consumer_task_post_recv_get_buf(const struct doca_comch_consumer_task_post_recv *task)
{
	return task->buf;
}

void doca_comch_consumer_task_post_recv_set_buf(struct doca_comch_consumer_task_post_recv *task,
						struct doca_buf *buf)
{
	task->buf = buf;
}

uint32_t doca_comch_consumer_task_post_recv_get_producer_id(
	const struct doca_comch_consumer_task_post_recv *task)
{
	return task->producer_id;
}

const uint8_t *doca_comch_consumer_task_post_recv_get_imm_data(
	const struct doca_comch_consumer_task_post_recv *task)
{
	return task->imm_size ? task->imm : NULL;
}

uint32_t doca_comch_consumer_task_post_recv_get_imm_data_len(
	const struct doca_comch_consumer_task_post_recv *task)
{
	return task->imm_size;
}

struct doca_task *
doca_comch_consumer_task_post_recv_as_task(struct doca_comch_consumer_task_post_recv *task)
{
	return &task->base;
}
