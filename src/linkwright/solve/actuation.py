"""Whether the named actuators can drive a closed-loop machine, and multipliers when equations are redundant."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

import numpy as np

from linkwright.errors import ArgumentError, SingularityError
from linkwright.kernels import Kernels, part_names
from linkwright.mechanism.joints import Modes
from linkwright.mechanism.mechanism import Mechanism
from linkwright.solve.machine import Machine
from linkwright.solve.mass import massless_motion
from linkwright.solve.rows import least_norm
from linkwright.solve.undriven import freedoms

_SINGULAR = 1e-10


def exactly_actuated(machine: Machine) -> bool:
    """As many actuators as freedoms, and together they drive every motion."""
    return len(machine.setup.drives) == machine.mobility and effort_rank(machine) == machine.mobility


def independent_actuators(machine: Machine) -> bool:
    """Whether no actuator repeats what others do, so that efforts are unique."""
    return len(machine.setup.drives) == effort_rank(machine)


def effort_rank(machine: Machine) -> int:
    """How many independent motions the actuators drive, in a general configuration."""
    return freedoms(machine.kinematics).driven


def require_driven(machine: Machine, undriven: str = "refuse") -> None:
    """Refuse efforts when some motion has no actuator, unless it is idle, a floating base's, or asked to be free."""
    if undriven != "free" and not freedoms(machine.kinematics).expected:
        require_enough(machine)


def require_enough(machine: Machine) -> None:
    """Refuse efforts when some motion has no actuator, and say which motion."""
    setup = machine.setup
    if not freedoms(machine.kinematics).count:
        return
    if not setup.drives and setup.closure.n_all:
        raise ArgumentError(
            f"mechanism '{setup.mech.name}' has loops and names no actuators, so no efforts can be asked for; "
            "name them in the file or in actuated=[...]"
        )
    shapes = shape_speeds(setup.mech)
    if shapes and freedoms(machine.kinematics).count <= len(shapes):
        raise ArgumentError(no_efforts(setup.mech.name, shapes), mobility=machine.mobility, idle=list(shapes))
    raise ArgumentError(
        f"the actuators {list(setup.actuated)} cannot drive '{setup.mech.name}': it has {machine.mobility} degrees "
        f"of freedom and they drive {effort_rank(machine)}; left alone, {undriven_motion(machine)}; "
        'actuate one of these joints too, or let the dynamics move what nobody drives with undriven="free"',
        mobility=machine.mobility,
    )


def shape_speeds(mech: Mechanism) -> tuple[str, ...]:
    """Speeds of the shapes in which links bend."""
    return part_names(tuple(joint for joint in mech.joints if isinstance(joint.kind, Modes)), speeds=True)


def no_efforts(name: str, shapes: Sequence[str]) -> str:
    """Why a machine whose links bend has no efforts for a motion, in words."""
    listed = ", ".join(f"'{shape}'" for shape in shapes)
    return (
        f"links of '{name}' bend: their own stiffness moves the shapes {listed}, and no motor does, so an arbitrary "
        "motion has no efforts; ask the machine with rigid links for efforts, find the motion that efforts make "
        'with forward_dynamics or simulate, or let the shapes follow with undriven="free"'
    )


def undriven_motion(machine: Machine) -> str:
    """In words, a motion that no actuator drives."""
    return f"joints {freedoms(machine.kinematics).words} still move"


def all_multipliers(machine: Machine, q: np.ndarray, lam: np.ndarray) -> np.ndarray:
    """Multipliers of all rows from those of the kept ones; with redundant rows the set of least norm."""
    kept = machine.kernels.setup.closure.kept
    if kept is None:
        return lam
    J = every_row(machine).function("closure_jacobian")(q) / machine.scales.rows[:, None]
    force = np.swapaxes(J[..., list(kept), :] * machine.scales.rows[list(kept), None], -1, -2) @ lam[..., None]
    return least_norm(np.swapaxes(J, -1, -2), force[..., 0], rcond=1e-9) / machine.scales.rows


def dense_multipliers(
    machine: Machine, q: np.ndarray, v: np.ndarray, a: np.ndarray, tau: np.ndarray, *w_ext: np.ndarray
) -> np.ndarray:
    """Multipliers of all rows (n_all,), of least norm, at one state; refused where the loops are singular."""
    scale, rank = machine.scales, machine.rank.rank
    force = machine.open.function("generalized_forces", wrench=bool(w_ext))(q, v, a, *w_ext)
    force = force - machine.open.function("effort_matrix")(q) @ tau
    J = every_row(machine).function("closure_jacobian")(q) / scale.rows[:, None] * scale.speeds
    U, s, Vt = np.linalg.svd(J, full_matrices=False)
    if s[rank - 1] <= _SINGULAR * s[0]:
        raise SingularityError(
            f"mechanism '{machine.setup.mech.name}' stands at a constraint singularity, where the forces in its joints "
            "are not determined; move it off this position",
            q=q,
            kind="constraint",
        )
    return U[:, :rank] @ ((Vt[:rank] @ (scale.speeds * force)) / s[:rank]) / scale.rows


@lru_cache(maxsize=64)
def every_row(machine: Machine) -> Kernels:
    """Kernels on all closure rows, written on the same sides as those planned for accelerations, if any can be."""
    if massless_motion(machine.kinematics):
        return machine.open
    setup = machine.kernels.setup
    return Kernels(replace(setup, closure=replace(setup.closure, kept=None)))
