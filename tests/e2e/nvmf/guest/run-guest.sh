#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Boots the test guest, runs one script in it, prints what the script prints and
# exits with the script's own exit status.
#
#   run-guest.sh SCRIPT [ARGUMENT...]
#
# The guest sees this machine's root (read-only, with a RAM overlay on top), so
# paths are the same inside and outside.  /job is a folder shared read-write
# with this machine ($GUEST_JOB, or a temporary one).  The guest's address is
# 10.0.2.15; this machine's loopback is 10.0.2.2 (QEMU user-mode network).
#
#   NVMF_GUEST_DIR  the built guest            (default: ~/.cache/nvmf-guest)
#   GUEST_TIMEOUT   seconds for everything     (default: 300)
#   GUEST_MEM       memory, MiB                (default: 1536)
#   GUEST_CPUS      processors                 (default: 2)
#   GUEST_JOB       folder to share as /job    (kept; default: a temporary one)
#   GUEST_ROOT      root shared with the guest (default: /)
#   GUEST_NVME      "FILE ..." each an emulated PCI NVMe disk (made if absent, 64 MiB)
#   GUEST_IOMMU     1: an emulated Intel IOMMU, so that vfio-pci works in the guest
#   GUEST_PCAP      file: everything on the guest's network card, as pcap
#   GUEST_LOG       file: the kernel's console (default: shown only on failure)
#   GUEST_ARGS      more QEMU arguments (split at blanks)
#   GUEST_APPEND    more kernel arguments
#
# Exit status: the script's; 124 the time limit; 125 the guest did not get as far
# as the script's end (its console's tail goes to stderr); 126 not set up.
# What is in single quotes expands in the guest; commas are QEMU's.
# shellcheck disable=SC2015,SC2016,SC2054
set -uo pipefail
DIR=${NVMF_GUEST_DIR:-${XDG_CACHE_HOME:-$HOME/.cache}/nvmf-guest}
T=${GUEST_TIMEOUT:-300}
die() { echo "run-guest: $*" >&2; exit 126; }
[[ $# -ge 1 && -r "$1" ]] || { sed -n '4,29s/^# \{0,1\}//p' "$0" >&2; exit 126; }
[[ -s "$DIR/vmlinuz" && -s "$DIR/initramfs.img" ]] || die "no guest in $DIR: run build-guest.sh"
command -v qemu-system-x86_64 >/dev/null || die 'no qemu-system-x86_64'

tmp=$(mktemp -d "${TMPDIR:-/tmp}/guest.XXXXXX") || die 'no temporary folder'
qpid=
# timeout passes TERM on
trap '[[ -n $qpid ]] && kill -TERM "$qpid" 2>/dev/null && wait "$qpid"; rm -rf "$tmp"' EXIT
trap 'exit 130' INT TERM
job=${GUEST_JOB:-$tmp/job}; mkdir -p "$job" && job=$(cd "$job" && pwd) || die "cannot make $job"
log=${GUEST_LOG:-$tmp/console}
rm -f "$job/.rc"
cp -- "$1" "$job/.script" || die "cannot read $1"; chmod 755 "$job/.script"; shift

{ echo '#!/bin/bash'
  echo 'export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/'
  echo 'export TERM=dumb LC_ALL=C GUEST=1'
  echo 'for p in /dev/virtio-ports/* /dev/vport*p1; do [ -c "$p" ] && OUT=$p; done'
  echo 'exec </dev/null >"${OUT:-/dev/console}" 2>&1'
  echo 'ulimit -l unlimited; ulimit -n 65536'
  echo 'echo 0 >/proc/sys/kernel/printk_devkmsg 2>/dev/null'
  echo 'echo 0 >/proc/sys/kernel/hung_task_timeout_secs 2>/dev/null'
  echo 'hostname guest; ip link set lo up; modprobe -a virtio_net configfs'
  echo 'mount -t configfs configfs /sys/kernel/config'
  echo 'ip addr add 10.0.2.15/24 dev eth0; ip link set eth0 up; ip route add default via 10.0.2.2'
  echo 'i=0; until [ "$(cat /sys/class/net/eth0/carrier 2>/dev/null)" = 1 ] || [ $i -ge 50 ]; do'
  echo 'i=$((i+1)); sleep 0.1; done'
  echo 'cd /job'
  printf './.script'; (($#)) && printf ' %q' "$@"; echo
  echo 'rc=$?; echo $rc >/job/.rc; sync; echo o >/proc/sysrq-trigger; while :; do :; done'
} >"$job/.start"

kernel_args="console=ttyS0 panic=-1 quiet loglevel=4 net.ifnames=0 mitigations=off nopti"
kernel_args+=" tsc=reliable no_timer_check random.trust_cpu=on"
q=(qemu-system-x86_64 -machine q35 -nodefaults -no-user-config -nographic -no-reboot
   -accel tcg,thread=multi -cpu max -smp "${GUEST_CPUS:-2}" -m "${GUEST_MEM:-1536}"
   -kernel "$DIR/vmlinuz" -initrd "$DIR/initramfs.img"
   -append "$kernel_args ${GUEST_IOMMU:+intel_iommu=on} ${GUEST_APPEND:-}"
   -serial "file:$log"
   -device virtio-serial-pci -chardev "file,id=out,path=$tmp/out"
   -device virtserialport,chardev=out,name=out
   -netdev user,id=n0 -device virtio-net-pci,netdev=n0,romfile=
   -object rng-random,id=rng,filename=/dev/urandom -device virtio-rng-pci,rng=rng
   -fsdev "local,id=root,path=${GUEST_ROOT:-/},security_model=none,readonly=on,multidevs=remap"
   -device virtio-9p-pci,fsdev=root,mount_tag=root
   -fsdev "local,id=mods,path=$DIR/modules,security_model=none,readonly=on"
   -device virtio-9p-pci,fsdev=mods,mount_tag=modules
   -fsdev "local,id=job,path=$job,security_model=none"
   -device virtio-9p-pci,fsdev=job,mount_tag=job)
# 48 address bits: DPDK uses virtual addresses as bus addresses; without interrupt
# remapping vfio refuses the device (EPERM)
[[ -n "${GUEST_IOMMU:-}" ]] && q+=(-device intel-iommu,intremap=on,caching-mode=on,aw-bits=48)
n=0
for f in ${GUEST_NVME:-}; do
  [[ -e "$f" ]] || truncate -s 64M "$f" || die "cannot make $f"
  q+=(-drive "if=none,id=d$n,format=raw,cache=writeback,file=$f"
      -device "nvme,serial=guest$n,drive=d$n,max_ioqpairs=8,mdts=7"); n=$((n + 1))
done
[[ -n "${GUEST_PCAP:-}" ]] &&
  q+=(-object "filter-dump,id=fd0,netdev=n0,file=$GUEST_PCAP,maxlen=65535")
# shellcheck disable=SC2206
[[ -n "${GUEST_ARGS:-}" ]] && q+=($GUEST_ARGS)

: >"$tmp/out"
timeout -k 5 "$T" "${q[@]}" </dev/null >"$tmp/qemu.err" 2>&1 &
qpid=$!
tail -q -c +1 -s 0.1 -f --pid="$qpid" "$tmp/out" 2>/dev/null &
tpid=$!
wait "$qpid"; qrc=$?; qpid=
wait "$tpid"
if [[ -s "$job/.rc" ]]; then rc=$(cat "$job/.rc"); else
  rc=125; [[ $qrc == 124 || $qrc == 137 ]] && rc=124
  { echo "run-guest: no result (QEMU status $qrc)"; cat "$tmp/qemu.err"; tail -n 30 "$log"; } >&2
fi
rm -f "$job/.rc" "$job/.script" "$job/.start"
exit "$rc"
