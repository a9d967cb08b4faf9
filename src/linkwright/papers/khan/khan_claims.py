"""Khan, Krovi, Saha, Angeles 2005, the planar 3-RRR: geometry, annihilators, velocities, dynamics, an opened loop."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np

from linkwright import catalog
from linkwright.forces import Friction
from linkwright.formulations.minimal_equations import Minimal
from linkwright.formulations.virtual_springs import VirtualSprings
from linkwright.joints import Revolute
from linkwright.mechanism import Joint, Mechanism
from linkwright.model import Model, build
from linkwright.numerics.dense import least_norm
from linkwright.numerics.tolerances import DIFFERENCE_STEP, NO_EFFECT
from linkwright.papers.gallery.claim_records import Computed
from linkwright.papers.gallery.published_mechanisms import KHAN_START, catalog_model, khan_motion, khan_pose, khan_start
from linkwright.papers.khan.khan_equations import Khan, geometric_annihilator, numeric_annihilator
from linkwright.papers.khan.khan_functions import KhanQuantities, khan_quantities
from linkwright.papers.leg_division import leg_slices
from linkwright.results.result import Result
from linkwright.simulation.api import simulate
from linkwright.simulation.integrators import DOP853
from linkwright.simulation.switching.switches import Close, Open

Array = np.ndarray


@cache
def khan_state(t: float) -> tuple[Array, Array, Array]:
    q, v, a = khan_motion(np.array([t]))
    return q[0], v[0], a[0]


@cache
def khan_quantities_at(t: float) -> KhanQuantities:
    return khan_quantities(catalog_model("3-rrr"), *khan_state(t))


def khan_torques(times: Array) -> Array:
    """Driving torques along the prescribed motion, (n, 3), [N m]."""
    return catalog_model("3-rrr").inverse_dynamics(*khan_motion(np.asarray(times)))


def spatial_rest() -> Array:
    """Rest of the platform's spatial twist beside the planar one, and the planar one less the pose's rate, (6,)."""
    (q, v, _), h = khan_state(0.7), DIFFERENCE_STEP
    twist = catalog_model("3-rrr").frame_twist(q, v, "platform")
    rate = (khan_pose(khan_state(0.7 + h)[0]) - khan_pose(khan_state(0.7 - h)[0])) / (2.0 * h)
    return np.concatenate([twist[[0, 1, 5]], twist[[3, 4, 2]] - rate])


def printed_start() -> Array:
    """theta4-6 and the platform's pose at the printed start of the actuators."""
    return np.concatenate([khan_start()[3:6], khan_pose(khan_start())])


def printed_gap() -> float:
    """Largest closure residual when every angle has the three printed digits and l0 = 1 m, [m]."""
    theta, rel = KHAN_START, np.array([-0.865, -2.102, -0.976])
    bases = np.array([[0.0, 0.0], [1.0, 0.0], [0.5, np.sqrt(3.0) / 2.0]])
    tips = bases + 0.4 * unit_direction(theta) + 0.6 * unit_direction(theta + rel)
    corners = 0.4 / np.sqrt(3.0) * unit_direction(3.916 + np.deg2rad([210.0, 330.0, 90.0])) + [0.728, 0.233]
    return float(np.linalg.norm(tips - corners, axis=1).max())


def unit_direction(angle: Array) -> Array:
    return np.stack([np.cos(angle), np.sin(angle)], axis=-1)


def count_assembly_modes() -> float:
    return float(len(catalog_model("3-rrr").assembly_modes(KHAN_START)))


def second_mode() -> Array:
    found = [khan_pose(mode.q) for mode in catalog_model("3-rrr").assembly_modes(KHAN_START)]
    other = max(found, key=lambda pose: float(np.linalg.norm(pose[:2] - khan_pose(khan_start())[:2])))
    return np.append(other[:2], np.mod(other[2], 2.0 * np.pi))


def formulation_difference() -> float:
    """Accelerations by multipliers, projection and Khan's own formulation, at 0.7 s; relative."""
    robot, (q, v, a) = catalog_model("3-rrr"), khan_state(0.7)
    tau = robot.inverse_dynamics(q, v, a)
    found = [robot.forward_dynamics(q, v, tau, formulation=f) for f in (None, Minimal(), Khan())]
    return float(max(np.abs(x - a).max() for x in found) / np.abs(a).max())


def penalty_error_ratio() -> float:
    """Penalty as springs: accelerations where the springs carry the loads are off by a size that falls as 1/k."""
    robot, (q, v, a) = catalog_model("3-rrr"), khan_state(0.7)
    tau, J = robot.inverse_dynamics(q, v, a), robot.closure_jacobian(q)
    force = robot.generalized_forces(q, v, a)
    rest = force - np.concatenate([tau, np.zeros(robot.nv - 3)])
    lam = least_norm(J.T, rest, NO_EFFECT)
    errors = []
    for k in (1e6, 1e7):
        open_q = q - least_norm(J, lam / k, NO_EFFECT)
        found = robot.forward_dynamics(open_q, v, tau, formulation=VirtualSprings(k, arm=1.0))
        errors.append(float(np.abs(found - a).max()))
    return errors[0] / errors[1]


def annihilator_error() -> float:
    """Geometric and numeric annihilators of a revolute joint's twist, both applied to it."""
    axis, r = np.array([0.6, 0.0, 0.8]), np.array([0.2, -0.4, 0.5])
    t = np.concatenate([axis, np.cross(r, axis)])
    geometric, (numeric, _) = geometric_annihilator(Revolute(), [axis], r), numeric_annihilator(t)
    return float(max(np.abs(geometric @ t).max(), np.abs(numeric @ t).max()))


def projection_error() -> float:
    """Phi_i of the legs: symmetric and idempotent."""
    Phi = khan_quantities_at(0.7).Phi
    return float(max(np.abs(Phi @ Phi - Phi).max(), np.abs(Phi - Phi.transpose(0, 2, 1)).max()))


def det_K_is_a_square() -> float:
    """det K against (det [n1 n2 n3])^2 with Phi_i = n_i n_i^T."""
    found = khan_quantities_at(0.7)
    n = [np.linalg.eigh(Phi)[1][:, -1] for Phi in found.Phi]
    return float(abs(np.linalg.det(found.K) - np.linalg.det(np.array(n)) ** 2))


def det_K_range() -> Array:
    K = khan_quantities(catalog_model("3-rrr"), *khan_motion(np.linspace(0.0, 3.0, 101))).K
    return np.array([np.linalg.det(K).min(), np.linalg.det(K).max()])


def closure_of_J() -> float:
    """The chains' platform rates differ by A theta_dot; A J must vanish: every leg sees the same platform."""
    found, robot, (q, _v, _) = khan_quantities_at(0.7), catalog_model("3-rrr"), khan_state(0.7)
    R = robot.independent_map(q)
    omega = found.J.reshape(3, 3, 3).sum(axis=1)
    own = robot.frame_jacobian(q, "platform") @ R
    return float(max(np.abs(omega - own[2]).max(), np.abs(found.G - own[[2, 3, 4]]).max()))


def platform_twist_rate() -> Array:
    found = khan_quantities_at(1.5)
    return found.t_P_dot[[1, 2, 0]]


def three_steps() -> float:
    """tau = J^T tau_tilde: open chains with their shares of the platform, then one central sum."""
    found = khan_quantities_at(0.7)
    return float(np.abs(found.J.T @ found.tau_tilde - khan_torques(np.array([0.7]))[0]).max())


def chain_inertia_error() -> float:
    """J^T I_bar J of chains with thirds of the platform against the whole mechanism's inertia."""
    found = khan_quantities_at(0.7)
    whole = catalog_model("3-rrr").minimal_inertia(khan_state(0.7)[0])
    return float(max(np.abs(found.J.T @ found.I_bar @ found.J - whole).max(), np.abs(found.inertia - whole).max()))


def rod_inertias() -> list[float]:
    """Inertia of a lower and an upper link as computed with, m l^2 / 12 with l between its joints, and mass center.

    The first comes from the mass matrix of the leg hanging alone, so that it is what the dynamics use.
    """
    mech, out = catalog.load("3-rrr"), []
    for name, end in (("link1", "theta4"), ("link4", "vertex1")):
        body = next(b for b in mech.bodies if b.name == name)
        length = float(np.linalg.norm(next(j for j in (*mech.joints, *mech.loops) if j.name == end).at.xyz))
        swing = Joint("swing", mech.base, name, Revolute((0.0, 0.0, 1.0)))
        alone = build(Mechanism(name, (body,), (swing,), base=mech.base))
        m, center = body.inertia.mass, float(np.linalg.norm(body.inertia.com))
        about_joint = float(alone.mass_matrix(np.zeros(1))[0, 0])
        out += [about_joint - m * center**2, m * length**2 / 12.0, center]
    return out


def joint_friction_error() -> float:
    """Viscous friction c at every joint, cut ones included, costs R^T c v at the actuators.

    The rates of all nine joints, and how they follow from the actuators, are differences of the bodies' angular
    velocities, so that nothing of the passive forces' own code is used.
    """
    mech, (q, v, a) = catalog.load("3-rrr"), khan_state(0.7)
    every = (*mech.joints, *mech.loops)
    c = dict(zip((j.name for j in every), np.linspace(0.5, 1.1, len(every)).tolist()))
    joints, loops = (
        tuple(replace(j, friction=Friction((c[j.name],))) for j in part) for part in (mech.joints, mech.loops)
    )
    rough = build(replace(mech, joints=joints, loops=loops))
    R = catalog_model("3-rrr").independent_map(q)
    turning = {name: catalog_model("3-rrr").frame_jacobian(q, name)[2] for name in mech.names} | {
        mech.base: np.zeros(len(v))
    }
    extra = np.zeros(3)
    for joint in every:
        row = turning[joint.child] - turning[joint.parent]  # the joint's rate is row @ v
        extra += R.T @ row * c[joint.name] * (row @ v)
    return float(np.abs(rough.inverse_dynamics(q, v, a) - khan_torques(np.array([0.7]))[0] - extra).max())


@cache
def model_with_actuators(*names: str) -> Model:
    return build(catalog.load("3-rrr"), actuated=list(names))


def actuated_elsewhere() -> float:
    """Actuators at the three platform corners, two of them cut joints: their torques give the same accelerations."""
    robot, (q, v, a) = model_with_actuators("vertex1", "vertex2", "vertex3"), khan_state(0.7)
    return float(np.abs(robot.forward_dynamics(q, v, robot.inverse_dynamics(q, v, a)) - a).max())


def redundant_actuation_error() -> float:
    """Six actuators for three freedoms: least-norm torques give the same motion."""
    robot, (q, v, a) = model_with_actuators(*(f"theta{i}" for i in range(1, 7))), khan_state(0.7)
    return float(np.abs(robot.forward_dynamics(q, v, robot.inverse_dynamics(q, v, a)) - a).max())


def independent_share() -> float:
    """Part of the operations of Khan's inverse dynamics that belongs to one leg, for the six-legged Gough-Stewart."""
    cut = leg_slices(catalog.load("gough-stewart"), catalog_model("gough-stewart").program("inverse_dynamics"))
    return cut.independent / sum(cut.counts.values())


LEG, LETS_GO, TAKES_HOLD = "vertex2", 0.1, 0.2
_FINE, _NO_TORQUE = DOP853(rtol=1e-11), np.zeros(3)


@cache
def switched_run() -> Result:
    """The released mechanism; leg 2 lets go at 0.1 s and takes hold at 0.2 s where it meets the platform then."""
    go = Open(LEG, when=lambda t, q, v: LETS_GO - t)
    hold = Close(LEG, when=lambda t, q, v: TAKES_HOLD - t, anchor=True)
    return simulate(
        catalog_model("3-rrr"), khan_start(), t_end=0.3, effort=_NO_TORQUE, events=[go, hold], method=_FINE, output=31
    )


def opened_loop_difference() -> float:
    """Coordinates at 0.2 s beside those of a mechanism that never had this loop, from the same state on, [rad]."""
    before = simulate(catalog_model("3-rrr"), khan_start(), t_end=LETS_GO, effort=_NO_TORQUE, method=_FINE)
    mech = catalog.load("3-rrr")
    free = build(replace(mech, loops=tuple(loop for loop in mech.loops if loop.name != LEG)))
    after = simulate(free, before.q[-1], before.v[-1], t_end=TAKES_HOLD - LETS_GO, effort=_NO_TORQUE, method=_FINE)
    row = int(np.argmin(np.abs(switched_run().t - TAKES_HOLD)))
    return float(np.abs(switched_run().q[row] - after.q[-1]).max())


def closing_residuals() -> tuple[float, float]:
    """Energy with what the closing took, over the run, [J], and the largest closure residual after it, [m]."""
    run = switched_run()
    return float(np.ptp(run.energy + run["losses"])), float(run.closure[run.t > TAKES_HOLD].max())


COMPUTE: Computed = {
    "K1-alternatives": formulation_difference,
    "K1-penalty": penalty_error_ratio,
    "K2-planar": lambda: khan_quantities_at(0.0).K.shape[0],
    "K2-spatial": spatial_rest,
    "K3-annihilators": annihilator_error,
    "K3-projection": projection_error,
    "K4-K": lambda: khan_quantities_at(0.0).K,
    "K4-determinant": det_K_is_a_square,
    "K4-range": det_K_range,
    "K4-J": closure_of_J,
    "K5-accelerations": platform_twist_rate,
    "K6-division": chain_inertia_error,
    "K7-modular": three_steps,
    "K7-torques": lambda: khan_torques(np.array([0.0, 1.5, 3.0])),
    "K9-start": printed_start,
    "K9-table": rod_inertias,
    "K9-base": printed_gap,
    "K9-pose": lambda: khan_pose(khan_state(3.0)[0]),
    "K10-friction": joint_friction_error,
    "K10-cut-actuators": actuated_elsewhere,
    "K10-redundant": redundant_actuation_error,
    "K10-processors": independent_share,
    "K10-topology": opened_loop_difference,
    "K10-topology-closing": closing_residuals,
    "K11-modes": count_assembly_modes,
    "K11-second-mode": second_mode,
}
"""Our numbers for every claim, by its name."""
