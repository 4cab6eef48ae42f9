#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# In the guest: makes rxe0, a software RoCE device on the network card, then runs the command.
#   with-rxe.sh COMMAND [ARGUMENT...]
# Both ends of its connections are in this guest, at 10.0.2.15.
dev=${RXE_DEV:-eth0} ip=${RXE_IP:-10.0.2.15}
modprobe -a rdma_rxe rdma_ucm ib_uverbs || exit 2
ip link set "$dev" mtu 4400 up || exit 2 # so that the RoCE path MTU is 4096
rdma link add rxe0 type rxe netdev "$dev" || exit 2
# shellcheck disable=SC2046,SC2086
gid=$(printf '%02x%02x:%02x%02x' ${ip//./ })
for ((i = 0; i < 100; i++)); do # the address's GID appears a little later
  grep -qs "ffff:$gid" /sys/class/infiniband/rxe0/ports/1/gids/* && break
  sleep 0.1
done
exec "$@"
