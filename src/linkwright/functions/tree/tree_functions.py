"""Kinematics and dynamics of the tree, as functions of arrays that can be traced."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from linkwright.algebra.transforms import IDENTITY, RigidTransform, wrench_from
from linkwright.algebra.vectors import Mat, Vec
from linkwright.compiler import RolledProgram, inline_program, maximum, minimum, select, tangent
from linkwright.dataclass import dataclass
from linkwright.errors import ArgumentError
from linkwright.functions.definition import compiled
from linkwright.functions.design_inputs import traced_on
from linkwright.functions.fallback_chain import flag_result, in_pairs, small_pivot_share
from linkwright.functions.setup import Setup
from linkwright.functions.stages import PivotCheckedTree
from linkwright.functions.tree.rolled_sweeps import can_roll, rolled_tree_dynamics
from linkwright.loops.closure import DrivenVelocity
from linkwright.mechanism.flexible_bodies import beams_of
from linkwright.mechanism.mechanism import Mechanism
from linkwright.mechanism.names import suggest_name
from linkwright.mechanism.tree import Tree
from linkwright.recursion import energy, forward_recursion, inertia, inverse_recursion, poses
from linkwright.recursion.force_elements import cut_rows
from linkwright.recursion.poses import center_line
from linkwright.recursion.relative_motion import attached_pose
from linkwright.recursion.twist_recursion import motion_of_tree, tree_coordinate_rates

# --- kinematics and dynamics of the tree, as functions of arrays that can be traced -----------------------------------


@compiled("q", "v", "tau")
def forward_dynamics_composite(setup: Setup, q: Vec, v: Vec, tau: Vec, w_ext: Mat | None = None) -> Vec:
    force = efforts_at_velocities(setup, tau)
    return forward_recursion.composite_forward_dynamics(
        setup.simplified, q, v, force, link_frame_wrenches(setup, w_ext)
    )


@compiled("q", "v", "tau", stage=PivotCheckedTree, pivot_checked=True)
def checked_tree_dynamics_composite(stage: PivotCheckedTree, q: Vec, v: Vec, tau: Vec, w_ext: Mat | None = None) -> Vec:
    """The same from composite bodies."""
    setup = stage.setup
    force = efforts_at_velocities(setup, tau)
    return _flag_small_pivots(
        stage, *forward_recursion.composite_dynamics(setup.simplified, q, v, force, link_frame_wrenches(setup, w_ext))
    )


def _flag_small_pivots(stage: PivotCheckedTree, a: Vec, pivots: Vec) -> Vec:
    """The accelerations, flagged where the pivots along some branch have a share below the limit."""
    tree, typical = stage.setup.simplified, stage.typical
    found: list[Any] = [1.0] * len(tree.links)
    for i in tree.inward:
        own = small_pivot_share(list(pivots[tree.dofs[i]]), typical[tree.dofs[i]])
        found[i] = own * in_pairs(minimum, [found[j] for j in tree.children[i]])
    margin = in_pairs(minimum, [found[i] for i in tree.bodies if tree.parent[i] < 0]) - stage.limit
    return flag_result(a, minimum(-abs(a[0]), margin) if isinstance(margin, float) and margin < 0.0 else margin)


def efforts_at_velocities(setup: Setup, tau: Vec) -> Vec:
    """Efforts of the actuators put at their speeds, (nv,)."""
    force = np.zeros(setup.tree.nv, dtype=tau.dtype)
    force[driven_speeds(setup)] = tau
    return force


def driven_speeds(setup: Setup) -> list[int]:
    """Places in v of the driven tree speeds."""
    return [drive.speed for drive in setup.drives if drive.speed is not None]


def link_frame_wrenches(setup: Setup, w_ext: Mat | None) -> list[Vec] | None:
    """Wrenches on the bodies, brought from body frames to link frames."""
    if w_ext is None:
        return None
    return [wrench_from(w, link.body) for w, link in zip(w_ext, setup.simplified.links, strict=True)]


@compiled("q", "v", "a", public="joint_reactions")
def joint_wrenches(setup: Setup, q: Vec, v: Vec, a: Vec, w_ext: Mat | None = None) -> Mat:
    """Wrench of the drawn parent on the drawn child at the joint's origin there, child axes, (n_bodies, 6)."""
    links = setup.tree.links
    outer = None if w_ext is None else [wrench_from(w, k.body) for w, k in zip(w_ext, links, strict=True)]
    return np.array(inverse_recursion.tree_joint_reactions(setup.tree, q, v, a, outer))


@compiled("q", "v", public=True)
def convective_matrix(setup: Setup, q: Vec, v: Vec) -> Mat:
    if setup.tree.beams:
        raise ArgumentError(
            f"the convective matrix is for rigid links, and '{setup.mech.name}' has flexible ones; "
            "ask bias_forces for the velocity terms"
        )
    C = inertia.tree_convective_matrix(setup.tree, q, v)
    return C + _rotors_outside(setup, q, v) if setup.tree.cut_rotors else C


def _rotors_outside(setup: Setup, q: Vec, v: Vec) -> Mat:
    """Part of C by rotors at cut joints: sum of rotor s s_dot^T, with velocity s v of such a joint, (nv, nv)."""

    def rows(tree: Tree, q: Vec) -> Mat:
        maps = inertia.joint_maps(tree, q)
        return np.array([s for _, s in cut_rows(tree, [m.A for m in maps], [m.p for m in maps])], dtype=q.dtype)

    program, outer = traced_on(setup.tree, rows, {"q": setup.tree.nq})
    rate = tree_coordinate_rates(setup.tree, q, v)
    s, s_dot = inline_program(program, q, *outer), inline_program(tangent(program, ["q"]), q, *outer, rate)
    rotor = np.concatenate([cut.rotors for cut in setup.tree.cut_joints])
    return s.T @ (rotor[:, None] * s_dot)


@compiled("q", "v", name="energy", public=True)
def energies(setup: Setup, q: Vec, v: Vec) -> Vec:
    return np.array([energy.kinetic_energy(setup.simplified, q, v), energy.potential_energy(setup.tree, q)])


def frame_attachment(setup: Setup, name: str) -> tuple[int, RigidTransform]:
    """Link number and pose in the link frame of a named frame or body; -1 is the base."""
    index = {body: i for i, body in enumerate(setup.mech.names)}
    known = {f.name: (f.body, f.pose) for f in setup.mech.frames}
    known |= {body: (body, IDENTITY) for body in (*setup.mech.names, setup.mech.base) if body not in known}
    if name not in known:
        raise ArgumentError(
            f"unknown frame or body '{name}' of mechanism '{setup.mech.name}'{suggest_name(name, known)}"
        )
    body, pose = known[name]
    link = index.get(body, -1)
    return link, (setup.simplified.links[link].body @ pose if link >= 0 else pose)


def _frame_origin_and_rotation(setup: Setup, q: Vec, frame: str) -> tuple[Vec, Mat]:
    pose = poses.pose_of_frame(setup.simplified, q, *frame_attachment(setup, frame))
    return pose.r, pose.R


def _pose_quaternion(setup: Setup, q: Vec, frame: str) -> tuple[Vec, Vec]:
    pose = poses.pose_of_frame(setup.simplified, q, *frame_attachment(setup, frame))
    return pose.r, unit_quaternion(pose.R)


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


@compiled("q", sparse=True, public=True)
def body_poses(setup: Setup, q: Vec) -> Mat:
    """Origin and axes of every body frame, (n_bodies, 12): x y z, then the rotation's rows."""
    links = poses.link_poses(setup.simplified, q)
    bodies = [attached_pose(pose, link.body) for pose, link in zip(links, setup.simplified.links, strict=True)]
    return np.array([np.concatenate([body.r, body.R.ravel()]) for body in bodies])


@compiled("q")
def body_quaternions(setup: Setup, q: Vec) -> tuple[Mat, Mat]:
    """Origins (n_bodies, 3) and unit quaternions w x y z (n_bodies, 4) of every body frame."""
    rows = body_poses(setup, q).reshape(-1, 12)
    wxyz = [unit_quaternion(row[3:].reshape(3, 3)) for row in rows]
    return rows[:, :3], np.array(wxyz).reshape(-1, 4)


@compiled("q", frame=True, public=True)
def beam_points(setup: Setup, q: Vec, frame: str) -> Mat:
    """Points of the center line of the flexible body `frame`, from root to tip, world axes, (25, 3)."""
    link = setup.mech.names.index(f"{frame}.modes")
    return center_line(setup.simplified, q, link, np.linspace(0.0, beams_of(setup.mech)[frame].length, 25))


# Composite bodies are cheaper for short chains, sweeps for long ones; the crossover is at about nine velocities.
COMPARED_UP_TO = 14


@compiled(
    "q",
    "v",
    "tau",
    stage=PivotCheckedTree,
    pivot_checked=True,
    cheaper=checked_tree_dynamics_composite,
    compare_up_to=COMPARED_UP_TO,
)
def checked_tree_dynamics(stage: PivotCheckedTree, q: Vec, v: Vec, tau: Vec, w_ext: Mat | None = None) -> Vec:
    """Accelerations of a tree; the first is NaN where pivots are too small: flagged."""
    setup = stage.setup
    force = efforts_at_velocities(setup, tau)
    return _flag_small_pivots(
        stage, *forward_recursion.swept_dynamics(setup.simplified, q, v, force, link_frame_wrenches(setup, w_ext))
    )


# Straight-line code of bigger trees takes seconds to compile; rolled code takes the same time for any size.
ROLLED_ABOVE = 48


def _rolled_forces(setup: Setup) -> RolledProgram | None:
    return rolled_tree_dynamics(setup.simplified, forward=False) if _has_rolled_form(setup) else None


@compiled("q", "v", "a", rolled=_rolled_forces, public=True)
def generalized_forces(setup: Setup, q: Vec, v: Vec, a: Vec, w_ext: Mat | None = None) -> Vec:
    return inverse_recursion.tree_inverse_dynamics(setup.simplified, q, v, a, link_frame_wrenches(setup, w_ext))


def _rolled_efforts(setup: Setup) -> RolledProgram | None:
    return _rolled_forces(setup) if _all_driven(setup) else None


@compiled("q", "v", "a", rolled=_rolled_efforts, public=True)
def inverse_dynamics(setup: Setup, q: Vec, v: Vec, a: Vec, w_ext: Mat | None = None) -> Vec:
    force = generalized_forces(setup, q, v, a, w_ext)
    return force[driven_speeds(setup)]


def _rolled_accelerations(setup: Setup) -> RolledProgram | None:
    return (
        rolled_tree_dynamics(setup.simplified, forward=True) if _has_rolled_form(setup) and _all_driven(setup) else None
    )


@compiled(
    "q",
    "v",
    "tau",
    cheaper=forward_dynamics_composite,
    compare_up_to=COMPARED_UP_TO,
    rolled=_rolled_accelerations,
    public=True,
)
def forward_dynamics(setup: Setup, q: Vec, v: Vec, tau: Vec, w_ext: Mat | None = None) -> Vec:
    force = efforts_at_velocities(setup, tau)
    return forward_recursion.tree_forward_dynamics(setup.simplified, q, v, force, link_frame_wrenches(setup, w_ext))


def _has_rolled_form(setup: Setup) -> bool:
    """True if a tree is big and has a rolled form."""
    tree = setup.simplified
    return not setup.closure.n_all and len(tree.links) > ROLLED_ABOVE and can_roll(tree)


def _all_driven(setup: Setup) -> bool:
    return setup.drives == tuple(DrivenVelocity(d) for d in range(setup.simplified.nv))


@compiled("q", sparse=True, public=True)
def mass_matrix(s: Any, q: Vec) -> Any:
    return inertia.tree_mass_matrix(s.simplified, q)


@compiled("q", "v", public=True)
def bias_forces(s: Any, q: Vec, v: Vec) -> Any:
    return inverse_recursion.tree_bias_forces(s.simplified, q, v)


@compiled("q", public=True)
def gravity_forces(s: Any, q: Vec) -> Any:
    return inverse_recursion.tree_gravity_forces(s.simplified, q)


@compiled("q", public=True)
def udu(s: Any, q: Vec) -> Any:
    return forward_recursion.articulated_udu(s.simplified, q)


@compiled("q", "v", public=True)
def momentum(s: Any, q: Vec, v: Vec) -> Any:
    return energy.tree_momentum(s.tree, q, v)


@compiled("q", public=True)
def center_of_mass(s: Any, q: Vec) -> Any:
    return energy.tree_center_of_mass(s.tree, q)


@compiled("q", frame=True, public=True)
def frame_pose(s: Any, q: Vec, frame: str) -> Any:
    return _frame_origin_and_rotation(s, q, frame)


@compiled("q", frame=True, public=True)
def frame_quaternion(s: Any, q: Vec, frame: str) -> Any:
    return _pose_quaternion(s, q, frame)


@compiled("q", "v", frame=True, public=True)
def frame_twist(s: Any, q: Vec, v: Vec, frame: str) -> Any:
    return poses.twist_of_frame(s.simplified, q, v, *frame_attachment(s, frame))


@compiled("q", "v", "a", frame=True, name="frame_acceleration", public=True)
def frame_twist_rate(s: Any, q: Vec, v: Vec, a: Vec, frame: str) -> Any:
    return poses.frame_acceleration(s.simplified, q, v, a, *frame_attachment(s, frame))


@compiled("q", frame=True, public=True)
def frame_jacobian(s: Any, q: Vec, frame: str) -> Any:
    return poses.jacobian_of_frame(s.simplified, q, *frame_attachment(s, frame))


@compiled("q", "v", frame=True, public=True)
def frame_jacobian_rate(s: Any, q: Vec, v: Vec, frame: str) -> Any:
    return poses.jacobian_rate_of_frame(s.simplified, q, v, *frame_attachment(s, frame))


# --- wrenches given at points of bodies and frames, brought to the origins and axes of their bodies (any scalar) ------

WRENCH_PARTS = ("moment x", "moment y", "moment z", "force x", "force y", "force z")
"""The six numbers of a wrench."""


@dataclass(frozen=True)
class WrenchSite:
    """Where a wrench acts, and in which axes it is given.

    Attributes:
        on: a body or frame.
        at: the point, in the axes of `on`, from its origin, [m].
        world: whether moment and force are given in world axes; otherwise in those of `on`.
    """

    on: str
    at: tuple[float, float, float] = (0.0, 0.0, 0.0)
    world: bool = False


def attachment_of_frame(mech: Mechanism, name: str) -> tuple[int, RigidTransform]:
    """Number of the body, and pose in its axes, of a named body or frame; frames of the base are refused."""
    known = {body: (body, IDENTITY) for body in mech.names} | {f.name: (f.body, f.pose) for f in mech.frames}
    if name not in (*known, mech.base):
        raise ArgumentError(
            f"a wrench acts on the unknown body or frame '{name}'{suggest_name(name, known)}", name=name
        )
    body, pose = known.get(name, (mech.base, IDENTITY))
    if body == mech.base:
        raise ArgumentError(f"a wrench acts on '{name}', which is fixed to the base; name a moving body", name=name)
    return mech.names.index(body), pose


def in_body_axes(w: Any, R: Any, r: Any) -> Any:
    """A wrench (..., 6) turned by R (..., 3, 3) and carried to the origin from which its point is at r (3,)."""
    moment, force = ((R * half[..., None, :]).sum(axis=-1) for half in (w[..., :3], w[..., 3:]))
    x, y, z = force[..., 0], force[..., 1], force[..., 2]
    carried = [r[1] * z - r[2] * y, r[2] * x - r[0] * z, r[0] * y - r[1] * x]
    return np.concatenate([moment + np.stack(carried, axis=-1), force], axis=-1)


def wrenches_from_sites(setup: Setup, sites: Sequence[WrenchSite], q: Vec, given: Vec) -> Mat:
    """Wrenches on all bodies, (n_bodies, 6), each at its origin in its frame, of six given numbers per site."""
    w_ext = np.zeros((len(setup.tree.links), 6), dtype=np.result_type(q.dtype, given.dtype))
    for site, w in zip(sites, given.reshape(-1, 6), strict=True):
        body, pose = attachment_of_frame(setup.mech, site.on)
        turn = pose.R
        if site.world:
            turn = poses.pose_of_frame(setup.simplified, q, body, setup.simplified.links[body].body).R.T
        w_ext[body] = w_ext[body] + in_body_axes(w, turn, pose.r + pose.R @ np.array(site.at))
    return w_ext


def wrench_power(setup: Setup, q: Vec, v: Vec, w_ext: Mat) -> Any:
    """Power of wrenches on the bodies, [W]."""
    state = motion_of_tree(setup.simplified, q, v, np.zeros(setup.simplified.nv))
    total: Any = 0.0
    for t, w, link in zip(state.t, w_ext, setup.simplified.links, strict=False):
        total = total + t @ wrench_from(w, link.body)
    return total
