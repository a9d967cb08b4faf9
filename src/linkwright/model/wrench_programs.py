"""Programs of dynamics that take a moment and a force at each of some named bodies and frames."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from inspect import signature
from typing import Any

import numpy as np

from linkwright import checks
from linkwright.compiler import Program, inlined, trace
from linkwright.errors import ArgumentError
from linkwright.functions import Kernels
from linkwright.functions.definition import Definition
from linkwright.functions.setup import setup_at
from linkwright.functions.tree.wrench_sites import WrenchSite, attachment_of_frame, wrenches_from_sites
from linkwright.mechanism.mechanism import Mechanism
from linkwright.model.wrench import Wrench, site_of


def wrench_arguments(mech: Mechanism, wrenches: Any) -> dict[str, WrenchSite]:
    """Where wrenches act by the name of their argument, "w_" and the name of the body or frame.

    A name stands for its origin and axes; of a `Wrench` the point and the axes count, force and moment do not.
    """
    if isinstance(wrenches, str) or not isinstance(wrenches, Sequence):
        checks.refuse_argument("wrenches", wrenches, "a list of names of bodies and frames, or of Wrench records")
    found: dict[str, WrenchSite] = {}
    for each in wrenches:
        site = site_of(each) if isinstance(each, Wrench) else WrenchSite(checks.require_text("a wrench", each))
        attachment_of_frame(mech, site.on)  # refuses unknown names
        base = f"w_{re.sub(r'[^0-9A-Za-z]+', '_', site.on).strip('_')}"
        names = (base, *(f"{base}_{i}" for i in range(2, len(wrenches) + 2)))
        found[next(name for name in names if name not in found)] = site
    return found


def takes_wrenches(definition: Definition) -> bool:
    """Return True if a function depends on wrenches on bodies."""
    return "w_ext" in signature(definition.function).parameters


def loaded_program(
    kernels: Kernels, definition: Definition, sites: Mapping[str, WrenchSite], frame: str | None, inputs: bool
) -> Program:
    """The program of a function with moment and force, (6,), at every site behind its own arguments; p is the last."""
    if not takes_wrenches(definition):
        raise ArgumentError(
            f"'{definition.name}' does not depend on wrenches; take forward_dynamics, inverse_dynamics or "
            "generalized_forces, or leave wrenches out"
        )
    setup = kernels.setup
    parameters = setup.inputs if inputs else None
    whole = (kernels.input_program if inputs else kernels.program)(definition, True, frame)
    sizes = {port.name: port.shape for port in whole.inputs if port.name not in ("w_ext", "p")}
    sizes |= dict.fromkeys(sites, (6,))
    if parameters is not None:
        sizes["p"] = (len(parameters.source.inputs),)

    def function(**given: Any) -> Any:
        here = kernels.here if parameters is None else setup_at(setup, parameters.source, list(given["p"]))
        acting = np.concatenate([given[name] for name in sites])
        found = given | {"w_ext": wrenches_from_sites(here, [*sites.values()], given["q"], acting)}
        return inlined(whole, *(found[port.name] for port in whole.inputs))

    program = trace(function, sizes)
    return program if definition.any_norm else kernels.demanding(program)
