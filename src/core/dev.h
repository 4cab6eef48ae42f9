/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Devices and representors as the other modules see them.
 */
#ifndef SOFTFIELD_CORE_DEV_H
#define SOFTFIELD_CORE_DEV_H

#include "base/export.h"
#include "doca_dev.h"
#include "topo/topo.h"

/* An object that uses a device keeps it from being closed for good. */
PRIV_EXPORT void priv_dev_use(struct doca_dev *dev);
PRIV_EXPORT void priv_dev_release(struct doca_dev *dev);
PRIV_EXPORT void priv_dev_rep_use(struct doca_dev_rep *rep);
PRIV_EXPORT void priv_dev_rep_release(struct doca_dev_rep *rep);

PRIV_EXPORT const struct topo_function *priv_dev_function(const struct doca_dev *dev);
PRIV_EXPORT const struct topo_function *priv_devinfo_function(const struct doca_devinfo *devinfo);
PRIV_EXPORT const struct topo_rep *priv_dev_rep_topo(const struct doca_dev_rep *rep);

#endif
