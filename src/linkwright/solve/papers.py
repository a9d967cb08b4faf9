"""The papers' own roads on a machine: whether one applies, and its answers where they can be trusted."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from linkwright.compiler import evaluate
from linkwright.errors import ArgumentError, SingularityError
from linkwright.formulations.rao_kinematics import require_hexaslide
from linkwright.formulations.roads import Hanzaki, Khan, Rao, Road
from linkwright.kernels.road_recipes import NO_SPIN, drawn_closure, driven, open_subsystems, serial_legs
from linkwright.solve.actuation import exactly_actuated, require_enough
from linkwright.solve.machine import Machine

Array = np.ndarray

# Squares of a sine: below these an answer has lost half of its digits.
_TRUSTED = {"khan": 1e-10, "rao": 1e-16, "hanzaki": 1e-8}
_SINGULAR = {
    "khan": "K is singular: with its motors held, the platform still moves",
    "rao": "J_t is singular: with its sliders held, the platform still moves",
    "hanzaki": "a ball joint has made half a turn from home, where e0 = 0 and G* is singular",
}


def recipe_of(road: Road) -> tuple[str, str | None]:
    """The road's name among the recipes, and what fixes its variant."""
    match road:
        case Khan(platform):
            return "khan", platform
        case Rao(spin):
            return "rao", None if spin else NO_SPIN
        case Hanzaki():
            return "hanzaki", None


@lru_cache(maxsize=256)
def require_road(machine: Machine, road: Road) -> None:
    """Refuse a machine that the road is not made for, with the reason."""
    name, setup = type(road).__name__, machine.setup
    try:
        _require(machine, road)
    except ArgumentError as problem:
        raise ArgumentError(
            f"{name}'s road does not lead through '{setup.mech.name}': {problem}; Multipliers() goes everywhere"
        ) from None


def _require(machine: Machine, road: Road) -> None:
    setup = machine.setup
    if not setup.closure.n_all:
        raise ArgumentError("it has no loops")
    match road:
        case Khan(platform):
            serial_legs(setup, platform)
        case Rao():
            require_hexaslide(drawn_closure(setup), serial_legs(setup, None), driven(setup))
        case Hanzaki():
            open_subsystems(setup)
            if machine.rank.redundant:
                raise ArgumentError("some closure equations repeat others, so the multipliers are not unique")
    require_enough(machine)
    if not exactly_actuated(machine):
        raise ArgumentError(f"it has {machine.mobility} degrees of freedom and {len(setup.drives)} motors")
    if len(driven(setup)) < len(setup.drives):
        raise ArgumentError("a motor sits at a cut joint; cut the loop elsewhere")


def forward_by_road(machine: Machine, road: Road, *state: Array) -> Array:
    """Accelerations (..., nv) from q, v, tau and perhaps w_ext."""
    return _answer(machine, road, "forward", state)


def inverse_by_road(machine: Machine, road: Road, *state: Array) -> Array:
    """Efforts (..., na) from q, v, a and perhaps w_ext."""
    return _answer(machine, road, "inverse", state)


def road_quantities(machine: Machine, road: Road, q: Array, v: Array, a: Array) -> dict[str, Any]:
    """Everything the road's paper names, at one state or many.

    Interpreted, not compiled: thousands of mostly constant entries would take longer to compile than to compute.
    """
    require_road(machine, road)
    name, frame = recipe_of(road)
    return evaluate(machine.open.program(f"{name}_quantities", frame=frame), q, v, a)


def _answer(machine: Machine, road: Road, question: str, state: tuple[Array, ...]) -> Array:
    require_road(machine, road)
    name, frame = recipe_of(road)
    solve = machine.open.function(f"{name}_{question}", wrench=len(state) > 3, frame=frame)
    answer, trust = solve(*state)
    good = np.asarray(trust) > _TRUSTED[name]
    if answer.ndim == 1 and not good:
        raise SingularityError(
            f"mechanism '{machine.setup.mech.name}' stands where {type(road).__name__}'s road ends: {_SINGULAR[name]}; "
            "move it off this position, or use Multipliers()",
            q=state[0],
        )
    return np.where(good[..., None], answer, np.nan)
