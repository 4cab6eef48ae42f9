/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Driver of an NVMe controller on PCI: reset, admin commands, I/O queue pairs. What a queue pair is
 * used for is the caller's business: it gets rings and doorbells (queue.h).
 */
#ifndef SOFTFIELD_NVME_PCI_H
#define SOFTFIELD_NVME_PCI_H

#include <stdbool.h>
#include <stdint.h>
#include "doca_error.h"
#include "nvme/queue.h"

struct nvme_bus;

/* How a controller is reached. One thread at a time. */
struct nvme_bus_ops {
	uint32_t (*read)(struct nvme_bus *bus, uint32_t reg);
	void (*write)(struct nvme_bus *bus, uint32_t reg, uint32_t value);
	/* a word of memory; writing to it writes the register. Any thread may. */
	_Atomic uint32_t *(*doorbell)(struct nvme_bus *bus, uint32_t reg);
	/* zeroed whole pages that the controller reaches, contiguous for it; NULL: none left */
	void *(*alloc)(struct nvme_bus *bus, size_t size, uint64_t *ret_addr);
	void (*free)(struct nvme_bus *bus, void *memory);
	void (*close)(struct nvme_bus *bus);
};

struct nvme_bus {
	const struct nvme_bus_ops *ops;
};

/*
 * vfio.c: a device that vfio-pci has, by its address (0000:01:00.0). Its controller reaches memory
 * of dma.h. NOT_FOUND: no such device. NOT_SUPPORTED: it has no IOMMU group, or no vfio driver.
 * NOT_PERMITTED. IN_USE: another program has it. NO_MEMORY
 */
doca_error_t nvme_vfio_open(const char *address, struct nvme_bus **ret_bus);

struct nvme_pci;

/*
 * pci.c: resets the controller and starts it. Takes the bus over, unless it fails: NOT_SUPPORTED:
 * it wants larger pages. TIME_OUT and IO_FAILED: it does not do as it should. NO_MEMORY
 */
doca_error_t nvme_pci_open(struct nvme_bus *bus, struct nvme_pci **ret_pci);
/* shuts the controller down; its queues must have been closed */
void nvme_pci_close(struct nvme_pci *pci);
/* bytes of one command */
uint64_t nvme_pci_max_transfer(const struct nvme_pci *pci);
bool nvme_pci_has_write_cache(const struct nvme_pci *pci);
/* Compare and Write, fused */
bool nvme_pci_can_fuse(const struct nvme_pci *pci);
/* optional commands: NVME_ONCS_* */
uint16_t nvme_pci_oncs(const struct nvme_pci *pci);
/* data has NVME_IDENTIFY_SIZE bytes. IO_FAILED: refused. TIME_OUT: not answered */
doca_error_t nvme_pci_identify(struct nvme_pci *pci, uint8_t cns, uint32_t nsid, void *data);

/* An I/O queue pair in virgin state. Any thread, as long as the controller is open. */
struct nvme_pci_queue {
	struct nvme_queue_attr rings;
	struct nvme_pci *pci;
	uint16_t id;
};

/*
 * entries: a power of two; fewer if the controller has not so many. FULL: no more queues.
 * IO_FAILED, TIME_OUT: the controller refuses, or is silent. NO_MEMORY
 */
doca_error_t nvme_pci_queue_open(struct nvme_pci *pci, uint32_t entries,
				 struct nvme_pci_queue **ret_queue);
/* the controller does not touch memory of the queue's commands any more */
void nvme_pci_queue_close(struct nvme_pci_queue *queue);

#endif
