"""Contact of the sides of a loop: gap and force along a normal, as functions that can be traced."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from linkwright.algebra.transforms import frame_with_z
from linkwright.algebra.vectors import Vec3
from linkwright.compiler import Kernel, Program, compiled, trace
from linkwright.functions.loop.multiplier_functions import loop_forward_dynamics
from linkwright.functions.setup import Setup
from linkwright.loops.closure import loop_wrenches
from linkwright.loops.cut_joints import loop_of, loop_pose
from linkwright.mechanism.records import Joint
from linkwright.model import Model
from linkwright.recursion.poses import link_poses
from linkwright.simulation.problem.applied_loads import NOTHING, AppliedLoads

Array = np.ndarray

SLACK = 1e-12
"""Contact is found this share of the mechanism's size behind the surface, so that one just left is in front."""


def axes_of_parent(joint: Joint) -> Array:
    """Axes of a loop's frame on its parent, as columns in the parent body's axes, (3, 3)."""
    axes = joint.kind.axes
    return joint.at.R @ (frame_with_z(axes[0]) if axes else np.eye(3))


def gap_along(setup: Setup, joint: Joint, normal: Vec3 | None) -> Callable[[Any], Any]:
    """Distance of the child from the parent along the normal, as a function of q, [m]; of a rod, its slack."""
    loop = loop_of(setup.mech, setup.simplified, joint)
    span = joint.kind.rod_length
    if span is not None:

        def slack(q: Any) -> Any:
            d = loop_pose(loop, link_poses(setup.simplified, q)).d
            return np.sqrt(d @ d) - span

        return slack
    u = axes_of_parent(joint).T @ np.array(normal)
    return lambda q: u @ loop_pose(loop, link_poses(setup.simplified, q)).d


def push_program(model: Model, name: str, normal: Vec3 | None, acting: AppliedLoads = NOTHING) -> Program:
    """The force of parent on child along the normal in a closed loop [N]; of a rod, its thrust.

    It is a function of q, v and tau; the numbers of wrenches follow the efforts.
    """
    planned = model.dynamics.kernels.stage
    setup = planned.setup
    index, joint = next((i, j) for i, j in enumerate(model.mechanism.loops) if j.name == name)
    rod = joint.kind.rod_length is not None
    u = np.zeros(3) if rod else axes_of_parent(joint).T @ np.array(normal)
    rows = range(setup.closure.n_all) if setup.closure.kept is None else setup.closure.kept
    first = [model.kinematics.loop_of_row(i) for i in range(setup.closure.n_all)].index(name)

    def push(q: Array, v: Array, tau: Array) -> Array:
        applied = acting.on(planned, q, v, tau)
        tau = applied.tau
        _, kept, _ = loop_forward_dynamics(planned, q, v, tau, *applied.outer)
        lam = np.zeros(setup.closure.n_all, dtype=kept.dtype)
        lam[list(rows)] = kept
        if rod:
            return np.array([lam[first]])
        near, far = loop_wrenches(setup.closure, setup.drives, q, lam, tau)[index]
        parent = far if setup.closure.loops[index].flipped else near
        return np.array([-(parent[3:] @ u)])

    return trace(push, {"q": model.nq, "v": model.nv, "tau": model.na + acting.n_wrenches})


def push_kernel(program: Program) -> Kernel:
    """Compile a program of `push_program`."""
    return compiled(b"push" + program.digest, lambda: program)
