/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The library's side of core/dpa_hook.h: MsgQ, maps and events reach a DPA through this table.
 */
#include "dpa/dpa.h"

#include "dpa/completion.h"
#include "dpa/activation.h"
#include "dpa/unit.h"
#include "dpa/thread.h"

static struct doca_dev *get_dev(const struct doca_dpa *dpa)
{
	return dpa->dev;
}

static doca_error_t attach(struct doca_dpa *dpa)
{
	if (!dpa->is_started)
		return DOCA_ERROR_BAD_STATE;
	dpa_ref(dpa);
	return DOCA_SUCCESS;
}

static doca_error_t check_thread(struct doca_dpa *dpa, uint64_t thread_handle)
{
	const struct doca_dpa_thread *thread = dpa_object_at(thread_handle, DPA_THREAD);

	return thread ? dpa_check_same(dpa, thread->dpa, "a DPA thread") : DOCA_SUCCESS;
}

static doca_error_t check_completion(struct doca_dpa *dpa,
				     const struct doca_dpa_completion *completion)
{
	return dpa_check_same(dpa, completion->dpa, "a DPA completion");
}

static uint64_t get_thread_handle(const struct doca_dpa_thread *thread)
{
	return dpa_handle_of(thread->place);
}

static doca_error_t attach_thread(uint64_t handle, struct doca_dpa_thread **ret_thread,
				  struct dpa_engine **ret_engine)
{
	struct doca_dpa_thread *thread;
	doca_error_t err = thread_attach(handle, &thread);

	if (err)
		return err;
	err = unit_get_engine(thread->unit, ret_engine);
	if (err)
		thread_detach(thread);
	else
		*ret_thread = thread;
	return err;
}

static uint64_t get_completion_handle(const struct doca_dpa_completion *completion)
{
	return dpa_handle_of(completion->place);
}

const struct dpa_ops dpa_hook_ops = {
	.get_dev = get_dev,
	.attach = attach,
	.detach = dpa_unref,
	.check_same = dpa_check_same,
	.check_thread = check_thread,
	.check_completion = check_completion,
	.get_engine = units_get_engine,
	.thread_handle = get_thread_handle,
	.thread_attach = attach_thread,
	.thread_detach = thread_detach,
	.thread_trigger = thread_trigger,
	.completion_handle = get_completion_handle,
	.completion_attach = completion_attach,
	.completion_detach = completion_detach,
	.completion_push = completion_push_send,
	.check = activation_check,
	.pause = activation_pause,
	.note_found = activation_note_found,
	.fail = dpa_fail,
};
