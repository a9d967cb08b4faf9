"""Tables and small pictures of numbers for the terminal."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Sequence

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from linkwright.cli.progress_line import is_quiet, pause_progress_line

_BARS = "▁▂▃▄▅▆▇█"
_PLAIN_BARS = "_.-=+*#@"  # for terminals that cannot show the others
_BETWEEN = 3  # characters between two columns


def print_table(
    title: str,
    heads: Sequence[str],
    rows: Iterable[Sequence[str]],
    numbers: bool = False,
    most: int | None = None,
) -> None:
    """Print a table; nothing when it has no rows. Numbers that do not fit go to further tables, never to two lines.

    Beyond `most` rows only their number is printed; --all of the verb shows them.
    """
    rows = list(rows)
    if not rows or is_quiet():
        return
    left = 0 if most is None or len(rows) <= most + 1 else len(rows) - most
    rows = rows[: len(rows) - left]
    console = _wide_console()
    parts = _columns_that_fit(heads, rows, console.width) if numbers else [list(range(len(heads)))]
    for i, columns in enumerate(parts):
        table = Table(show_edge=False, pad_edge=False)
        for k in columns:
            table.add_column(escape(heads[k]), justify="right" if numbers and k else "left", overflow="fold")
        for row in rows:
            table.add_row(*(escape(row[k]) for k in columns))
        with pause_progress_line():
            if title:  # not of the table: it would break at its width
                head = escape(title if not i else f"{title} (continued)")
                console.print(head, style="table.title", highlight=False, soft_wrap=True)
            console.print(table)
        if left:
            print_paragraph(f"... {left} more; --all shows them")
        print_paragraph("")


def _columns_that_fit(heads: Sequence[str], rows: Sequence[Sequence[str]], width: int) -> list[list[int]]:
    """Columns of each part of a table; the first one, which names the rows, is in all of them.

    >>> _columns_that_fit(["t", "first", "second"], [["1", "2", "3"]], 12)
    [[0, 1], [0, 2]]
    """
    widths = [max(len(head), *(len(row[i]) for row in rows)) for i, head in enumerate(heads)]
    parts, used = [[0]], widths[0]
    for i in range(1, len(heads)):
        if used + _BETWEEN + widths[i] > width and len(parts[-1]) > 1:
            parts.append([0])
            used = widths[0]
        parts[-1].append(i)
        used += _BETWEEN + widths[i]
    return parts


def print_paragraph(text: str, style: str | None = None) -> None:
    """Print one paragraph, in color where the terminal has it (and NO_COLOR is not set)."""
    if not is_quiet():
        with pause_progress_line():
            _wide_console().print(text, markup=False, highlight=False, soft_wrap=True, style=style)


def _wide_console() -> Console:
    console = Console()
    # a pipe or a file has no width unless COLUMNS gives one: do not fold tables there
    return console if console.is_terminal or os.environ.get("COLUMNS", "").isdigit() else Console(width=160)


def sparkline(values: Sequence[float], width: int = 40, bars: str = "") -> str:
    """A row of bars, lowest to highest value; a blank where a value is not finite.

    >>> sparkline([0, 1, 2, 3], width=4, bars="▁▂▃▄▅▆▇█")
    '▁▃▆█'
    >>> sparkline([0, float("nan"), 2], width=4, bars="▁▂▃▄▅▆▇█")
    '▁ █'
    """
    bars = bars or (_BARS if _wide_console().encoding.lower().startswith("utf") else _PLAIN_BARS)
    step = max(1, -(-len(values) // width))
    shown = list(values)[::step]
    finite = [x for x in shown if math.isfinite(x)]
    low, high = min(finite, default=0.0), max(finite, default=0.0)
    span, top = high - low or 1.0, len(bars) - 1
    return "".join(bars[round(top * ((x - low) / span))] if math.isfinite(x) else " " for x in shown)


def readable_quantity(value: float, unit: str) -> tuple[float, str]:
    """A quantity in the unit that people read: angles in degrees, everything else as it is.

    >>> readable_quantity(math.pi, "rad"), readable_quantity(0.3, "m")
    ((180.0, 'deg'), (0.3, 'm'))
    """
    return (math.degrees(value), "deg") if unit == "rad" else (value, unit)
