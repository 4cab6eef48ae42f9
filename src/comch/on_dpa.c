/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What queues, consumers and producers ask of a DPA before they keep a pointer to it.
 */
#define LOG_MODULE "comch"
#include "comch/on_dpa.h"

#include "base/log.h"
#include "core/dev.h"
#include "core/dpa_hook.h"

doca_error_t on_dpa_attach(const struct doca_dev *dev, struct doca_dpa *dpa,
			   struct doca_dpa **dpa_of_object)
{
	doca_error_t err;

	if (!priv_dpa)
		return DOCA_ERROR_NOT_SUPPORTED;
	if (priv_dev_function(priv_dpa->get_dev(dpa)) != priv_dev_function(dev)) {
		LOG_ERR("a message queue and its DPA are on different devices");
		return DOCA_ERROR_INVALID_VALUE;
	}
	err = priv_dpa->attach(dpa);
	if (err)
		return err;
	on_dpa_detach(dpa_of_object);
	*dpa_of_object = dpa;
	return DOCA_SUCCESS;
}

void on_dpa_detach(struct doca_dpa **dpa_of_object)
{
	if (*dpa_of_object)
		priv_dpa->detach(*dpa_of_object);
	*dpa_of_object = NULL;
}
