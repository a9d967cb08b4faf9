"""The whole mechanism, checked as it is made, on a fixed or a floating base."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from linkwright.algebra.transforms import IDENTITY, RigidTransform
from linkwright.checks import require_text
from linkwright.dataclass import dataclass
from linkwright.errors import ArgumentError
from linkwright.joints import Fixed, Floating
from linkwright.lazy import function_at_path
from linkwright.mechanism import parameters
from linkwright.mechanism.parameters import Parameter
from linkwright.mechanism.paths import Quantity, unknown_path_error
from linkwright.mechanism.records import Body, Inertia, Joint, Parts
from linkwright.mechanism.validation import require_sound
from linkwright.readable_text import Description, Printable, RecordTable, TextTable, described_table, quantity_text

# --- the whole mechanism, checked as it is made -----------------------------------------------------------------------


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
        return RecordTable(parameters.parameters_of_mechanism(self))

    @property
    def numbers(self) -> dict[str, Quantity]:
        """Every number by its path, such as `bodies.crank.mass` or `joints.B.at.x`, with its SI unit."""
        return parameters.numbers_by_path(self)

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
        return parameters.with_values(self, values)


# --- what a mechanism says of itself ----------------------------------------------------------------------------------


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


# --- A robot on the floor or free in space: the same mechanism with a fixed or a floating base ------------------------

BASES = ("fixed", "floating")
FLOATING_JOINT = "floating_base"


def with_floating_base(mech: Mechanism) -> Mechanism:
    """The mechanism whose base is a body that floats in a world; unchanged if all that it carries floats already.

    The base keeps its name, and gets its inertia and shapes; the floating joint comes first, so that q begins with the
    base's position and quaternion.

    >>> from linkwright import catalog
    >>> free = with_floating_base(catalog.load("three-link-arm"))
    >>> free.base, free.joints[0].name, free.names[0]
    ('world', 'floating_base', 'ground')
    """
    carried = [joint for joint in mech.joints if joint.parent == mech.base]
    if carried and all(joint.kind.floats for joint in carried):
        return mech
    taken = {mech.base, *mech.names, *(frame.name for frame in mech.frames)}
    world = next(name for name in ("world", "universe", *(f"world{i}" for i in range(len(taken)))) if name not in taken)
    named = {joint.name for joint in (*mech.joints, *mech.loops, *mech.open_loops)}
    joint = next(n for n in (FLOATING_JOINT, *(f"{FLOATING_JOINT}{i}" for i in range(len(named)))) if n not in named)
    return replace(
        mech,
        bodies=(Body(mech.base, mech.base_inertia, mech.base_shapes), *mech.bodies),
        joints=(Joint(joint, world, mech.base, Floating()), *mech.joints),
        base=world,
        base_inertia=Inertia(),
        base_shapes=(),
    )


def with_fixed_base(mech: Mechanism) -> Mechanism:
    """The mechanism whose floating bodies stand still where its home has them; unchanged if none floats on the base."""
    home = dict(mech.home)
    floating = [joint for joint in mech.joints if joint.parent == mech.base and joint.kind.floats]
    held = {
        joint.name: replace(joint, kind=Fixed(), at=joint.at @ _floating_joint_pose(home.get(joint.name)))
        for joint in floating
    }
    plain = {name: Joint(name, j.parent, j.child, j.kind, j.at, j.child_at) for name, j in held.items()}
    return replace(
        mech,
        joints=tuple(plain.get(joint.name, joint) for joint in mech.joints),
        home=tuple((name, values) for name, values in mech.home if name not in plain),
        actuators=tuple(actuator for actuator in mech.actuators if actuator.joint not in plain),
    )


def _floating_joint_pose(values: tuple[float, ...] | None) -> RigidTransform:
    """Relative pose of a floating joint at its coordinates."""
    return IDENTITY if values is None else RigidTransform.from_quaternion(np.array(values[:3]), values[3:])


def require_mechanism(function: str, given: Any) -> Mechanism:
    """The argument of a function that takes a mechanism; a model is refused with its mechanism as the way out."""
    if isinstance(given, Mechanism):
        return given
    has_one = isinstance(getattr(given, "mechanism", None), Mechanism)
    way_out = "give its mechanism, model.mechanism" if has_one else "read a file with linkwright.load first"
    raise ArgumentError(f"{function} takes a Mechanism, found {type(given).__name__}; {way_out}")
