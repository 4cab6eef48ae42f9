#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Makes the test guest: a Debian kernel with all its modules, and a tiny
# initramfs (busybox) that boots straight into a script.  The guest's root file
# system is the calling machine's own root, shared read-only over 9p under a
# RAM overlay, so every program and library installed or built here is there.
#
#   build-guest.sh [--force] [--install]
#
#   NVMF_GUEST_DIR  where the guest is kept  (default: ~/.cache/nvmf-guest)
#   --install       apt-get install the tools that are missing (needs root)
#   --force         build again even if the cached guest is up to date
#
# Prints the folder.  Exit 0: built or already there; 1: failed; 3: tools missing.
set -euo pipefail
export LC_ALL=C DEBIAN_FRONTEND=noninteractive
DIR=${NVMF_GUEST_DIR:-${XDG_CACHE_HOME:-${HOME:-/tmp}/.cache}/nvmf-guest}
FORMAT=4        # raise to make old caches rebuild
# what the boot itself needs; everything else is loaded later from the 9p share
BOOT_MODULES='virtio_pci 9p 9pnet_virtio overlay virtio_console'
say() { echo "build-guest: $*" >&2; }

force=0 install=0
for a; do case $a in --force) force=1 ;; --install) install=1 ;;
  *) sed -n '4,16s/^# \{0,1\}//p' "$0" >&2; exit 2 ;; esac; done

need=()
want() { command -v "$1" >/dev/null || [[ -x /usr/sbin/$1 || -x /sbin/$1 ]] || need+=("$2"); }
want qemu-system-x86_64 qemu-system-x86
want cpio cpio; want zstd zstd; want xz xz-utils; want depmod kmod; want flock util-linux
[[ -x /bin/busybox ]] && ! ldd /bin/busybox >/dev/null 2>&1 || need+=(busybox-static)
if ((${#need[@]})); then
  ((install)) || { say "missing packages: ${need[*]} (or call with --install)"; exit 3; }
  apt-get -q update >/dev/null 2>&1 || true
  apt-get -qq -y --no-install-recommends install "${need[@]}" >/dev/null 2>&1 ||
    { say "apt-get install ${need[*]} failed"; exit 1; }
fi

mkdir -p "$DIR"; DIR=$(cd "$DIR" && pwd)
exec 9>"$DIR/.lock"; flock -w 600 9 || { say 'another build holds the lock'; exit 1; }
if ((!force)) && [[ "$(cat "$DIR/.done" 2>/dev/null)" == "$FORMAT" ]]; then echo "$DIR"; exit 0; fi

work=$(mktemp -d "$DIR/.build.XXXXXX"); trap 'rm -rf "$work"' EXIT
kpkg=$(apt-cache depends linux-image-amd64 2>/dev/null |
       awk '/Depends: linux-image-[0-9]/ { print $2; exit }') || true
if [[ -z "$kpkg" ]]; then
  apt-get -q update >/dev/null 2>&1 || true
  kpkg=$(apt-cache depends linux-image-amd64 |
         awk '/Depends: linux-image-[0-9]/ { print $2; exit }')
fi
[[ -n "$kpkg" ]] || { say 'no linux-image-amd64 in the package lists'; exit 1; }
say "kernel: $kpkg"
(cd "$work" && apt-get -qq download "$kpkg" 2>/dev/null) ||
  { apt-get -q update >/dev/null 2>&1 || true
    (cd "$work" && apt-get -qq download "$kpkg" 2>"$work/err") ||
    { cat "$work/err" >&2; say 'download failed'; exit 1; }; }
dpkg-deb -x "$work/$kpkg"_*.deb "$work/k"; rm -f "$work"/*.deb
# Debian 13's has /usr/lib/modules, and its depmod may look there only.
if [[ -d $work/k/usr/lib/modules ]]; then mv "$work/k/usr/lib" "$work/k/lib"; fi
mkdir -p "$work/k/usr"; ln -s ../lib "$work/k/usr/lib"
ver=$(ls "$work/k/lib/modules")
for d in sound drivers/{gpu,media,staging,iio,usb,hid,input,hwmon,mtd,isdn,bluetooth} \
  drivers/{thunderbolt,platform} \
  drivers/net/{wireless,usb,can,wwan} drivers/scsi net/{bluetooth,mac80211,wireless}; do
  rm -rf "$work/k/lib/modules/$ver/kernel/$d"      # never needed here, two thirds of the size
done
depmod -b "$work/k" "$ver" 2>/dev/null

r=$work/initramfs; m=$r/lib/modules/$ver
mkdir -p "$r"/{bin,dev,proc,sys,new,lower,rw} "$m"
cp /bin/busybox "$r/bin/"; ln -s busybox "$r/bin/sh"
mods() {   # the files of the given modules and all they need, dependencies first
  local x line
  for x; do
    # not there: built in
    line=$(grep -E "/${x//[-_]/[-_]}\.ko[.a-z]*:" "$work/k/lib/modules/$ver/modules.dep") ||
      continue
    tr ' ' '\n' <<<"${line#*:}" | tac | sed '/^$/d'; echo "${line%%:*}"
  done | awk '!seen[$0]++'
}
# shellcheck disable=SC2086
for f in $(mods $BOOT_MODULES); do
  name=${f##*/} from=$work/k/lib/modules/$ver/$f
  if [[ $name == *.xz ]]; then
    name=${name%.xz}; xz -dc "$from" >"$m/$name" # what busybox loads is not compressed
  else
    cp "$from" "$m/$name"
  fi
  echo "/lib/modules/$ver/$name" >>"$r/modules.order"
done

cat >"$r/init" <<'INIT'
#!/bin/sh
# first process of the guest: the root over 9p, then the job's script
B=/bin/busybox
$B mount -t proc proc /proc; $B mount -t sysfs sys /sys; $B mount -t devtmpfs dev /dev
for f in $($B cat /modules.order); do $B insmod "$f"; done
O='trans=virtio,version=9p2000.L,msize=524288'
fail() { echo "guest-init: $*" >/dev/console; $B poweroff -f; }
$B mount -t 9p -o "$O,ro,cache=loose" root /lower || fail 'no root share'
$B mount -t tmpfs -o size=75% tmpfs /rw; $B mkdir /rw/up /rw/work
O2=lowerdir=/lower,upperdir=/rw/up,workdir=/rw/work
$B mount -t overlay -o $O2 overlay /new || fail 'no overlay'
$B mkdir -p /new/proc /new/sys /new/dev /new/run /new/tmp /new/lib/modules /new/job /new/root
$B mount -t proc proc /new/proc; $B mount -t sysfs sys /new/sys
$B mount -t devtmpfs dev /new/dev; $B mkdir -p /new/dev/pts /new/dev/shm
$B ln -s /proc/self/fd /new/dev/fd; $B ln -s fd/0 /new/dev/stdin
$B ln -s fd/1 /new/dev/stdout; $B ln -s fd/2 /new/dev/stderr
$B mount -t devpts devpts /new/dev/pts; $B mount -t tmpfs shm /new/dev/shm
$B mount -t tmpfs run /new/run
$B mount -t 9p -o "$O,ro,cache=loose" modules /new/lib/modules || fail 'no modules share'
$B mount -t 9p -o "$O,cache=none" job /new/job || fail 'no job share'
$B mount -t debugfs debugfs /new/sys/kernel/debug 2>/dev/null
exec $B switch_root -c /dev/console /new /bin/bash /job/.start
INIT
chmod 755 "$r/init"
(cd "$r" && find . | cpio -o -H newc --quiet | zstd -q -3) >"$work/initramfs.img"

rm -rf "$DIR/modules" "$DIR/.done"
mv "$work/k/lib/modules" "$DIR/modules"
cp "$work/k/boot/vmlinuz-$ver" "$DIR/vmlinuz"; cp "$work/k/boot/config-$ver" "$DIR/config"
mv "$work/initramfs.img" "$DIR/initramfs.img"
echo "$ver" >"$DIR/version"; echo "$FORMAT" >"$DIR/.done"
echo "$DIR"
