/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A controller that the kernel's vfio-pci driver hands to this program: its registers are mapped,
 * memory of dma.h is mapped for it.
 */
#define LOG_MODULE "nvme"
#include <errno.h>
#include <fcntl.h>
#include <linux/pci_regs.h>
#include <linux/vfio.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>
#include "base/err.h"
#include "base/fd.h"
#include "base/log.h"
#include "nvme/dma.h"
#include "nvme/pci.h"

struct vfio_bus {
	struct nvme_bus base;
	struct dma_space space;
	int container, group, device;
	uint8_t *registers;
	size_t size;
};

static struct vfio_bus *vfio_of(struct nvme_bus *bus)
{
	return container_of(bus, struct vfio_bus, base);
}

/*
 * Memory
 */

static doca_error_t map(struct dma_space *space, void *addr, size_t size)
{
	const struct vfio_bus *bus = container_of(space, struct vfio_bus, space);
	struct vfio_iommu_type1_dma_map dma = {
		.argsz = sizeof(dma),
		.flags = VFIO_DMA_MAP_FLAG_READ | VFIO_DMA_MAP_FLAG_WRITE,
		.vaddr = (uintptr_t)addr,
		.iova = (uintptr_t)addr,
		.size = size,
	};

	if (!ioctl(bus->container, VFIO_IOMMU_MAP_DMA, &dma))
		return DOCA_SUCCESS;
	LOG_ERR("%zu bytes at %p cannot be mapped for the device: %s%s", size, addr,
		strerror(errno), errno == ENOMEM ? " (ulimit -l)" : "");
	return priv_err_from_errno(errno);
}

static void unmap(struct dma_space *space, void *addr, size_t size)
{
	const struct vfio_bus *bus = container_of(space, struct vfio_bus, space);
	struct vfio_iommu_type1_dma_unmap dma = {
		.argsz = sizeof(dma), .iova = (uintptr_t)addr, .size = size};

	if (ioctl(bus->container, VFIO_IOMMU_UNMAP_DMA, &dma))
		LOG_ERR("%zu bytes at %p stay mapped: %s", size, addr, strerror(errno));
}

static void *bus_alloc(struct nvme_bus *bus, size_t size, uint64_t *ret_addr)
{
	void *memory = dma_alloc(size);

	(void)bus;
	*ret_addr = (uintptr_t)memory;
	return memory;
}

static void bus_free(struct nvme_bus *bus, void *memory)
{
	(void)bus;
	dma_free(memory);
}

/*
 * Registers
 */

static _Atomic uint32_t *bus_doorbell(struct nvme_bus *bus, uint32_t reg)
{
	return (_Atomic uint32_t *)(void *)(vfio_of(bus)->registers + reg);
}

/* Acquire and release, both: the device's registers are in order with what is in memory for it. */

static uint32_t bus_read(struct nvme_bus *bus, uint32_t reg)
{
	return le32toh(atomic_load_explicit(bus_doorbell(bus, reg), memory_order_acquire));
}

static void bus_write(struct nvme_bus *bus, uint32_t reg, uint32_t value)
{
	atomic_store_explicit(bus_doorbell(bus, reg), htole32(value), memory_order_release);
}

static void bus_close(struct nvme_bus *base)
{
	struct vfio_bus *bus = vfio_of(base);

	if (list_is_linked(&bus->space.node))
		dma_detach(&bus->space);
	if (bus->registers)
		munmap(bus->registers, bus->size);
	if (bus->device >= 0)
		close(bus->device);
	if (bus->group >= 0)
		close(bus->group);
	if (bus->container >= 0)
		close(bus->container);
	free(bus);
}

static const struct nvme_bus_ops vfio_ops = {
	.read = bus_read,
	.write = bus_write,
	.doorbell = bus_doorbell,
	.alloc = bus_alloc,
	.free = bus_free,
	.close = bus_close,
};

static doca_error_t map_registers(struct vfio_bus *bus)
{
	struct vfio_region_info info = {.argsz = sizeof(info), .index = VFIO_PCI_BAR0_REGION_INDEX};
	void *registers;

	if (ioctl(bus->device, VFIO_DEVICE_GET_REGION_INFO, &info))
		return priv_err_from_errno(errno);
	if (!(info.flags & VFIO_REGION_INFO_FLAG_MMAP) || info.size <= NVME_PROP_DOORBELLS)
		return DOCA_ERROR_NOT_SUPPORTED;
	registers = mmap(NULL, info.size, PROT_READ | PROT_WRITE, MAP_SHARED, bus->device,
			 (off_t)info.offset);
	if (registers == MAP_FAILED)
		return priv_err_from_errno(errno);
	bus->registers = registers;
	bus->size = info.size;
	return DOCA_SUCCESS;
}

/* lets it decode its registers and reach memory */
static doca_error_t enable_device(const struct vfio_bus *bus)
{
	struct vfio_region_info info = {.argsz = sizeof(info),
					.index = VFIO_PCI_CONFIG_REGION_INDEX};
	uint16_t command;
	off_t at;

	if (ioctl(bus->device, VFIO_DEVICE_GET_REGION_INFO, &info))
		return priv_err_from_errno(errno);
	at = (off_t)info.offset + PCI_COMMAND;
	if (pread(bus->device, &command, sizeof(command), at) != sizeof(command))
		return DOCA_ERROR_IO_FAILED;
	command |= htole16(PCI_COMMAND_MEMORY | PCI_COMMAND_MASTER);
	if (pwrite(bus->device, &command, sizeof(command), at) != sizeof(command))
		return DOCA_ERROR_IO_FAILED;
	return DOCA_SUCCESS;
}

/*
 * Opening
 */

/* domain, bus, device and function: nothing else may become part of a path */
static bool is_address(const char *text)
{
	static const char form[] = "%*8[0-9a-f]:%*2[0-9a-f]:%*2[0-9a-f].%*1[0-7]%n";
	int size = 0;

	sscanf(text, form, &size);
	return size && size < 32 && !text[size];
}

static doca_error_t find_group(const char *address, char *path, size_t size)
{
	char link[128], target[256];
	const char *name;
	ssize_t n;

	if (!is_address(address))
		return DOCA_ERROR_NOT_FOUND;
	snprintf(link, sizeof(link), "/sys/bus/pci/devices/%s", address);
	if (access(link, F_OK))
		return DOCA_ERROR_NOT_FOUND;
	strcat(link, "/iommu_group");
	n = readlink(link, target, sizeof(target) - 1);
	if (n < 0) {
		LOG_ERR("%s is behind no IOMMU", address);
		return DOCA_ERROR_NOT_SUPPORTED;
	}
	target[n] = 0;
	name = strrchr(target, '/');
	snprintf(path, size, "/dev/vfio/%s", name ? name + 1 : target);
	return DOCA_SUCCESS;
}

static doca_error_t err_from_open(int error)
{
	switch (error) {
	case ENOENT:
		return DOCA_ERROR_NOT_SUPPORTED;
	case EBUSY:
		return DOCA_ERROR_IN_USE;
	default:
		return priv_err_from_errno(error);
	}
}

static doca_error_t open_group(struct vfio_bus *bus, const char *path)
{
	struct vfio_group_status status = {.argsz = sizeof(status)};

	bus->group = priv_fd_lift(open(path, O_RDWR | O_CLOEXEC));
	if (bus->group < 0) {
		doca_error_t err = err_from_open(errno);

		LOG_ERR("%s: %s%s", path, strerror(errno),
			errno == ENOENT ? " (driver vfio-pci must have the device)" : "");
		return err;
	}
	if (ioctl(bus->group, VFIO_GROUP_GET_STATUS, &status))
		return priv_err_from_errno(errno);
	if (status.flags & VFIO_GROUP_FLAGS_VIABLE)
		return DOCA_SUCCESS;
	LOG_ERR("%s: other drivers have devices of the group", path);
	return DOCA_ERROR_NOT_SUPPORTED;
}

static doca_error_t open_container(struct vfio_bus *bus)
{
	bus->container = priv_fd_lift(open("/dev/vfio/vfio", O_RDWR | O_CLOEXEC));
	if (bus->container < 0)
		return priv_err_from_errno(errno);
	if (ioctl(bus->container, VFIO_GET_API_VERSION) != VFIO_API_VERSION ||
	    !ioctl(bus->container, VFIO_CHECK_EXTENSION, VFIO_TYPE1v2_IOMMU))
		return DOCA_ERROR_NOT_SUPPORTED;
	if (ioctl(bus->group, VFIO_GROUP_SET_CONTAINER, &bus->container) ||
	    ioctl(bus->container, VFIO_SET_IOMMU, VFIO_TYPE1v2_IOMMU))
		return priv_err_from_errno(errno);
	return DOCA_SUCCESS;
}

static doca_error_t open_device(struct vfio_bus *bus, const char *address)
{
	bus->device = priv_fd_lift(ioctl(bus->group, VFIO_GROUP_GET_DEVICE_FD, address));
	return bus->device < 0 ? priv_err_from_errno(errno) : DOCA_SUCCESS;
}

/* What has been opened before a failure is the bus's. */
static doca_error_t bus_open(struct vfio_bus *bus, const char *address, const char *group)
{
	doca_error_t err;

	err = open_group(bus, group);
	if (err)
		return err;
	err = open_container(bus);
	if (err)
		return err;
	err = open_device(bus, address);
	if (err)
		return err;
	err = map_registers(bus);
	if (err)
		return err;
	err = enable_device(bus);
	return err ? err : dma_attach(&bus->space);
}

static struct vfio_bus *bus_new(void)
{
	struct vfio_bus *bus = calloc(1, sizeof(*bus));

	if (!bus)
		return NULL;
	bus->base.ops = &vfio_ops;
	bus->container = bus->group = bus->device = -1;
	bus->space.map = map;
	bus->space.unmap = unmap;
	list_init(&bus->space.node);
	return bus;
}

doca_error_t nvme_vfio_open(const char *address, struct nvme_bus **ret_bus)
{
	struct vfio_bus *bus;
	char group[280];
	doca_error_t err = find_group(address, group, sizeof(group));

	if (err)
		return err;
	bus = bus_new();
	if (!bus)
		return DOCA_ERROR_NO_MEMORY;
	err = bus_open(bus, address, group);
	if (err) {
		bus_close(&bus->base);
		return err;
	}
	*ret_bus = &bus->base;
	return DOCA_SUCCESS;
}
