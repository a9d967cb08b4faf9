"""Forces on a mechanism besides its actuators' efforts: wrenches on bodies, end stops (any scalar)."""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwright.algebra.vectors import Mat, Vec
from linkwright.compiler import Kernel, Options, Program, inlined, trace
from linkwright.dataclass import dataclass
from linkwright.functions.definition import Definition
from linkwright.functions.design_inputs import BoundKernel, in_parts
from linkwright.functions.setup import Setup, setup_at
from linkwright.functions.stages import Stage
from linkwright.functions.store import Kernels
from linkwright.functions.tree.tree_functions import WrenchSite, wrenches_from_sites
from linkwright.simulation.problem.stops import Stop, add_stop_efforts


@dataclass(frozen=True)
class AppliedLoads:
    """Wrenches that are given behind the efforts, six numbers each, and end stops.

    Attributes:
        sites: where wrenches act, in the order in which they are given.
        stops: limits of joints that push back.
    """

    sites: tuple[WrenchSite, ...] = ()
    stops: tuple[Stop, ...] = ()

    @property
    def n_wrenches(self) -> int:
        """Numbers that are given behind the efforts."""
        return 6 * len(self.sites)

    def on(self, stage: Stage, q: Vec, v: Vec, given: Vec) -> Applied:
        """What acts at a state; `given` are the efforts, then the wrenches, each in the axes of its site."""
        setup = stage.setup
        tau, lost = given[: len(setup.drives)], 0.0
        outer = self.outer(setup, q, given[len(tau) :])
        if self.stops:
            more, tau, lost = add_stop_efforts(setup, self.stops, q, v, tau)
            stage = stage.on(more)
        return Applied(stage, tau, outer, lost)

    def outer(self, setup: Setup, q: Vec, given: Vec) -> tuple[Mat, ...]:
        """The wrenches on all bodies (n_bodies, 6), in their frames, as the last argument of dynamics; () without."""
        return (wrenches_from_sites(setup, self.sites, q, given),) if self.sites else ()


@dataclass(frozen=True, eq=False)
class Applied:
    """What acts at a state: a stage with all drives, their efforts, the wrenches on all bodies if there are any, and
    the power lost in end stops [W]."""

    stage: Stage
    tau: Vec
    outer: tuple[Any, ...]
    lost: Any


NOTHING = AppliedLoads()


def acted_program(kernels: Kernels, definition: Definition, acting: AppliedLoads) -> Program:
    """The program of a function of tau whose efforts are followed by the numbers of the wrenches.

    As in `Kernels.input_program`, values of the mechanism's inputs are the last argument, p.
    """
    if not acting.sites or "tau" not in definition.inputs:
        return kernels.input_program(definition)
    whole, setup = kernels.input_program(definition, wrench=True), kernels.setup
    na = len(setup.drives)
    sizes = {port.name: port.shape for port in whole.inputs if port.name != "w_ext"}

    def function(**given: Any) -> Any:
        inputs = setup.inputs
        here = setup if inputs is None else setup_at(setup, inputs.source, list(given["p"]))
        tau, w = np.split(given["tau"], [na])
        (w_ext,) = acting.outer(here, given["q"], w)
        found = given | {"tau": tau, "w_ext": w_ext}
        return inlined(whole, *(found[port.name] for port in whole.inputs))

    program = trace(function, sizes | {"tau": (na + acting.n_wrenches,)})
    return program if definition.any_norm else kernels.demanding(program)


def function_of_loads(
    kernels: Kernels, definition: Definition, acting: AppliedLoads, **constants: np.ndarray
) -> Kernel | BoundKernel:
    """The compiled function of state, efforts and wrenches alone, as `Kernels.bound` without wrenches."""
    if not acting.sites or "tau" not in definition.inputs:
        return kernels.bound(definition, **constants)
    taken = {name: constants[name] for name in definition.inputs if name in constants}

    def made() -> Any:
        program = acted_program(kernels, definition, acting)
        return in_parts(b"acted", program, (*taken, "p"), Options(pivot_checked=definition.pivot_checked))

    code = kernels.cache.get(("acted", definition, acting, tuple(taken)), made)
    if isinstance(code, Kernel):
        return code
    inputs = kernels.setup.inputs
    return code.bound(taken if inputs is None else taken | {"p": inputs.values})
