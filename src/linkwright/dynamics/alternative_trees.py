"""Choice of the spanning tree for computing: the file's, or one with the platform floating where that is cheaper.

The public coordinates stay those of the file. A platform that the file hangs on one of its legs is also planned as a
floating body with every leg cut, and the exact operations of both decide.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from linkwright import joints as kinds
from linkwright.algebra import rotations
from linkwright.compiler import evaluate, operation_count
from linkwright.dataclass import dataclass
from linkwright.dynamics.dynamics import Dynamics
from linkwright.functions.definition import Definition
from linkwright.functions.loop import alternative_tree_functions, multiplier_functions
from linkwright.functions.memo import memo
from linkwright.functions.setup import Setup, setup
from linkwright.functions.stages import AlternativeTreePlan, InverseDynamicsPlan
from linkwright.functions.store import Kernels
from linkwright.functions.tree import tree_functions
from linkwright.kinematics.kinematics import Kinematics
from linkwright.mechanism.mechanism import Mechanism
from linkwright.mechanism.records import Joint
from linkwright.mechanism.topology import as_drawn
from linkwright.mechanism.tree import coordinate_slices

# Another cut is used inside when it costs less than this share of the file's.
WORTH = 0.95

# Legs a platform needs: below, a floating body never was cheaper.
_LEGS = 3


def carrying_joint(drawn: Setup) -> Joint | None:
    """The joint that carries a platform of at least three legs in the file, if it could be cut as well and may be.

    It is a spherical or universal joint without spring, friction or drive, all loops close at points, and no force,
    beam or coupling looks at velocities that the floating platform leaves out.
    """
    mech = drawn.mech
    if drawn.inputs is not None:  # numbers of the other cut would need paths of their own
        return None
    simple = not (mech.couplings or mech.forces) and all(j.kind.keeps_origin for j in mech.loops)
    beams = any(j.kind.is_of_beam for j in mech.joints)
    if not simple or beams or not mech.loops or not drawn.alternative_trees:
        return None
    held = {name: sum(name in (j.parent, j.child) for j in mech.loops) for name in mech.names}
    body = max(held, key=lambda name: held[name])
    (joint,) = (j for j in mech.joints if j.child == body)
    driven = {a.joint for a in mech.actuators} | {name.split(".")[0] for name in drawn.actuated}
    free = joint.spring is None and joint.friction is None and not any(joint.armature) and joint.name not in driven
    turns = joint.kind.turns_about_point or joint.kind.turns_about_two_axes
    hangs = turns and joint.parent != mech.base and joint != mech.joints[0]
    return joint if held[body] >= _LEGS - 1 and free and hangs else None


@dataclass(frozen=True, eq=False)
class TreeChoice:
    """Solver of a function: kernels and the definition of their program, with the joint that is cut inside as well.

    `operations` are those of the file's cut and of the other one, () where there is no other; `inside` names the joint
    and the body that floats, None for the file's cut.
    """

    kernels: Kernels
    definition: Definition
    operations: tuple[int, ...] = ()
    inside: tuple[str, str] | None = None

    def at(self, values: np.ndarray) -> TreeChoice:
        """The same at other values of the mechanism's inputs."""
        return replace(self, kernels=self.kernels.at(values))

    @property
    def description(self) -> str:
        """Description of the cut that is used inside, with the reason."""
        if not self.operations:
            return (
                "the cut of the file is the one computed with: no platform hangs on a leg by a joint that could be cut"
            )
        drawn, other = self.operations
        if self.inside is None:
            return (
                f"the cut of the file is the one computed with: {drawn} operations, {other} with the platform floating"
            )
        joint, body = self.inside
        return (
            f"inside, '{body}' floats and joint '{joint}' is cut too: {other} operations instead of {drawn}; "
            "coordinates, speeds and accelerations stay those of the file"
        )


@memo(valid_at="all")
def forward_solver(dynamics: Dynamics) -> TreeChoice:
    """Solver of forward dynamics."""
    pair = multiplier_functions.checked_forward_dynamics, alternative_tree_functions.checked_alternative_dynamics
    return _cheaper_tree(dynamics, *pair)


@memo(valid_at="all")
def effort_solver(dynamics: Dynamics) -> TreeChoice:
    """Solver of the efforts of as many actuators as freedoms."""
    pair = multiplier_functions.checked_efforts, alternative_tree_functions.checked_alternative_efforts
    return _cheaper_tree(dynamics, *pair)


def _cheaper_tree(dynamics: Dynamics, drawn: Definition, inside: Definition) -> TreeChoice:
    plain = _kernels_for_definition(dynamics, drawn)
    joint = carrying_joint(dynamics.setup)
    if joint is None:
        return TreeChoice(plain, drawn)
    inner: Any = _kernels_for_definition(floating_platform_dynamics(dynamics), drawn).stage
    other = Kernels(AlternativeTreePlan(plain.setup, inner))
    counts = _operations_of(dynamics, drawn, inside, other.stage)
    if counts[1] < WORTH * counts[0]:
        return TreeChoice(other, inside, counts, (joint.name, joint.child))
    return TreeChoice(plain, drawn, counts)


@memo(on_disk="operations of two trees")
def _operations_of(
    dynamics: Dynamics, drawn: Definition, inside: Definition, other: AlternativeTreePlan
) -> tuple[int, int]:
    """Operations of a definition on the file's tree, and of the other one on the other tree."""
    plain, platform_floating = _kernels_for_definition(dynamics, drawn).program(drawn), Kernels(other).program(inside)
    return operation_count(plain).total, operation_count(platform_floating).total


def _kernels_for_definition(dynamics: Dynamics, definition: Definition) -> Kernels:
    return dynamics.actuated if definition.stage is InverseDynamicsPlan else dynamics.kernels


@memo()
def floating_platform_dynamics(dynamics: Dynamics) -> Dynamics:
    """The mechanism with its platform floating from the same home pose and the joint that carries it cut."""
    drawn, joint = dynamics.setup, carrying_joint(dynamics.setup)
    assert joint is not None
    free = Joint(_fresh_name(drawn.mech, joint.child), drawn.mech.base, joint.child, kinds.Floating())
    joints = tuple(free if j is joint else j for j in drawn.mech.joints)
    values = _inner_home(dynamics.kinematics, joint.name)
    home, start = [], 0
    for j in joints:
        home.append((j.name, tuple(values[start : start + j.kind.nq])))
        start += j.kind.nq
    mech = replace(drawn.mech, joints=joints, loops=(*drawn.mech.loops, as_drawn(joint)), home=tuple(home))
    return Dynamics(Kinematics(Kernels(setup(mech, drawn.actuated, drawn.grouping))))


@memo(on_disk="inner home")
def _inner_home(kinematics: Kinematics, joint_name: str) -> list[float]:
    """Coordinates of the closed home pose, those of the carrying joint replaced by the platform's pose."""
    mech, q = kinematics.setup.mech, kinematics.home.tolist()
    joint = next(j for j in mech.joints if j.name == joint_name)
    row = evaluate(kinematics.all_rows.program(tree_functions.body_poses), kinematics.home[None, :])[0][
        mech.names.index(joint.child)
    ]
    coords, _ = coordinate_slices(mech.joints)[joint.name]
    q[coords] = [*row[:3].tolist(), *rotations.from_matrix(row[3:].reshape(3, 3)).tolist()]
    return q


def _fresh_name(mech: Mechanism, body: str) -> str:
    taken, name = {j.name for j in (*mech.joints, *mech.loops)}, f"{body}_pose"
    while name in taken:
        name += "_"
    return name
