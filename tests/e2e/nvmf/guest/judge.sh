#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Lets Wireshark's dissectors judge a capture of NVMe/TCP or NVMe over RoCE v2.
#   judge.sh FILE.pcap [PORT]
# Prints a count of PDU types, then every malformed frame. Exit 1 if a frame is malformed or
# nothing was recognised.
# Capture with GUEST_PCAP=FILE (guest) or: dumpcap -i lo -f 'tcp port 4420' -w FILE
set -u
f=$1 port=${2:-4420}
command -v tshark >/dev/null || { echo 'judge: no tshark' >&2; exit 3; }
# a line of each frame: its PDU types, its number, what is malformed, and what is told of it
tshark -r "$f" -d "tcp.port==$port,nvme-tcp" -o tcp.desegment_tcp_streams:TRUE \
  -T fields -E separator='|' -e nvme-tcp.type -e frame.number -e _ws.malformed -e _ws.col.Info \
  -Y 'nvme-tcp || nvme-rdma || nvme' 2>/dev/null | awk -F '|' '
  BEGIN { split("ICReq ICResp H2CTermReq C2HTermReq CapsuleCmd CapsuleResp H2CData C2HData - R2T",
                names, " ") }
  {
    count = split($1, types, ",")
    for (i = 1; i <= count; i++)
      pdus[types[i]]++
  }
  $3 { malformed[bad++] = $0 }
  END {
    for (type = 0; type < 10; type++)
      if (pdus[type])
        printf "%9d %s\n", pdus[type], names[type + 1]
    printf "frames recognised: %d; terminations: %d; malformed: %d\n", NR, pdus[2] + pdus[3], bad
    for (i = 0; i < bad && i < 20; i++)
      print malformed[i]
    exit bad > 0 || NR == 0
  }'
