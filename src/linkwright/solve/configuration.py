"""A closed configuration and what is known of it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, eq=False)
class Configuration:
    """Coordinates with every loop closed.

    Attributes:
        q: coordinates, (nq,).
        residual: largest closure gap, [m or 1].
        branch: signs of the loops' determinants and of the whole closure, for example "++-|+"; "" for a tree.
        singularity: smallest of the distances of `Model.singularity`; 0 at a singularity, 1 at an isotropic pose.
    """

    q: np.ndarray
    residual: float
    branch: str = ""
    singularity: float = 1.0
