#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# In the guest: connects at once, without a tool, reads the disk's beginning, and leaves.
#   visit.sh tcp|rdma ADDRESS PORT NQN
set -eu
echo "transport=$1,traddr=$2,trsvcid=$3,nqn=$4,nr_io_queues=1" >/dev/nvme-fabrics
for ((i = 0; i < 100; i++)); do
  [[ -b /dev/nvme0n1 ]] && break
  sleep 0.1
done
dd if=/dev/nvme0n1 of=/dev/null bs=64k count=4 iflag=direct status=none
echo 1 >/sys/class/nvme/nvme0/delete_controller
echo ok visit
