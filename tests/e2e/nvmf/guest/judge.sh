#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Lets Wireshark's dissectors judge a capture of NVMe/TCP or NVMe over RoCE v2.
#   judge.sh FILE.pcap [PORT]
# Prints a count of PDU types and of non-zero completion statuses, then every
# malformed frame.  Exit 1 if a frame is malformed or nothing was recognised.
# Capture with GUEST_PCAP=FILE (guest) or: dumpcap -i lo -f 'tcp port 4420' -w FILE
set -u
f=$1 port=${2:-4420}
command -v tshark >/dev/null || { echo 'judge: no tshark' >&2; exit 3; }
ts() {
  tshark -r "$f" -d "tcp.port==$port,nvme-tcp" -o tcp.desegment_tcp_streams:TRUE "$@" 2>/dev/null
}
echo 'PDU types (0 ICReq 1 ICResp 2 H2CTermReq 3 C2HTermReq 4 CapsuleCmd 5 CapsuleResp'
echo '  6 H2CData 7 C2HData 9 R2T):'
ts -Y nvme-tcp -T fields -e nvme-tcp.type | tr ',' '\n' | sort | uniq -c | sed 's/^/  /'
n=$(ts -Y 'nvme-tcp || nvme-rdma || nvme' | wc -l)
bad=$(ts -Y '(nvme-tcp || nvme-rdma || nvme) && _ws.malformed')
term=$(ts -Y 'nvme-tcp.type == 2 || nvme-tcp.type == 3' | wc -l)
echo "frames recognised: $n; terminations: $term; malformed: $(grep -c . <<<"$bad")"
[[ -n "$bad" ]] && { echo "$bad" | head -n 20; exit 1; }
((n > 0))
