"""A mechanism made ready for tracing: its trees, the driven speeds, and all this at recorded values of its inputs."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import fields, replace
from functools import cached_property
from typing import Any

import numpy as np

from linkwright.compiler import UnitVector
from linkwright.dataclass import dataclass, exact_text
from linkwright.errors import ArgumentError
from linkwright.functions.design_inputs import Inputs
from linkwright.functions.memo import Cache, class_source
from linkwright.loops.closure import Closure, DrivenVelocity, closure_of
from linkwright.mechanism.alignment import align_link_frames
from linkwright.mechanism.mechanism import Mechanism
from linkwright.mechanism.names import suggest_name
from linkwright.mechanism.parameterized_mechanism import ParameterizedMechanism, as_recorded
from linkwright.mechanism.records import Joint
from linkwright.mechanism.tree import (
    Tree,
    coordinate_slices,
    group_inertial_parameters,
    part_names,
    spanning_tree,
    tree_with_open_joints,
)
from linkwright.numerics.tolerances import QUATERNION_NORM


@dataclass(frozen=True, eq=False)
class Setup:
    """The first stage: a mechanism with its trees, closure equations and actuators.

    Attributes:
        mech: the mechanism.
        tree: its spanning tree as drawn; wrenches inside joints are right only here.
        simplified: an equivalent tree that costs fewer operations, for everything else.
        closure: the loops, written on the simplified tree, with the rows that are kept.
        actuated: names of the driven speeds; `drives` says where they are.
        alternative_trees: whether results may be computed on another spanning tree than the file's.
        inputs: numbers that stay inputs of the compiled code, and the values it is called at; None without any. Trees
            and closure are those of the nominal values.
        opened: whether joints outside the tree may be open, as virtual springs leave them.
    """

    mech: Mechanism
    tree: Tree
    simplified: Tree
    closure: Closure
    actuated: tuple[str, ...]
    drives: tuple[DrivenVelocity, ...]
    grouping: bool = True
    alternative_trees: bool = True
    inputs: Inputs | None = None
    opened: bool = False

    @property
    def base(self) -> None:
        return None

    @property
    def setup(self) -> Setup:
        return self

    def on(self, setup: Setup) -> Setup:
        """The given setup: what the stages above do with theirs."""
        return setup

    def at(self, values: np.ndarray) -> Setup:
        """The setup called at other values of its inputs."""
        return replace(self, inputs=None if self.inputs is None else self.inputs.at(values))

    @property
    def p(self) -> np.ndarray | None:
        """Values of the inputs, (n_p,) or (..., n_p); None without inputs."""
        return None if self.inputs is None else self.inputs.values

    @property
    def p_axes(self) -> tuple[int, ...]:
        """Leading axes of the values of the inputs, which batches broadcast with; () for one set of values."""
        return () if self.inputs is None else self.inputs.values.shape[:-1]

    def p_over(self, lead: tuple[int, ...]) -> np.ndarray | None:
        """Values of the inputs for every row of a batch, (*lead, n_p); None where all rows have the same."""
        if self.inputs is None or not self.p_axes:
            return None
        return np.broadcast_to(self.inputs.values, (*lead, self.inputs.values.shape[-1]))

    def require_one_p(self) -> None:
        """Refuse several sets of values of the inputs."""
        if self.inputs is not None:
            self.inputs.require_one()

    def with_p(self, constants: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
        """Constant arguments of compiled code, with the values of the inputs as p where there are some."""
        return constants if self.inputs is None else constants | {"p": self.inputs.values}

    @cached_property
    def identity(self) -> str:
        """A hash of everything that decides what is traced."""
        flipped = (self.closure.flipped, self.closure.released) if any(self.closure.released) else self.closure.flipped
        given = () if self.inputs is None else (self.inputs.source.names, self.inputs.source.formulas)
        parts = (self.mech, self.actuated, self.grouping, self.closure.kept, flipped, self.opened, given)
        text = exact_text(parts) + "".join(sorted({class_source(type(force)) for force in self.mech.forces}))
        return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()

    @cached_property
    def cache(self) -> Cache:
        """What else was found out about the mechanism at these numbers."""
        return Cache()

    @cached_property
    def units(self) -> tuple[UnitVector, ...]:
        """The quaternions in q, each by the name of its joint."""
        turning = [link for link in self.tree.links if link.kind.has_quaternion]
        return tuple(
            normalized_quaternion_argument(link.coords.stop - 4, f"quaternion of joint '{link.joint}'")
            for link in turning
        )

    def sizes(self) -> dict[str, tuple[int, ...]]:
        """Shapes of the arguments functions take, by name."""
        nq, nv, na = (self.tree.nq,), (self.tree.nv,), (len(self.drives),)
        states: dict[str, tuple[int, ...]] = {"q": nq, "q1": nq, "v": nv, "a": nv, "dv": nv, "force": nv, "tau": na}
        states |= {"pull": (1,), "h": (1,)}
        w_ext = {"w_ext": (len(self.tree.links), 6)}
        return states | w_ext | {"lam": (self.closure.n_all,), "gap": (self.closure.n_rows,)}


def normalized_quaternion_argument(start: int, name: str) -> UnitVector:
    """A quaternion w x y z in an argument; its norm is divided out where it is nearly 1, and refused elsewhere."""
    return UnitVector(start, 4, name, QUATERNION_NORM)


def setup(
    mech: Mechanism,
    actuated: tuple[str, ...] | None,
    grouping: bool = True,
    alternative_trees: bool = True,
    inputs: Inputs | None = None,
) -> Setup:
    """Trees and actuators of a mechanism."""
    tree = spanning_tree(mech)
    simplified = group_inertial_parameters(align_link_frames(tree)) if grouping else align_link_frames(tree)
    names, drives = _driven_velocities(mech, actuated)
    return Setup(
        mech,
        tree,
        simplified,
        closure_of(mech, simplified),
        names,
        drives,
        grouping,
        alternative_trees=alternative_trees,
        inputs=inputs,
    )


def _driven_velocities(
    mech: Mechanism, actuated: tuple[str, ...] | None
) -> tuple[tuple[str, ...], tuple[DrivenVelocity, ...]]:
    """Names and places of the driven speeds."""
    known = drivable_names(mech)
    if actuated is None and not mech.actuators:
        wanted = () if mech.loops or mech.couplings else part_names(_rigid_joints(mech), speeds=True)
    else:
        wanted = tuple(a.name for a in mech.actuators) if actuated is None else actuated
    for name in wanted:
        if name not in known:
            raise ArgumentError(
                f"actuated names '{name}', which is not an actuator or joint velocity{suggest_name(name, known)}"
            )
    drives = tuple(known[name] for name in wanted)
    if len(set(drives)) < len(drives):
        raise ArgumentError(f"actuated names the same speed twice: {list(wanted)}; name each once")
    return wanted, drives


def _rigid_joints(mech: Mechanism) -> tuple[Joint, ...]:
    """Joints that a drive can act on: all but those of bending beams."""
    return tuple(joint for joint in mech.joints if not joint.kind.is_of_beam)


def drivable_names(mech: Mechanism) -> dict[str, DrivenVelocity]:
    """Everything that can be named in `actuated`: actuators, joints with one speed, and single speeds, cut or not."""
    slices = coordinate_slices(mech.joints)
    by_joint = {
        joint.name: [DrivenVelocity(d) for d in range(slices[joint.name][1].start, slices[joint.name][1].stop)]
        for joint in _rigid_joints(mech)
    }
    for index, loop in enumerate(mech.loops):
        by_joint[loop.name] = [DrivenVelocity(None, index, part) for part in range(loop.kind.nv)]
    known: dict[str, DrivenVelocity] = {}
    for joint in (*_rigid_joints(mech), *mech.loops):
        known |= dict(zip(part_names((joint,), speeds=True), by_joint[joint.name], strict=True))
    return known | {a.name: by_joint[a.joint][a.dof] for a in mech.actuators}


def setup_here(s: Setup) -> Setup:
    """The setup with the numbers of the values it is called at: itself at the nominal ones."""
    if s.inputs is None or s.inputs.given is None:
        return s
    s.inputs.require_one()
    return setup_at(s, s.inputs.source, s.inputs.values.tolist())


def setup_at(s: Setup, p: ParameterizedMechanism, values: Sequence[Any]) -> Setup:
    """The setup of a mechanism at other values of its inputs, with the rows and sides of the nominal one.

    Called inside a trace with recorded values it gives programs with the inputs as an argument.
    """
    mech = p.at(values)
    tree = tree_with_open_joints(spanning_tree(mech)) if s.opened else spanning_tree(mech)
    simplified = group_inertial_parameters(align_link_frames(tree)) if s.grouping else align_link_frames(tree)
    closure = closure_of(mech, simplified, s.closure.flipped, s.closure.released)
    return replace(
        s,
        mech=mech.replace_unchecked(**{each.name: as_recorded(getattr(mech, each.name)) for each in fields(mech)}),
        tree=as_recorded(tree),
        simplified=as_recorded(simplified),
        closure=as_recorded(replace(closure, kept=s.closure.kept)),
    )
