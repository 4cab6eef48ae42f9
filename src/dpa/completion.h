/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Where DPA code finds what has completed: a ring that anybody fills and one thread reads.
 */
#ifndef SOFTFIELD_DPA_COMPLETION_H
#define SOFTFIELD_DPA_COMPLETION_H

#include "dpa/dpa.h"

struct completion_element {
	uint32_t type; /* enum doca_dpa_dev_completion_type_t */
	uint32_t user_data;
	uint32_t immediate;
};

struct doca_dpa_completion {
	struct dpa_garbage garbage;
	struct doca_dpa *dpa;
	uint32_t queue_size;		/* a power of two */
	struct doca_dpa_thread *thread; /* NULL: nobody is told */
	atomic_bool is_started;
	_Atomic uint32_t num_attached; /* objects that report to it and are started */

	pthread_mutex_t lock; /* of what follows; a leaf */
	struct completion_element *ring;
	uint32_t pushed, read, acked; /* acked <= read <= pushed */
	bool is_armed;
	bool has_lost; /* and has said so */
};

/* BAD_STATE: it is not started */
doca_error_t completion_attach(struct doca_dpa_completion *completion);
void completion_detach(struct doca_dpa_completion *completion);
/* From any thread. What finds no room is lost, as on a card, and logged once. */
void completion_push(struct doca_dpa_completion *completion,
		     const struct completion_element *element);
/* reports a send, or a copy */
void completion_push_send(struct doca_dpa_completion *completion, uint32_t user_data,
			  doca_error_t status);

#endif
