/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Message queues between CPU and DPA. There is no DPA here that runs programs, so none can be
 * created, and whoever has a pointer to one has it from elsewhere.
 */
#include "doca_comch_msgq.h"

static doca_error_t refuse(const void *object, const void *argument)
{
	return object && argument ? DOCA_ERROR_NOT_SUPPORTED : DOCA_ERROR_INVALID_VALUE;
}

doca_error_t doca_comch_msgq_create(struct doca_dev *dev, struct doca_comch_msgq **msgq)
{
	return refuse(dev, msgq);
}

doca_error_t doca_comch_msgq_destroy(struct doca_comch_msgq *msgq)
{
	return refuse(msgq, msgq);
}

doca_error_t doca_comch_msgq_set_dpa_consumer(struct doca_comch_msgq *msgq, struct doca_dpa *dpa)
{
	return refuse(msgq, dpa);
}

doca_error_t doca_comch_msgq_set_max_num_consumers(struct doca_comch_msgq *msgq,
						   uint32_t max_num_consumers)
{
	return max_num_consumers ? refuse(msgq, msgq) : DOCA_ERROR_INVALID_VALUE;
}

doca_error_t doca_comch_msgq_set_dpa_producer(struct doca_comch_msgq *msgq, struct doca_dpa *dpa)
{
	return refuse(msgq, dpa);
}

doca_error_t doca_comch_msgq_set_max_num_producers(struct doca_comch_msgq *msgq,
						   uint32_t max_num_producers)
{
	return max_num_producers ? refuse(msgq, msgq) : DOCA_ERROR_INVALID_VALUE;
}

doca_error_t doca_comch_msgq_start(struct doca_comch_msgq *msgq)
{
	return refuse(msgq, msgq);
}

doca_error_t doca_comch_msgq_stop(struct doca_comch_msgq *msgq)
{
	return refuse(msgq, msgq);
}

doca_error_t doca_comch_msgq_consumer_create(struct doca_comch_msgq *msgq,
					     struct doca_comch_consumer **consumer)
{
	return refuse(msgq, consumer);
}

doca_error_t doca_comch_msgq_producer_create(struct doca_comch_msgq *msgq,
					     struct doca_comch_producer **producer)
{
	return refuse(msgq, producer);
}
