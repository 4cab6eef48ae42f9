#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# In the guest: a host that authenticates by DH-HMAC-CHAP, with right keys and wrong ones.
#   auth.sh ADDRESS PORT SUBNQN HOSTNQN ROUNDS
# In each round the target has other keys, hashes and groups: a line "now round N" asks for them,
# and the script goes on when /job/keys.N has the host's key and the controller's.
set -u
a=$1 p=$2 n=$3 q=$4 rounds=$5
say() { printf '[%6.2f] %s\n' "$(cut -d' ' -f1 /proc/uptime)" "$*"; }
die() { say "FAIL $*"; cat /run/log; dmesg | grep -i nvme | tail -n 30; exit 1; }
connect() {
  nvme connect -t tcp -a "$a" -s "$p" -n "$n" -q "$q" -i 2 -k 5 -l 0 "$@" >/run/log 2>&1
}
refused() { # WHAT OPTION...
  local what=$1; shift
  connect "$@" && die "$what: connected"; say "ok $what"
}
ctrl() { local file; for file in /sys/class/nvme/nvme*; do
  [[ "$(cat "$file/subsysnqn" 2>/dev/null)" == "$n" ]] && echo "$file" && return; done; return 1; }
disk() { local file; file=$(ctrl) && [[ -b /dev/${file##*/}n1 ]] && echo "/dev/${file##*/}n1"; }
wait_for() { # what it is, COMMAND...
  local what=$1 i; shift
  for ((i = 0; i < 600; i++)); do "$@" >/dev/null && return; sleep 0.1; done
  die "$what"
}
use() { # that the disk holds what is written to it
  wait_for 'a disk' disk; d=$(disk)
  dd if=/dev/urandom of=/run/data bs=64k count=4 2>/run/log || die data
  dd if=/run/data of="$d" bs=64k oflag=direct 2>/run/log || die write
  dd if="$d" of=/run/back bs=64k count=4 iflag=direct 2>/run/log || die read
  cmp /run/data /run/back || die 'other bytes'
}
said() { dmesg | grep -c "$1"; }
has_said() { (($(said "$1") > $2)); }

touch /run/log
modprobe nvme-core multipath=N || die modules
modprobe nvme-tcp || die modules
nvme discover -t tcp -a "$a" -s "$p" -q "$q" >/run/log || die discover
grep -q "subnqn: *$n\$" /run/log || die 'not in the log'
say 'ok discovery without a key'
for ((i = 1; i <= rounds; i++)); do
  say "now round $i"
  until [[ -e /job/keys.$i ]]; do sleep 0.1; done
  { read -r key; read -r ckey; read -r wrong; } <"/job/keys.$i"
  if ((i == 1)); then
    refused 'no key'
    refused 'a wrong key' --dhchap-secret="$wrong"
    refused 'a controller with a wrong key' --dhchap-secret="$key" --dhchap-ctrl-secret="$wrong"
  fi
  connect --dhchap-secret="$key" || die "one proof, round $i"
  use; say "ok one proof, round $i"
  nvme disconnect -n "$n" >/run/log || die disconnect
  connect --dhchap-secret="$key" --dhchap-ctrl-secret="$ckey" || die "both proofs, round $i"
  use; say "ok both proofs, round $i"
  if ((i < rounds)); then nvme disconnect -n "$n" >/run/log || die disconnect; fi
done
dmesg | grep -E 'authenticated with' | sed 's/^\[[^]]*\] //' | sort | uniq -c
count=$(said 'qid 0: authenticated with')
echo "$key" >"$(ctrl)/dhchap_secret" || die 'again'
wait_for 'again' has_said 'qid 0: authenticated with' "$count"
use; say 'ok again, while it works'
nvme disconnect-all
dmesg | grep -E 'BUG:|Oops|Call Trace|hung task' && die 'kernel trouble'
say 'ok end'
