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
# of ours, what a reader looks for first, and how it stands out; variants of it are in the table
OURS = {
    "softfield_fast": ("Softfield, producer to consumer", "#c8102e"),
    "softfield_control": ("Softfield, client and server", "#f28e1c"),
}
LIMITS = {
    "limit_posted_copy": "limit: one copy, one line",
    "limit_ring": "limit: a ring",
    "limit_spsc": "limit: a ring, streaming",
    "limit_copy_memcpy": "limit: memcpy",
    "limit_copy_movsb": "limit: rep movsb",
}
PEER_COLOURS = ("#1f77b4", "#2ca02c", "#9467bd", "#17becf", "#8c564b", "#7f7f7f", "#bcbd22")
TERMINALS = {
    "png": "pngcairo size 1200,800 font ',14'",
    "svg": "svg background 'white' size 1200,800 dynamic font ',14'",
}


def _is_shown(peer):
    if peer.startswith("softfield"):
        return peer in OURS
    return peer in LIMITS or not peer.startswith("limit")


def _series(medians, metric):
    """{peer: [(size, median)]} of messages; what was measured at one size only is left out"""
    series = {}
    for (peer, row_metric, size), value in sorted(medians.items()):
        if row_metric == metric and size > 0 and _is_shown(peer):
            series.setdefault(peer, []).append((size, value.median))
    return {peer: points for peer, points in series.items() if len(points) > 1}


def _name(peer):
    return OURS[peer][0] if peer in OURS else LIMITS.get(peer, peer)


def _style(peer, index):
    if peer in OURS:
        return f"linespoints lw 5 pt 7 ps 1.3 lc rgb '{OURS[peer][1]}'"
    if peer in LIMITS:
        return f"linespoints lw 2 dt 2 pt {1 + index % 3} lc rgb 'black'"
    colour = PEER_COLOURS[index % len(PEER_COLOURS)]
    return f"linespoints lw 1.5 pt {4 + index % 10} lc rgb '{colour}'"


def _order(series):
    """as the lines stand where they begin, from the top"""
    return sorted(series, key=lambda peer: -series[peer][0][1])


def _drawn(peers):
    """Ours are named first, and drawn last, above the others."""
    styles = {peer: _style(peer, index) for index, peer in enumerate(peers)}
    ours = [peer for peer in peers if peer in OURS]
    others = [peer for peer in peers if peer not in OURS]
    return ([f"keyentry title '{_name(peer)}' with {styles[peer]}" for peer in ours] +
            [f"${peer} title '{_name(peer)}' with {styles[peer]}" for peer in others] +
            [f"${peer} notitle with {styles[peer]}" for peer in ours])


def _script(series, what, unit, title, terminal, path):
    sizes = [size for points in series.values() for size, _ in points]
    tics = ", ".join(f"'{name}' {size}" for size, name in SIZES)
    lines = [
        f"set terminal {terminal}", f"set output '{path}'", f'set title "{title}"',
        "set logscale xy", "set xlabel 'message size, bytes'", f"set ylabel '{what}, {unit}'",
        "set key outside right Left reverse noenhanced", "set grid", "set format y '%g'",
        f"set xtics ({tics})", f"set xrange [{min(sizes) / 1.5}:{max(sizes) * 1.5}]",
    ]
    peers = _order(series)
    for peer in peers:
        lines.append(f"${peer} << EOD")
        lines += [f"{size} {value}" for size, value in series[peer]]
        lines.append("EOD")
    lines.append("plot " + ", ".join(_drawn(peers)))
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
