"""Wrenches on bodies and frames during a run, constant and following laws."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import linkwright as lw
from linkwright.errors import ArgumentError

FORMULATIONS = [
    lw.Multipliers(),
    lw.Multipliers(lw.Baumgarte(20.0)),
    lw.Minimal(),
    lw.VirtualSprings(1e5, 1e2),
]
METHODS = [lw.DOP853(1e-10), lw.DP5(1e-9), lw.RK4(5e-4), lw.Rodas5P(1e-7)]


def weightless(mech):
    return replace(mech, gravity=(0.0, 0.0, 0.0))


def weights(mech):
    """The weight of every body, as wrenches in world axes at the mass centers."""
    return [
        lw.Wrench.weight(mech, body.name, body.inertia.mass, body.inertia.com)
        for body in mech.bodies
        if body.inertia.mass
    ]


@pytest.fixture(scope="module")
def four_bar():
    mech = lw.catalog.load("four-bar")
    model = lw.build(mech)
    return model, lw.build(weightless(mech)), model.assemble().q


@pytest.fixture(scope="module")
def hexapod():
    mech = lw.catalog.load("gough-stewart")
    model = lw.build(mech)
    return model, lw.build(weightless(mech)), model.assemble().q


@pytest.mark.parametrize("formulation", FORMULATIONS, ids=repr)
def test_weights_as_wrenches_are_gravity(four_bar, formulation):
    model, light, q = four_bar
    given = {"t_end": 0.4, "effort": [6.0], "formulation": formulation, "method": lw.DP5(1e-10), "output": 21}
    heavy = lw.simulate(model, q, **given)
    loaded = lw.simulate(light, q, wrench=weights(model.mechanism), **given)
    assert np.abs(loaded.q - heavy.q).max() < 1e-8
    assert np.abs(loaded.a - heavy.a).max() < 1e-5 * np.abs(heavy.a).max()
    assert loaded.meta["energy_balance"]["relative"] < 1e-6
    assert loaded.meta["agreement"].get("relative", 0.0) < 1e-8 or isinstance(formulation, lw.VirtualSprings)


@pytest.mark.parametrize("method", METHODS, ids=repr)
def test_every_integrator_takes_wrenches(four_bar, method):
    model, light, q = four_bar
    heavy = lw.simulate(model, q, t_end=0.3, effort=[6.0], method=method, output=4)
    loaded = lw.simulate(light, q, t_end=0.3, effort=[6.0], method=method, output=4, wrench=weights(model.mechanism))
    assert np.abs(loaded.q - heavy.q).max() < 1e-7


def test_spatial_loops_and_floating_platforms(hexapod):
    model, light, q = hexapod
    tau = np.linspace(20.0, 40.0, model.na)
    heavy = lw.simulate(model, q, t_end=0.2, effort=tau, output=5)
    loaded = lw.simulate(light, q, t_end=0.2, effort=tau, output=5, wrench=weights(model.mechanism))
    assert np.abs(loaded.q - heavy.q).max() < 1e-8
    assert loaded.meta["energy_balance"]["relative"] < 1e-8


def push(t, q, v):
    return np.array([3.0 * np.sin(9.0 * t), 1.0 + 0.5 * v[0], -2.0 * np.cos(q[0])])


def turn(t, q, v):
    return np.array([0.2 * t, -0.1 * v[0], 0.3])


@pytest.mark.parametrize("axes", ["body", "world"])
@pytest.mark.parametrize("name", ["three-link-arm", "four-bar", "3-rrr"])
def test_rows_obey_the_equations_of_motion_and_the_work_is_theirs(name, axes):
    model = lw.build(lw.catalog.load(name))
    body, at = model.bodies[-1], (0.02, -0.03, 0.05)
    law = lw.Wrench(body, push, turn, at=at, axes=axes)
    run = lw.simulate(model, model.assemble().q, t_end=0.4, wrench=law, output=401, effort=np.full(model.na, 0.4))
    q, v, t = run.q, run.v, run.t
    R = model.frame_pose(q, body).rotation
    force, moment = (np.array([f(*x) for x in zip(t, q, v)]) for f in (push, turn))
    if axes == "body":
        force, moment = (np.einsum("nij,nj->ni", R, x) for x in (force, moment))
    twist, arm = model.frame_twist(q, v, body), R @ np.array(at)
    moment = moment + np.cross(arm, force)
    w = np.concatenate([np.einsum("nji,nj->ni", R, x) for x in (moment, force)], axis=1)
    a = model.forward_dynamics(q, v, run.tau, w_ext={body: w})
    assert np.abs(a - run.a).max() < 1e-9 * np.abs(a).max()
    power = (twist * np.concatenate([moment, force], axis=1)).sum(axis=1)
    power = power + (run.tau * model.actuator_velocities(v)).sum(axis=1)
    h = t[1] - t[0]
    work = h / 3.0 * (power[0] + power[-1] + 4.0 * power[1:-1:2].sum() + 2.0 * power[2:-1:2].sum())
    assert run["work"][-1] == pytest.approx(work, rel=1e-7, abs=1e-9)
    assert run.meta["energy_balance"]["relative"] < 1e-8


def test_records_given_to_dynamics_are_body_wrenches(hexapod):
    model, _, q = hexapod
    rng = np.random.default_rng(1)
    q = np.stack([q, model.integrate(q, 0.0 * rng.normal(size=model.nv), 1.0)])
    v, tau = np.zeros((2, model.nv)), rng.normal(size=model.na)
    force, at = rng.normal(size=3), rng.normal(size=3)
    platform = model.mechanism.platform
    found = model.forward_dynamics(q, v, tau, w_ext=lw.Wrench(platform, force, at=at, axes="world"))
    R = model.frame_pose(q, platform).rotation
    f = np.einsum("nji,j->ni", R, force)
    w = np.concatenate([np.cross(at, f), f], axis=1)
    body = next((f.body for f in model.mechanism.frames if f.name == platform), platform)
    if body == platform:
        assert np.abs(found - model.forward_dynamics(q, v, tau, w_ext={body: w})).max() < 1e-9 * np.abs(found).max()
    J = model.frame_jacobian(q[0], platform)
    moment = np.cross(R[0] @ at, force)
    more = model.generalized_forces(q[0], v[0], v[0], w_ext=lw.Wrench(platform, force, at=at, axes="world"))
    rest = model.generalized_forces(q[0], v[0], v[0]) - J.T @ np.concatenate([moment, force])
    assert np.abs(more - rest).max() < 1e-9


def test_frames_carry_wrenches_at_their_own_origin():
    mech = lw.catalog.load("three-link-arm")
    pose = lw.RigidTransform.from_quaternion((0.1, 0.2, -0.3), np.array([0.8, 0.0, 0.6, 0.0]))
    mech = replace(mech, frames=(*mech.frames, lw.Frame("probe", mech.names[-1], pose)))
    model = lw.build(mech)
    q, v = np.array([0.3, -0.4, 0.7]), np.zeros(3)
    J = model.frame_jacobian(q, "probe")
    R = model.frame_pose(q, "probe").rotation
    f, m = np.array([1.0, -2.0, 3.0]), np.array([0.4, 0.5, -0.6])
    for axes, turn in (("body", R), ("world", np.eye(3))):
        change = model.generalized_forces(q, v, v, lw.Wrench("probe", f, m, axes=axes)) - model.generalized_forces(
            q, v, v
        )
        assert np.abs(change + J.T @ np.concatenate([turn @ m, turn @ f])).max() < 1e-12


def test_python_functions_and_laws_of_control_serve_too(four_bar):
    model, _, q = four_bar
    body = model.bodies[-1]

    def branching(t, q, v):
        return [5.0, 0.0, 0.0] if t < 0.1 else (5.0, 0.0, 0.0)

    expected = lw.simulate(model, q, t_end=0.2, wrench=lw.Wrench(body, [5.0, 0.0, 0.0]), output=5)
    sines = lw.control.Sines([0.0, 0.0, 0.0], 1.0, offset=[5.0, 0.0, 0.0])
    steady = lw.control.Steady([5.0, 0.0, 0.0], [0.0, 0.0, 0.0])
    for force in (branching, sines, steady):
        run = lw.simulate(model, q, t_end=0.2, wrench=lw.Wrench(body, force), output=5)
        assert np.abs(run.q - expected.q).max() < 1e-13
    by_name = lw.simulate(model, q, t_end=0.2, wrench={body: [0, 0, 0, 5.0, 0, 0]}, output=5)
    assert np.array_equal(by_name.q, expected.q)


def test_a_sampled_controller_goes_on_beside_wrenches(four_bar):
    model, light, q = four_bar
    effort = lw.control.Sampled(lambda t, q, v: [6.0 - v[0]], rate=500.0)
    heavy = lw.simulate(model, q, t_end=0.2, effort=effort, output=5)
    loaded = lw.simulate(light, q, t_end=0.2, effort=effort, output=5, wrench=weights(model.mechanism))
    assert np.abs(loaded.q - heavy.q).max() < 1e-9


def test_ensembles_and_steppers_take_the_same_wrenches(four_bar):
    model, _, q = four_bar
    body = model.bodies[-1]
    efforts = np.linspace(2.0, 6.0, 9)[:, None]
    law = lw.Wrench(body, push, turn, at=(0.1, 0, 0), axes="world")
    many = lw.simulate_many(model, q, t_end=0.2, effort=efforts, wrench=law, output=3, threads=1)
    for i in (0, 5, 8):
        one = lw.simulate(model, q, t_end=0.2, effort=efforts[i], wrench=law, output=3)
        assert np.abs(one.q - many.q[i]).max() < 1e-9
        assert one["work"][-1] == pytest.approx(many[i]["work"][-1], rel=1e-8)
    fixed = lw.Wrench(body, [3.0, 1.0, -2.0], [0.1, 0.2, 0.3], at=(0.1, 0, 0), axes="world")
    many = lw.simulate_many(model, q, t_end=0.02, effort=efforts, wrench=fixed, output=2, method=lw.RK4(1e-3))
    robots = lw.Stepper(model, 9, h=0.02, substeps=20, wrenches=[lw.Wrench(body, at=(0.1, 0, 0), axes="world")])
    stepped, _ = robots.step(efforts, wrench={body: [0.1, 0.2, 0.3, 3.0, 1.0, -2.0]})
    assert np.array_equal(stepped, many.q[:, -1])
    assert np.array_equal(robots.work, [many[i]["work"][-1] for i in range(9)])


def test_inputs_of_the_model_move_with_the_wrench():
    mech = lw.catalog.load("five-bar")
    model = lw.build(mech, inputs=["proximal_mass"])
    q, body = model.assemble().q, model.bodies[-1]
    law = lw.Wrench(body, push, axes="world")
    for value in (0.3, 0.5):
        there = model.with_parameters(proximal_mass=value)
        plain = lw.build(lw.catalog.load("five-bar", {"proximal_mass": value}))
        a, b = (lw.simulate(m, q, t_end=0.1, wrench=law, output=3) for m in (there, plain))
        assert np.abs(a.q - b.q).max() < 1e-9


def test_a_loop_that_only_pushes_lets_go_of_a_body_that_is_pulled():
    mech = lw.Mechanism(
        "block",
        bodies=(lw.Body("block", lw.Inertia(2.0, (0, 0, 0), ((0.1, 0, 0), (0, 0.1, 0), (0, 0, 0.1)))),),
        joints=(lw.Joint("rail", "ground", "block", lw.joints.Prismatic((0, 0, 1))),),
        open_loops=(lw.Joint("floor", "ground", "block", lw.joints.Planar((0, 0, 1))),),
        gravity=(0.0, 0.0, -10.0),
    )
    model = lw.build(mech)
    up = (0, 0, 1)
    lift = lw.Wrench("block", lambda t, q, v: np.array([0.0, 0.0, 100.0 * t]), axes="world")
    events = [lw.events.Close("floor", normal=up), lw.events.Open("floor", normal=up)]
    run = lw.simulate(model, [0.0005], t_end=0.5, wrench=lift, events=events)
    opened = [event.t for event in run.events if event.kind == "opened"]
    assert opened and opened[-1] == pytest.approx(0.2, abs=1e-6)  # 100 t = 2 kg 10 m/s^2


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (lambda: lw.Wrench("couplr", [1.0, 0, 0]), "couplr"),
        (lambda: lw.Wrench("ground", [1.0, 0, 0]), "base"),
        (lambda: {"couplr": [0, 0, 0, 1, 0, 0]}, "unknown body"),
        (lambda: {"coupler": [1.0, 0]}, "expected"),
        (lambda: 3.0, "expected a Wrench"),
        (lambda: [lw.Wrench("coupler"), 3.0], "Wrench records alone"),
        (lambda: lw.Wrench("coupler", lambda t, q, v: np.array([1.0, 2.0])), "expected"),
    ],
)
def test_wrong_wrenches_are_named(four_bar, given, message):
    model, _, q = four_bar
    with pytest.raises(ArgumentError, match=message):
        lw.simulate(model, q, t_end=0.01, wrench=given())


@pytest.mark.parametrize(
    "make",
    [
        lambda: lw.Wrench(3),
        lambda: lw.Wrench("a", axes="tool"),
        lambda: lw.Wrench("a", at=[0, 0]),
        lambda: lw.Wrench("a", [np.nan, 0, 0]),
        lambda: lw.Wrench("a", lw.control.Steady([0.0], [1.0])),
        lambda: lw.Wrench("a", "up"),
    ],
)
def test_wrong_records_are_refused(make):
    with pytest.raises(ArgumentError):
        make()


def test_laws_in_time_are_not_for_one_instant(four_bar):
    model, _, q = four_bar
    with pytest.raises(ArgumentError, match="simulate"):
        model.forward_dynamics(q, np.zeros(model.nv), [0.0], w_ext=lw.Wrench(model.bodies[0], push))


def test_a_study_names_wrenches(four_bar):
    from linkwright.formats.study import from_study_text, to_study_text

    model, _, _ = four_bar
    body = model.bodies[-1]
    text = f"""format: 1
mechanism: four-bar
t_end: 0.2
output: {{rows: 3}}
wrenches:
  - {{body: {body}, force: [0, 5 N, 0], at: [10 cm, 0, 0], axes: world}}
  - {{body: {body}, times: [0, 0.1], moment: [[0, 0, 0], [0, 0, 2]]}}
"""
    study = from_study_text(text, "study.yaml")
    assert from_study_text(to_study_text(study), "again") == study
    run = lw.run_study(study, model.mechanism)
    ramp = lw.control.Table([0.0, 0.1], [[0, 0, 0], [0, 0, 2.0]], between="line")
    given = [lw.Wrench(body, [0, 5.0, 0], at=(0.1, 0, 0), axes="world"), lw.Wrench(body, moment=ramp)]
    same = lw.simulate(model, model.assemble().q, t_end=0.2, output=3, wrench=given)
    assert np.array_equal(run.q, same.q)


def test_a_resumed_run_asks_for_the_same_wrenches(four_bar, tmp_path):
    model, _, q = four_bar
    path = tmp_path / "run.npz"
    body = model.bodies[-1]

    def stop(share):
        raise KeyboardInterrupt

    def call(force, **how):
        out = lw.Output(51, path, how.pop("progress", None))
        return lw.simulate(model, q, t_end=2.0, output=out, wrench=lw.Wrench(body, force), method=lw.RK4(1e-3), **how)

    with pytest.raises(KeyboardInterrupt):
        call([1.0, 0, 0], progress=stop)
    with pytest.raises(lw.errors.LinkwrightError, match="wrench"):
        call([2.0, 0, 0], resume=True)
    again = call([1.0, 0, 0], resume=True)
    plain = lw.simulate(model, q, t_end=2.0, output=51, wrench=lw.Wrench(body, [1.0, 0, 0]), method=lw.RK4(1e-3))
    assert np.array_equal(again.q, plain.q)


def test_the_command_line_names_forces(four_bar, tmp_path, monkeypatch):
    from click.testing import CliRunner

    from linkwright.cli import main

    model, _, q = four_bar
    body = model.bodies[-1]
    monkeypatch.chdir(tmp_path)
    args = ["simulate", "four-bar", "--duration", "0.2 s", "--samples", "3", "--save-run", "run.npz"]
    done = CliRunner().invoke(main, [*args, "--force", f"{body}=0, 5 N, 0", "--force", f"{body}=1 0 0"])
    assert done.exit_code == 0, done.output
    law = lw.Wrench(body, [1.0, 5.0, 0.0], axes="world")
    same = lw.simulate(model, q, t_end=0.2, output=3, wrench=law)
    assert np.abs(lw.open_result("run.npz").q - same.q).max() < 1e-12
    for wrong in ("5 N", f"{body}=1, 2", "nobody=1, 2, 3"):
        assert CliRunner().invoke(main, [*args, "--overwrite", "--force", wrong]).exit_code == 2


def test_mujoco_accelerates_alike_under_applied_wrenches(tmp_path):
    mj = pytest.importorskip("mujoco", reason="needs MuJoCo")
    model = lw.build(lw.catalog.load("three-link-arm"))
    lw.save(model.mechanism, tmp_path / "arm.xml")
    m = mj.MjModel.from_xml_path(str(tmp_path / "arm.xml"))
    m.opt.disableflags |= mj.mjtDisableBit.mjDSBL_CONTACT
    data, rng = mj.MjData(m), np.random.default_rng(4)
    order = [int(m.joint(name).dofadr[0]) for name in model.q_names]
    for _ in range(5):
        q, v, tau = rng.normal(size=(3, 3))
        data.qpos[order], data.qvel[order], data.qfrc_applied[order] = q, v, tau
        data.xfrc_applied[:] = 0.0
        wrenches = []
        for body in model.mechanism.bodies:
            force, moment = rng.normal(size=(2, 3))
            data.xfrc_applied[m.body(body.name).id] = [*force, *moment]
            wrenches.append(lw.Wrench(body.name, force, moment, at=body.inertia.com, axes="world"))
        mj.mj_forward(m, data)
        a = model.forward_dynamics(q, v, tau, w_ext=wrenches)
        assert np.abs(data.qacc[order] - a).max() < 1e-8 * np.abs(a).max()


def test_wrenches_stay_on_where_the_fallbacks_take_over():
    """Two four-bars in a row lie flat on the way; there steps are taken in tangent coordinates."""
    mech = lw.load(Path(__file__).parents[1] / "data" / "two-four-bars.yaml")
    heavy, light = lw.build(mech), lw.build(weightless(mech))
    q, v = heavy.assemble().q, np.array([-1.0, -1.0, -1.0, 1.0, 1.0])
    given = {"t_end": 2.0, "stop_at": (), "output": 5, "check": False}
    expected = lw.simulate(heavy, q, v, **given)
    run = lw.simulate(light, q, v, wrench=weights(mech), **given)
    assert run.stats["tangent_steps"] > 0
    assert np.abs(run.q - expected.q).max() < 1e-6


class Branching:
    na = 3

    def tau(self, t, q, v):
        return np.array([1.0 if q[0] > 0 else 0.0, 0.0, 0.0])


def test_laws_that_cannot_be_used_are_named():
    model = lw.build(lw.catalog.load("three-link-arm"))
    q = model.assemble().q
    with pytest.raises(lw.errors.LinkwrightError, match="the effort law Branching cannot be compiled: > needs a value"):
        lw.simulate(model, q, t_end=0.1, effort=Branching())
    run = lw.simulate(model, q, t_end=0.1, effort=Branching().tau)  # the way out that the message gives
    assert run.meta["complete"]
    bad = lw.Wrench("link2", force=lambda t, q, v: [np.nan if t > 0.05 else 1.0, 0.0, 0.0])
    good = lw.Wrench("link1", force=[0.0, 1.0, 0.0])
    ended = lw.simulate(model, q, t_end=0.1, wrench=[good, bad]).meta["ended"]
    assert ended["kind"] == "not finite" and ended["t"] == pytest.approx(0.05, abs=1e-9)
    assert ended["text"].startswith("the law of the wrench on 'link2' gave nan for its force x at t = 0.05")
