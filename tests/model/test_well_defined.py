"""Requests that are well defined are answered, others are refused at the call with the reason."""

from dataclasses import replace
from importlib import metadata

import numpy as np
import pytest

import linkwright as lw
from linkwright.errors import ArgumentError, LinkwrightError
from linkwright.joints import Revolute
from linkwright.mechanism import Body, Inertia, Joint, Mechanism


def truss() -> Mechanism:
    """Three bars that cannot move: a triangle of revolute joints."""
    lump = Inertia.diagonal(1.0, (0.5, 0.0, 0.0), (0.1, 0.1, 0.1))
    bodies = (Body("left", lump), Body("right", lump))
    joints = (Joint("A", "ground", "left", Revolute()), Joint("B", "left", "right", Revolute(), lw_pose(1.0)))
    loops = (Joint("C", "ground", "right", Revolute(), lw_pose(1.2), lw_pose(1.0)),)
    return Mechanism("truss", bodies, joints, loops, base="ground", home=(("A", (0.9,)), ("B", (-1.8,))))


def lw_pose(x: float):
    from linkwright.algebra.transforms import RigidTransform

    return RigidTransform((x, 0.0, 0.0))


def test_a_structure_without_actuators_has_no_efforts():
    model = lw.build(truss())
    assert model.mobility == 0
    q = model.assemble().q
    still = np.zeros(model.nv)
    assert model.inverse_dynamics(q, still, still).shape == (0,)
    assert model.inverse_dynamics(np.array([q] * 4), still, still).shape == (4, 0)
    for formulation in (lw.Minimal(), lw.Multipliers()):
        assert model.inverse_dynamics(q, still, still, formulation=formulation).shape == (0,)
    assert model.inverse_dynamics(q, still, still, w_ext={"left": np.ones(6)}).shape == (0,)
    with pytest.raises(LinkwrightError):
        model.program("inverse_dynamics")


def test_a_held_structure_shares_nothing():
    model = lw.build(truss(), actuated=["A"])
    q, still = model.assemble().q, np.zeros(model.nv)
    assert np.array_equal(model.inverse_dynamics(q, still, still), [0.0])


@pytest.mark.parametrize("function", ["rao_inverse", "khan_inverse", "rao_forward", "khan_forward"])
@pytest.mark.parametrize("name", ["four-bar", "3-rrr", "three-link-arm"])
def test_programs_that_do_not_apply_are_refused_with_the_reason(name, function):
    model = lw.build(lw.catalog.load(name))
    try:
        assert model.program(function).n_inputs
    except LinkwrightError as error:
        assert len(str(error)) > 30


def test_inertias_may_be_arrays():
    model = lw.build(lw.catalog.load("four-bar"))
    body = model.mechanism.bodies[0]
    given = Inertia(body.inertia.mass, np.array(body.inertia.com), np.array(body.inertia.tensor))
    assert given == body.inertia
    assert hash(given) == hash(body.inertia)
    other = model.with_inertias({body.name: given})
    assert other.mechanism == model.mechanism
    run = lw.simulate(other, other.assemble().q, np.zeros(other.nv), 0.01)
    assert np.isfinite(run.q).all()
    with pytest.raises(LinkwrightError):
        model.with_inertias({body.name: replace(body.inertia, tensor=np.ones(3))})
    with pytest.raises(ArgumentError):
        model.with_inertias({body.name: np.eye(3)})


def test_a_copy_without_package_metadata_simulates_and_draws(monkeypatch):
    def missing(name: str) -> str:
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(metadata, "version", missing)
    model = lw.build(lw.catalog.load("four-bar"))
    run = lw.simulate(model, model.assemble().q, np.zeros(model.nv), 0.01)
    assert run.meta["linkwright"] == lw.__version__
    from linkwright.viewer.page import mechanism_page

    assert lw.__version__ in mechanism_page(model, still=True)
