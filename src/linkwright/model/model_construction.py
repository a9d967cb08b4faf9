"""From a mechanism to its model, and mechanisms whose home is closed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from linkwright.checks import require_choice, require_flag, require_texts
from linkwright.dynamics.efforts import LeastNorm, LeastPeak, Preload, Sharing, require_sizes
from linkwright.errors import (
    ArgumentError,
    FormatWarning,
    LinkwrightError,
    LinkwrightWarning,
    ParameterWarning,
    warn_caller,
    withheld_warnings,
)
from linkwright.mechanism.mechanism import BASES, Mechanism, require_mechanism, with_fixed_base, with_floating_base
from linkwright.mechanism.parameters import live_formulas
from linkwright.mechanism.tree import coordinate_slices
from linkwright.model.model import Model
from linkwright.numerics.tolerances import CLOSED_STATE
from linkwright.plans.closed_samples import home_coordinates


def build(
    mech: Mechanism,
    actuated: Sequence[str] | None = None,
    *,
    grouping: bool = True,
    sharing: Sharing | None = None,
    alternative_trees: bool = True,
    inputs: Sequence[str] | str = (),
    base: str | None = None,
) -> Model:
    """A model of a mechanism, specialized to its numbers.

    Args:
        mech: the mechanism, from `load`, `catalog.load` or written as records.
        actuated: names of the driven joints or actuators; None takes the actuators the file names, and in a tree
            that names none every joint.
        grouping: fold inertial parameters towards the base, which saves operations and changes no result.
        sharing: how more actuators than freedoms share the work; least norm by default.
        alternative_trees: compute on another spanning tree than the file's where that is cheaper, which changes no
            coordinate and no result; False computes on the file's own.
        inputs: names of the file's parameters, and paths of numbers ("bodies.crank.mass"), that stay inputs of the
            compiled code: `model.with_parameters` changes them without compiling, and functions take them as `p`;
            "all" names every parameter of the file.
        base: "floating" lets the base float in a world with the inertia that its file gives it, for walking and flying
            robots whose file has a fixed base or none; "fixed" holds what floats at its home; None as in the file.

    >>> import linkwright as lw
    >>> arm = lw.build(lw.catalog.load("three-link-arm"))
    >>> [float(round(x, 5)) for x in arm.inverse_dynamics([0, 0, 0], [0, 0, 0], [0, 0, 0])]
    [4.34583, 1.54998, 0.32373]
    """
    require_mechanism("build", mech)
    if base is not None:
        mech = with_floating_base(mech) if require_choice("base", base, BASES) == "floating" else with_fixed_base(mech)
    names = None if actuated is None else require_texts("actuated", actuated)
    if sharing is not None and not isinstance(sharing, LeastNorm | LeastPeak | Preload):
        raise ArgumentError(f"sharing is {sharing!r}, expected LeastNorm(), LeastPeak() or Preload(...)")
    kept = _input_names(mech, inputs)
    options = (
        require_flag("grouping", grouping),
        sharing or LeastNorm(),
        require_flag("alternative_trees", alternative_trees),
    )
    model = Model(mech, names, *options, kept)
    require_sizes(sharing or LeastNorm(), model.actuated)
    unused = [
        name for name in model.parameters.unused if not isinstance(inputs, str) or not model.parameters[name].uses
    ]
    if unused:
        warn_caller(
            f"no result of '{mech.name}' follows from the inputs {', '.join(unused)}: no number of its equations "
            "depends on them; leave them out of inputs",
            FormatWarning,
        )
    if inputs != "all":
        _warn_of_overlap(mech, model.parameters.names)
    return model


def _warn_of_overlap(mech: Mechanism, names: tuple[str, ...]) -> None:
    """Warn of inputs that would follow from other inputs and, as inputs of their own, do not."""
    for each in mech.parameters if len(names) > 1 else ():
        if each.name in names:
            follow = {*each.uses, *live_formulas(mech).reach(each.name)} - {each.name}
            own = [name for name in names if name in follow]
            if own:
                warn_caller(
                    f"the inputs of '{mech.name}' overlap: {', '.join(own)} follows from '{each.name}' in the file, "
                    f"and as an input of its own it stays where it is when '{each.name}' changes; list one of them to "
                    "have both change together",
                    ParameterWarning,
                )


def _input_names(mech: Mechanism, inputs: Sequence[str] | str) -> tuple[str, ...]:
    if isinstance(inputs, str) and inputs == "all":
        found = tuple(each.name for each in mech.parameters if not each.structural)
        if not found:
            raise ArgumentError(
                f"inputs is \"all\", and '{mech.name}' has no parameters; name numbers by their paths, for example "
                f"{list(mech.numbers)[:2]}"
            )
        return found
    return require_texts("inputs", inputs)


def rebuild_on_mechanism(model: Model, mech: Mechanism) -> Model:
    """A model of another mechanism with the same actuators and options, and without inputs."""
    return Model(mech, model.actuated, *model._arguments[2:-1])


def model_with_inputs(model: Model, mech: Mechanism, more: tuple[str, ...]) -> Model:
    """A model of the mechanism with more inputs than those of a model, and the same actuators and options."""
    return Model(mech, model.actuated, *model._arguments[2:-1], (*model.parameters.names, *more))


def with_closed_home(mech: Mechanism) -> Mechanism:
    """The mechanism with a home in which its loops close, if the one of its file leaves them open and can be closed."""
    if not (mech.loops or mech.couplings):
        return mech
    try:
        model = build(mech)
        if np.abs(model.closure_residual(home_coordinates(model.kernels))).max(initial=0.0) < CLOSED_STATE:
            return mech
        with withheld_warnings(LinkwrightWarning):
            q = model.assemble().q
    except LinkwrightError:
        return mech
    slices = coordinate_slices(mech.joints)
    return replace(mech, home=tuple((joint.name, tuple(map(float, q[slices[joint.name][0]]))) for joint in mech.joints))
