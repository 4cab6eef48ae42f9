/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Kernels: functions that the host launches and does not wait for. Each rank borrows a unit; before
 * that one unit waits for the event that the kernel is to wait for.
 */
#define LOG_MODULE "dpa"
#include <stdlib.h>
#include "base/log.h"
#include "core/sync_event_dpa.h"
#include "dpa/activation.h"
#include "dpa/unit.h"

/* what the event that a kernel waits for may be compared with */
#define WAIT_THRESHOLD_MAX 254u

struct launch;

struct rank {
	struct unit_work work;
	struct launch *launch;
	unsigned int rank;
};

/* what a call says */
struct launch_attr {
	struct doca_sync_event *wait_event, *comp_event; /* NULL: none */
	uint64_t wait_threshold, comp_count;
	bool adds; /* to the completion event; else sets it */
};

struct launch {
	struct doca_dpa *dpa;  /* a base */
	struct list_node node; /* in dpa->launches */
	const struct softfield_dpa_func *func;
	void *args;
	doca_dpa_dev_sync_event_t wait_event, comp_event; /* 0: none */
	uint64_t wait_threshold, comp_count;
	bool adds; /* see struct launch_attr */
	struct unit_work waiter;
	doca_error_t wait_result;
	_Atomic uint32_t num_running;
	unsigned int num_ranks;
	struct rank ranks[];
};

static void launch_free(struct launch *launch)
{
	priv_fork_hold();
	list_remove(&launch->node);
	priv_fork_release();
	free(launch->args);
	free(launch);
}

void kernels_forget(struct doca_dpa *dpa)
{
	while (!list_is_empty(&dpa->launches))
		launch_free(container_of(dpa->launches.next, struct launch, node));
}

/*
 * In units
 */

static void run_rank(struct unit_work *work)
{
	struct rank *rank = container_of(work, struct rank, work);
	struct launch *launch = rank->launch;
	struct activation activation = {
		.dpa = launch->dpa,
		.rank = rank->rank,
		.num_threads = launch->num_ranks,
	};
	uint64_t value;

	activation_run(&activation, launch->func, launch->args, &value);
}

static void tell(const struct launch *launch)
{
	if (!launch->comp_event)
		return;
	if (launch->adds)
		priv_sync_event_dpa_add(launch->comp_event, launch->comp_count);
	else
		priv_sync_event_dpa_set(launch->comp_event, launch->comp_count);
}

static void rank_ended(struct unit_work *work)
{
	struct launch *launch = container_of(work, struct rank, work)->launch;

	/* All that the others have done is visible to who sees the completion event. */
	if (atomic_fetch_sub(&launch->num_running, 1) > 1)
		return;
	if (!atomic_load(&launch->dpa->is_ending))
		tell(launch);
	launch_free(launch);
}

static doca_error_t start_ranks(struct launch *launch)
{
	return lend_units(launch->dpa, &launch->ranks[0].work, launch->num_ranks);
}

/* It will never run. */
static void launch_give_up(struct launch *launch, const char *why)
{
	if (!atomic_load(&launch->dpa->is_ending))
		dpa_fail(launch->dpa, why);
	launch_free(launch);
}

static void rank_refused(struct unit_work *work)
{
	launch_give_up(container_of(work, struct rank, work)->launch, "no units for a kernel");
}

static bool is_ending(void *arg)
{
	return atomic_load((const atomic_bool *)arg);
}

static void wait_for_event(struct unit_work *work)
{
	struct launch *launch = container_of(work, struct launch, waiter);
	struct doca_dpa *dpa = launch->dpa;

	launch->wait_result = priv_sync_event_dpa_wait_ge(
		launch->wait_event, launch->wait_threshold, is_ending, &dpa->is_ending);
}

static void has_waited(struct unit_work *work)
{
	struct launch *launch = container_of(work, struct launch, waiter);

	if (launch->wait_result != DOCA_SUCCESS)
		launch_give_up(launch, "the event that a kernel waits for has been stopped");
	else if (start_ranks(launch) != DOCA_SUCCESS)
		launch_give_up(launch, "no units for a kernel that has waited for its event");
}

static void waiter_refused(struct unit_work *work)
{
	launch_give_up(container_of(work, struct launch, waiter),
		       "no unit for a kernel that waits for an event");
}

/*
 * From the host
 */

static doca_error_t check_events(const struct launch_attr *attr)
{
	if (attr->wait_event && attr->wait_threshold > WAIT_THRESHOLD_MAX) {
		LOG_ERR("a kernel cannot wait for %llu; 0 to %u are possible",
			(unsigned long long)attr->wait_threshold, WAIT_THRESHOLD_MAX);
		return DOCA_ERROR_INVALID_VALUE;
	}
	if (attr->wait_event && !priv_sync_event_dpa_may_wait(attr->wait_event)) {
		LOG_ERR("a kernel cannot wait for this event: started, and with the DPA as "
			"subscriber");
		return DOCA_ERROR_INVALID_VALUE;
	}
	if (attr->comp_event && !priv_sync_event_dpa_may_update(attr->comp_event)) {
		LOG_ERR("a kernel cannot report to this event: started, and with the DPA as "
			"publisher");
		return DOCA_ERROR_INVALID_VALUE;
	}
	return DOCA_SUCCESS;
}

static const struct softfield_dpa_func *find_kernel(const struct doca_dpa *dpa,
						    doca_dpa_func_t *stub)
{
	const struct softfield_dpa_func *func = dpa_find_func(dpa, stub);

	if (!func || !func->is_rpc)
		return func;
	LOG_ERR("%s() cannot be launched: it is __dpa_rpc__", func->name);
	return NULL;
}

static struct launch *launch_create(struct doca_dpa *dpa, const struct softfield_dpa_func *func,
				    const struct launch_attr *attr, unsigned int num_ranks)
{
	struct launch *launch = calloc(1, sizeof(*launch) + num_ranks * sizeof(struct rank));
	unsigned int i;

	if (!launch)
		return NULL;
	launch->args = dpa_alloc_args(func);
	if (!launch->args) {
		free(launch);
		return NULL;
	}
	launch->dpa = dpa_base(dpa);
	launch->func = func;
	launch->wait_event = priv_sync_event_dpa_handle(attr->wait_event);
	launch->comp_event = priv_sync_event_dpa_handle(attr->comp_event);
	launch->wait_threshold = attr->wait_threshold;
	launch->comp_count = attr->comp_count;
	launch->adds = attr->adds;
	launch->waiter = (struct unit_work){
		.run = wait_for_event,
		.ended = has_waited,
		.refused = waiter_refused,
		.is_wait = true,
	};
	launch->num_ranks = num_ranks;
	atomic_init(&launch->num_running, num_ranks);
	for (i = 0; i < num_ranks; i++)
		launch->ranks[i] = (struct rank){
			.work = {.run = run_rank,
				 .ended = rank_ended,
				 .refused = rank_refused,
				 .next = i + 1 < num_ranks ? &launch->ranks[i + 1].work : NULL},
			.launch = launch,
			.rank = i,
		};
	priv_fork_hold();
	list_add_tail(&launch->dpa->launches, &launch->node);
	priv_fork_release();
	return launch;
}

static doca_error_t launch_kernel(struct doca_dpa *dpa, const struct launch_attr *attr,
				  unsigned int num_threads, doca_dpa_func_t *stub, va_list ap)
{
	const struct softfield_dpa_func *func;
	struct launch *launch;
	doca_error_t err;

	if (!dpa || !stub)
		return DOCA_ERROR_INVALID_VALUE;
	if (!num_threads || num_threads > DPA_MAX_RANKS) {
		LOG_ERR("a kernel of %u threads; 1 to %u are possible", num_threads, DPA_MAX_RANKS);
		return DOCA_ERROR_INVALID_VALUE;
	}
	if (!dpa->is_started)
		return DOCA_ERROR_BAD_STATE;
	func = find_kernel(dpa, stub);
	if (!func)
		return DOCA_ERROR_INVALID_VALUE;
	err = check_events(attr);
	if (err)
		return err;
	launch = launch_create(dpa, func, attr, num_threads);
	if (!launch)
		return DOCA_ERROR_NO_MEMORY;
	func->pack(launch->args, ap);
	err = attr->wait_event ? lend_units(launch->dpa, &launch->waiter, 1) : start_ranks(launch);
	if (err) {
		LOG_ERR("%s(): no %u units to run on: %s", func->name, num_threads,
			doca_error_get_name(err));
		launch_free(launch);
	}
	return err;
}

doca_error_t doca_dpa_kernel_launch_update_set(struct doca_dpa *dpa,
					       struct doca_sync_event *wait_event,
					       uint64_t wait_threshold,
					       struct doca_sync_event *comp_event,
					       uint64_t comp_count, unsigned int num_threads,
					       doca_dpa_func_t *func, ...)
{
	const struct launch_attr attr = {wait_event, comp_event, wait_threshold, comp_count, false};
	doca_error_t err;
	va_list ap;

	va_start(ap, func);
	err = launch_kernel(dpa, &attr, num_threads, func, ap);
	va_end(ap);
	return err;
}

doca_error_t doca_dpa_kernel_launch_update_add(struct doca_dpa *dpa,
					       struct doca_sync_event *wait_event,
					       uint64_t wait_threshold,
					       struct doca_sync_event *comp_event,
					       uint64_t comp_count, unsigned int num_threads,
					       doca_dpa_func_t *func, ...)
{
	const struct launch_attr attr = {wait_event, comp_event, wait_threshold, comp_count, true};
	doca_error_t err;
	va_list ap;

	va_start(ap, func);
	err = launch_kernel(dpa, &attr, num_threads, func, ap);
	va_end(ap);
	return err;
}
