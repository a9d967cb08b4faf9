"""The linear model of a mechanism as a state space of python-control, with names."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from linkwright import checks
from linkwright.errors import ArgumentError
from linkwright.export.export_files import import_extra
from linkwright.mechanism.names import suggest_name
from linkwright.model import Model

Array = np.ndarray

_POSITIONS, _VELOCITIES = "positions", "velocities"
_COMPONENTS = ("rx", "ry", "rz", "x", "y", "z")


def state_space(
    model: Model,
    q: ArrayLike,
    v: ArrayLike | None = None,
    tau: ArrayLike | None = None,
    *,
    outputs: Sequence[str] = (_POSITIONS,),
) -> Any:
    """`model.linearize` about a state as a `control.StateSpace` with the names of states, inputs and outputs.

    States are the independent displacements ("theta1") and their velocities ("theta1_dot"), inputs changes of the
    actuators' efforts, all counted from the state.

    Args:
        model: the model.
        q, v: closed coordinates (nq,) and velocities (nv,); at rest when v is left out.
        tau: efforts (na,); those that hold the mechanism at rest when left out.
        outputs: "positions" and "velocities" of the actuators, and names of frames or bodies, whose displacement has
            six components: turns about the world's axes [rad], then the way of the origin [m] ("platform_rx").

    >>> import linkwright as lw
    >>> arm = lw.build(lw.catalog.load("three-link-arm"))
    >>> lw.export.state_space(arm, [0.1, 0.2, 0.3]).state_labels  # doctest: +SKIP
    ['theta1', 'theta2', 'theta3', 'theta1_dot', 'theta2_dot', 'theta3_dot']
    """
    checks.require_instance("model", model, Model, "a Model; make one with linkwright.build")
    named = checks.require_texts("outputs", outputs, "['positions', 'platform']")
    q = checks.require_vector("q", q, model.nq)
    v = np.zeros(model.nv) if v is None else checks.require_vector("v", v, model.nv)
    if tau is None and v.any():
        raise ArgumentError("tau is left out, which means efforts at rest, and v is not zero; give tau too")
    rows = [_output_rows(model, q, v, name) for name in named]
    tau = model.inverse_dynamics(q, v, v) if tau is None else checks.require_vector("tau", tau, model.na)
    control = import_extra("control", "control")
    A, B = model.linearize(q, v, tau)
    C = np.concatenate([block for _, block in rows]) if rows else np.zeros((0, len(A)))
    return control.ss(
        A,
        B,
        C,
        np.zeros((len(C), model.na)),
        states=[
            *_names_without_dots(model.independent),
            *(f"{name}_dot" for name in _names_without_dots(model.independent)),
        ],
        inputs=_names_without_dots(model.actuated),
        outputs=[label for labels, _ in rows for label in labels],
        name=model.mechanism.name.replace(".", "_"),
    )


def _names_without_dots(names: Sequence[str]) -> list[str]:
    """Names without dots, which python-control keeps for parts of systems."""
    return [name.replace(".", "_") for name in names]


def _output_rows(model: Model, q: Array, v: Array, name: str) -> tuple[list[str], Array]:
    """Labels and rows of C of one output."""
    R = model.independent_map(q)
    n = R.shape[1]
    if name == _VELOCITIES:
        P = model.actuator_velocities(R.T, q).T
        speeds = [drive.speed for drive in model.setup.drives]
        if v.any() and not set(speeds) <= set(model.independent_indices):
            raise ArgumentError(
                "velocities of the actuators are outputs about a state at rest only, unless they are independent "
                "velocities themselves; leave out v and tau, or take 'positions'"
            )
        return [f"{x}_dot" for x in _names_without_dots(model.actuated)], np.concatenate([np.zeros_like(P), P], axis=1)
    if name == _POSITIONS:
        labels, rows = _names_without_dots(model.actuated), model.actuator_velocities(R.T, q).T
    else:
        known = (*(frame.name for frame in model.mechanism.frames), *model.bodies)
        if name not in known:
            raise ArgumentError(
                f"outputs names '{name}', which is neither 'positions', 'velocities', a frame nor a body"
                f"{suggest_name(name, known)}"
            )
        labels, rows = [f"{_names_without_dots([name])[0]}_{x}" for x in _COMPONENTS], model.frame_jacobian(q, name) @ R
    return labels, np.concatenate([rows, np.zeros((len(rows), n))], axis=1)
