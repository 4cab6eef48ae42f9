/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Who stands before this library: see core/interposed.h.
 */
#include "core/interposed.h"

#include <stddef.h>

__attribute__((constructor)) static void look(void)
{
	static const char *const names[] = {
		"doca_comch_consumer_task_post_recv_as_task",
		"doca_comch_consumer_task_post_recv_get_buf",
		"doca_comch_consumer_task_post_recv_set_buf",
		"doca_comch_producer_task_send_as_task",
		"doca_comch_producer_task_send_get_buf",
		"doca_comch_producer_task_send_set_buf",
		"doca_comch_task_send_as_task",
		NULL,
	};

	priv_interposed_look(names, names);
}
