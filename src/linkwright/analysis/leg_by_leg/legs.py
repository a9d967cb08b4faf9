"""Which inputs and results of a machine's functions belong to which leg."""

from __future__ import annotations

from dataclasses import dataclass, replace

from linkwright.analysis.leg_by_leg.slices import CENTRE
from linkwright.compiler import Program
from linkwright.errors import ArgumentError
from linkwright.kernels import part_names
from linkwright.loops.closure import closure_of
from linkwright.mechanism import Floating, Joint, Mechanism
from linkwright.mechanism.tree import coordinate_slices, spanning_tree
from linkwright.model import Model
from linkwright.solve.springs import row_owners


@dataclass(frozen=True)
class Legs:
    """A platform and the groups of bodies that are left when it is taken away."""

    platform: str
    bodies: tuple[tuple[str, ...], ...]


def legs(mech: Mechanism) -> Legs:
    """The legs of a machine whose platform floats; refused when there are fewer than two.

    >>> from linkwright import catalog
    >>> len(legs(catalog.load("gough-stewart")).bodies)
    6
    """
    platform = _platform(mech)
    part = {name: name for name in mech.names if name != platform}
    for joint in (*mech.joints, *mech.loops):
        a, b = joint.parent, joint.child
        if a in part and b in part and part[a] != part[b]:
            old, new = part[b], part[a]
            part = {name: new if p == old else p for name, p in part.items()}
    groups = tuple(tuple(n for n in part if part[n] == p) for p in dict.fromkeys(part.values()))
    if len(groups) < 2:
        raise ArgumentError(f"mechanism '{mech.name}' has {len(groups)} legs; leg by leg takes two or more")
    return Legs(platform, groups)


def _platform(mech: Mechanism) -> str:
    """The body of the platform frame; it must hang on the base by a floating joint."""
    body = {frame.name: frame.body for frame in mech.frames}.get(mech.platform or "")
    carrier = next((j for j in mech.joints if j.child == body), None)
    if carrier is None or carrier.parent != mech.base or not isinstance(carrier.kind, Floating):
        raise ArgumentError(
            f"mechanism '{mech.name}' has no floating platform, so its legs wait for the one that carries it; take "
            "floated(model) instead"
        )
    return str(body)


def floated(model: Model) -> Mechanism:
    """The machine with its platform joined to the base by a floating joint and the joint that carried it as a loop.

    Speeds and coordinates of the result are others than those of the model; motions and efforts are the same.

    >>> import linkwright as lw
    >>> len(legs(floated(lw.build(lw.catalog.load("five-bar")))).bodies)
    2
    """
    mech = model.mechanism
    body = {frame.name: frame.body for frame in mech.frames}.get(mech.platform or "")
    carrier = next((j for j in mech.joints if j.child == body), None)
    if carrier is None:
        raise ArgumentError(
            f"mechanism '{mech.name}' names no platform that moves; add `platform: <frame>` to the file"
        )
    if isinstance(carrier.kind, Floating) and carrier.parent == mech.base:
        return mech
    q = model.assemble().q
    xyz, wxyz = model.frame_pose(q, str(body))
    free = Joint(f"{body} pose", mech.base, str(body), Floating())
    joints = tuple(j for j in mech.joints if j is not carrier)
    slices = coordinate_slices(mech.joints)
    home = tuple((j.name, tuple(map(float, q[slices[j.name][0]]))) for j in joints)
    pose = (free.name, tuple(map(float, (*xyz, *wxyz))))
    return replace(mech, joints=(*joints, free), loops=(*mech.loops, carrier), home=(*home, pose))


def input_legs(mech: Mechanism, program: Program, found: Legs) -> list[int]:
    """The leg of every input element of a program; what is not listed by joint, actuator or closure row is central."""
    by_port = _by_port(mech, found)
    return [leg for port in program.inputs for leg in _fitting(by_port.get(port.name, []), port.size)]


def _fitting(labels: list[int], size: int) -> list[int]:
    return labels if len(labels) == size else [CENTRE] * size


def result_legs(mech: Mechanism, program: Program, found: Legs) -> list[int]:
    """The leg of every result element: accelerations by joint, efforts by actuator, anything else to the centre."""
    efforts = "a" in {port.name for port in program.inputs}
    labels = _by_port(mech, found)["tau" if efforts else "a"]
    main = _fitting(labels, program.outputs[0].size)
    return main + [CENTRE] * (program.n_outputs - len(main))


def _by_port(mech: Mechanism, found: Legs) -> dict[str, list[int]]:
    leg = {name: i for i, group in enumerate(found.bodies) for name in group}
    joint_leg = {j.name: leg.get(j.child, leg.get(j.parent, CENTRE)) for j in (*mech.joints, *mech.loops)}
    q = [joint_leg[j.name] for j in mech.joints for _ in j.kind.q_parts]
    v = [joint_leg[j.name] for j in mech.joints for _ in j.kind.v_parts]
    assert len(v) == len(part_names(mech.joints, speeds=True))
    rows = [joint_leg.get(name, CENTRE) for name in row_owners(closure_of(mech, spanning_tree(mech)))]
    efforts = [joint_leg[a.joint] for a in mech.actuators]
    return {"q": q, "v": v, "a": v, "tau": efforts, "stiffness": rows, "damping": rows}
