"""A state beyond a limit is reported by exactly the names and amounts; a state inside by nothing."""

import json
from dataclasses import replace

import numpy as np
import pytest
from click.testing import CliRunner

import linkwright as lw
from linkwright import joints as kinds
from linkwright.cli import main
from linkwright.formats import from_mjcf, from_urdf
from linkwright.functions.stepping.limit_functions import joint_values
from linkwright.joints import Cylindrical, Prismatic, Revolute, Universal
from linkwright.mechanism import Actuator, Limits
from linkwright.mechanism.tree import coordinate_slices
from tests.strategies import carried, random_mechanism

NAMES = ("four-bar", "3-rrr", "3-rps")


def limited(mech, rng):
    """Speed and effort limits at every joint, cut or not, and at every actuator."""

    def bounded(joint):
        n = joint.kind.nv
        return replace(
            joint, limits=Limits(speed=tuple(rng.uniform(0.2, 2.0, n)), effort=tuple(rng.uniform(0.2, 2.0, n)))
        )

    actuators = tuple(
        replace(a, speed=float(rng.uniform(0.2, 2)), effort=float(rng.uniform(0.2, 2))) for a in mech.actuators
    )
    return replace(
        mech, joints=tuple(map(bounded, mech.joints)), loops=tuple(map(bounded, mech.loops)), actuators=actuators
    )


def part(joint, d):
    return joint.kind.v_parts[d] if joint.kind.nv > 1 else ""


def cut_rates(model, q, v):
    """Velocities of cut joints from differences of their values; of spherical joints from the bodies' turning."""
    mech, h = model.mechanism, 1e-6
    back, ahead = (joint_values(model.setup, moved(model, q, v, s)) for s in (-h, h))
    rates = {name: (ahead[name] - back[name]) / (2 * h) for name in (loop.name for loop in mech.loops)}
    for joint in (loop for loop in mech.loops if isinstance(loop.kind, kinds.Spherical)):
        turning = {mech.base: np.zeros(3)} | {n: model.frame_twist(q, v, n)[:3] for n in mech.names}
        R = rotation(model, q, joint.child) @ joint.child_at.R
        rates[joint.name] = R.T @ (turning[joint.child] - turning[joint.parent])
    return rates


def moved(model, q, v, s):
    """Coordinates after a short time s with constant velocities."""
    return carried(model.kernels.setup.tree, q, v, s)


def rotation(model, q, body):
    w, x, y, z = model.frame_pose(q, body)[1]
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


def expected(model, q, v, tau):
    """Exceeded limits by code, name and part, computed apart."""
    mech = model.mechanism
    rates = {joint.name: v[slot[1]] for joint, slot in zip(mech.joints, coordinate_slices(mech.joints).values())}
    rates |= cut_rates(model, q, v) if mech.loops else {}
    efforts = {name: np.zeros(len(rate)) for name, rate in rates.items()}
    actuators = {a.name: a for a in mech.actuators}
    for name, effort in zip(model.actuated, tau):
        efforts[actuators[name].joint][actuators[name].dof] += effort
    found = {}
    for joint in (*mech.joints, *mech.loops):
        for code, values, bounds in (
            ("speed", rates[joint.name], joint.limits.speed),
            ("effort", efforts[joint.name], joint.limits.effort),
        ):
            for d, (x, bound) in enumerate(zip(values, bounds)):
                if abs(x) > bound:
                    found[code, joint.name, part(joint, d)] = (x, bound)
    for a in mech.actuators:
        for code, x, bound in (
            ("speed", rates[a.joint][a.dof], a.speed),
            ("effort", efforts[a.joint][a.dof], a.effort),
        ):
            if abs(x) > bound:
                found[code, a.name, ""] = (x, bound)
    return found


def assert_reported(model, q, v, tau):
    records = model.limits_exceeded(q, v, tau)
    found = {(each.code, each.subject, each.part): (each.value, each.limit) for each in records}
    wanted = expected(model, q, v, tau)
    assert found.keys() == wanted.keys() and len(records) == len(found)
    for key, (value, limit) in found.items():
        assert value == pytest.approx(wanted[key][0], rel=1e-6, abs=1e-7) and limit == wanted[key][1]
    for each in records:
        assert f"'{each.subject}'" in each.message and f"{each.limit:.6g}" in each.message == str(each)
    return len(found)


@pytest.mark.parametrize("name", NAMES)
def test_speeds_and_efforts_of_closed_mechanisms(name):
    rng = np.random.default_rng(3)
    drawn = lw.catalog.load(name)
    renamed = tuple(replace(a, name=f"motor of {a.name}") for a in drawn.actuators)
    mech = limited(replace(drawn, actuators=renamed), rng)
    model, count = lw.build(mech), 0
    q = model.assemble().q
    for size in (0.0, 0.5, 3.0):
        v = size * model.independent_map(q) @ rng.normal(size=model.mobility)
        count += assert_reported(model, q, v, size * rng.normal(size=model.na))
        assert size or not count
    assert count > 3


@pytest.mark.parametrize("seed", range(4))
def test_speeds_and_efforts_of_random_trees(seed):
    rng = np.random.default_rng(seed)
    chosen = [(Revolute, Prismatic, Cylindrical, Universal)[i] for i in rng.permutation(4)]
    mech = random_mechanism(rng, [-1, 0, 0, 2], chosen, [False] * 4, passive=False)
    actuators = tuple(
        Actuator(f"m{j.name}{d}", j.name, d) for j in mech.joints for d in range(j.kind.nv) if rng.random() < 0.7
    )
    model = lw.build(limited(replace(mech, actuators=actuators), rng))
    counts = [
        assert_reported(model, rng.normal(size=model.nq), x * rng.normal(size=model.nv), x * rng.normal(size=model.na))
        for x in (0.0, 1.0, 3.0)
    ]
    assert counts[0] == 0 < counts[2]


@pytest.mark.usefixtures("batches_in_lanes")
def test_batches_hold_the_records_of_every_state_at_its_own_limits():
    rng = np.random.default_rng(5)
    mech = limited(lw.catalog.load("five-bar"), rng)
    paths = [x for x in mech.numbers if ".limits." in x or x.endswith("psi1.at.x")]
    m = lw.build(mech, inputs=paths)
    p = m.parameters.nominal * rng.uniform(0.5, 1.1, (6, len(paths)))
    q, v, tau = (x * rng.normal(size=(6, n)) for x, n in ((1.0, m.nq), (3.0, m.nv), (3.0, m.na)))
    q[4] = np.nan
    rows = m.limits_exceeded(q, v, tau, p=p)
    assert rows.values.shape == rows.exceeded.shape == (6, len(rows.limits)) and np.isnan(rows.values[4, 0])
    assert not rows.any[4] and rows.any.sum() >= 3
    worst = m.limits_exceeded_along(q, v, tau, p=p)
    assert sum(count for count, _, _ in worst) == rows.exceeded.sum()
    for row in (0, 1, 2, 3, 5):
        one = m.with_parameters(p[row])
        assert one.limits_exceeded(q[row], v[row], tau[row]) == rows[row]
        anew = lw.build(one.mechanism).limits_exceeded(q[row], v[row], tau[row])
        assert [(x.code, x.subject, x.limit) for x in anew] == [(x.code, x.subject, x.limit) for x in rows[row]]
        assert [x.value for x in anew] == pytest.approx([x.value for x in rows[row]], rel=1e-12)


def test_equal_bounds_of_a_joint_and_its_actuator_are_reported_once():
    arm = lw.catalog.load("three-link-arm")
    joints = tuple(replace(j, limits=Limits(effort=(1.0,), speed=(1.0,))) for j in arm.joints)
    actuators = tuple(Actuator(j.name, j.name, effort=1.0, speed=1.0) for j in arm.joints)
    model = lw.build(replace(arm, joints=joints, actuators=actuators))
    found = model.limits_exceeded(np.zeros(3), [2.0, 0.5, -3.0], [0.0, 9.0, 0.0])
    assert [(each.code, each.subject, each.value) for each in found] == [
        ("speed", arm.joints[0].name, 2.0),
        ("speed", arm.joints[2].name, -3.0),
        ("effort", arm.joints[1].name, 9.0),
    ]


def test_runs_report_speeds_where_they_cross_and_efforts_where_they_leave():
    """A crank under a rising torque: the speed passes its limit within a step, the effort between two rows."""
    mech = lw.catalog.load("four-bar")
    actuator = replace(mech.actuators[0], speed=2.0, effort=50.0)
    model = lw.build(replace(mech, actuators=(actuator,)))
    run = lw.simulate(
        model, model.assemble().q, t_end=2.0, effort=lw.control.Table([0.0, 1.0, 2.0], [[0.0], [100.0], [100.0]])
    )
    events = [event for event in run.events if event.kind == "limit"]
    speed = [event for event in events if "speed limit 2 rad/s" in event.text]
    effort = [event for event in events if "effort limit 50 N m" in event.text]
    assert speed and len(effort) == 1 and all(event.name == actuator.name for event in events)
    rate = np.interp(speed[0].t, run.t, np.abs(run.v[:, list(model.v_names).index(actuator.joint)]))
    assert rate == pytest.approx(2.0, abs=0.05)
    k = int(np.searchsorted(run.t, effort[0].t))
    assert abs(run.tau[k, 0]) > 50.0 >= abs(run.tau[k - 1, 0])
    stopped = lw.simulate(model, model.assemble().q, t_end=2.0, effort=[100.0], stop_at=("singularity", "limits"))
    assert stopped.meta["ended"]["kind"] == "event" and stopped.t[-1] < 2.0


def test_a_run_that_starts_beyond_a_limit_reports_it():
    mech = lw.catalog.load("three-link-arm")
    first = replace(mech.joints[0], limits=Limits(lower=(-1.0,), upper=(0.5,), speed=(1.0,)))
    model = lw.build(replace(mech, joints=(first, *mech.joints[1:])))
    run = lw.simulate(model, [0.7, 0.0, 0.0], [2.0, 0.0, 0.0], t_end=0.01)
    reported = [event for event in run.events if event.kind == "limit" and event.t == 0.0]
    assert len(reported) == 2 and all(event.name == first.name and "starts beyond" in event.text for event in reported)


def test_the_verb_motion_reports_the_worst_of_a_motion(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    arm = lw.catalog.load("three-link-arm")
    actuators = tuple(Actuator(j.name, j.name, effort=2.0, speed=0.5) for j in arm.joints)
    lw.save(replace(arm, actuators=actuators), "arm.yaml")
    words = ["motion", "arm.yaml", "--at", "90 deg, 0, 0", "--duration", "1 s", "--samples", "21"]
    data = json.loads(CliRunner().invoke(main, [*words, "--json", "--save-run", "run.npz"]).stdout)
    run = lw.open_result("run.npz")
    speeds = np.abs(run.v).max(axis=0)
    worst = {(e["code"], e["subject"]): e["worst"] for e in data["limits"]}
    assert worst["speed", actuators[0].name] == pytest.approx(speeds[0])
    assert {subject for code, subject in worst if code == "speed"} == {actuators[0].name}
    peaks = dict(zip([each.name for each in actuators], np.abs(run.tau).max(axis=0), strict=True))
    efforts = {subject: abs(x) for (code, subject), x in worst.items() if code == "effort"}
    assert efforts == pytest.approx({name: peak for name, peak in peaks.items() if peak > 2.0})
    assert "From t = " in CliRunner().invoke(main, words).stdout


def test_limits_of_foreign_files_reach_their_actuators():
    joint = '<joint name="j" type="revolute"><parent link="a"/><child link="b"/>'
    limit = '<limit lower="-1" upper="1" effort="7" velocity="3"/></joint>'
    drive = '<transmission name="t"><joint name="j"/></transmission>'
    mech = from_urdf(f'<robot name="r"><link name="a"/><link name="b"/>{joint}{limit}{drive}</robot>').mechanism
    assert [(a.effort, a.speed) for a in mech.actuators] == [(7.0, 3.0)]
    pytest.importorskip("mujoco", reason="mujoco is not installed")
    text = """<mujoco><worldbody><body><joint name="j" actuatorfrcrange="-9 9"/><geom size="0.1"/></body></worldbody>
    <actuator><motor name="m" joint="j" gear="5" {}/></actuator></mujoco>"""
    for ranges, effort in (('forcerange="-2 3"', 15.0), ('ctrlrange="-1 2"', 10.0), ("", None)):
        mech = from_mjcf(text.format(ranges)).mechanism
        assert [a.effort for a in mech.actuators] == [effort] and mech.joints[0].limits.effort == (9.0,)
