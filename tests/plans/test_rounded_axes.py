"""Axes that are parallel but for rounding: the loop moves as the exact one, or says which axis locks it."""

import warnings

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import linkwright as lw
from linkwright.errors import FormatWarning
from linkwright.functions.loop import closure_functions
from linkwright.joints import Revolute

Z = (0.0, 0.0, 1.0)


def at(*xyz):
    return lw.RigidTransform.of(xyz)


def four_bar(tilts=(0.0, 0.0, 0.0, 0.0)):
    """Crank, coupler and rocker; axes of joints O, A, B and of the cut C tilted by the given angles."""
    axes = [(np.sin(t), 0.0, np.cos(t)) for t in tilts]
    bodies = (("crank", 1.0), ("coupler", 2.0), ("rocker", 1.5))
    return lw.Mechanism(
        "four-bar",
        bodies=tuple(
            lw.Body(name, lw.Inertia.diagonal(m, (0.1, 0.01, 0.02), (0.003, 0.01, 0.012))) for name, m in bodies
        ),
        joints=(
            lw.Joint("O", "ground", "crank", Revolute(axes[0])),
            lw.Joint("A", "crank", "coupler", Revolute(axes[1]), at=at(0.12, 0.0, 0.0)),
            lw.Joint("B", "coupler", "rocker", Revolute(axes[2]), at=at(0.4, 0.0, 0.0)),
        ),
        loops=(
            lw.Joint("C", "ground", "rocker", Revolute(axes[3]), at=at(0.5, 0.0, 0.0), child_at=at(0.35, 0.0, 0.0)),
        ),
        actuators=(lw.Actuator("motor", "O"),),
        home=(("O", (0.7,)), ("A", (-0.5,)), ("B", (1.2,))),
    )


def accelerations(model):
    q, v, _ = model.forward_kinematics([0.9], [1.3])
    return model.forward_dynamics(q, v, [0.4])


def run_from(model):
    return lw.simulate(model, model.kinematics.home, t_end=0.3, effort=[0.4])


@pytest.mark.parametrize("joint", "OABC")
@pytest.mark.parametrize("tilt", [1e-7, 3.7e-6, 1e-5, 1e-4])
def test_a_loop_with_one_rounded_axis_moves_as_the_planar_one(joint, tilt):
    with pytest.warns(FormatWarning, match=f"axis of joint '{joint}' is tilted .* more digits") as caught:
        model = lw.build(four_bar([tilt * (name == joint) for name in "OABC"]))
        assert model.mobility == 1
    found = caught[0].message.finding
    assert (found.code, found.subject) == ("rounded-axis", joint)
    assert abs(found.value - tilt) < 1e-2 * tilt
    exact = accelerations(lw.build(four_bar()))
    assert np.abs(accelerations(model) - exact).max() < 20.0 * tilt * np.abs(exact).max()


def test_a_run_with_a_rounded_axis_goes_on():
    with pytest.warns(FormatWarning, match="taken as parallel"):
        run = run_from(lw.build(four_bar((0.0, 1e-5, 0.0, 0.0))))
    exact = run_from(lw.build(four_bar()))
    assert np.abs(run.q - exact.q).max() < 1e-2 * np.ptp(exact.q[:, 0])


def test_equations_that_stay_close_exactly():
    with pytest.warns(FormatWarning):
        model = lw.build(four_bar((0.0, 1e-5, 0.0, 0.0)))
        model.assemble()
    home = model.kinematics.home
    kept = model.kinematics.all_rows.setup.closure.n_all
    assert kept < model.kernels.setup.closure.n_all
    assert np.abs(home - lw.build(four_bar()).kinematics.home).max() < 1e-4
    q, *_ = model.forward_kinematics([0.9], [1.3], [0.2])
    assert np.abs(model.kinematics.all_rows.function(closure_functions.closure_residual)(q)).max() < 1e-13
    assert 1e-6 < np.abs(model.closure_residual(q)).max() < 1e-4


@pytest.mark.parametrize("joint", "OA")
@pytest.mark.parametrize("tilt", [1e-3, 2e-2])
def test_a_tilt_that_is_no_rounding_is_named_where_it_locks(joint, tilt):
    mech = four_bar([tilt * (name == joint) for name in "OABC"])
    model = lw.build(mech)
    with pytest.warns(FormatWarning, match="0 degrees of freedom, because the axis of joint") as caught:
        assert np.abs(model.forward_dynamics(model.assemble().q, np.zeros(3), [0.4])).max() < 1e-9
    found = [each.message.finding for each in caught if issubclass(each.category, FormatWarning)]
    assert [(each.code, each.subject) for each in found] == [("tilted-axis", joint)]
    assert abs(found[0].value - tilt) < 1e-2 * tilt
    with pytest.warns(FormatWarning, match="0 degrees of freedom"):
        run_from(lw.build(mech))
    assert "tilted-axis" in [each.code for each in lw.check(mech).findings]
    for study in (lambda: lw.analysis.indices(model, model.assemble().q, frame="rocker"), lambda: region_of(model)):
        with pytest.raises(
            lw.errors.ArgumentError, match="output 'rocker' of 'four-bar' cannot move: it has no degree"
        ):
            study()


def region_of(model):
    return lw.analysis.workspace(model, frame="rocker")


@pytest.mark.parametrize("joint", "BC")
@pytest.mark.parametrize("tilt", [1e-3, 2e-2, 0.5])
def test_a_tilt_with_which_the_loop_does_not_close_is_named(joint, tilt):
    mech = four_bar([tilt * (name == joint) for name in "OABC"])
    with pytest.raises(lw.errors.AssemblyError, match=f"axis of joint '{joint}' is tilted by .* parallel to the axes"):
        lw.build(mech).assemble()
    (found,) = [each for each in lw.check(mech).findings if each.code == "loop-open"]
    assert f"joint '{joint}' is tilted by {tilt:.2g} rad" in found.message


def test_a_slide_that_leaves_the_plane_by_rounding():
    """A slider-crank whose slide is tilted out of the plane of its cranks."""

    def slider(tilt):
        out = lw.joints.Prismatic((np.cos(tilt), 0.0, np.sin(tilt)))
        bodies = (
            lw.Body(name, lw.Inertia.diagonal(1.0, (0.1, 0.0, 0.0), (0.01, 0.01, 0.01)))
            for name in ("crank", "rod", "piston")
        )
        return lw.Mechanism(
            "slider-crank",
            tuple(bodies),
            (
                lw.Joint("O", "ground", "crank", Revolute(Z)),
                lw.Joint("A", "crank", "rod", Revolute(Z), at=at(0.2, 0.0, 0.0)),
                lw.Joint("P", "ground", "piston", out),
            ),
            loops=(lw.Joint("B", "rod", "piston", Revolute(Z), at=at(0.5, 0.0, 0.0)),),
            actuators=(lw.Actuator("motor", "O"),),
            home=(("O", (0.7,)), ("A", (-1.0,)), ("P", (0.6,))),
        )

    with pytest.warns(FormatWarning, match="the slide of joint 'P' leaves the plane"):
        model = lw.build(slider(4e-6))
        assert model.mobility == 1
    exact = accelerations(lw.build(slider(0.0)))
    assert np.abs(accelerations(model) - exact).max() < 1e-4 * np.abs(exact).max()


def test_short_links_are_not_rounding():
    """Cranks of a millionth of a parallelogram's length give singular values as small; its equations stay."""
    mech = four_bar()
    short = [
        lw.Joint("A", "crank", "coupler", Revolute(Z), at=at(1e-6, 0.0, 0.0)),
        lw.Joint("B", "coupler", "rocker", Revolute(Z), at=at(1.0, 0.0, 0.0)),
    ]
    cut = lw.Joint("C", "ground", "rocker", Revolute(Z), at=at(1.0, 0.0, 0.0), child_at=at(-1e-6, 0.0, 0.0))
    mech = lw.Mechanism(
        "short",
        mech.bodies,
        (mech.joints[0], *short),
        loops=(cut,),
        actuators=mech.actuators,
        home=(("O", (0.7,)), ("A", (-0.7,)), ("B", (0.7,))),
    )
    with warnings.catch_warnings():
        warnings.simplefilter("error", FormatWarning)
        assert lw.build(mech).kinematics.released == ()


def test_inputs_of_a_model_keep_what_is_left_out():
    with pytest.warns(FormatWarning, match="taken as parallel"):
        model = lw.build(four_bar((0.0, 1e-5, 0.0, 0.0)), inputs=["joints.B.at.x"])
        assert model.mobility == 1
    longer = model.with_parameters([0.41])
    q, v, _ = longer.forward_kinematics([0.9], [1.3])
    assert np.abs(longer.forward_dynamics(q, v, [0.4])).max() > 1.0
    assert np.abs(model.forward_dynamics(q, v, [0.4], p=[0.41]) - longer.forward_dynamics(q, v, [0.4])).max() < 1e-12


def delta(digits=None, seed=0):
    """Clavel's Delta with parallelograms of revolute joints: 12 redundant equations.

    Every body has a frame of its own; axes and orientations are written with a number of digits.
    """
    rng = np.random.default_rng(seed)
    base, upper, lower, small, half, angle = 0.13, 0.2, 0.4, 0.05, 0.04, 0.3
    height = upper * np.sin(angle) + np.sqrt(lower**2 - (base + upper * np.cos(angle) - small) ** 2)
    frames = {"ground": (np.eye(3), np.zeros(3))}
    bodies, joints, loops = [], [], []

    def add_body(name, origin, mass):
        frames[name] = (Rotation.random(random_state=int(rng.integers(1 << 30))).as_matrix(), np.array(origin))
        bodies.append(
            lw.Body(name, lw.Inertia.diagonal(mass, (0.01, 0.02, -0.01), tuple(mass * np.array([1e-3, 2e-3, 2.5e-3]))))
        )

    def written(x):
        return x if digits is None else np.round(x, digits)

    def add_joint(name, parent, child, point, axis, cut=False):
        (R, r), (Q, s) = frames[parent], frames[child]
        rpy, own = written(Rotation.from_matrix(R.T @ Q).as_euler("xyz")), written(Q.T @ axis)
        pose = lw.RigidTransform.from_rpy(tuple(R.T @ (point - r)), tuple(rpy))
        kind = Revolute(tuple(own / np.linalg.norm(own)))
        (loops if cut else joints).append(
            lw.Joint(name, parent, child, kind, at=pose, child_at=at(*(Q.T @ (point - s))))
        )

    add_body("platform", (0.0, 0.0, -height), 0.3)
    for i, phi in enumerate((0.0, 2.0 * np.pi / 3.0, 4.0 * np.pi / 3.0)):
        out, along = np.array([np.cos(phi), np.sin(phi), 0.0]), np.array([-np.sin(phi), np.cos(phi), 0.0])
        shoulder, wrist = base * out, small * out - [0.0, 0.0, height]
        elbow = shoulder + upper * (np.cos(angle) * out - np.sin(angle) * np.array(Z))
        across = np.cross(along, (wrist - elbow) / lower)
        for name, origin, mass in (
            ("arm", shoulder, 0.2),
            ("bar", elbow, 0.05),
            ("left", elbow, 0.1),
            ("right", elbow, 0.1),
            ("foot", wrist, 0.05),
        ):
            add_body(f"{name}{i}", origin, mass)
        add_joint(f"theta{i}", "ground", f"arm{i}", shoulder, along)
        add_joint(f"elbow{i}", f"arm{i}", f"bar{i}", elbow, along)
        for name, side in (("left", half), ("right", -half)):
            add_joint(f"{name}-top{i}", f"bar{i}", f"{name}{i}", elbow + side * along, across)
            add_joint(f"{name}-end{i}", f"{name}{i}", f"foot{i}", wrist + side * along, across, cut=name == "right")
        add_joint(f"wrist{i}", f"foot{i}", "platform", wrist, along, cut=i > 0)
    actuators = tuple(lw.Actuator(f"motor{i}", f"theta{i}") for i in range(3))
    return lw.Mechanism("delta", tuple(bodies), tuple(joints), loops=tuple(loops), actuators=actuators)


@pytest.fixture(scope="module")
def exact_delta():
    return motion_of(lw.build(delta()))


def motion_of(model):
    q, v, a = model.forward_kinematics([0.1, -0.05, 0.08], [1.0, -0.5, 0.7], [0.2, 0.1, -0.3])
    return model.mobility, (v, a, model.forward_dynamics(q, v, [0.4, 0.1, -0.2]), model.inverse_dynamics(q, v, a))


@pytest.mark.parametrize("digits", [4])
def test_a_delta_written_with_few_digits_moves_as_the_exact_one(exact_delta, digits):
    with pytest.warns(FormatWarning, match="12 closure equations .* left out"):
        mobility, found = motion_of(lw.build(delta(digits)))
    assert mobility == exact_delta[0] == 3
    for x, y in zip(found, exact_delta[1], strict=True):
        assert np.abs(x - y).max() < 10.0 * 10.0**-digits * np.abs(y).max()
