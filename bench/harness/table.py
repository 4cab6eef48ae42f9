# SPDX-License-Identifier: BSD-3-Clause
"""The table for people."""
from .results import CLASSES

HEAD = ["row", "n", "ours (best)", "limit", "ratio", "best peer", "ratio", "targets", ""]


def number(value, unit):
    if unit == "ns" and value >= 10000:
        return f"{value / 1000:.3g} us" if value < 1e6 else f"{value / 1e6:.3g} ms"
    return f"{value:.3g} {unit}" if value < 1000 else f"{value:.0f} {unit}"


def _judge(row, target, medians, ours):
    """("<=1.25 x limit: 1.10", met) or (.., None) when the reference is missing"""
    sign = ">=" if row.higher_is_better else "<="
    ratio = target.ratio(medians, ours)
    if ratio is None:
        return f"{sign}{target.factor:g} {target.text}: ?", None
    met = ratio >= target.factor if row.higher_is_better else ratio <= target.factor
    return f"{sign}{target.factor:g} {target.text}: {ratio:.2f}", met


def _verdict(judgements):
    met = [met for _, met in judgements]
    if not met:
        return ""
    if False in met:
        return "MISS"
    return "ok" if True in met else "?"


def _line(row, medians):
    value = medians.get(row.key)
    if not value:
        return None
    limit = row.limit(medians) if row.limit else None
    best = row.best_peer(medians)
    judgements = [_judge(row, target, medians, value.median) for target in row.targets]
    return [
        row.title,
        str(value.count),
        f"{number(value.median, row.unit)} ({number(value.best, row.unit)})",
        number(limit, row.unit) if limit else "",
        f"{value.median / limit:.2f}" if limit else "",
        f"{best[0]} {number(best[1], row.unit)}" if best else "",
        f"{value.median / best[1]:.2f}" if best else "",
        ", ".join(text for text, _ in judgements),
        _verdict(judgements),
    ]


def tables(rows, summary):
    """{class: lines of cells} for the classes in which anything of ours was measured"""
    result = {}
    for name in CLASSES:
        lines = [line for line in (_line(row, summary.get(name, {})) for row in rows) if line]
        if lines:
            result[name] = lines
    return result


def as_text(lines):
    widths = [max(len(line[column]) for line in [HEAD, *lines]) for column in range(len(HEAD))]
    return "\n".join("  ".join(cell.ljust(width) for cell, width in zip(line, widths)).rstrip()
                     for line in [HEAD, *lines])


def as_markdown(lines):
    head = ["| " + " | ".join(HEAD) + " |", "|" + "---|" * len(HEAD)]
    return "\n".join(head + ["| " + " | ".join(line) + " |" for line in lines])
