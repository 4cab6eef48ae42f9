/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Send tasks.
 */
#include "cc/cc.h"

struct doca_task *doca_cc_task_send_as_task(struct doca_cc_task_send *task)
{
	return doca_comch_task_send_as_task((struct doca_comch_task_send *)task);
}

struct doca_task *doca_cc_send_task_as_task(struct doca_cc_send_task *task)
{
	return doca_comch_task_send_as_task((struct doca_comch_task_send *)task);
}
