"""Freedoms that no actuator drives: idle spins of a rod, and whether the others are meant to be free."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Literal

import numpy as np

from linkwright.compiler import evaluate
from linkwright.dataclass import dataclass
from linkwright.formulations.hybrid_equations import Undriven
from linkwright.functions.memo import memo
from linkwright.functions.store import Kernels
from linkwright.functions.tree import tree_functions
from linkwright.kinematics.kinematics import Kinematics
from linkwright.kinematics.motions import (
    Motions,
    all_motions,
    elastic_speeds,
    motion_description,
    null_space_basis,
    sparse_motion,
)
from linkwright.mechanism import Mechanism
from linkwright.mechanism.names import list_of_names
from linkwright.mechanism.tree import coordinate_slices
from linkwright.numerics.dense import count_above, decompose_scaled, singular_values
from linkwright.numerics.tolerances import MASSLESS, SAME_MOTION
from linkwright.plans.rank import standing_out
from linkwright.recursion.forward_recursion import can_sweep
from linkwright.recursion.inertia import inertia_diagonal
from linkwright.recursion.relative_motion import attached_pose

# --- freedoms that move nothing but a part: a rod that spins between two spherical joints -----------------------------

_LONGEST_CHAIN = 8

Held = Callable[[Motions, int, tuple[str, ...]], np.ndarray]


@dataclass(frozen=True)
class IdleFreedom:
    """A passive freedom that moves nothing but the named bodies, between the named joints."""

    bodies: tuple[str, ...]
    joints: tuple[str, ...]
    motion: Literal["spins", "slides", "moves"]

    @property
    def description(self) -> str:
        """The idle motion as a message."""
        verb = self.motion if len(self.bodies) == 1 else self.motion.removesuffix("s")
        joints = list_of_names("joint", "joints", self.joints)
        return f"{list_of_names('body', 'bodies', self.bodies)} {verb} between {joints}"


@dataclass(frozen=True, eq=False)
class IdleRod:
    """Idle freedoms, and an orthonormal basis of them at each configuration, in the motions' own coordinates."""

    found: tuple[IdleFreedom, ...]
    spaces: tuple[np.ndarray, ...]


def find_idle_freedoms(motions: Motions) -> IdleRod:
    """The idle freedoms that every configuration looked at has."""
    found: list[IdleFreedom] = []
    spaces = [np.zeros((motions.mobility, 0)) for _ in motions.q]
    if not motions.mobility:
        return IdleRod((), tuple(spaces))
    driven = motions.rates(motions.setup.actuated)
    for group, joints in _candidate_groups(motions.setup.mech):
        for held in (_relative_group_motion, _joint_center_velocities) if len(group) > 1 else (_relative_group_motion,):
            new: list[np.ndarray] = []
            for k, space in enumerate(spaces):
                new.append(_moving_only(motions, k, group, driven[k], held, space))
                if not new[-1].shape[1]:
                    break
            else:
                count = min(x.shape[1] for x in new)
                found += [
                    IdleFreedom(group, joints, _group_motion_kind(motions, group, new[0][:, i])) for i in range(count)
                ]
                spaces = [np.hstack([space, x[:, :count]]) for space, x in zip(spaces, new, strict=True)]
    return IdleRod(tuple(found), tuple(spaces))


def floating_base_motions(motions: Motions) -> tuple[np.ndarray, ...]:
    """Motions of undriven floating joints with all other joints and all actuators at rest: those of a floating base.

    Cut joints rest too, so that a body held by a loop is not a floating base, whichever of its joints is in the tree.
    An orthonormal basis at each configuration, in the motions' own coordinates, (mobility, n).
    """
    kinds_of = [joint.kind for joint in motions.setup.mech.joints for _ in joint.kind.v_parts]
    others = [i for i, kind in enumerate(kinds_of) if not kind.floats]
    if len(others) == len(kinds_of):
        return tuple(np.zeros((motions.mobility, 0)) for _ in motions.q)
    driven = motions.rates(motions.setup.actuated)
    rest = zip(motions.bases, driven, _across_cuts(motions), strict=True)
    return tuple(null_space_basis(np.concatenate([N[others], G, apart])) for N, G, apart in rest)


def _across_cuts(motions: Motions) -> np.ndarray:
    """Twist of child less that of parent at every cut joint, for each motion, (k, 6 * loops, mobility)."""
    mech, still = motions.setup.mech, np.zeros((len(motions.q), 6, motions.mobility))
    twist = {name: motions.twists[:, i] for i, name in enumerate(mech.names)} | {mech.base: still}
    return np.concatenate([still[:, :0], *(twist[loop.child] - twist[loop.parent] for loop in mech.loops)], axis=1)


def _moving_only(
    motions: Motions, k: int, group: tuple[str, ...], driven: np.ndarray, held: Held, known: np.ndarray
) -> np.ndarray:
    """Motions of the group alone, beyond those known: all other bodies rest, the actuators and what is held too.

    Links do not bend in them: bending is resisted by a stiffness, an idle freedom by nothing.
    """
    mech, own = motions.setup.mech, _motions_near(motions, group)
    outside = [i for i, name in enumerate(mech.names) if name not in group]
    rest = motions.twists[k][outside].reshape(-1, motions.mobility)
    bending = motions.bases[k][elastic_speeds(mech)]
    x = np.zeros((motions.mobility, len(own)))
    x[own] = np.eye(len(own))
    return x @ null_space_basis(np.concatenate([rest, driven, held(motions, k, group), bending, known.T]) @ x)


def _motions_near(motions: Motions, group: tuple[str, ...]) -> list[int]:
    """Motions that a motion of the group alone is made of: in a tree, the speeds of the joints it has."""
    mech = motions.setup.mech
    if mech.loops or motions.setup.closure.n_all:
        return list(range(motions.mobility))
    slices = coordinate_slices(mech.joints)
    return [
        d
        for joint in mech.joints
        if joint.parent in group or joint.child in group
        for d in range(slices[joint.name][1].start, slices[joint.name][1].stop)
    ]


def _relative_group_motion(motions: Motions, k: int, group: tuple[str, ...]) -> np.ndarray:
    """Motions of the group's bodies relative to its first: zero when it moves as one rigid part."""
    t = motions.twists[k][[motions.setup.mech.names.index(name) for name in group]]
    return (t[1:] - t[0]).reshape(-1, motions.mobility)


def _joint_center_velocities(motions: Motions, k: int, group: tuple[str, ...]) -> np.ndarray:
    """Velocities of the group's joint centers: zero when a rod spins between spherical joints made of three hinges."""
    setup, poses = motions.setup, motions.poses[k]
    rows = [np.zeros((0, motions.mobility))]
    for joint in (*setup.mech.joints, *setup.mech.loops):
        for body, pose in ((joint.parent, joint.at), (joint.child, joint.child_at)):
            if body in group:
                i = setup.mech.names.index(body)
                center = attached_pose(poses[i], setup.tree.links[i].body @ pose)
                t = motions.twists[k][i]
                rows.append(t[3:] + np.cross(t[:3], center.r / motions.length, axis=0))
    return np.concatenate(rows)


def _group_motion_kind(motions: Motions, group: tuple[str, ...], x: np.ndarray) -> Literal["spins", "slides", "moves"]:
    """Kind of the group's motion: as one about an axis, as one along a line, or within itself."""
    t = motions.twists[0][[motions.setup.mech.names.index(name) for name in group]] @ x
    if np.abs(t - t[0]).max() > SAME_MOTION:
        return "moves"
    return "spins" if np.linalg.norm(t[0, :3]) > SAME_MOTION else "slides"


def _candidate_groups(mech: Mechanism) -> Iterator[tuple[tuple[str, ...], tuple[str, ...]]]:
    """Groups of bodies between joints, small ones first, with the joints that hold them.

    A group is one rigid part, or a chain of parts with two joints each, without the platform's body, between two
    different bodies: a flap on two hinges is not an idle part.
    """
    part = _rigid_parts(mech)
    edges = [
        (j.name, part[j.parent], part[j.child])
        for j in (*mech.joints, *mech.loops)
        if not (j.kind.is_rigid or j.kind.is_of_beam or j.kind.floats) and part[j.parent] != part[j.child]
    ]
    at = {p: [e for e in edges if p in e[1:]] for p in set(part.values())}
    ground = part[mech.base]
    platform = {frame.name: frame.body for frame in mech.frames}.get(mech.platform or "", mech.base)
    barred = {ground, part[platform]}
    order = [p for p in dict.fromkeys(part[name] for name in mech.names) if p not in barred and len(at[p]) > 1]
    groups = [(p,) for p in order] + list(_chains_of_parts(order, at))
    for group in groups:
        holding = [e for e in {e: None for p in group for e in at[p]} if not set(e[1:]) <= set(group)]
        neighbors = {end for e in holding for end in e[1:]} - set(group)
        if len(neighbors) > 1:
            bodies = tuple(name for name in mech.names if part[name] in group)
            yield bodies, tuple(e[0] for e in holding)


def _chains_of_parts(order: list[str], at: dict[str, list[tuple[str, str, str]]]) -> Iterator[tuple[str, ...]]:
    """Connected chains of two or more parts that have two joints each."""
    slim = [p for p in order if len(at[p]) == 2]
    chains: set[tuple[str, ...]] = {(p,) for p in slim}
    for _ in range(_LONGEST_CHAIN - 1):
        longer = set()
        for chain in sorted(chains):
            near = {end for p in chain for e in at[p] for end in e[1:]} - set(chain)
            longer |= {tuple(sorted((*chain, p))) for p in near if p in slim}
        yield from sorted(longer)
        chains = longer


def _rigid_parts(mech: Mechanism) -> dict[str, str]:
    """Every body with the first body of the rigid part it belongs to; fixed joints and unbent links make parts."""
    part = {name: name for name in (mech.base, *mech.names)}
    for joint in (*mech.joints, *mech.loops):
        if joint.kind.is_rigid or joint.kind.is_of_beam:
            old, new = part[joint.child], part[joint.parent]
            old, new = (new, old) if new != mech.base and old == mech.base else (old, new)
            part = {name: new if p == old else p for name, p in part.items()}
    return part


# --- freedoms of a mechanism that no actuator drives, and whether they are meant to be free ---------------------------

Array = np.ndarray


@dataclass(frozen=True)
class Freedoms:
    """The freedoms of a mechanism, seen from its actuators.

    Attributes:
        driven: how many independent motions the actuators drive.
        undriven: the motions they do not.
        expected: whether all of those are idle freedoms or motions of a floating base.
        description: one of the undriven motions; "" when there is none.
    """

    driven: int
    undriven: Undriven
    expected: bool
    description: str = ""

    @property
    def count(self) -> int:
        """Number of freedoms that no actuator drives."""
        return len(self.undriven.speeds)


@memo(valid_at="all", on_disk="freedoms")
def find_undriven_freedoms(kinematics: Kinematics) -> Freedoms:
    """Motions that the actuators drive, and those that they leave free."""
    motions = all_motions(kinematics)
    rates = motions.rates(motions.setup.actuated)
    ranks = [int(count_above(singular_values(G), SAME_MOTION)) for G in rates]
    driven = max(ranks, default=0)
    count = motions.mobility - driven
    if not count:
        return Freedoms(driven, Undriven((), ()), True)
    spaces = [_left_free(G, driven) for G in rates]
    regular = [k for k, rank in enumerate(ranks) if rank == driven]
    expected = _is_freedom_expected(motions, spaces, regular)
    N = np.array([motions.bases[k] @ spaces[k] for k in regular])
    speeds = tuple(sorted(standing_out(N, count)))
    description = motion_description(motions.names, sparse_motion(N[0]))
    return Freedoms(
        driven, Undriven(speeds, _undriven_motions_with_mass(motions, regular, N, speeds)), expected, description
    )


def _left_free(G: Array, driven: int) -> Array:
    """Motions at which the actuators rest, in the motions' own coordinates, (mobility, count)."""
    return decompose_scaled(G, complete=True).null_space(driven)


def _is_freedom_expected(motions: Motions, spaces: list[Array], at: list[int]) -> bool:
    """True if the motions left free at some configurations are idle ones or those of a floating base."""
    base = floating_base_motions(motions)
    if all(_is_within_space(spaces[k], base[k]) for k in at):
        return True
    idle = find_idle_freedoms(motions).spaces
    return all(_is_within_space(spaces[k], np.hstack([base[k], idle[k]])) for k in at)


def _is_within_space(space: Array, meant: Array) -> bool:
    """True if all motions of a space are among those that are meant to be free."""
    rest = null_space_basis(meant.T) if meant.shape[1] else np.eye(len(meant))
    return bool(np.abs(rest.T @ space).max(initial=0.0) < SAME_MOTION)


def _undriven_motions_with_mass(
    motions: Motions, regular: list[int], N: Array, speeds: tuple[int, ...]
) -> tuple[int, ...]:
    """Undriven motions, written in their own velocities, that move mass in some configuration."""
    tree = motions.setup.simplified
    if not motions.setup.closure.n_all and can_sweep(tree):  # the motions are speeds
        inertias = np.array([inertia_diagonal(tree, q) for q in motions.q[regular]], dtype=float) * motions.units**2
        moving = inertias > MASSLESS * inertias.max(axis=1, keepdims=True)
        return tuple(int(i) for i in np.flatnonzero(np.any(moving[:, list(speeds)], axis=0)))
    M = evaluate(Kernels(motions.setup).program(tree_functions.mass_matrix), motions.q[regular])
    M = M * np.outer(motions.units, motions.units)
    own = N @ np.linalg.inv(N[:, list(speeds)])
    found = np.einsum("kia,kij,kja->ka", own, M, own)
    most = np.sum(own**2, axis=1) * np.diagonal(M, axis1=1, axis2=2).max(axis=1)[:, None]
    return tuple(int(i) for i in np.flatnonzero(np.any(found > MASSLESS * most, axis=0)))
