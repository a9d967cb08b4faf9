"""Tables as Markdown, for the terminal and for the page docs/benchmarks.md."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from benchmarks.comparison import Measured
from benchmarks.compiling import Cost
from benchmarks.peak import Share
from benchmarks.promises import verdict
from linkwright.cli.call_timing import BUSY

TITLES = {
    "serial": "Arms",
    "chains": "Long chains",
    "compile": "Compiling",
    "peak": "Batch code and the core's multiply-add rate",
    "loops": "Closed loops",
}


def section(name: str, rows: Sequence[Any], notes: Sequence[str]) -> str:
    """One table with its notes."""
    if name == "compile":
        body = costs(rows)
    elif name == "peak":
        body = shares(rows)
    else:
        body = comparisons(rows)
    return f"## {TITLES[name]}\n\n{body}\n\n" + "".join(f"- {note}.\n" for note in notes)


def comparisons(rows: Sequence[Measured]) -> str:
    """A line for every peer; times per state, ratios peer / ours."""
    lines = ["| case | function | linkwright [us] | peer | peer [us] | ratio | difference | promised |"]
    lines.append("|---|---|--:|---|--:|--:|--:|---|")
    for row in rows:
        head = f"| {row.case} | {row.function} | {us(row.us)}{star(row.noise)} |"
        if not row.peers:
            lines.append(f"{head} - | - | - | - | {promise(row)} |")
        for i, (name, peer) in enumerate(row.peers.items()):
            apart = "-" if peer.difference is None else f"{peer.difference:.0e}"
            shown = promise(row) if i == 0 else ""
            lines.append(f"{head} {name} | {us(peer.us)} | {peer.ratio:.1f} | {apart} | {shown} |")
            head = "| | | |"
    return "\n".join(lines)


def promise(row: Measured) -> str:
    """What was wanted and whether it was met."""
    if row.promised is None:
        return ""
    if row.ratio is None:
        return f"{row.promised:g}x: peer not here"
    return f"{row.promised:g}x: {verdict(row.ratio, row.promised)} ({row.ratio:.1f}x)"


def shares(rows: Sequence[Share]) -> str:
    """Three ways of counting; the promise is judged by issue slots."""
    lines = [
        "| batch of 4096 | us per state | operations | share | issue slots | share | share of peak flops | promised |",
        "|---|--:|--:|--:|--:|--:|--:|---|",
    ]
    for r in rows:
        shown = "" if r.promised is None else f"{r.promised:.0%} of the slots: {verdict(r.slot_share, r.promised)}"
        lines.append(
            f"| {r.case} | {us(r.us)}{star(r.noise)} | {r.operations} | {r.operation_share:.0%} | {r.slots} "
            f"| {r.slot_share:.0%} | {r.flop_share:.0%} | {shown} |"
        )
    peak = max((r.peak_per_ns for r in rows), default=0.0)
    lines += ["", f"Issue rate of the core: {peak:.1f} multiply-adds per ns, lanes counted. {_HOW}"]
    return "\n".join(lines)


_HOW = (
    "It is measured in turn with the batches, by a loop of 12 independent accumulators in full registers. Operations "
    "are the multiplications and additions of the program, each as one (decision 0101); an issue slot is a fused "
    "multiply-add, a multiplication or an addition left over by fusing; peak flops are two per slot. Sines, cosines, "
    "divisions and the transposition of rows are not counted."
)


def costs(rows: Sequence[Cost]) -> str:
    lines = ["| step | CPU [ms] | wall [ms] | promised |", "|---|--:|--:|---|"]
    for r in rows:
        shown = (
            "" if r.promised is None else f"{r.promised * 1e3:g} ms of CPU: {verdict(r.cpu, r.promised, at_most=True)}"
        )
        lines.append(f"| {r.case} | {r.cpu * 1e3:.1f} | {r.wall * 1e3:.1f} | {shown} |")
    return "\n".join(lines)


def us(value: float) -> str:
    """Microseconds in three digits.

    >>> us(0.02346), us(12.345), us(1085.6)
    ('0.0235', '12.3', '1086')
    """
    return f"{value:.0f}" if value >= 1000 else f"{value:.3g}"


def noise(found: Sequence[float]) -> str:
    """State of the computer during the measurements, from the sorted ratios of the noise probes."""
    if not found:
        return ""
    busy = sum(ratio > BUSY for ratio in found)
    text = (
        f"Noise probe (fixed Python work in every round), median over minimum: {found[len(found) // 2]:.2f} in the "
        f"middle of all comparisons, {found[-1]:.2f} at worst."
    )
    if not busy:
        return text
    return f"{text} **The computer was busy** during {busy} of {len(found)}, marked *: worth measuring again."


def star(ratio: float) -> str:
    """A star for what was measured on a busy computer."""
    return "*" if ratio > BUSY else ""
