"""Results in the file's coordinates, found with another cut: the platform floats and the joint that carries it is cut.

The platform's pose and motion follow from the leg that carries it in the file, so that no coordinate of the floating
platform is ever needed; the acceleration of the carrying joint follows at the end (theory 6.21-6.23).
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from linkwright.algebra.rotations import Full, Rotation, factor_rotation
from linkwright.algebra.vectors import Mat, Vec, cross_product, join_twist, spin_acceleration_matrix
from linkwright.dataclass import dataclass
from linkwright.functions.definition import compiled
from linkwright.functions.loop.multiplier_functions import checked_efforts, checked_forward_dynamics
from linkwright.functions.setup import Setup
from linkwright.functions.stages import AlternativeTreePlan
from linkwright.loops.cut_joints import loop_of
from linkwright.mechanism.tree import Link, coordinate_slices
from linkwright.recursion.poses import link_poses
from linkwright.recursion.relative_motion import FramePose, attached_pose
from linkwright.recursion.twist_recursion import JointMap, joint_map, motion_of_tree, relative_twist_convection


@dataclass(frozen=True, eq=False)
class Floated:
    """A state with the platform floating.

    setup: the inner setup, its platform placed. q, v: inner coordinates and speeds. carrier: the platform on the
    joint that carries it in the file, seen from the inner tree, with its map; omega: its angular velocity there.
    """

    setup: Setup
    q: Vec
    v: Vec
    carrier: Link
    map: JointMap
    omega: Vec


@compiled("q", "v", "tau", stage=AlternativeTreePlan, pivot_checked=True)
def checked_alternative_dynamics(stage: AlternativeTreePlan, q: Vec, v: Vec, tau: Vec, w_ext: Mat | None = None) -> Vec:
    """Accelerations (nv,) of the file's joints; the first is NaN when the result is ill-conditioned."""
    state = state_in_inner_tree(stage, q, v)
    a_in = checked_forward_dynamics(stage.inner.on(state.setup), state.q, state.v, tau, w_ext)
    a = np.zeros(stage.setup.tree.nv, dtype=a_in.dtype)
    for outer, inner in _indices_of_shared_joints(stage):
        a[outer[1]] = a_in[inner[1]]
    a[state.carrier.dofs] = carried_acceleration(state, v[state.carrier.dofs], a_in)
    return a


def state_in_inner_tree(stage: AlternativeTreePlan, q: Vec, v: Vec) -> Floated:
    """The state in the inner coordinates (theory 6.21)."""
    inner = stage.inner.setup
    carrier = _platform_link_as_drawn(stage)
    platform = stage.setup.mech.names.index(carrier.name)
    own = inner.simplified.links[platform]
    q_in, v_in = np.zeros(inner.simplified.nq, dtype=q.dtype), np.zeros(inner.simplified.nv, dtype=v.dtype)
    q_in[own.coords] = np.array([0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0])
    v_in[:] = nought = 0.0 * v[0]  # of the scalars' own kind
    for outer, there in _indices_of_shared_joints(stage):
        q_in[there[0]], v_in[there[1]] = q[outer[0]], v[outer[1]]
    joint = joint_map(carrier, q[carrier.coords], v[carrier.dofs])
    leg = link_poses(inner.simplified, q_in)[carrier.parent]
    pose = attached_pose(FramePose(leg.r + leg.R @ joint.A.origin, leg.R @ joint.A.R.matrix), carrier.body)
    spin = motion_of_tree(inner.simplified, q_in, v_in, np.zeros(inner.simplified.nv)).t[carrier.parent][:3]
    omega = joint.A.R.T @ spin + joint.p[:3] @ v[carrier.dofs]
    v_in[own.dofs] = np.array([*(carrier.body.R.T @ omega), nought, nought, nought])
    links = list(inner.simplified.links)
    links[platform] = replace(own, r=pose.r, R=Rotation((Full(pose.R),)))
    tree = replace(inner.simplified, links=tuple(links))
    placed = replace(inner, simplified=tree, closure=replace(inner.closure, tree=tree))
    return Floated(placed, q_in, v_in, carrier, joint, omega)


@compiled("q", "v", "a", stage=AlternativeTreePlan, pivot_checked=True)
def checked_alternative_efforts(stage: AlternativeTreePlan, q: Vec, v: Vec, a: Vec, w_ext: Mat | None = None) -> Vec:
    """Efforts (na,) for accelerations a (nv,) of the file's joints; the first is NaN when ill-conditioned."""
    state = state_in_inner_tree(stage, q, v)
    tree = state.setup.simplified
    a_in = np.zeros(tree.nv, dtype=a.dtype)
    a_in[:] = 0.0 * a[0]
    for outer, inner in _indices_of_shared_joints(stage):
        a_in[inner[1]] = a[outer[1]]
    a_in[tree.dofs[_floating_link_number(state)]] = platform_acceleration(state, v, a, a_in)
    return checked_efforts(stage.inner.on(state.setup), state.q, state.v, a_in, w_ext)


def platform_acceleration(state: Floated, v: Vec, a: Vec, a_in: Vec) -> Vec:
    """Angular acceleration of the platform and acceleration of its origin, own axes, (6,) (theory 6.22)."""
    carrier, joint, tree = state.carrier, state.map, state.setup.simplified
    moving = motion_of_tree(tree, state.q, state.v, a_in)
    t_rel, k = joint.p @ v[carrier.dofs], carrier.parent
    rate = joint.A.rate(moving.t[k], moving.t_dot[k]) + joint.p @ a[carrier.dofs] + joint.p_dot @ v[carrier.dofs]
    rate = rate + relative_twist_convection(join_twist(state.omega, np.zeros(3)), t_rel)
    R_T, r = carrier.body.R.T, carrier.body.r
    acc = R_T @ (rate[3:] + spin_acceleration_matrix(state.omega, rate[:3]) @ r)
    falling = tree.links[_floating_link_number(state)].R.T @ tree.gravity
    return join_twist(R_T @ rate[:3], acc + falling)


def carried_acceleration(state: Floated, v: Vec, a_in: Vec) -> Vec:
    """Acceleration of the joint that carries the platform in the file, from those of the two links (theory 6.23)."""
    carrier, joint, tree = state.carrier, state.map, state.setup.simplified
    rates = motion_of_tree(tree, state.q, state.v, a_in).t_dot
    along = carrier.body.R @ rates[_floating_link_number(state)][:3] - joint.A.R.T @ rates[carrier.parent][:3]
    along = along - joint.p_dot[:3] @ v - cross_product(state.omega, joint.p[:3] @ v)
    if not carrier.kind.turns_about_two_axes:
        return joint.p[:3].T @ along
    first, second = carrier.kind.axes
    cosine = float(np.dot(first, second))
    x, y = (joint.p[:3, i] @ along for i in range(2))
    scale = 1.0 / (1.0 - cosine * cosine)
    return np.array([scale * (x - cosine * y), scale * (y - cosine * x)])


def _floating_link_number(state: Floated) -> int:
    """The number of the floating link."""
    return next(i for i, link in enumerate(state.setup.simplified.links) if link.name == state.carrier.name)


def _platform_link_as_drawn(stage: AlternativeTreePlan) -> Link:
    """The platform's link as the file draws it, hung on the inner tree."""
    setup, inner = stage.setup, stage.inner.setup
    names = {loop.name for loop in inner.mech.loops}
    joint = next(j for j in setup.mech.joints if j.name in names)
    loop = loop_of(inner.mech, inner.simplified, joint)
    drawn = setup.tree.links[setup.mech.names.index(joint.child)]
    near, far = loop.near, loop.far
    return replace(drawn, parent=near.link, r=near.at.r, R=factor_rotation(near.at.R), body=far.at.inverse)


def _indices_of_shared_joints(stage: AlternativeTreePlan) -> list[tuple[tuple[slice, slice], tuple[slice, slice]]]:
    """Places in q and v, outside and inside, of the joints that are in both trees."""
    outer, inner = (coordinate_slices(s.mech.joints) for s in (stage.setup, stage.inner.setup))
    return [(outer[name], inner[name]) for name in outer if name in inner]
