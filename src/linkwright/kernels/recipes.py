"""Every question a model answers, as a function of arrays that can be traced."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum, auto
from typing import Any

import numpy as np

from linkwright.algebra.pose import IDENTITY, Pose
from linkwright.algebra.vectors import Mat, Vec
from linkwright.compiler import inlined, maximum, minimum, select, tangent, trace
from linkwright.errors import ArgumentError
from linkwright.kernels.guards import in_pairs, marked, share
from linkwright.kernels.setup import Setup
from linkwright.mechanism.flexible import beams_of
from linkwright.mechanism.names import suggestion
from linkwright.recursion import convective, energy, forward, inertia, inverse, poses, reactions
from linkwright.recursion.centre_lines import centre_line
from linkwright.recursion.coordinates import coordinate_rates
from linkwright.recursion.cut_joints import cut_rows


class Stage(Enum):
    """What has to be known of a mechanism before a function can be traced.

    TREE: its trees and closure equations. WATCHED: which pivots of a tree can become small. PLANNED: independent
    equations and an elimination order. INDEPENDENT: the independent velocities too. EFFORTS: an order for the efforts.
    HYBRID: for efforts that leave undriven freedoms free. ALTERNATIVE: an alternative spanning tree. SPRINGS: which
    closure equations are springs. KHAN, RAO, HANZAKI: that the paper's formulation applies. FRAME: the frame.
    """

    TREE = auto()
    WATCHED = auto()
    PLANNED = auto()
    INDEPENDENT = auto()
    EFFORTS = auto()
    HYBRID = auto()
    ALTERNATIVE = auto()
    SPRINGS = auto()
    KHAN = auto()
    RAO = auto()
    HANZAKI = auto()
    FRAME = auto()


@dataclass(frozen=True)
class Recipe:
    """The arguments a question takes, by name, how to answer it, and what has to be known before."""

    arguments: tuple[str, ...]
    answer: Callable[..., Any]
    stage: Stage = Stage.TREE


def inverse_dynamics(setup: Setup, q: Vec, v: Vec, a: Vec, w_ext: Mat | None = None) -> Vec:
    force = generalized_forces(setup, q, v, a, w_ext)
    return force[driven_speeds(setup)]


def generalized_forces(setup: Setup, q: Vec, v: Vec, a: Vec, w_ext: Mat | None = None) -> Vec:
    return inverse.inverse_dynamics(setup.lean, q, v, a, link_wrenches(setup, w_ext))


def sweeping_forward_dynamics(setup: Setup, q: Vec, v: Vec, tau: Vec, w_ext: Mat | None = None) -> Vec:
    force = tree_forces(setup, tau)
    return forward.forward_dynamics(setup.lean, q, v, force, link_wrenches(setup, w_ext))


def composite_forward_dynamics(setup: Setup, q: Vec, v: Vec, tau: Vec, w_ext: Mat | None = None) -> Vec:
    force = tree_forces(setup, tau)
    return forward.forward_dynamics_composite(setup.lean, q, v, force, link_wrenches(setup, w_ext))


def guarded_tree_dynamics(setup: Setup, q: Vec, v: Vec, tau: Vec, w_ext: Mat | None = None) -> Vec:
    """Accelerations of a tree; the first is NaN where pivots are too small for them to be trusted."""
    force = tree_forces(setup, tau)
    return _watched(setup, *forward.swept_dynamics(setup.lean, q, v, force, link_wrenches(setup, w_ext)))


def guarded_composite_dynamics(setup: Setup, q: Vec, v: Vec, tau: Vec, w_ext: Mat | None = None) -> Vec:
    """The same from composite bodies."""
    force = tree_forces(setup, tau)
    return _watched(setup, *forward.composite_dynamics(setup.lean, q, v, force, link_wrenches(setup, w_ext)))


def _watched(setup: Setup, a: Vec, pivots: Vec) -> Vec:
    """The accelerations, marked where the pivots along some branch have a share below the limit."""
    tree, typical = setup.lean, setup.plans.tree_sizes
    found: list[Any] = [1.0] * len(tree.links)
    for i in tree.inward:
        own = share(list(pivots[tree.dofs[i]]), typical[tree.dofs[i]])
        found[i] = own * in_pairs(minimum, [found[j] for j in tree.children[i]])
    margin = in_pairs(minimum, [found[i] for i in tree.bodies if tree.parent[i] < 0]) - setup.plans.tree_limit
    return marked(a, minimum(-abs(a[0]), margin) if isinstance(margin, float) and margin < 0.0 else margin)


def tree_forces(setup: Setup, tau: Vec) -> Vec:
    """Efforts of the actuators put at their speeds, (nv,)."""
    force = np.zeros(setup.tree.nv, dtype=tau.dtype)
    force[driven_speeds(setup)] = tau
    return force


def driven_speeds(setup: Setup) -> list[int]:
    """Places in v of the driven tree speeds."""
    return [drive.speed for drive in setup.drives if drive.speed is not None]


def link_wrenches(setup: Setup, w_ext: Mat | None) -> list[Vec] | None:
    """Wrenches on the bodies, brought from body frames to link frames."""
    if w_ext is None:
        return None
    return [reactions.wrench_from(w, link.body) for w, link in zip(w_ext, setup.lean.links, strict=True)]


def joint_wrenches(setup: Setup, q: Vec, v: Vec, a: Vec, w_ext: Mat | None = None) -> Mat:
    """Wrench of the drawn parent on the drawn child at the joint's origin there, child axes, (n_bodies, 6)."""
    links = setup.tree.links
    outer = None if w_ext is None else [reactions.wrench_from(w, k.body) for w, k in zip(w_ext, links, strict=True)]
    return np.array(reactions.joint_reactions(setup.tree, q, v, a, outer))


def convective_matrix(setup: Setup, q: Vec, v: Vec) -> Mat:
    if setup.tree.beams:
        raise ArgumentError(
            f"the convective matrix is for rigid links, and '{setup.mech.name}' has flexible ones; "
            "ask bias_forces for the velocity terms"
        )
    C = convective.convective_matrix(setup.tree, q, v)
    return C + _rotors_outside(setup, q, v) if setup.tree.cut_rotors else C


def _rotors_outside(setup: Setup, q: Vec, v: Vec) -> Mat:
    """What rotors at cut joints add to C: sum of rotor s s_dot^T, with the speed s v of such a joint, (nv, nv)."""

    def rows(q: Vec) -> Mat:
        maps = inertia.joint_maps(setup.tree, q)
        return np.array([s for _, s in cut_rows(setup.tree, [m.A for m in maps], [m.p for m in maps])], dtype=q.dtype)

    program = trace(rows, {"q": setup.tree.nq})
    rate = coordinate_rates(setup.tree, q, v)
    s, s_dot = inlined(program, q), inlined(tangent(program, ["q"]), q, rate)
    rotor = np.concatenate([cut.passive.rotor for cut in setup.tree.cut_joints])
    return s.T @ (rotor[:, None] * s_dot)


def energies(setup: Setup, q: Vec, v: Vec) -> Vec:
    return np.array([energy.kinetic_energy(setup.lean, q, v), energy.potential_energy(setup.tree, q)])


def frame_place(setup: Setup, name: str) -> tuple[int, Pose]:
    """Link number and pose in the link frame of a named frame or body; -1 is the base."""
    index = {body: i for i, body in enumerate(setup.mech.names)}
    known = {f.name: (f.body, f.pose) for f in setup.mech.frames}
    known |= {body: (body, IDENTITY) for body in (*setup.mech.names, setup.mech.base) if body not in known}
    if name not in known:
        raise ArgumentError(f"'{name}' is no frame or body of mechanism '{setup.mech.name}'{suggestion(name, known)}")
    body, pose = known[name]
    link = index.get(body, -1)
    return link, (setup.lean.links[link].body @ pose if link >= 0 else pose)


def _pose(setup: Setup, q: Vec, frame: str) -> tuple[Vec, Mat]:
    place = poses.frame_pose(setup.lean, q, *frame_place(setup, frame))
    return place.r, place.R


def _pose_quaternion(setup: Setup, q: Vec, frame: str) -> tuple[Vec, Vec]:
    place = poses.frame_pose(setup.lean, q, *frame_place(setup, frame))
    return place.r, unit_quaternion(place.R)


def unit_quaternion(R: Mat) -> Vec:
    """The unit quaternion w x y z with w >= 0 of a recorded rotation, by the candidate with the largest divisor."""
    x, y, z = R[0, 0], R[1, 1], R[2, 2]
    zy, xz, yx = R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]
    xy, zx, yz = R[0, 1] + R[1, 0], R[0, 2] + R[2, 0], R[1, 2] + R[2, 1]
    candidates = [
        [1 + x + y + z, zy, xz, yx],
        [zy, 1 + x - y - z, xy, zx],
        [xz, xy, 1 - x + y - z, yz],
        [yx, zx, yz, 1 - x - y + z],
    ]
    best, size = candidates[0], candidates[0][0]
    for i, other in enumerate(candidates[1:], 1):
        larger = other[i] - size
        best = [select(larger, new, old) for new, old in zip(other, best, strict=True)]
        size = maximum(other[i], size)
    length = np.sqrt(sum(c * c for c in best))
    sign = select(best[0], 1.0, -1.0) / length
    return np.array([c * sign for c in best])


def body_poses(setup: Setup, q: Vec) -> Mat:
    """Origin and axes of every body frame, (n_bodies, 12): x y z, then the rotation's rows."""
    places = poses.link_poses(setup.lean, q)
    bodies = [poses.carried(place, link.body) for place, link in zip(places, setup.lean.links, strict=True)]
    return np.array([np.concatenate([body.r, body.R.ravel()]) for body in bodies])


def beam_points(setup: Setup, q: Vec, frame: str) -> Mat:
    """Points of the centre line of the flexible body `frame`, from root to tip, world axes, (25, 3)."""
    link = setup.mech.names.index(f"{frame}.modes")
    return centre_line(setup.lean, q, link, np.linspace(0.0, beams_of(setup.mech)[frame].length, 25))


RECIPES: dict[str, Recipe] = {
    "inverse_dynamics": Recipe(("q", "v", "a"), inverse_dynamics),
    "generalized_forces": Recipe(("q", "v", "a"), generalized_forces),
    "forward_dynamics": Recipe(("q", "v", "tau"), sweeping_forward_dynamics),
    "forward_dynamics_composite": Recipe(("q", "v", "tau"), composite_forward_dynamics),
    "guarded_tree_dynamics": Recipe(("q", "v", "tau"), guarded_tree_dynamics, Stage.WATCHED),
    "guarded_tree_dynamics_composite": Recipe(("q", "v", "tau"), guarded_composite_dynamics, Stage.WATCHED),
    "generalized_inertia": Recipe(("q",), lambda s, q: inertia.generalized_inertia(s.lean, q)),
    "convective_matrix": Recipe(("q", "v"), convective_matrix),
    "bias_forces": Recipe(("q", "v"), lambda s, q, v: inverse.bias_forces(s.lean, q, v)),
    "gravity_forces": Recipe(("q",), lambda s, q: inverse.gravity_forces(s.lean, q)),
    "udu": Recipe(("q",), lambda s, q: forward.articulated_udu(s.lean, q)),
    "joint_wrenches": Recipe(("q", "v", "a"), joint_wrenches),
    "body_poses": Recipe(("q",), body_poses),
    "beam_points": Recipe(("q",), beam_points, Stage.FRAME),
    "energy": Recipe(("q", "v"), energies),
    "momentum": Recipe(("q", "v"), lambda s, q, v: energy.momentum(s.tree, q, v)),
    "center_of_mass": Recipe(("q",), lambda s, q: energy.center_of_mass(s.tree, q)),
    "frame_pose": Recipe(("q",), lambda s, q, frame: _pose(s, q, frame), Stage.FRAME),
    "frame_quaternion": Recipe(("q",), lambda s, q, frame: _pose_quaternion(s, q, frame), Stage.FRAME),
    "frame_twist": Recipe(
        ("q", "v"), lambda s, q, v, frame: poses.frame_twist(s.lean, q, v, *frame_place(s, frame)), Stage.FRAME
    ),
    "frame_twist_rate": Recipe(
        ("q", "v", "a"),
        lambda s, q, v, a, frame: poses.frame_twist_rate(s.lean, q, v, a, *frame_place(s, frame)),
        Stage.FRAME,
    ),
    "frame_jacobian": Recipe(
        ("q",), lambda s, q, frame: poses.frame_jacobian(s.lean, q, *frame_place(s, frame)), Stage.FRAME
    ),
    "frame_jacobian_rate": Recipe(
        ("q", "v"), lambda s, q, v, frame: poses.frame_jacobian_rate(s.lean, q, v, *frame_place(s, frame)), Stage.FRAME
    ),
}
