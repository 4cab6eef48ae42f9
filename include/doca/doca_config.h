/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What this installation is: the role programs are built for, and which helpers doca_compat.h
 * offers.
 */
#ifndef DOCA_CONFIG_H_
#define DOCA_CONFIG_H_

#include <doca_build_config.h>

/** doca_compat.h includes what its structure helpers and the programs of the samples rely on. */
#define DOCA_COMPAT_HELPERS

#endif /* DOCA_CONFIG_H_ */
