"""Quantities of Hanzaki's paper, of your own mechanism: Euler parameters, G*, multipliers.

Arrays have the leading batch axes of the state, then the shape given; twists are [angular; linear] in world axes,
at the platform's mass center P.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwright.dataclass import dataclass
from linkwright.model import Model
from linkwright.papers.hanzaki.hanzaki_equations import Hanzaki
from linkwright.papers.paper_method import evaluate_quantities

Array = np.ndarray


@dataclass(frozen=True, eq=False)
class HanzakiQuantities:
    """Hanzaki's quantities; subsystems side by side as blocks.

    e: Euler parameters of the open system's spherical joints, (n, 4), with rates e_dot, e_ddot of the last three.
    G_star (n, 3, 3). N_l, N_d, M: DeNOC and mass matrices about the joint origins. inertia: N^T M N. multipliers:
    force of the platform on the leg at every cut, leg axes, (cuts, 3), [N]; multipliers_world: the same in world axes.
    tau (na,).
    """

    e: Array
    e_dot: Array
    e_ddot: Array
    G_star: Array
    N_l: Array
    N_d: Array
    M: Array
    inertia: Array
    multipliers: Array
    multipliers_world: Array
    tau: Array


def hanzaki_quantities(model: Model, q: Array, v: Any = None, a: Any = None) -> HanzakiQuantities:
    """Hanzaki's quantities at a closed state of a mechanism whose loops close at spherical joints.

    >>> import linkwright as lw
    >>> model = lw.build(lw.catalog.load("3-rps"))
    >>> abs(hanzaki_quantities(model, model.assemble().q).e.round(12)).tolist()
    [[1.0, 0.0, 0.0, 0.0]]
    """
    return HanzakiQuantities(**evaluate_quantities(model, Hanzaki(), q, v, a)[1])
