"""Wang, Gosselin, Cheng 2001, the rigid four-bar linkage: springs at the cut, stiffness, three ways side by side."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from scipy.integrate import solve_ivp

from linkwright.compiler import operation_count
from linkwright.dynamics.methods import spring_kernels
from linkwright.formulations.minimal_equations import Minimal
from linkwright.formulations.virtual_springs import VirtualSprings
from linkwright.functions import function_registry
from linkwright.functions.loop import spring_functions
from linkwright.papers.gallery.claim_records import Computed
from linkwright.papers.gallery.published_mechanisms import ACCURATE, catalog_model, shortest_cpu_time
from linkwright.results.result import Result
from linkwright.simulation.api import simulate
from linkwright.simulation.integrators import DOP853, Rodas5P

Array = np.ndarray
START = np.array([np.pi / 2, 0.3532808961981055, 1.2648578195810694])
"""theta, alpha, phi of the assembled linkage, absolute angles, [rad]."""
TORQUE = 6.0
_RTOL = 1e-8
TAU = np.array([TORQUE])
L, M_LINK, R_COM, G = (1.0, 4.0, 2.5), (1.0, 1.0, 1.0), (0.5, 2.0, 1.25), 9.8
INERTIA = tuple(m * l * l / 12.0 for m, l in zip(M_LINK, L))
SPRINGS, DAE, CLOSED_FORM = VirtualSprings(1e6), None, Minimal(displacement=True)


def relative_angles(angles: Any) -> Array:
    """The paper's absolute theta, alpha, phi to the file's theta, alpha - theta, phi."""
    theta, alpha, phi = np.moveaxis(np.asarray(angles, dtype=float), -1, 0)
    return np.stack([theta, alpha - theta, phi], axis=-1)


def absolute_angles(q: Array) -> Array:
    """The file's coordinates or velocities to those of the paper's absolute angles."""
    return np.stack([q[..., 0], q[..., 0] + q[..., 1], q[..., 2]], axis=-1)


@cache
def four_bar_run(formulation: Any, t_end: float = 2.0, rows: int = 201) -> Result:
    """The linkage under 6 N m from rest."""
    method = ACCURATE
    return simulate(
        catalog_model("four-bar"),
        relative_angles(START),
        t_end=t_end,
        effort=TAU,
        formulation=formulation,
        method=method,
        output=rows,
    )


def cut_joint_gap(q: Array) -> Array:
    """The distance e of the cut ends of joint B (equation 44), [m]."""
    theta, alpha, phi = np.moveaxis(absolute_angles(q), -1, 0)
    x = L[0] * np.cos(theta) + L[1] * np.cos(alpha) - 3.0 - L[2] * np.cos(phi)
    y = L[0] * np.sin(theta) + L[1] * np.sin(alpha) - L[2] * np.sin(phi)
    return np.asarray(np.hypot(x, y))


def spring_gap(k: float, rows: int = 4001) -> Array:
    """e(t) over the first 0.1 s, (rows,), [m]."""
    return cut_joint_gap(four_bar_run(VirtualSprings(k), 0.1, rows).q)


def spring_equation_error(k: float) -> float:
    """Our accelerations on springs against M, c and f of equations 17-19, at a state with an open joint; relative."""
    (th, al, ph), (w1, w2, _w3) = q, v = np.array([0.7, 0.2, 1.1]), np.array([0.4, -0.3, 0.9])
    (l1, l2, l3), (m1, m2, m3), (r1, r2, r3), I = L, M_LINK, R_COM, INERTIA
    M = np.diag([I[0] + m1 * r1**2 + m2 * l1**2, I[1] + m2 * r2**2, I[2] + m3 * r3**2])
    M[0, 1] = M[1, 0] = m2 * l1 * r2 * np.cos(th - al)
    c = [
        m2 * l1 * r2 * np.sin(th - al) * w2**2 + (m1 * G * r1 + m2 * G * l1) * np.cos(th),
        -m2 * l1 * r2 * np.sin(th - al) * w1**2 + m2 * G * r2 * np.cos(al),
        m3 * G * r3 * np.cos(ph),
    ]
    x = k * (l1 * np.cos(th) + l2 * np.cos(al) - 3.0 - l3 * np.cos(ph))
    y = k * (l1 * np.sin(th) + l2 * np.sin(al) - l3 * np.sin(ph))
    f = [
        TORQUE + l1 * np.sin(th) * x - l1 * np.cos(th) * y,
        l2 * np.sin(al) * x - l2 * np.cos(al) * y,
        -l3 * np.sin(ph) * x + l3 * np.cos(ph) * y,
    ]
    paper = np.linalg.solve(M, np.array(f) - c)
    ours = catalog_model("four-bar").forward_dynamics(
        relative_angles(q), relative_angles(v), TAU, formulation=VirtualSprings(k)
    )
    return float(np.abs(absolute_angles(ours) - paper).max() / np.abs(paper).max())


def elimination_error(printed: bool) -> float:
    """Largest error of equation 20 along the motion, where the torque is 6 N m: as printed, or corrected."""
    run = four_bar_run(DAE)
    errors = []
    for (th, al, ph), (w1, w2, _), a in zip(
        absolute_angles(run.q), absolute_angles(run.v), absolute_angles(run.a), strict=True
    ):
        (l1, l2, l3), (m1, m2, m3), (r1, r2, r3), I = L, M_LINK, R_COM, INERTIA
        I2, I3 = I[1] + m2 * r2**2, I[2] + m3 * r3**2
        part = m2 * r2 * l1 * l3 * (np.cos(th - al) * a[0] + np.sin(al - th) * w1**2)
        part += l3 * I2 * a[1] + m2 * G * r2 * l3 * np.cos(al)
        x = np.cos(ph) * part + l2 * I3 * np.cos(al) * a[2]
        y = np.sin(ph) * part + l2 * I3 * np.sin(al) * a[2] + m3 * G * r3 * l2 * np.sin(al) * np.cos(ph)
        if not printed:
            x += m3 * G * r3 * l2 * np.cos(al) * np.cos(ph)
        x, y = np.array([x, y]) / (l2 * l3 * np.sin(al - ph))
        own = (I[0] + m1 * r1**2 + m2 * l1**2) * a[0] + m2 * l1 * r2 * np.cos(th - al) * a[1]
        own += m2 * l1 * r2 * np.sin(th - al) * w2**2 + (m1 * G * r1 + m2 * G * l1) * np.cos(th)
        sign = -1.0 if printed else 1.0
        errors.append(own - l1 * np.sin(th) * x + sign * l1 * np.cos(th) * y - TORQUE)
    return float(np.abs(errors).max())


def our_elimination() -> float:
    run = four_bar_run(DAE)
    tau = catalog_model("four-bar").inverse_dynamics(run.q[::20], run.v[::20], run.a[::20], formulation=SPRINGS)
    return float(np.abs(tau - TORQUE).max())


def gap_envelope(k: float) -> float:
    """Largest gap in the first 0.1 s times the stiffness, [N]."""
    return float(spring_gap(k).max() * k)


def off_diagonal() -> float:
    """Inertia between the output link and the others, which are cut apart: number of elements that are not zero."""
    pattern = catalog_model("four-bar").mass_matrix(relative_angles(START))
    return float(np.count_nonzero(pattern[2, :2]) + np.count_nonzero(pattern[:2, 2]))


def angle_differences(formulation: Any) -> Array:
    return np.asarray(absolute_angles(four_bar_run(formulation).q) - absolute_angles(four_bar_run(DAE).q))


def operations_of_run(formulation: Any, name: str) -> float:
    """Operations of all derivatives in a run of 2 s: the count of one times their number."""
    linkage = catalog_model("four-bar")
    if isinstance(formulation, VirtualSprings):
        count = operation_count(
            spring_kernels(linkage.kinematics, formulation).program(function_registry.definition_of_name(name))
        ).total
    else:
        count = linkage.operation_count(name).total
    return float(count * four_bar_run(formulation).stats["evaluations"])


def spring_work() -> float:
    return operations_of_run(SPRINGS, "spring_forward_dynamics") / operations_of_run(DAE, "forward_dynamics")


@cache
def cpu_times() -> Array:
    """CPU time of 2 s on springs, by multipliers and with displacement analysis, rtol 1e-8, [s]."""
    return np.array([shortest_cpu_time(lambda f=f: _plain_run(f)) for f in (SPRINGS, DAE, CLOSED_FORM)])  # type: ignore[misc]


def _plain_run(formulation: Any) -> Result:
    linkage, q = catalog_model("four-bar"), relative_angles(START)
    method = DOP853(rtol=_RTOL)
    return simulate(linkage, q, t_end=2.0, effort=TAU, formulation=formulation, method=method, check=False)


def cheaper_derivative() -> float:
    """Operations of one derivative on springs as part of one with multipliers."""
    linkage = catalog_model("four-bar")
    springs = operation_count(
        spring_kernels(linkage.kinematics, SPRINGS).program(spring_functions.spring_forward_dynamics)
    ).total
    return springs / linkage.operation_count("forward_dynamics").total


def stiff_method_differences() -> Array:
    """Backward differences (SciPy) and Rosenbrock (ours) against our explicit method, damped springs, 0.1 s; [rad]."""
    linkage, springs, q = catalog_model("four-bar"), VirtualSprings(1e4, 4.472), relative_angles(START)

    def derivative(_: float, x: Array) -> Array:
        return np.concatenate([x[3:], linkage.forward_dynamics(x[:3], x[3:], TAU, formulation=springs)])

    stiff = solve_ivp(derivative, (0.0, 0.1), np.concatenate([q, np.zeros(3)]), "BDF", rtol=_RTOL, atol=1e-10)
    ours = simulate(linkage, q, t_end=0.1, effort=TAU, formulation=springs, method=Rodas5P(rtol=_RTOL), output=11)
    explicit = four_bar_run(springs, 0.1, 11).q[-1]
    return np.array([np.abs(x - explicit).max() for x in (stiff.y[:3, -1], ours.q[-1])])


COMPUTE: Computed = {
    "W1-start": lambda: absolute_angles(catalog_model("four-bar").forward_kinematics(np.array([np.pi / 2]))[0])[1:],
    "W1-equations": lambda: spring_equation_error(1e4),
    "W1-accelerations": lambda: absolute_angles(four_bar_run(DAE).a[0]),
    "W2-printed": lambda: elimination_error(True),
    "W2-corrected": lambda: elimination_error(False),
    "W2-inverse": our_elimination,
    "W3-error": lambda: spring_gap(1e6)[-1],
    "W3-envelope": lambda: [gap_envelope(10.0**n) for n in (4, 5, 6, 7)],
    "W3-motion": lambda: four_bar_run(DAE).q[-1, 0],
    "W3-spring-motion": lambda: np.abs(angle_differences(SPRINGS)).max(axis=0),
    "W3-three-ways": lambda: np.abs(angle_differences(CLOSED_FORM)).max(),
    "W3-small": lambda: np.abs(angle_differences(SPRINGS)).max(),
    "W3-speed": spring_work,
    "W3-times": lambda: cpu_times()[0] / cpu_times()[1:],
    "W6-cheaper": cheaper_derivative,
    "W6-blocks": off_diagonal,
    "W7-methods": stiff_method_differences,
}
"""Our numbers for every claim, by its name."""
