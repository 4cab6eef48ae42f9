#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# In the guest: the Linux kernel's NVMe-oF initiator against a target.
#   linux-initiator.sh TRTYPE ADDRESS PORT SUBNQN [more "nvme connect" options]
# Discovery, connect, ext4 with data read back after a remount, fio with verified
# checksums over mixed sizes, admin commands, reset, I/O out of range, disconnect.
# The namespace (>= 32 MiB, its content is lost) is the subsystem's first one.
# One line per check, "ok NAME" or "FAIL NAME"; exit 1 if any failed.
#   FIO_MB (8)  bytes that fio verifies      PERF_S (0)  seconds per rate measured
# Functions are called by name through ck.
# shellcheck disable=SC2317,SC2012
set -u
t=$1 a=$2 p=$3 n=$4 c='' d='' bs='' last=''; shift 4
bad=0; log=$(mktemp)
say() { printf '[%6.2f] %s\n' "$(cut -d' ' -f1 /proc/uptime)" "$*"; }
ck() { local name=$1; shift
  export t a p n d c bs last log
  if timeout 60 bash -c '"$@"' ck "$@" >"$log" 2>&1; then say "ok $name"
  else say "FAIL $name ($?)"; tail -n 5 "$log"; bad=1; fi; }
not() { ! "$@"; }
finish() { nvme disconnect -n "$n" >/dev/null 2>&1
  dmesg | grep -E 'BUG:|Oops|Call Trace|hung task' && { say 'FAIL kernel trouble'; bad=1; }
  ((bad)) && dmesg | grep -i nvme | tail -n 15; exit $bad; }

modprobe -a "nvme-$t" ext4 || { say 'FAIL modules'; exit 1; }
listed() { nvme discover -t "$t" -a "$a" -s "$p" >"$log.d" && grep -q "subnqn: *$n\$" "$log.d"; }
export -f not listed
ck discover listed
ck connect nvme connect -t "$t" -a "$a" -s "$p" -n "$n" -i 2 "$@"
for ((i = 0; i < 100; i++)); do
  for s in /sys/class/nvme/nvme*; do
    [[ "$(cat "$s/subsysnqn" 2>/dev/null)" == "$n" ]] && c=${s##*/}
  done
  d=$(ls -d "/dev/${c:-none}"n* 2>/dev/null | head -n 1)
  [[ -b "$d" ]] && break; sleep 0.1
done
[[ -b "$d" ]] || { say 'FAIL no block device'; bad=1; finish; }
say "controller $c, namespace $d, $(blockdev --getsize64 "$d") bytes," \
  "blocks of $(blockdev --getss "$d")"

fs() { local h; mkdir -p /run/x && mkfs.ext4 -qF "$d" && mount "$d" /run/x &&
  head -c 8M /dev/urandom >/run/x/f && h=$(sha256sum </run/x/f) && umount /run/x &&
  echo 3 >/proc/sys/vm/drop_caches && mount "$d" /run/x && [[ "$h" == "$(sha256sum </run/x/f)" ]] &&
  umount /run/x && fsck.ext4 -fn "$d"; }
export -f fs
ck filesystem fs
f=(fio --name=v --filename="$d" --direct=1 --ioengine=io_uring --verify_fatal=1
   --group_reporting --size="${FIO_MB:-8}M")
ck fio-4k "${f[@]}" --rw=randwrite --bs=4k --iodepth=16 --verify=crc32c
ck fio-mixed "${f[@]}" --rw=randwrite --bsrange=4k-256k --iodepth=8 --verify=crc32c
ck fio-2jobs "${f[@]}" --rw=randwrite --bs=8k --iodepth=8 --verify=md5 --numjobs=2 \
  --offset_increment=16M
ck id-ctrl nvme id-ctrl "/dev/$c"
ck id-ns nvme id-ns "$d"
ck ns-descs nvme ns-descs "$d"
ck list-ns nvme list-ns "/dev/$c"
ck smart-log nvme smart-log "/dev/$c"
ck error-log nvme error-log "/dev/$c" -e 1
ck fw-log nvme fw-log "/dev/$c"
ck num-queues nvme get-feature "/dev/$c" -f 7
regs() { nvme show-regs "/dev/$c" >/run/regs && grep -q '^csts *: 1$' /run/regs; }
export -f regs
ck show-regs regs
ck bad-feature not nvme get-feature "/dev/$c" -f 0xb9
ana_log() { local cmic; cmic=$(nvme id-ctrl "/dev/$c" | awk '$1 == "cmic" { print $3 }')
  if ((cmic & 8)); then nvme ana-log "/dev/$c" && nvme ana-log "/dev/$c" -g
  else not nvme ana-log "/dev/$c"; fi; }
export -f ana_log
ck ana-log ana_log
ck bad-log not nvme get-log "/dev/$c" -i 0xb9 -l 512
ck flush nvme flush "$d"
bs=$(blockdev --getss "$d"); last=$(($(blockdev --getsize64 "$d") / bs))
head -c "$bs" /dev/urandom >/run/w
io() { nvme write "$d" -s 3 -c 0 -z "$bs" -d /run/w &&
  nvme read "$d" -s 3 -c 0 -z "$bs" -d /run/r && cmp /run/w /run/r; }
export -f io
ck passthru-io io
ck read-past-end not nvme read "$d" -s "$last" -c 0 -z "$bs" -d /run/r
ck read-across-end not nvme read "$d" -s $((last - 1)) -c 1 -z $((2 * bs)) -d /run/r
oncs=$(nvme id-ctrl "/dev/$c" | awk '$1 == "oncs" { print $3 }')
((oncs & 0x80)) && ck verify nvme verify "$d" -s 3 -c 7
copy() { nvme copy "$d" --sdlba=20 --slbs=3 --blocks=0 &&
  nvme read "$d" -s 20 -c 0 -z "$bs" -d /run/r && cmp /run/w /run/r; }
export -f copy
((oncs & 0x100)) && ck copy copy
ck reset nvme reset "/dev/$c"
for ((i = 0; i < 100; i++)); do
  [[ "$(cat "/sys/class/nvme/$c/state")" == live ]] && break
  sleep 0.1
done
ck io-after-reset io
if ((${PERF_S:-0})); then
  for w in 'randread 4k 1' 'randread 4k 16' 'read 128k 8'; do
    # shellcheck disable=SC2086
    set -- $w
    fio --name=p --filename="$d" --direct=1 --ioengine=io_uring --rw="$1" --bs="$2" --iodepth="$3" \
      --time_based --runtime="$PERF_S" --minimal |
      awk -F';' -v w="$w" '{ print "rate", w, $8 " IOPS", int($7/1024) " MiB/s" }'
  done
fi
ck discard blkdiscard "$d"
ck disconnect nvme disconnect -n "$n"
finish
