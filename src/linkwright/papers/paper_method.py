"""A mechanism as the papers take it, and their own formulations on it: whether one applies, and its results."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from typing import Any

import numpy as np

from linkwright.algebra.transforms import wrench_from
from linkwright.algebra.vectors import Mat, Vec
from linkwright.checks import require_instance
from linkwright.compiler import evaluate, minimum
from linkwright.dataclass import dataclass
from linkwright.dynamics.actuation import exactly_actuated, require_enough
from linkwright.dynamics.methods import Array, DynamicsMethodBase, Function, register_formulation
from linkwright.errors import ArgumentError, SingularityError
from linkwright.formulations.formulation import Formulation
from linkwright.functions.definition import Definition, register_definition
from linkwright.functions.memo import memo
from linkwright.functions.setup import Setup
from linkwright.kinematics.kinematics import Kinematics
from linkwright.loops.closure import Closure, closure_of
from linkwright.model import Model
from linkwright.papers.leg_chains import LegChains, leg_chains
from linkwright.plugins import FORMULATIONS, load_plugins

# --- A mechanism as the papers take it --------------------------------------------------------------------------------


def closure_as_drawn(setup: Setup) -> Closure:
    """The loops on the tree as drawn, whose bodies are the user's own."""
    return closure_of(setup.mech, setup.tree)


def serial_legs(setup: Setup, platform: str | None) -> LegChains:
    """The legs of a mechanism, its named platform preferred."""
    bodies = {frame.name: frame.body for frame in setup.mech.frames}
    preferred = None if setup.mech.platform is None else bodies.get(setup.mech.platform, setup.mech.platform)
    return leg_chains(closure_as_drawn(setup), platform, preferred)


def driven_velocities(setup: Setup) -> tuple[int, ...]:
    """Places in v of the driven speeds."""
    return tuple(drive.speed for drive in setup.drives if drive.speed is not None)


def drawn_link_wrenches(setup: Setup, w_ext: Mat | None) -> list[Vec] | None:
    """Wrenches on the bodies in the drawn tree's link frames."""
    if w_ext is None:
        return None
    return [wrench_from(w, link.body) for w, link in zip(w_ext, setup.tree.links, strict=True)]


def smallest_value(values: Any) -> Any:
    return reduce(minimum, list(values))


def diagonal_blocks(blocks: list[Mat]) -> Mat:
    n = sum(block.shape[0] for block in blocks)
    k = sum(block.shape[1] for block in blocks)
    out = np.zeros((n, k), dtype=np.result_type(*blocks))
    row = column = 0
    for block in blocks:
        out[row : row + block.shape[0], column : column + block.shape[1]] = block
        row, column = row + block.shape[0], column + block.shape[1]
    return out


# --- the papers' own formulations on a mechanism ----------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Paper:
    """One paper's formulation: what it requires of a mechanism, and where it is singular.

    Attributes:
        forward, inverse, quantities: its definitions of compiled functions.
        require: raises ArgumentError, with the reason, for a mechanism it is not made for.
        variant: what fixes its variant in the compiled functions.
        least_trust: the square of a sine below which a result has lost half of its digits.
        singular: what has become singular there.
    """

    forward: Definition
    inverse: Definition
    quantities: Definition
    require: Callable[[Kinematics, Any], None]
    variant: Callable[[Any], str | None]
    least_trust: float
    singular: str


_PAPERS: dict[type, Paper] = {}


def register_paper(formulation: type[Formulation], paper: Paper) -> None:
    """Add a paper's formulation to the ways of writing the equations of motion, and its functions to a model's."""
    _PAPERS[formulation] = paper
    register_formulation(formulation, PaperMethod)
    for definition in (paper.forward, paper.inverse, paper.quantities):
        register_definition(definition)


def _paper_of_formulation(formulation: Formulation) -> Paper:
    if type(formulation) not in _PAPERS:
        load_plugins(FORMULATIONS)
    return _PAPERS[type(formulation)]


def paper_definition(
    name: str, inputs: tuple[str, ...], function: Callable[..., Any], formulation: type[Formulation]
) -> Definition:
    """Definition of a function that exists where the formulation applies to a mechanism."""
    return Definition(name, inputs, function, name, require=lambda kinematics: require_paper(kinematics, formulation()))


class PaperMethod(DynamicsMethodBase):
    """The equations as a paper wrote them."""

    of_loops = False

    def why_not(self) -> str:
        return why_paper_fails(self.dynamics.kinematics, self.formulation)

    def accelerations(self, wrench: bool) -> Function:
        return self._check_arguments(_paper_of_formulation(self.formulation).forward, wrench)

    def efforts(self, wrench: bool, undriven: str) -> Function:
        return self._check_arguments(_paper_of_formulation(self.formulation).inverse, wrench)

    def _check_arguments(self, definition: Definition, wrench: bool) -> Function:
        kinematics, formulation = self.dynamics.kinematics, self.formulation
        require_paper(kinematics, formulation)
        paper = _paper_of_formulation(formulation)
        call = kinematics.all_rows.function(definition, wrench=wrench, frame=paper.variant(formulation))
        return lambda *state: _drop_ill_conditioned(kinematics, formulation, state[0], *call(*state))


def _drop_ill_conditioned(
    kinematics: Kinematics, formulation: Formulation, q: Array, result: Array, trust: Array
) -> Array:
    """The result; NaN in the rows of a batch in which the paper's equations are singular, an error for one state."""
    paper = _paper_of_formulation(formulation)
    good = np.asarray(trust) > paper.least_trust
    if result.ndim == 1 and not good:
        raise SingularityError(
            f"mechanism '{kinematics.setup.mech.name}' is where {type(formulation).__name__}'s formulation is "
            f"singular: {paper.singular}; move it off this position, or use Multipliers()",
            q=q,
        )
    return np.where(good[..., None], result, np.nan)


def require_paper(kinematics: Kinematics, formulation: Formulation) -> None:
    """Refuse a mechanism that the formulation is not made for, with the reason."""
    if reason := why_paper_fails(kinematics, formulation):
        raise ArgumentError(reason)


@memo()
def why_paper_fails(kinematics: Kinematics, formulation: Formulation) -> str:
    """Reason why a formulation does not apply to a mechanism; "" where it does."""
    try:
        _require_paper_fits(kinematics, formulation)
    except ArgumentError as problem:
        return (
            f"{type(formulation).__name__}'s formulation does not apply to '{kinematics.setup.mech.name}': {problem}; "
            "Multipliers() applies to every mechanism"
        )
    return ""


def _require_paper_fits(kinematics: Kinematics, formulation: Formulation) -> None:
    setup = kinematics.setup
    if not setup.closure.n_all:
        raise ArgumentError("it has no loops")
    _paper_of_formulation(formulation).require(kinematics, formulation)
    require_enough(kinematics)
    if not exactly_actuated(kinematics):
        raise ArgumentError(f"it has {kinematics.mobility} degrees of freedom and {len(setup.drives)} actuators")
    if len(driven_velocities(setup)) < len(setup.drives):
        raise ArgumentError("an actuator sits at a cut joint; cut the loop elsewhere")


def evaluate_quantities(
    model: Model, formulation: Formulation, q: Array, v: Any, a: Any
) -> tuple[Kinematics, dict[str, Any]]:
    """Everything the formulation's paper names, at one state or many; v and a are zero when they are None.

    Interpreted, not compiled: thousands of mostly constant entries would take longer to compile than to compute.
    """
    require_instance("model", model, Model, "a model made by build")
    kinematics = model.kinematics
    require_paper(kinematics, formulation)
    paper = _paper_of_formulation(formulation)
    program = kinematics.all_rows.program(paper.quantities, frame=paper.variant(formulation))
    still = np.zeros((*np.shape(q)[:-1], model.nv))
    return kinematics, evaluate(program, q, still if v is None else v, still if a is None else a)
