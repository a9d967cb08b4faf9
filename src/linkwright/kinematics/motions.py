"""Motions of a mechanism at some closed configurations: bases of its motions and the twists they give its bodies."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property

import numpy as np

from linkwright.compiler import evaluate
from linkwright.dataclass import dataclass
from linkwright.functions import Kernels, part_names
from linkwright.functions.loop import closure_functions
from linkwright.functions.setup import Setup
from linkwright.kinematics.kinematics import Kinematics
from linkwright.mechanism import Mechanism
from linkwright.numerics.dense import decompose_scaled
from linkwright.numerics.tolerances import NAMED_VELOCITY, REGULAR_STATE, SAME_MOTION
from linkwright.plans.closed_samples import home_coordinates
from linkwright.plans.scales import random_coordinates
from linkwright.recursion.matrices import denoc_matrices, mass_center
from linkwright.recursion.poses import FramePose, link_poses

Array = np.ndarray
_LOOKED_AT = 4

# Joints of a motion that are named.
_MOST_NAMED = 6


@dataclass(frozen=True, eq=False)
class Motions:
    """Closed configurations with bases of the motions that keep them closed; speeds in units of the mechanism's size.

    Attributes:
        setup: the kinematics.
        q: configurations on the home pose's branch in which the equations have their usual rank, (k, nq).
        bases: orthonormal motions at each, (k, nv, mobility).
        units: what one unit of each speed counts, (nv,).
        length: the kinematics's size [m].
        elastic: freedoms of bending links, which these motions leave out.
    """

    setup: Setup
    q: Array
    bases: Array
    units: Array
    length: float
    elastic: int = 0

    @property
    def mobility(self) -> int:
        return int(self.bases.shape[2])

    @property
    def names(self) -> tuple[str, ...]:
        return part_names(self.setup.mech.joints, speeds=True)

    @cached_property
    def poses(self) -> list[list[FramePose]]:
        """Pose of every link at each configuration."""
        return [link_poses(self.setup.tree, q) for q in self.q]

    @cached_property
    def twists(self) -> Array:
        """Twist of every body at the world's origin for each motion, (k, n_bodies, 6, mobility), lengths in units."""
        states = zip(self.q, self.poses, strict=True)
        maps = np.array([_twist_map(self.setup, q, poses, self.length) for q, poses in states])
        return maps @ (self.bases * self.units[:, None])[:, None]

    def rates(self, names: Sequence[str]) -> Array:
        """Rates of named joint speeds, cut ones too, for each motion, (k, len(names), mobility)."""
        return speed_rows(self.setup, tuple(names), self.q, self.length) @ (self.bases * self.units[:, None])


def motions_of_mechanism(kinematics: Kinematics) -> Motions:
    """The motions of a mechanism with loops or without, in which no link bends."""
    return _rigid_motions(all_motions(kinematics))


def all_motions(kinematics: Kinematics) -> Motions:
    """The motions of a mechanism with loops or without."""
    setup = kinematics.setup
    scale = kinematics.scales
    if not setup.closure.n_all:
        rng = np.random.default_rng(1)
        q = np.concatenate(
            [home_coordinates(kinematics.all_rows)[None, :], random_coordinates(setup.mech, _LOOKED_AT - 1, rng)]
        )
        bases = np.broadcast_to(np.eye(setup.tree.nv), (len(q), setup.tree.nv, setup.tree.nv))
        return Motions(setup, _unit_quaternions(setup, q), bases, scale.speeds, scale.length)
    rank, samples = kinematics.rank.rank, kinematics.branch_samples
    J = kinematics.all_rows.values(closure_functions.closure_jacobian, samples)
    found = decompose_scaled(J, scale.rows, scale.speeds, complete=True)
    sizes = found.distance(rank)
    good = np.flatnonzero(sizes > REGULAR_STATE)
    good = good if len(good) else np.array([int(np.argmax(sizes))])
    chosen = good[np.unique(np.linspace(0, len(good) - 1, _LOOKED_AT).astype(int))]
    return Motions(setup, samples[chosen], found.null_space(rank)[chosen], scale.speeds, scale.length)


def elastic_speeds(mech: Mechanism) -> list[int]:
    """Places in v of the speeds with which links bend."""
    return [i for i, kind in enumerate(j.kind for j in mech.joints for _ in j.kind.v_parts) if kind.bends]


def _rigid_motions(found: Motions) -> Motions:
    """The motions in which no link bends."""
    bending = elastic_speeds(found.setup.mech)
    if not bending:
        return found
    spaces = [null_space_basis(N[bending]) for N in found.bases]
    rigid = min(space.shape[1] for space in spaces)
    bases = np.array([N @ space[:, :rigid] for N, space in zip(found.bases, spaces, strict=True)])
    return replace(found, bases=bases, elastic=found.mobility - rigid)


def speed_rows(setup: Setup, names: tuple[str, ...], q: Array, length: float) -> Array:
    """Rows that pick named joint speeds out of the tree's, lengths in units of `length`, (k, len(names), nv)."""
    from linkwright.functions.setup import setup as set_up  # the name is taken by the argument

    if not names:
        return np.zeros((len(q), 0, setup.tree.nv))
    B = evaluate(Kernels(set_up(setup.mech, names)).program(closure_functions.effort_matrix), q)
    units = np.array([length if is_linear_velocity(setup, name) else 1.0 for name in names])
    return np.swapaxes(B, -1, -2) / units[:, None]


def is_linear_velocity(setup: Setup, name: str) -> bool:
    """True if a velocity or the actuator of that name is linear."""
    mech = setup.mech
    parts: dict[str, str] = {}
    for joint in (*mech.joints, *mech.loops):
        parts |= dict(zip(part_names((joint,), speeds=True), joint.kind.v_parts, strict=True))
        parts |= {a.name: joint.kind.v_parts[a.dof] for a in mech.actuators if a.joint == joint.name}
    return parts[name] in ("length", "x", "y", "vx", "vy", "vz")


def _twist_map(setup: Setup, q: Array, poses: list[FramePose], length: float) -> Array:
    """Speeds to twists of all bodies at the world's origin, world axes, lengths in units, (n_bodies, 6, nv)."""
    tree = setup.tree
    N = denoc_matrices(tree, q, np.zeros(tree.nv)).N.reshape(len(tree.links), 6, tree.nv)
    out = np.array(N)
    for i, pose in enumerate(poses):
        center = pose.r + pose.R @ mass_center(tree, i)
        out[i, 3:] = (N[i, 3:] - np.cross(N[i, :3], center, axis=0)) / length
    return out


def _unit_quaternions(setup: Setup, q: Array) -> Array:
    q = np.array(q)
    parts = [part for joint in setup.mech.joints for part in joint.kind.q_parts]
    for i in [i for i, part in enumerate(parts) if part == "qw"]:
        q[:, i : i + 4] /= np.linalg.norm(q[:, i : i + 4], axis=1, keepdims=True)
    return q


def null_space_basis(A: Array) -> Array:
    """Orthonormal columns x with A x = 0, (n, dimension)."""
    if not A.shape[0] or not A.shape[1]:
        return np.eye(A.shape[1])
    found = decompose_scaled(A, complete=A.shape[0] < A.shape[1])
    return found.null_space(int(np.sum(found.s > SAME_MOTION * max(1.0, found.s[0]))))


def sparse_motion(motions: Array) -> Array:
    """One motion out of the span of the columns that moves few joints: all but one pivot joint held, (nv,)."""
    X = np.array(motions)
    for k in range(X.shape[1] - 1):
        row = int(np.argmax(np.abs(X[:, k:]).max(axis=1)))
        column = k + int(np.argmax(np.abs(X[row, k:])))
        X[:, [k, column]] = X[:, [column, k]]
        X[:, k + 1 :] -= np.outer(X[:, k], X[row, k + 1 :] / X[row, k])
    v = X[:, -1]
    return v / np.abs(v).max()


def motion_description(names: Sequence[str], v: Array) -> str:
    """The joints a motion moves, largest first, with their shares."""
    order = [i for i in np.argsort(-np.abs(v), kind="stable") if abs(v[i]) > NAMED_VELOCITY * np.abs(v).max()]
    shown = ", ".join(f"'{names[i]}' ({v[i]:+.2g})" for i in order[:_MOST_NAMED])
    return shown + (f" and {len(order) - _MOST_NAMED} more" if len(order) > _MOST_NAMED else "")
