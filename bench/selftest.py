#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Tests of what run.py and compare.py conclude from rows; nothing is measured."""
import json
import os
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import compare  # noqa: E402
from harness import gate, results, rows, table  # noqa: E402
from harness.measurements import AREAS, POINTS, catalogue  # noqa: E402


def row(peer, metric, size, value, **more):
    return {"peer": peer, "metric": metric, "size": size, "value": value, "class": "near", **more}


def changes(before, after, band=5):
    found = compare.compare(results.summarise(before), results.summarise(after), band, False)
    return [(key, change > 0) for _, key, _, _, change, allowed in found if abs(change) > allowed]


class Summary(unittest.TestCase):
    def test_busy_rows_count_only_without_quiet_ones(self):
        busy = row("pipe", "rate", 8, 1.0, foreign_percent=90)
        self.assertEqual(results.summarise([busy])["near"]["pipe", "rate", 8].median, 1.0)
        quiet = row("pipe", "rate", 8, 4.0, foreign_percent=1)
        self.assertEqual(results.summarise([busy, quiet])["near"]["pipe", "rate", 8].median, 4.0)

    def test_best_depends_on_the_metric(self):
        values = [row("pipe", metric, 8, value) for metric in ("rate", "latency_p50")
                  for value in (1.0, 2.0, 3.0)]
        summary = results.summarise(values)["near"]
        self.assertEqual(summary["pipe", "rate", 8].best, 3.0)
        self.assertEqual(summary["pipe", "latency_p50", 8].best, 1.0)

    def test_classes(self):
        self.assertEqual(gate.classify(50, 60), "near")
        self.assertEqual(gate.classify(240, 200), "far")
        self.assertEqual(gate.classify(50, 240), "mixed")
        self.assertEqual(gate.classify(95, 145), "near")
        self.assertEqual(gate.classify(120, 145), "far")
        self.assertEqual(gate.classify(21, 24), "sibling")
        self.assertEqual(gate.classify(21, 90), "mixed")
        self.assertEqual(gate.classify(21, 24, may_be_siblings=False), "near")


class Files(unittest.TestCase):
    def read(self, text):
        with tempfile.NamedTemporaryFile("w") as file:
            file.write(text)
            file.flush()
            try:
                return results.read(file.name)
            except results.Unreadable as reason:
                return str(reason).replace(file.name, "FILE")

    def test_rows_come_back(self):
        rows = [row("pipe", "rate", 8, 1.0, run=1, machine="m", commit="c")]
        self.assertEqual(self.read(json.dumps(rows[0]) + "\n\n"), rows)

    def test_what_is_wrong_is_told_with_its_line(self):
        for text, said in (("", "FILE: no rows"), ("\n# Notes\n", "FILE:2: not a JSON object"),
                           ("[]", "FILE:1: not a JSON object"),
                           ('{"peer": "pipe", "metric": "rate", "size": 8, "value": 1, "run": 1}',
                            "FILE:1: not a row of run.py --json: no class, machine, commit")):
            self.assertEqual(self.read(text), said)


class Arguments(unittest.TestCase):
    def test_wrong_ones_are_told_before_anything_runs(self):
        run = os.path.join(os.path.dirname(os.path.abspath(__file__)), "run.py")
        for argument in ("nope", "--only=(", "--cpus=0", "--cpus=a,b", "--rounds=0", "--json=/no/x",
                         "--time-ms=-1"):
            done = subprocess.run([run, argument, "--check"], capture_output=True, text=True,
                                  check=False)
            self.assertNotEqual(done.returncode, 0, argument)
            self.assertNotIn("Traceback", done.stderr)
            self.assertIn(argument.split("=")[-1], done.stderr)
            self.assertEqual(done.stdout, "")


class Comparison(unittest.TestCase):
    key = ("softfield_fast", "latency_p50", 8)

    def test_slower_is_worse_and_faster_is_not(self):
        before, after = [row(*self.key, 100)], [row(*self.key, 110)]
        self.assertEqual(changes(before, after), [(self.key, True)])
        self.assertEqual(changes(after, before), [(self.key, False)])

    def test_less_bandwidth_is_worse(self):
        key = ("softfield_fast", "bandwidth", 4096)
        self.assertEqual(changes([row(*key, 50)], [row(*key, 40)]), [(key, True)])

    def test_noise_is_no_regression(self):
        before = [row(*self.key, value) for value in (90, 100, 110)]
        after = [row(*self.key, value) for value in (105, 115, 125)]
        self.assertEqual(changes(before, after), [])

    def test_counts_have_no_noise(self):
        key = ("softfield_fast", "instructions_send", 8)
        before, after = ([{**row(*key, value), "class": "counted"}] for value in (200, 201))
        self.assertEqual(changes(before, after), [(key, True)])


class Tables(unittest.TestCase):
    def cells(self, values, title):
        lines = table.tables(rows.rows_of(AREAS), results.summarise(values))["near"]
        return next(line for line in lines if line[0] == title)

    def test_met_missed_and_unknown_targets(self):
        ours = row("softfield_control", "latency_p50", 8, 100.0)
        self.assertEqual(self.cells([ours], "control latency 8 B")[-1], "?")
        near, far_off = (row("limit_ring", "latency_p50", 8, value) for value in (90.0, 50.0))
        self.assertEqual(self.cells([ours, near], "control latency 8 B")[-1], "ok")
        self.assertEqual(self.cells([ours, far_off], "control latency 8 B")[-1], "MISS")

    def test_one_sided_put_is_no_peer(self):
        values = [row("softfield_fast", "rate", 8, 50.0), row("ucx_put", "rate", 8, 100.0),
                  row("ucx_tag", "rate", 8, 20.0)]
        self.assertIn("ucx_tag", self.cells(values, "fast rate 8 B")[5])

    def test_copy_is_the_limit_of_large_messages(self):
        values = [row("softfield_fast", "latency_p50", 65536, 1100.0),
                  row("limit_copy_memcpy", "bandwidth", 65536, 65.536)]
        self.assertEqual(self.cells(values, "fast latency 64 KiB")[4], "1.10")

    def test_disk_and_network_are_one_after_the_other(self):
        operation = "_qd1", "command_p50", 4096
        parts = [row(name + "_read" + operation[0], *operation[1:], value)
                 for name, value in (("limit_tcp_echo", 8000.0), ("limit_uring_file", 2000.0))]
        ours = row("softfield_sta_tcp_file_read_qd1", *operation[1:], 11000.0)
        title = "NVMe/TCP, file disk, read, depth 1, 4 KiB"
        self.assertEqual(self.cells([ours, *parts], title)[4], "1.10")
        self.assertEqual(self.cells([ours, parts[0]], title)[-1], "?")

    def test_rates_of_one_thread_do_not_add_up(self):
        parts = [row(name, "rate", 4096, value) for name, value in
                 (("limit_tcp_echo_read_qd32", 0.2), ("limit_uring_file_read_qd32", 0.3))]
        ours = row("softfield_sta_tcp_file_read_qd32", "rate", 4096, 0.06)
        title = "NVMe/TCP, file disk, read, depth 32, 4 KiB"
        self.assertEqual(self.cells([ours, *parts], title)[4], "0.50")

    def test_every_peer_of_the_table_is_measured(self):
        names = {measurement.name.split("/")[1] for measurement in catalogue(list(POINTS))
                 if measurement.kind == "peer"}
        self.assertLessEqual({*rows.PEERS}, names)


if __name__ == "__main__":
    unittest.main()
