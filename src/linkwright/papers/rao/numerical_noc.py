"""The natural orthogonal complement found numerically, as the comparison that Rao's paper makes."""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwright.analysis.separate_bodies import separate_bodies_complement
from linkwright.checks import require_instance, require_vector
from linkwright.dataclass import dataclass
from linkwright.dynamics.actuation import exactly_actuated, require_enough
from linkwright.errors import ArgumentError
from linkwright.functions.loop import minimal_functions
from linkwright.kinematics.kinematics import Kinematics
from linkwright.model import Model
from linkwright.papers.paper_method import driven_velocities

Array = np.ndarray


@dataclass(frozen=True, eq=False)
class NumericalNOC:
    """A: constraints on all bodies' twists (link axes, at the links' origins), (rows, 6 n). T: actuators' rates to
    twists, A T = 0, (6 n, na). tau: T^T w, (na,)."""

    A: Array
    T: Array
    tau: Array


def numerical_noc(model: Model, q: Array, v: Any = None, a: Any = None) -> NumericalNOC:
    """Efforts by a complement from a singular value decomposition of all joints' constraints; one state.

    >>> import linkwright as lw
    >>> model = lw.build(lw.catalog.load("four-bar"))
    >>> q, _, _ = model.forward_kinematics([1.2])
    >>> found = numerical_noc(model, q)
    >>> bool(abs(found.tau - model.inverse_dynamics(q, [0, 0, 0], [0, 0, 0])).max() < 1e-12)
    True
    """
    kinematics = require_instance("model", model, Model, "a Model from linkwright.build").kinematics
    require_enough(kinematics)
    if not exactly_actuated(kinematics) or len(driven_velocities(kinematics.setup)) < model.na:
        raise ArgumentError(
            f"the complement of '{model.mechanism.name}' is written on its actuators' rates: name as many actuators as "
            "it has freedoms, at joints that are not cut"
        )
    sizes = {"q": (q, model.nq), "v": (v, model.nv), "a": (a, model.nv)}
    state = (np.zeros(size) if x is None else require_vector(name, x, size) for name, (x, size) in sizes.items())
    parts = kinematics.all_rows.function(minimal_functions.noc_parts)(*state)
    return noc_by_svd(kinematics, parts)


def noc_by_svd(kinematics: Kinematics, parts: dict[str, Array]) -> NumericalNOC:
    """Null space of A by SVD, written on the actuators' rates, and the forces it leaves."""
    A, V, N = separate_bodies_complement(kinematics, parts)
    T = N @ np.linalg.inv(V[list(driven_velocities(kinematics.setup))] @ N)
    return NumericalNOC(A, T, T.T @ (parts["w"] + V.T @ parts["resisted"]))
