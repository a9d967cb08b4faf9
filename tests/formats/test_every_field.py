"""Every field of a mechanism's records through every writer: it reads back as it was, or a finding lists it."""

import dataclasses
import math
from functools import cache

import pytest

from linkwright.algebra.transforms import RigidTransform
from linkwright.forces import Friction, Spring, Strut
from linkwright.formats import from_mjcf, from_sdf, from_urdf, to_mjcf, to_sdf, to_urdf
from linkwright.joints import Fixed, Prismatic, Revolute, Spherical
from linkwright.mechanism import Actuator, Body, Box, Coupling, Frame, Inertia, Joint, Limits, Mechanism, Shape

WRITERS = {"urdf": (to_urdf, from_urdf), "mjcf": (to_mjcf, from_mjcf), "sdf": (to_sdf, from_sdf)}
TENSOR = ((0.4, 0.01, 0.0), (0.01, 0.5, 0.02), (0.0, 0.02, 0.6))
AT = RigidTransform((0.5, 0.25, 0.125))


def plain() -> Mechanism:
    """An arm with every kind of part, all fields at their defaults as far as there are such."""
    bodies = tuple(Body(name, Inertia(1.0, (0.1, 0.02, 0.03), TENSOR)) for name in ("one", "two", "three"))
    joints = (
        Joint("a", "world", "one", Revolute()),
        Joint("b", "one", "two", Prismatic(), limits=Limits((-1.0,), (1.0,), (2.0,), (3.0,))),
        Joint("welded", "two", "plate", Fixed(), RigidTransform((0.125, 0.0, 0.0))),
        Joint("c", "two", "three", Revolute()),
    )
    return Mechanism(
        "arm",
        (*bodies, Body("plate")),
        joints,
        (Joint("close", "three", "world", Spherical()),),
        (Coupling("gear", (("a", 1.0), ("c", -2.0))),),
        (Strut("spring", "world", "two", (0.0, 1.0, 0.0), (0.5, 0.0, 0.0), 30.0),),
        (Frame("tool", "three"),),
        (Actuator("motor", "b", effort=3.0),),
        base="world",
    )


def first(section, field, value, i=0):
    return (section, i, *field.split(".")), value


# For every field of every record: where it is, and a value that is not its default.
CASES = {
    (Mechanism, "name"): [(("name",), "robot")],
    (Mechanism, "platform"): [(("platform",), "tool")],
    (Mechanism, "base"): [(("base",), "ground")],
    (Mechanism, "base_shapes"): [(("base_shapes",), (Shape(Box((0.1, 0.2, 0.3)), AT),))],
    (Mechanism, "base_inertia"): [(("base_inertia",), Inertia(2.0, (0.1, 0.0, 0.0), TENSOR))],
    (Mechanism, "gravity"): [(("gravity",), (0.0, -1.0, -9.0))],
    (Mechanism, "home"): [(("home",), (("a", (0.25,)), ("c", (0.125,))))],
    (Mechanism, "source"): [(("source",), "somewhere")],
    (Mechanism, "license"): [(("license",), "MIT")],
    (Mechanism, "open_loops"): [(("open_loops",), (Joint("latch", "three", "one", Spherical(), AT),))],
    (Body, "inertia"): [
        first("bodies", "inertia", Inertia(0.0, (0.0, 0.0, 0.0), ((0.1, 0, 0), (0, 0.2, 0), (0, 0, 0.25))), i=3),
        first("bodies", "inertia", Inertia(0.5), i=3),
    ],
    (Body, "shapes"): [first("bodies", "shapes", (Shape(Box((0.1, 0.2, 0.3)), AT, "#102030"),))],
    (Body, "gravity_compensation"): [first("bodies", "gravity_compensation", x) for x in (0.5, 1.0)],
    (Inertia, "mass"): [first("bodies", "inertia.mass", 2.5)],
    (Inertia, "com"): [first("bodies", "inertia.com", (0.5, -0.25, 0.125))],
    (Inertia, "tensor"): [first("bodies", "inertia.tensor", ((0.7, 0.0, 0.0), (0.0, 0.8, 0.05), (0.0, 0.05, 0.9)))],
    (Joint, "at"): [first("joints", "at", AT), first("loops", "at", AT)],
    (Joint, "child_at"): [first("joints", "child_at", AT), first("loops", "child_at", AT)],
    (Joint, "limits"): [
        first(section, "limits", limits)
        for section, limits in (
            ("joints", Limits((-1.0,), (1.5,))),
            ("joints", Limits(speed=(3.0,))),
            ("joints", Limits(effort=(7.0,))),
            ("joints", Limits((-1.0,), (1.5,), (3.0,), (7.0,))),
            ("loops", Limits(cone=1.0)),
        )
    ],
    (Joint, "spring"): [
        *(first("joints", "spring", Spring((5.0,), rest)) for rest in ((), (0.25,))),
    ],
    (Joint, "friction"): [
        *(first("joints", "friction", Friction(*x)) for x in (((0.5,),), ((), (0.3,)), ((0.5,), (0.3,)))),
        first("joints", "friction", Friction((), (0.3,), 0.02)),
        first("loops", "friction", Friction((1.0, 1.0, 1.0))),
    ],
    (Joint, "armature"): [first("joints", "armature", (0.25,)), first("loops", "armature", (0.1, 0.1, 0.1))],
    (Strut, "at"): [first("forces", "at", (0.25, 0.5, 0.125))],
    (Strut, "child_at"): [first("forces", "child_at", (0.25, 0.5, 0.125))],
    (Strut, "stiffness"): [first("forces", "stiffness", 50.0)],
    (Strut, "length"): [first("forces", "length", 0.5)],
    (Strut, "damping"): [first("forces", "damping", 2.0)],
    (Coupling, "terms"): [
        first("couplings", "terms", (("a", 1.0), ("c", 3.0))),
        first("couplings", "terms", (("a", 1.0), ("b", 0.5), ("c", 3.0))),
    ],
    (Coupling, "offset"): [first("couplings", "offset", 0.125)],
    (Coupling, "curves"): [first("couplings", "curves", (("a", (-1.0, 0.5)),))],
    (Actuator, "gear"): [first("actuators", "gear", 3.0)],
    (Actuator, "rotor_inertia"): [first("actuators", "rotor_inertia", 0.01)],
    (Actuator, "friction"): [first("actuators", "friction", x) for x in (Friction((0.1,)), Friction((), (0.2,), 0.03))],
    (Actuator, "effort"): [first("actuators", "effort", x) for x in (None, 2.0)],
    (Actuator, "speed"): [first("actuators", "speed", 1.5)],
    (Frame, "pose"): [first("frames", "pose", AT)],
    (Shape, "pose"): [first("bodies", "shapes", (Shape(Box((0.1, 0.2, 0.3)), AT),))],
    (Shape, "color"): [first("bodies", "shapes", (Shape(Box((0.1, 0.2, 0.3)), AT, "#10203040"),))],
    (Limits, "cone"): [first("loops", "limits", Limits(cone=1.0))],
    (Friction, "slip"): [first("joints", "friction", Friction((0.25,), (0.5,), 0.5))],
}
# Names and references, which all other cases use; kinds and solids, which have laws of their own; parts themselves.
ELSEWHERE = {
    Mechanism: "bodies joints loops couplings forces frames actuators formulas",
    Body: "name",
    Joint: "name parent child kind reversed",
    Limits: "lower upper speed effort",
    Spring: "stiffness rest",
    Friction: "viscous coulomb",
    Strut: "name parent child",
    Coupling: "name",
    Actuator: "name joint dof",
    Frame: "name body",
    Shape: "solid",
}


def test_every_field_has_a_case():
    records = (Mechanism, Body, Inertia, Joint, Limits, Spring, Friction, Strut, Coupling, Actuator, Frame, Shape)
    known = {(kind, name) for kind, names in ELSEWHERE.items() for name in names.split()} | set(CASES)
    assert known == {(kind, each.name) for kind in records for each in dataclasses.fields(kind)}


def at(record, path):
    for key in path:
        record = record[key] if isinstance(key, int) else getattr(record, key)
    return record


def replaced(record, path, value):
    key, *rest = path
    if isinstance(key, int):
        return (*record[:key], replaced(record[key], rest, value) if rest else value, *record[key + 1 :])
    return dataclasses.replace(record, **{key: replaced(getattr(record, key), rest, value) if rest else value})


def with_value(path, value):
    mech = plain()
    if path == ("base",):
        renamed = {"parent": value}
        joints = (dataclasses.replace(mech.joints[0], **renamed), *mech.joints[1:])
        loops = (dataclasses.replace(mech.loops[0], child=value),)
        return dataclasses.replace(
            mech, base=value, joints=joints, loops=loops, forces=(dataclasses.replace(mech.forces[0], parent=value),)
        )
    return replaced(mech, path, value)


def equal(one, other):
    """Equal values; zeros that are written out and those left out are equal, and so are no color and MuJoCo's gray."""
    if isinstance(one, float | int) and isinstance(other, float | int):
        return math.isclose(one, other, rel_tol=1e-9, abs_tol=2e-12)
    if isinstance(one, RigidTransform):
        return (
            isinstance(other, RigidTransform)
            and abs((one.inverse @ other).R - RigidTransform().R).max() < 1e-9
            and (abs(one.r - other.r).max() < 1e-9)
        )
    if dataclasses.is_dataclass(one) and type(one) is type(other):
        return all(_same_field(one, other, each.name) for each in dataclasses.fields(one))
    if isinstance(one, tuple) and isinstance(other, tuple):
        return len(one) == len(other) and all(map(equal, one, other))
    return one == other


def _same_field(one, other, name):
    a, b = getattr(one, name), getattr(other, name)
    if name == "color" and (a, b) == (None, "#808080"):
        return True
    zeros = isinstance(a, tuple) and isinstance(b, tuple) and not any(a or b) and name != "lower" and name != "upper"
    return zeros or equal(a, b)


def found_again(mech, original, path):
    """The value at a path in a mechanism that was read, whose parts may have another order and other names."""
    section, *rest = path
    if not rest:
        return getattr(mech, section)
    part, *field = rest
    name = getattr(original, section)[part].name
    parts = [*mech.joints, *mech.loops] if section in ("joints", "loops") else getattr(mech, section)
    if section in ("forces", "couplings", "actuators"):
        name = parts[0].name if parts else name  # there is one
    matching = [each for each in parts if each.name == name]
    if section == "frames" and not matching:  # a link on a fixed joint
        return next(joint.at for joint in mech.joints if joint.child == name)
    if section == "couplings" and matching:
        (a, x), *others = sorted(matching[0].terms)
        factor = dict(original.couplings[0].terms)[a] / x
        terms = tuple((joint, ratio * factor) for joint, ratio in ((a, x), *others))
        curves = tuple((joint, tuple(y * factor for y in ys if y)) for joint, ys in matching[0].curves)
        scaled = Coupling(name, terms, matching[0].offset * factor, curves)
        return at(scaled, field)
    return at(matching[0], field) if matching else None


@cache
def plain_losses(ending):
    return frozenset(str(loss) for loss in WRITERS[ending][0](plain()).losses)


LISTED = [(path, value) for cases in CASES.values() for path, value in cases]


@pytest.mark.parametrize("ending", WRITERS)
@pytest.mark.parametrize(("path", "value"), LISTED, ids=[".".join(map(str, path)) for path, _ in LISTED])
def test_a_field_is_written_and_read_back_or_listed(ending, path, value):
    write, read = WRITERS[ending]
    if ending == "mjcf":
        pytest.importorskip("mujoco", reason="mujoco is not installed")
    mech = with_value(path, value)
    made = write(mech)
    if {str(loss) for loss in made.losses} - plain_losses(ending):
        return
    again = found_again(read(made.text).mechanism, mech, path)
    assert equal(at(mech, path), again), f"{again} was read, and nothing listed"


@pytest.mark.parametrize("ending", WRITERS)
def test_the_plain_mechanism_loses_nothing_that_matters(ending):
    """Otherwise a loss of one field could hide behind that of another."""
    assert not [loss for loss in WRITERS[ending][0](plain()).losses if loss.matters]
