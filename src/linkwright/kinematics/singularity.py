"""Distance of configurations from singularities of type 1, of type 2 and of the constraints (theory 6)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from linkwright.compiler import evaluate
from linkwright.dataclass import dataclass
from linkwright.errors import ArgumentError, SingularityError
from linkwright.functions.loop import twist_functions
from linkwright.functions.loop.twist_functions import Graph, mechanism_graph
from linkwright.functions.memo import memo
from linkwright.kinematics.kinematics import Kinematics
from linkwright.numerics.tolerances import AT_SINGULARITY, GENERIC_RANK, LEAST_RATE, SEEN, STRONG, TINY, WEAK
from linkwright.plans.scales import random_coordinates

if TYPE_CHECKING:
    from linkwright.kinematics.measures.measure_records import Structure

# Configurations that generic ranks are found in.
_LOOKS = 6
_FAR = 1e9  # how many times longer or shorter than its own a characteristic length may be

Measure = float | np.ndarray


@dataclass(frozen=True)
class Singularity:
    """Distances to the three kinds of singularity: 0 at the singularity, 1 at an isotropic pose.

    Numbers for one configuration, arrays (...) for a batch, NaN in rows that have no result.

    Attributes:
        type1: the platform can stand still while actuators move: a leg is stretched or folded. NaN without an output.
        type2: the platform can move although the actuators are locked. NaN without actuators.
        constraint: the closure equations themselves lose rank; the mechanism may branch. 1 for a tree.
        condition: largest over smallest gain from the actuators' rates to the output's twist, from 1 to inf.
        manipulability: product of these gains, with lengths counted in `length`.
        length: the characteristic length [m] by which rotation and translation are compared.
        output: the frame and the components that count as output, for example "platform: x y z".
    """

    type1: Measure
    type2: Measure
    constraint: Measure
    condition: Measure = math.nan
    manipulability: Measure = math.nan
    length: Measure = math.nan
    output: str = ""

    @property
    def kind(self) -> str:
        """The kind of singularity at this configuration, or "" away from all; of a batch see the distances."""
        if np.ndim(self.constraint):
            raise ArgumentError(
                "kind is of one configuration, and this is a batch; compare type1, type2 and constraint"
            )
        flat = [name for name in ("constraint", "type2", "type1") if getattr(self, name) < AT_SINGULARITY]
        return flat[0] if flat else ""

    @property
    def distance(self) -> Measure:
        """The smallest of the three distances."""
        least = np.fmin(np.fmin(self.type1, self.type2), self.constraint)
        return least if np.ndim(least) else float(least)

    @property
    def description(self) -> str:
        """The same as a message, with the digits that are left."""
        if self.kind:
            return f"at a singularity ({self.kind}): results may not be determined"
        least = float(np.fmin(self.type2, self.constraint))
        digits = max(0, int(15.65 + math.log10(least)))
        return (
            f"rounding is magnified by at most {1.0 / least:.1e}: at least about {digits} digits of efforts and of "
            "passive velocities are right"
        )


@dataclass(frozen=True, eq=False)
class Generic:
    """The graph and the ranks that its matrices have away from singularities.

    Attributes:
        loops: independent closure equations. output: rank of the output's twist over the motions.
        drives: rank of the actuators' rates. both: rank of the two together.
        components: those of the output's twist (angular, then linear) that are looked at.
        length: the characteristic length [m], None for the mean arm.
    """

    graph: Graph
    loops: int
    output: int
    drives: int
    both: int
    components: tuple[int, ...]
    length: float | None

    @property
    def output_rows(self) -> list[int]:
        """Rows of the output: components of its twist, or without an output the rates of all passive joints."""
        if self.graph.carrier is not None:
            return list(self.components)
        return [rate for rate in range(len(self.graph.joint)) if rate not in self.graph.driven]

    @cached_property
    def structure(self) -> Structure:
        """What the machine code of the measures works on."""
        from linkwright.kinematics.measures.measure_records import measure_structure

        return measure_structure(self)

    @property
    def description(self) -> str:
        """The output and its components."""
        if self.graph.carrier is None:
            return ""
        return f"{self.graph.frame}: {' '.join(('rx', 'ry', 'rz', 'x', 'y', 'z')[i] for i in self.components)}"


def generic_ranks(
    kinematics: Kinematics, components: Sequence[int] | None = None, length: float | None = None
) -> Generic:
    """Graph and generic ranks of a mechanism, from some configurations of its home's branch.

    The output is the whole twist of the platform. Only at the end of a chain or between two joints (a serial arm, the
    tip of a five-bar), where translation alone has all freedoms, it is the translation of the frame's origin.
    """
    picked, own = None if components is None else tuple(components), kinematics.scales.length
    if length is not None and not own / _FAR <= length <= own * _FAR:
        raise ArgumentError(
            f"length is {length:g} m, and the mechanism's own is {own:g} m; give one that can be compared with it"
        )
    return _generic(kinematics, picked, length)


@memo(valid_at="all")
def _generic(kinematics: Kinematics, components: tuple[int, ...] | None, length: float | None) -> Generic:
    return Generic(mechanism_graph(kinematics.setup), *_find_ranks(kinematics, components, length), length)


@memo(on_disk="generic ranks")
def _find_ranks(
    kinematics: Kinematics, components: tuple[int, ...] | None, length: float | None
) -> tuple[int, int, int, int, tuple[int, ...]]:
    """The ranks and the components of a `Generic`."""
    made = mechanism_graph(kinematics.setup)
    numbers = evaluate(kinematics.all_rows.program(twist_functions.joint_twists), some_coordinates(kinematics))
    at = [assemble_twist_equations(made, x, length) for x in numbers]
    loops = _independent_equations(kinematics, at)
    moves = [(x, _loop_motion_basis(x, loops)[0]) for x in at]
    whole, linear = (max(_numerical_rank(x.X[part] @ T) for x, T in moves) for part in (slice(0, 6), slice(3, 6)))
    usual = (3, 4, 5) if made.is_point and 0 < whole == linear else tuple(range(6))
    found = _rank_output_and_drives(
        Generic(made, loops, 0, 0, 0, usual if components is None else components, length), moves
    )
    return loops, found.output, found.drives, found.both, found.components


def _independent_equations(kinematics: Kinematics, at: list[Twists]) -> int:
    """Generic rank of G: as many rates as there are, less the degrees of freedom; with bending links as it is found."""
    if not len(at[0].G) or any(joint.kind.bends for joint in kinematics.setup.mech.joints):
        return max(_numerical_rank(x.G) for x in at)
    return at[0].G.shape[1] - kinematics.mobility


def _rank_output_and_drives(here: Generic, moves: list[tuple[Twists, np.ndarray]]) -> Generic:
    seen = [(_output_rates(here, x) @ T, x.Q @ T) for x, T in moves]
    output, drives = (max((_numerical_rank(pair[i]) for pair in seen), default=0) for i in (0, 1))
    both = max((_numerical_rank(np.vstack(pair)) for pair in seen), default=0)
    return replace(here, output=output, drives=drives, both=both)


def some_coordinates(kinematics: Kinematics) -> np.ndarray:
    """Some configurations, (n, nq): closed ones of the home's branch, or random ones of a tree."""
    if kinematics.setup.closure.n_all:
        return kinematics.branch_samples[:: max(1, len(kinematics.branch_samples) // _LOOKS)]
    q = random_coordinates(kinematics.setup.mech, _LOOKS, np.random.default_rng(8))
    for link in kinematics.setup.tree.links:
        if link.coords.stop - link.coords.start > link.dofs.stop - link.dofs.start:
            turn = slice(link.coords.stop - 4, link.coords.stop)
            q[:, turn] /= np.linalg.norm(q[:, turn], axis=1, keepdims=True)
    return q


def _numerical_rank(A: np.ndarray) -> int:
    values = np.linalg.svd(A, compute_uv=False) if A.size else np.zeros(0)
    return int(np.sum(values > GENERIC_RANK * max(values.max(initial=0.0), LEAST_RATE)))


def _loop_motion_basis(x: Twists, rank: int) -> tuple[np.ndarray, float]:
    """An orthonormal basis of the rates that keep all loops closed, (f, f - rank), and how near these are to more.

    The closure equations are weighted by the wrenches that joints carry; the measure is their smallest over their
    largest singular value.
    """
    if not len(x.G):
        return np.eye(x.G.shape[1]), 1.0
    try:
        half = np.linalg.cholesky(x.flow)
    except np.linalg.LinAlgError:
        raise SingularityError(
            "distances to singularities have no digits here: lengths of this mechanism, or the distance of its "
            f"platform, differ by {np.sqrt(np.max(np.diag(x.flow)) / np.min(np.diag(x.flow))):.1g} times; check the "
            "units of its frames and joints"
        ) from None
    _, s, Vt = np.linalg.svd(np.linalg.solve(half, x.G))
    return Vt[rank:].T, float(s[rank - 1] / s[0]) if rank and s[0] > 0.0 else 1.0


def _output_rates(here: Generic, x: Twists) -> np.ndarray:
    return (x.X if here.graph.carrier is not None else np.eye(x.G.shape[1]))[here.output_rows]


def measure_singularity(kinematics: Kinematics, q: np.ndarray, here: Generic | None = None) -> Singularity:
    """Distances of configurations, (..., nq), from each kind of singularity, by machine code."""
    from linkwright.kinematics.measures.measure_batches import measure_states

    here = generic_ranks(kinematics) if here is None else here
    numbers = kinematics.all_rows.function(twist_functions.joint_twists)
    found = measure_states(here.structure, numbers, q, kinematics.setup)
    return _singularity_record(here, *(x if x.ndim else float(x) for x in np.moveaxis(found, -1, 0)))


def _singularity_record(
    here: Generic, type1: Any, type2: Any, constraint: Any, condition: Any, manipulability: Any, length: Any
) -> Singularity:
    """The measures; those that the mechanism does not have are NaN."""
    lost = 0.0 * constraint
    has_type1, is_tree = here.graph.carrier is not None, not (len(here.graph.loops) or here.graph.couplings)
    return Singularity(
        type1 if has_type1 else lost + math.nan,
        lost + 1.0 if is_tree else type2 if here.drives else lost + math.nan,
        constraint,
        condition,
        manipulability,
        length,
        here.description,
    )


def dense_singularity(kinematics: Kinematics, q: np.ndarray) -> Singularity:
    """The same of one configuration by dense algebra: nothing has to be compiled for it."""
    here, kernels = generic_ranks(kinematics), kinematics.all_rows
    if kinematics.setup.inputs is None:
        numbers = evaluate(kernels.program(twist_functions.joint_twists), q)
    else:
        numbers = kernels.function(twist_functions.joint_twists)(q)
    x = assemble_twist_equations(here.graph, numbers, here.length)
    T, constraint = _loop_motion_basis(x, here.loops)
    X, Q = _output_rates(here, x) @ T, x.Q @ T
    is_tree = not len(x.G)
    gains, seen = _output_gains_of_tree(X, here) if is_tree else _output_gains(X, Q, here)
    least, most = (float(gains[-1]), float(gains[0])) if len(gains) else (1.0, 1.0)
    middle = (most, most) if is_tree else (max(min(1.0, most), WEAK), min(max(1.0, least), STRONG))
    type1 = min(1.0, least / middle[0]) * seen if middle[0] > 0.0 else 0.0
    type2 = min(1.0, middle[1] / most) * seen if most > 0.0 else 1.0
    condition = most / least if least > 0.0 and math.isfinite(most) else math.inf
    return _singularity_record(here, type1, type2, constraint, condition, float(np.prod(gains)), x.length)


def _output_gains_of_tree(X: np.ndarray, here: Generic) -> tuple[np.ndarray, float]:
    return (np.linalg.svd(X, compute_uv=False)[: here.output] if X.size else np.zeros(0)), 1.0


def _output_gains(X: np.ndarray, Q: np.ndarray, here: Generic) -> tuple[np.ndarray, float]:
    """Gains from actuators to output, largest first, and how far all motions are seen in one or the other.

    An orthonormal basis of the pairs (output, actuators) has blocks with cosines and sines as singular values; a gain
    is their ratio. Those that are infinite or zero everywhere (idle freedoms, missing actuators) are left out.
    """
    U, s, _ = np.linalg.svd(np.vstack([X, Q]), full_matrices=False)
    basis = U[:, : here.both]
    cosines = np.linalg.svd(basis[: len(X)], compute_uv=False)[: here.output] if len(X) else np.zeros(0)
    sines = np.linalg.svd(basis[len(X) :], compute_uv=False)[: here.drives] if len(Q) else np.zeros(0)
    c, s_ = cosines[here.both - here.drives :], sines[here.both - here.output :][::-1]
    gains = np.array([_cosine_sine_ratio(a, b) for a, b in zip(c, s_, strict=True)])
    seen = min(1.0, s[here.both - 1] / SEEN) if here.both else 1.0
    return gains, float(seen)


def _cosine_sine_ratio(cosine: float, sine: float) -> float:
    return float(cosine / sine) if sine > 0.0 else math.inf


@dataclass(frozen=True, eq=False)
class Twists:
    """At one configuration: G y = 0 for the rates y (f,), output twist X y, actuator rates Q y.

    `flow` holds the squares of the wrenches that loop wrenches send through all joints, (rows, rows): a measure of the
    rows of G that does not depend on the loops chosen. Lengths count in units of `length` [m].
    """

    G: np.ndarray
    flow: np.ndarray
    X: np.ndarray
    Q: np.ndarray
    length: Any


def assemble_twist_equations(made: Graph, numbers: np.ndarray, length: float | None = None) -> Twists:
    """The equations from what `joint_twists` returns, (width,), real or complex; length: by default the mean arm."""
    f, n, L = len(made.joint), len(made.joints), numbers[-1] if length is None else length
    sizes = np.cumsum([6 * f, 3 * n, made.couplings * f])
    S, middles, ratios, planar = np.split(numbers[:-1], sizes)
    S = S.reshape(f, 6).T / np.where(made.turns, np.array([1.0] * 3 + [L] * 3)[:, None], 1.0)
    G = (made.loops[:, made.joint][:, None, :] * S).reshape(-1, f)
    coupled = ratios.reshape(made.couplings, f) * np.where(made.turns, 1.0, L)
    coupled = coupled / (np.sqrt(np.sum(coupled * coupled, axis=1, keepdims=True)) + TINY)
    X = made.path[made.joint] * S if made.carrier is not None else np.zeros((6, f))
    Q = np.zeros((len(made.driven), f), dtype=numbers.dtype)
    Q[np.arange(len(made.driven)), list(made.driven)] = 1.0
    for (row, _, turning), x in zip(made.planar, planar, strict=True):
        Q[row, turning] = x / L
    return Twists(np.vstack([G, coupled]), _wrench_flow_matrix(made, middles.reshape(n, 3) / L), X, Q, L)


def _wrench_flow_matrix(made: Graph, arms: np.ndarray) -> np.ndarray:
    """Sum over the joints of the squared wrench at the joint's own point that loop wrenches send through it."""
    n = len(made.loops)
    shift = np.tile(np.eye(6, dtype=arms.dtype), (len(arms), 1, 1))
    x, y, z = arms.T
    shift[:, 0, 4], shift[:, 0, 5], shift[:, 1, 3], shift[:, 1, 5], shift[:, 2, 3], shift[:, 2, 4] = z, -y, -z, x, y, -x
    squares = (shift.transpose(0, 2, 1) @ shift).reshape(-1, 36)
    blocks = ((made.loops[:, None] * made.loops[None]) @ squares).reshape(n, n, 6, 6)
    total = np.eye(6 * n + made.couplings, dtype=arms.dtype)
    total[: 6 * n, : 6 * n] = blocks.transpose(0, 2, 1, 3).reshape(6 * n, 6 * n)
    return total
