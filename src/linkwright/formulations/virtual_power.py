"""Springs, friction and rotors by virtual power, as the second method finds them (any scalar).

Every speed of a joint, cut or not, is a row s on the tree's speeds: a force f along it has the power f s v, so it acts
as s^T f, and a rotor adds its inertia times s^T s. The first method places wrenches on bodies instead
(`recursion.cut_joints`); the two share the numbers of the joints and no line that computes with them.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwright.algebra.vectors import Mat, Vec, cross
from linkwright.dataclass import dataclass
from linkwright.joints.relative_pose import RelativePose
from linkwright.loops.closure import Closure, closed_relative_poses
from linkwright.loops.efforts import DrivenVelocity, effort_matrix
from linkwright.loops.frames import Loop
from linkwright.mechanism.tree import Passive, Tree

_X, _Y, _Z = np.eye(3)


@dataclass(frozen=True, eq=False)
class Resistance:
    """Resistance of springs, friction and rotors: forces h (nv,) at zero acceleration, inertia M (nv, nv)."""

    h: Vec
    M: Mat


def cut_speeds(closure: Closure) -> list[tuple[int, int]]:
    """Per speed of the cut joints that carry something the loop's number and the speed's number in its joint."""
    names = [loop.name for loop in closure.loops]
    return [(names.index(cut.name), k) for cut in closure.tree.cut_joints for k in range(cut.kind.nv)]


def cut_speed_rows(closure: Closure, q: Vec) -> Mat:
    """Rows S with the cut joints' speeds = S v, (n, nv)."""
    return effort_matrix(closure, tuple(DrivenVelocity(None, loop, k) for loop, k in cut_speeds(closure)), q).T


def resistance(tree: Tree, closure: Closure, q: Vec, v: Vec, S: Mat, drift: Vec) -> Resistance:
    """The resistance of all joints; `S` as from `cut_speed_rows`, `drift` = S_dot v, (n,)."""
    forces, rotors = cut_forces(tree, closure, q, S @ v, drift)
    h = S.T @ forces + tree_forces(tree, q, v)
    n = range(tree.nv)
    outside = [[sum(r * (s[i] * s[j]) for r, s in zip(rotors, S, strict=True)) for j in n] for i in n]
    return Resistance(h, np.diag(tree.passive.rotor) + np.array(outside))


def cut_forces(tree: Tree, closure: Closure, q: Vec, rates: Vec, accelerations: Vec) -> tuple[Vec, Vec]:
    """Forces along the cut joints' speeds (n,) at some rates and accelerations, and the rotors there (n,)."""
    pairs, start = closed_relative_poses(closure, q), 0
    forces, rotors = [], []
    for cut in tree.cut_joints:
        loop, pose = next(pair for pair in pairs if pair[0].name == cut.name)
        own = slice(start, start + len(cut.passive.rotor))
        forces += joint_resistance(loop, pose, cut.passive, rates[own], accelerations[own])
        rotors += cut.passive.rotor.tolist()
        start = own.stop
    return np.array(forces), np.array(rotors)


def joint_resistance(loop: Loop, pose: RelativePose, p: Passive, rates: Any, accelerations: Any) -> list[Any]:
    """Forces of springs, friction and rotors along the velocities of one cut joint at its rates and accelerations."""
    out = []
    for k, (x, rate, second) in enumerate(zip(deflections(loop, pose, p.rest), rates, accelerations, strict=True)):
        resisted = rate * (p.viscous[k] + sum(c / np.sqrt(rate * rate + slip * slip) for c, slip in p.dry(k)))
        own = [each.element for each in p.elements if each.speed == k]
        other = [e.channel_force(deflections(loop, pose, [e.rest] * len(p.rest))[k], rate) for e in own]
        out.append(p.stiffness[k] * x + resisted + p.rotor[k] * second + sum(other, 0.0))
    return out


def tree_forces(tree: Tree, q: Vec, v: Vec) -> Vec:
    """Springs and friction of the tree's joints and the strain of beams, (nv,)."""
    p = tree.passive
    forces: list[Any] = []
    for d in range(tree.nv):
        resistance = p.viscous[d] + sum(c / np.sqrt(v[d] * v[d] + slip * slip) for c, slip in p.dry(d))
        forces.append(p.stiffness[d] * (q[p.coordinate[d]] - p.rest[d]) + resistance * v[d])
    for each in p.elements:
        x = q[each.coordinate] - each.element.rest
        forces[each.speed] = forces[each.speed] + each.element.channel_force(x, v[each.speed])
    for i, flex in tree.beams:
        coords, dofs = tree.links[i].coords, tree.dofs[i]
        strain = flex.stiffness @ q[coords] + flex.damping @ v[dofs]
        for d, force in zip(range(dofs.start, dofs.stop), strain, strict=True):
            forces[d] = forces[d] + force
    return np.array(forces)


def deflections(loop: Loop, pose: RelativePose, rest: Any) -> list[Any]:
    """Deflection of each coordinate of a cut joint from its rest, angles in (-pi, pi]; 0 where it has none.

    An angle is measured between two directions: where one side's mark would be at rest, and where it is.
    """
    Q, d = (pose.Q.T, -(pose.Q.T @ pose.d)) if loop.flipped else (pose.Q, pose.d)
    kind = loop.kind
    if kind.nq != kind.nv:
        return [0.0] * kind.nv
    off = kind.coordinates_from_pose(Q, d) - rest
    wrapped = [part.is_wrapped_angle for part in kind.coordinates]
    return [np.arctan2(np.sin(x), np.cos(x)) if wraps else x for x, wraps in zip(off, wrapped, strict=True)]


def _about_z(angle: Any) -> Mat:
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])


def _angle(a: Vec, b: Vec) -> Any:
    """The angle about z from a to b."""
    return np.arctan2(cross(a, b)[2], a[0] * b[0] + a[1] * b[1])
