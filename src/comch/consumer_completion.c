/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Where DPA code would find what consumers have received. There is no DPA here that runs programs,
 * so none can be created, and whoever has a pointer to one has it from elsewhere.
 */
#include "doca_comch_consumer.h"

static doca_error_t refuse(const void *object, const void *argument)
{
	return object && argument ? DOCA_ERROR_NOT_SUPPORTED : DOCA_ERROR_INVALID_VALUE;
}

doca_error_t
doca_comch_consumer_completion_create(struct doca_comch_consumer_completion **consumer_comp)
{
	return refuse(consumer_comp, consumer_comp);
}

doca_error_t
doca_comch_consumer_completion_destroy(struct doca_comch_consumer_completion *consumer_comp)
{
	return refuse(consumer_comp, consumer_comp);
}

doca_error_t
doca_comch_consumer_completion_set_dpa_thread(struct doca_comch_consumer_completion *consumer_comp,
					      struct doca_dpa_thread *dpa_thread)
{
	return refuse(consumer_comp, dpa_thread);
}

doca_error_t doca_comch_consumer_completion_set_max_num_consumers(
	struct doca_comch_consumer_completion *consumer_comp, uint32_t max_num_consumers)
{
	return max_num_consumers ? refuse(consumer_comp, consumer_comp) : DOCA_ERROR_INVALID_VALUE;
}

doca_error_t doca_comch_consumer_completion_get_max_num_consumers(
	const struct doca_comch_consumer_completion *consumer_comp, uint32_t *max_num_consumers)
{
	return refuse(consumer_comp, max_num_consumers);
}

doca_error_t doca_comch_consumer_completion_set_max_num_recv(
	struct doca_comch_consumer_completion *consumer_comp, uint32_t max_num_recv)
{
	return max_num_recv ? refuse(consumer_comp, consumer_comp) : DOCA_ERROR_INVALID_VALUE;
}

doca_error_t doca_comch_consumer_completion_get_max_num_recv(
	const struct doca_comch_consumer_completion *consumer_comp, uint32_t *max_num_recv)
{
	return refuse(consumer_comp, max_num_recv);
}

doca_error_t doca_comch_consumer_completion_set_imm_data_len(
	struct doca_comch_consumer_completion *consumer_comp, uint32_t imm_data_len)
{
	(void)imm_data_len;
	return refuse(consumer_comp, consumer_comp);
}

doca_error_t doca_comch_consumer_completion_get_imm_data_len(
	const struct doca_comch_consumer_completion *consumer_comp, uint32_t *imm_data_len)
{
	return refuse(consumer_comp, imm_data_len);
}

doca_error_t
doca_comch_consumer_completion_start(struct doca_comch_consumer_completion *consumer_comp)
{
	return refuse(consumer_comp, consumer_comp);
}

doca_error_t
doca_comch_consumer_completion_stop(struct doca_comch_consumer_completion *consumer_comp)
{
	return refuse(consumer_comp, consumer_comp);
}

doca_error_t doca_comch_consumer_completion_get_dpa_handle(
	struct doca_comch_consumer_completion *consumer_comp,
	doca_dpa_dev_comch_consumer_completion_t *consumer_comp_handle)
{
	return refuse(consumer_comp, consumer_comp_handle);
}
