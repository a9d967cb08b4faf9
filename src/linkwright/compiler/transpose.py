"""Between row-major rows, one per lane, and one lane vector per column, as IR text."""

from __future__ import annotations

from linkwright.compiler.text import Lines, vector


def to_lanes(w: Lines, rows: list[str], block: str, size: int, lanes: int) -> None:
    """Row-major rows, one per lane, to one lane vector per column."""
    if lanes % 4 or size < 4:
        _to_lanes_one_by_one(w, rows, block, size, lanes)
        return
    for first in range(0, lanes, 4):
        for k in _quads(size):
            here = [w.let(f"getelementptr double, ptr {row}, i64 {k}") for row in rows[first : first + 4]]
            quad_to_lanes(w, here, w.let(f"getelementptr double, ptr {block}, i64 {k * lanes + first}"), lanes)


def from_lanes(w: Lines, rows: list[str], block: str, size: int, lanes: int) -> None:
    """One lane vector per column back to row-major rows."""
    if lanes % 4 or size < 4:
        _from_lanes_one_by_one(w, rows, block, size, lanes)
        return
    for first in range(0, lanes, 4):
        for k in _quads(size):
            here = [w.let(f"getelementptr double, ptr {row}, i64 {k}") for row in rows[first : first + 4]]
            quad_from_lanes(w, here, w.let(f"getelementptr double, ptr {block}, i64 {k * lanes + first}"), lanes)


def quad_to_lanes(w: Lines, rows: list[str], block: str, lanes: int) -> None:
    """Four columns of four rows; the pointers already stand on the first column and lane."""
    columns = _transposed(w, [w.let(f"load <4 x double>, ptr {row}, align 8") for row in rows])
    for j, column in enumerate(columns):
        place = w.let(f"getelementptr double, ptr {block}, i64 {j * lanes}")
        w.put(f"store <4 x double> {column}, ptr {place}, align 8")


def quad_from_lanes(w: Lines, rows: list[str], block: str, lanes: int) -> None:
    """The way back."""
    places = [w.let(f"getelementptr double, ptr {block}, i64 {j * lanes}") for j in range(4)]
    pieces = _transposed(w, [w.let(f"load <4 x double>, ptr {p}, align 8") for p in places])
    for row, piece in zip(rows, pieces, strict=True):
        w.put(f"store <4 x double> {piece}, ptr {row}, align 8")


def _transposed(w: Lines, a: list[str]) -> list[str]:
    """Four vectors of four, rows to columns."""

    def shuffle(x: str, y: str, order: tuple[int, ...]) -> str:
        mask = ", ".join(f"i32 {i}" for i in order)
        return w.let(f"shufflevector <4 x double> {x}, <4 x double> {y}, <4 x i32> <{mask}>")

    even, odd, low, high = (0, 4, 2, 6), (1, 5, 3, 7), (0, 1, 4, 5), (2, 3, 6, 7)
    t = [shuffle(a[0], a[1], even), shuffle(a[0], a[1], odd), shuffle(a[2], a[3], even), shuffle(a[2], a[3], odd)]
    return [shuffle(t[0], t[2], low), shuffle(t[1], t[3], low), shuffle(t[0], t[2], high), shuffle(t[1], t[3], high)]


def _quads(size: int) -> list[int]:
    """First columns of groups of four that cover a row; the last may overlap its neighbour."""
    return sorted({min(k, size - 4) for k in range(0, size, 4)})


def _to_lanes_one_by_one(w: Lines, rows: list[str], block: str, size: int, lanes: int) -> None:
    kind = vector(lanes)
    for k in range(size):
        packed = "undef"
        for lane, row in enumerate(rows):
            x = w.let(f"load double, ptr {w.let(f'getelementptr double, ptr {row}, i64 {k}')}, align 8")
            packed = w.let(f"insertelement {kind} {packed}, double {x}, i32 {lane}")
        w.put(f"store {kind} {packed}, ptr {w.let(f'getelementptr {kind}, ptr {block}, i64 {k}')}, align 8")


def _from_lanes_one_by_one(w: Lines, rows: list[str], block: str, size: int, lanes: int) -> None:
    kind = vector(lanes)
    for k in range(size):
        packed = w.let(f"load {kind}, ptr {w.let(f'getelementptr {kind}, ptr {block}, i64 {k}')}, align 8")
        for lane, row in enumerate(rows):
            x = w.let(f"extractelement {kind} {packed}, i32 {lane}")
            w.put(f"store double {x}, ptr {w.let(f'getelementptr double, ptr {row}, i64 {k}')}, align 8")
