# SPDX-License-Identifier: BSD-3-Clause
"""Instructions per message and side, counted by callgrind: the load of the machine does not matter.

The two sides of comch_lockstep take turns and never poll in vain; callgrind counts only inside
their turn functions. The difference between N and 2 N messages leaves nothing but messages.
"""
import glob
import os
import shutil
import subprocess

MESSAGES = 3200
SIDES = ["send", "receive"]
PROGRAM = "comch_lockstep"
SIZES = {"control": [8, 256, 4080], "fast": [8, 256, 4096]}  # by mode of the program


def _total(path):
    with open(path, encoding="utf-8") as file:
        for line in file:
            if line.startswith(("summary:", "totals:")):
                return int(line.split()[1])
    raise SystemExit(f"{path}: no total, the program has not ended as it should")


def _count(program, mode, size, messages, folder):
    """{side: instructions} of one run; the program's parent process sends, its child receives"""
    out = os.path.join(folder, f"{mode}-{size}-{messages}")
    command = ["valgrind", "--tool=callgrind", "--quiet", "--collect-atstart=no",
               "--toggle-collect=send_in_turns", "--toggle-collect=receive_in_turns",
               f"--callgrind-out-file={out}.%p", program, "--mode", mode, "--cpus", "-1,-1",
               "--sizes", str(size), "--messages", str(messages)]
    with subprocess.Popen(command) as process:
        if process.wait() != 0:
            raise SystemExit(f"{program} under callgrind: exit status {process.returncode}")
    sender = f"{out}.{process.pid}"
    receivers = [path for path in glob.glob(out + ".*") if path != sender]
    if len(receivers) != 1:
        raise SystemExit(f"{program} under callgrind: {len(receivers)} receiving processes")
    return dict(zip(SIDES, (_total(sender), _total(receivers[0]))))


def measure(build, areas, folder):
    """Result rows; callgrind's files stay in the folder, for callgrind_annotate."""
    if not shutil.which("valgrind"):
        raise SystemExit("instructions: no valgrind (Debian package valgrind)")
    os.makedirs(folder, exist_ok=True)
    program = os.path.join(build, "bench", PROGRAM)
    if not os.access(program, os.X_OK):
        raise SystemExit(f"{program} has not been built")
    rows = []
    for area in areas:
        for size in SIZES[area]:
            once, twice = (_count(program, area, size, count, folder)
                           for count in (MESSAGES, 2 * MESSAGES))
            for side in SIDES:
                rows.append({
                    "name": PROGRAM, "peer": "softfield_" + area, "metric": "instructions_" + side,
                    "size": size, "value": (twice[side] - once[side]) / MESSAGES,
                    "unit": "instructions/message", "class": "counted",
                })
    return rows


def as_text(rows):
    return "\n".join(f"{row['peer'][len('softfield_'):]:8} {row['size']:6} B  "
                     f"{row['metric'][len('instructions_'):]:8} {row['value']:8.1f}"
                     for row in rows)
