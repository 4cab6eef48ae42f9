/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * RDMA for DPA code: not here. Programs that include this and use other things compile; those that
 * call functions of it do not link.
 */
#ifndef DOCA_DPA_DEV_RDMA_H_
#define DOCA_DPA_DEV_RDMA_H_

#include <doca_dpa_dev.h>
#include <doca_dpa_dev_buf.h>
#include <doca_dpa_dev_sync_event.h>

#endif /* DOCA_DPA_DEV_RDMA_H_ */
