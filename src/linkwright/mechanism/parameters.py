"""Named parameters of a mechanism, numbers replaced by their paths, and the warning about doubtful lengths."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from linkwright.checks import as_float, require_mapping, require_text
from linkwright.dataclass import dataclass
from linkwright.errors import ArgumentError, ParameterWarning, warn_caller
from linkwright.mechanism.expressions import Formulas, ParameterDefinition, names_in_expression
from linkwright.mechanism.flexible_bodies import flexible, remove_beams
from linkwright.mechanism.names import suggest_name
from linkwright.mechanism.paths import Listing, Quantity, Setting, unknown_path_error, visit_numbers
from linkwright.mechanism.records import M, Parts

# --- named parameters of a mechanism, the expressions its numbers follow from, and numbers replaced by their paths ----


@dataclass(frozen=True)
class Parameter:
    """A named number: its nominal value [SI], its unit ("" when unknown or none), and the paths where it is used.

    `structural`: it counts copies or is part of names; such a parameter cannot stay an input of compiled code.
    """

    name: str
    value: float
    unit: str
    uses: tuple[str, ...]
    structural: bool = False


def numbers_by_path(mech: Parts) -> dict[str, Quantity]:
    """Every number of a mechanism by its path, with its SI unit.

    >>> from linkwright import catalog
    >>> numbers_by_path(catalog.load("four-bar"))["joints.B.at.x"]
    Quantity(value=4.0, unit='m')
    """
    listing = Listing()
    rigid, beams = remove_beams(mech)
    visit_numbers(rigid, beams, listing)
    return listing.found


def live_formulas(mech: Parts) -> Formulas:
    """The formulas of a mechanism as far as they give its numbers: a number that was replaced since has none."""
    formulas = mech.formulas
    if not formulas.expressions:
        return formulas
    check = _Checking(formulas.numbers({}))
    rigid, beams = remove_beams(mech)
    visit_numbers(rigid, beams, check)
    kept = tuple((path, expression) for path, expression in formulas.expressions if path in check.kept)
    return replace(formulas, expressions=kept)


@dataclass
class _Checking(Setting):
    """Notes the given values that are those of the mechanism."""

    def __post_init__(self) -> None:
        self.kept: set[str] = set()

    def number(self, path: str, unit: str, value: Any) -> Any:
        if path in self.values and self.values[path] == value:
            self.kept.add(path)
        return super().number(path, unit, value)

    def rows(self, path: str, pose: Any) -> Any:
        before, kept = set(self.used), set(self.kept)
        new = super().rows(path, pose)
        self.kept = kept | (self.used - before) if new == pose.rows else kept
        return pose.rows

    def direction(self, path: str, value: Any) -> Any:
        before, kept = set(self.used), set(self.kept)
        new = super().direction(path, value)
        self.kept = kept | (self.used - before) if new == value else kept
        return value


def parameters_of_mechanism(mech: Parts) -> tuple[Parameter, ...]:
    """The parameters of a mechanism, each with its value, unit and uses."""
    formulas = live_formulas(mech)
    if not formulas.definitions:
        return ()
    known = numbers_by_path(mech)
    out = []
    for definition in formulas.definitions:
        reach = formulas.reach(definition.name)
        uses = tuple(path for path, expression in formulas.expressions if names_in_expression(expression) & reach)
        out.append(
            Parameter(
                definition.name,
                definition.value,
                _unit_of_parameter(definition, formulas, known),
                uses,
                definition.structural,
            )
        )
    return tuple(out)


def _unit_of_parameter(definition: ParameterDefinition, formulas: Formulas, known: Mapping[str, Quantity]) -> str:
    """The unit that a parameter is written in, or that of a number which is the parameter itself."""
    if definition.unit:
        return definition.unit
    bare = (path for path, expression in formulas.expressions if getattr(expression, "name", None) == definition.name)
    return next((known[path].unit for path in bare if path in known), "")


def with_values(mech: M, values: Mapping[str, float]) -> M:
    """The mechanism with other values of named parameters and of numbers named by their paths.

    A parameter changes every number that follows from it; a number given by its path no longer follows from any.

    >>> from linkwright import catalog
    >>> heavier = with_values(catalog.load("four-bar"), {"bodies.crank.mass": 2.0})
    >>> heavier.bodies[0].inertia.mass
    2.0
    """
    for name, value in require_mapping("values", values, "a dictionary of names and numbers").items():
        require_text("a key of values", name)
        if (found := as_float(value)) is None or math.isnan(found):
            raise ArgumentError(f"'{name}' is given as {value!r:.60}; give a number in SI units", name=name)
    formulas = live_formulas(mech)
    named, by_path = split_values_by_path(formulas, values)
    for definition in formulas.definitions:
        if definition.name in named and definition.structural and named[definition.name] != definition.value:
            raise ArgumentError(
                f"'{definition.name}' counts copies or is part of names, so that it determines the parts of the "
                "mechanism; give it when the file is read: load(file, parameters=...)",
                name=definition.name,
            )
    formulas = _formulas_with_values(formulas, named, by_path)
    return rebuild_mechanism(
        mech, formulas.numbers({}) | {path: float(x) for path, x in by_path.items()}, formulas, checked=True
    )


def split_values_by_path(formulas: Formulas, values: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Values of parameters, and values of numbers by their paths; a name without a dot must be a parameter's."""
    known = {definition.name for definition in formulas.definitions}
    named = {name: value for name, value in values.items() if "." not in name}
    for name in named:
        if name not in known:
            raise ArgumentError(f"'{name}' is not a parameter of the mechanism{suggest_name(name, known)}", name=name)
    return named, {name: value for name, value in values.items() if "." in name}


def _formulas_with_values(formulas: Formulas, named: Mapping[str, float], by_path: Mapping[str, float]) -> Formulas:
    """Formulas with other values of parameters, which are then no longer computed, and without replaced paths."""
    definitions = tuple(
        replace(d, value=float(named[d.name]), expression=None) if d.name in named else d for d in formulas.definitions
    )
    new = Formulas(definitions)
    values = new.values({})
    replaced = tuple(replace(d, value=values[d.name]) for d in definitions)
    return Formulas(replaced, tuple((path, e) for path, e in formulas.expressions if path not in by_path))


def rebuild_mechanism(mech: M, values: Mapping[str, Any], formulas: Formulas, checked: bool) -> M:
    """The mechanism with values by path; those that are not plain numbers were `checked` at their nominal ones."""
    setting = Setting(values)
    rigid, beams = remove_beams(mech)
    changes, beams = visit_numbers(rigid, beams, setting)
    for path in values:
        if path not in setting.used:
            raise unknown_path_error(path, numbers_by_path(mech))
    rows = dict(changes["home"])
    changes["home"] = tuple((name, rows.get(name, row)) for name, row in mech.home)
    new = (
        replace(rigid, **changes, formulas=formulas)
        if checked
        else rigid.replace_unchecked(**changes, formulas=formulas)
    )
    return flexible(new, beams, checked)


# --- lengths given instead of those of a file: which of them are doubtful, and the warning about them -----------------

OTHER_UNITS = 100.0  # a length this many times longer or shorter than in the file looks like one in other units


def doubtful_length(value: float, nominal: float, signed: bool = False) -> bool:
    """True for a length that vanishes, changed its sign or looks like one in other units.

    >>> doubtful_length(-0.2, 0.2), doubtful_length(200.0, 0.2), doubtful_length(0.25, 0.2)
    (True, True, False)
    """
    share = value / nominal
    size = abs(share)
    return (share <= 0.0 and not signed) or size > OTHER_UNITS or (size > 0.0 and size * OTHER_UNITS < 1.0)


@dataclass(frozen=True)
class DoubtfulLength:
    """A length beside that of the file, both in meters."""

    name: str
    value: float
    nominal: float

    def __str__(self) -> str:
        return f"{self.name} = {self.value:.6g} m ({self.nominal:.6g} m in the file)"


def warn_of_lengths(mechanism: str, doubtful: Sequence[DoubtfulLength]) -> None:
    """Warn where there are doubtful lengths."""
    if doubtful:
        lengths = ", ".join(map(str, doubtful))
        text = f"doubtful lengths of '{mechanism}': {lengths}; values are in meters, above zero and of a similar size"
        warn_caller(text, ParameterWarning, subject=mechanism, value={each.name: each.value for each in doubtful})
