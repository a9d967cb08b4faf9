"""Numbers, quantities, records and tables as text for people: short, in four digits, with fitting prefixes.

`repr` of every record comes from here, in one line; what a `Printable` object says of itself is printed, shown in
`repr` and given to notebooks from one description. Digests and keys use `dataclass.exact_text`, which shortens nothing.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import MISSING, fields
from functools import cache
from typing import Any, TypeVar

from linkwright.dataclass import dataclass, is_exact, record_repr
from linkwright.findings import printable_text
from linkwright.lazy import function_at_path

T = TypeVar("T")

WIDTH = 120  # characters in a line
LINES = 15
SIZE = 1500  # characters of a repr
_LONG = 60  # characters of a cell; columns with longer ones stand last
_DIGITS = 4
_NOTHING = 1e-12  # quantities below it are rounding: a thousandth of a nanometer
_ROUNDING = 1e-13  # so are numbers this much smaller than those beside them
_PREFIXES = {"n": 1e-9, "u": 1e-6, "m": 1e-3, "": 1.0, "k": 1e3, "M": 1e6, "G": 1e9}
_PREFIXED = ("Pa", "Hz", "rad", "N", "W", "J", "V", "A", "m", "s")  # symbols that take a prefix
_SMALL = 1e-2  # in the unit of a row
_NOT_LARGE = ("rad", "s")  # of these no thousands


def number_text(x: Any, among: float = 0.0, digits: int = _DIGITS) -> str:
    """A number in four digits; "-" where there is none, and 0 for rounding beside numbers as large as `among`.

    >>> [number_text(x) for x in (13.3416, -4.0e-5, -0.0, 12345.6, 3.0, None, float("nan"))]
    ['13.34', '-4e-05', '0', '12346', '3', '-', 'nan']
    >>> number_text(1e-16, among=13.0), number_text(0.1234567, digits=6)
    ('0', '0.123457')
    """
    if x is None:
        return "-"
    if abs(x) <= _ROUNDING * among:
        return "0"
    return f"{x:.0f}" if 10.0**digits <= abs(x) < 1e6 else f"{x + 0.0:.{digits}g}"


def quantity_text(x: Any, unit: str) -> str:
    """A quantity in four digits and the prefix that fits; 0 where it is rounding.

    >>> quantity_text(8.84766e-05, "m"), quantity_text(0.3, "m"), quantity_text(125e3, "N/m"), quantity_text(1e-17, "m")
    ('88.48 um', '0.3 m', '125 kN/m', '0 m')
    >>> quantity_text(0.0123, "kg"), quantity_text(1.5e-5, "kg m^2"), quantity_text(2, ""), quantity_text(None, "m")
    ('12.3 g', '1.5e-05 kg m^2', '2', '-')
    """
    factor, shown = fitting_unit([x], unit)
    return number_text(x) if x is None or x != x else f"{_scaled_text(x, factor, unit)} {shown}".rstrip()


def fitting_unit(values: Iterable[Any], unit: str) -> tuple[float, str]:
    """The factor and the unit in which the largest of some SI values is read best.

    >>> fitting_unit([0.02, -0.0001], "m"), fitting_unit([0.02, 1.5], "m"), fitting_unit([1e-4], "m^2")
    ((1000.0, 'mm'), (1.0, 'm'), (1.0, 'm^2'))
    """
    size = max((abs(x) for x in values if x is not None and math.isfinite(x)), default=0.0)
    symbol = "kg" if unit == "kg" else next((s for s in _PREFIXED if _begins_with(unit, s)), "")
    if not symbol or size <= _NOTHING or 0.1 <= size < 1e4:
        return 1.0, unit
    if symbol == "kg":
        return (1e3, "g") if 1e-4 <= size < 0.1 else (1e6, "mg") if size < 1e-4 else (1.0, "kg")
    fitting = [name for name, times in _PREFIXES.items() if size >= times] or ["n"]
    prefix = fitting[-1] if size < 1.0 or symbol not in _NOT_LARGE else ""
    return round(1.0 / _PREFIXES[prefix], 9), prefix + unit


def _begins_with(unit: str, symbol: str) -> bool:
    """Return True if a unit begins with a symbol of the first power."""
    rest = unit.removeprefix(symbol)
    return unit.startswith(symbol) and (not rest or rest[0] in " /")


def _scaled_text(x: float, factor: float, unit: str, among: float = 0.0) -> str:
    return "0" if unit and abs(x) <= _NOTHING else number_text(x * factor, among * factor)


def shared_unit(units: Iterable[str]) -> str:
    """The unit that all numbers have; "" where they differ.

    >>> shared_unit(["N m", "N m"]), shared_unit(["N m", "N"])
    ('N m', '')
    """
    found = {*units}
    return found.pop() if len(found) == 1 else ""


def value_text(x: Any, unit: str = "") -> str:
    """A value of a table or a fact as text, with its unit.

    >>> value_text(0.123456789, "m"), value_text((1.0, 2.0), "m"), value_text("rad"), value_text(True)
    ('0.1235 m', '1, 2 m', 'rad', 'yes')
    """
    if hasattr(x, "tolist"):
        x = x.tolist()
    if isinstance(x, bool):
        return "yes" if x else "no"
    if isinstance(x, list | tuple) and all(isinstance(each, int | float) for each in x):
        factor, shown = fitting_unit(x, unit)
        return f"{', '.join(_scaled_text(each, factor, unit) for each in x)} {shown if x else ''}".rstrip()
    if isinstance(x, list | tuple):
        return ", ".join(value_text(each, unit) for each in x)
    if isinstance(x, Mapping):
        return ", ".join(f"{name} {value_text(each, unit)}" for name, each in x.items())
    return quantity_text(x, unit) if isinstance(x, int | float) or x is None else printable_text(str(x))


def combination_text(terms: Iterable[tuple[float, str]], digits: int = 3) -> str:
    """A sum of names with factors as text.

    >>> combination_text([(1.0, "a"), (-0.5, "b"), (2.0, "c")])
    'a - 0.5 b + 2 c'
    """
    text = ""
    for x, name in terms:
        factor = f"{abs(x):.{digits}g} "
        sign = ("-" if x < 0.0 else "") if not text else " - " if x < 0.0 else " + "
        text += f"{sign}{'' if factor == '1 ' else factor}{name}"
    return text


def cut_text(text: str, width: int) -> str:
    """A text of at most so many characters, with dots where it was cut.

    >>> cut_text("a long name", 8)
    'a lon...'
    """
    return text if len(text) <= width else f"{text[: max(0, width - 3)]}..."


# ------------------------------------------------------------------------------------------------------- one line


def object_text(thing: Any, width: int = 0) -> str:
    """The `repr` of a record or of a described object, in one line of a width, or as it shows itself."""
    if not isinstance(thing, Printable):
        return record_text(thing, width or WIDTH)
    try:
        if thing.repr_is_table and not width:
            return str(thing)
        return _one_line(type(thing).__name__, thing._headline(), width or WIDTH)
    except Exception:  # one made by hand may hold anything, and debuggers show it all the same
        return f"{type(thing).__name__}(...)"


def record_text(record: Any, width: int = WIDTH) -> str:
    """A record in one line: its fields that are not at their defaults, long values by their size.

    >>> from linkwright.mechanism import Frame
    >>> record_text(Frame("tool", "hand"))
    "Frame(name='tool', body='hand')"
    """
    kind: Any = type(record)
    shown = [(name, getattr(record, name)) for name, default in _shown_fields(kind)]
    given = [(n, x) for (n, x), (_, default) in zip(shown, _shown_fields(kind)) if not _is_default(x, default)]
    return _join_parts(f"{kind.__qualname__}(", ")", [(f"{n}=", x) for n, x in given], width)


@cache
def _shown_fields(kind: Any) -> tuple[tuple[str, Any], ...]:
    """Names and defaults of the fields that `repr` shows."""
    if issubclass(kind, tuple):
        return tuple((name, MISSING) for name in kind._fields)
    return tuple(
        (x.name, x.default if x.default_factory is MISSING else x.default_factory()) for x in fields(kind) if x.repr
    )


def _is_default(x: Any, default: Any) -> bool:
    return x is default or (type(x) is type(default) and not hasattr(x, "shape") and bool(x == default))


def _join_parts(head: str, tail: str, parts: Sequence[tuple[str, Any]], width: int) -> str:
    """Titled values between brackets, as many as fit; long ones give way to those that follow."""
    space = width - len(head) - len(tail)
    texts: list[str] = []
    for i, (title, x) in enumerate(parts):
        left = space - sum(len(text) + 2 for text in texts)
        later = min(len(parts) - i - 1, 3) * 12
        text = title + short_text(x, max(left - later - len(title), 12))
        more = f"... {len(parts) - i} more" if len(parts) - i > 1 else "..."
        if len(text) > left - (len(more) + 2 if i + 1 < len(parts) else 0):
            return f"{head}{', '.join([*texts, more])}{tail}"
        texts.append(text)
    return f"{head}{', '.join(texts)}{tail}"


def short_text(x: Any, width: int = WIDTH) -> str:
    """Any value in one line, as in Python where it is short; arrays and long sequences by their size.

    >>> import numpy as np
    >>> short_text((1.0, 0.123456789)), short_text(np.linspace(0.0, 2.0, 401)), short_text("a" * 99, 8)
    ('(1.0, 0.1235)', '401 numbers from 0 to 2', "'aaaa...")
    """
    if isinstance(x, float):
        return _float_text(x)
    if hasattr(x, "shape") and hasattr(x, "dtype"):
        return cut_text(_array_text(x), width)
    if type(x).__repr__ in _SEQUENCES and isinstance(x, Sequence | Set | Mapping):
        return _sequence_text(x, width)
    if type(x).__repr__ is record_repr or hasattr(x, "_fields"):
        return object_text(x, width)
    if callable(x) and hasattr(x, "__qualname__"):
        return cut_text(f"<{x.__qualname__}>", width)
    return cut_text(" ".join(repr(x).split("\n")), width)


_SEQUENCES = tuple(kind.__repr__ for kind in (tuple, list, dict, set, frozenset))


def _float_text(x: float) -> str:
    exact = repr(x)
    return exact if len(exact) <= 6 else number_text(x) if math.isfinite(x) else exact


def _array_text(x: Any) -> str:
    """An array, of NumPy or another library: its numbers where they are few, else its size and range."""
    x = x.__array__() if hasattr(x, "__array__") else x
    if not hasattr(x, "ravel") or x.dtype.kind not in "fiub":
        return f"array of {' x '.join(map(str, x.shape)) or 1}"
    among = max((abs(each) for each in x.ravel().tolist() if math.isfinite(each)), default=0.0)
    if x.ndim <= 1 and x.size <= 7:
        numbers = ", ".join(number_text(each, among) for each in x.ravel().tolist())
        return f"[{numbers}]" if x.ndim else numbers
    finite = [each for each in (float(x.min()), float(x.max())) if math.isfinite(each)] if x.size else []
    span = f" from {number_text(finite[0], among)} to {number_text(finite[1], among)}" if len(finite) == 2 else ""
    return f"{' x '.join(map(str, x.shape))} numbers{span}"


def _sequence_text(x: Any, width: int) -> str:
    if isinstance(x, Mapping):
        return _join_parts("{", "}", [(f"{short_text(name, 24)}: ", each) for name, each in x.items()], width)
    head, tail = "()" if isinstance(x, tuple) else "[]" if isinstance(x, list) else "{}"
    if isinstance(x, tuple) and len(x) == 1:
        tail = ",)"
    return _join_parts(head, tail, [("", each) for each in x], width)


# --------------------------------------------------------------------------------------------------------- tables


@dataclass(frozen=True)
class TextTable:
    """A table for people: texts in columns.

    Attributes:
        heading: above it, "" without. heads: of the columns, with units. rows: the first text of each names it.
    """

    heading: str
    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    def lines(self, most: int = 0) -> list[str]:
        """Columns side by side, those of numbers to the right; all, or as many as fit in `most` characters."""
        columns = [list(column) for column in zip(self.heads, *self.rows, strict=True)]
        widths = [max(map(len, column)) for column in columns]
        kept = len(columns)
        while most and kept > 2 and sum(widths[:kept]) + 2 * kept > most:
            kept -= 1
        out = [f"{self.heading}:"] if self.heading else []
        right = [i > 0 and all(_is_figure(cell) for cell in column[1:]) for i, column in enumerate(columns)]
        for row in zip(*columns[:kept], strict=True):
            cells = [x.rjust(w) if to_right else x.ljust(w) for x, w, to_right in zip(row, widths, right)]
            out.append("  " + "  ".join(cells).rstrip() + ("  ..." if kept < len(columns) else ""))
        return out


def _is_figure(cell: str) -> bool:
    return not cell or cell[0] in "-+.0123456789"


def described_table(
    heading: str, columns: Mapping[str, str], rows: Iterable[Sequence[Any]], titles: Mapping[str, str] | None = None
) -> TextTable:
    """A table of values: each column in the prefix of its unit that fits, beside its largest number.

    A column called "unit" says the unit of the numbers in its row, but for columns that have a unit of their own.
    Columns without any text are left out.

    >>> table = described_table("", {"part": "", "length": "m"}, [["rod", 0.05], ["pin", 1e-19]])
    >>> table.heads, table.rows
    (('part', 'length [mm]'), (('rod', '50'), ('pin', '0')))
    >>> described_table("", {"part": "", "unit": "", "length": "", "error": ""}, [["rod", "m", 0.25, 6e-6]]).rows
    (('rod', 'm', '0.25', '6 um'),)
    """
    cells_of_rows = [list(row) for row in rows]
    heads, texts = [], []
    for i, (name, unit) in enumerate(columns.items()):
        cells = [row[i] for row in cells_of_rows]
        figures = [x for x in cells if isinstance(x, float) or (unit and isinstance(x, int))]
        factor, shown = fitting_unit(figures, unit)
        among = max((abs(x) for x in figures if math.isfinite(x)), default=0.0)
        title = (titles or {}).get(name, name.replace("_", " "))
        heads.append(f"{title} [{shown}]" if shown else title)
        texts.append([_cell_text(x, factor, unit, among) for x in cells])
    lines = [list(row) for row in zip(*texts)]
    if "unit" in columns:
        for line, cells in zip(lines, cells_of_rows, strict=True):
            _write_in_unit_of_row(line, cells, list(columns).index("unit"), list(columns.values()))
    filled = [i for i in range(len(heads)) if not lines or not i or any(line[i] for line in lines)]
    cut = tuple(tuple(line[i] for i in filled) for line in lines)
    return TextTable(heading, tuple(heads[i] for i in filled), cut)


def _write_in_unit_of_row(line: list[str], cells: list[Any], at: int, units: list[str]) -> None:
    """Write the numbers of a row that have its unit, cells[at], in the prefix that fits, and that unit.

    One that would be very small there is written with its own prefix, "6.135 um" in a row of meters.
    """
    own = [i for i, x in enumerate(cells) if isinstance(x, float) and not units[i]]
    factor, line[at] = fitting_unit([cells[i] for i in own], cells[at])
    among = max([0.0 if cells[at] else 1.0, *(abs(cells[i]) for i in own if math.isfinite(cells[i]))])
    for i in own:
        line[i] = _cell_text(cells[i], factor, cells[at], among)
        if line[i] != "0" and abs(cells[i] * factor) < _SMALL and fitting_unit([cells[i]], cells[at])[1] != line[at]:
            line[i] = quantity_text(cells[i], cells[at])


def _cell_text(x: Any, factor: float, unit: str, among: float) -> str:
    if isinstance(x, float):
        return _scaled_text(x, factor, unit, among) if math.isfinite(x) else "-"
    if unit and isinstance(x, int) and not isinstance(x, bool):
        return _scaled_text(x, factor, unit)
    return value_text(x)


@dataclass(frozen=True)
class Description:
    """What an object says of itself: a title, facts, tables and notes, all as text."""

    title: str
    facts: tuple[tuple[str, str], ...] = ()
    tables: tuple[TextTable, ...] = ()
    notes: tuple[str, ...] = ()

    def whole_text(self) -> str:
        """Everything, one fact in a line."""
        facts = [f"  {name}: {value}" for name, value in self.facts]
        tables = [line for table in self.tables if table.rows for line in table.lines()]
        return "\n".join([self.title, *facts, *tables, *self._note_lines()])

    def short_text(self) -> str:
        """At most 15 lines of 120 characters; tables that are cut say how many rows they have more."""
        whole = self._lines(self.facts, [table.lines(WIDTH) for table in self.tables if table.rows])
        if _fits(whole):
            return "\n".join(whole)
        facts = _packed_facts(self.facts)
        for most in range(LINES, 0, -1):
            tables = [_cut_lines(table.lines(WIDTH), most) for table in self.tables if table.rows]
            if _fits(lines := self._lines(facts, tables)):
                return "\n".join(lines)
        return "\n".join(_cut_lines(self._lines(facts, []), LINES - 5))

    def _lines(self, facts: Iterable[tuple[str, str]], tables: Iterable[Sequence[str]]) -> list[str]:
        texts = [f"  {name}: {value}" if name else f"  {value}" for name, value in facts]
        texts += [line for table in tables for line in table]
        return [cut_text(line, WIDTH) for line in (self.title, *texts, *self._note_lines())]

    def _note_lines(self) -> list[str]:
        return [f"  Note: {note}" for note in self.notes]


def _cut_lines(lines: Sequence[str], most: int) -> list[str]:
    """Lines, or so many of them and how many are left out."""
    if len(lines) <= most + 1:
        return [*lines]
    return [*lines[:most], f"  ... {len(lines) - most} more, .table() shows all"]


def _fits(lines: Sequence[str]) -> bool:
    return len(lines) <= LINES and sum(len(line) + 1 for line in lines) <= SIZE


def _packed_facts(facts: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    """Facts behind each other in lines."""
    lines: list[str] = []
    for name, value in facts:
        text = cut_text(f"{name}: {value}", WIDTH // 2)
        if lines and len(lines[-1]) + len(text) + 4 <= WIDTH - 20:
            lines[-1] += f"; {text}"
        else:
            lines.append(text)
    return [("", line) for line in lines]


class Printable:
    """Prints itself, and shows itself in notebooks, by its description; `repr` is one line of title and facts."""

    __repr__ = record_repr
    repr_is_table = False

    def _describe(self) -> Description:
        """What the object says of itself."""
        raise NotImplementedError

    def _headline(self) -> Description:
        """Title and facts of the line that `repr` gives, quick to find."""
        return self._describe()

    def table(self) -> str:
        """Everything that `print` shows, as text, with nothing left out."""
        return self._describe().whole_text()

    def __str__(self) -> str:
        return self._describe().short_text()

    def _repr_html_(self) -> str:
        return str(function_at_path("linkwright.viewer.markup:description_markup")(self._describe()))


def description_of(thing: Printable) -> Description:
    """What a described object says of itself."""
    return thing._describe()


class PrintableTable(Printable):
    """A described object whose `repr` is what `print` shows, in at most 15 lines."""

    repr_is_table = True


def _one_line(kind: str, description: Description, width: int) -> str:
    """The title and the first facts of a description in one line."""
    facts = "".join(f", {name}{': ' if ' ' in name + value else '='}{value}" for name, value in description.facts)
    return f"{kind}({cut_text(f'{description.title}{facts}'.removeprefix(', '), width - len(kind) - 2)})"


class RecordTable(tuple[T, ...], PrintableTable):
    """Records of one kind: a tuple that shows itself as a table with a column for each field."""

    def __repr__(self) -> str:
        return tuple.__repr__(self) if is_exact() else object_text(self)

    __str__ = PrintableTable.__str__

    def _describe(self) -> Description:
        """The fields of the records that are not at their defaults in all of them."""
        if not self:
            return Description("no records")
        kind: Any = type(self[0])
        names = [
            name
            for name, default in _shown_fields(kind)
            if not all(_is_default(getattr(each, name), default) for each in self)
        ]
        rows = [[_table_value(getattr(each, name)) for name in names] for each in self]
        return Description(
            f"{len(self)} x {kind.__qualname__}", tables=(described_table("", dict.fromkeys(names, ""), rows),)
        )


class RecordMapping(dict[str, T], PrintableTable):
    """Records of one kind by name: a dictionary that shows itself as a table with a row for each name."""

    def __repr__(self) -> str:
        return dict.__repr__(self) if is_exact() else object_text(self)

    __str__ = PrintableTable.__str__

    def _describe(self) -> Description:
        """The names and the fields of the records, those with long texts last."""
        if not self:
            return Description("no records")
        records: list[Any] = [*self.values()]
        kind: Any = type(records[0])
        fields = [name for name, _ in _shown_fields(kind)]
        fields.sort(key=lambda name: max(len(str(getattr(each, name))) for each in records) > _LONG)
        cells = [[_table_value(getattr(each, field)) for field in fields] for each in records]
        rows = [
            [name, *(cut_text(x, _LONG) if isinstance(x, str) else x for x in row)] for name, row in zip(self, cells)
        ]
        table = described_table("", dict.fromkeys(("name", *fields), ""), rows)
        return Description(f"{len(self)} x {kind.__qualname__} by name", tables=(table,))


def _table_value(x: Any) -> Any:
    return number_text(x) if isinstance(x, float) else x if isinstance(x, int | str | None) else short_text(x, 40)
