"""A model that nobody uses any more is gone, with its code."""

import gc
import sys
import weakref
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import linkwright as lw
from linkwright.compiler import compile_program, trace
from linkwright.compiler.runtime import code


@pytest.fixture(autouse=True, scope="module")
def others_are_not_searched():
    """Do not search what earlier tests left: it takes a second each time."""
    gc.collect()
    gc.freeze()
    yield
    gc.unfreeze()


def simulated(model):
    return lw.simulate(model, model.assemble().q, t_end=0.05)


USES = {
    "assemble": lambda m: m.assemble(),
    "dynamics": lambda m: m.forward_dynamics(m.assemble().q, np.zeros(m.nv), np.zeros(m.na)),
    "inverse": lambda m: m.inverse_dynamics(m.assemble().q, np.zeros(m.nv), np.zeros(m.nv)),
    "modes": lambda m: m.assembly_modes(m.actuator_positions(m.assemble().q)),
    "singularity": lambda m: m.singularity(m.assemble().q),
    "reactions": lambda m: m.joint_reactions(m.assemble().q, np.zeros(m.nv), np.zeros(m.nv), np.zeros(m.na)),
    "run": lambda m: simulated(m).meta,
    "minimal": lambda m: lw.simulate(m, m.assemble().q, t_end=0.05, formulation=lw.Minimal()).meta,
    "law": lambda m: lw.simulate(m, m.assemble().q, t_end=0.05, effort=lw.control.Table([0.0, 1.0], [[0.0], [1.0]])),
    "many": lambda m: lw.simulate_many(m, m.assemble().q, t_end=0.05, effort=np.zeros((3, m.na))),
}


@pytest.mark.parametrize("use", USES.values(), ids=USES)
def test_a_deleted_model_is_gone(use):
    model = lw.build(lw.catalog.load("four-bar"))
    watched = [weakref.ref(x) for x in (model, model.kinematics, model.kernels, model.kernels.setup)]
    use(model)
    del model
    gc.collect()
    assert [ref() for ref in watched] == [None] * 4


def test_deleted_models_leave_no_setup_behind():
    """Mechanisms with massless and near-singular trees go through caches of their own."""
    mech = lw.catalog.load("three-link-arm")
    model = lw.build(replace(mech, bodies=tuple(replace(b) for b in mech.bodies)))
    setup = weakref.ref(model.kernels.setup)
    from linkwright.dynamics.tree_dynamics import _massless_setup, _principal_arms_of_bodies

    assert _massless_setup(model.kernels.setup) is _massless_setup(model.kernels.setup)
    assert _principal_arms_of_bodies(model.kernels.setup) is _principal_arms_of_bodies(model.kernels.setup)
    del model
    gc.collect()
    assert setup() is None


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="resident memory is read from /proc")
def test_unloaded_code_gives_its_memory_back(monkeypatch):
    """A linker keeps kilobytes of every library it ever loaded: without new ones this loses 6 MB."""
    loaded = []
    real = code.load_object_code
    monkeypatch.setattr(code, "load_object_code", lambda *given: (loaded.append(given), real(*given))[1])
    kernel = compile_program(trace(lambda x: np.sin(x) * x[::-1], {"x": 3}))
    assert kernel(np.ones(3)).shape == (3,)

    def resident():
        gc.collect()
        return int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1]) * 4096

    for _ in range(3 * code.LOADS):
        real(*loaded[0])
    before = resident()
    for _ in range(600):
        real(*loaded[0])
    assert resident() - before < 2e6


def test_code_lives_as_long_as_a_kernel_uses_it():
    """Linkers are replaced while kernels of older ones are in use."""
    kernels = [compile_program(trace(lambda x, k=k: x * float(k), {"x": 1})) for k in range(8)]
    for k in range(2 * code.LOADS):
        compile_program(trace(lambda x, k=k: x + float(k), {"x": 1}))
    gc.collect()
    assert [float(kernel(np.ones(1))[0]) for kernel in kernels] == [float(k) for k in range(8)]
