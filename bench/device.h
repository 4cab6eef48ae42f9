/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The two functions of the built-in card that benches use.
 */
#ifndef SOFTFIELD_BENCH_DEVICE_H
#define SOFTFIELD_BENCH_DEVICE_H

#include "doca_dev.h"

#define DEVICE_DPU  "0000:03:00.0"
#define DEVICE_HOST "0000:b1:00.0"

/* ends the process when there is none of that address */
struct doca_dev *device_open(const char *pci_addr);

/* ends the process when the call has failed */
void device_check(doca_error_t result, const char *what);
#define CHECK(call) device_check((call), #call)

#endif
