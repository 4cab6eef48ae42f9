/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Handles of queue pairs.
 */
#define LOG_MODULE "sta"
#include "sta/sta.h"

#include <stdlib.h>
#include "base/log.h"
#include "sta/cmd_app.h"
#include "sta/fabric.h"
#include "sta/op.h"

/*
 * What the engine tells, inside doca_pe_progress()
 */

static void on_command(struct sta_cmd *cmd)
{
	struct doca_sta_qp_handle *qp = cmd->qp->user;
	struct doca_sta_io *io = qp->io;
	bool valid = cmd->where.place == CAPSULE_IN_CAPSULE;
	union doca_data token = {.u64 = cmd_token(cmd)};
	uint32_t size = cmd->buf->capacity;

	if (io->ctx.state != DOCA_CTX_STATE_RUNNING) /* nobody can answer; see reap() */
		return;
	if (valid)
		size = cmd->where.size;
	else if (cmd->where.place == CAPSULE_NO_DATA)
		size = 0;
	cmd->told = token.u64;
	io->ctx.pe->has_told = true;
	io->non_offload_cb(qp, io->non_offload_data, (const uint8_t *)&cmd->sqe, cmd->buf->data,
			   size, valid, token);
}

static void on_failure(struct sta_qp *qp)
{
	struct doca_sta_qp_handle *handle = qp->user;
	struct doca_sta_io *io = handle->io;
	struct doca_sta_event_transport_err event = {.qp = handle, .error = qp->error};

	if (!io->transport_err_cb)
		return;
	io->ctx.pe->has_told = true;
	io->transport_err_cb(&event, io->transport_err_data);
}

static const struct sta_qp_up up = {.command = on_command, .failed = on_failure};

/*
 * Making
 */

doca_error_t sta_io_check(const struct doca_sta_io *io, const struct doca_dev *dev)
{
	if (sta_dev_index(io->sta, dev) < 0) {
		LOG_ERR("a queue pair on a device that is not one of doca_sta_add_dev()");
		return DOCA_ERROR_INVALID_VALUE;
	}
	return io->ctx.state == DOCA_CTX_STATE_RUNNING ? DOCA_SUCCESS : DOCA_ERROR_BAD_STATE;
}

doca_error_t sta_qp_handle_create(struct doca_sta_io *io, const struct doca_dev *dev,
				  const struct fabric_ops *fabric,
				  struct doca_sta_subs_handle *subs,
				  struct doca_sta_qp_handle **ret_handle)
{
	struct doca_sta_qp_handle *handle;
	doca_error_t err = sta_io_check(io, dev);

	if (err)
		return err;
	if (subs && subs->sta != io->sta) {
		LOG_ERR("a queue pair for subsystem %s of another target", subs->nqn);
		return DOCA_ERROR_INVALID_VALUE;
	}
	handle = calloc(1, sizeof(*handle));
	if (!handle)
		return DOCA_ERROR_NO_MEMORY;
	err = sta_qp_create(io->sta->engine, fabric, &up, &io->inbox, &handle->qp);
	if (err) {
		LOG_ERR("no more queue pairs: %s", doca_error_get_descr(err));
		free(handle);
		return err;
	}
	list_init(&handle->tasks);
	handle->io = io;
	handle->dev = dev;
	handle->qp->user = handle;
	if (subs)
		sta_qp_handle_bind(handle, subs);
	pthread_mutex_lock(&io->sta->io_lock);
	list_add_tail(&io->qps, &handle->node);
	pthread_mutex_unlock(&io->sta->io_lock);
	*ret_handle = handle;
	return DOCA_SUCCESS;
}

bool sta_qp_handle_exists(struct doca_sta *sta, const struct doca_sta_qp_handle *handle,
			  uint32_t id)
{
	struct list_node *io, *node;
	bool exists = false;

	pthread_mutex_lock(&sta->io_lock);
	list_for_each (io, &sta->ios)
		list_for_each (node, &container_of(io, struct doca_sta_io, node)->qps)
			exists |= container_of(node, struct doca_sta_qp_handle, node) == handle &&
				  handle->qp->id == id;
	pthread_mutex_unlock(&sta->io_lock);
	return exists;
}

void sta_qp_handle_bind(struct doca_sta_qp_handle *handle, struct doca_sta_subs_handle *subs)
{
	if (!handle->subs)
		atomic_fetch_add_explicit(&subs->qp_count, 1, memory_order_relaxed);
	handle->subs = subs;
	/* Release: pairs with the acquire in dispatch() of cmd.c. */
	atomic_store_explicit(&handle->qp->subsys, &subs->subsys, memory_order_release);
}

static void unbind(struct doca_sta_qp_handle *handle)
{
	if (handle->subs) /* Release: pairs with the acquire in doca_sta_subsystem_destroy(). */
		atomic_fetch_sub_explicit(&handle->subs->qp_count, 1, memory_order_release);
	handle->subs = NULL;
}

void sta_qp_handle_disconnected(struct doca_sta_qp_handle *handle)
{
	handle->state = HANDLE_DISCONNECTED;
	unbind(handle);
}

void sta_qp_handle_destroy(struct doca_sta_qp_handle *handle)
{
	bool is_inherited = sta_is_inherited(handle->io->sta);

	sta_tasks_forget(&handle->tasks);
	unbind(handle);
	if (!is_inherited) /* what it waits for may need the lock */
		sta_qp_close(handle->qp);
	/* While it is in the list, the control thread does not stop the engine. */
	pthread_mutex_lock(&handle->io->sta->io_lock);
	if (!is_inherited)
		sta_qp_free(handle->qp);
	list_remove(&handle->node);
	pthread_mutex_unlock(&handle->io->sta->io_lock);
	free(handle->loop_host);
	free(handle);
}

void sta_qp_handle_start(struct doca_sta_qp_handle *handle)
{
	handle->state = HANDLE_STARTED;
	sta_qp_start(handle->qp);
}

doca_error_t softfield_sta_io_qp_connect_tcp(struct doca_sta_io *sta_io, const struct doca_dev *dev,
					     int sock, struct doca_sta_subs_handle *subs_handle,
					     struct doca_sta_qp_handle **qp_handle)
{
	struct doca_sta_qp_handle *handle;
	doca_error_t err;

	if (!sta_io || !dev || sock < 0 || !qp_handle)
		return DOCA_ERROR_INVALID_VALUE;
	err = sta_qp_handle_create(sta_io, dev, &fabric_tcp_ops, subs_handle, &handle);
	if (err)
		return err;
	err = fabric_tcp_set_socket(handle->qp, sock);
	if (err) {
		sta_qp_handle_destroy(handle);
		return err;
	}
	atomic_store_explicit(&handle->qp->established, true, memory_order_relaxed);
	sta_qp_handle_start(handle);
	*qp_handle = handle;
	return DOCA_SUCCESS;
}

/*
 * Using
 */

static bool belongs(const struct doca_sta_io *io, const struct doca_sta_qp_handle *qp)
{
	return io && qp && qp->io == io;
}

doca_error_t doca_sta_io_qp_connect_established(struct doca_sta_io *sta_io,
						struct doca_sta_qp_handle *qp_handle)
{
	if (!belongs(sta_io, qp_handle))
		return DOCA_ERROR_INVALID_VALUE;
	if (qp_handle->state == HANDLE_NEW)
		return DOCA_ERROR_BAD_STATE;
	if (qp_handle->state == HANDLE_STARTED)
		sta_qp_set_established(qp_handle->qp);
	return DOCA_SUCCESS;
}

doca_error_t doca_sta_io_qp_connect_set_sq_size(struct doca_sta_io *sta_io,
						struct doca_sta_qp_handle *qp_handle,
						uint16_t sq_size)
{
	if (!belongs(sta_io, qp_handle) || !sq_size ||
	    sq_size >= priv_topo_limits()->sta_max_io_queue_size)
		return DOCA_ERROR_INVALID_VALUE;
	atomic_store_explicit(&qp_handle->qp->sq_entries, sq_size + 1u, memory_order_relaxed);
	return DOCA_SUCCESS;
}

doca_error_t doca_sta_io_qp_add_subsystem(struct doca_sta_io *sta_io,
					  const struct doca_sta_subs_handle *subs_handle,
					  struct doca_sta_qp_handle *qp_handle)
{
	if (!belongs(sta_io, qp_handle) || !subs_handle || subs_handle->sta != sta_io->sta)
		return DOCA_ERROR_INVALID_VALUE;
	if (qp_handle->state == HANDLE_DISCONNECTED)
		return DOCA_ERROR_BAD_STATE;
	if (qp_handle->subs && qp_handle->subs != subs_handle)
		return DOCA_ERROR_ALREADY_EXIST;
	/* const says that the name stays; that it is in use is noted nevertheless */
	sta_qp_handle_bind(qp_handle, (struct doca_sta_subs_handle *)(uintptr_t)subs_handle);
	return DOCA_SUCCESS;
}

doca_error_t softfield_sta_io_qp_remove_subsystem(struct doca_sta_io *sta_io,
						  struct doca_sta_qp_handle *qp_handle)
{
	if (!belongs(sta_io, qp_handle))
		return DOCA_ERROR_INVALID_VALUE;
	/* Relaxed: nothing comes with it. The EU may be looking at it: it stays in use. */
	atomic_store_explicit(&qp_handle->qp->subsys, NULL, memory_order_relaxed);
	return DOCA_SUCCESS;
}

doca_error_t softfield_sta_io_qp_hide_ns(struct doca_sta_io *sta_io,
					 struct doca_sta_qp_handle *qp_handle, uint32_t fe_nsid,
					 bool hidden)
{
	const uint64_t bit = 1ull << fe_nsid % 64;

	if (!belongs(sta_io, qp_handle) || fe_nsid > STA_HIDDEN_NSID_MAX)
		return DOCA_ERROR_INVALID_VALUE;
	/* Relaxed: see qp_hides(). */
	if (hidden)
		atomic_fetch_or_explicit(&qp_handle->qp->hidden[fe_nsid / 64], bit,
					 memory_order_relaxed);
	else
		atomic_fetch_and_explicit(&qp_handle->qp->hidden[fe_nsid / 64], ~bit,
					  memory_order_relaxed);
	return DOCA_SUCCESS;
}

struct half {
	struct sta_qp *qp;
	uint16_t cid;
	bool aborted;
};

static void abort_half(struct sta_eu *eu, void *arg)
{
	struct half *half = arg;

	(void)eu;
	half->aborted = cmd_abort_half(half->qp, half->cid);
}

doca_error_t softfield_sta_io_qp_abort_half(struct doca_sta_io *sta_io,
					    struct doca_sta_qp_handle *qp_handle, uint16_t cid)
{
	struct half half = {.cid = cid};

	if (!belongs(sta_io, qp_handle))
		return DOCA_ERROR_INVALID_VALUE;
	half.qp = qp_handle->qp;
	sta_eu_call(half.qp->eu, abort_half, &half);
	return half.aborted ? DOCA_SUCCESS : DOCA_ERROR_NOT_FOUND;
}

doca_error_t doca_sta_io_qp_destroy(struct doca_sta_io *sta_io,
				    struct doca_sta_qp_handle *qp_handle)
{
	if (!belongs(sta_io, qp_handle))
		return DOCA_ERROR_INVALID_VALUE;
	if (qp_handle->state != HANDLE_NEW && qp_handle->state != HANDLE_DISCONNECTED)
		return DOCA_ERROR_BAD_STATE;
	sta_qp_handle_destroy(qp_handle);
	return DOCA_SUCCESS;
}

doca_error_t doca_sta_io_qp_get_id(struct doca_sta_qp_handle *qp_handle, uint32_t *qp_id)
{
	if (!qp_handle || !qp_id)
		return DOCA_ERROR_INVALID_VALUE;
	*qp_id = qp_handle->qp->id;
	return DOCA_SUCCESS;
}

doca_error_t doca_sta_io_qp_get_port_id(struct doca_sta_qp_handle *qp_handle, uint16_t *port_id)
{
	if (!qp_handle || !port_id)
		return DOCA_ERROR_INVALID_VALUE;
	*port_id = (uint16_t)sta_dev_index(qp_handle->io->sta, qp_handle->dev);
	return DOCA_SUCCESS;
}

doca_error_t doca_sta_io_qp_get_group_id(struct doca_sta_qp_handle *qp_handle, uint16_t *group_id)
{
	if (!qp_handle || !group_id)
		return DOCA_ERROR_INVALID_VALUE;
	*group_id = (uint16_t)(qp_handle->qp->eu->index * STA_EU_ROLES + DOCA_STA_EU_COMP - 1);
	return DOCA_SUCCESS;
}

doca_error_t doca_sta_io_qp_get_index_in_group(struct doca_sta_qp_handle *qp_handle,
					       uint16_t *qp_idx)
{
	if (!qp_handle || !qp_idx)
		return DOCA_ERROR_INVALID_VALUE;
	*qp_idx = sta_qp_index(qp_handle->qp);
	return DOCA_SUCCESS;
}

doca_error_t doca_sta_io_qp_set_user_data(struct doca_sta_io *sta_io,
					  struct doca_sta_qp_handle *qp_handle,
					  union doca_data user_data)
{
	if (!belongs(sta_io, qp_handle))
		return DOCA_ERROR_INVALID_VALUE;
	qp_handle->user_data = user_data;
	return DOCA_SUCCESS;
}

doca_error_t doca_sta_io_qp_get_user_data(const struct doca_sta_qp_handle *qp_handle,
					  union doca_data *user_data)
{
	if (!qp_handle || !user_data)
		return DOCA_ERROR_INVALID_VALUE;
	*user_data = qp_handle->user_data;
	return DOCA_SUCCESS;
}
