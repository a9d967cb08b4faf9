"""A sample of `python -m tests.simulation.energy`: some mechanisms, some seconds."""

import numpy as np
import pytest

import linkwright as lw
from tests.simulation.energy import kept, let_go
from tests.simulation.mechanisms import catalog_model


@pytest.mark.parametrize("name", ["four-bar", "slider-crank", "three-link-arm", "3-rrr", "gough-stewart"])
def test_energy_and_closure_are_kept(name):
    assert kept(let_go(name, t_end=2.0))


def test_friction_takes_what_the_balance_says():
    """Kinetic and potential energy, less work, plus losses, is constant with friction and efforts too."""
    mech = lw.catalog.load("four-bar")
    rubbing = lw.build(with_friction(mech))
    run = lw.simulate(rubbing, rubbing.assemble().q, t_end=2.0, effort=[6.0], method=lw.DOP853(1e-11))
    assert run["losses"][-1] > 1.0 and np.all(np.diff(run["losses"]) >= 0)
    assert run.meta["energy_balance"]["relative"] < 1e-9


def with_friction(mech):
    from dataclasses import replace

    from linkwright.forces import Friction

    rough = Friction(viscous=(0.5,), coulomb=(0.2,), slip=0.05)
    return replace(mech, joints=tuple(replace(joint, friction=rough) for joint in mech.joints))


def test_free_bodies_keep_unit_quaternions():
    model = catalog_model("gough-stewart")
    run = lw.simulate(model, model.assemble().q, t_end=0.5)
    index = model.q_names.index(next(name for name in model.q_names if name.endswith(".qw")))
    assert np.abs(np.linalg.norm(run.q[:, index : index + 4], axis=1) - 1.0).max() < 1e-15


def test_loops_that_springs_leave_rigid_stay_closed():
    """One loop of two on springs: it opens, the other one is projected."""
    model = catalog_model("3-rrr")
    springs = lw.VirtualSprings(1e6, at=(model.mechanism.loops[0].name,))
    run = lw.simulate(
        model, model.assemble().q, t_end=0.2, effort=[1.0, 0.0, 0.0], formulation=springs, output=21, check=False
    )
    gap = np.abs(model.closure_residual(run.q)).max(axis=0)
    rate = np.abs(model.closure_jacobian(run.q) @ run.v[..., None])[..., 0].max(axis=0)
    assert gap[:5].max() > 1e-8
    assert gap[5:].max() < 1e-12 and rate[5:].max() < 1e-11
    assert run.meta["energy_balance"]["relative"] < 1e-7
