"""A mechanism made ready for tracing: its trees, and which speeds its actuators drive."""

from __future__ import annotations

from dataclasses import dataclass

from linkwright.errors import ArgumentError
from linkwright.mechanism import joints as kinds
from linkwright.mechanism.alignment import aligned
from linkwright.mechanism.grouping import grouped
from linkwright.mechanism.mechanism import Mechanism
from linkwright.mechanism.names import suggestion
from linkwright.mechanism.records import Joint
from linkwright.mechanism.tree import Tree, coordinate_slices, spanning_tree


@dataclass(frozen=True, eq=False)
class Setup:
    """What recipes work on.

    Attributes:
        mech: the machine.
        tree: its spanning tree as drawn; wrenches inside joints are right only here.
        lean: an equivalent tree that costs fewer operations, for everything else.
        actuated: names of the driven speeds; `drives` are their places in v.
    """

    mech: Mechanism
    tree: Tree
    lean: Tree
    actuated: tuple[str, ...]
    drives: tuple[int, ...]

    def sizes(self) -> dict[str, tuple[int, ...]]:
        """Shapes of the arguments recipes take, by name."""
        nq, nv, na = (self.tree.nq,), (self.tree.nv,), (len(self.drives),)
        wrenches = (len(self.tree.links), 6)
        return {"q": nq, "v": nv, "a": nv, "force": nv, "tau": na, "w_ext": wrenches}


def setup(mech: Mechanism, actuated: tuple[str, ...] | None, grouping: bool = True) -> Setup:
    """Trees and actuators of a mechanism."""
    tree = spanning_tree(mech)
    lean = grouped(aligned(tree)) if grouping else aligned(tree)
    names, drives = _drives(mech, actuated)
    return Setup(mech, tree, lean, names, drives)


def part_names(joints: tuple[Joint, ...], speeds: bool) -> tuple[str, ...]:
    """A name for every coordinate or speed: the joint's, with the part's behind a dot when there are several."""
    out: list[str] = []
    for joint in joints:
        parts = joint.kind.v_parts if speeds else joint.kind.q_parts
        out += [joint.name] if len(parts) == 1 else [f"{joint.name}.{part}" for part in parts]
    return tuple(out)


def _drives(mech: Mechanism, actuated: tuple[str, ...] | None) -> tuple[tuple[str, ...], tuple[int, ...]]:
    """Names and places in v of the driven speeds."""
    speeds = part_names(mech.joints, speeds=True)
    if actuated is None and not mech.actuators:
        return speeds, tuple(range(len(speeds)))
    slices = coordinate_slices(mech.joints)
    by_name = {a.name: (a.name, slices[a.joint][1].start + a.dof) for a in mech.actuators if a.joint in slices}
    by_speed = {name: (name, d) for d, name in enumerate(speeds)}
    single = {j.name: (j.name, slices[j.name][1].start) for j in mech.joints if kinds.nv(j.kind) == 1}
    known = by_speed | single | by_name
    wanted = tuple(a.name for a in mech.actuators) if actuated is None else actuated
    for name in wanted:
        if name not in known:
            raise ArgumentError(
                f"actuated names '{name}', which is no actuator or joint speed{suggestion(name, known)}"
            )
    drives = tuple(known[name][1] for name in wanted)
    if len(set(drives)) < len(drives):
        raise ArgumentError(f"actuated names the same speed twice: {list(wanted)}; name each once")
    return wanted, drives
