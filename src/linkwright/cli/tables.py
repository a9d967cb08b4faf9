"""Tables and small pictures of numbers for the terminal."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from rich.console import Console
from rich.markup import escape
from rich.table import Table

_BARS = "▁▂▃▄▅▆▇█"
_PLAIN_BARS = "_.-=+*#@"  # for terminals that cannot show the others


def show(title: str, heads: Sequence[str], rows: Iterable[Sequence[str]], numbers: bool = False) -> None:
    """Print a table; nothing when it has no rows."""
    rows = list(rows)
    if not rows:
        return
    table = Table(title=escape(title), title_justify="left", show_edge=False, pad_edge=False)
    for i, head in enumerate(heads):
        table.add_column(escape(head), justify="right" if numbers and i else "left", overflow="fold")
    for row in rows:
        table.add_row(*(escape(cell) for cell in row))
    _console().print(table)
    say("")


def say(text: str) -> None:
    """Print one paragraph."""
    _console().print(text, markup=False, highlight=False, soft_wrap=True)


def _console() -> Console:
    console = Console()
    # a pipe or a file has no width: do not fold tables there
    return console if console.is_terminal else Console(width=160)


def sparkline(values: Sequence[float], width: int = 40, bars: str = "") -> str:
    """A row of bars, lowest to highest value; a blank where a value is not finite.

    >>> sparkline([0, 1, 2, 3], width=4, bars="▁▂▃▄▅▆▇█")
    '▁▃▆█'
    >>> sparkline([0, float("nan"), 2], width=4, bars="▁▂▃▄▅▆▇█")
    '▁ █'
    """
    bars = bars or (_BARS if _console().encoding.lower().startswith("utf") else _PLAIN_BARS)
    step = max(1, -(-len(values) // width))
    shown = list(values)[::step]
    finite = [x for x in shown if math.isfinite(x)]
    low, high = min(finite, default=0.0), max(finite, default=0.0)
    scale = (len(bars) - 1) / (high - low) if high > low else 0.0
    return "".join(bars[round(scale * (x - low))] if math.isfinite(x) else " " for x in shown)


def figure(value: float, among: float = 0.0) -> str:
    """A number in six digits; round-off beside numbers as large as `among` is shown as 0.

    >>> figure(13.3416), figure(-4.0e-5), figure(1e-16, among=13.0)
    ('13.3416', '-4e-05', '0')
    >>> figure(float("nan"))
    'nan'
    """
    return "0" if abs(value) <= 1e-13 * among else f"{value:.6g}"
