# SPDX-License-Identifier: BSD-3-Clause
"""Latency, rate and bandwidth over message size, as PNG and SVG, by gnuplot."""
import os
import shutil
import subprocess

from .results import CLASSES

# metric -> (file, what, unit)
PLOTS = {
    "latency_p50": ("latency", "one-way latency, median", "ns"),
    "rate": ("rate", "message rate", "million messages/s"),
    "bandwidth": ("bandwidth", "bandwidth", "GB/s"),
}
SIZES = [(8, "8"), (64, "64"), (256, "256"), (1 << 10, "1 KiB"), (4 << 10, "4 KiB"),
         (64 << 10, "64 KiB"), (1 << 20, "1 MiB"), (16 << 20, "16 MiB"), (256 << 20, "256 MiB")]
# what has sizes, but not of messages between two programs: the table has it
NOT_MESSAGES = ("softfield_clients", "softfield_sta", "limit_tcp_echo", "limit_uring_file")
TERMINALS = {
    "png": "pngcairo size 1200,800 font ',14'",
    "svg": "svg size 1200,800 dynamic font ',14'",
}


def _series(medians, metric):
    """{peer: [(size, median)]} of messages; what was measured at one size only is left out"""
    series = {}
    for (peer, row_metric, size), value in sorted(medians.items()):
        if row_metric == metric and size > 0 and not peer.startswith(NOT_MESSAGES):
            series.setdefault(peer, []).append((size, value.median))
    return {peer: points for peer, points in series.items() if len(points) > 1}


def _style(peer, index):
    if peer.startswith("softfield"):
        return "linespoints lw 4 pt 7"
    if peer.startswith("limit"):
        return "linespoints lw 2 dt 2 pt 1"
    return f"linespoints lw 1 pt {4 + index % 10}"


def _rank(peer):
    return (not peer.startswith("softfield"), not peer.startswith("limit"), peer)


def _script(series, what, unit, title, terminal, path):
    sizes = [size for points in series.values() for size, _ in points]
    tics = ", ".join(f"'{name}' {size}" for size, name in SIZES)
    lines = [
        f"set terminal {terminal}", f"set output '{path}'", f'set title "{title}"',
        "set logscale xy", "set xlabel 'message size, bytes'", f"set ylabel '{what}, {unit}'",
        "set key outside right noenhanced", "set grid", "set format y '%g'",
        f"set xtics ({tics})", f"set xrange [{min(sizes) / 1.5}:{max(sizes) * 1.5}]",
    ]
    peers = sorted(series, key=_rank)
    for index, peer in enumerate(peers):
        lines.append(f"$data{index} << EOD")
        lines += [f"{size} {value}" for size, value in series[peer]]
        lines.append("EOD")
    plots = [f"$data{index} title '{peer}' with {_style(peer, index)}"
             for index, peer in enumerate(peers)]
    lines.append("plot " + ", ".join(plots))
    return "\n".join(lines) + "\n"


def write(summary, folder, machine):
    """Returns the files written, one per class, metric and format."""
    if not shutil.which("gnuplot"):
        raise SystemExit("plots: no gnuplot (Debian package gnuplot-nox)")
    os.makedirs(folder, exist_ok=True)
    written = []
    for name in CLASSES:
        if name == "mixed":
            continue  # no two points of it are of the same machine
        for metric, (file, what, unit) in PLOTS.items():
            series = _series(summary.get(name, {}), metric)
            if not any(peer.startswith("softfield") for peer in series):
                continue
            for suffix, terminal in TERMINALS.items():
                path = os.path.join(folder, f"{file}-{name}.{suffix}")
                title = f"{what}, {name} cores\\n{machine}"
                subprocess.run(["gnuplot"], check=True, text=True,
                               input=_script(series, what, unit, title, terminal, path))
                written.append(path)
    return written
