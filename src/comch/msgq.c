/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Message queues: consumers and producers of one process, without a connection. Either end may be
 * on a DPA, which then uses what the program has set up.
 */
#define LOG_MODULE "comch"
#include "doca_comch_msgq.h"

#include <stdlib.h>
#include "base/log.h"
#include "comch/consumer.h"
#include "comch/on_dpa.h"
#include "comch/producer.h"

struct doca_comch_msgq {
	struct doca_dev *dev;
	/*
	 * What its consumers receive into, of which the program has no buffers: messages are of
	 * immediate data. It keeps the device open, too.
	 */
	struct doca_mmap *mmap;
	char memory[1];
	uint32_t max_consumers, max_producers;
	struct doca_dpa *consumer_dpa, *producer_dpa; /* attached; NULL: they are on the CPU */
	struct fast *channel;			      /* NULL: it is not started */
};

static doca_error_t start_mmap(struct doca_comch_msgq *msgq)
{
	struct doca_mmap *mmap = msgq->mmap;
	doca_error_t err;

	err = priv_mmap_add_dev(mmap, msgq->dev);
	if (!err)
		err = priv_mmap_set_memrange(mmap, msgq->memory, sizeof(msgq->memory));
	if (!err)
		err = priv_mmap_set_permissions(mmap, DOCA_ACCESS_FLAG_PCI_READ_WRITE);
	return err ? err : priv_mmap_start(mmap);
}

doca_error_t doca_comch_msgq_create(struct doca_dev *dev, struct doca_comch_msgq **msgq)
{
	struct doca_comch_msgq *new_msgq;
	doca_error_t err;

	if (!dev || !msgq)
		return DOCA_ERROR_INVALID_VALUE;
	new_msgq = calloc(1, sizeof(*new_msgq));
	if (!new_msgq)
		return DOCA_ERROR_NO_MEMORY;
	new_msgq->dev = dev;
	new_msgq->max_consumers = new_msgq->max_producers = 1;
	err = priv_mmap_create(&new_msgq->mmap);
	if (err)
		goto free_msgq;
	err = start_mmap(new_msgq);
	if (err)
		goto destroy_mmap;
	*msgq = new_msgq;
	return DOCA_SUCCESS;

destroy_mmap:
	priv_mmap_destroy(new_msgq->mmap);
free_msgq:
	free(new_msgq);
	return err;
}

/* to be set, or started */
static doca_error_t check_stopped(const struct doca_comch_msgq *msgq)
{
	if (!msgq->channel)
		return DOCA_SUCCESS;
	LOG_ERR("a message queue cannot be changed or started: it is started");
	return DOCA_ERROR_BAD_STATE;
}

static doca_error_t check_started(const struct doca_comch_msgq *msgq)
{
	if (msgq->channel)
		return DOCA_SUCCESS;
	LOG_ERR("a message queue cannot be used or stopped: it is not started");
	return DOCA_ERROR_BAD_STATE;
}

doca_error_t doca_comch_msgq_destroy(struct doca_comch_msgq *msgq)
{
	if (!msgq)
		return DOCA_ERROR_INVALID_VALUE;
	if (msgq->channel) {
		LOG_ERR("a message queue cannot be destroyed: it is started, stop it first");
		return DOCA_ERROR_BAD_STATE;
	}
	on_dpa_detach(&msgq->consumer_dpa);
	on_dpa_detach(&msgq->producer_dpa);
	priv_mmap_destroy(msgq->mmap);
	free(msgq);
	return DOCA_SUCCESS;
}

doca_error_t doca_comch_msgq_set_dpa_consumer(struct doca_comch_msgq *msgq, struct doca_dpa *dpa)
{
	if (!msgq || !dpa)
		return DOCA_ERROR_INVALID_VALUE;
	if (check_stopped(msgq))
		return DOCA_ERROR_BAD_STATE;
	return on_dpa_attach(msgq->dev, dpa, &msgq->consumer_dpa);
}

doca_error_t doca_comch_msgq_set_dpa_producer(struct doca_comch_msgq *msgq, struct doca_dpa *dpa)
{
	if (!msgq || !dpa)
		return DOCA_ERROR_INVALID_VALUE;
	if (check_stopped(msgq))
		return DOCA_ERROR_BAD_STATE;
	return on_dpa_attach(msgq->dev, dpa, &msgq->producer_dpa);
}

/* Sets one of the queue's numbers. */
static doca_error_t set_max(const struct doca_comch_msgq *msgq, uint32_t value, uint64_t limit,
			    uint32_t *ret_max)
{
	if (!value || value > limit) {
		LOG_ERR("a message queue for %u consumers or producers; 1 to %llu are possible",
			value, (unsigned long long)limit);
		return DOCA_ERROR_INVALID_VALUE;
	}
	if (check_stopped(msgq))
		return DOCA_ERROR_BAD_STATE;
	*ret_max = value;
	return DOCA_SUCCESS;
}

doca_error_t doca_comch_msgq_set_max_num_consumers(struct doca_comch_msgq *msgq,
						   uint32_t max_num_consumers)
{
	if (!msgq)
		return DOCA_ERROR_INVALID_VALUE;
	return set_max(msgq, max_num_consumers, priv_topo_limits()->consumer_max_consumers,
		       &msgq->max_consumers);
}

doca_error_t doca_comch_msgq_set_max_num_producers(struct doca_comch_msgq *msgq,
						   uint32_t max_num_producers)
{
	if (!msgq)
		return DOCA_ERROR_INVALID_VALUE;
	return set_max(msgq, max_num_producers, priv_topo_limits()->producer_max_producers,
		       &msgq->max_producers);
}

doca_error_t doca_comch_msgq_start(struct doca_comch_msgq *msgq)
{
	if (!msgq)
		return DOCA_ERROR_INVALID_VALUE;
	if (check_stopped(msgq))
		return DOCA_ERROR_BAD_STATE;
	return fast_create_local(msgq->max_consumers, msgq->max_producers, &msgq->channel);
}

doca_error_t doca_comch_msgq_stop(struct doca_comch_msgq *msgq)
{
	if (!msgq)
		return DOCA_ERROR_INVALID_VALUE;
	if (check_started(msgq))
		return DOCA_ERROR_BAD_STATE;
	if (fast_is_in_use(msgq->channel)) {
		LOG_ERR("a message queue cannot be stopped: it has consumers or producers");
		return DOCA_ERROR_IN_USE;
	}
	fast_unref(msgq->channel);
	msgq->channel = NULL;
	return DOCA_SUCCESS;
}

doca_error_t doca_comch_msgq_consumer_create(struct doca_comch_msgq *msgq,
					     struct doca_comch_consumer **consumer)
{
	struct doca_comch_consumer *new_consumer;
	doca_error_t err;

	if (!msgq || !consumer)
		return DOCA_ERROR_INVALID_VALUE;
	if (check_started(msgq))
		return DOCA_ERROR_BAD_STATE;
	err = consumer_create(msgq->channel, msgq->dev, msgq->mmap, &new_consumer);
	if (err)
		return err;
	err = msgq->consumer_dpa ? consumer_put_on_dpa(new_consumer, msgq->consumer_dpa)
				 : DOCA_SUCCESS;
	if (err)
		doca_comch_consumer_destroy(new_consumer);
	else
		*consumer = new_consumer;
	return err;
}

doca_error_t doca_comch_msgq_producer_create(struct doca_comch_msgq *msgq,
					     struct doca_comch_producer **producer)
{
	struct doca_comch_producer *new_producer;
	doca_error_t err;

	if (!msgq || !producer)
		return DOCA_ERROR_INVALID_VALUE;
	if (check_started(msgq))
		return DOCA_ERROR_BAD_STATE;
	err = producer_create(msgq->channel, msgq->dev, &new_producer);
	if (err)
		return err;
	err = msgq->producer_dpa ? producer_put_on_dpa(new_producer, msgq->producer_dpa)
				 : DOCA_SUCCESS;
	if (err)
		doca_comch_producer_destroy(new_producer);
	else
		*producer = new_producer;
	return err;
}
