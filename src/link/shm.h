/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Links between processes of one machine.
 */
#ifndef SOFTFIELD_LINK_SHM_H
#define SOFTFIELD_LINK_SHM_H

#include "link/link.h"

extern const struct link_ops shm_link_ops;

#endif
