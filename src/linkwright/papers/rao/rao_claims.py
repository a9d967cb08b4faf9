"""Koteswara Rao, Saha, Rao 2006, the hexaslide HexaM: complement, forces on a circle, neglected inertias."""

from __future__ import annotations

import itertools
from dataclasses import replace
from functools import cache

import numpy as np

from linkwright import catalog
from linkwright.algebra.rotations import rotation_matrix
from linkwright.analysis.neglected_inertia import SpeedRow, neglect_inertia, speed_study
from linkwright.compiler import operation_count
from linkwright.forces import Friction
from linkwright.functions import function_registry
from linkwright.functions.loop.minimal_functions import noc_parts
from linkwright.model import build
from linkwright.papers.gallery.claim_records import Computed
from linkwright.papers.gallery.published_mechanisms import catalog_model, hexam_circle, shortest_cpu_time
from linkwright.papers.leg_division import leg_slices
from linkwright.papers.rao import numerical_noc as noc
from linkwright.papers.rao.rao_equations import Rao
from linkwright.papers.rao.rao_functions import RaoQuantities, rao_inverse, rao_quantities

Array = np.ndarray
CASES = {
    "sliders": tuple(f"slider{i}" for i in range(1, 7)),
    "legs": tuple(f"leg{i}" for i in range(1, 7)),
    "both": tuple(f"{part}{i}" for part in ("slider", "leg") for i in range(1, 7)),
}
"""The paper's cases 1, 2 and 3: whose inertias are left out."""
SPEEDS = tuple(range(10, 130, 10))


@cache
def circle_motion() -> tuple[Array, Array, Array]:
    """q, v, a over one turn at 40 rpm, every two degrees."""
    return hexam_circle()


def sampled_circle(step: int) -> tuple[Array, Array, Array]:
    """Every so many of these states."""
    q, v, a = circle_motion()
    return q[::step], v[::step], a[::step]


@cache
def hexam_slider_forces() -> Array:
    """Slider forces over the turn, (181, 6), [N]."""
    return catalog_model("hexam").inverse_dynamics(*circle_motion())


@cache
def sampled_rao_quantities() -> RaoQuantities:
    return rao_quantities(catalog_model("hexam"), *sampled_circle(15))


@cache
def neglected_inertia_study() -> tuple[SpeedRow, ...]:
    """Largest differences of the three cases at 10 to 120 rpm."""
    return speed_study(catalog_model("hexam"), CASES, *circle_motion(), [n / 40.0 for n in SPEEDS]).rows


@cache
def neglected_inertia_differences() -> dict[str, float]:
    return neglect_inertia(catalog_model("hexam"), CASES, *circle_motion()).largest


def slider_modes() -> Array:
    """Both working modes of slider 1 at the start, [m]."""
    return sampled_rao_quantities().d[0, :, 0]


def count_modes_within_stroke() -> float:
    """Number of the other working modes that lie within a stroke."""
    strokes = [j.limits.upper[0] for j in catalog.load("hexam").joints if j.limits and j.name.startswith("d")]
    return float(np.sum(sampled_rao_quantities().d[:, 1] <= np.array(strokes)))


def platform_jacobian_error() -> float:
    """J_a d_dot = J_t t_P with t_P the platform's twist."""
    found = sampled_rao_quantities()
    return float(np.abs(found.J_a * found.d_dot - (found.J_t @ found.t_P[..., None])[..., 0]).max())


def two_stages() -> float:
    found = sampled_rao_quantities()
    T = found.T_h @ found.T_d
    return float(np.abs(T - found.T_bar_h @ found.T_bar_d @ found.T_n).max())


def slider_inertia_error() -> float:
    """Explicit elements against R^T I R of the general engine, [kg]."""
    return float(
        np.abs(
            sampled_rao_quantities().inertia - catalog_model("hexam").minimal_inertia(circle_motion()[0][::15])
        ).max()
    )


def rod_spin_effect() -> float:
    """Largest change of a slider force when rods are taken not to spin, [N]."""
    q, v, a = sampled_circle(15)
    return float(
        np.abs(
            catalog_model("hexam").inverse_dynamics(q, v, a, formulation=Rao(spin=False)) - hexam_slider_forces()[::15]
        ).max()
    )


def largest_rod_spin_rate() -> float:
    """Largest angular velocity of a rod about itself with the universal joint, [rad/s]."""
    found = sampled_rao_quantities()
    return float(np.abs(np.einsum("nij,nij->ni", found.omega_2, found.J_t[..., 3:])).max())


def own_formulation() -> float:
    q, v, a = sampled_circle(5)
    return float(
        np.abs(catalog_model("hexam").inverse_dynamics(q, v, a, formulation=Rao()) - hexam_slider_forces()[::5]).max()
    )


def complement_deviation() -> float:
    """DeNOC against the complement found by singular values, over the turn, [N]."""
    states = list(zip(*sampled_circle(15), strict=True))
    found = [noc.numerical_noc(catalog_model("hexam"), *state).tau for state in states]
    return float(np.abs(np.array(found) - sampled_rao_quantities().tau).max())


def complement_time_ratio() -> float:
    """CPU time of the numerical complement over that of DeNOC, both as plain Python, as the paper's were both programs.

    The decomposition of the complement is LAPACK's; nothing else is compiled on either side.
    """
    kinematics, state = catalog_model("hexam").kinematics, [x[0] for x in circle_motion()]
    explicit = shortest_cpu_time(lambda: rao_inverse(kinematics.setup, *state))
    return shortest_cpu_time(lambda: noc.noc_by_svd(kinematics, noc_parts(kinematics.setup, *state))) / explicit


def decomposition_operation_ratio() -> float:
    """Operations of the decomposition of A alone over all of DeNOC's (4 n m^2 + 8 m^3 for m rows and n columns)."""
    kinematics = catalog_model("hexam").kinematics
    rows, columns = noc.numerical_noc(catalog_model("hexam"), *(x[0] for x in circle_motion())).A.shape
    return (4 * columns * rows**2 + 8 * rows**3) / operation_count(
        kinematics.all_rows.program(function_registry.definition_of_name("rao_inverse"))
    ).total


def parallel_bound() -> float:
    """Operations of Rao's inverse dynamics over those on the longest way with a processor per leg."""
    kinematics = catalog_model("hexam").kinematics
    cut = leg_slices(
        catalog.load("hexam"), kinematics.all_rows.program(function_registry.definition_of_name("rao_inverse"))
    )
    return sum(cut.counts.values()) / cut.longest


def least_slide(height: float) -> float:
    """Least slider position by the near working mode of (5) over legs and circle at p_Z = height, from Table I, [m]."""
    half_A = np.array([[0.9157, 0.11, 0.0], [-0.3625, 0.848, 0.0], [-0.5531, 0.738, 0.0]])
    half_E = np.array([[0.3095, 0.11, -0.35], [-0.0594, 0.323, -0.35], [-0.25, 0.213, -0.35]])
    half_r = np.array([[0.11, 0.1229, 0.0], [0.1615, 0.0337, 0.0], [0.0515, -0.1567, 0.0]])
    A, E = (np.vstack([x, x[::-1] * [1.0, -1.0, 1.0]]) for x in (half_A, half_E))
    r = np.vstack([half_r, half_r[::-1] * [-1.0, 1.0, 1.0]])
    u = (E - A) / np.linalg.norm(E - A, axis=1)[:, None]
    theta = np.linspace(0.0, 2.0 * np.pi, 181)
    p = np.stack([0.1 * np.cos(theta), 0.1 * np.sin(theta), np.full(181, height)], axis=-1)
    s = p[:, None] + r[:, [1, 0, 2]] * [1.0, 1.0, -1.0] - A
    along = np.sum(s * u, axis=2)
    return float((along - np.sqrt(along**2 - np.sum(s * s, axis=2) + 0.9**2)).min())


def least_difference_growth() -> float:
    """The least ratio of a case's largest difference to that at the next slower speed, 10 to 120 rpm."""
    rows = neglected_inertia_study()
    return min(b.largest[name] / a.largest[name] for a, b in itertools.pairwise(rows) for name in CASES)


def fast_growth() -> float:
    rows = neglected_inertia_study()[3:]
    return min(b.largest[name] / a.largest[name] for a, b in itertools.pairwise(rows) for name in CASES)


def tool_wrench_error() -> float:
    """A wrench on the tool costs the sliders (J_t^-1 J_a)^T w, [N]."""
    robot, (q, v, a) = catalog_model("hexam"), (x[0] for x in circle_motion())
    found, w = sampled_rao_quantities(), np.array([1.0, -2.0, 0.5, 10.0, -20.0, 30.0])
    map_to_twist = np.linalg.inv(found.J_t[0]) @ np.diag(found.J_a[0])
    J = robot.frame_jacobian(q, "platform") @ robot.independent_map(q)
    _, turn = robot.frame_pose(q, "platform")
    R = rotation_matrix(turn)
    body = np.concatenate([R.T @ w[:3], R.T @ w[3:]])
    extra = hexam_slider_forces()[0] - robot.inverse_dynamics(q, v, a, w_ext={"platform": body})
    return float(max(np.abs(extra - map_to_twist.T @ w).max(), np.abs(J - map_to_twist).max()))


def weight_power() -> float:
    """Power of the forces that hold the weight along the circle, less the rate of the potential energy, [W]."""
    robot, (q, v, _) = catalog_model("hexam"), (x[:-1] for x in circle_motion())
    still = np.zeros_like(v)
    sliders = [robot.v_names.index(name) for name in robot.independent]
    power = (robot.inverse_dynamics(q, still, still) * v[:, sliders]).sum(axis=1)
    potential = robot.energy(q, still)[1]
    turns = 2j * np.pi * (40.0 / 60.0) * np.fft.fftfreq(len(potential), 1.0 / len(potential))
    return float(np.abs(power - np.fft.ifft(turns * np.fft.fft(potential)).real).max())


def slider_friction_error() -> float:
    """Viscous friction at the sliders costs c d_dot there, and nothing else, [N]."""
    mech, (q, v, a) = catalog.load("hexam"), sampled_circle(15)
    robot, c = catalog_model("hexam"), np.linspace(1.0, 2.0, 6)
    of_slider = dict(zip(robot.independent, c))
    joints = [replace(j, friction=Friction((of_slider[j.name],))) if j.name in of_slider else j for j in mech.joints]
    rough = build(replace(mech, joints=tuple(joints)))
    d_dot = v[:, [robot.v_names.index(name) for name in robot.independent]]
    extra = rough.inverse_dynamics(q, v, a) - robot.inverse_dynamics(q, v, a)
    return float(np.abs(extra - c * d_dot).max())


COMPUTE: Computed = {
    "R1-modes": slider_modes,
    "R1-stroke": count_modes_within_stroke,
    "R1-jacobians": platform_jacobian_error,
    "R1-reach": lambda: least_slide(-0.11),
    "R1-reach-corrected": lambda: least_slide(-1.1),
    "R2-spin": rod_spin_effect,
    "R2-spin-rate": largest_rod_spin_rate,
    "R3-complement": two_stages,
    "R3-inertia": slider_inertia_error,
    "R4-algorithm": own_formulation,
    "R4-processors": parallel_bound,
    "R5-forces": lambda: hexam_slider_forces()[0],
    "R6-deviation": complement_deviation,
    "R6-time": complement_time_ratio,
    "R6-operations": decomposition_operation_ratio,
    "R7-neglect": lambda: list(neglected_inertia_differences().values()),
    "R7-legs-more": lambda: neglected_inertia_differences()["legs"] / neglected_inertia_differences()["sliders"],
    "R7-study": lambda: list(neglected_inertia_study()[-1].largest.values()),
    "R7-speed": least_difference_growth,
    "R7-fast": fast_growth,
    "R7-wrench": tool_wrench_error,
    "R7-gravity": weight_power,
    "R7-dissipation": slider_friction_error,
}
"""Our numbers for every claim, by its name."""
