"""Mass properties as inputs give what compiled-in ones give, and new ones need no new code."""

from dataclasses import replace

import numpy as np
import pytest

import linkwright as lw
from linkwright.mechanism import Inertia

DRAWN = lw.catalog.load("stanford-arm")
SHARES = {"link3": 0.8, "link5": 0.5}
ARM = replace(DRAWN, bodies=tuple(replace(b, gravity_compensation=SHARES.get(b.name, 0.0)) for b in DRAWN.bodies))
HEAVY = {"link3": Inertia(9.0, (0.1, 0.0, 0.2), ((0.5, 0.0, 0.0), (0.0, 0.5, 0.0), (0.0, 0.0, 0.1)))}


INPUTS = [
    path for path in ARM.numbers if path.startswith(("bodies.link3.mass", "bodies.link3.com", "bodies.link3.inertia"))
]


def states(n: int = 5) -> np.ndarray:
    return np.random.default_rng(0).normal(size=(3, n, 6))


@pytest.mark.parametrize("name", ["inverse_dynamics", "forward_dynamics"])
def test_inputs_equal_constants(name):
    fixed, free = lw.build(ARM), lw.build(ARM, inputs=INPUTS)
    assert np.allclose(getattr(fixed, name)(*states()), getattr(free, name)(*states()), rtol=1e-11, atol=1e-12)


def test_new_masses_equal_a_new_mechanism_without_new_code(monkeypatch):
    free = lw.build(ARM, inputs=INPUTS)
    free.inverse_dynamics(*states())
    monkeypatch.setattr("linkwright.functions.store.cached_kernel", lambda *_: pytest.fail("compiled again"))
    heavy = free.with_inertias(HEAVY).inverse_dynamics(*states())
    monkeypatch.undo()
    bodies = tuple(replace(b, inertia=HEAVY.get(b.name, b.inertia)) for b in ARM.bodies)
    assert np.allclose(heavy, lw.build(replace(ARM, bodies=bodies)).inverse_dynamics(*states()), rtol=1e-12, atol=1e-12)


def test_wrong_use_is_refused():
    with pytest.raises(lw.errors.LinkwrightError, match="did you mean 'link3'"):
        lw.build(ARM).with_inertias({"lnk3": HEAVY["link3"]})
    with pytest.raises(lw.errors.LinkwrightError, match="negative mass"):
        lw.build(ARM).with_inertias({"link3": Inertia(-1.0)})
