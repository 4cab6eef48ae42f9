#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# In the guest: serves /job/disk.img with softfield-target over RDMA, or, after with-vfio.sh, its
# disk over TCP; runs the command, and ends the target. Its process id is in /run/target.pid; a
# killed one is started again.
#   with-target.sh TARGET ADDRESS PORT NQN COMMAND [ARGUMENT...]
# Exit status: the command's, or the target's if that is not 0.
set -u
target=$1 addr=$2 port=$3 nqn=$4; shift 4
disk=(--file /job/disk.img --listen-rdma)
[[ -n ${NVME_BDF:-} ]] && disk=(--pci "$NVME_BDF" --listen) && modprobe nvme-tcp
serve() {
  local rc=137
  while ((rc == 137)); do
    "$target" --nqn "$nqn" "${disk[@]}" "$addr:$port" &
    echo $! >/run/target.pid
    wait $!; rc=$?
  done
  return $rc
}
coproc serve
server=$COPROC_PID
while read -r line; do
  echo "$line"
  [[ "$line" == *'nvme connect'* ]] && break
done <&"${COPROC[0]}"
kill -0 "$server" || exit 2
"$@"; rc=$?
kill -TERM "$(cat /run/target.pid)"; wait "$server"; ended=$?
((ended == 0)) || echo "FAIL the target's exit status is $ended"
exit $((rc ? rc : ended))
