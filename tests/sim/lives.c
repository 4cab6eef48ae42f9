/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Contexts that need no connection, of all kinds and side by side: created, configured, connected,
 * started, used, stopped and destroyed in any order, right or wrong, from callbacks too. What each
 * call answers and each callback tells follows from a small model of the state.
 *
 *	sim_lives [--seed N | --seeds COUNT] [--steps COUNT]
 */
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "lives.h"
#include "seeds.h"
#include "world.h"

struct stage stage;

static struct {
	unsigned long long starts, tasks, failed, abandoned;
} tally;

static void act(void);

/* What a callback does. */
static void act_inside(void)
{
	if (stage.calm || stage.depth == NESTING || !chance(40))
		return;
	stage.depth++;
	act();
	stage.depth--;
}

/*
 * Tasks
 */

static void forget(struct errand *errand)
{
	list_remove(&errand->node);
	free(errand);
}

static void free_task(struct errand *errand)
{
	struct doca_task *task = errand->task;

	if (errand->state == OUT) {
		errand->state = ABANDONED;
		tally.abandoned++;
	} else {
		forget(errand);
	}
	doca_task_free(task);
}

static unsigned int count_errands(const struct life *life, enum errand_state state)
{
	struct list_node *node;
	unsigned int count = 0;

	list_for_each (node, &life->errands)
		count += container_of(node, struct errand, node)->state == state;
	return count;
}

static void submit(struct errand *errand)
{
	const struct life *life = errand->life;
	doca_error_t err =
		chance(50) ? doca_task_submit(errand->task) : doca_task_try_submit(errand->task);

	if (life->state != DOCA_CTX_STATE_RUNNING) {
		must(err == DOCA_ERROR_BAD_STATE);
	} else if (errand->state == OUT) {
		must(err == DOCA_ERROR_INVALID_VALUE);
	} else {
		must(!err || (err == DOCA_ERROR_INVALID_VALUE && life->kind->may_refuse));
		if (!err) {
			errand->state = OUT;
			errand->was_out = true;
		}
	}
}

static void alloc(struct life *life)
{
	unsigned int held = count_errands(life, OWNED) + count_errands(life, OUT);
	struct errand *errand = calloc(1, sizeof(*errand));
	doca_error_t err;

	must(errand);
	*errand = (struct errand){.life = life};
	err = life->kind->alloc(life->object, (union doca_data){.ptr = errand}, &errand->task);
	if (life->state != DOCA_CTX_STATE_RUNNING || !life->is_configured)
		must(err == DOCA_ERROR_BAD_STATE);
	else if (err)
		must(err == DOCA_ERROR_NO_MEMORY && held + count_errands(life, ABANDONED) >= TASKS);
	else
		must(held < TASKS);
	if (err) {
		free(errand);
		return;
	}
	doca_task_set_user_data(errand->task, (union doca_data){.ptr = errand});
	list_add_tail(&life->errands, &errand->node);
	submit(errand);
}

static bool is_inside(const struct life *life)
{
	return life->pe && stage.inside[life->pe - stage.engines];
}

static void told(struct doca_task *task, union doca_data task_data, union doca_data ctx_data)
{
	struct errand *errand = task_data.ptr;
	struct life *life = ctx_data.ptr;

	must(life->kind && is_inside(life) && life->state != DOCA_CTX_STATE_IDLE);
	must(errand->life == life && errand->task == task && errand->state == OUT);
	errand->state = OWNED;
	tally.tasks++;
	if (chance(30) && !stage.calm)
		submit(errand);
	else if (chance(70) || stage.calm)
		free_task(errand);
	act_inside();
}

void task_completed(struct doca_task *task, union doca_data task_data, union doca_data ctx_data)
{
	must(!doca_task_get_status(task));
	told(task, task_data, ctx_data);
}

void task_failed(struct doca_task *task, union doca_data task_data, union doca_data ctx_data)
{
	must(doca_task_get_status(task));
	tally.failed++;
	told(task, task_data, ctx_data);
}

/*
 * Lives
 */

/* Has all that was ever submitted come back, and been freed? */
static bool is_done(const struct life *life)
{
	struct list_node *node;

	list_for_each (node, &life->errands) {
		const struct errand *errand = container_of(node, struct errand, node);

		if (errand->was_out && errand->state != ABANDONED)
			return false;
	}
	return true;
}

static void on_state(const union doca_data data, struct doca_ctx *ctx, enum doca_ctx_states prev,
		     enum doca_ctx_states next)
{
	struct life *life = data.ptr;

	must(life->kind && life->ctx == ctx && life->state == prev && prev != next);
	life->state = next;
	life->changes++;
	if (next == DOCA_CTX_STATE_IDLE)
		must(is_done(life));
	act_inside();
}

static uint32_t count_lives(const struct kind *kind)
{
	uint32_t count = 0;

	for (unsigned int i = 0; i < LIVES; i++)
		count += stage.lives[i].kind == kind;
	return count;
}

static void create(struct life *life)
{
	const struct kind *kind = &kinds[pick(KINDS)];
	struct life made = {.kind = kind};
	doca_error_t err = kind->create(&made.object, &made.ctx);

	must(err == (count_lives(kind) < kind->max ? DOCA_SUCCESS : DOCA_ERROR_NO_MEMORY));
	if (err)
		return;
	*life = made;
	list_init(&life->errands);
	must(!doca_ctx_set_user_data(life->ctx, (union doca_data){.ptr = life}));
	must(!doca_ctx_set_state_changed_cb(life->ctx, on_state));
}

static void destroy(struct life *life)
{
	struct list_node *node;
	bool is_idle = life->state == DOCA_CTX_STATE_IDLE;
	doca_error_t err = life->kind->destroy(life->object);

	must(err == (is_idle ? DOCA_SUCCESS : DOCA_ERROR_IN_USE));
	if (err)
		return;
	life->kind = NULL;
	while ((node = list_pop(&life->errands)))
		free(container_of(node, struct errand, node));
}

static void configure(struct life *life)
{
	bool is_idle = life->state == DOCA_CTX_STATE_IDLE;

	must(life->kind->configure(life->object) ==
	     (is_idle ? DOCA_SUCCESS : DOCA_ERROR_BAD_STATE));
	life->is_configured |= is_idle;
}

static void connect_to_engine(struct life *life)
{
	struct doca_pe **pe = &stage.engines[pick(ENGINES)];
	doca_error_t err = doca_pe_connect_ctx(*pe, life->ctx);

	if (life->state != DOCA_CTX_STATE_IDLE)
		must(err == DOCA_ERROR_BAD_STATE);
	else
		must(err == (life->pe ? DOCA_ERROR_NOT_PERMITTED : DOCA_SUCCESS));
	if (!err)
		life->pe = pe;
	if (life->pe)
		must(doca_pe_destroy(*life->pe) == DOCA_ERROR_IN_USE);
}

static void start(struct life *life)
{
	bool is_idle = life->state == DOCA_CTX_STATE_IDLE;
	doca_error_t expected = DOCA_ERROR_BAD_STATE;

	if (is_idle && !life->pe)
		expected = DOCA_ERROR_NOT_CONNECTED;
	else if (is_idle)
		expected = life->is_configured ? DOCA_SUCCESS : life->kind->unconfigured;
	tally.starts += !expected;
	must(doca_ctx_start(life->ctx) == expected);
}

static void stop(struct life *life)
{
	enum doca_ctx_states before = life->state;
	unsigned int changes = life->changes;
	doca_error_t err = doca_ctx_stop(life->ctx);

	if (before == DOCA_CTX_STATE_IDLE)
		must(!err);
	else if (before == DOCA_CTX_STATE_STOPPING)
		must(err == DOCA_ERROR_IN_PROGRESS);
	else
		must((!err || err == DOCA_ERROR_IN_PROGRESS) && life->changes != changes);
}

static struct errand *pick_errand(struct life *life)
{
	struct errand *found = NULL;
	struct list_node *node;
	uint32_t count = 0;

	list_for_each (node, &life->errands) {
		struct errand *errand = container_of(node, struct errand, node);

		if (errand->state != ABANDONED && !pick(++count))
			found = errand;
	}
	return found;
}

static void use(struct life *life)
{
	struct errand *errand = pick_errand(life);

	if (!errand || chance(40))
		alloc(life);
	else if (chance(60))
		submit(errand);
	else if (errand->state == OWNED || chance(20))
		free_task(errand);
}

/* What is missing until it runs. */
static void bring_up(struct life *life)
{
	if (!life->is_configured)
		configure(life);
	else if (!life->pe)
		connect_to_engine(life);
	else
		start(life);
}

static bool progress(unsigned int engine)
{
	bool was_inside = stage.inside[engine], done;

	stage.inside[engine] = true;
	done = doca_pe_progress(stage.engines[engine]);
	must(!done || !was_inside);
	stage.inside[engine] = was_inside;
	return done;
}

static void act(void)
{
	struct life *life = &stage.lives[pick(LIVES)];

	if (!life->kind) {
		create(life);
		return;
	}
	switch (pick(16)) {
	case 0:
		destroy(life);
		break;
	case 1:
		configure(life);
		break;
	case 2:
		connect_to_engine(life);
		break;
	case 3:
	case 4:
		start(life);
		break;
	case 5:
		stop(life);
		break;
	case 6:
	case 7:
	case 8:
		progress(pick(ENGINES));
		break;
	default:
		if (life->state == DOCA_CTX_STATE_IDLE && chance(80))
			bring_up(life);
		else
			use(life);
	}
}

/*
 * Runs
 */

static void check(const struct life *life)
{
	size_t out = count_errands(life, OUT), inflight;
	enum doca_ctx_states state;

	must(!doca_ctx_get_state(life->ctx, &state) && state == life->state);
	must(!doca_ctx_get_num_inflight_tasks(life->ctx, &inflight));
	must(inflight >= out && inflight <= out + count_errands(life, ABANDONED));
}

static void open_stage(uint64_t seed)
{
	memset(&stage, 0, sizeof(stage));
	stage.random.state = seed;
	stage.dev = open_dev(DPU_PF0);
	for (unsigned int i = 0; i < ENGINES; i++)
		must(!doca_pe_create(&stage.engines[i]));
	must(!doca_mmap_create(&stage.mmap));
	must(!doca_mmap_set_memrange(stage.mmap, stage.memory, sizeof(stage.memory)));
	must(!doca_mmap_start(stage.mmap));
	must(!doca_buf_inventory_create(2, &stage.inventory));
	must(!doca_buf_inventory_start(stage.inventory));
	must(!doca_buf_inventory_buf_get_by_data(stage.inventory, stage.mmap, stage.memory, 32,
						 &stage.source));
	must(!doca_buf_inventory_buf_get_by_addr(stage.inventory, stage.mmap, stage.memory + 32, 32,
						 &stage.room));
	must(!doca_comch_msgq_create(stage.dev, &stage.msgq));
	must(!doca_comch_msgq_set_max_num_consumers(stage.msgq, QUEUE_ENDS));
	must(!doca_comch_msgq_set_max_num_producers(stage.msgq, QUEUE_ENDS));
	must(!doca_comch_msgq_start(stage.msgq));
}

/* false: it is not alive any more */
static bool wind_up(struct life *life)
{
	struct list_node *node, *next;

	if (!life->kind)
		return false;
	stop(life);
	for (node = life->errands.next; node != &life->errands; node = next) {
		struct errand *errand = container_of(node, struct errand, node);

		next = node->next;
		if (errand->state == OWNED)
			free_task(errand);
	}
	destroy(life);
	return life->kind;
}

static void close_stage(void)
{
	bool is_over = false;

	stage.calm = true;
	for (unsigned int rounds = 0; !is_over; rounds++) {
		must(rounds < ROUNDS_MAX);
		is_over = true;
		for (unsigned int i = 0; i < LIVES; i++)
			is_over &= !wind_up(&stage.lives[i]);
		for (unsigned int i = 0; i < ENGINES; i++)
			progress(i);
	}
	must(!doca_comch_msgq_stop(stage.msgq) && !doca_comch_msgq_destroy(stage.msgq));
	must(!doca_buf_dec_refcount(stage.source, NULL) &&
	     !doca_buf_dec_refcount(stage.room, NULL));
	must(!doca_buf_inventory_destroy(stage.inventory) && !doca_mmap_destroy(stage.mmap));
	for (unsigned int i = 0; i < ENGINES; i++)
		must(!doca_pe_destroy(stage.engines[i]));
	must(!doca_dev_close(stage.dev)); /* nobody uses it any more */
}

static void run(uint64_t seed, uint64_t steps)
{
	struct leak before = leak_count();

	open_stage(seed);
	for (seeds_step = 0; seeds_step < steps; seeds_step++) {
		act();
		for (unsigned int i = 0; i < LIVES; i++)
			if (stage.lives[i].kind)
				check(&stage.lives[i]);
	}
	close_stage();
	must(leak_check(&before));
}

int main(int argc, char **argv)
{
	seeds_run(argc, argv, run);
	printf("%llu starts, %llu tasks came back (%llu failed), %llu abandoned\n", tally.starts,
	       tally.tasks, tally.failed, tally.abandoned);
	return 0;
}
