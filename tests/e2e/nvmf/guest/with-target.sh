#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# In the guest: serves /job/disk.img with softfield-target over RDMA, runs the command, and ends the
# target.
#   with-target.sh TARGET ADDRESS PORT NQN COMMAND [ARGUMENT...]
# Exit status: the command's, or the target's if that is not 0.
set -u
target=$1 addr=$2 port=$3 nqn=$4; shift 4
coproc "$target" --file /job/disk.img --nqn "$nqn" --listen-rdma "$addr:$port"
pid=$COPROC_PID
while read -r line; do
  echo "$line"
  [[ "$line" == *'nvme connect'* ]] && break
done <&"${COPROC[0]}"
kill -0 "$pid" || exit 2
"$@"; rc=$?
kill -TERM "$pid"; wait "$pid"; ended=$?
((ended == 0)) || echo "FAIL the target's exit status is $ended"
exit $((rc ? rc : ended))
