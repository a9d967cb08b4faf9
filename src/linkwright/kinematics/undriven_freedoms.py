"""Freedoms of a mechanism that no actuator drives, and whether they are meant to be free."""

from __future__ import annotations

import numpy as np

from linkwright.compiler import evaluate
from linkwright.dataclass import dataclass
from linkwright.formulations.hybrid_equations import Undriven
from linkwright.functions.memo import memo
from linkwright.functions.store import Kernels
from linkwright.functions.tree import tree_functions
from linkwright.kinematics.idle_freedoms import find_idle_freedoms, floating_base_motions
from linkwright.kinematics.kinematics import Kinematics
from linkwright.kinematics.motions import Motions, all_motions, motion_description, null_space_basis, sparse_motion
from linkwright.numerics.dense import count_above, decompose_scaled, singular_values
from linkwright.numerics.tolerances import MASSLESS, SAME_MOTION
from linkwright.plans.rank import standing_out

Array = np.ndarray


@dataclass(frozen=True)
class Freedoms:
    """The freedoms of a mechanism, seen from its actuators.

    Attributes:
        driven: how many independent motions the actuators drive.
        undriven: the motions they do not.
        expected: whether all of those are idle freedoms or motions of a floating base.
        description: one of the undriven motions; "" when there is none.
    """

    driven: int
    undriven: Undriven
    expected: bool
    description: str = ""

    @property
    def count(self) -> int:
        """Number of freedoms that no actuator drives."""
        return len(self.undriven.speeds)


@memo(valid_at="all", on_disk="freedoms")
def find_undriven_freedoms(kinematics: Kinematics) -> Freedoms:
    """Motions that the actuators drive, and those that they leave free."""
    motions = all_motions(kinematics)
    rates = motions.rates(motions.setup.actuated)
    ranks = [int(count_above(singular_values(G), SAME_MOTION)) for G in rates]
    driven = max(ranks, default=0)
    count = motions.mobility - driven
    if not count:
        return Freedoms(driven, Undriven((), ()), True)
    spaces = [_left_free(G, driven) for G in rates]
    regular = [k for k, rank in enumerate(ranks) if rank == driven]
    expected = _is_freedom_expected(motions, spaces, regular)
    N = np.array([motions.bases[k] @ spaces[k] for k in regular])
    speeds = tuple(sorted(standing_out(N, count)))
    description = motion_description(motions.names, sparse_motion(N[0]))
    return Freedoms(
        driven, Undriven(speeds, _undriven_motions_with_mass(motions, regular, N, speeds)), expected, description
    )


def _left_free(G: Array, driven: int) -> Array:
    """Motions at which the actuators rest, in the motions' own coordinates, (mobility, count)."""
    return decompose_scaled(G, complete=True).null_space(driven)


def _is_freedom_expected(motions: Motions, spaces: list[Array], at: list[int]) -> bool:
    """True if the motions left free at some configurations are idle ones or those of a floating base."""
    base = floating_base_motions(motions)
    if all(_is_within_space(spaces[k], base[k]) for k in at):
        return True
    idle = find_idle_freedoms(motions).spaces
    return all(_is_within_space(spaces[k], np.hstack([base[k], idle[k]])) for k in at)


def _is_within_space(space: Array, meant: Array) -> bool:
    """True if all motions of a space are among those that are meant to be free."""
    rest = null_space_basis(meant.T) if meant.shape[1] else np.eye(len(meant))
    return bool(np.abs(rest.T @ space).max(initial=0.0) < SAME_MOTION)


def _undriven_motions_with_mass(
    motions: Motions, regular: list[int], N: Array, speeds: tuple[int, ...]
) -> tuple[int, ...]:
    """Undriven motions, written in their own velocities, that move mass in some configuration."""
    M = evaluate(Kernels(motions.setup).program(tree_functions.mass_matrix), motions.q[regular])
    M = M * np.outer(motions.units, motions.units)
    own = N @ np.linalg.inv(N[:, list(speeds)])
    found = np.einsum("kia,kij,kja->ka", own, M, own)
    most = np.sum(own**2, axis=1) * np.diagonal(M, axis1=1, axis2=2).max(axis=1)[:, None]
    return tuple(int(i) for i in np.flatnonzero(np.any(found > MASSLESS * most, axis=0)))
