/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Devices and representors by their address, as programs look for them.
 */
#ifndef SOFTFIELD_TESTS_DEVICES_H
#define SOFTFIELD_TESTS_DEVICES_H

#include "doca_dev.h"

/* the first with this address, opened; a test where there is none fails */
struct doca_dev *open_dev(const char *pci);
struct doca_dev_rep *open_rep(struct doca_dev *dev, const char *host_pci);
/* the same; NULL: there is none */
struct doca_dev *find_dev(const char *pci);
struct doca_dev_rep *find_rep(struct doca_dev *dev, const char *host_pci);

#endif
