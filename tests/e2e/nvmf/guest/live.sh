#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# In the guest: a host with two paths to a subsystem, whose target is reconfigured while fio works.
#   live.sh ADDRESS PORT1 PORT2 SUBNQN
# What the target is to do is asked for by a line "now WHAT"; the script goes on when the kernel has
# noticed.
# Functions are called by name.
# shellcheck disable=SC2317
set -u
a=$1 p1=$2 p2=$3 n=$4
say() { printf '[%6.2f] %s\n' "$(cut -d' ' -f1 /proc/uptime)" "$*"; }
die() { say "FAIL $*"; cat /run/fio.log; dmesg | grep -i nvme | tail -n 20; exit 1; }
wait_for() { # what it is, COMMAND...
  local what=$1 i; shift
  for ((i = 0; i < 900; i++)); do "$@" && return; sleep 0.1; done
  die "$what"
}
named() { # NAME FILE...: the file that holds the name
  local name=$1 file; shift
  for file; do [[ "$(cat "$file" 2>/dev/null)" == "$name" ]] && echo "$file" && return; done
  return 1
}
path_state() { cat /sys/class/nvme/nvme"$1"/nvme*c*n1/ana_state 2>/dev/null; }
path_is() { [[ "$(path_state "$1")" == "$2" ]]; }
bytes_are() { [[ "$(blockdev --getsize64 "$1" 2>/dev/null)" == "$2" ]]; }
no_disk() { [[ ! -b $1 ]]; }
done_by_now() { # a fault of the path must not have failed a command
  [[ ! -e /run/failed ]] || die "fio, at $1"; say "ok $1"; }

modprobe -a nvme-tcp || die modules
nvme discover -t tcp -a "$a" -s "$p1" >/run/log || die discover
(($(grep -c "subnqn: *$n\$" /run/log) == 2)) || die 'two entries in the log'
say 'ok discovery names both ports'
nvme discover -t tcp -a "$a" -s "$p1" -p -k 30 >/run/log || die 'persistent discovery'
wait_for 'the persistent controller' named nqn.2014-08.org.nvmexpress.discovery \
  /sys/class/nvme/nvme*/subsysnqn >/run/log
say 'ok persistent discovery'
for p in "$p1" "$p2"; do
  nvme connect -t tcp -a "$a" -s "$p" -n "$n" -i 2 -k 5 -c 1 -l 600 || die "connect to $p"
done
paths=()
for file in /sys/class/nvme/nvme*/subsysnqn; do
  [[ "$(cat "$file")" == "$n" ]] || continue
  file=${file%/subsysnqn}; paths+=("${file##*nvme}")
done
((${#paths[@]} == 2)) || die "two paths: ${paths[*]}"
one=${paths[0]} two=${paths[1]}
head=$(echo /sys/class/nvme-subsystem/nvme-subsys*/nvme*n1)
d=/dev/${head##*/}
wait_for "$d" test -b "$d"
wait_for 'both optimized' path_is "$one" optimized && wait_for 'both' path_is "$two" optimized

f=(fio --name=v --filename="$d" --direct=1 --ioengine=io_uring --rw=randwrite --bsrange=4k-64k
   --iodepth=16 --size=8M --verify=crc32c --verify_fatal=1 --output=/run/fio.log)
busy() {
  local seed=1
  until [[ -e /run/stop ]]; do
    "${f[@]}" --randseed=$((seed++)) || { touch /run/failed; return 1; }
  done
}
busy & worker=$!

say 'now first-inaccessible'
wait_for 'the first path is inaccessible' path_is "$one" inaccessible
done_by_now 'inaccessible path'
say 'now second-inaccessible'
wait_for 'the second path is inaccessible' path_is "$two" inaccessible
wait_for 'the first path is back' path_is "$one" optimized
done_by_now 'paths change places'
say 'now both-optimized'
wait_for 'both are back' path_is "$two" optimized
say 'now add'
wait_for 'a second namespace' bytes_are "${d%1}2" $((16 << 20))
"${f[@]/$d/${d%1}2}" --output=/run/fio2.log || die 'fio on the second namespace'
done_by_now 'a namespace is added'
say 'now grow'
wait_for 'its new size' bytes_are "${d%1}2" $((32 << 20))
done_by_now 'a namespace grows'
say 'now remove'
wait_for 'it is gone' no_disk "${d%1}2"
done_by_now 'a namespace is removed'
touch /run/stop
wait "$worker" || die fio
nvme disconnect-all
dmesg | grep -E 'BUG:|Oops|Call Trace|hung task' && die 'kernel trouble'
say 'ok end'
