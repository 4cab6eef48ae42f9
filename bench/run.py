#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Measures this project, the limits of the machine and other message layers side by side.

Rounds are interleaved: each one runs everything once, so that a change of the machine's mood meets
all alike. Rows are grouped by how far apart the two CPUs were. A missed target is shown and is no
error; the exit status is 1 only when a limit or one of our programs did not run. See
docs/performance.md.
"""
import argparse
import json
import os
import re
import signal
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from harness import instructions, plot, results, table  # noqa: E402
from harness.gate import Broken, Gate  # noqa: E402
from harness.measurements import AREAS, PAIRS, catalogue  # noqa: E402
from harness.rows import rows_of  # noqa: E402

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PEER_PACKAGES = ["ucx-utils", "libfabric1", "libopenmpi3", "libmpich12", "librte-ring23", "iceoryx",
                 "libzmq5", "libnng1"]
BEGIN, END = "<!-- results: begin -->", "<!-- results: end -->"


def regular_expression(text):
    try:
        return re.compile(text)
    except re.error as error:
        raise argparse.ArgumentTypeError(f"'{text}' is not a regular expression: {error}")


def above_0(text):
    if not text.isdecimal() or int(text) == 0:
        raise argparse.ArgumentTypeError(f"'{text}' is not a number above 0")
    return int(text)


def two_cpus(text):
    allowed = sorted(os.sched_getaffinity(0))
    cpus = {int(cpu) for cpu in text.split(",") if cpu.isdecimal()}
    if len(cpus) != 2 or text.count(",") != 1 or not cpus <= {*allowed}:
        raise argparse.ArgumentTypeError(
            f"'{text}' is not two CPUs, A,B, of those allowed here: {', '.join(map(str, allowed))}")
    return [int(cpu) for cpu in text.split(",")]


def parse_arguments():
    parser = argparse.ArgumentParser(prog="./dev bench", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", nargs="?", default="all", metavar="AREA",
                        choices=["all", *AREAS, "instructions", "list", "show"],
                        help=f"{', '.join(AREAS)}; all (default); instructions: counted by "
                        "callgrind; list: what there is to measure; show: the rows of the JSON "
                        "file")
    parser.add_argument("--build", default=os.path.join(ROOT, "build", "bench"),
                        help="build folder (build/bench)")
    parser.add_argument("--rounds", type=above_0, help="(5)")
    parser.add_argument("--quick", action="store_true",
                        help="two rounds of short points, whatever else runs: does all work?")
    parser.add_argument("--time-ms", type=above_0, help="per measured point (100)")
    parser.add_argument("--only", metavar="REGEX", type=regular_expression,
                        help="measurements whose name matches; see list")
    parser.add_argument("--cpus", metavar="A,B", type=two_cpus,
                        help="the two CPUs (the first two allowed)")
    parser.add_argument("--json", metavar="FILE", help="append all rows to this file")
    parser.add_argument("--plots", metavar="DIR", help="write plots over message size")
    parser.add_argument("--report", metavar="FILE.md", help="put the tables into this page")
    parser.add_argument("--keep", metavar="DIR", help="where callgrind's files go")
    parser.add_argument("--check", action="store_true", help=argparse.SUPPRESS)  # only arguments
    options = parser.parse_args()
    options.rounds = options.rounds or (2 if options.quick else 5)
    options.time_ms = options.time_ms or (20 if options.quick else 100)
    if options.what == "show" and not options.json:
        parser.error("show needs --json FILE with rows of earlier runs")
    check_outputs(options)
    return options


def split_report(path):
    """The page before and after the place for results."""
    try:
        with open(path, encoding="utf-8") as file:
            page = file.read()
    except OSError as error:
        sys.exit(f"{path}: {error.strerror}")
    if page.count(BEGIN) != 1 or page.count(END) != 1:
        sys.exit(f"{path}: no place for results; it needs the lines {BEGIN} and {END}")
    return page.split(BEGIN)[0], page.split(END)[1]


def check_outputs(options):
    """Said now, not after an hour."""
    if options.report:
        split_report(options.report)
    folder = os.path.dirname(os.path.abspath(options.json or ""))
    if not os.path.isdir(folder):
        sys.exit(f"{options.json}: there is no folder {folder}")


def first_two_cpus():
    allowed = sorted(os.sched_getaffinity(0))
    if len(allowed) < 2:
        sys.exit("needs two CPUs; this process may use one")
    return allowed[:2]


def environment():
    """Ours without the variables that change what is measured."""
    env = {name: value for name, value in os.environ.items() if not name.startswith("SOFTFIELD_")}
    # mpirun refuses to run as root unless told twice
    return {**env, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}


def merge_pairs(outputs):
    """What several pairs at once say: the mean over the pairs of the mean latency."""
    means = [row for rows in outputs for row in rows if row["metric"] == "latency_mean"]
    return [{**means[0], "metric": f"latency_mean_{PAIRS}pairs",
             "value": sum(row["value"] for row in means) / len(means)}]


def say_progress(text):
    if sys.stderr.isatty():
        print(f"\r{text:78}\r", end="", file=sys.stderr, flush=True)


class Run:
    def __init__(self, options):
        self.options = options
        self.cpus = options.cpus or first_two_cpus()
        placement = os.path.join(options.build, "bench", "limits", "placement")
        if not os.access(placement, os.X_OK):
            sys.exit(f"{placement} has not been built: ninja -C {options.build}")
        self.gate = Gate(placement, f"{self.cpus[0]},{self.cpus[1]}",
                         patient=not options.quick)
        self.env = environment()
        self.constants = {"commit": results.identify_commit(ROOT),
                          "machine": results.identify_machine()}
        self.rows = []
        self.failures = {}  # measurement name -> (kind, reason)

    def measure(self, measurement, number):
        commands = measurement.commands(self.options.build, self.cpus, self.options.time_ms)
        try:
            outputs = self.gate.run(commands, self.env, measurement.timeout_s)
        except Broken as reason:
            self.failures[measurement.name] = (measurement.kind, str(reason))
            print(f"bench: {measurement.name} FAILED: {reason}", file=sys.stderr)
            return
        rows = merge_pairs(outputs) if measurement.pairs > 1 else outputs[0]
        self.add([{**row, "run": number} for row in rows])

    def add(self, rows):
        rows = [{**row, **self.constants} for row in rows]
        self.rows += rows
        if self.options.json:
            with open(self.options.json, "a", encoding="utf-8") as file:
                file.writelines(json.dumps(row) + "\n" for row in rows)

    def all_rounds(self, measurements):
        for number in range(1, self.options.rounds + 1):
            for index, measurement in enumerate(measurements, 1):
                say_progress(f"round {number}/{self.options.rounds}: "
                             f"{index}/{len(measurements)} {measurement.name}")
                self.measure(measurement, number)
        say_progress("")


def choose(options, areas):
    """The measurements that can run; says loudly what cannot."""
    chosen, missing = [], {}
    for measurement in catalogue(areas):
        if options.only and not options.only.search(measurement.name):
            continue
        reason = measurement.missing(options.build)
        if not reason:
            chosen.append(measurement)
        else:
            missing.setdefault(reason, []).append(measurement)
    for reason, skipped in missing.items():
        names = ", ".join(measurement.name for measurement in skipped)
        print(f"bench: SKIPPED {names}: {reason}", file=sys.stderr)
    broken = any(measurement.kind != "peer" for skipped in missing.values()
                 for measurement in skipped)
    return chosen, broken


def write_report(path, text):
    head, tail = split_report(path)
    with open(path, "w", encoding="utf-8") as file:
        file.write(f"{head}{BEGIN}\n{text}\n{END}{tail}")


def describe(run):
    options, constants = run.options, run.constants
    held = "held awake" if run.gate.can_hold_awake else "idle states in use"
    return (f"{constants['machine']}, commit {constants['commit']}, {options.rounds} rounds, "
            f"{options.time_ms} ms per point, CPUs {run.cpus[0]} and {run.cpus[1]}, {held}; "
            f"peers: {results.peer_versions(PEER_PACKAGES)}")


def show(options, rows, about, areas):
    """Tables, plots and report of rows, whenever they were measured."""
    summary = results.summarise(rows)
    found = table.tables(rows_of(areas), summary)
    counted = [row for row in rows if row["class"] == "counted"]
    print(about)
    for name, lines in found.items():
        print(f"\n{name} cores\n{table.as_text(lines)}")
    if counted:
        print(f"\ninstructions\n{instructions.as_text(counted)}")
    if not found:
        print("nothing of ours was measured")
    pictures = plot.write(summary, options.plots, rows[0]["machine"]) if options.plots else []
    for path in pictures:
        print(f"wrote {path}")
    if options.report:
        pages = os.path.dirname(options.report)
        parts = [about + "."]
        parts += [f"![{os.path.basename(path)}]({os.path.relpath(path, pages)})"
                  for path in pictures if path.endswith(".png")]
        parts += [f"### {name.capitalize()} cores\n\n{table.as_markdown(lines)}"
                  for name, lines in found.items()]
        if counted:
            parts.append("### Instructions per message\n\n" + instructions.as_markdown(counted))
        write_report(options.report, "\n\n".join(parts))


def show_stored(options, areas):
    try:
        rows = results.read(options.json)
    except results.Unreadable as reason:
        sys.exit(str(reason))
    seen = {name: sorted({str(row[name]) for row in rows}) for name in ("machine", "commit")}
    rounds = max(row["run"] for row in rows)
    show(options, rows, f"{' and '.join(seen['machine'])}, commit {' and '.join(seen['commit'])}, "
         f"{rounds} rounds; peers: {results.peer_versions(PEER_PACKAGES)}", areas)
    return 0


def run_instructions(options):
    folder = options.keep or os.path.join(options.build, "bench", "callgrind")
    rows = instructions.measure(options.build, AREAS, folder)
    print(instructions.as_text(rows))
    print(f"by function: callgrind_annotate {os.path.join(folder, 'FILE')}")
    if options.json:
        constants = {"commit": results.identify_commit(ROOT),
                     "machine": results.identify_machine(), "run": 1}
        with open(options.json, "a", encoding="utf-8") as file:
            file.writelines(json.dumps({**row, **constants}) + "\n" for row in rows)
    return 0


def list_measurements(options, areas):
    built = os.path.isdir(os.path.join(options.build, "bench"))
    for measurement in catalogue(areas):
        missing = built and measurement.missing(options.build)
        print(f"{measurement.name:32} {missing or ''}".rstrip())
    if not built:
        print("bench: nothing has been built yet; ./dev bench does it first", file=sys.stderr)
    return 0


def main():
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # `| head` is no error
    options = parse_arguments()
    if options.check:
        return 0
    areas = [options.what] if options.what in AREAS else AREAS
    if options.what == "instructions":
        return run_instructions(options)
    if options.what == "list":
        return list_measurements(options, areas)
    if options.what == "show":
        return show_stored(options, areas)
    chosen, broken = choose(options, areas)
    if not chosen:
        sys.exit("bench: nothing to measure")
    run = Run(options)
    run.all_rounds(chosen)
    show(options, run.rows, describe(run), areas)
    for name, (kind, reason) in run.failures.items():
        print(f"bench: {name} FAILED: {reason}", file=sys.stderr)
        broken = broken or kind != "peer"
    return 1 if broken else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
