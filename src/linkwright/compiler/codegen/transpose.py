"""Between row-major rows, one per lane, and one lane vector per column, as IR text.

Two columns of two or four rows are exchanged at a time: half-register loads and one interleaving each need fewer
shuffles than whole-register transposes.
"""

from __future__ import annotations

from linkwright.compiler.codegen.text import Lines, vector


def group_width(lanes: int) -> int:
    """Rows exchanged together."""
    return min(lanes, 4)


def column_pairs(size: int) -> list[int]:
    """First columns of pairs that cover a row of at least two; the last may overlap its neighbour."""
    return sorted({min(k, size - 2) for k in range(0, size, 2)})


def load_pair(w: Lines, rows: list[str]) -> tuple[str, str]:
    """Two neighbouring columns of a group of rows; the pointers stand on the first column."""
    a = [w.let(f"load <2 x double>, ptr {row}, align 8") for row in rows]
    even, odd = (a[0], a[1]) if len(a) == 2 else (_joined(w, a[0], a[2]), _joined(w, a[1], a[3]))
    return _interleaved(w, len(a), even, odd)


def store_pair(w: Lines, rows: list[str], first: str, second: str) -> None:
    """The way back."""
    even, odd = _interleaved(w, len(rows), first, second)
    if len(rows) == 2:
        pieces = [even, odd]
    else:
        pieces = [_half(w, even, 0), _half(w, odd, 0), _half(w, even, 2), _half(w, odd, 2)]
    for row, piece in zip(rows, pieces, strict=True):
        w.put(f"store <2 x double> {piece}, ptr {row}, align 8")


def load_column(w: Lines, rows: list[str]) -> str:
    """One column of a group of rows."""
    packed = "undef"
    for lane, row in enumerate(rows):
        x = w.let(f"load double, ptr {row}, align 8")
        packed = w.let(f"insertelement {vector(len(rows))} {packed}, double {x}, i32 {lane}")
    return packed


def store_column(w: Lines, rows: list[str], column: str) -> None:
    """The way back."""
    for lane, row in enumerate(rows):
        x = w.let(f"extractelement {vector(len(rows))} {column}, i32 {lane}")
        w.put(f"store double {x}, ptr {row}, align 8")


def _shuffle(w: Lines, width: int, x: str, y: str, order: tuple[int, ...]) -> str:
    mask = ", ".join(f"i32 {i}" for i in order)
    kind = vector(width)
    return w.let(f"shufflevector {kind} {x}, {kind} {y}, <{len(order)} x i32> <{mask}>")


def _joined(w: Lines, low: str, high: str) -> str:
    return _shuffle(w, 2, low, high, (0, 1, 2, 3))


def _half(w: Lines, x: str, start: int) -> str:
    return _shuffle(w, 4, x, x, (start, start + 1))


def _interleaved(w: Lines, width: int, x: str, y: str) -> tuple[str, str]:
    """Even elements of x and y in turn, and odd ones."""
    if width == 2:
        return _shuffle(w, 2, x, y, (0, 2)), _shuffle(w, 2, x, y, (1, 3))
    return _shuffle(w, 4, x, y, (0, 4, 2, 6)), _shuffle(w, 4, x, y, (1, 5, 3, 7))
