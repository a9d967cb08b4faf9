"""Force elements at joints by virtual power, as the second method finds them (any scalar).

Every speed of a joint, cut or not, is a row s on the tree's speeds: a force f along it has the power f s v, so it acts
as s^T f, and a rotor adds its inertia times s^T s. The first method places wrenches on bodies instead
(`recursion.cut_joints`); the two share the elements and no line that places their forces.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwright.algebra.vectors import Mat, Vec
from linkwright.dataclass import dataclass
from linkwright.joints.motion_terms import RelativePose
from linkwright.loops.closure import Closure, DrivenVelocity, actuation_matrix, closed_relative_poses
from linkwright.loops.cut_joints import Loop
from linkwright.mechanism.tree import CutJoint, Tree


@dataclass(frozen=True, eq=False)
class Resistance:
    """Resistance of force elements at joints: forces h (nv,) at zero acceleration, inertia M (nv, nv)."""

    h: Vec
    M: Mat


def cut_speeds(closure: Closure) -> list[tuple[int, int]]:
    """Per speed of the cut joints that carry something the loop's number and the speed's number in its joint."""
    names = [loop.name for loop in closure.loops]
    return [(names.index(cut.name), k) for cut in closure.tree.cut_joints for k in range(cut.kind.nv)]


def cut_speed_rows(closure: Closure, q: Vec) -> Mat:
    """Rows S with the cut joints' speeds = S v, (n, nv)."""
    return actuation_matrix(closure, tuple(DrivenVelocity(None, loop, k) for loop, k in cut_speeds(closure)), q).T


def resistance_of_joints(tree: Tree, closure: Closure, q: Vec, v: Vec, S: Mat, drift: Vec) -> Resistance:
    """The resistance of all joints; `S` as from `cut_speed_rows`, `drift` = S_dot v, (n,)."""
    forces, rotors = cut_forces(tree, closure, q, S @ v, drift)
    h = S.T @ forces + passive_tree_forces(tree, q, v)
    n = range(tree.nv)
    outside = [[sum(r * (s[i] * s[j]) for r, s in zip(rotors, S, strict=True)) for j in n] for i in n]
    return Resistance(h, np.diag(tree.rotors) + np.array(outside))


def cut_forces(tree: Tree, closure: Closure, q: Vec, rates: Vec, accelerations: Vec) -> tuple[Vec, Vec]:
    """Forces along the cut joints' speeds (n,) at some rates and accelerations, and the rotors there (n,)."""
    pairs, start = closed_relative_poses(closure, q), 0
    forces, rotors = [], []
    for cut in tree.cut_joints:
        loop, pose = next(pair for pair in pairs if pair[0].name == cut.name)
        own = slice(start, start + cut.kind.nv)
        forces += joint_resistance(loop, pose, cut, rates[own], accelerations[own])
        rotors += cut.rotors.tolist()
        start = own.stop
    return np.array(forces), np.array(rotors)


def joint_resistance(loop: Loop, pose: RelativePose, cut: CutJoint, rates: Any, accelerations: Any) -> list[Any]:
    """Forces of elements along the velocities of one cut joint at its rates and accelerations."""
    Q, d = (pose.Q.T, -(pose.Q.T @ pose.d)) if loop.flipped else (pose.Q, pose.d)
    kind = loop.kind
    coordinates = kind.coordinates_from_pose(Q, d) if kind.nq == kind.nv else None
    out = [rotor * second for rotor, second in zip(cut.rotors, accelerations, strict=True)]
    for element in cut.forces:
        k = element.part
        x = 0.0 if coordinates is None else coordinates[k] - element.rest
        if coordinates is not None and kind.coordinates[k].is_wrapped_angle:
            x = np.arctan2(np.sin(x), np.cos(x))
        out[k] = out[k] + element.channel_force(x, rates[k])
    return out


def passive_tree_forces(tree: Tree, q: Vec, v: Vec) -> Vec:
    """Forces of elements at the tree's joints, (nv,)."""
    forces: list[Any] = [0.0] * tree.nv
    for each in tree.joint_forces:
        found = each.element.channel_force(each.deflection(q), v[each.speed])
        for d, force in zip(np.atleast_1d(range(tree.nv)[each.speed]), np.atleast_1d(found), strict=True):
            forces[d] = forces[d] + force
    return np.array(forces)
