"""Positions, velocities and accelerations of the actuators, and the Jacobian from them to a frame's twist."""

from __future__ import annotations

import numpy as np

from linkwright.algebra.vectors import Mat, Vec
from linkwright.compiler import inlined, tangent
from linkwright.errors import ArgumentError
from linkwright.functions.definition import compiled
from linkwright.functions.loop.independent_functions import independence_margin, planned_complement
from linkwright.functions.nested_programs import traced_on
from linkwright.functions.pivot_checks import flag_result
from linkwright.functions.setup import Setup
from linkwright.functions.stages import VelocityPartitionPlan
from linkwright.functions.tree.tree_functions import frame_attachment
from linkwright.loops.closure import actuation_matrix, relative_poses
from linkwright.loops.cut_joints import joint_value
from linkwright.recursion.poses import jacobian_of_frame
from linkwright.recursion.twist_recursion import tree_coordinate_rates


@compiled("q", public=True)
def actuator_positions(setup: Setup, q: Vec) -> Vec:
    """Coordinates along which the actuators act, (na,); angles at cut joints lie between -pi and pi."""
    by_speed = {
        link.dofs.start + i: link.coords.start + i
        for link in setup.tree.links
        if not link.kind.has_quaternion
        for i in range(link.dofs.stop - link.dofs.start)
    }
    cut = [joint_value(loop, pose) for loop, pose in zip(setup.closure.loops, relative_poses(setup.closure, q))]
    out = []
    for name, drive in zip(setup.actuated, setup.drives, strict=True):
        own = cut[drive.loop] if drive.speed is None else ()
        if drive.speed in by_speed:
            out.append(q[by_speed[drive.speed]])
        elif drive.part < len(own) and not setup.closure.loops[drive.loop].kind.has_quaternion:
            out.append(own[drive.part])
        else:
            raise ArgumentError(no_position(name, setup.mech.name))
    return np.array(out, dtype=q.dtype)


def no_position(name: str, mechanism: str) -> str:
    """Say that an actuator has no position."""
    return (
        f"actuator '{name}' of '{mechanism}' drives a joint whose rotation is a quaternion, so it has no "
        "position; ask actuator_velocities, or actuate joints of one freedom each"
    )


@compiled("q", "v", public=True)
def actuator_velocities(setup: Setup, q: Vec, v: Vec) -> Vec:
    """Velocities along which the actuators act, (na,)."""
    return actuation_matrix(setup.closure, setup.drives, q).T @ v


@compiled("q", "v", "a", public=True)
def actuator_accelerations(setup: Setup, q: Vec, v: Vec, a: Vec) -> Vec:
    """Rates of `actuator_velocities` while the mechanism moves with v and a, (na,)."""

    def rows(setup: Setup, q: Vec) -> Mat:
        return actuation_matrix(setup.closure, setup.drives, q)

    program, outer = traced_on(setup, rows, {"q": setup.tree.nq})
    B_dot = inlined(tangent(program, ["q"]), q, *outer, tree_coordinate_rates(setup.simplified, q, v))
    return rows(setup, q).T @ a + B_dot.T @ v


@compiled("q", stage=VelocityPartitionPlan, pivot_checked=True, of_loops=True, frame=True)
def checked_actuator_jacobian(stage: VelocityPartitionPlan, q: Vec, frame: str) -> Mat:
    """J with twist of the frame = J v_ind, (6, n_ind), world axes; the actuators are the independent velocities."""
    found = planned_complement(stage, q)
    J = jacobian_of_frame(stage.setup.simplified, q, *frame_attachment(stage.setup, frame))
    return flag_result(J @ found.R, independence_margin(stage.setup, q, found))
