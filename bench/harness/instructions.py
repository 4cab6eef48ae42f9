# SPDX-License-Identifier: BSD-3-Clause
"""Instructions per message and side, counted by callgrind: the load of the machine does not matter.

The sides of the lockstep programs take turns and never poll in vain; callgrind counts only inside
their turn functions, or, of message queues and of the storage target, all that a thread does. The
difference between N and 2 N messages leaves nothing but messages.
"""
import glob
import itertools
import os
import shutil
import subprocess

MESSAGES = 3200
TIMEOUT_S = 120
SIDES = ["send", "receive"]
# area -> {what it is called: (program, sizes, options)}
SUBJECTS = {
    "control": {
        "control": ("comch_lockstep", [8, 64, 256, 4080], []),
        "cc": ("cc_lockstep", [8], []),
        "comm_channel": ("comm_channel_lockstep", [8, 256, 4080], []),
    },
    "fast": {
        "fast": ("comch_fast_lockstep", [8, 64, 256, 4096], []),
        "fast_batch": ("comch_fast_lockstep", [8, 64, 256], ["--mode", "batch"]),
        "fast_fresh": ("comch_fast_lockstep", [8, 64], ["--mode", "fresh"]),
        "fast_heap": ("comch_fast_lockstep", [8, 256], ["--mode", "heap"]),
        "fast_imm": ("comch_fast_lockstep", [8, 32], ["--mode", "imm"]),
        "fast_imm_batch": ("comch_fast_lockstep", [8], ["--mode", "imm_batch"]),
    },
}
# Message queues; what it is called: (options, side of the CPU); the other side is the DPA's, whose
# threads poll a little in the beginning and in the end, which is not always the same
QUEUE_MESSAGES = 32000
QUEUE_SUBJECTS = {
    "msgq_to_dpa": ([], "send"),
    "msgq_thread": (["--mode", "thread"], "send"),
    "msgq_from_dpa": (["--mode", "back"], "receive"),
}
# what it is called: (program, sizes, commands): in batches as large as the queue, or of 32 over TCP
ENGINE_SUBJECTS = {
    "sta": ("sta_loop", [512, 4096], 127 * 100),
    "sta_tcp": ("sta_tcp", [4096], 32 * 200),
}


def _total(path):
    with open(path, encoding="utf-8") as file:
        for line in file:
            if line.startswith(("summary:", "totals:")):
                return int(line.split()[1])
    raise SystemExit(f"{path}: no total, the program has not ended as it should")


def _count(program, arguments, size, messages, folder):
    """{side: instructions} of one run; the program's parent process sends, its child receives"""
    out = os.path.join(folder, f"{os.path.basename(program)}-{size}-{messages}")
    for stale in glob.glob(out + ".*"):
        os.unlink(stale)
    command = ["valgrind", "--tool=callgrind", "--quiet", "--collect-atstart=no",
               "--toggle-collect=turns_send", "--toggle-collect=turns_receive*",
               f"--callgrind-out-file={out}.%p", program, "--cpus", "-1,-1",
               "--sizes", str(size), "--messages", str(messages), *arguments]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        # an old valgrind warns of new system calls: said only when the run has failed
        errors = process.communicate(timeout=TIMEOUT_S)[1]
        if process.returncode != 0:
            raise SystemExit(f"{program} under callgrind: exit status {process.returncode}\n"
                             f"{errors}")
    sender = f"{out}.{process.pid}"
    receivers = [path for path in glob.glob(out + ".*") if path != sender]
    if len(receivers) != 1:
        raise SystemExit(f"{program} under callgrind: {len(receivers)} receiving processes")
    return dict(zip(SIDES, (_total(sender), _total(receivers[0]))))


def _program(build, name):
    program = os.path.join(build, "bench", name)
    if not os.access(program, os.X_OK):
        raise SystemExit(f"{program} has not been built")
    return program


def _count_threads(program, arguments, out):
    """{number of a thread: instructions} of one run, in which the first one has number 1"""
    for stale in glob.glob(glob.escape(out) + "-*"):
        os.unlink(stale)
    command = ["valgrind", "--tool=callgrind", "--quiet", "--separate-threads=yes",
               f"--callgrind-out-file={out}", program, "--cpus", "-1,-1", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False,
                          timeout=TIMEOUT_S)
    if done.returncode != 0:
        raise SystemExit(f"{program} under callgrind: exit status {done.returncode}\n"
                         f"{done.stderr}")
    return {int(path[len(out) + 1:]): _total(path) for path in glob.glob(glob.escape(out) + "-*")}


def _count_engine(program, operation, size, commands, folder):
    """instructions of the engine's thread, the second one of the process"""
    out = os.path.join(folder, f"{os.path.basename(program)}-{operation}-{size}-{commands}")
    return _count_threads(program, ["--metric", operation, "--sizes", str(size),
                                    "--messages", str(commands)], out)[2]


def _count_queue(program, peer, size, messages, folder):
    """{side: instructions}; the CPU's thread is the first one, the DPA's are the others"""
    arguments, side = QUEUE_SUBJECTS[peer]
    threads = _count_threads(program, [*arguments, "--sizes", str(size), "--messages",
                                       str(messages)],
                             os.path.join(folder, f"{peer}-{size}-{messages}"))
    cpu = threads.pop(1)
    return {other: cpu if other == side else sum(threads.values()) for other in SIDES}


def _measure_queues(build, folder):
    program, size = _program(build, "comch_msgq_lockstep"), 8
    rows = []
    for peer in QUEUE_SUBJECTS:
        once, twice = (_count_queue(program, peer, size, count, folder)
                       for count in (QUEUE_MESSAGES, 2 * QUEUE_MESSAGES))
        rows += [_row("comch_msgq_lockstep", peer, side, size,
                      (twice[side] - once[side]) / QUEUE_MESSAGES) for side in SIDES]
    return rows


def _row(name, peer, side, size, value):
    return {
        "name": name, "peer": "softfield_" + peer, "metric": "instructions_" + side, "size": size,
        "value": value, "class": "counted",
        "unit": "instructions/command" if side == "engine" else "instructions/message",
    }


def _measure_engine(build, folder):
    """Per command of the storage target's engine, without a medium. Each round of a rep instruction
    counts, and memset() of 4 KiB is one: reads look dearer than they are."""
    rows = []
    for peer, (name, sizes, commands) in ENGINE_SUBJECTS.items():
        program = _program(build, name)
        for operation, size in itertools.product(("read", "write"), sizes):
            once, twice = (_count_engine(program, operation, size, count, folder)
                           for count in (commands, 2 * commands))
            rows.append(_row(name, f"{peer}_{operation}", "engine", size,
                             (twice - once) / commands))
    return rows


def measure(build, areas, folder):
    """Result rows; callgrind's files stay in the folder, for callgrind_annotate."""
    if not shutil.which("valgrind"):
        raise SystemExit("instructions: no valgrind (Debian package valgrind)")
    os.makedirs(folder, exist_ok=True)
    rows = []
    subjects = [(peer, *subject) for area in areas
                for peer, subject in SUBJECTS.get(area, {}).items()]
    for peer, name, sizes, arguments in subjects:
        program = _program(build, name)
        for size in sizes:
            once, twice = (_count(program, arguments, size, count, folder)
                           for count in (MESSAGES, 2 * MESSAGES))
            rows += [_row(name, peer, side, size, (twice[side] - once[side]) / MESSAGES)
                     for side in SIDES]
    rows += _measure_queues(build, folder) if "msgq" in areas else []
    return rows + (_measure_engine(build, folder) if "sta" in areas else [])


def as_text(rows):
    return "\n".join(f"{row['peer'][len('softfield_'):]:14} {row['size']:6} B  "
                     f"{row['metric'][len('instructions_'):]:8} {row['value']:8.1f}"
                     for row in rows)


def as_markdown(rows):
    counts = {}
    for row in rows:
        path = row["peer"][len("softfield_"):]
        counts.setdefault((path, row["size"]), {})[row["metric"]] = row["value"]
    lines = ["| path | bytes | sender | receiver |", "|---|---|---|---|"]
    engine = {}
    for key in [key for key, sides in counts.items() if "instructions_engine" in sides]:
        engine[key] = counts.pop(key)["instructions_engine"]
    lines += [f"| {path} | {size} | {sides['instructions_send']:.0f} |"
              f" {sides['instructions_receive']:.0f} |"
              for (path, size), sides in sorted(counts.items())]
    lines += [f"| {path}, the engine for a command | {size} | | {count:.0f} |"
              for (path, size), count in sorted(engine.items())]
    return "\n".join(lines)
