/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Remote procedure calls: a function of the DPA, called by the host, which waits for its value.
 */
#define LOG_MODULE "dpa"
#include <stdlib.h>
#include "base/log.h"
#include "base/no_cancel.h"
#include "core/pe.h"
#include "dpa/activation.h"
#include "dpa/unit.h"

struct rpc {
	struct unit_work work;
	struct activation activation;
	const struct softfield_dpa_func *func;
	void *args;
	uint64_t value;
	enum activation_end end;
	pthread_mutex_t lock; /* of is_done */
	pthread_cond_t done;
	bool is_done;
};

static struct rpc *rpc_of(struct unit_work *work)
{
	return container_of(work, struct rpc, work);
}

static void run(struct unit_work *work)
{
	struct rpc *rpc = rpc_of(work);

	rpc->end = activation_run(&rpc->activation, rpc->func, rpc->args, &rpc->value);
}

static void ended(struct unit_work *work)
{
	struct rpc *rpc = rpc_of(work);

	pthread_mutex_lock(&rpc->lock);
	rpc->is_done = true;
	pthread_cond_signal(&rpc->done);
	pthread_mutex_unlock(&rpc->lock);
}

/* There is no unit for it any more, or the DPA ends. */
static void refused(struct unit_work *work)
{
	rpc_of(work)->end = ACTIVATION_GIVEN_UP;
	ended(work);
}

/* Has a unit run it, and waits: what the unit works on is on our stack. */
static doca_error_t call(struct doca_dpa *dpa, struct rpc *rpc)
{
	NO_CANCEL();
	doca_error_t err;

	pthread_mutex_init(&rpc->lock, NULL);
	pthread_cond_init(&rpc->done, NULL);
	pthread_mutex_lock(&dpa->rpc_lock);
	err = lend_units(dpa, &rpc->work, 1);
	if (!err) {
		pthread_mutex_lock(&rpc->lock);
		while (!rpc->is_done)
			pthread_cond_wait(&rpc->done, &rpc->lock);
		pthread_mutex_unlock(&rpc->lock);
	}
	pthread_mutex_unlock(&dpa->rpc_lock);
	pthread_cond_destroy(&rpc->done);
	pthread_mutex_destroy(&rpc->lock);
	if (err)
		LOG_ERR("%s(): no unit to run on: %s", rpc->func->name, doca_error_get_name(err));
	return err;
}

doca_error_t doca_dpa_rpc(struct doca_dpa *dpa, doca_dpa_func_t *func, uint64_t *retval, ...)
{
	struct rpc rpc = {.work = {.run = run, .ended = ended, .refused = refused}};
	va_list ap;
	doca_error_t err;

	if (!dpa || !func || !retval)
		return DOCA_ERROR_INVALID_VALUE;
	if (!dpa->is_started)
		return DOCA_ERROR_BAD_STATE;
	rpc.func = dpa_find_func(dpa, func);
	if (!rpc.func)
		return DOCA_ERROR_INVALID_VALUE;
	if (!rpc.func->is_rpc) {
		LOG_ERR("%s() cannot be called: it is not __dpa_rpc__", rpc.func->name);
		return DOCA_ERROR_INVALID_VALUE;
	}
	rpc.args = dpa_alloc_args(rpc.func);
	if (!rpc.args)
		return DOCA_ERROR_NO_MEMORY;
	va_start(ap, retval);
	rpc.func->pack(rpc.args, ap);
	va_end(ap);
	rpc.activation = (struct activation){.dpa = dpa_base(dpa), .num_threads = 1};
	priv_pe_put_off_no_more();
	err = call(dpa_base(dpa), &rpc);
	free(rpc.args);
	if (err)
		return err;
	if (rpc.end != ACTIVATION_RETURNED)
		return DOCA_ERROR_BAD_STATE;
	*retval = rpc.value;
	return DOCA_SUCCESS;
}
