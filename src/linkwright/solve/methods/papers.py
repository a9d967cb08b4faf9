"""The papers' own formulations on a mechanism: whether one applies, and its results where they are well-conditioned."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from linkwright.compiler import evaluate
from linkwright.dataclass import dataclass
from linkwright.errors import ArgumentError, SingularityError
from linkwright.formulations.formulation import PaperFormulation
from linkwright.formulations.hanzaki import Hanzaki
from linkwright.formulations.khan import Khan
from linkwright.formulations.rao import Rao, require_hexaslide
from linkwright.kernels import registry
from linkwright.kernels.definition import Definition
from linkwright.kernels.loop.papers import NO_SPIN, drawn_closure, driven, open_subsystems, serial_legs
from linkwright.solve.actuation import exactly_actuated, require_enough
from linkwright.solve.kinematics import Kinematics
from linkwright.solve.methods.method import Array, Common, Function


@dataclass(frozen=True, eq=False)
class Paper:
    """One paper's formulation: what it requires of a mechanism, and where it is singular.

    Attributes:
        forward, inverse, quantities: its kernel definitions.
        require: raises ArgumentError, with the reason, for a mechanism it is not made for.
        variant: what fixes its variant in the kernels.
        least: the square of a sine below which a result has lost half of its digits.
        singular: what has become singular there.
    """

    forward: Definition
    inverse: Definition
    quantities: Definition
    require: Callable[[Kinematics, Any], None]
    variant: Callable[[Any], str | None]
    least: float
    singular: str


def _require_khan(loops: Kinematics, formulation: Khan) -> None:
    serial_legs(loops.setup, formulation.platform)


def _require_rao(loops: Kinematics, _: Rao) -> None:
    setup = loops.setup
    require_hexaslide(drawn_closure(setup), serial_legs(setup, None), driven(setup))


def _require_hanzaki(loops: Kinematics, _: Hanzaki) -> None:
    open_subsystems(loops.setup)
    if loops.rank.redundant:
        raise ArgumentError("some closure equations repeat others, so the multipliers are not unique")


PAPERS: dict[type, Paper] = {
    Khan: Paper(
        registry.KHAN_FORWARD,
        registry.KHAN_INVERSE,
        registry.KHAN_QUANTITIES,
        _require_khan,
        lambda x: x.platform,
        1e-10,
        "K is singular: with its actuators held, the platform still moves",
    ),
    Rao: Paper(
        registry.RAO_FORWARD,
        registry.RAO_INVERSE,
        registry.RAO_QUANTITIES,
        _require_rao,
        lambda x: None if x.spin else NO_SPIN,
        1e-16,
        "J_t is singular: with its sliders held, the platform still moves",
    ),
    Hanzaki: Paper(
        registry.HANZAKI_FORWARD,
        registry.HANZAKI_INVERSE,
        registry.HANZAKI_QUANTITIES,
        _require_hanzaki,
        lambda x: None,
        1e-8,
        "a spherical joint has made half a turn from home, where e0 = 0 and G* is singular",
    ),
}


class ByPaper(Common):
    """The equations as a paper wrote them."""

    def why_not(self) -> str:
        return why_not(self.dynamics.kinematics, self.formulation)

    def accelerations(self, wrench: bool) -> Function:
        return self._checked(PAPERS[type(self.formulation)].forward, wrench)

    def efforts(self, wrench: bool, undriven: str) -> Function:
        return self._checked(PAPERS[type(self.formulation)].inverse, wrench)

    def _checked(self, definition: Definition, wrench: bool) -> Function:
        loops, formulation = self.dynamics.kinematics, self.formulation
        require_paper(loops, formulation)
        paper = PAPERS[type(formulation)]
        call = loops.open.function(definition, wrench=wrench, frame=paper.variant(formulation))
        return lambda *state: _well_conditioned(loops, formulation, state[0], *call(*state))


def _well_conditioned(loops: Kinematics, formulation: PaperFormulation, q: Array, result: Array, trust: Array) -> Array:
    """The result; NaN in the rows of a batch in which the paper's equations are singular, an error for one state."""
    paper, good = PAPERS[type(formulation)], np.asarray(trust) > PAPERS[type(formulation)].least
    if result.ndim == 1 and not good:
        raise SingularityError(
            f"mechanism '{loops.setup.mech.name}' is where {type(formulation).__name__}'s formulation is singular: "
            f"{paper.singular}; move it off this position, or use Multipliers()",
            q=q,
        )
    return np.where(good[..., None], result, np.nan)


def require_paper(loops: Kinematics, formulation: PaperFormulation) -> None:
    """Refuse a mechanism that the formulation is not made for, with the reason."""
    if reason := why_not(loops, formulation):
        raise ArgumentError(reason)


def why_not(loops: Kinematics, formulation: PaperFormulation) -> str:
    """Reason why a formulation does not apply to a mechanism; "" where it does."""
    return loops.cache.get(("why not", formulation), lambda: _why_not(loops, formulation))


def _why_not(loops: Kinematics, formulation: PaperFormulation) -> str:
    try:
        _require(loops, formulation)
    except ArgumentError as problem:
        return (
            f"{type(formulation).__name__}'s formulation does not apply to '{loops.setup.mech.name}': {problem}; "
            "Multipliers() applies to every mechanism"
        )
    return ""


def _require(loops: Kinematics, formulation: PaperFormulation) -> None:
    setup = loops.setup
    if not setup.closure.n_all:
        raise ArgumentError("it has no loops")
    PAPERS[type(formulation)].require(loops, formulation)
    require_enough(loops)
    if not exactly_actuated(loops):
        raise ArgumentError(f"it has {loops.mobility} degrees of freedom and {len(setup.drives)} actuators")
    if len(driven(setup)) < len(setup.drives):
        raise ArgumentError("an actuator sits at a cut joint; cut the loop elsewhere")


def paper_quantities(loops: Kinematics, formulation: PaperFormulation, q: Array, v: Array, a: Array) -> dict[str, Any]:
    """Everything the formulation's paper names, at one state or many.

    Interpreted, not compiled: thousands of mostly constant entries would take longer to compile than to compute.
    """
    require_paper(loops, formulation)
    paper = PAPERS[type(formulation)]
    return evaluate(loops.open.program(paper.quantities, frame=paper.variant(formulation)), q, v, a)
