"""Values of options as they are typed: quantities, states, poses, ranges, names. One reader each; errors point at the
character.

A list is written "a=1, b=2 mm"; a range is "low..high" or "low..high:count", and a unit after its second bound holds
for both.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NoReturn

import click

from linkwright.cli.command_failures import CommandFailure
from linkwright.dataclass import dataclass
from linkwright.errors import Exit

COMPONENTS = ("x", "y", "z", "rx", "ry", "rz")
_NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?\s*")
_SHOWN = 60  # characters of an option in a message
NO_ALIASES: Mapping[str, str] = {}


@dataclass(frozen=True)
class WrittenOption:
    """An option and its text, for messages."""

    option: str
    text: str

    def fail(self, column: int, message: str) -> NoReturn:
        """Refuse the text with a mark below the character at `column`."""
        begin = max(0, column - _SHOWN // 2)
        shown = "".join(c if c.isprintable() else " " for c in self.text[begin : begin + _SHOWN])
        raise CommandFailure(f"{self.option}: {message}\n  {shown}\n  {' ' * (column - begin)}^", Exit.USAGE)

    def number(self, text: str, column: int, title: str, *units: str) -> float:
        """A quantity in SI; `title` begins the message about a wrong one."""
        from linkwright.formats.units import UnitError, value_in_si

        try:
            return value_in_si(text, *units)
        except UnitError as error:
            digits = _NUMBER.match(text)
            at = digits.end() if digits and digits.end() < len(text) else 0
            self.fail(column + at, f"{title}: {error}" if title else str(error))


@dataclass(frozen=True)
class Range:
    """Two bounds and a number of values, None where none is written."""

    low: float
    high: float
    count: int | None = None


Given = float | Range
"""A value or a range, SI."""


@dataclass(frozen=True)
class WrittenEntry:
    """One entry of a list with the columns of its name and of its value, each empty where it is not written.

    Attributes:
        low, high: the bounds of a range as text; of a single value both are the value.
    """

    name: str
    value: str
    low: str
    high: str
    count: int | None
    name_at: int
    value_at: int

    @property
    def is_range(self) -> bool:
        return ".." in self.value


def _given_twice(name: str, entries: Sequence[WrittenEntry], aliases: Mapping[str, str]) -> str:
    """What to say of a name that is given twice, in the words that were written."""
    one, two = [each.name for each in entries if aliases.get(each.name, each.name) == name][:2]
    return f"'{one}' is given twice" if one == two else f"'{one}' and '{two}' are the same coordinate, given twice"


@dataclass(frozen=True)
class WrittenList:
    """The entries of an option; their names and units are known when the mechanism is."""

    source: WrittenOption
    entries: tuple[WrittenEntry, ...]

    @property
    def names(self) -> list[str]:
        """Names as written."""
        return [each.name for each in self.entries]

    def ranges(
        self, names: Sequence[str], units: Sequence[str], aliases: Mapping[str, str] = NO_ALIASES, kind: str = "name"
    ) -> dict[str, Given]:
        """Values and ranges in SI by name; without names, those of all `names` in order. `aliases` lead to names."""
        entries = self.entries
        if entries and not any(each.name for each in entries):
            for each in entries:
                self._require_no_name(each, [*names, *aliases])
            if len(entries) != len(names):
                text, needed = self.source.text.strip(), ", ".join(names)
                self.source.fail(0, f"'{text}' has {len(entries)} values and needs {len(names)}: {needed}")
            return {name: self._value(each, name, unit) for name, each, unit in zip(names, entries, units)}
        from linkwright.mechanism.names import suggest_name

        found: dict[str, Given] = {}
        for each in entries:
            self._require_both(each, names)
            name = each.name if each.name in names else aliases.get(each.name, each.name)
            if name not in names:
                near = suggest_name(each.name, dict.fromkeys([*names, *aliases]))
                self.source.fail(each.name_at, f"unknown {kind} '{each.name}'{near}")
            if name in found:
                self.source.fail(each.name_at, f"{_given_twice(name, entries, aliases)}; give it once")
            found[name] = self._value(each, each.name, units[list(names).index(name)])
        return found

    def values(
        self, names: Sequence[str], units: Sequence[str], aliases: Mapping[str, str] = NO_ALIASES, kind: str = "name"
    ) -> dict[str, float]:
        """Values in SI by name, without ranges."""
        self.require_single()
        return dict(self.ranges(names, units, aliases, kind))  # type: ignore[arg-type]

    def require_single(self) -> None:
        """Refuse ranges."""
        for each in self.entries:
            if each.is_range:
                self.source.fail(each.value_at, f"'{each.value}' is a range; write one value")

    def _require_no_name(self, each: WrittenEntry, known: Sequence[str]) -> None:
        """Refuse "theta 60 deg", a name without its sign."""
        first, _, rest = each.value.partition(" ")
        if rest and first in known:
            column = each.value_at + len(first)
            self.source.fail(column, f"'=' is missing; write \"{first}={rest.strip()}\"")

    def _require_both(self, each: WrittenEntry, names: Sequence[str]) -> None:
        if not each.name:
            self.source.fail(each.value_at, f"'{each.value}' has no '='; write for example \"{names[0]}=0.1\"")
        if not each.value:
            self.source.fail(each.name_at, f"'{each.name}' has no value; write for example \"{each.name}=0.1\"")

    def _value(self, each: WrittenEntry, title: str, unit: str) -> Given:
        low = self.source.number(each.low, each.value_at, title, unit)
        if not each.is_range:
            return low
        column = each.value_at + each.value.index("..") + 2
        return Range(low, self.source.number(each.high, column, title, unit), each.count)


def read_list(option: str, text: str) -> WrittenList:
    """The entries of a list as it is typed.

    >>> [(e.name, e.low, e.high, e.count) for e in read_list("--pose", "x=-30..30 mm:5, y = 2 mm").entries]
    [('x', '-30 mm', '30 mm', 5), ('y', '2 mm', '2 mm', None)]
    >>> read_list("--at", "0.1, b=300 mm").entries[0].value
    '0.1'
    """
    source, entries, column = WrittenOption(option, text), [], 0
    for part in text.split(","):
        if part.strip():
            entries.append(_read_entry(source, part, column))
        column += len(part) + 1
    return WrittenList(source, tuple(entries))


def _read_entry(source: WrittenOption, part: str, column: int) -> WrittenEntry:
    before, equals, after = part.partition("=")
    if not equals:
        before, after = "", part
    value = after.strip()
    begin = column + len(part) - len(after.lstrip()) if value else column + len(part)
    name_at = column + len(part) - len(part.lstrip())
    if equals and not (before.strip() and value):
        what = f"'{before.strip()}' has no value" if before.strip() else "a name is missing before '='"
        source.fail(name_at, f'{what}; write for example "{before.strip() or "name"}=0.1"')
    low, high, count = _read_range(source, value, begin)
    return WrittenEntry(before.strip(), value, low, high, count, name_at, begin)


def _read_range(source: WrittenOption, value: str, column: int) -> tuple[str, str, int | None]:
    """Bounds and count of "low..high:count", with the unit of the second bound at both; a single value twice."""
    both, colon, number = value.partition(":")
    low, dots, high = (x.strip() for x in both.partition(".."))
    if not dots and not colon:
        return value, value, None
    such = "write for example -0.1..0.1:5"
    if not (low and dots and high):
        source.fail(column, f"'{value}' is not a range; {such}")
    if colon and not (number.strip().isascii() and number.strip().isdigit()):
        source.fail(column + len(both) + 1, f"'{number.strip()}' is not a number of values; {such}")
    if colon and int(number) < 2:
        source.fail(column + len(both) + 1, f"a range of {int(number)} values has no two ends; {such}")
    unit = high[digits.end() :] if (digits := _NUMBER.match(high)) else ""
    bare = _NUMBER.fullmatch(low)
    return f"{low} {unit}" if unit and bare else low, high, int(number) if colon else None


class _Written(click.ParamType):
    """An option whose text is read by `read`; `name` is what the help page shows for its value."""

    def __init__(self, name: str, read: Callable[[WrittenOption], Any]) -> None:
        self.name = name
        self._read = read

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if not isinstance(value, str | int | float) or isinstance(value, bool):
            return value
        return self._read(WrittenOption(max(param.opts, key=len) if param else self.name, str(value)))


def quantity_type(name: str, *units: str, above_zero: bool = False) -> click.ParamType:
    """A number with or without one of these units, in SI."""

    def read(source: WrittenOption) -> float:
        found = source.number(source.text, 0, "", *units)
        if above_zero and not 0.0 < found < float("inf"):
            source.fail(0, f"'{source.text}' is not above zero; write for example '1 {units[0]}'")
        return found

    return _Written(name, read)


def _read_values(source: WrittenOption) -> WrittenList:
    return read_list(source.option, source.text)


def _read_pose(source: WrittenOption) -> dict[str, Given | None]:
    """Components by name; a name alone, "x, y", has no value."""
    written = _read_values(source)
    alone = {each.value: None for each in written.entries if not each.name and each.value in COMPONENTS}
    valued = tuple(each for each in written.entries if each.name or each.value not in COMPONENTS)
    units = ["m"] * 3 + ["rad"] * 3
    return {**alone, **WrittenList(source, valued).ranges(COMPONENTS, units, kind="component")}


def _read_names(source: WrittenOption) -> tuple[str, ...]:
    separated = source.text.split(",") if "," in source.text else source.text.split()
    return tuple(filter(None, (each.strip() for each in separated)))


def _read_components(source: WrittenOption) -> tuple[str, ...]:
    for each in (names := _read_names(source)):
        if each not in COMPONENTS:
            known = ", ".join(COMPONENTS)
            source.fail(source.text.index(each), f"unknown component '{each}'; choose among {known}")
    return names


def _read_bounds(source: WrittenOption) -> dict[str, float]:
    """Numbers by the name of a measure."""
    written = _read_values(source)
    for each in written.entries:
        if not each.name:
            source.fail(each.value_at, f"'{each.value}' has no '='; write for example \"condition=10\"")
    return written.values(written.names, [""] * len(written.entries))


def _read_variables(source: WrittenOption) -> WrittenList:
    """Names of parameters, each alone or with a range."""
    if "," in source.text or "=" in source.text:
        return _read_values(source)
    words = [*re.finditer(r"\S+", source.text)]
    return WrittenList(source, tuple(WrittenEntry("", w[0], w[0], w[0], None, w.start(), w.start()) for w in words))


TIME = quantity_type("TIME", "s", above_zero=True)
REST = quantity_type("TIME", "s")
LENGTH = quantity_type("LENGTH", "m")
ANGLE = quantity_type("ANGLE", "rad")
STATE = _Written("STATE", _read_values)
POSE = _Written("POSE", _read_pose)
VALUES = _Written("VALUES", _read_values)
NAMES = _Written("NAMES", _read_names)
COMPONENT_NAMES = _Written("COMPONENTS", _read_components)
BOUNDS = _Written("BOUNDS", _read_bounds)
VARIABLES = _Written("PARAMETERS", _read_variables)


def variable_names(written: WrittenList | None) -> Any:
    """Names that an option --vary gives, "all" for every parameter of the file.

    >>> variable_names(_read_variables(WrittenOption("--vary", "l1, bodies.arm.mass")))
    ['l1', 'bodies.arm.mass']
    """
    if written is None:
        return []
    for each in written.entries:
        if each.name:
            written.source.fail(each.value_at, f"'{each.name}' has a value; write names alone, \"l1, m1\"")
    names = [each.value for each in written.entries]
    return "all" if names == ["all"] else names
