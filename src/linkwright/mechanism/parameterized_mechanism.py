"""A mechanism some of whose numbers are inputs: built anew at any values, recorded ones too."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any, Literal

import numpy as np

from linkwright.algebra.sums import Symbols, known_value, resolve_sums
from linkwright.dataclass import dataclass
from linkwright.errors import ArgumentError, MechanismError
from linkwright.findings import Finding
from linkwright.joints import JointKind
from linkwright.mechanism.expressions import Formulas, names_in_expression
from linkwright.mechanism.mechanism import Mechanism
from linkwright.mechanism.names import suggest_name
from linkwright.mechanism.parameters import (
    OTHER_UNITS,
    DoubtfulLength,
    Parameter,
    doubtful_length,
    live_formulas,
    parameters_of_mechanism,
    rebuild_mechanism,
)
from linkwright.mechanism.paths import unknown_path_error
from linkwright.mechanism.records import Body, Inertia
from linkwright.mechanism.validation import body_doubts, body_problems
from linkwright.numerics.tolerances import WRITTEN_DIGITS

# Last parts of paths of lengths that may be negative.
_SIGNED = ("x", "y", "z", "lower", "upper", "rest")


@dataclass(frozen=True)
class ParameterizedMechanism:
    """A mechanism and its inputs, each with its name, nominal value [SI], unit, and the paths where it is used."""

    mech: Mechanism
    inputs: tuple[Parameter, ...]
    formulas: Formulas

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(each.name for each in self.inputs)

    @cached_property
    def lengths(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Indices of inputs that are lengths other than zero, whether they have a sign, and their nominal values."""
        found = [i for i, each in enumerate(self.inputs) if each.unit == "m" and each.value]
        signed = ["." in self.names[i] and self.names[i].rpartition(".")[2] in _SIGNED for i in found]
        return np.array(found, dtype=int), np.array(signed, dtype=bool), np.array([self.inputs[i].value for i in found])

    def doubtful_lengths(self, values: Sequence[float] | np.ndarray) -> list[DoubtfulLength]:
        """Lengths that vanish, changed their sign or look like millimeters, at values (n_p,).

        Coordinates of points may be zero and have either sign; parameters in meters and lengths may not.
        """
        lengths, signed, nominal = self.lengths
        given = np.asarray(values, dtype=float)[lengths]
        share = given / nominal
        if not len(share) or (share.min() * OTHER_UNITS >= 1.0 and share.max() <= OTHER_UNITS):
            return []
        rows = zip(lengths.tolist(), signed.tolist(), nominal.tolist(), given.tolist(), strict=True)
        return [DoubtfulLength(self.names[i], x, own) for i, sign, own, x in rows if doubtful_length(x, own, sign)]

    @property
    def nominal(self) -> tuple[float, ...]:
        return tuple(each.value for each in self.inputs)

    def at(self, values: Sequence[Any]) -> Mechanism:
        """The mechanism with other values of its inputs, in their order.

        Plain numbers are checked as every mechanism is. Recorded values are not: numbers of the mechanism are then sums
        of them (`algebra.sums`), from which trees and closures are built, and `as_recorded` gives those to recursions.
        """
        if len(values) != len(self.inputs):
            raise ArgumentError(f"{len(values)} values are given for {len(self.inputs)} inputs {list(self.names)}")
        if all(known_value(x) is not None for x in values):
            return self.mech.with_values(dict(zip(self.names, map(float, values), strict=True)))
        symbols = Symbols()
        sums = [symbols.sum(x, each.value) for x, each in zip(values, self.inputs, strict=True)]
        given = dict(zip(self.names, sums, strict=True))
        by_path = {name: x for name, x in given.items() if "." in name}
        numbers = self.formulas.numbers({name: x for name, x in given.items() if "." not in name})
        return rebuild_mechanism(self.mech, numbers | by_path, self.formulas, checked=False)

    @cached_property
    def checked_bodies(self) -> tuple[Body, ...]:
        """Bodies whose mass or inertia tensor follows from inputs."""
        uses = {path for each in self.inputs for path in each.uses}
        return tuple(body for body in self.mech.bodies if uses & set(_inertial_paths(body.name)))

    def margins(self, values: Sequence[Any]) -> list[Any]:
        """Margins of masses and inertias that follow from inputs; those of a real body are not negative.

        Values may be of any scalar type.
        """
        return [margin for _, numbers in self._inertias(values) for margin in _inertia_margins(*numbers)]

    def doubts(self, values: Sequence[float]) -> list[Finding]:
        """Masses and inertias that no real body has, at some values of the inputs."""
        try:
            bodies = list(self._inertias(values))
        except MechanismError as error:
            return [Finding("not-finite", str(error), severity="warning", subject=self.mech.name)]
        found: list[Finding] = []
        for body, (m, a, b, c, d, e, f) in bodies:
            if not all(margin >= 0.0 for margin in _inertia_margins(m, a, b, c, d, e, f)):
                there = Body(body.name, Inertia(m, body.inertia.com, ((a, d, e), (d, b, f), (e, f, c))))
                found += [*body_problems(there), *body_doubts(there)]
        return found

    def _inertias(self, values: Sequence[Any]) -> Iterator[tuple[Body, tuple[Any, ...]]]:
        """Every checked body, with its mass and the entries xx yy zz xy xz yz of its inertia tensor."""
        given = dict(zip(self.names, values, strict=True))
        changed = self.formulas.numbers({name: x for name, x in given.items() if "." not in name}) | given
        for body in self.checked_bodies:
            yield body, tuple(changed.get(path, x) for path, x in zip(_inertial_paths(body.name), _numbers_of(body)))


def _inertial_paths(body: str) -> tuple[str, ...]:
    """Paths of a body's mass and inertia tensor."""
    return f"bodies.{body}.mass", *(f"bodies.{body}.inertia.{part}" for part in ("xx", "yy", "zz", "xy", "xz", "yz"))


def _numbers_of(body: Body) -> tuple[float, ...]:
    (a, d, e), (_, b, f), (_, _, c) = body.inertia.tensor
    return body.inertia.mass, a, b, c, d, e, f


def _inertia_margins(mass: Any, xx: Any, yy: Any, zz: Any, xy: Any, xz: Any, yz: Any) -> tuple[Any, ...]:
    """The mass, and leading minors of the second moments of mass (half the trace less the tensor) but for rounding."""
    half, slack = 0.5 * (xx + yy + zz), WRITTEN_DIGITS * (abs(xx) + abs(yy) + abs(zz))
    a, b, c = half - xx + slack, half - yy + slack, half - zz + slack
    minor = a * b - xy * xy
    return mass, a, minor, minor * c - a * yz * yz - b * xz * xz - 2.0 * xy * xz * yz


def as_recorded(built: Any) -> Any:
    """A tree or closure that was built on sums, with recorded values in it, ready for recursions.

    Kinds of joints keep their sums, because frames are chosen from their directions again.
    """
    return resolve_sums(built, kept=(JointKind,))


def parameterize_mechanism(mech: Mechanism, inputs: Sequence[str] | Literal["all"]) -> ParameterizedMechanism:
    """The mechanism with named parameters, and numbers named by their paths, as inputs; "all": every parameter.

    An input named by its path replaces the expression there. Parameters that decide what the
    mechanism consists of cannot be inputs, and "all" leaves them out.

    >>> from linkwright import catalog
    >>> four_bar = parameterize_mechanism(catalog.load("four-bar"), ["joints.B.at.x", "bodies.crank.mass"])
    >>> four_bar.nominal, four_bar.at([4.1, 2.0]).loops[0].at.xyz
    ((4.0, 1.0), (4.1, 0.0, 0.0))
    """
    by_name = {each.name: each for each in parameters_of_mechanism(mech)}
    if inputs == "all":
        inputs = [each.name for each in by_name.values() if not each.structural]
    if isinstance(inputs, str) or len(set(inputs)) < len(inputs):
        raise ArgumentError(f"inputs is {inputs!r:.80}; give a list of different names")
    paths = [name for name in inputs if "." in name]
    live = live_formulas(mech)
    known_numbers = mech.numbers
    found = [
        _input_of_number(name, known_numbers) if "." in name else _input_of_parameter(name, by_name, paths)
        for name in inputs
    ]
    reached = frozenset().union(*(live.reach(name) for name in inputs if "." not in name))
    # The parts of a direction or orientation are given together, those that no input reaches too.
    families = {
        path.rpartition(".")[0] for path, expression in live.expressions if names_in_expression(expression) & reached
    }
    kept = ((path, e) for path, e in live.expressions if path not in paths and path.rpartition(".")[0] in families)
    return ParameterizedMechanism(mech, tuple(found), Formulas(live.definitions, tuple(kept)))


def _input_of_parameter(name: str, by_name: dict[str, Parameter], paths: Sequence[str]) -> Parameter:
    if name not in by_name:
        raise ArgumentError(
            f"the input '{name}' is not a parameter of the mechanism{suggest_name(name, by_name)}", name=name
        )
    found = by_name[name]
    if found.structural:
        raise ArgumentError(
            f"the input '{name}' counts copies or is part of names, so that it determines the parts of the mechanism; "
            "leave it out, and build one mechanism per value",
            name=name,
        )
    return Parameter(name, found.value, found.unit, tuple(path for path in found.uses if path not in paths))


def _input_of_number(path: str, numbers: Any) -> Parameter:
    if path in numbers:
        return Parameter(path, numbers[path].value, numbers[path].unit, (path,))
    raise unknown_path_error(path, numbers)
