#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# In the guest: several hosts at once, each with a name and a connection of its own, that write to
# different parts of one namespace and read back what they have written.
#   hosts.sh ADDRESS PORT SUBNQN HOSTS
set -u
a=$1 p=$2 n=$3 hosts=$4
say() { printf '[%6.2f] %s\n' "$(cut -d' ' -f1 /proc/uptime)" "$*"; }
die() { say "FAIL $*"; cat /run/fio.log; dmesg | grep -i nvme | tail -n 20; exit 1; }
disks() { # one for each host, without those that are still being made
  local file
  for file in /sys/class/nvme/nvme*/subsysnqn; do
    [[ "$(cat "$file")" == "$n" ]] || continue
    file=${file%/subsysnqn}
    [[ -b /dev/${file##*/}n1 ]] && echo "/dev/${file##*/}n1"
  done
}

touch /run/fio.log
# otherwise the kernel takes them for paths of one host
modprobe nvme-core multipath=N || die modules
modprobe nvme-tcp || die modules
for ((i = 1; i <= hosts; i++)); do
  id=00000000-0000-0000-0000-$(printf %012d "$i")
  # nvme-cli takes the second one for the first
  echo "transport=tcp,traddr=$a,trsvcid=$p,nqn=$n,nr_io_queues=2,keep_alive_tmo=5,hostid=$id," \
    "hostnqn=nqn.2014-08.org.nvmexpress:uuid:$id" | tr -d ' ' >/dev/nvme-fabrics ||
    die "connect of host $i"
done
for ((i = 0; i < 100; i++)); do
  mapfile -t found < <(disks)
  ((${#found[@]} == hosts)) && break
  sleep 0.1
done
((${#found[@]} == hosts)) || die "disks: ${found[*]}"
say "ok $hosts hosts are connected"

f=(fio --direct=1 --ioengine=io_uring --rw=randwrite --bsrange=512-128k --verify=crc32c
   --verify_fatal=1 --size=4M --group_reporting --output=/run/fio.log)
depths=(1 8 32 128)
for ((i = 0; i < hosts; i++)); do
  f+=("--name=host$i" "--filename=${found[i]}" "--offset=$((i * 4))M"
    "--iodepth=${depths[i % ${#depths[@]}]}")
done
"${f[@]}" || die fio
say 'ok fio of all hosts at once'
# each of them sees what the others have written
cmp -n $((hosts * 4))M "${found[0]}" "${found[hosts - 1]}" || die 'they see different bytes'
nvme disconnect-all
dmesg | grep -E 'BUG:|Oops|Call Trace|hung task' && die 'kernel trouble'
say 'ok end'
