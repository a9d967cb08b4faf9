"""Closed mechanisms whose numbers are inputs: the equations recorded once move as a model built at other values."""

from __future__ import annotations

import numpy as np
import pytest

import linkwright as lw
from linkwright import catalog
from linkwright.compiler import evaluate, trace
from linkwright.formulations.multipliers import bordered_inertia_matrix
from linkwright.functions import setup
from linkwright.functions.setup import setup_at
from linkwright.loops.closure import closure_bias
from linkwright.mechanism import parameterize_mechanism
from linkwright.recursion.inverse_recursion import tree_bias_forces
from linkwright.recursion.twist_recursion import motion_of_tree

CASES = {
    "four-bar": ["joints.alpha_rel.at.x", "joints.B.at.x", "joints.B.child_at.x", "bodies.coupler.mass", "gravity.y"],
    "3-rpr": ["base", "plate", "joints.vertex1.child_at.x"],
    "gough-stewart": [f"joints.ball{i}.child_at.{part}" for i in range(1, 7) for part in "xyz"],
    "four-bar-flexible": ["bodies.coupler.beam.density", "bodies.coupler.beam.stiffness", "bodies.crank.mass"],
}


@pytest.mark.parametrize("name", CASES)
def test_accelerations_are_those_of_a_model_built_at_the_values(name):
    rng = np.random.default_rng(3)
    p = parameterize_mechanism(catalog.load(name), CASES[name])
    values = np.array([x * (1.0 + 0.01 * rng.uniform(-1, 1)) for x in p.nominal])
    model = lw.build(p.at(list(values)))
    q = model.assemble().q
    v = model.independent_map(q) @ rng.uniform(-1.0, 1.0, model.mobility)
    s = setup(p.mech, None)

    def recorded(values, q, v):
        t = setup_at(s, p, values)
        still = motion_of_tree(t.simplified, q, v, np.zeros(len(v)))
        return (
            bordered_inertia_matrix(t.simplified, t.closure, q),
            tree_bias_forces(t.simplified, q, v),
            closure_bias(t.closure, q, v, still),
        )

    K, h, c = evaluate(trace(recorded, {"values": len(values), "q": len(q), "v": len(v)}), values, q, v)
    x = np.linalg.lstsq(K, np.concatenate([-h, -c]), rcond=1e-11)[0]
    a = model.forward_dynamics(q, v, np.zeros(model.na))
    assert x[: len(v)] == pytest.approx(a, rel=1e-7, abs=1e-7 * np.abs(a).max())
