"""External wrenches as arguments of exported functions: those of the model to 1e-12, by body and frame names."""

import shutil
import subprocess
from dataclasses import replace

import numpy as np
import pytest
from click.testing import CliRunner

import linkwright as lw
from linkwright.algebra.transforms import RigidTransform
from linkwright.cli import main
from linkwright.compiler import evaluate
from linkwright.errors import ArgumentError
from linkwright.mechanism.records import Frame

POINT = (0.03, -0.02, 0.05)
SITES = ["platform", "tool tip", lw.Wrench("tool tip", at=POINT, axes="world")]
NAMES = ["w_platform", "w_tool_tip", "w_tool_tip_2"]


@pytest.fixture(scope="module", params=["five-bar", "gough-stewart"])
def loaded(request):
    """A mechanism with a frame, a moving state, efforts, wrenches, and these as records."""
    mech = lw.catalog.load(request.param)
    tip = Frame(
        "tool tip", mech.bodies[-1].name, RigidTransform.from_quaternion((0.1, 0.02, -0.03), (0.8, 0.36, -0.48, 0.0))
    )
    model, rng = lw.build(replace(mech, frames=(*mech.frames, tip))), np.random.default_rng(3)
    q_act = model.actuator_positions(model.assemble().q) + 0.02 * rng.normal(size=model.na)
    q, v, a = model.forward_kinematics(q_act, *(0.5 * rng.normal(size=(2, model.na))))
    w = 3.0 * rng.normal(size=(3, 6))
    sites = [mech.platform, *SITES[1:]]
    points = [{}, {}, {"at": POINT, "axes": "world"}]
    records = [
        lw.Wrench(x if isinstance(x, str) else x.on, moment=each[:3], force=each[3:], **point)
        for x, each, point in zip(sites, w, points, strict=True)
    ]
    return model, (q, v), {"tau": rng.normal(size=model.na), "a": a}, sites, w, records


@pytest.mark.parametrize(("function", "last"), [("forward_dynamics", "tau"), ("inverse_dynamics", "a")])
def test_programs_take_wrenches_by_name(loaded, function, last):
    model, state, more, sites, w, records = loaded
    program = model.program(function, wrenches=sites)
    assert [port.name for port in program.inputs][2:] == [last, f"w_{sites[0]}", *NAMES[1:]]
    found = evaluate(program, *state, more[last], *w)
    expected = getattr(model, function)(*state, more[last], w_ext=records)
    assert np.abs(found - expected).max() < 1e-12 * max(1.0, np.abs(expected).max())
    alone = evaluate(program, *state, more[last], *np.zeros((3, 6)))
    assert np.abs(alone - getattr(model, function)(*state, more[last])).max() < 1e-12 * max(1.0, np.abs(alone).max())


@pytest.mark.parametrize("loaded", ["five-bar"], indirect=True)
@pytest.mark.parametrize("tool", ["jax", "torch", "casadi"])
def test_functions_of_other_tools_take_them_too(loaded, tool):
    model, state, more, sites, w, records = loaded
    pytest.importorskip(tool, reason=f"needs the extra {tool}")
    expected = model.forward_dynamics(*state, more["tau"], w_ext=records)
    given = (*state, more["tau"])
    size = max(1.0, np.abs(expected).max())
    if tool == "casadi":
        f = lw.export.casadi_function(model, "forward_dynamics", wrenches=sites)
        assert np.abs(f(*given, *w).full().ravel() - expected).max() < 1e-12 * size
        return
    if tool == "jax":
        import jax

        jax.config.update("jax_enable_x64", True)
        f = lw.export.jax_function(model, "forward_dynamics", wrenches=sites, method="kernel")
        by_wrench = jax.jacfwd(lambda x: f(*given, x, *w[1:]))(w[0])
        read = np.asarray
    else:
        import torch

        f = lw.export.torch_function(model, "forward_dynamics", wrenches=sites)
        by_wrench = torch.autograd.functional.jacobian(lambda x: f(*given, x, *w[1:]), torch.as_tensor(w[0]))
        read = np.asarray
    assert np.abs(read(f(*given, *w)) - expected).max() < 1e-12 * size
    assert np.abs(read(f(*given)) - model.forward_dynamics(*given)).max() < 1e-12 * size  # left out: none
    other = model.forward_dynamics(*given, w_ext=records[1:])
    assert np.abs(read(by_wrench) @ w[0] - (expected - other)).max() < 1e-10 * size  # they act linearly


def test_wrenches_and_parameters_go_together():
    model = lw.build(lw.catalog.load("five-bar"), inputs=["proximal"])
    q = model.assemble().q
    program = model.program("inverse_dynamics", inputs=True, wrenches=["platform"])
    assert [port.name for port in program.inputs] == ["q", "v", "a", "w_platform", "p"]
    w, p = np.array([0.1, 0.2, -0.3, 4.0, -5.0, 6.0]), [0.26]
    other = model.with_parameters(p)
    q = other.forward_kinematics(model.actuator_positions(q), near=q)[0]
    found = evaluate(program, q, np.zeros(model.nv), np.zeros(model.nv), w, p)
    record = lw.Wrench("platform", moment=w[:3], force=w[3:])
    zero = np.zeros(model.nv)
    assert np.abs(found - other.inverse_dynamics(q, zero, zero, w_ext=record)).max() < 1e-12


@pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler is installed")
def test_the_c_file_passes_its_self_test(tmp_path):
    path = tmp_path / "robot.c"
    arguments = ["export", "c", "five-bar", "forward_dynamics", "--wrench", "platform", "--name", "robot"]
    done = CliRunner().invoke(main, [*arguments, "-o", str(path)])
    assert done.exit_code == 0, done.output
    text = path.read_text()
    assert "const double *in_tau, const double *in_w_platform, double *out_out" in text
    program = tmp_path / "robot"
    subprocess.run(["cc", "-O1", "-DROBOT_SELFTEST", str(path), "-lm", "-o", str(program)], check=True)
    assert "worst relative error" in subprocess.run([str(program)], check=True, capture_output=True, text=True).stdout


def test_what_does_not_fit_is_named():
    model = lw.build(lw.catalog.load("five-bar"))
    with pytest.raises(ArgumentError, match=r"unknown body or frame 'platfrom' \(did you mean 'platform'"):
        model.program("forward_dynamics", wrenches=["platfrom"])
    with pytest.raises(ArgumentError, match="'mass_matrix' does not depend on wrenches"):
        model.program("mass_matrix", wrenches=["platform"])
    with pytest.raises(ArgumentError, match="wrenches is 'platform', expected a list"):
        model.program("forward_dynamics", wrenches="platform")
    with pytest.raises(ArgumentError, match="'forward_kinematics' does not depend on wrenches"):
        lw.export.jax_function(model, "forward_kinematics", wrenches=["platform"])
    with pytest.raises(ArgumentError, match="fixed to the base"):
        model.program("forward_dynamics", wrenches=[model.mechanism.base])
