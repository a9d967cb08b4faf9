"""Wang, Gosselin, Cheng 2001: the four-bar linkage with a flexible coupler, and the Gough-Stewart platform."""

from __future__ import annotations

import time
from functools import cache
from typing import Any

import numpy as np

from linkwright import catalog
from linkwright.algebra.rotations import rotation_matrix
from linkwright.control.laws import Sines
from linkwright.errors import AccuracyWarning, warn_caller, withheld_warnings
from linkwright.formulations.virtual_springs import VirtualSprings
from linkwright.numerics.tolerances import END_OF_WAY
from linkwright.papers.gallery.claim_records import Computed
from linkwright.papers.gallery.published_mechanisms import ACCURATE, catalog_model
from linkwright.papers.leg_division import leg_slices
from linkwright.results.result import Result
from linkwright.simulation.api import simulate
from linkwright.simulation.integrators import DOP853
from linkwright.simulation.running.flexible_links import AXIAL_LOAD

Array = np.ndarray
STIFF = VirtualSprings(1e6)
PLATFORM_SPRINGS = VirtualSprings(5e4, 50.0)


@cache
def flexible_linkage_run(formulation: Any) -> Result:
    """The linkage with the flexible coupler under 6 N m from rest, 2 s."""
    linkage, method = catalog_model("four-bar-flexible"), ACCURATE
    q = linkage.assemble().q
    with withheld_warnings(AccuracyWarning) as given:
        run = simulate(linkage, q, t_end=2.0, effort=[6.0], formulation=formulation, method=method, output=401)
    for each in given:
        if each.finding.code != AXIAL_LOAD:  # the paper's coupler has no shortening
            warn_caller(str(each), AccuracyWarning, each.finding)
    return run


def deflection_deviation() -> Array:
    """Mid-point deflection on springs less that of the closed linkage, (n,), in percent of the largest deflection."""
    exact, sprung = flexible_linkage_run(None)["coupler.mid_y"], flexible_linkage_run(STIFF)["coupler.mid_y"]
    return np.asarray(100.0 * (sprung - exact) / np.abs(exact).max())


def beam_frequency() -> float:
    """First frequency of the pinned beam, from inertia and stiffness of its first shape, [Hz]."""
    linkage, h = catalog_model("four-bar-flexible"), 1e-6
    q = linkage.assemble().q
    mass = linkage.mass_matrix(q)[3, 3]
    bent = q + h * np.eye(5)[3]
    stiffness = (linkage.bias_forces(bent, np.zeros(5)) - linkage.bias_forces(q, np.zeros(5)))[3] / h
    return float(np.sqrt(stiffness / mass) / (2.0 * np.pi))


def coupler_beam_data() -> list[float]:
    """rho A [kg/m] and E I [N m^2], from what the dynamics do with the first shape sin(pi x / l) of the pinned coupler.

    Its mass is rho A l / 2 and its stiffness E I (pi / l)^4 l / 2.
    """
    linkage, h = catalog_model("four-bar-flexible"), 1e-3
    length = next(joint.kind.beam.length for joint in linkage.mechanism.joints if joint.kind.bends)
    q, still = linkage.assemble().q, np.zeros(5)
    mass = linkage.mass_matrix(q)[3, 3]
    ahead, behind = (linkage.bias_forces(q + s * h * np.eye(5)[3], still)[3] for s in (1.0, -1.0))
    stiffness = (ahead - behind) / (2.0 * h)
    return [2.0 * mass / length, 2.0 * stiffness / length * (length / np.pi) ** 4]


def dominant_frequency() -> float:
    """Frequency of the highest peak in the spectrum of the mid-point deflection in the first second, [Hz]."""
    run, n = flexible_linkage_run(None), 1 << 15
    first = run.t <= 1.0
    x, t = run["coupler.mid_y"][first], run.t[first]
    size = np.abs(np.fft.rfft((x - x.mean()) * np.hanning(len(x)), n))
    f = np.fft.rfftfreq(n, t[1])
    return float(f[f > 2.0][np.argmax(size[f > 2.0])])


@cache
def platform_start() -> Array:
    """The printed pose x, y, z = -1.5, 0.1, 1.5, theta = 0.1, with the legs where it needs them."""
    turn = np.array([np.cos(0.05), 0.0, np.sin(0.05), 0.0])
    return catalog_model("gough-stewart").inverse_kinematics((np.array([-1.5, 0.1, 1.5]), turn))[0]


@cache
def platform_run(formulation: Any, t_end: float = 1.0, stop: bool = False) -> Result:
    """The platform under 9 N sin(pi t) in every leg."""
    return simulate(
        catalog_model("gough-stewart"),
        platform_start(),
        t_end=t_end,
        effort=Sines(np.full(6, 9.0), np.full(6, np.pi)),
        formulation=formulation,
        method=ACCURATE,
        output=0.01,
        stop_at=("singularity", "limits") if stop else ("singularity",),
    )


def largest_leg_gap(until: float) -> float:
    """Largest distance of a leg's end from its spherical joint on springs, [m]."""
    run = platform_run(PLATFORM_SPRINGS)
    apart = catalog_model("gough-stewart").closure_residual(run.q[run.t <= until + END_OF_WAY]).reshape(-1, 6, 3)
    return float(np.linalg.norm(apart, axis=2).max())


def gap_rates(until: float) -> float:
    """Largest rate of such a distance, [m/s]."""
    run = platform_run(PLATFORM_SPRINGS)
    early = run.t <= until + END_OF_WAY
    J = catalog_model("gough-stewart").closure_jacobian(run.q[early])
    rates = (J @ run.v[early][:, :, None])[:, :, 0].reshape(-1, 6, 3)
    return float(np.linalg.norm(rates, axis=2).max())


def platform_velocity(run: Result) -> Array:
    """Velocity of the platform's origin, (n, 3), [m/s], world axes."""
    return np.asarray(catalog_model("gough-stewart").frame_twist(run.q, run.v, "platform")[:, 3:])


def leg_angles(pose: tuple[float, float, float]) -> Array:
    """alpha of six legs and beta of the first at a level platform, [rad]."""
    q = catalog_model("gough-stewart").inverse_kinematics((np.array(pose), np.array([1.0, 0.0, 0.0, 0.0])))[0]
    return np.append(q[7:19:2], q[8])


def inverse_torques() -> Array:
    """Leg forces at 0 s of x = -1.5 + .1 sin(pi t), y = .1 sin(pi t + .5), z = 1.5 + .1 sin(2 pi t) and so on."""
    robot, w = catalog_model("gough-stewart"), np.pi
    pose = np.array([-1.5, 0.1 * np.sin(0.5), 1.5])
    vel = np.array([0.1 * w, 0.1 * w * np.cos(0.5), 0.2 * w])
    acc = np.array([0.0, -0.1 * w**2 * np.sin(0.5), 0.0])
    th, dth, ddth = 0.2 + 0.1 * np.sin(0.3), 0.2 * w * np.cos(0.3), -0.4 * w**2 * np.sin(0.3)
    (phi, dphi), (psi, ddpsi) = (0.0, 0.1 * w), (0.1, -0.1 * w**2)
    R = about_z(phi) @ about_y(th) @ about_z(psi)
    z, y, axis = np.array([0.0, 0.0, 1.0]), about_z(phi) @ [0.0, 1.0, 0.0], R @ [0.0, 0.0, 1.0]
    omega = dphi * z + dth * y
    alpha = ddth * y + dphi * dth * np.cross(z, y) + ddpsi * axis
    q, v, a = robot.inverse_kinematics((pose, quaternion(R)), np.append(omega, vel), np.append(alpha, acc))
    return robot.inverse_dynamics(q, v, a)


def about_z(x: float) -> Array:
    return rotation_matrix(np.array([np.cos(x / 2), 0.0, 0.0, np.sin(x / 2)]))


def about_y(x: float) -> Array:
    return rotation_matrix(np.array([np.cos(x / 2), 0.0, np.sin(x / 2), 0.0]))


def quaternion(R: Array) -> Array:
    w = np.sqrt(1.0 + np.trace(R)) / 2.0
    return np.array([w, *(np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]]) / (4.0 * w))])


def coupled_blocks() -> float:
    """Elements of the inertia that couple the platform or a leg with another leg; zero when it falls into blocks."""
    inertia = catalog_model("gough-stewart").mass_matrix(platform_start())
    blocks = [list(range(6)), *([6 + 2 * i, 7 + 2 * i, 18 + i] for i in range(6))]
    for block in blocks:
        inertia[np.ix_(block, block)] = 0.0
    return float(np.count_nonzero(inertia))


def platform_run_seconds() -> float:
    """Seconds that 2 s of the platform on springs take; the second run, everything compiled."""
    robot, q = catalog_model("gough-stewart"), platform_start()
    law, times = Sines(np.full(6, 9.0), np.full(6, np.pi)), []
    for _ in range(2):
        began = time.process_time()
        simulate(robot, q, t_end=2.0, effort=law, formulation=PLATFORM_SPRINGS, method=DOP853(rtol=1e-6), check=False)
        times.append(time.process_time() - began)
    return min(times)


def speed_up_bound() -> float:
    """The most that a processor per leg can gain on forward dynamics with springs: operations over the longest way."""
    cut = leg_slices(catalog.load("gough-stewart"), catalog_model("gough-stewart").program("spring_forward_dynamics"))
    return sum(cut.counts.values()) / cut.longest


def time_of_limit() -> float:
    run = platform_run(None, 2.0, stop=True)
    return next(event.t for event in run.events if event.kind == "limit")


COMPUTE: Computed = {
    "W4-accelerations": lambda: flexible_linkage_run(None).a[0, [0, 2, 3, 4]],
    "W4-data": coupler_beam_data,
    "W4-motion": lambda: flexible_linkage_run(None).q[-1, 0],
    "W4-frequency": dominant_frequency,
    "W4-beam": beam_frequency,
    "W4-two-percent": lambda: np.abs(deflection_deviation()).max(),
    "W4-deviation": lambda: np.abs(deflection_deviation()[::2]).max(),
    "W5-coordinates": lambda: catalog_model("gough-stewart").nv,
    "W5-lengths": lambda: platform_start()[19:],
    "W5-angles": lambda: platform_start()[7:19:2],
    "W5-other-pose": lambda: leg_angles((-1.5, 0.0, 1.0)),
    "W5-inverse": inverse_torques,
    "W5-motion": lambda: platform_run(None).q[50, :3],
    "W5-springs": lambda: platform_run(PLATFORM_SPRINGS).q[50, :3],
    "W5-gaps": lambda: largest_leg_gap(0.3),
    "W5-gap-rates": lambda: gap_rates(0.3),
    "W5-two-seconds": time_of_limit,
    "W6-platform-blocks": coupled_blocks,
    "W6-time": platform_run_seconds,
    "W6-speed-up": speed_up_bound,
}
"""Our numbers for every claim, by its name."""
