/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Where DPA code finds what has completed: a ring that anybody fills and one thread reads.
 */
#ifndef SOFTFIELD_DPA_COMPLETION_H
#define SOFTFIELD_DPA_COMPLETION_H

#include "core/dpa_handle.h"
#include "dpa/dpa.h"

struct completion_element {
	uint32_t type; /* enum doca_dpa_dev_completion_type_t */
	uint32_t user_data;
	uint32_t immediate;
};

struct doca_dpa_completion {
	struct dpa_place *place;
	struct doca_dpa *dpa;
	uint32_t queue_size;	       /* a power of two */
	uint64_t thread_handle;	       /* 0: nobody is told */
	_Atomic uint32_t num_attached; /* objects that report to it and are started */

	/* of the place's lock */
	bool is_started;
	struct doca_dpa_thread *thread; /* attached while it is started; NULL: nobody is told */
	struct completion_element *ring;
	uint32_t pushed, read, acked; /* acked <= read <= pushed */
	bool is_armed;
	bool has_lost; /* and has said so */
};

/* what reports to it knows it by this handle. BAD_STATE, and logged: not started, or destroyed */
doca_error_t completion_attach(uint64_t handle, struct doca_dpa_completion **ret_completion);
void completion_detach(struct doca_dpa_completion *completion);
/*
 * Reports a send, or a copy, from any thread, to what is attached. What finds no room is lost, as
 * on a card, and logged once.
 */
void completion_push_send(struct doca_dpa_completion *completion, uint32_t user_data,
			  doca_error_t status);

#endif
