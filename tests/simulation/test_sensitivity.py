"""Derivatives of the end of a run: those of differences of runs, and of a motion known in closed form."""

from dataclasses import replace

import numpy as np
import pytest

import linkwright as lw
from linkwright.errors import ArgumentError
from linkwright.forces import Friction, Spring
from linkwright.functions.loop import closure_functions
from linkwright.simulation.problem.callbacks import Callback
from linkwright.simulation.problem.problem import problem_of_model as problem_of
from linkwright.simulation.sensitivity import _variational_codes as variational_codes
from linkwright.simulation.sensitivity import dense_dynamics

STEP = lw.RK4(2e-3)
FOUR_BAR = {"joints.B.at.x": 4.1, "bodies.crank.mass": 2.0, "gravity.y": -8.0}


def difference(model, q, values, name, h, start=None, **options):
    """Central difference of the last state by an input, of order four."""
    weights = {-2: 1 / 12, -1: -8 / 12, 1: 8 / 12, 2: -1 / 12}
    out = 0.0
    for k, w in weights.items():
        run = lw.simulate(model.with_parameters(values | {name: values[name] + k * h}), q, **options)
        out = out + w * np.concatenate([run.q[-1], run.v[-1]]) / h
    return out[: model.nq], out[model.nq :]


@pytest.mark.parametrize(
    "formulation",
    [lw.Multipliers(), lw.Multipliers(lw.Baumgarte(10.0)), lw.VirtualSprings(1e3, 1e2), lw.Minimal()],
    ids=repr,
)
@pytest.mark.parametrize("effort", [[5.0], lw.control.Sines([4.0], 5.0)], ids=["constant", "law"])
def test_it_is_that_of_differences_of_runs(formulation, effort):
    model = lw.build(lw.catalog.load("four-bar"), inputs=list(FOUR_BAR)).with_parameters(FOUR_BAR)
    options = {"t_end": 0.4, "effort": effort, "formulation": formulation, "method": STEP, "check": False}
    q = model.assemble().q
    found = lw.simulate(model, q, **options).sensitivity()
    assert found.names == tuple(FOUR_BAR)
    for i, name in enumerate(FOUR_BAR):
        dq, dv = difference(model, q, FOUR_BAR, name, 1e-4, **options)
        assert found.coordinates[:, i] == pytest.approx(dq, rel=1e-7, abs=1e-8)
        assert found.v[:, i] == pytest.approx(dv, rel=1e-7, abs=1e-7)


def test_the_loops_stay_closed():
    """The closure Jacobian times the displacements takes up what the input opens, and so do its rates."""
    model = lw.build(lw.catalog.load("four-bar"), inputs=["joints.B.at.x"])
    run = lw.simulate(model, model.assemble().q, t_end=0.4, effort=[5.0])
    found, q, v, h = run.sensitivity(), run.q[-1], run.v[-1], 1e-5
    sides = [model.with_parameters({"joints.B.at.x": 4.0 + x}) for x in (h, -h)]
    gaps = [
        (
            each.closure_residual(q + x * found.coordinates[:, 0]),
            each.closure_jacobian(q + x * found.coordinates[:, 0]) @ (v + x * found.v[:, 0]),
        )
        for each, x in zip(sides, (h, -h), strict=True)
    ]
    for up, down in zip(*gaps, strict=True):
        assert np.abs(up - down).max() / (2 * h) < 1e-9


def test_the_start_and_an_objective():
    model = lw.build(lw.catalog.load("four-bar"), inputs=["bodies.crank.mass"])
    q = model.assemble().q
    R = model.independent_map(q)[:, 0]
    options = {"t_end": 0.3, "effort": [5.0], "method": STEP, "check": False}

    def objective(t, q, v):
        return np.sin(q[0]) * v[0] + q[1] * q[1]

    found = lw.simulate(model, q, **options).sensitivity(initial=True, objective=objective)
    assert found.names[0] == "bodies.crank.mass" and len(found.names) == 1 + 2 * model.nv

    def end(shift, push):
        moved = model.forward_kinematics([q[0] + shift], near=q)[0] if shift else q
        run = lw.simulate(model, moved, model.independent_map(moved)[:, 0] * push, **options)
        return run.q[-1], run.v[-1], objective(0.3, run.q[-1], run.v[-1])

    h = 1e-4
    n = model.nv
    for columns, ends in (
        (slice(1, 1 + n), [end(x, 0.0) for x in (h, -h)]),
        (slice(1 + n, None), [end(0.0, x) for x in (h, -h)]),
    ):
        for part, by in ((0, found.coordinates), (1, found.v)):
            wanted = (ends[0][part] - ends[1][part]) / (2 * h)
            assert by[:, columns] @ R == pytest.approx(wanted, rel=1e-6, abs=1e-6)
        assert found.gradient[columns] @ R == pytest.approx((ends[0][2] - ends[1][2]) / (2 * h), rel=1e-6)
    assert found.value == pytest.approx(end(0.0, 0.0)[2], rel=1e-12)


def test_a_linear_motion_has_its_closed_solution():
    """A damped oscillator: x(t) of mass, stiffness, damping, rest and the start."""
    mech = lw.catalog.load("three-link-arm")
    slide = replace(
        mech.joints[0],
        kind=lw.joints.Prismatic((1.0, 0.0, 0.0)),
        spring=Spring((40.0,), (0.1,)),
        friction=Friction((3.0,)),
    )
    body = mech.bodies[0]
    mech = replace(mech, bodies=(body,), joints=(slide,), gravity=(0.0, 0.0, 0.0), frames=(), actuators=(), home=())
    joint = f"joints.{slide.name}"
    names = [
        f"bodies.{body.name}.mass",
        f"{joint}.spring.stiffness",
        f"{joint}.friction.viscous",
        f"{joint}.spring.rest",
    ]
    model = lw.build(mech, inputs=names, actuated=[])
    t, x0, v0 = 0.7, 0.3, -0.5
    found = lw.simulate(model, [x0], [v0], t_end=t, method=lw.DOP853(rtol=1e-12)).sensitivity(initial=True)

    def x(m, k, c, rest, x0, v0):
        d, w = c / (2 * m), np.sqrt(k / m - (c / (2 * m)) ** 2 + 0j)
        a, b = x0 - rest, (v0 + d * (x0 - rest)) / w
        return rest + np.exp(-d * t) * (a * np.cos(w * t) + b * np.sin(w * t))

    point = np.array([body.inertia.mass, 40.0, 3.0, 0.1, x0, v0], dtype=complex)
    for i in range(6):
        h = 1e-5
        shifts = [point + s * h * np.eye(6)[i] for s in (-2, -1, 1, 2)]
        wanted = np.dot([1 / 12, -8 / 12, 8 / 12, -1 / 12], [x(*s).real for s in shifts]) / h
        assert found.q[0, i] == pytest.approx(wanted, rel=1e-8, abs=1e-9), found.names[i]


def test_links_that_bend():
    model = lw.build(lw.catalog.load("four-bar-flexible"), inputs=["gravity.y"])
    values = {"gravity.y": float(model.parameters.nominal[0])}
    q, options = model.assemble().q, {"t_end": 0.02, "method": lw.RK4(2e-5), "check": False}
    run = lw.simulate(model, q, **options)
    assert any(series.group == "beam" for series in run.series)
    dq, dv = difference(model, q, values, "gravity.y", 1e-2, **options)
    assert run.sensitivity().coordinates[:, 0] == pytest.approx(dq, rel=1e-6, abs=1e-9)
    assert run.sensitivity().v[:, 0] == pytest.approx(dv, rel=1e-6, abs=1e-8)


@pytest.mark.parametrize("name", ["gough-stewart", "stanford-arm"])
def test_quaternions_and_many_inputs(name):
    mech = lw.catalog.load(name)
    inputs = [f"bodies.{mech.bodies[0].name}.mass", "gravity.z"]
    model = lw.build(mech, inputs=inputs)
    values = dict(zip(inputs, model.parameters.nominal.tolist(), strict=True))
    q, options = (
        model.assemble().q,
        {"t_end": 0.05, "effort": np.linspace(1, 2, model.na), "method": STEP, "check": False},
    )
    found = lw.simulate(model, q, **options).sensitivity(["gravity.z"])
    dq, dv = difference(model, q, values, "gravity.z", 1e-3, **options)
    assert found.coordinates[:, 0] == pytest.approx(dq, rel=1e-6, abs=1e-9)
    assert found.by("gravity.z")[1] == pytest.approx(dv, rel=1e-6, abs=1e-8)


def test_what_cannot_be_differentiated_says_so(tmp_path):
    plain = lw.build(lw.catalog.load("four-bar"))
    model = lw.build(lw.catalog.load("four-bar"), inputs=["bodies.crank.mass"])
    q = model.assemble().q
    run = lw.simulate(model, q, t_end=0.1)
    with pytest.raises(lw.errors.LinkwrightError, match="no inputs"):
        lw.simulate(plain, q, t_end=0.1).sensitivity()
    with pytest.raises(lw.errors.LinkwrightError, match="did you mean"):
        run.sensitivity(["bodies.crank.mas"])
    with pytest.raises(lw.errors.LinkwrightError, match="cannot be differentiated"):
        run.sensitivity(objective=lambda t, q, v: float(q[0]))
    for start, message in (
        ((np.zeros(3), np.zeros(3)), r"start\[0\] has the shape \(3,\)"),
        (3, "start is 3, expected a pair"),
        ((np.zeros((3, 1)), "x"), r"start\[1\] is 'x', expected numbers"),
        ((np.full((3, 1), np.nan), np.zeros((3, 1))), r"start\[0\] holds nan"),
    ):
        with pytest.raises(ArgumentError, match=message):
            run.sensitivity(start=start)
    for objective, message in (
        (3, "objective is 3"),
        (lambda: 1.0, "takes 0 positional arguments"),
        (lambda t, q, v: q, r"shape \(3,\), expected one number"),
        (lambda t, q, v: q[99], "out of bounds"),
        (lambda t, q, v: None, "None"),
    ):
        with pytest.raises(ArgumentError, match=message):
            run.sensitivity(objective=objective)
    for names, message in (("bodies", "a list of names"), (["bodies.crank.mass"] * 2, "named twice")):
        with pytest.raises(ArgumentError, match=message):
            run.sensitivity(names)
    for options in ({"method": lw.Rodas5P()}, {"effort": lambda t, q, v: [1.0]}):
        with pytest.raises(lw.errors.LinkwrightError, match="sensitivity"):
            lw.simulate(model, q, t_end=0.1, **options).sensitivity()
    run.save(tmp_path / "a.npz")
    with pytest.raises(lw.errors.LinkwrightError, match="in this process"):
        lw.open_result(tmp_path / "a.npz").sensitivity()


def directions_of(model, n, seed):
    """A closed state with n directions of state, efforts and inputs behind it."""
    rng, q = np.random.default_rng(seed), model.assemble().q
    E = model.kernels.function(closure_functions.coordinate_rates)(q, np.eye(model.nv)).T
    v, tau = model.independent_map(q) @ rng.normal(size=model.mobility), rng.normal(size=model.na)
    Q = np.concatenate([q, *(E @ rng.normal(size=model.nv) for _ in range(n))])
    V, T = (np.concatenate([x, rng.normal(size=n * len(x))]) for x in (v, tau))
    return Q, V, T, rng.normal(size=(n, len(model.parameters)))


@pytest.mark.parametrize("name", ["four-bar", "3-rrr"])
def test_the_dense_fallback_is_the_compiled_variational_equation(name):
    model = lw.build(lw.catalog.load(name), inputs=["gravity.z"])
    problem, n = problem_of(model), 2
    Q, V, T, p_dot = directions_of(model, n, 3)
    code = variational_codes(problem, n)["dynamics"].bind_inputs(problem.fixed_inputs | {"p_dot": p_dot})
    found = np.zeros((1 + n) * model.nv)
    assert dense_dynamics(model, p_dot)(Q, V, T, found) == 1
    expected = code(Q, V, T)
    assert np.abs(found - expected).max() < 1e-11 * np.abs(expected).max()


def test_regular_states_at_which_the_compiled_elimination_gives_up_have_derivatives(monkeypatch):
    """With nothing but the fallbacks, dynamics and projection, derivatives are those of the compiled functions."""
    model = lw.build(lw.catalog.load("four-bar"), inputs=list(FOUR_BAR)).with_parameters(FOUR_BAR)
    run = lw.simulate(model, model.assemble().q, t_end=0.1, effort=[5.0], method=STEP)
    expected = run.sensitivity(initial=True)

    def none(*given):
        raise lw.errors.SingularityError("given up")

    def give_up(problem, n):
        sizes = [(1 + n) * size for size in (model.nq, model.nv, model.na)]
        codes = {"dynamics": Callback(none, sizes, sizes[1:2]), "project": Callback(none, sizes[:2], sizes[1::-1])}
        return variational_codes(problem, n) | codes

    monkeypatch.setattr("linkwright.simulation.sensitivity._variational_codes", give_up)
    found = run.sensitivity(initial=True)
    assert found.names == expected.names
    assert found.coordinates == pytest.approx(expected.coordinates, rel=1e-9, abs=1e-9)
    assert found.v == pytest.approx(expected.v, rel=1e-9, abs=1e-9)
