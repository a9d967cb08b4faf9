"""Rahmani Hanzaki, Yoosefi 2011, the 3-RPS: Euler parameters, cut spherical joints, driving forces."""

from __future__ import annotations

from functools import cache

import numpy as np

from linkwright.algebra import rotations
from linkwright.papers.gallery.claim_records import Computed
from linkwright.papers.gallery.published_mechanisms import rps_motion, weightless_rps
from linkwright.papers.hanzaki import hanzaki_equations
from linkwright.papers.hanzaki.hanzaki_equations import Hanzaki
from linkwright.papers.hanzaki.hanzaki_functions import HanzakiQuantities, hanzaki_quantities

Array = np.ndarray
STEEL = 7.801e-6
"""kg/mm^3: the density that reproduces every printed mass."""


@cache
def rps_state(t: float) -> tuple[Array, Array, Array]:
    """q, v, a at a time."""
    q, v, a = rps_motion(np.array([t]))
    return q[0], v[0], a[0]


@cache
def _rps_quantities(t: float) -> HanzakiQuantities:
    return hanzaki_quantities(weightless_rps(), *rps_state(t))


def leg_forces(times: Array) -> Array:
    """Driving forces of the three legs, (n, 3), [N]."""
    return weightless_rps().inverse_dynamics(*rps_motion(np.asarray(times)))


def _euler_rate_error() -> float:
    """omega = G* e_dot against the rate of the rotation, for a random turn."""
    wxyz = np.array([0.5, 0.5, -0.7, 0.1]) / np.linalg.norm([0.5, 0.5, -0.7, 0.1])
    v = np.array([0.3, -0.8, 0.5])
    R, q_dot = rotations.rotation_matrix(wxyz), rotations.quaternion_rate(wxyz, v)
    return float(np.abs(hanzaki_equations.G_star(wxyz) @ q_dot[1:] - R @ v).max())


def _euler_form_error() -> float:
    """G* against (R + 1) / e0."""
    wxyz = np.array([0.5, 0.5, -0.5, 0.5])
    R = rotations.rotation_matrix(wxyz)
    return float(np.abs(hanzaki_equations.G_star(wxyz) - (R + np.eye(3)) / wxyz[0]).max())


def _largest_near_half_turn() -> float:
    """det G* = 8 / e0 at e0 = 1e-6: the factor on e_dot."""
    e0 = 1e-6
    return float(np.linalg.det(hanzaki_equations.G_star(np.array([e0, np.sqrt(1.0 - e0**2), 0.0, 0.0]))))


def _mixed_joints() -> float:
    """N^T M N with joints of one and three velocities, in Euler-parameter rates, against the open chains' inertia."""
    found = _rps_quantities(0.7)
    N = found.N_l @ found.N_d
    return float(np.abs(N.T @ found.M @ N - found.inertia).max())


def _constraint_counts() -> Array:
    """Variables, constraints and freedoms: nine velocities of the opened chains, six equations at two cuts."""
    found = _rps_quantities(0.7)
    velocities, cuts = found.N_d.shape[1], 3 * found.multipliers.shape[0]
    return np.array([velocities, cuts, velocities - cuts])


def _reaction_difference() -> float:
    """Multipliers of legs 2 and 3 against the reactions of the general engine, [N]."""
    robot, (q, v, a) = weightless_rps(), rps_state(0.7)
    found, turn = robot.joint_reactions(q, v, a), rotations.rotation_matrix(q[3:7])
    on_legs = np.array([-turn @ found[f"ball{i}"][3:] for i in (2, 3)])
    return float(np.abs(_rps_quantities(0.7).multipliers_world - on_legs).max())


def _another_formulation() -> float:
    """Hanzaki's formulation against multipliers along the motion, [N]."""
    states, robot = rps_motion(np.linspace(0.0, 3.0, 31)), weightless_rps()
    return float(
        np.abs(robot.inverse_dynamics(*states, formulation=Hanzaki()) - leg_forces(np.linspace(0, 3, 31))).max()
    )


def steel_rod(radius: float, length: float) -> tuple[float, float, float]:
    """Mass [kg], inertia along and across the rod about its end [kg mm^2], of a steel rod in mm."""
    m = STEEL * np.pi * radius**2 * length
    return m, m * radius**2 / 2.0, m * (3.0 * radius**2 + length**2) / 12.0 + m * (length / 2.0) ** 2


def steel_plate(radius: float, thickness: float) -> tuple[float, float, float, float]:
    """Mass, and inertias about a corner (x to the centroid, z normal), of a triangular steel plate."""
    m = STEEL * 0.75 * np.sqrt(3.0) * radius**2 * thickness
    side = 3.0 * radius**2
    flat = m * (side / 24.0 + thickness**2 / 12.0)
    return m, flat, flat + m * radius**2, m * side / 12.0 + m * radius**2


def _solid_mass_ratios() -> Array:
    """Masses and inertias about O_i that our model computes with, over those of steel solids of the printed sizes.

    Rods r5 x 200 and r10 x 160, and a plate with corners at 100 mm, 10 mm thick; O_i is the end of a rod and a corner
    of the plate.
    """
    mech = weightless_rps().mechanism
    bodies = {body.name: body.inertia for body in mech.bodies}
    lower, upper, plate_ = bodies["lower1"], bodies["upper1"], bodies["platform"]
    corner = next(joint for joint in mech.loops if joint.name == "ball1").child_at.xyz
    used: list[float] = []
    for inertia, point, entries in (
        (lower, (0, 0, 0), (0, 1)),
        (upper, (0, 0, 0), (0, 1)),
        (plate_, corner, (0, 1, 2)),
    ):
        arm = np.array(inertia.com) - np.array(point)
        about = np.array(inertia.tensor) + inertia.mass * (arm @ arm * np.eye(3) - np.outer(arm, arm))
        used += [inertia.mass, *(1e6 * about[k, k] for k in entries)]
    return np.array(used) / np.array([*steel_rod(5.0, 200.0), *steel_rod(10.0, 160.0), *steel_plate(100.0, 10.0)])


def _lagrange_difference() -> float:
    """Driving forces along the motion against Lagrange's equations of the energies, largest difference, [N].

    T and V of the closed mechanism as functions of the three leg lengths and their rates are differentiated by
    differences; Newton and Euler's equations, multipliers and reactions take no part.
    """
    times = np.linspace(0.0, 3.0, 31)[1:-1]
    q, v, a = rps_motion(times)
    return max(
        float(np.abs(leg_forces(np.array([t]))[0] - _lagrange_at(*state)).max()) for t, *state in zip(times, q, v, a)
    )


def _lagrange_at(q: Array, v: Array, a: Array) -> Array:
    robot, h = weightless_rps(), 1e-4
    legs = [robot.v_names.index(f"s{i}") for i in (1, 2, 3)]
    elements = [robot.q_names.index(f"s{i}") for i in (1, 2, 3)]
    s, s_dot, s_ddot = q[elements], v[legs], a[legs]

    def lagrangian(x: Array, x_dot: Array) -> tuple[float, float]:
        at, rates, _ = robot.forward_kinematics(x, x_dot, np.zeros(3), near=q)
        kinetic, potential = robot.energy(at, rates)
        return float(kinetic), float(potential)

    def momentum(x: Array, x_dot: Array) -> Array:
        """dT/ds_dot; T is quadratic in the rates, so that a difference over any step is exact."""
        steps = np.eye(3)
        return np.array([0.5 * (lagrangian(x, x_dot + e)[0] - lagrangian(x, x_dot - e)[0]) for e in steps])

    def along(e: Array) -> float:
        (T1, V1), (T0, V0) = (lagrangian(s + sign * h * e, s_dot) for sign in (1.0, -1.0))
        return (T1 - V1 - T0 + V0) / (2.0 * h)

    way = h * s_dot, h * s_ddot
    rate = (momentum(s + way[0], s_dot + way[1]) - momentum(s - way[0], s_dot - way[1])) / (2.0 * h)
    return rate - np.array([along(e) for e in np.eye(3)])


COMPUTE: Computed = {
    "H1-solids": _solid_mass_ratios,
    "H2-rates": _euler_rate_error,
    "H2-form": _euler_form_error,
    "H2-singularity": _largest_near_half_turn,
    "H2-mixed": _mixed_joints,
    "H3-multipliers": _reaction_difference,
    "H4-count": _constraint_counts,
    "H4-forces": lambda: leg_forces(np.array([0.0, 1.5])),
    "H4-formulations": _another_formulation,
    "H4-other-code": _lagrange_difference,
}
"""Our numbers for every claim, by its name."""
