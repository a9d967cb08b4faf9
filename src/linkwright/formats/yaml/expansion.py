"""Parameters and repeats of a file written out, so that what follows sees plain sections only."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import field
from numbers import Real
from typing import Any

from linkwright.dataclass import dataclass
from linkwright.errors import ArgumentError
from linkwright.findings import Finding, Path
from linkwright.forces.element import force_sections
from linkwright.formats.import_findings import refuse_file
from linkwright.formats.units import (
    Computed,
    Dimension,
    Unit,
    UnitError,
    parse_quantity,
    parse_unit,
    quote_short_value,
    si_unit,
)
from linkwright.formats.yaml.expression_parser import (
    CONSTANTS,
    FUNCTIONS,
    compute_expression,
    dimension_of_expression,
    is_expression,
    parse_expression,
    result_dimension,
)
from linkwright.formats.yaml.yaml_text import MOST_VALUES, SourceDocument
from linkwright.mechanism.expressions import (
    Expression,
    Name,
    Number,
    Operation,
    ParameterDefinition,
    expression_size,
    names_in_expression,
    number_expression,
    substitute_names,
)
from linkwright.mechanism.names import suggest_name

MOST_COPIES = 2000
MOST_CHARACTERS = 4 * 1024 * 1024  # of texts whose variables were put in
MOST_PROBLEMS = 200  # after which a file is not read on
MOST_TERMS = 500  # of an expression with the variables of repeats put in; a longer one is kept as its number
_SPAN = re.compile(r"(-?\d{1,6})\s*\.\.\s*(-?\d{1,6})")
_NUMBER_AND_WORD = re.compile(r"\s*[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?\s*[A-Za-z]")
_NAME = re.compile(r"[A-Za-z_][A-Za-z_0-9]*")
_HOLE = re.compile(r"\{(\{)?([A-Za-z_][A-Za-z_0-9]*)\}(?(1)\})")
_QUANTITY = re.compile(r"\s*\{([A-Za-z_][A-Za-z_0-9]*)\}\s*([^{}]*)")
TEXTS = ("name", "source", "license", "base", "platform", "type", "parent", "child", "body", "joint", "link")
SECTIONS = ("bodies", "joints", "loops", "couplings", *force_sections(), "frames", "actuators", "home")


@dataclass(frozen=True)
class Known:
    """A number in SI, what it is in terms of the file's parameters, how many terms that has, its dimension if known.

    The dimension of the `result` is that where pi, sines and whole divisors are plain factors.
    """

    value: float
    expression: Expression
    size: int = 1
    powers: Dimension | None = None
    result: Dimension | None = None


Scope = Mapping[str, Known | str]


@dataclass(frozen=True)
class Expanded:
    """A source of plain sections, the parameters it had, and expressions of numbers by their path in it."""

    source: SourceDocument
    definitions: tuple[ParameterDefinition, ...] = ()
    expressions: Mapping[Path, Expression] = field(default_factory=dict)


def expand_source(source: SourceDocument, given: Mapping[str, Any] | None = None) -> Expanded:
    """The source with parameters put in and repeats written out; `given` replaces the file's parameters."""
    if given is not None and not isinstance(given, Mapping):
        raise ArgumentError(f"parameters is {given!r:.60}, expected a dictionary of names and values")
    data = _strip_comments(source.data)
    if not {"parameters", "repeat"} & data.keys() and not given and not _is_computed_value(data):
        return Expanded(SourceDocument(source.file, data, source.lines))
    work = _Expansion(source)
    found = work.parameters(data.get("parameters", {}), given or {})
    scope = found.all() if found else {}
    rest = {key: work.fill_part(part, scope, (key,), (key,)) for key, part in data.items() if key not in _OWN}
    work.repeats(data.get("repeat", []), scope, rest)
    if work.problems:
        refuse_file(source.file, work.problems)
    plain = SourceDocument(source.file, rest, {**source.lines, **work.lines})
    return Expanded(plain, found.definitions() if found else (), work.expressions)


def own_values(source: SourceDocument) -> dict[str, float]:
    """Values [SI] of the file's own parameters that are numbers; none where they have problems."""
    work = _Expansion(source)
    found = work.parameters(_strip_comments(source.data).get("parameters", {}), {})
    known = found.all() if found else {}
    return {} if work.problems else {name: x.value for name, x in known.items() if isinstance(x, Known)}


_OWN = ("parameters", "repeat")


def _strip_comments(data: dict[str, Any]) -> dict[str, Any]:
    """The file without its `comment` texts, at the top and in the entries of sections."""

    def bare(block: Any) -> Any:
        return {k: v for k, v in block.items() if k != "comment"} if isinstance(block, dict) else block

    def section(name: str, block: Any) -> Any:
        entries = isinstance(block, dict) and name in SECTIONS
        return {k: bare(v) for k, v in block.items()} if entries else block

    top = {name: section(name, block) for name, block in data.items() if name != "comment"}
    return {**top, "repeat": _uncommented_repeats(top["repeat"])} if "repeat" in top else top


def _uncommented_repeats(blocks: Any) -> Any:
    if isinstance(blocks, list):
        return [_uncommented_repeats(block) for block in blocks]
    return _strip_comments(blocks) if isinstance(blocks, dict) and "repeat" not in blocks else blocks


def _is_computed_value(data: Any) -> bool:
    """Return True if a value is to be computed, or a text has braces that are not those of a variable."""
    if isinstance(data, dict):
        return any(_has_own_braces(key) or _is_computed_value(value) for key, value in data.items())
    return (
        any(map(_is_computed_value, data)) if isinstance(data, list) else is_expression(data) or _has_own_braces(data)
    )


def _has_own_braces(data: Any) -> bool:
    return isinstance(data, str) and "{{" in data and any(match[1] for match in _HOLE.finditer(data))


def _is_text(path: Path) -> bool:
    """Return True for the path of a name or a text, which is never computed."""
    return path[-1] in TEXTS and path[-2:-1] not in (("home",), ("terms",))


@dataclass
class _Expansion:
    source: SourceDocument
    problems: list[Finding] = field(default_factory=list)
    lines: dict[Path, int] = field(default_factory=dict)
    expressions: dict[Path, Expression] = field(default_factory=dict)
    structural: set[str] = field(default_factory=set)
    count: int = 0
    characters: int = 0

    def problem(self, text: str, path: Path) -> None:
        self.problems.append(self.source.problem("bad-expression", text, path))
        if len(self.problems) >= MOST_PROBLEMS:
            refuse_file(self.source.file, self.problems)

    def count_value(self, path: Path) -> None:
        """Count one more value; refuse a file that unfolds to very many."""
        self.count += 1
        if self.count > MOST_VALUES:
            self._too_large(f"the repeats unfold to more than {MOST_VALUES} values", path)

    def written_out(self, text: str, path: Path) -> str:
        """The text; refuse a file whose variables unfold to very many characters."""
        self.characters += len(text)
        if self.characters > MOST_CHARACTERS:
            self._too_large(f"the variables unfold to more than {MOST_CHARACTERS} characters", path)
        return text

    def _too_large(self, text: str, path: Path) -> None:
        refuse_file(self.source.file, [self.source.problem("too-large", text, path, "repeat less")])

    def parameters(self, written: Any, given: Mapping[str, Any]) -> _Parameters | None:
        """The parameters, of which one may be computed from others, in any order."""
        if not isinstance(written, dict):
            self.problem(
                f"{quote_short_value(written)} is not a list of parameters; write 'name: value' lines", ("parameters",)
            )
            return None
        for name in given:
            if name not in written:
                self.problem(f"unknown parameter '{name}'{suggest_name(name, written)}", ())
            elif (
                _dimension_of_quantity(given[name])
                and _dimension_of_quantity(written[name])
                and _dimension_of_quantity(given[name]) != _dimension_of_quantity(written[name])
            ):
                new, old = quote_short_value(given[name]), quote_short_value(written[name])
                text = f"'{name}' is given as {new}, but the file has {old}; keep its kind"
                self.problem(text, ("parameters", name))
        return _Parameters(self, {**written, **{k: v for k, v in given.items() if k in written}}, written)

    def fill_part(self, written: Any, scope: Scope, path: Path, target: Path) -> Any:
        """A part of the file with its holes and expressions filled; `target` is its path in the result."""
        self.count_value(path)
        self.lines.setdefault(target, self.source.line(path))
        if isinstance(written, dict):
            return self._mapping(written, scope, path, target)
        if isinstance(written, list):
            return [self.fill_part(x, scope, (*path, i), (*target, i)) for i, x in enumerate(written)]
        return self._scalar(written, scope, path, target)

    def _mapping(self, written: dict[str, Any], scope: Scope, path: Path, target: Path) -> dict[str, Any]:
        out: dict[str, Any] = {}
        for key, inner in written.items():
            name = self._text(key, scope, (*path, key))
            if name in out:
                self.problem(f"'{name}' is made twice; put a variable of the repeat in its name", (*path, key))
            out[name] = self.fill_part(inner, scope, (*path, key), (*target, name))
        return out

    def _scalar(self, written: Any, scope: Scope, path: Path, target: Path) -> Any:
        """A value filled; what it is in terms of parameters is kept for its path."""
        if not isinstance(written, str) or _is_text(path):
            return self._text(written, scope, path) if isinstance(written, str) else written
        if is_expression(written):
            found = self._compute_expression(written, scope, path)
            self._keep(target, found.expression)
            return Computed(found.value, written.strip(), found.result) if found.result else found.value
        hole = _QUANTITY.fullmatch(written)
        inside = scope.get(hole[1]) if hole else None
        if hole is None or not isinstance(inside, Known):
            return self._text(written, scope, path)
        self._keep(target, _in_unit(inside.expression, hole[2].strip()))
        return f"{_shortest_digits(inside.value)} {hole[2]}".strip()

    def _keep(self, target: Path, expression: Expression) -> None:
        if names_in_expression(expression):
            self.expressions[target] = expression

    def _compute_expression(self, written: str, scope: Scope, path: Path) -> Known:
        """The value of an expression, with the variables of repeats replaced by their values."""
        inside = {k: v for k, v in scope.items() if isinstance(v, Known)}
        try:
            expression = parse_expression(written)
            found = compute_expression(expression, {k: v.value for k, v in inside.items()}, written)
        except UnitError as error:
            self.problem(_text_within(written, scope) or str(error), path)
            return Known(0.0, Number(0.0))
        powers = self._dimension(expression, inside, written, path)
        result = (
            result_dimension(expression, {k: v.result for k, v in inside.items()})
            if names_in_expression(expression)
            else None
        )
        terms = expression_size(expression, {k: v.size for k, v in inside.items()})
        if terms > MOST_TERMS:
            return Known(found, number_expression(found), powers=powers, result=result)
        by = {k: v.expression for k, v in inside.items()}
        return Known(found, substitute_names(expression, by), terms, powers, result)

    def _dimension(
        self, expression: Expression, inside: Mapping[str, Known], written: str, path: Path
    ) -> Dimension | None:
        try:
            return dimension_of_expression(expression, {k: v.powers for k, v in inside.items()})
        except UnitError as error:
            units = [
                f"'{k}' in {si_unit(v.powers)}"
                for k, v in inside.items()
                if v.powers and k in names_in_expression(expression)
            ]
            given = f" ({', '.join(units)})" if units else ""
            self.problem(
                f"{quote_short_value(written)} mixes units: {error}{given}; check which numbers are meant", path
            )
            return None

    def _text(self, written: str, scope: Scope, path: Path) -> str:
        """A text with `{name}` replaced by the variable's value, and `{{name}}` by `{name}`."""

        def replacement(match: re.Match[str]) -> str:
            if match[1]:
                return match[0][1:-1]
            if match[2] not in scope:
                way_out = f"{suggest_name(match[2], scope)}; write {{{match[0]}}} where the braces are part of the text"
                self.problem(f"'{match[0]}' is not a known variable{way_out}", path)
                return match[0]
            found = scope[match[2]]
            if isinstance(found, str):
                return self.written_out(found, path)
            self.structural |= names_in_expression(found.expression)
            return f"{found.value:.12g}"

        return _HOLE.sub(replacement, written)

    def repeats(self, written: Any, scope: Scope, into: dict[str, Any]) -> None:
        """Blocks of `repeat` written out into the sections, after what is there."""
        for i, block in enumerate(written if isinstance(written, list) else [written]):
            path: Path = ("repeat", i) if isinstance(written, list) else ("repeat",)
            if not isinstance(block, dict) or "for" not in block:
                self.problem("a repeat needs 'for: {i: 1..6}' and sections such as 'bodies:'", path)
                continue
            for copy in self._copies(block["for"], scope, (*path, "for")):
                self.count_value(path)
                self._copy(block, {**scope, **copy}, path, into)

    def _copy(self, block: dict[str, Any], scope: Scope, path: Path, into: dict[str, Any]) -> None:
        for section, part in block.items():
            if section == "for":
                continue
            if section not in SECTIONS or not isinstance(part, dict):
                wrong = f"'{section}' cannot be repeated{suggest_name(section, SECTIONS)}"
                self.problem(
                    wrong if section not in SECTIONS else "names and their values are wanted", (*path, section)
                )
                return
            target = into.setdefault(section, {})
            made = self.fill_part(part, scope, (*path, section), (section,))
            for name in made.keys() & target.keys() if isinstance(target, dict) else ():
                self.problem(f"'{name}' is there already; put a variable of the repeat in its name", (*path, section))
            if isinstance(target, dict):
                target.update({name: made[name] for name in made if name not in target})

    def _copies(self, written: Any, scope: Scope, path: Path) -> Iterator[dict[str, Any]]:
        """The variables of each copy: lists of equal length go side by side."""
        if not isinstance(written, dict) or not written:
            self.problem(f"{quote_short_value(written)} names no variable; write for example {{i: 1..6}}", path)
            return
        columns = {name: self._column(name, items, scope, (*path, name)) for name, items in written.items()}
        lengths = {name: len(column) for name, column in columns.items()}
        if len(set(lengths.values())) != 1:
            counts = ", ".join(f"{name} has {n}" for name, n in lengths.items())
            self.problem(f"the variables have different numbers of values ({counts}); give each the same", path)
            return
        for row in zip(*columns.values(), strict=True):
            yield dict(zip(columns, row, strict=True))

    def _column(self, name: str, written: Any, scope: Scope, path: Path) -> list[Any]:
        if not _NAME.fullmatch(name) or name in CONSTANTS or name in FUNCTIONS:
            self.problem(f"'{name}' cannot name a variable; use letters, digits and _, and no function's name", path)
        match = _SPAN.fullmatch(self._text(written, scope, path).strip()) if isinstance(written, str) else None
        if match:
            first, last = int(match[1]), int(match[2])
            if not 0 <= last - first < MOST_COPIES:
                self.problem(f"'{written}' makes no or more than {MOST_COPIES} copies; count upwards, less far", path)
                return []
            return [Known(i, number_expression(float(i))) for i in range(first, last + 1)]
        if not isinstance(written, list) or not 0 < len(written) <= MOST_COPIES:
            self.problem(
                f"{quote_short_value(written)} is not a series; write 1..6 or a list such as [0 deg, 120 deg]", path
            )
            return []
        return [self._item(item, scope, (*path, i)) for i, item in enumerate(written)]

    def _item(self, written: Any, scope: Scope, path: Path) -> Any:
        """One value of a series or parameter: a number in SI, or a text that is not a quantity."""
        if is_expression(written):
            return self._compute_expression(written, scope, path)
        if isinstance(written, str):
            try:
                value, unit = parse_quantity(written)
            except UnitError as error:
                if path[0] == "parameters" and _NUMBER_AND_WORD.match(written):
                    self.problem(str(error), path)
                    return Known(0.0, Number(0.0))
                return self._text(written, scope, path)
            powers = unit.powers if unit else None
            return Known(value, number_expression(value), powers=powers, result=powers)
        if isinstance(written, bool) or not isinstance(written, Real):
            self.problem(f"{quote_short_value(written)} is neither a number nor a text; write one value", path)
            return Known(0.0, Number(0.0))
        return Known(written if isinstance(written, int) else float(written), number_expression(float(written)))


def _shortest_digits(value: float) -> str:
    """A number in the fewest digits that give it back."""
    short = f"{value:.12g}"
    return short if float(short) == value else repr(value)


def _in_unit(expression: Expression, unit: str) -> Expression:
    """An expression that is written with a unit, in SI."""
    try:
        factor = parse_unit(unit) if unit else Unit((0, 0, 0, 0))
    except UnitError:
        return expression  # the reader of the field will refuse the unit
    if factor.times != 1.0:
        expression = Operation("*", (expression, Number(factor.times)))
    return Operation("/", (expression, Number(factor.over))) if factor.over != 1.0 else expression


def _text_within(written: str, scope: Scope) -> str:
    """Message about an expression that computes with a text; empty when it does not."""
    for name in re.findall(_NAME, written):
        if isinstance(scope.get(name), str):
            return (
                f"'{name}' is the text {quote_short_value(scope[name])}, and {quote_short_value(written)} computes "
                f"with it; give '{name}' as a "
                "number, a number and a unit, or an expression that begins with '='"
            )
    return ""


def _dimension_of_quantity(written: Any) -> Dimension | None:
    """The dimension of a quantity that is written with its unit."""
    try:
        unit = parse_quantity(written)[1] if isinstance(written, str) and not is_expression(written) else None
    except UnitError:
        return None
    return unit.powers if unit else None


@dataclass
class _Parameters:
    """Values of parameters, each computed once, those it needs before it; circles are found on the way.

    A given number without a unit has that of the file's `own`.
    """

    work: _Expansion
    written: dict[str, Any]
    own: Mapping[str, Any]
    known: dict[str, Known | str] = field(default_factory=dict)
    forms: dict[str, Expression] = field(default_factory=dict)

    def all(self) -> dict[str, Known | str]:
        """The parameters by name; a number stands for itself in expressions, not for its value."""
        for name in self.written:
            if not _NAME.fullmatch(name) or name in CONSTANTS or name in FUNCTIONS:
                self.work.problem(f"'{name}' cannot name a parameter; use letters, digits and _", ("parameters", name))
        return {name: self.one(name) for name in self.written}

    def definitions(self) -> tuple[ParameterDefinition, ...]:
        """The parameters that are numbers."""
        out = []
        for name, written in self.written.items():
            found = self.known[name]
            if isinstance(found, Known):
                form = self.forms.get(name)
                powers = _dimension_of_quantity(written)
                unit = si_unit(powers) if powers else ""
                out.append(ParameterDefinition(name, float(found.value), unit, form, name in self.work.structural))
        return tuple(out)

    def one(self, name: str) -> Known | str:
        """The value of a parameter; those it is computed from come first, on a stack, however long the chain."""
        way = [name]
        while way:
            name = way[-1]
            missing = [need for need in self._needs(name) if need not in self.known]
            if name in self.known:
                way.pop()
            elif not missing:
                self.known[name] = self._value(name)
                way.pop()
            elif missing[0] in way:
                circle = " -> ".join([*way[way.index(missing[0]) :][-6:], missing[0]])
                text = f"'{missing[0]}' depends on itself ({circle}); break the circle"
                self.work.problem(text, ("parameters", missing[0]))
                self.known[missing[0]] = Known(1.0, Name(missing[0]))
            else:
                way.append(missing[0])
        return self.known[name]

    def _needs(self, name: str) -> list[str]:
        """The parameters that one is computed from."""
        written = self.written[name]
        return [w for w in re.findall(_NAME, written) if w in self.written] if is_expression(written) else []

    def _value(self, name: str) -> Known | str:
        written, path = self.written[name], ("parameters", name)
        if not is_expression(written):
            found = self.work._item(written, {}, path)
        else:
            found = self.work._compute_expression(written, {need: self.known[need] for need in self._needs(name)}, path)
        if not isinstance(found, Known):
            return found
        if names_in_expression(found.expression):
            self.forms[name] = found.expression
        own = _dimension_of_quantity(self.own[name])
        return Known(found.value, Name(name), powers=found.powers or own, result=found.result or own)
