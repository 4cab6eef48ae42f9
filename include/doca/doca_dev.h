/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Devices and representors: listing them, reading their attributes, opening them.
 *
 * A device is a PCI function of the topology: one of the host, or one of the DPU. A representor is
 * how a DPU device names a host function of its card.
 */
#ifndef DOCA_DEV_H_
#define DOCA_DEV_H_

#include <stdint.h>

#include <doca_compat.h>
#include <doca_error.h>
#include <doca_types.h>

#ifdef __cplusplus
extern "C" {
#endif

#define DOCA_DEVINFO_VUID_SIZE	       128 /**< bytes of a VUID, NUL included */
#define DOCA_DEVINFO_IPV4_ADDR_SIZE    4   /**< bytes of an IPv4 address */
#define DOCA_DEVINFO_IPV6_ADDR_SIZE    16  /**< bytes of an IPv6 address */
#define DOCA_DEVINFO_MAC_ADDR_SIZE     6   /**< bytes of a MAC address */
#define DOCA_DEVINFO_IFACE_NAME_SIZE   256 /**< bytes of a network interface's name, NUL included */
#define DOCA_DEVINFO_IBDEV_NAME_SIZE   64  /**< bytes of a verbs device's name, NUL included */
#define DOCA_DEVINFO_PCI_ADDR_SIZE     13  /**< bytes of "0000:03:00.0", NUL included */
#define DOCA_DEVINFO_PCI_BDF_SIZE      8   /**< bytes of "03:00.0", NUL included */
#define DOCA_DEVINFO_REP_VUID_SIZE     128 /**< bytes of a representor's VUID, NUL included */
#define DOCA_DEVINFO_REP_PCI_ADDR_SIZE 13  /**< like DOCA_DEVINFO_PCI_ADDR_SIZE */
#define DOCA_DEVINFO_REP_PCI_BDF_SIZE  8   /**< like DOCA_DEVINFO_PCI_BDF_SIZE */

/** A device as it is listed: something to read attributes from and to open. Immutable. */
struct doca_devinfo;

/** A representor as it is listed. Immutable. */
struct doca_devinfo_rep;

/** An open device. */
struct doca_dev;

/** An open representor. */
struct doca_dev_rep;

/** Which representors doca_devinfo_rep_create_list() lists; may be combined. */
enum doca_devinfo_rep_filter {
	DOCA_DEVINFO_REP_FILTER_ALL = 0,	     /**< all of them */
	DOCA_DEVINFO_REP_FILTER_NET = (1 << 1),	     /**< those of network functions */
	DOCA_DEVINFO_REP_FILTER_EMULATED = (1 << 2), /**< those of emulated functions */
};

/*
 * Listing and opening
 */

/**
 * @brief Lists the devices: the PCI functions of the topology.
 *
 * The elements, not the opened devices, live as long as the list. No device at all is not an
 * error: the list is empty then.
 *
 * @param [out] dev_list array of *nb_devs elements; give it back with doca_devinfo_destroy_list().
 * @param [out] nb_devs how many elements.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: dev_list or nb_devs is NULL
 * - DOCA_ERROR_NO_MEMORY: no memory for the list
 * - DOCA_ERROR_NOT_FOUND: the topology cannot be read; the log names the file, the line and what
 *   is allowed
 *
 * Any thread. Source: spec core 2.
 */
DOCA_STABLE
doca_error_t doca_devinfo_create_list(struct doca_devinfo ***dev_list, uint32_t *nb_devs);

/**
 * @brief Gives a list of doca_devinfo_create_list() back.
 *
 * Its elements must not be used afterwards. Devices that were opened from them stay open and
 * valid.
 *
 * @param [in] dev_list the list.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: dev_list is NULL
 * - DOCA_ERROR_IN_USE: on a card only, never here
 *
 * Any thread; the list is the caller's and is shared at the caller's own risk. Source: spec core
 * 2.
 */
DOCA_STABLE
doca_error_t doca_devinfo_destroy_list(struct doca_devinfo **dev_list);

/**
 * @brief Lists the representors behind a DPU device: the host functions of its port.
 *
 * @param [in] dev an open device of the DPU side; it must stay open while the list lives.
 * @param [in] filter enum doca_devinfo_rep_filter; several bits list what matches any of them.
 * @param [out] dev_list_rep array of *nb_devs_rep elements, maybe none; give it back with
 *        doca_devinfo_rep_destroy_list().
 * @param [out] nb_devs_rep how many elements.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL, or filter has unknown bits
 * - DOCA_ERROR_NO_MEMORY: no memory for the list
 * - DOCA_ERROR_NOT_SUPPORTED: dev is a host device, or does not support the filter (see
 *   doca_devinfo_rep_cap_is_filter_all_supported() and the others)
 * - DOCA_ERROR_DRIVER: on a card only, never here
 *
 * Any thread. Source: spec core 2.
 */
DOCA_STABLE
doca_error_t doca_devinfo_rep_create_list(struct doca_dev *dev, int filter,
					  struct doca_devinfo_rep ***dev_list_rep,
					  uint32_t *nb_devs_rep);

/**
 * @brief Gives a list of doca_devinfo_rep_create_list() back.
 *
 * Its elements must not be used afterwards. Representors that were opened from them stay open and
 * valid.
 *
 * @param [in] dev_list_rep the list.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: dev_list_rep is NULL
 * - DOCA_ERROR_IN_USE: on a card only, never here
 *
 * Any thread; the list is the caller's and is shared at the caller's own risk. Source: spec core
 * 2.
 */
DOCA_STABLE
doca_error_t doca_devinfo_rep_destroy_list(struct doca_devinfo_rep **dev_list_rep);

/**
 * @brief Opens a device.
 *
 * Opening one device several times in a process gives the same object each time; each open needs
 * its own doca_dev_close(). The list that devinfo comes from may go first.
 *
 * @param [in] devinfo element of a list, or doca_dev_as_devinfo() of an open device.
 * @param [out] dev the device.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: devinfo or dev is NULL
 * - DOCA_ERROR_NO_MEMORY: no memory for the object
 * - DOCA_ERROR_NOT_CONNECTED, DOCA_ERROR_INITIALIZATION, DOCA_ERROR_NOT_SUPPORTED: on a card only,
 *   never here
 *
 * Any thread. Source: spec core 2.
 */
DOCA_STABLE
doca_error_t doca_dev_open(struct doca_devinfo *devinfo, struct doca_dev **dev);

/**
 * @brief Undoes one doca_dev_open(); the last one closes the device.
 *
 * Nothing happens when the last one is refused: it may be called again when the objects that use
 * the device are gone.
 *
 * @param [in] dev the device; not to be used after the last close. NULL: nothing happens.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_IN_USE: this is the last reference and a context, a memory map or another object
 *   still uses the device; a representor does not, and may be closed after it
 *
 * Any thread. Source: spec core 2.
 */
DOCA_STABLE
doca_error_t doca_dev_close(struct doca_dev *dev);

/**
 * @brief Asks a device to take back unused resources sooner. There is nothing to reclaim here.
 *
 * @param [in] dev the device.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: dev is NULL
 * - DOCA_ERROR_NOT_SUPPORTED: always, as
 *   doca_devinfo_cap_is_accelerate_resource_reclaim_supported() says
 * - DOCA_ERROR_DRIVER, DOCA_ERROR_AGAIN: on a card only, never here
 *
 * One thread at a time for a device. Source: spec core 2.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_dev_accelerate_resource_reclaim(struct doca_dev *dev);

/**
 * @brief Opens a representor.
 *
 * The device it was listed from must stay open. As with devices, opening one twice gives the same
 * object.
 *
 * @param [in] devinfo element of a list.
 * @param [out] dev_rep the representor; close it with doca_dev_rep_close().
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: devinfo or dev_rep is NULL, or the device has been closed
 * - DOCA_ERROR_NO_MEMORY: no memory for the object
 *
 * Any thread. Source: spec core 2.
 */
DOCA_STABLE
doca_error_t doca_dev_rep_open(struct doca_devinfo_rep *devinfo, struct doca_dev_rep **dev_rep);

/**
 * @brief Undoes one doca_dev_rep_open(); the last one closes the representor.
 *
 * @param [in] dev the representor; not to be used after the last close.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: dev is NULL
 * - DOCA_ERROR_IN_USE: this is the last reference and a server still uses the representor; nothing
 *   has happened
 *
 * Any thread. Source: spec core 2.
 */
DOCA_STABLE
doca_error_t doca_dev_rep_close(struct doca_dev_rep *dev);

/**
 * @brief The description of an open device, to read attributes and capabilities from.
 *
 * @param [in] dev the device, or NULL.
 *
 * @return the description, owned by dev and valid until its last close; NULL when dev is NULL.
 *
 * Any thread. Source: spec core 2.
 */
DOCA_STABLE
struct doca_devinfo *doca_dev_as_devinfo(const struct doca_dev *dev);

/**
 * @brief The description of an open representor.
 *
 * @param [in] dev_rep the representor, or NULL.
 *
 * @return the description, owned by dev_rep and valid until its last close; NULL when dev_rep is
 *         NULL.
 *
 * Any thread. Source: spec core 2.
 */
DOCA_STABLE
struct doca_devinfo_rep *doca_dev_rep_as_devinfo(struct doca_dev_rep *dev_rep);

/*
 * Attributes of a device. All of them may be read from list elements and from open devices.
 */

/**
 * @brief PCI address of a device in the long form, "0000:03:00.0".
 *
 * @param [in] devinfo the device.
 * @param [out] pci_addr_str DOCA_DEVINFO_PCI_ADDR_SIZE bytes; NUL-terminated, lower case.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL
 * - DOCA_ERROR_OPERATING_SYSTEM: on a card only, never here
 *
 * Any thread. Source: spec core 2.
 */
DOCA_STABLE
doca_error_t doca_devinfo_get_pci_addr_str(const struct doca_devinfo *devinfo, char *pci_addr_str);

/**
 * @brief Whether a device has a PCI address.
 *
 * A host function is also found by the address that its representor has on the DPU side.
 *
 * @param [in] devinfo the device.
 * @param [in] pci_addr_str "0000:03:00.0" or "03:00.0" (domain 0000), upper or lower case.
 * @param [out] is_equal 1 when it is the device's address, else 0.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL, or the text is no PCI address
 * - DOCA_ERROR_OPERATING_SYSTEM: on a card only, never here
 *
 * Any thread. Source: spec core 2.
 */
DOCA_STABLE
doca_error_t doca_devinfo_is_equal_pci_addr(const struct doca_devinfo *devinfo,
					    const char *pci_addr_str, uint8_t *is_equal);

/**
 * @brief IPv4 address of a device's network interface.
 *
 * @param [in] devinfo the device.
 * @param [out] ipv4_addr the address, most significant byte first.
 * @param [in] size bytes at ipv4_addr, at least DOCA_DEVINFO_IPV4_ADDR_SIZE.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: a pointer is NULL, or size is too small
 * - DOCA_ERROR_NOT_FOUND: the interface has no IPv4 address
 * - DOCA_ERROR_OPERATING_SYSTEM: on a card only, never here
 *
 * Any thread. Source: spec core 2.
 */
DOCA_STABLE
doca_error_t doca_devinfo_get_ipv4_addr(const struct doca_devinfo *devinfo, uint8_t *ipv4_addr,
					uint32_t size);

/**
 * @brief IPv6 address of a device's network interface.
 *
 * @param [in] devinfo the device.
 * @param [out] ipv6_addr the address, most significant byte first.
 * @param [in] size bytes at ipv6_addr, at least DOCA_DEVINFO_IPV6_ADDR_SIZE.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: a pointer is NULL, or size is too small
 * - DOCA_ERROR_OPERATING_SYSTEM: on a card only, never here
 *
 * Any thread. Source: spec core 2.
 */
DOCA_STABLE
doca_error_t doca_devinfo_get_ipv6_addr(const struct doca_devinfo *devinfo, uint8_t *ipv6_addr,
					uint32_t size);

/**
 * @brief MAC address of a device.
 *
 * @param [in] devinfo the device.
 * @param [out] mac_addr the address in the order it is written in.
 * @param [in] size bytes at mac_addr, at least DOCA_DEVINFO_MAC_ADDR_SIZE.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: a pointer is NULL, or size is too small
 * - DOCA_ERROR_NOT_SUPPORTED: on a card only, never here
 *
 * Any thread. Source: spec core 2.
 */
DOCA_STABLE
doca_error_t doca_devinfo_get_mac_addr(const struct doca_devinfo *devinfo, uint8_t *mac_addr,
				       uint32_t size);

/**
 * @brief Name of a device's network interface, such as "p0".
 *
 * @param [in] devinfo the device.
 * @param [out] iface_name the name, NUL-terminated.
 * @param [in] size bytes at iface_name, at least DOCA_DEVINFO_IFACE_NAME_SIZE.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: a pointer is NULL, or size is too small
 * - DOCA_ERROR_OPERATING_SYSTEM: on a card only, never here
 *
 * Any thread. Source: spec core 2.
 */
DOCA_STABLE
doca_error_t doca_devinfo_get_iface_name(const struct doca_devinfo *devinfo, char *iface_name,
					 uint32_t size);

/**
 * @brief Name of a device's verbs device, such as "mlx5_0". Every device has one.
 *
 * @param [in] devinfo the device.
 * @param [out] ibdev_name the name, NUL-terminated.
 * @param [in] size bytes at ibdev_name, at least DOCA_DEVINFO_IBDEV_NAME_SIZE.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: a pointer is NULL, or size is too small
 *
 * Any thread. Source: spec core 2.
 */
DOCA_STABLE
doca_error_t doca_devinfo_get_ibdev_name(const struct doca_devinfo *devinfo, char *ibdev_name,
					 uint32_t size);

/**
 * @brief InfiniBand LID of a device's port. The ports here are Ethernet.
 *
 * @param [in] devinfo the device.
 * @param [out] lid never written.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL
 * - DOCA_ERROR_NOT_SUPPORTED: the port is not InfiniBand: always
 * - DOCA_ERROR_DRIVER: on a card only, never here
 *
 * Any thread. Source: spec core 2.
 */
DOCA_STABLE
doca_error_t doca_devinfo_get_lid(const struct doca_devinfo *devinfo, uint16_t *lid);

/**
 * @brief Speed of a device's port.
 *
 * Releases up to 2.7 wrote a double; so does this one with DOCA_LEGACY_2_7.
 *
 * @param [in] devinfo the device.
 * @param [out] active_rate bits a second.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL
 * - DOCA_ERROR_DRIVER: on a card only, never here
 *
 * Any thread. Source: spec core 2.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_devinfo_get_active_rate(const struct doca_devinfo *devinfo,
					  uint64_t *active_rate);

/**
 * @brief Number that the card gives a function; unique on a card.
 *
 * @param [in] devinfo the device.
 * @param [out] vhca_id the number.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL
 * - DOCA_ERROR_DRIVER: on a card only, never here
 *
 * Any thread. Source: spec core 2.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_devinfo_get_vhca_id(const struct doca_devinfo *devinfo, uint16_t *vhca_id);

/**
 * @brief Whether a device is a physical, a virtual or a sub-function.
 *
 * @param [in] devinfo the device.
 * @param [out] pci_func_type the kind.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL
 *
 * Any thread. Source: spec core 2, called by the samples from 3.1 on.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_devinfo_get_pci_func_type(const struct doca_devinfo *devinfo,
					    enum doca_pci_func_type *pci_func_type);

/**
 * @brief Index of a sub-function.
 *
 * @param [in] devinfo the device.
 * @param [out] sf_index the index.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL
 * - DOCA_ERROR_NOT_SUPPORTED: the device is no sub-function
 *
 * Any thread. Source: spec core 2, called by the samples from 3.1 on.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_devinfo_get_sf_index(const struct doca_devinfo *devinfo, uint32_t *sf_index);

/**
 * @brief Number of a device's network interface. The kernel has no such interface; each function of
 * a card has a number of its own.
 *
 * @param [in] devinfo the device.
 * @param [out] iface_index the number, 1 or more.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL
 *
 * Any thread. Source: called by public programs for 3.1 and later.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_devinfo_get_iface_index(const struct doca_devinfo *devinfo,
					  uint32_t *iface_index);

/*
 * Capabilities of a device
 */

/**
 * @brief Whether emulated functions can be plugged and unplugged through a device.
 *
 * @param [in] devinfo the device.
 * @param [out] is_hotplug_manager 1 or 0.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL
 * - DOCA_ERROR_DRIVER: on a card only, never here
 *
 * Any thread. Source: spec core 2.
 */
DOCA_STABLE
doca_error_t doca_devinfo_cap_is_hotplug_manager_supported(const struct doca_devinfo *devinfo,
							   uint8_t *is_hotplug_manager);

/**
 * @brief Whether notifications of a device can be moderated.
 *
 * @param [in] devinfo the device.
 * @param [out] is_notification_moderation_supported 1 or 0.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL
 * - DOCA_ERROR_DRIVER: on a card only, never here
 *
 * Any thread. Source: spec core 2.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_devinfo_cap_is_notification_moderation_supported(
	const struct doca_devinfo *devinfo, uint8_t *is_notification_moderation_supported);

/**
 * @brief Whether doca_dev_accelerate_resource_reclaim() does something on a device.
 *
 * @param [in] devinfo the device.
 * @param [out] is_accelerate_resource_reclaim 0.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL
 * - DOCA_ERROR_DRIVER: on a card only, never here
 *
 * Any thread. Source: spec core 2.
 */
DOCA_EXPERIMENTAL
doca_error_t
doca_devinfo_cap_is_accelerate_resource_reclaim_supported(const struct doca_devinfo *devinfo,
							  uint8_t *is_accelerate_resource_reclaim);

/**
 * @brief Whether a device lists representors with DOCA_DEVINFO_REP_FILTER_ALL.
 *
 * @param [in] devinfo the device.
 * @param [out] filter_all_supported 1 for a device of the DPU side, 0 for one of the host.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL
 * - DOCA_ERROR_DRIVER, DOCA_ERROR_NOT_SUPPORTED: on a card only, never here
 *
 * Any thread. Source: spec core 2.
 */
DOCA_STABLE
doca_error_t doca_devinfo_rep_cap_is_filter_all_supported(const struct doca_devinfo *devinfo,
							  uint8_t *filter_all_supported);

/**
 * @brief Whether a device lists representors with DOCA_DEVINFO_REP_FILTER_NET.
 *
 * @param [in] devinfo the device.
 * @param [out] filter_net_supported 1 for a device of the DPU side, 0 for one of the host.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL
 * - DOCA_ERROR_DRIVER, DOCA_ERROR_NOT_SUPPORTED: on a card only, never here
 *
 * Any thread. Source: spec core 2.
 */
DOCA_STABLE
doca_error_t doca_devinfo_rep_cap_is_filter_net_supported(const struct doca_devinfo *devinfo,
							  uint8_t *filter_net_supported);

/**
 * @brief Whether a device lists representors with DOCA_DEVINFO_REP_FILTER_EMULATED.
 *
 * @param [in] devinfo the device.
 * @param [out] filter_emulated_supported 1 for a device of the DPU side, 0 for one of the host.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL
 * - DOCA_ERROR_DRIVER, DOCA_ERROR_NOT_SUPPORTED: on a card only, never here
 *
 * Any thread. Source: spec core 2.
 */
DOCA_STABLE
doca_error_t doca_devinfo_rep_cap_is_filter_emulated_supported(const struct doca_devinfo *devinfo,
							       uint8_t *filter_emulated_supported);

/*
 * Attributes of a representor
 */

/**
 * @brief Name of a function that is unique in the world, chosen by its vendor.
 *
 * @param [in] devinfo_rep the representor.
 * @param [out] rep_vuid the name, NUL-terminated.
 * @param [in] size bytes at rep_vuid, at least DOCA_DEVINFO_REP_VUID_SIZE.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: a pointer is NULL, or size is too small
 *
 * Any thread. Source: spec core 2.
 */
DOCA_STABLE
doca_error_t doca_devinfo_rep_get_vuid(const struct doca_devinfo_rep *devinfo_rep, char *rep_vuid,
				       uint32_t size);

/**
 * @brief PCI address of the function that a representor stands for, in the long form.
 *
 * @param [in] devinfo_rep the representor.
 * @param [out] pci_addr_str DOCA_DEVINFO_REP_PCI_ADDR_SIZE bytes; NUL-terminated, lower case.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL
 * - DOCA_ERROR_NO_MEMORY, DOCA_ERROR_UNEXPECTED: on a card only, never here
 *
 * Any thread. Source: spec core 2.
 */
DOCA_STABLE
doca_error_t doca_devinfo_rep_get_pci_addr_str(const struct doca_devinfo_rep *devinfo_rep,
					       char *pci_addr_str);

/**
 * @brief Whether a representor stands for the function at a PCI address.
 *
 * @param [in] devinfo_rep the representor.
 * @param [in] pci_addr_str see doca_devinfo_is_equal_pci_addr().
 * @param [out] is_equal 1 when it does, else 0.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL, or the text is no PCI address
 * - DOCA_ERROR_NO_MEMORY, DOCA_ERROR_UNEXPECTED: on a card only, never here
 *
 * Any thread. Source: spec core 2.
 */
DOCA_STABLE
doca_error_t doca_devinfo_rep_is_equal_pci_addr(const struct doca_devinfo_rep *devinfo_rep,
						const char *pci_addr_str, uint8_t *is_equal);

/**
 * @brief Whether a representor stands for a physical, a virtual or a sub-function.
 *
 * @param [in] devinfo_rep the representor.
 * @param [out] pci_func_type the kind.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL
 *
 * Any thread. Source: spec core 2.
 */
DOCA_STABLE
doca_error_t doca_devinfo_rep_get_pci_func_type(const struct doca_devinfo_rep *devinfo_rep,
						enum doca_pci_func_type *pci_func_type);

/**
 * @brief Whether the function behind a representor was plugged in, or is part of the card.
 *
 * @param [in] devinfo_rep the representor.
 * @param [out] is_hotplug 1 when plugged in, else 0.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL
 *
 * Any thread. Source: spec core 2.
 */
DOCA_STABLE
doca_error_t doca_devinfo_rep_get_is_hotplug(const struct doca_devinfo_rep *devinfo_rep,
					     uint8_t *is_hotplug);

/**
 * @brief Name of a representor's own network interface, such as "pf0hpf".
 *
 * @param [in] devinfo_rep the representor.
 * @param [out] iface_name the name, NUL-terminated.
 * @param [in] size bytes at iface_name, at least DOCA_DEVINFO_IFACE_NAME_SIZE.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: a pointer is NULL, or size is too small
 * - DOCA_ERROR_OPERATING_SYSTEM: on a card only, never here
 *
 * Any thread. Source: spec core 2.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_devinfo_rep_get_iface_name(const struct doca_devinfo_rep *devinfo_rep,
					     char *iface_name, uint32_t size);

/**
 * @brief Number of a representor's own network interface. The kernel has no such interface; none of
 * the card's functions and representors has the number of another one.
 *
 * @param [in] devinfo_rep the representor.
 * @param [out] iface_index the number, 1 or more.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL
 *
 * Any thread. Source: called by public programs for 3.1 and later.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_devinfo_rep_get_iface_index(const struct doca_devinfo_rep *devinfo_rep,
					      uint32_t *iface_index);

/**
 * @brief Which host the function behind a representor belongs to.
 *
 * @param [in] devinfo_rep the representor.
 * @param [out] host_index 1: the host that the card is in; 0 would be the card's own processor.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL
 *
 * Any thread. Source: called by public programs for 3.1 and later.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_devinfo_rep_get_host_index(const struct doca_devinfo_rep *devinfo_rep,
					     uint32_t *host_index);

/**
 * @brief Number of the physical function behind a representor, or to which the one behind it
 * belongs.
 *
 * @param [in] devinfo_rep the representor.
 * @param [out] pf_index the number, counted from 0 on the host's side of the card.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL
 *
 * Any thread. Source: called by public programs for 3.1 and later.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_devinfo_rep_get_pf_index(const struct doca_devinfo_rep *devinfo_rep,
					   uint32_t *pf_index);

/**
 * @brief Number of the virtual function behind a representor.
 *
 * @param [in] devinfo_rep the representor.
 * @param [out] vf_index the number, counted from 0 within its physical function.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL
 * - DOCA_ERROR_NOT_SUPPORTED: it is no virtual function
 *
 * Any thread. Source: called by public programs for 3.1 and later.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_devinfo_rep_get_vf_index(const struct doca_devinfo_rep *devinfo_rep,
					   uint32_t *vf_index);

/**
 * @brief Index of the sub-function behind a representor.
 *
 * @param [in] devinfo_rep the representor.
 * @param [out] sf_index the index.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL
 * - DOCA_ERROR_NOT_SUPPORTED: it is no sub-function
 *
 * Any thread. Source: called by public programs for 3.1 and later.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_devinfo_rep_get_sf_index(const struct doca_devinfo_rep *devinfo_rep,
					   uint32_t *sf_index);

/**
 * @brief Number that the card gives the function behind a representor.
 *
 * @param [in] devinfo_rep the representor.
 * @param [out] vhca_id the number.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL
 *
 * Any thread. Source: spec core 2.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_devinfo_rep_get_vhca_id(const struct doca_devinfo_rep *devinfo_rep,
					  uint16_t *vhca_id);

/*
 * Spellings of releases 1.3 to 2.2. Each does what its successor does.
 */

/**
 * enum doca_devinfo_rep_filter up to 2.2. The bits of single emulated devices list no representor.
 */
enum doca_dev_rep_filter {
	DOCA_DEV_REP_FILTER_ALL = 0,
	DOCA_DEV_REP_FILTER_NET = 2,
	DOCA_DEV_REP_FILTER_EMULATED = 4, /**< of 2.2; before, that bit was VIRTIO_FS */
	DOCA_DEV_REP_FILTER_VIRTIO_FS = 4,
	DOCA_DEV_REP_FILTER_VIRTIO_NET = 8,
	DOCA_DEV_REP_FILTER_VIRTIO_BLK = 16,
	DOCA_DEV_REP_FILTER_NVME = 32,
};

/**
 * @brief doca_devinfo_create_list() up to release 2.2.
 *
 * @param [out] dev_list see doca_devinfo_create_list().
 * @param [out] nb_devs see doca_devinfo_create_list().
 *
 * @return see doca_devinfo_create_list().
 *
 * Any thread. Source: spec core 2.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_devinfo_list_create(struct doca_devinfo ***dev_list, uint32_t *nb_devs);

/**
 * @brief doca_devinfo_destroy_list() up to release 2.2.
 *
 * @param [in] dev_list see doca_devinfo_destroy_list().
 *
 * @return see doca_devinfo_destroy_list().
 *
 * Any thread; the list is the caller's and is shared at the caller's own risk. Source: spec core
 * 2.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_devinfo_list_destroy(struct doca_devinfo **dev_list);

/**
 * @brief doca_devinfo_rep_create_list() up to release 2.2.
 *
 * @param [in] dev see doca_devinfo_rep_create_list().
 * @param [in] filter enum doca_dev_rep_filter.
 * @param [out] dev_list_rep see doca_devinfo_rep_create_list().
 * @param [out] nb_devs_rep see doca_devinfo_rep_create_list().
 *
 * @return see doca_devinfo_rep_create_list().
 *
 * Any thread. Source: spec core 2.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_devinfo_rep_list_create(struct doca_dev *dev, int filter,
					  struct doca_devinfo_rep ***dev_list_rep,
					  uint32_t *nb_devs_rep);

/**
 * @brief doca_devinfo_rep_destroy_list() up to release 2.2.
 *
 * @param [in] dev_list_rep see doca_devinfo_rep_destroy_list().
 *
 * @return see doca_devinfo_rep_destroy_list().
 *
 * Any thread; the list is the caller's and is shared at the caller's own risk. Source: spec core
 * 2.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_devinfo_rep_list_destroy(struct doca_devinfo_rep **dev_list_rep);

/**
 * @brief PCI address of a device as numbers; the domain is left out.
 *
 * Since 2.2: doca_devinfo_get_pci_addr_str().
 *
 * @param [in] devinfo the device.
 * @param [out] pci_addr the address.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL
 *
 * Any thread. Source: spec core 2.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_devinfo_get_pci_addr(const struct doca_devinfo *devinfo,
				       struct doca_pci_bdf *pci_addr);

/**
 * @brief PCI address of a represented device as numbers; the domain is left out.
 *
 * Since 2.2: doca_devinfo_rep_get_pci_addr_str().
 *
 * @param [in] devinfo_rep the device.
 * @param [out] pci_addr the address.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL
 *
 * Any thread. Source: public programs of that age.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_devinfo_rep_get_pci_addr(const struct doca_devinfo_rep *devinfo_rep,
					   struct doca_pci_bdf *pci_addr);

/**
 * @brief doca_mmap_cap_is_export_pci_supported() up to release 2.2.
 *
 * @param [in] devinfo the device.
 * @param [out] mmap_export 1 or 0.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL
 *
 * Any thread. Source: spec core 2.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_devinfo_get_is_mmap_export_supported(const struct doca_devinfo *devinfo,
						       uint8_t *mmap_export);

/**
 * @brief doca_mmap_cap_is_create_from_export_pci_supported() up to release 2.2.
 *
 * @param [in] devinfo the device.
 * @param [out] from_export 1 or 0.
 *
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL
 *
 * Any thread. Source: spec core 2.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_devinfo_get_is_mmap_from_export_supported(const struct doca_devinfo *devinfo,
							    uint8_t *from_export);

#ifdef __cplusplus
} /* extern "C" */
#endif

#ifdef DOCA_LEGACY_2_7
#include <softfield_dev_2_7.h>
#endif
#include <softfield_core_2_2.h>

#endif /* DOCA_DEV_H_ */
