/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Where libdoca_dpa leaves its operations. It does so from a constructor, before there can be an
 * object of it: who holds one reads them without an order.
 */
#include "core/dpa_hook.h"

const struct dpa_ops *priv_dpa;
