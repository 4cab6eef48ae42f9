#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# In the guest: a host that writes to a disk as fast as it can while the target puts others in its
# place.
#   replace.sh ADDRESS PORT SUBNQN ROUNDS
# Functions are called by name.
# shellcheck disable=SC2317
set -u
a=$1 p=$2 n=$3 rounds=$4
say() { printf '[%6.2f] %s\n' "$(cut -d' ' -f1 /proc/uptime)" "$*"; }
die() { say "FAIL $*"; dmesg | grep -i nvme | tail -n 20; exit 1; }
wait_for() { # what it is, COMMAND...
  local what=$1 i; shift
  for ((i = 0; i < 600; i++)); do "$@" && return; sleep 0.1; done
  die "$what"
}
disk() { # the block device of namespace 1 now, with the UUID that is not the one before
  local file
  for file in /sys/block/nvme*n*/uuid; do
    [[ "$(cat "$file" 2>/dev/null)" == "$last" ]] && continue
    file=${file%/uuid}; d=/dev/${file##*/}; [[ -b $d ]] && return
  done
  return 1
}

modprobe -a nvme-tcp || die modules
nvme connect -t tcp -a "$a" -s "$p" -n "$n" -i 2 -k 5 || die connect
last=none d=
for ((i = 1; i <= rounds; i++)); do
  wait_for "disk $i" disk
  last=$(cat "/sys/block/${d##*/}/uuid")
  for _ in 1 2 3; do
    (while dd if=/dev/zero of="$d" bs=512k oflag=direct conv=nocreat; do :; done) &>/dev/null &
    (while dd if=/dev/zero of="$d" bs=64k seek=8 conv=nocreat; do :; done) &>/dev/null &
  done
  sleep 1
  say "now replace $i"
  wait
  say "ok written $i"
done
wait_for 'the last disk' disk
nvme disconnect-all
dmesg | grep -E 'BUG:|Oops|Call Trace|hung task' && die 'kernel trouble'
say 'ok end'
