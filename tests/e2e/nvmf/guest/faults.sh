#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# In the guest: a host that goes on while its target is killed, itself is frozen, and its cable is
# pulled. fio writes and verifies all the time; no command may fail, no byte be wrong.
#   faults.sh TRTYPE ADDRESS PORT SUBNQN KILLS
# Faults that come from outside are asked for by a line, "now kill" or "now freeze"; the script
# goes on when the controller has been lost and found again. A target of with-target.sh is killed by
# the script; nothing is frozen then.
# Functions are called by name.
# shellcheck disable=SC2317
set -u
t=$1 a=$2 p=$3 n=$4 kills=$5
say() { printf '[%6.2f] %s\n' "$(cut -d' ' -f1 /proc/uptime)" "$*"; }
die() { say "FAIL $*"; dmesg | grep -i nvme | tail -n 20; exit 1; }
wait_for() { # what it is, COMMAND...
  local what=$1 i; shift
  for ((i = 0; i < 900; i++)); do "$@" && return; sleep 0.1; done
  die "$what"
}
named() {
  for c in /sys/class/nvme/nvme*; do [[ "$(cat "$c/subsysnqn")" == "$n" ]] && return; done
}
live() { [[ "$(cat "$c/state" 2>/dev/null)" == live ]]; }
not_live() { ! live; }
disk() { d=/dev/${c##*/}n1; [[ -b "$d" ]]; }
attach() {
  local how=(connect -n "$n")
  # the discovery log of a target outside names an address that is not its own here
  [[ $t == rdma ]] && how=(connect-all)
  nvme "${how[@]}" -t "$t" -a "$a" -s "$p" -i 2 -k 2 -c 1 -l 600 || die "${how[0]}"
  wait_for controller named; wait_for disk disk
  say "ok ${how[0]}"
}
# of the path: the disk above it counts nothing
written() { awk '{ print $7 }' "$c"/nvme*n1/stat; }
has_written() { (($(written) > mark)); }

# A host that sends to a socket that is being closed does so in the name of the program that writes
# to the disk, which gets the signal ("failed to send request -32").
trap '' PIPE
modprobe -a "nvme-$t" || die modules
attach
f=(fio --name=v --filename="$d" --direct=1 --ioengine=io_uring --rw=randwrite --bsrange=4k-64k
   --iodepth=16 --size=16M --fsync=32 --verify=crc32c --verify_fatal=1 --output=/run/fio.log)
busy() {
  local seed=1
  until [[ -e /run/stop ]]; do
    "${f[@]}" --randseed=$((seed++)) || { touch /run/failed; return 1; }
  done
  say "$((seed - 1)) passes of fio"
}
busy & worker=$!
say "$d is being written"

suffer() { # fault NAME COMMAND...: in the middle of writing
  local name=$1; shift
  mark=$(($(written) + 4096)) # 2 MiB
  wait_for "writing before $name" has_written
  "$@"
  wait_for "$name is noticed" not_live
  [[ $name != cable ]] || ip link set eth0 up
  wait_for "reconnecting after $name" live
  [[ ! -e /run/failed ]] || { cat /run/fio.log; die "fio after $name"; }
  say "ok $name"
}
no_queue_pairs() { ! rdma resource show qp | grep -q 'comm softfield'; }
pull() { ip link set eth0 down; }
murder() {
  if [[ -e /run/target.pid ]]; then kill -KILL "$(cat /run/target.pid)"; else say 'now kill'; fi
}
for ((i = 0; i < kills; i++)); do suffer kill murder; done
if [[ $t == tcp ]]; then
  suffer freeze say 'now freeze'
  suffer cable pull
fi

touch /run/stop
wait "$worker" || { cat /run/fio.log; die fio; }
"${f[@]}" --randseed=999 --end_fsync=1 || die 'the last pass'
murder
wait_for 'the kill is noticed' not_live
wait_for 'reconnecting' live
nvme disconnect -n "$n" >/dev/null; rm -f /run/stop
attach
"${f[@]}" --randseed=999 --verify_only || { cat /run/fio.log; die 'flushed data'; }
say 'ok flushed data after a kill'
if [[ $t == rdma ]]; then
  # Last, because software RoCE does not find itself again: with the kernel's target neither. From
  # Linux 6.12 on a disconnect does not end then, so there is none.
  pull
  wait_for 'the cable is noticed' not_live
  wait_for 'the target lets go' no_queue_pairs
  say 'ok cable'
else
  nvme disconnect -n "$n" >/dev/null
fi
dmesg | grep -E 'BUG:|Oops|Call Trace|hung task|I/O error' && die 'kernel trouble'
exit 0
