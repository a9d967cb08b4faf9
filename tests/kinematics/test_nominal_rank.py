"""Equations left out at the nominal values of inputs: values at which they count are refused, others are not."""

import warnings
from dataclasses import replace

import numpy as np
import pytest

import linkwright as lw
from linkwright.joints import Cylindrical, Revolute
from linkwright.kinematics.nominal_rank import added_equations, has_nominal_rank

ANGLES = ("joints.A.at.roll", "joints.B.at.roll", "joints.C.child_at.roll", "joints.C.at.roll")
LENGTHS = ("joints.A.at.x", "joints.B.at.x")
CYLINDRICAL = Cylindrical()
BODIES = (("crank", 1.0), ("coupler", 2.0), ("rocker", 3.0))
GENERAL = np.array([0.3, 0.5, 0.4, 0.6])


def four_bar(angles, kind=CYLINDRICAL, lengths=(0.12, 0.4, 0.35, 0.5)):
    """Crank, coupler and rocker with given angles between their axes, a revolute joint and three others."""

    def pose(i):
        return lw.RigidTransform.from_rpy((lengths[i], 0.0, 0.0), (float(angles[i]), 0.0, 0.0))

    zero = (0.0,) * (len(kind.v_parts) - 1)
    return lw.Mechanism(
        "RCCC",
        bodies=tuple(
            lw.Body(name, lw.Inertia.diagonal(mass, (0.1, 0.01, 0.02), (0.003, 0.01, 0.012))) for name, mass in BODIES
        ),
        joints=(
            lw.Joint("O", "ground", "crank", Revolute()),
            lw.Joint("A", "crank", "coupler", kind, at=pose(0)),
            lw.Joint("B", "coupler", "rocker", kind, at=pose(1)),
        ),
        loops=(lw.Joint("C", "ground", "rocker", kind, at=pose(3), child_at=pose(2)),),
        actuators=(lw.Actuator("motor", "O"),),
        home=(("O", (0.7,)), ("A", (-0.5, *zero)), ("B", (1.2, *zero))),
    )


@pytest.fixture(scope="module")
def parallel():
    return lw.build(four_bar(np.zeros(4)), inputs=[*ANGLES, *LENGTHS])


@pytest.fixture(scope="module")
def states(parallel):
    """Values, closed states and velocities: with parallel axes, and with general ones, two of each."""
    rows = []
    for i, scale in enumerate((0.0, 1.0, 0.0, 1.1)):
        p = np.array([*scale * GENERAL, 0.12 + 0.01 * i, 0.4])
        model = lw.build(four_bar(p[:4], lengths=(p[4], p[5], 0.35, 0.5)))
        q = model.assemble().q
        rows.append((p, q, model.independent_map(q) @ np.ones(model.mobility), model))
    return rows


def calls(q, v, tau):
    return {
        "forward_dynamics": (q, v, tau),
        "joint_reactions": (q, v, 0.0 * v, tau),
        "independent_map": (q,),
        "minimal_inertia": (q,),
        "singularity": (q,),
        "forward_dynamics_derivatives": (q, v, tau),
        "project": (q, v),
    }


def arrays_of(result):
    if isinstance(result, dict):
        return list(result.values())
    if isinstance(result, tuple):
        return list(result)
    return [result if isinstance(result, np.ndarray) else result.constraint]


@pytest.mark.parametrize("function", calls(0.0, 0.0, 0.0))
def test_a_single_state_is_refused_and_rows_of_a_batch_are_nan(parallel, states, function):
    p, q, v = (np.array([row[i] for row in states]) for i in range(3))
    tau = np.full((4, 1), 0.4)
    for i in (1, 3):
        for call in (
            lambda i=i: getattr(parallel, function)(*calls(q[i], v[i], tau[i])[function], p=p[i]),
            lambda i=i: getattr(parallel.with_parameters(p[i]), function)(*calls(q[i], v[i], tau[i])[function]),
        ):
            with pytest.raises(
                lw.errors.ArgumentError, match=r"2 more closure equations count .*build a model"
            ) as caught:
                call()
            assert caught.value.findings[0].code == "rank-changed"
    with pytest.warns(lw.errors.BatchWarning, match="rank-changed") as given:
        batch = arrays_of(getattr(parallel, function)(*calls(q, v, tau)[function], p=p))
    assert [given[0].message.finding.value[key] for key in ("failed", "rows")] == [2, 4]
    for i in (0, 2):
        alone = arrays_of(getattr(parallel, function)(*calls(q[i], v[i], tau[i])[function], p=p[i]))
        assert all(np.array_equal(x[i], y) for x, y in zip(batch, alone, strict=True))
        assert all(np.isfinite(x[i]).all() for x in batch)
    assert all(np.isnan(x[[1, 3]]).all() for x in batch)


def test_a_model_at_such_values_refuses_every_call(parallel, states):
    p, q, v, exact = states[1]
    model = parallel.with_parameters(p)
    for _ in range(2):
        with pytest.warns(lw.errors.BatchWarning, match="rank-changed"):
            assert np.isnan(model.forward_dynamics([q] * 3, [v] * 3, [[0.4]] * 3)).all()
        with pytest.raises(lw.errors.ArgumentError, match="count"):
            model.forward_dynamics(q, v, [0.4])
    for read in (lambda: model.mobility, lambda: model.independent, lambda: model.redundant_equations):
        with pytest.raises(lw.errors.ArgumentError, match="1 degree of freedom and not 3"):
            read()
    again = lw.build(model.mechanism, inputs=ANGLES)  # the way out that the message names
    assert again.mobility == exact.mobility == 1
    assert np.allclose(again.forward_dynamics(q, v, [0.4]), exact.forward_dynamics(q, v, [0.4]), rtol=1e-9)


def test_diagnose_names_the_rows(parallel, states):
    p, q, v = (np.array([row[i] for row in states]) for i in range(3))
    found = parallel.diagnose("forward_dynamics", q, v, np.full((4, 1), 0.4), p=p)
    assert [(each.row, each.code) for each in found] == [(1, "rank-changed"), (3, "rank-changed")]
    assert "joints.C.at.roll = 0.6" in found[0].reason


def test_runs_are_refused(parallel, states):
    (p0, q0, *_), (p1, q1, *_) = states[:2]
    for run in (
        lambda: lw.simulate(parallel.with_parameters(p1), q1, t_end=0.01),
        lambda: lw.simulate_many(parallel, [q0, q1], t_end=0.01, p=[p0, p1]),
        lambda: lw.Stepper(parallel, 2, 1e-3, q=[q0, q1], p=[p0, p1]),
    ):
        with pytest.raises(lw.errors.ArgumentError, match="2 more closure equations count"):
            run()


def test_a_set_of_values_is_looked_at_once(parallel, states):
    """The number is that of the set, in whatever order states and sets broadcast."""
    sets = np.array([row[0] for row in states])
    q = np.array([row[1] for row in states])
    own = parallel.kinematics.at(np.tile(sets, (3, 1)))
    assert added_equations(own, np.tile(q, (3, 1))).tolist() == [0, 2, 0, 2] * 3
    grid = parallel.kinematics.at(sets[:, None, :])
    assert added_equations(grid, np.repeat(q[:, None], 5, axis=1)).tolist() == [[0] * 5, [2] * 5, [0] * 5, [2] * 5]


def test_lengths_of_a_planar_loop_cannot_change_its_rank():
    """Their equations repeat each other whatever the lengths, so that nothing is looked at."""
    nominal = lw.build(four_bar(np.zeros(4), Revolute()), inputs=LENGTHS)
    p = np.array([0.13, 0.42])
    other, exact = nominal.with_parameters(p), lw.build(four_bar(np.zeros(4), Revolute(), (*p, 0.35, 0.5)))
    assert nominal.kinematics.rank.redundant
    assert not has_nominal_rank(other.kinematics)
    q = exact.assemble().q
    assert np.allclose(other.forward_dynamics(q, np.zeros(3), [0.4]), exact.forward_dynamics(q, np.zeros(3), [0.4]))


def test_equations_that_go_on_repeating_each_other_are_no_reason(tmp_path):
    """Three cranks of one length, a double parallelogram: another length is as good."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        nominal = lw.build(double_parallelogram(tmp_path, 0.3), inputs=["r"])
        for r in (0.25, 0.4):
            other, exact = nominal.with_parameters(r=r), lw.build(double_parallelogram(tmp_path, r))
            q = exact.assemble(guess=exact.kinematics.home).q
            assert has_nominal_rank(other.kinematics)
            assert other.mobility == 1
            v = np.zeros(exact.nv)
            assert np.allclose(other.forward_dynamics(q, v, [0.4]), exact.forward_dynamics(q, v, [0.4]), rtol=1e-9)


def double_parallelogram(folder, r):
    text = f"""
format: 1
name: double parallelogram
parameters: {{r: {r} m}}
bodies:
  a: {{mass: 1 kg, com: [0.1, 0, 0], inertia: [0.01, 0.01, 0.01]}}
  b: {{mass: 1 kg, com: [0.1, 0, 0], inertia: [0.01, 0.01, 0.01]}}
  c: {{mass: 1 kg, com: [0.1, 0, 0], inertia: [0.01, 0.01, 0.01]}}
  bar: {{mass: 2 kg, com: [0.5, 0, 0], inertia: [0.01, 0.1, 0.1]}}
joints:
  A: {{type: revolute, parent: ground, child: a, axis: z}}
  B: {{type: revolute, parent: ground, child: b, axis: z, at: [0.5, 0, 0]}}
  C: {{type: revolute, parent: ground, child: c, axis: z, at: [1, 0, 0]}}
  P: {{type: revolute, parent: a, child: bar, axis: z, at: [= r, 0, 0]}}
  Q: {{type: revolute, parent: b, child: bar, axis: z, at: [= r, 0, 0], child_at: [0.5, 0, 0]}}
  R: {{type: revolute, parent: c, child: bar, axis: z, at: [= r, 0, 0], child_at: [1, 0, 0]}}
actuators: [A]
home: {{A: 60 deg, B: 60 deg, C: 60 deg, P: -60 deg}}
"""
    file = folder / "parallelogram.yaml"
    file.write_text(text, encoding="utf-8")
    return lw.load(file)


def test_a_nominal_mechanism_without_mass_is_named_as_the_reason():
    mech = four_bar(GENERAL)
    mech = replace(mech, bodies=tuple(lw.Body(body.name) for body in mech.bodies))
    masses = [f"bodies.{body.name}.mass" for body in mech.bodies]
    model = lw.build(mech, inputs=masses).with_parameters([1.0, 2.0, 3.0])
    q, v = model.assemble().q, np.zeros(5)
    with pytest.raises(
        lw.errors.MechanismError, match=r"at the nominal values of its inputs.*build the model at values"
    ):
        model.forward_dynamics(q, v, [0.4])
    heavy = lw.build(model.mechanism, inputs=masses)
    assert np.isfinite(heavy.forward_dynamics(q, v, [0.4])).all()


def crank_and_rod(mass, first):
    """Crank, rod and rocker; the rod hangs in a joint of a given kind, and has the mass [kg]."""
    rod = lw.Inertia(mass, (0.2, 0.0, 0.0), ((0.0, 0.0, 0.0), (0.0, 0.05 * mass, 0.0), (0.0, 0.0, 0.05 * mass)))
    arm = lw.Inertia.diagonal(1.0, (0.1, 0.0, 0.0), (0.01, 0.01, 0.01))
    last = lw.joints.Spherical() if isinstance(first, lw.joints.Universal) else Revolute()

    def at(x):
        return lw.RigidTransform.from_rpy((x, 0.0, 0.0), (0.0, 0.0, 0.0))

    return lw.Mechanism(
        "crank and rod",
        gravity=(0.0, -9.81, 0.0),
        bodies=(lw.Body("crank", arm), lw.Body("rod", rod), lw.Body("rocker", arm)),
        joints=(
            lw.Joint("A", "ground", "crank", Revolute()),
            lw.Joint("B", "crank", "rod", first, at=at(0.2)),
            lw.Joint("D", "ground", "rocker", Revolute(), at=at(0.4)),
        ),
        loops=(lw.Joint("C", "rod", "rocker", last, at=at(0.45), child_at=at(0.3)),),
        actuators=(lw.Actuator("motor", "A"),),
        home=(("A", (1.0,)),),
    )


@pytest.mark.parametrize(
    "kind", [Revolute(), lw.joints.Spherical(), lw.joints.Universal()], ids=lambda k: type(k).__name__
)
@pytest.mark.parametrize("masses", [(0.0, 2.0), (2.0, 0.0)], ids=["massless-to-real", "real-to-massless"])
def test_a_rod_may_gain_or_lose_its_mass(kind, masses):
    """The results are those of a model built at the values, or the reason is the plan and building anew is the way."""
    mechs = [crank_and_rod(mass, kind) for mass in masses]
    inputs = ["bodies.rod.mass", "bodies.rod.inertia.yy", "bodies.rod.inertia.zz"]
    nominal, exact = lw.build(mechs[0], inputs=inputs), lw.build(mechs[1])
    values = [masses[1], 0.05 * masses[1], 0.05 * masses[1]]
    q = exact.assemble().q
    v = exact.independent_map(q) @ [0.7]
    a, refused = exact.forward_dynamics(q, v, [0.3]), []
    for function, given in {
        "forward_dynamics": (q, v, [0.3]),
        "inverse_dynamics": (q, v, a),
        "joint_reactions": (q, v, a, [0.3]),
        "minimal_inertia": (q,),
    }.items():
        expected = arrays_of(getattr(exact, function)(*given))
        for model, named in ((nominal, {"p": values}), (nominal.with_parameters(values), {})):
            try:
                found = arrays_of(getattr(model, function)(*given, **named))
            except lw.errors.ArgumentError as error:
                assert error.findings[0].code == "plan-not-usable"
                assert "planned at the nominal values" in str(error)
                refused.append(function)
            else:
                assert all(np.allclose(x, y, rtol=1e-9, atol=1e-9) for x, y in zip(found, expected, strict=True))
    assert not refused or masses[1] == 0.0
    rows = nominal.diagnose("forward_dynamics", [q] * 2, [v] * 2, [[0.3]] * 2, p=[values, [1.0, 0.05, 0.05]])
    assert [(each.row, each.code) for each in rows] == ([(0, "plan-not-usable")] if refused else [])
    assert np.isfinite(nominal.joint_reactions(q, v, 0.0 * v, [0.3])["A"]).all()  # at the nominal values themselves
