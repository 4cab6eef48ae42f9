/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Doubles of a test: functions of ours in the program itself, which another file calls.
 */
#include <doca_pe.h>

doca_error_t doca_task_get_status(const struct doca_task *task)
{
	(void)task;
	return DOCA_ERROR_TOO_BIG;
}
