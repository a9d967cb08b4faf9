"""What many runs of a model ask of it, compiled for lanes; numbers that differ from run to run are inputs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from linkwright.compiler import Kernel, Options, Program, compiled, divided, trace
from linkwright.kernels.kernels import ALL_RECIPES
from linkwright.kernels.setup import Setup
from linkwright.kernels.stamp import source_stamp
from linkwright.model import Model
from linkwright.simulation.ensemble.parameters import Spread, entered
from linkwright.solve.tree_pivots import tree_solver

Answer = Callable[..., Any]

# Operations per function of lane code: measured on the Gough-Stewart platform, 8 % faster than the usual 400.
_CHUNK = 150


@dataclass(frozen=True, eq=False)
class LaneCodes:
    """Programs for lanes by field of `Mechanics`, and how parameters of a run become what they are given.

    Attributes:
        lanes: runs side by side.
        codes: by field of `drivers.records.Mechanics`.
        starts: where a code's part of the given numbers begins.
        early: from a run's parameters to the numbers its code is given; None when there are none.
        n_given: numbers given to all codes together.
    """

    lanes: int
    codes: dict[str, Kernel]
    starts: dict[str, int]
    early: dict[str, Kernel | None]
    n_given: int

    def given(self, parameters: np.ndarray) -> np.ndarray:
        """What the codes are given in every run, (runs, n_given)."""
        parts = [early(parameters) for early in self.early.values() if early is not None]
        return np.ascontiguousarray(np.concatenate(parts, axis=1)) if parts else np.zeros((len(parameters), 0))


def lane_codes(model: Model, found: tuple[Spread, ...], lanes: int | None = None) -> LaneCodes:
    """The codes of a model for runs that differ in some parameters; kept with the model."""
    known = model.__dict__.setdefault("_lane_codes", {})
    if (found, lanes) not in known:
        known[found, lanes] = _made(model, found, lanes)
    return known[found, lanes]


def _made(model: Model, found: tuple[Spread, ...], lanes: int | None) -> LaneCodes:
    setups = _setups(model)
    codes: dict[str, Kernel] = {}
    early: dict[str, Kernel | None] = {}
    starts, start = {}, 0
    for name, (inputs, answer) in _questions(setups).items():
        makers = _Makers(setups, found, inputs, answer)
        title = f"{source_stamp('simulation')} {[s.identity for s in setups.values()]} {found} {name}"
        codes[name] = compiled(f"{title} late", makers.late, Options(lanes=lanes, chunk=_CHUNK))
        lanes = codes[name].lanes  # the first and longest program decides
        early[name] = compiled(f"{title} early", makers.early) if found else None
        starts[name] = start
        start += next(port.size for port in codes[name].signature.inputs if port.name == "given")
    assert lanes is not None
    return LaneCodes(lanes, codes, starts, early, start)


@dataclass(eq=False)
class _Makers:
    """Traces a question when it is first needed."""

    setups: dict[str, Setup]
    found: tuple[Spread, ...]
    inputs: tuple[str, ...]
    answer: Answer
    _parts: tuple[Program, Program] | None = None

    def early(self) -> Program:
        return self.parts()[0]

    def late(self) -> Program:
        return self.parts()[1]

    def parts(self) -> tuple[Program, Program]:
        if self._parts is None:
            sizes = self.setups["open"].sizes()
            n = sum(int(np.prod(spread.shape)) for spread in self.found)
            whole = trace(self._traced, {name: sizes[name] for name in self.inputs} | {"parameters": (n,)})
            self._parts = divided(whole, ["parameters"])
        return self._parts

    def _traced(self, parameters: np.ndarray, **state: np.ndarray) -> Any:
        setups = {name: entered(s, self.found, parameters) for name, s in self.setups.items()}
        return self.answer(setups, *state.values())


def _setups(model: Model) -> dict[str, Setup]:
    """The setups behind a model: of its tree or open loops, and with the elimination planned."""
    engine = model._engine
    if not (model.mechanism.loops or model.mechanism.couplings):
        return {"open": engine.kernels.setup, "planned": tree_solver(engine.machine)[0].setup}
    machine = engine.machine
    return {"open": machine.open.setup, "planned": machine.kernels.setup}


def _questions(setups: dict[str, Setup]) -> dict[str, tuple[tuple[str, ...], Answer]]:
    closed = setups["open"].closure.n_all > 0
    dynamics = "guarded_forward_dynamics" if closed else _cheaper(setups["planned"])

    def slope(s: dict[str, Setup], q: Any, v: Any, tau: Any) -> Any:
        a = ALL_RECIPES[dynamics].answer(s["planned"], q, v, tau)
        return (a, *ALL_RECIPES["state_rates"].answer(s["open"], q, v, tau))

    def asked(name: str, of: str) -> Answer:
        return lambda s, *state: ALL_RECIPES[name].answer(s[of], *state)

    return {
        "derivative": (("q", "v", "tau"), slope),
        "gaps": (("q", "v"), asked("gaps", "open")),
        "project": (("q", "v"), asked("guarded_projection", "planned")),
        "monitor": (("q", "v"), asked("monitor", "open")),
    }


def _cheaper(setup: Setup) -> str:
    """Composite bodies for short chains, sweeps for long ones."""
    name = "guarded_tree_dynamics" if setup.plans.tree_sizes else "forward_dynamics"
    return f"{name}_composite" if setup.tree.nv <= 9 else name
