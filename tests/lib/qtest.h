/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A PCI NVMe controller for tests: QEMU's, beside a processor that is halted. Its bus memory is a
 * file that we map, too; its registers are lines on a socket ("qtest"). Neither a guest nor a
 * kernel driver nor privilege is needed.
 */
#ifndef SOFTFIELD_TEST_QTEST_H
#define SOFTFIELD_TEST_QTEST_H

#include <stdbool.h>
#include <stddef.h>
#include "nvme/pci.h"

#define QTEST_DISK_SIZE (16u << 20)

struct qtest;

/* false: there is no QEMU on this machine */
bool qtest_is_possible(void);
struct qtest *qtest_start(void);
void qtest_stop(struct qtest *qtest);
/* one at a time; closing it leaves QEMU running */
struct nvme_bus *qtest_bus(struct qtest *qtest);
/* what the disk is made of, read past the controller */
void qtest_read_disk(const struct qtest *qtest, void *data, size_t size, size_t offset);

/* whole pages of the bus memory, and their bus addresses; UINT64_MAX: not of it */
void *qtest_alloc(struct qtest *qtest, size_t size);
void qtest_free(struct qtest *qtest, void *memory);
uint64_t qtest_address(const struct qtest *qtest, const void *memory);

#endif
