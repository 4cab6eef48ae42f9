/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Subsystems and their namespaces.
 */
#define LOG_MODULE "sta"
#include "sta/sta.h"

#include <stdlib.h>
#include <string.h>
#include "base/log.h"

static bool nqn_is_taken(const struct doca_sta *sta, const char *nqn)
{
	struct list_node *node;

	list_for_each (node, &sta->subsystems)
		if (!strcmp(container_of(node, struct doca_sta_subs_handle, node)->nqn, nqn))
			return true;
	return false;
}

void sta_subsystems_attach(struct doca_sta *sta)
{
	struct list_node *node;

	list_for_each (node, &sta->subsystems)
		container_of(node, struct doca_sta_subs_handle, node)->subsys.engine = sta->engine;
}

doca_error_t doca_sta_subsystem_create(struct doca_sta *sta, const char *nqn,
				       struct doca_sta_subs_handle **subs_handle)
{
	struct doca_sta_subs_handle *subs;

	if (!sta || !nqn || !subs_handle)
		return DOCA_ERROR_INVALID_VALUE;
	if (!*nqn || strlen(nqn) >= sizeof(subs->nqn)) {
		LOG_ERR("a subsystem's name of %zu bytes; 1 to %zu are allowed", strlen(nqn),
			sizeof(subs->nqn) - 1);
		return DOCA_ERROR_INVALID_VALUE;
	}
	if (!sta_is_running(sta) && ctx_check_idle(&sta->ctx))
		return DOCA_ERROR_BAD_STATE;
	if (nqn_is_taken(sta, nqn)) {
		LOG_ERR("there is a subsystem %s already", nqn);
		return DOCA_ERROR_ALREADY_EXIST;
	}
	if (sta->subsystem_count >= priv_topo_limits()->sta_max_subsys) {
		LOG_ERR("the target has %u subsystems, which is the limit", sta->subsystem_count);
		return DOCA_ERROR_FULL;
	}
	subs = calloc(1, sizeof(*subs));
	if (!subs)
		return DOCA_ERROR_NO_MEMORY;
	subs->sta = sta;
	list_init(&subs->namespaces);
	strcpy(subs->nqn, nqn);
	sta_subsys_init(&subs->subsys, sta->engine); /* NULL until the target starts */
	list_add_tail(&sta->subsystems, &subs->node);
	sta->subsystem_count++;
	*subs_handle = subs;
	return DOCA_SUCCESS;
}

doca_error_t doca_sta_subsystem_destroy(struct doca_sta_subs_handle *subs_handle)
{
	uint32_t qps;

	if (!subs_handle)
		return DOCA_ERROR_INVALID_VALUE;
	/* Acquire: pairs with the release in unbind() of io_qp.c. */
	qps = atomic_load_explicit(&subs_handle->qp_count, memory_order_acquire);
	if (subs_handle->subsys.ns_count || qps) {
		LOG_ERR("subsystem %s cannot be destroyed: it has %u namespaces and %u queue pairs",
			subs_handle->nqn, subs_handle->subsys.ns_count, qps);
		return DOCA_ERROR_IN_USE;
	}
	list_remove(&subs_handle->node);
	while (list_pop(&subs_handle->namespaces))
		; /* their tasks are under way */
	subs_handle->sta->subsystem_count--;
	free(subs_handle);
	return DOCA_SUCCESS;
}

doca_error_t doca_sta_subsystem_add_dev(struct doca_sta_subs_handle *subs_handle,
					const struct doca_dev *dev)
{
	uint32_t i;

	if (!subs_handle || !dev)
		return DOCA_ERROR_INVALID_VALUE;
	if (sta_dev_index(subs_handle->sta, dev) < 0) {
		LOG_ERR("subsystem %s: the device is not one of doca_sta_add_dev()",
			subs_handle->nqn);
		return DOCA_ERROR_NOT_FOUND;
	}
	for (i = 0; i < subs_handle->dev_count; i++)
		if (subs_handle->devs[i] == dev)
			return DOCA_ERROR_ALREADY_EXIST;
	if (subs_handle->subsys.ns_count) {
		LOG_ERR("subsystem %s: devices are added before namespaces", subs_handle->nqn);
		return DOCA_ERROR_BAD_STATE;
	}
	subs_handle->devs[subs_handle->dev_count++] = dev; /* no more than the target has */
	return DOCA_SUCCESS;
}

static bool is_nsid(uint32_t nsid)
{
	return nsid && nsid != NVME_NSID_ALL;
}

doca_error_t doca_sta_subsystem_add_ns(struct doca_sta_subs_handle *subs_handle, uint32_t fe_ns_id,
				       uint32_t ns_block_size, uint32_t be_ns_id,
				       struct doca_sta_be_handle *be_handle,
				       struct doca_sta_ns_handle **ns_handle)
{
	struct doca_sta_ns_handle *ns;
	doca_error_t err;

	if (!subs_handle || !be_handle || !ns_handle)
		return DOCA_ERROR_INVALID_VALUE;
	if (!is_nsid(fe_ns_id) || !is_nsid(be_ns_id) || be_handle->sta != subs_handle->sta) {
		LOG_ERR("subsystem %s: namespace %#x on %#x of a back end of %s target",
			subs_handle->nqn, fe_ns_id, be_ns_id,
			be_handle->sta == subs_handle->sta ? "this" : "another");
		return DOCA_ERROR_INVALID_VALUE;
	}
	if (subs_handle->subsys.ns_count >= priv_topo_limits()->sta_max_ns_per_subs) {
		LOG_ERR("subsystem %s has %u namespaces, which is the limit", subs_handle->nqn,
			subs_handle->subsys.ns_count);
		return DOCA_ERROR_FULL;
	}
	ns = calloc(1, sizeof(*ns));
	if (!ns)
		return DOCA_ERROR_NO_MEMORY;
	ns->subs = subs_handle;
	list_init(&ns->tasks);
	err = sta_ns_add(&subs_handle->subsys, fe_ns_id, ns_block_size, be_ns_id, &be_handle->be,
			 &ns->ns);
	if (err) {
		LOG_ERR("subsystem %s: namespace %u with blocks of %u bytes: %s", subs_handle->nqn,
			fe_ns_id, ns_block_size, doca_error_get_descr(err));
		free(ns);
		return err;
	}
	list_add_tail(&subs_handle->namespaces, &ns->node);
	err = sta_ns_entries_init(ns);
	if (err) {
		doca_sta_subsystem_rm_ns(subs_handle, ns);
		return err;
	}
	*ns_handle = ns;
	return DOCA_SUCCESS;
}

static void free_ns(struct doca_sta_ns_handle *ns)
{
	list_remove(&ns->node);
	sta_tasks_forget(&ns->tasks);
	sta_ns_free(ns->ns);
	sta_entries_free(&ns->entries);
	free(ns);
}

/* The handle of one that has been removed is compared, and not looked at. */
static bool can_remove(const struct doca_sta_subs_handle *subs, const struct doca_sta_ns_handle *ns)
{
	const struct list_node *node;

	if (!subs || !ns)
		return false;
	list_for_each (node, &subs->namespaces)
		if (&ns->node == node)
			return true;
	return false;
}

doca_error_t doca_sta_subsystem_rm_ns(struct doca_sta_subs_handle *subs_handle,
				      struct doca_sta_ns_handle *ns_handle)
{
	sem_t gone;

	if (!can_remove(subs_handle, ns_handle))
		return DOCA_ERROR_INVALID_VALUE;
	if (ns_handle->removing)
		return DOCA_ERROR_BAD_STATE;
	sem_init(&gone, 0, 0);
	ns_handle->removal = (struct sta_ns_removal){.waiter = &gone};
	sta_ns_remove(ns_handle->ns, &ns_handle->removal);
	while (!sta_is_inherited(subs_handle->sta) && sem_wait(&gone))
		; /* EINTR */
	sem_destroy(&gone);
	free_ns(ns_handle);
	return DOCA_SUCCESS;
}

doca_error_t softfield_sta_ns_set_refusal(struct doca_sta_ns_handle *ns_handle, uint16_t status)
{
	if (!ns_handle)
		return DOCA_ERROR_INVALID_VALUE;
	atomic_store_explicit(&ns_handle->ns->refusal, status, memory_order_relaxed);
	return DOCA_SUCCESS;
}

/*
 * The task
 */

static void removed(struct mbox_msg *done)
{
	struct doca_sta_ns_handle *ns = container_of(done, struct doca_sta_ns_handle, removal.done);
	struct doca_sta_producer_task_send *task = ns->task;

	free_ns(ns);
	task_report(&task->base, DOCA_SUCCESS);
}

static doca_error_t submit_rm_ns(struct doca_task *base, uint32_t flags)
{
	struct doca_sta_producer_task_send *task = sta_task_of(base);
	struct doca_sta_ns_handle *ns = task->ns;

	(void)flags;
	if (!ns || ns->removing)
		return DOCA_ERROR_BAD_STATE;
	task_accept(base);
	ns->removing = true;
	ns->task = task;
	ns->removal = (struct sta_ns_removal){.reply = &ns->subs->sta->inbox, .deliver = removed};
	sta_ns_remove(ns->ns, &ns->removal);
	return DOCA_SUCCESS;
}

static const struct task_type rm_ns_type = {.name = "remove namespace", .submit = submit_rm_ns};

doca_error_t
doca_sta_subsystem_task_rm_ns_set_conf(struct doca_sta *sta,
				       doca_sta_task_completion_cb_t task_completion_cb,
				       doca_sta_task_completion_cb_t task_error_cb)
{
	const struct topo_limits *limits = priv_topo_limits();

	if (!sta)
		return DOCA_ERROR_INVALID_VALUE;
	return sta_task_set_conf(&sta->rm_ns_pool, &sta->ctx, &rm_ns_type,
				 (struct sta_task_conf){task_completion_cb, task_error_cb},
				 (uint32_t)limits->sta_max_ns_per_subs, &sta->rm_ns_conf);
}

doca_error_t doca_sta_subsystem_task_rm_ns_alloc_init(struct doca_sta_subs_handle *subs_handle,
						      struct doca_sta_ns_handle *ns_handle,
						      union doca_data user_data,
						      struct doca_sta_producer_task_send **task)
{
	doca_error_t err;

	if (!can_remove(subs_handle, ns_handle) || !task)
		return DOCA_ERROR_INVALID_VALUE;
	err = sta_task_alloc(&subs_handle->sta->rm_ns_pool, &subs_handle->sta->rm_ns_conf,
			     user_data, &ns_handle->tasks, task);
	if (err)
		return err;
	(*task)->ns = ns_handle;
	return DOCA_SUCCESS;
}
