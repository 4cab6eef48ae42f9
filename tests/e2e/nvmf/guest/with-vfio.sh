#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# In the guest (GUEST_IOMMU=1 GUEST_NVME=FILE): gives the emulated NVMe disk to the driver vfio-pci
# and runs the command with NVME_BDF set to its address.
#   with-vfio.sh COMMAND [ARGUMENT...]
modprobe -a vfio-pci vfio_iommu_type1 || exit 2
for device in /sys/bus/pci/devices/*; do
	[[ $(cat "$device/class") == 0x010802 ]] && NVME_BDF=${device##*/} && break
done
[[ -n ${NVME_BDF:-} ]] || { echo 'with-vfio: no NVMe disk (GUEST_NVME?)' >&2; exit 2; }
[[ -e $device/iommu_group ]] || { echo 'with-vfio: no IOMMU (GUEST_IOMMU=1?)' >&2; exit 2; }
[[ -e $device/driver ]] && echo "$NVME_BDF" >"$device/driver/unbind"
echo vfio-pci >"$device/driver_override"
echo "$NVME_BDF" >/sys/bus/pci/drivers_probe
group=/dev/vfio/$(basename "$(readlink "$device/iommu_group")")
[[ -c $group ]] || { echo "with-vfio: no $group" >&2; exit 2; }
export NVME_BDF
exec "$@"
