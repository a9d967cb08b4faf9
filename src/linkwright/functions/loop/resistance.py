"""Springs, friction and rotors for the second method: rows by the loops' covectors, their rates by differentiation."""

from __future__ import annotations

import numpy as np

from linkwright.algebra.vectors import Vec
from linkwright.compiler import inlined, tangent
from linkwright.formulations.virtual_power import Resistance, cut_forces, cut_speed_rows, resistance, tree_forces
from linkwright.functions.nested_programs import traced_on
from linkwright.functions.setup import Setup
from linkwright.loops.closure import Closure, closure_of
from linkwright.mechanism.tree import unresisted
from linkwright.recursion import inverse
from linkwright.recursion.coordinates import coordinate_rates
from linkwright.recursion.motion import motion


def resistance_of(setup: Setup, q: Vec, v: Vec) -> Resistance:
    """Forces of springs, friction and rotors at all joints at q, v."""
    closure = _parent_sided(setup)
    S = cut_speed_rows(closure, q)
    return resistance(setup.simplified, closure, q, v, S, _drift(setup, closure, q, v))


def resisted_speeds(setup: Setup, q: Vec, v: Vec, a: Vec) -> Vec:
    """Forces of springs, friction and rotors along the velocities of the tree and of cut joints that have some."""
    closure, tree = _parent_sided(setup), setup.simplified
    S = cut_speed_rows(closure, q)
    outside, _ = cut_forces(tree, closure, q, S @ v, S @ a + _drift(setup, closure, q, v))
    return np.concatenate([tree_forces(tree, q, v) + tree.rotors * a, outside])


def needed_forces(setup: Setup, q: Vec, v: Vec, a: Vec, outer: list[Vec] | None = None) -> Vec:
    """Tree forces that a motion needs, as `recursion.inverse.inverse_dynamics`, resistance by virtual power, (nv,)."""
    bare, taken = unresisted(setup.simplified), resistance_of(setup, q, v)
    return inverse.joint_forces(bare, motion(bare, q, v, a), outer) + taken.h + taken.M @ a


def _parent_sided(setup: Setup) -> Closure:
    """The loops written on their parents' sides."""
    return closure_of(setup.mech, setup.simplified)


def _drift(setup: Setup, closure: Closure, q: Vec, v: Vec) -> Vec:
    """S_dot v: what the cut joints' speeds gain at zero acceleration, (n,)."""
    if not setup.simplified.cut_rotors:
        return np.zeros(sum(cut.kind.nv for cut in setup.simplified.cut_joints))
    program, outer = traced_on(closure, cut_speed_rows, {"q": setup.simplified.nq})
    rate = inlined(tangent(program, ["q"]), q, *outer, coordinate_rates(setup.simplified, q, v))
    return rate @ v
