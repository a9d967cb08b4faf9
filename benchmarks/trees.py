"""Open chains from the same URDF text in Pinocchio, MuJoCo and Drake.

Each function gives {function: rival} for one state. Engines are imported inside, so that a missing one costs nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

from benchmarks.comparison import Rival
from benchmarks.peers import installed
from benchmarks.robots import chain

Array = np.ndarray
INVERSE, FORWARD, INERTIA, DERIVATIVES = (
    "inverse dynamics",
    "forward dynamics",
    "inertia matrix",
    "forward dynamics, derivatives",
)
BATCH_INVERSE, BATCH_FORWARD = "inverse dynamics, batch", "forward dynamics, batch"


@dataclass(frozen=True)
class State:
    """One state with accelerations and efforts, (n,) each."""

    q: Array
    v: Array
    a: Array
    tau: Array

    @staticmethod
    def random(n: int, reach: float = 1.0, rows: int | None = None) -> State:
        """Seeded; with `rows` a batch (rows, n) of them."""
        rng = np.random.default_rng(5)
        shape = n if rows is None else (rows, n)
        return State(*(rng.uniform(-reach, reach, shape) for _ in range(4)))


def rivals(urdf: str, state: State, base: str, skip: tuple[str, ...] = ()) -> dict[str, dict[str, Rival]]:
    """{function: {peer: rival}} of all engines that are installed."""
    out: dict[str, dict[str, Rival]] = {}
    here = [name for name in installed() if name not in skip]
    for name in here:
        for function, (call, rival) in ENGINES[name](urdf, state, base).items():
            out.setdefault(function, {})[f"{name} {call}"] = rival
    return out


Calls = dict[str, tuple[str, Rival]]


def pinocchio(urdf: str, s: State, base: str) -> Calls:
    import pinocchio as pin

    model = pin.buildModelFromXML(urdf)
    data = model.createData()

    inertia = partial(pin.crba, model, data, s.q)
    derivatives = partial(pin.computeABADerivatives, model, data, s.q, s.v, s.tau)

    def all_three() -> Array:
        derivatives()
        return np.stack([data.ddq_dq, data.ddq_dv, _both_halves(data.Minv)])

    return {
        INVERSE: ("rnea", _exact(partial(pin.rnea, model, data, s.q, s.v, s.a))),
        FORWARD: ("aba", _exact(partial(pin.aba, model, data, s.q, s.v, s.tau))),
        INERTIA: ("crba", Rival(inertia, lambda: _both_halves(inertia()))),
        DERIVATIVES: ("computeABADerivatives", Rival(derivatives, all_three)),
    }


def _both_halves(upper: Array) -> Array:
    """Pinocchio fills the upper half of symmetric matrices."""
    return np.triu(upper) + np.triu(upper, 1).T


def pinocchio_batch(urdf: str, s: State) -> Calls:
    """One thread; coordinates by columns, as Pinocchio wants them."""
    import pinocchio as pin

    model = pin.buildModelFromXML(urdf)
    pool = pin.ModelPool(model, 1)
    q, v, a, tau = (np.asfortranarray(x.T) for x in (s.q, s.v, s.a, s.tau))
    force, rate = np.zeros_like(a, order="F"), np.zeros_like(a, order="F")
    inverse = partial(pin.rneaInParallel, 1, pool, q, v, a, force)
    forward = partial(pin.abaInParallel, 1, pool, q, v, tau, rate)
    return {
        BATCH_INVERSE: ("rneaInParallel", Rival(inverse, lambda: (inverse(), force)[1].T)),
        BATCH_FORWARD: ("abaInParallel", Rival(forward, lambda: (forward(), rate)[1].T)),
    }


_HINTS = (
    '<mujoco><compiler fusestatic="true" discardvisual="true" strippath="true" inertiafromgeom="false" '
    'balanceinertia="true" boundmass="1e-9" boundinertia="1e-12"/></mujoco>'
)


def mujoco(urdf: str, s: State, base: str) -> Calls:
    import mujoco as mj

    n, q, v, a, tau = len(s.q), s.q, s.v, s.a, s.tau
    model = mujoco_chain(n) if urdf == chain(n) else _mujoco_model(urdf)
    data = mj.MjData(model)
    M = np.zeros((n, n))

    def inverse() -> Array:
        data.qpos[:], data.qvel[:], data.qacc[:] = q, v, a
        mj.mj_inverse(model, data)
        return data.qfrc_inverse

    def forward() -> Array:
        data.qpos[:], data.qvel[:], data.qfrc_applied[:] = q, v, tau
        mj.mj_forward(model, data)
        return data.qacc

    def inertia() -> Array:
        data.qpos[:] = q
        mj.mj_kinematics(model, data)
        mj.mj_comPos(model, data)
        mj.mj_makeM(model, data)
        mj.mj_fullM(model, data, M)
        return M

    return {
        INVERSE: ("mj_inverse", _exact(inverse)),
        FORWARD: ("mj_forward", _exact(forward)),
        INERTIA: ("mj_makeM", _exact(inertia)),
    }


def _mujoco_model(urdf: str) -> object:
    import mujoco as mj

    head, tail = urdf.split(">", 1)
    model = mj.MjModel.from_xml_string(f"{head}>{_HINTS}{tail}")
    model.opt.disableflags |= int(mj.mjtDisableBit.mjDSBL_CONTACT) | int(mj.mjtDisableBit.mjDSBL_LIMIT)
    return model


def mujoco_chain(n: int) -> object:
    """The chain of `robots.chain` through MuJoCo's own records: its XML reader limits how deep links may nest."""
    import mujoco as mj

    spec = mj.MjSpec()
    spec.compiler.degree = False
    spec.option.gravity = [0, 0, -9.81]
    body = spec.worldbody
    for i in range(1, n + 1):
        body = body.add_body(
            pos=[0, 0, 0.2 if i > 1 else 0],
            ipos=[0.01, 0.02, 0.1],
            mass=1,
            inertia=[0.004, 0.005, 0.002],
            explicitinertial=True,
        )
        body.add_joint(type=mj.mjtJoint.mjJNT_HINGE, axis=[0, 1, 0] if i % 2 else [1, 0, 0])
    model = spec.compile()
    model.opt.disableflags |= int(mj.mjtDisableBit.mjDSBL_CONTACT)
    return model


def drake(urdf: str, s: State, base: str) -> Calls:
    from pydrake.multibody.parsing import Parser
    from pydrake.multibody.plant import MultibodyPlant
    from pydrake.multibody.tree import MultibodyForces

    plant = MultibodyPlant(0.0)
    Parser(plant).AddModelsFromString(urdf, "urdf")
    if base != "world":
        plant.WeldFrames(plant.world_frame(), plant.GetFrameByName(base))
    plant.mutable_gravity_field().set_gravity_vector([0, 0, -9.81])
    plant.Finalize()
    context, forces, x = plant.CreateDefaultContext(), MultibodyForces(plant), np.concatenate([s.q, s.v])
    plant.get_applied_generalized_force_input_port().FixValue(context, s.tau)
    if plant.num_actuators():
        plant.get_actuation_input_port().FixValue(context, np.zeros(plant.num_actuators()))
    rates = plant.get_generalized_acceleration_output_port()

    def inverse() -> Array:
        plant.SetPositionsAndVelocities(context, x)
        forces.SetZero()
        plant.CalcForceElementsContribution(context, forces)
        return plant.CalcInverseDynamics(context, s.a, forces)

    def forward() -> Array:
        plant.SetPositionsAndVelocities(context, x)
        return rates.Eval(context)

    def inertia() -> Array:
        plant.SetPositions(context, s.q)
        return plant.CalcMassMatrix(context)

    return {
        INVERSE: ("CalcInverseDynamics", _exact(inverse)),
        FORWARD: ("acceleration port", _exact(forward)),
        INERTIA: ("CalcMassMatrix", _exact(inertia)),
    }


def _exact(call: Callable[[], Array]) -> Rival:
    return Rival(call, call)


ENGINES: dict[str, Callable[[str, State, str], Calls]] = {"pinocchio": pinocchio, "mujoco": mujoco, "drake": drake}
