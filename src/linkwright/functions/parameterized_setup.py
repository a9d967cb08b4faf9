"""A setup whose mechanism is built inside a trace, from recorded values of its inputs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields, replace
from typing import Any

from linkwright.functions.setup import Setup
from linkwright.loops.closure import closure_of
from linkwright.mechanism.alignment import aligned
from linkwright.mechanism.grouping import grouped
from linkwright.mechanism.parameterized import ParameterizedMechanism, as_recorded
from linkwright.mechanism.tree import opened, spanning_tree


def setup_here(s: Setup) -> Setup:
    """The setup with the numbers of the values it is called at: itself at the nominal ones."""
    if s.inputs is None or s.inputs.given is None:
        return s
    s.inputs.require_one()
    return setup_at(s, s.inputs.source, s.inputs.values.tolist())


def setup_at(s: Setup, p: ParameterizedMechanism, values: Sequence[Any]) -> Setup:
    """The setup of a mechanism at other values of its inputs, with the rows and sides of the nominal one.

    Called inside a trace with recorded values it gives programs with the inputs as an argument.
    """
    mech = p.at(values)
    tree = opened(spanning_tree(mech)) if s.opened else spanning_tree(mech)
    simplified = grouped(aligned(tree)) if s.grouping else aligned(tree)
    closure = closure_of(mech, simplified, s.closure.flipped, s.closure.released)
    return replace(
        s,
        mech=mech.unchecked(**{each.name: as_recorded(getattr(mech, each.name)) for each in fields(mech)}),
        tree=as_recorded(tree),
        simplified=as_recorded(simplified),
        closure=as_recorded(replace(closure, kept=s.closure.kept)),
    )
