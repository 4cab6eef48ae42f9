/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What queues, consumers and producers ask of a DPA before they keep a pointer to it.
 */
#define LOG_MODULE "comch"
#include "comch/on_dpa.h"

#include "base/log.h"
#include "core/dev.h"
#include "core/dpa_hook.h"

#define DEPTH 256u /* unless the program says how many */

doca_error_t on_dpa_attach(const struct doca_dev *dev, struct doca_dpa *dpa,
			   struct doca_dpa **dpa_of_object)
{
	doca_error_t err;

	if (!priv_dpa)
		return DOCA_ERROR_NOT_SUPPORTED;
	if (priv_dev_function(priv_dpa->get_dev(dpa)) != priv_dev_function(dev)) {
		LOG_ERR("a message queue and its DPA are on different devices");
		return DOCA_ERROR_INVALID_VALUE;
	}
	err = priv_dpa->attach(dpa);
	if (err)
		return err;
	on_dpa_detach(dpa_of_object);
	*dpa_of_object = dpa;
	return DOCA_SUCCESS;
}

void on_dpa_detach(struct doca_dpa **dpa_of_object)
{
	if (*dpa_of_object)
		priv_dpa->detach(*dpa_of_object);
	*dpa_of_object = NULL;
}

doca_error_t on_dpa_choose(struct on_dpa *on_dpa, const struct doca_dev *dev, struct doca_dpa *dpa)
{
	doca_error_t err = priv_dpa->check_same(on_dpa->of_queue, dpa, "a data path");

	return err ? err : on_dpa_attach(dev, dpa, &on_dpa->dpa);
}

doca_error_t on_dpa_init(struct on_dpa *on_dpa, enum dpa_kind kind, void *object,
			 struct doca_dpa *dpa)
{
	on_dpa->place = priv_dpa_place_take(kind, object);
	if (!on_dpa->place)
		return DOCA_ERROR_NO_MEMORY;
	on_dpa->is_wanted = true;
	on_dpa->of_queue = dpa;
	on_dpa->depth = DEPTH;
	return DOCA_SUCCESS;
}

void on_dpa_fini(struct on_dpa *on_dpa)
{
	if (!on_dpa->is_wanted)
		return;
	priv_dpa_place_give(on_dpa->place);
	on_dpa_detach(&on_dpa->dpa);
}

doca_error_t on_dpa_check(const struct on_dpa *on_dpa, const char *what, uint32_t id)
{
	if (on_dpa->dpa)
		return DOCA_SUCCESS;
	LOG_ERR("%s %u: its queue has them on a DPA: call doca_ctx_set_datapath_on_dpa() before "
		"doca_ctx_start()",
		what, id);
	return DOCA_ERROR_BAD_STATE;
}

doca_error_t on_dpa_check_handle(const struct on_dpa *on_dpa, const struct doca_ctx *ctx,
				 const char *what, uint32_t id)
{
	if (on_dpa->is_wanted && ctx->state == DOCA_CTX_STATE_RUNNING)
		return DOCA_SUCCESS;
	LOG_ERR("%s %u has no handle for DPA code: %s", what, id,
		on_dpa->is_wanted ? "it is not running" : "its queue has them on the CPU");
	return DOCA_ERROR_BAD_STATE;
}

__attribute__((cold)) doca_error_t on_dpa_refuse_task(const char *what, uint32_t id)
{
	LOG_ERR("%s %u: on a DPA it has no tasks", what, id);
	return DOCA_ERROR_BAD_STATE;
}

/* Takes what the pool has at hand. */
static void take_tasks(struct on_dpa *on_dpa, struct task_pool *pool)
{
	struct doca_task *task;

	while ((task = pool->free)) {
		pool->free = task->next;
		task->state = TASK_IDLE;
		on_dpa_return_task(on_dpa, task);
	}
}

void on_dpa_start(struct on_dpa *on_dpa, struct task_pool *pool, struct dpa_engine *engine)
{
	on_dpa->has_warned = false;
	do
		take_tasks(on_dpa, pool);
	while (priv_task_pool_refill(pool));
	dpa_place_set_engine(on_dpa->place, engine);
}

void on_dpa_stop(struct on_dpa *on_dpa)
{
	struct doca_task *task;

	dpa_place_set_engine(on_dpa->place, NULL);
	while ((task = on_dpa_next_task(on_dpa)))
		doca_task_free(task);
}
