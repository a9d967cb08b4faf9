"""Records of actuators: whatever name drives a velocity, its unit and limits are those of the file, in every study."""

from __future__ import annotations

import math

import numpy as np
import pytest

import linkwright as lw
from linkwright.analysis.identification.sine_search import extremes_of_sines
from linkwright.analysis.paths.path_inequalities import actuator_bounds
from linkwright.analysis.performance.indices_record import actuator_limits
from linkwright.export.gym import largest_efforts
from linkwright.viewer.runs import column_bounds

KINDS = (lw.joints.Cylindrical, lw.joints.Universal, lw.joints.Planar, lw.joints.Revolute, lw.joints.Prismatic)
SLIDING = ("length", "x", "y", "z")


def limits_of(kind, rng) -> lw.Limits:
    """Limits of every part of a joint, all different."""
    parts = kind.v_parts
    return lw.Limits(
        lower=tuple(-rng.uniform(0.05, 0.1, len(parts))),
        upper=tuple(rng.uniform(0.05, 0.1, len(parts))),
        speed=tuple(rng.uniform(0.1, 0.4, len(parts))),
        effort=tuple(rng.uniform(100.0, 200.0, len(parts))),
    )


def random_arm(seed: int, kinds=KINDS) -> tuple[lw.Mechanism, list[str]]:
    """A chain of joints with several parts each, and for each velocity a name that can drive it."""
    rng = np.random.default_rng(seed)
    bodies, joints, actuators, names, parent = [], [], [], [], "ground"
    for i, kind in enumerate(rng.permutation(np.array(kinds, dtype=object))[:3]):
        joint, body = f"J{i}", f"b{i}"
        at = lw.RigidTransform.from_rpy(tuple(rng.uniform(-0.2, 0.2, 3)), tuple(rng.uniform(-1.0, 1.0, 3)))
        inertia = lw.Inertia(
            rng.uniform(0.5, 2.0),
            tuple(rng.uniform(-0.1, 0.1, 3)),
            tuple(map(tuple, np.diag(rng.uniform(0.02, 0.03, 3)))),
        )
        bodies.append(lw.Body(body, inertia))
        joints.append(lw.Joint(joint, parent, body, kind(), at=at, limits=limits_of(kind, rng)))
        parent = body
        for k, part in enumerate(kind.v_parts):
            name = joint if len(kind.v_parts) == 1 else f"{joint}.{part}"
            if rng.random() < 0.4:
                own = {x: rng.uniform(0.5, 1.5) * getattr(joints[-1].limits, x)[k] for x in ("speed", "effort")}
                actuators.append(lw.Actuator(f"motor {joint} {part}", joint, k, 2.0, 1e-3, **own))
                name = str(rng.choice([name, actuators[-1].name]))
            names.append(name)
    return lw.Mechanism(
        name="random arm", base="ground", bodies=bodies, joints=joints, actuators=actuators, gravity=(0.0, 0.0, -9.81)
    ), names


def expected(mech: lw.Mechanism) -> list[dict[str, object]]:
    """Limits of every velocity in order, from the joints and the actuators that the file has at it."""
    found: list[dict[str, object]] = []
    for joint in mech.joints:
        for k, part in enumerate(joint.kind.v_parts):
            there = [a for a in mech.actuators if (a.joint, a.dof) == (joint.name, k)]
            least = {
                x: min([getattr(joint.limits, x)[k], *(getattr(a, x) for a in there)]) for x in ("speed", "effort")
            }
            ends = (joint.limits.lower[k], joint.limits.upper[k])
            unit = "m" if part in SLIDING else "rad"
            found.append({"joint": joint.name, "part": part, "unit": unit, "range": ends, **least})
    return found


@pytest.mark.parametrize("seed", range(30))
def test_every_look_up_finds_the_limits_of_the_file(seed):
    mech, names = random_arm(seed)
    model = lw.build(mech, actuated=names)
    wanted = expected(mech)
    for name, record, right in zip(names, model.actuators, wanted, strict=True):
        assert record.name == name
        assert {key: getattr(record, key) for key in right} == right
        assert record.velocity == record.coordinate == model.v_names[names.index(name)]
        assert (record.reflected_inertia > 0.0) == any(
            (a.joint, a.dof) == (record.joint, record.dof) for a in mech.actuators
        )
    effort, speed = ([x[key] for x in wanted] for key in ("effort", "speed"))
    assert actuator_limits(model, "speed").tolist() == speed
    assert (
        actuator_limits(model, "effort").tolist() == actuator_bounds(model, None, None, None).effort.tolist() == effort
    )
    assert largest_efforts(model, None).tolist() == effort
    assert [pair[1] for pair in column_bounds(model).tau] == effort


def test_a_cut_joint_and_a_quaternion_have_records_too():
    ball = lw.Mechanism(
        name="ball",
        base="ground",
        bodies=[lw.Body("a", lw.Inertia(1.0, (0.1, 0.0, 0.0), ((0.1, 0, 0), (0, 0.1, 0), (0, 0, 0.1))))],
        joints=[lw.Joint("S", "ground", "a", lw.joints.Spherical(), limits=lw.Limits(effort=(1.0, 2.0, 3.0)))],
    )
    records = lw.build(ball, actuated=["S.wz", "S.wx"]).actuators
    assert [(x.part, x.unit, x.effort, x.coordinate) for x in records] == [
        ("wz", "rad", 3.0, ""),
        ("wx", "rad", 1.0, ""),
    ]
    assert all(x.range == (-math.inf, math.inf) for x in records)
    cut = lw.build(lw.catalog.load("slider-crank"))
    assert all(x.joint in {j.name for j in (*cut.mechanism.joints, *cut.mechanism.loops)} for x in cut.actuators)


@pytest.mark.parametrize("seed", [1, 4])
def test_exciting_motions_keep_limits_at_all_times(seed):
    mech, names = random_arm(seed, (lw.joints.Cylindrical, lw.joints.Universal, lw.joints.Revolute))
    model = lw.build(mech, actuated=names)
    found = lw.analysis.excite(
        model, parameters=["inertial"], period=2.0, harmonics=2, samples=16, starts=1, iterations=3
    )
    t = np.linspace(0.0, found.period, 20_001)
    q = np.array(found.positions(t)).T
    v = np.gradient(q, t, axis=0, edge_order=2)
    low, high = np.array([x.range for x in model.actuators]).T
    assert np.all(q >= low - 1e-9) and np.all(q <= high + 1e-9)
    assert np.all(np.abs(v) <= np.array([x.speed for x in model.actuators]) * (1.0 + 1e-5))
    run = lw.motion(model, t[::20], q_act=found.positions, reactions=False)
    assert not run.meta["limits"]


@pytest.mark.parametrize("seed", [2, 3])
def test_time_optimal_paths_keep_limits_of_parts(seed):
    mech, names = random_arm(seed, (lw.joints.Planar, lw.joints.Cylindrical, lw.joints.Universal))
    model = lw.build(mech, actuated=names)
    low, high = np.array([x.range for x in model.actuators]).T
    rows = np.linspace(0.8 * low, 0.8 * high, 9)
    found = lw.analysis.time_optimal(model, q_act=rows, acceleration=20.0, intervals=40, solver="linprog")
    run = found.motion(model, 101)
    assert not run.meta["limits"]
    assert np.abs(model.actuator_velocities(run.v, run.q) / [x.speed for x in model.actuators]).max() > 0.9


def test_extremes_of_sines_are_those_of_a_fine_grid():
    rng = np.random.default_rng(0)
    x = np.linspace(0.0, 2.0 * np.pi, 200_001)
    for n in (1, 2, 5, 9):
        s, c = rng.normal(size=(2, n, 3))
        order = np.arange(1, n + 1)
        values = np.sin(np.outer(x, order)) @ s + np.cos(np.outer(x, order)) @ c
        low, high = extremes_of_sines(s, c)
        assert np.all(low <= values.min(axis=0) + 1e-14) and np.all(high >= values.max(axis=0) - 1e-14)
        assert np.allclose(low, values.min(axis=0), rtol=0, atol=1e-7 * n**2)
        assert np.allclose(high, values.max(axis=0), rtol=0, atol=1e-7 * n**2)
