"""The whole mechanism, checked as it is made."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

from linkwright.checks import require_text
from linkwright.dataclass import dataclass
from linkwright.lazy import function_at_path
from linkwright.mechanism import parameters as by_name
from linkwright.mechanism.parameters import Parameter
from linkwright.mechanism.parts import Parts
from linkwright.mechanism.paths import Quantity, unknown_path_error
from linkwright.mechanism.validation import require_sound
from linkwright.readable_text import Description, Printable, RecordTable, TextTable, described_table, quantity_text


@dataclass(frozen=True)
class Mechanism(Printable, Parts):
    """A mechanism as its user drew it. `joints` span a tree from `base`; `loops` are the joints outside it.

    `open_loops` are joints outside the tree that do not hold yet: a run may close them, see `linkwright.events.Close`.
    `base_inertia` acts only when the base floats, see `build(mech, base="floating")`.
    `formulas` say which numbers follow from named parameters; mechanisms with equal numbers are equal.
    """

    def _repr_html_(self) -> str:
        """A table and the mechanism in motion, for notebooks."""
        return function_at_path("linkwright.viewer.cards:mechanism_card")(self)

    def _describe(self) -> Description:
        """Counts, parameters, and tables of bodies, joints and actuators."""
        return describe_mechanism(self)

    def __post_init__(self) -> None:
        require_sound(self)

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """The named parameters of the mechanism's file, each with its nominal value, unit, and where it is used."""
        return RecordTable(by_name.parameters_of_mechanism(self))

    @property
    def numbers(self) -> dict[str, Quantity]:
        """Every number by its path, such as `bodies.crank.mass` or `joints.B.at.x`, with its SI unit."""
        return by_name.numbers_by_path(self)

    def value(self, name: str) -> float:
        """The value [SI] of a parameter, or of a number by its path.

        >>> from linkwright import catalog
        >>> catalog.load("four-bar").value("joints.B.at.x")
        4.0
        """
        named = {definition.name: definition.value for definition in self.formulas.definitions}
        if require_text("name", name) in named:
            return named[name]
        known = self.numbers
        if name not in known:
            raise unknown_path_error(name, {**named, **known})
        return known[name].value

    def with_values(self, values: Mapping[str, float]) -> Mechanism:
        """The mechanism with other values [SI] of parameters, and of numbers named by their paths.

        A parameter changes every number that follows from it; a number given by its path no longer follows from any.

        >>> from linkwright import catalog
        >>> catalog.load("four-bar").with_values({"gravity.y": -1.6}).gravity
        (0.0, -1.6, 0.0)
        """
        return by_name.with_values(self, values)


def describe_mechanism(mech: Mechanism) -> Description:
    """What `print` and notebooks show of a mechanism."""
    facts = [
        ("bodies", f"{len(mech.bodies)} on '{mech.base}', {quantity_text(_total_mass(mech), 'kg')}"),
        ("joints", f"{len(mech.joints)} in the tree, {len(mech.loops)} closing loops"),
        ("actuators", ", ".join(each.name for each in mech.actuators) or "none named"),
    ]
    if mech.platform:
        facts.append(("platform", mech.platform))
    if mech.source:
        facts.append(("source", mech.source.splitlines()[0]))
    return Description(f"'{mech.name}'", tuple(facts), tuple(_part_tables(mech)))


def _total_mass(mech: Mechanism) -> float:
    return math.fsum(body.inertia.mass for body in mech.bodies)


def _part_tables(mech: Mechanism) -> Iterator[TextTable]:
    """Parameters, bodies and joints."""
    rows: list[list[Any]] = [[each.name, quantity_text(each.value, each.unit)] for each in mech.parameters]
    yield described_table("Parameters", {"parameter": "", "value": ""}, rows)
    rows = [[each.name, each.inertia.mass, list(each.inertia.com)] for each in mech.bodies]
    yield described_table("Bodies", {"body": "", "mass": "kg", "mass center": ""}, rows)
    all_joints = [(each, loop) for joints, loop in ((mech.joints, ""), (mech.loops, "loop")) for each in joints]
    rows = [[x.name, type(x.kind).__name__.lower(), x.parent, x.child, loop] for x, loop in all_joints]
    yield described_table("Joints", dict.fromkeys(("joint", "type", "parent", "child", ""), ""), rows)
