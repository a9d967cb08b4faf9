"""Maps between motors and the joints they move: against formulas, differences, virtual power and inverse dynamics."""

import re
from pathlib import Path

import numpy as np
import pytest

import linkwright as lw

ROOT = Path(__file__).parent.parent.parent
PAGE = (ROOT / "docs" / "howto" / "humanoid-ankle.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    """Names that the page on the ankle defines."""
    folder = tmp_path_factory.mktemp("ankle")
    text = re.search(r"```yaml\n(.*?)```", PAGE, re.DOTALL)[1]
    (folder / "ankle.yaml").write_text(text, encoding="utf-8")
    names: dict = {}
    for code in re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL):
        code = code.replace("ankle.yaml", (folder / "ankle.yaml").as_posix())
        exec(compile(code, "humanoid-ankle.md", "exec"), names)
    return names


def test_the_ankle_follows_the_formula_on_the_whole_grid(page):
    check = page["check"]
    assert check.inputs.shape == (25, 15, 2) and check.ok and check.message in PAGE
    assert np.abs(page["by_hand"] - check.inputs).max() < 1e-13
    back = page["ankle"].from_inputs(check.inputs)
    assert np.abs(back.outputs - check.outputs).max() < 1e-13


@pytest.fixture(scope="module", params=["ankle", "slider-crank", "five-bar"])
def case(request, page):
    """A submechanism and states of it, (6, nq), (6, nv)."""
    if request.param == "ankle":
        sub, at = page["ankle"], np.radians([[10, 5], [-25, 15], [40, 20], [-40, -20], [0, 0], [30, -18]])
    elif request.param == "five-bar":
        sub = lw.submechanism(lw.catalog.load("five-bar"), ["theta1", "theta2"], ["psi1", "psi2"])
        at = sub.from_inputs(
            sub.driven.actuator_positions(sub.driven.assemble().q) + [[x, -x] for x in steps()]
        ).outputs
    else:
        sub = lw.submechanism(lw.catalog.load("slider-crank"), ["crank_angle"], ["stroke"])
        start = sub.posed.assemble().q
        at = sub.posed.actuator_positions(start) + 0.05 * steps()[:, None] * sub.posed.kinematics.scales.length
    rng = np.random.default_rng(1)
    return sub, sub.from_outputs(at, rng.normal(size=at.shape), rng.normal(size=at.shape))


def steps():
    return np.linspace(-0.2, 0.25, 6)


def test_maps_are_inverse_to_each_other(case):
    sub, state = case
    again = sub.from_inputs(state.inputs, state.input_rates, state.input_accelerations, near=state.q)
    for name in ("outputs", "output_rates", "output_accelerations", "q", "v"):
        assert getattr(again, name) == pytest.approx(getattr(state, name), rel=1e-9, abs=1e-10), name
    J, K = sub.jacobian(state.q), sub.inverse_jacobian(state.q)
    assert pytest.approx(np.broadcast_to(np.eye(len(sub.inputs)), J.shape), abs=1e-12) == J @ K
    assert (J @ state.input_rates[..., None])[..., 0] == pytest.approx(state.output_rates, rel=1e-11, abs=1e-12)


def test_rates_of_the_jacobians_are_their_derivatives(case):
    sub, state = case
    h = 1e-5
    ends = [sub.from_outputs(state.outputs + s * h * state.output_rates, near=state.q).q for s in (1, -1)]
    for jacobian, rate in ((sub.jacobian, sub.jacobian_rate), (sub.inverse_jacobian, sub.inverse_jacobian_rate)):
        found = rate(state.q, state.v)
        by_difference = (jacobian(ends[0]) - jacobian(ends[1])) / (2 * h)
        assert found == pytest.approx(by_difference, rel=1e-6, abs=1e-7 * (1.0 + np.abs(found).max()))
    y = (sub.jacobian(state.q) @ state.input_accelerations[..., None])[..., 0]
    y = y + (sub.jacobian_rate(state.q, state.v) @ state.input_rates[..., None])[..., 0]
    assert y == pytest.approx(state.output_accelerations, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("space", ["inputs", "outputs"])
def test_inertia_and_bias_give_the_efforts_of_a_motion(case, space):
    sub, state = case
    model = sub.driven if space == "inputs" else sub.posed
    acceleration = getattr(state, f"{space[:-1]}_accelerations")
    M, h = sub.inertia(state.q, space), sub.bias(state.q, state.v, space)
    tau = model.inverse_dynamics(state.q, state.v, state.a)
    assert (M @ acceleration[..., None])[..., 0] + h == pytest.approx(tau, rel=1e-9, abs=1e-10)
    assert np.swapaxes(M, -1, -2) == pytest.approx(M, rel=1e-10) and (np.linalg.eigvalsh(M) > 0.0).all()
    kinetic = 0.5 * np.einsum("ni,nij,nj->n", *(x := getattr(state, f"{space[:-1]}_rates"), M, x))
    assert kinetic == pytest.approx(model.energy(state.q, state.v)[0], rel=1e-10)


def test_efforts_have_the_same_power_on_both_sides(case):
    sub, state = case
    tau = np.random.default_rng(4).normal(size=state.outputs.shape)
    there = sub.input_efforts(state.q, tau)
    assert (there * state.input_rates).sum(-1) == pytest.approx((tau * state.output_rates).sum(-1), rel=1e-10)
    assert sub.output_efforts(state.q, there) == pytest.approx(tau, rel=1e-10, abs=1e-12)


def test_idle_spins_of_rods_are_free():
    """Rods as bodies between two spherical joints spin idly; the maps are those of massless rods."""
    text = re.search(r"```yaml\n(.*?)```", PAGE, re.DOTALL)[1]
    rods = re.sub(r"  rod(\d): \{type: distance, length: (\d+ mm), ", r"  end\1: {type: spherical, ", text)
    rods = rods.replace(
        "parent: crank1, child: foot, at: [-50 mm, 0, 0], child_at",
        "parent: rod1, child: foot, at: [0, 0, -260 mm], child_at",
    )
    rods = rods.replace(
        "parent: crank2, child: foot, at: [-50 mm, 0, 0], child_at",
        "parent: rod2, child: foot, at: [0, 0, -200 mm], child_at",
    )
    rods = rods.replace(
        "loops:",
        "  top1: {type: spherical, parent: crank1, child: rod1, at: [-50 mm, 0, 0]}\n"
        "  top2: {type: spherical, parent: crank2, child: rod2, at: [-50 mm, 0, 0]}\nloops:",
    )
    rods = rods.replace(
        "  foot: {mass",
        "  rod1: {mass: 1e-9, inertia: [1e-12, 1e-12, 1e-12]}\n"
        "  rod2: {mass: 1e-9, inertia: [1e-12, 1e-12, 1e-12]}\n  foot: {mass",
    )
    from linkwright.formats.yaml.yaml_reader import from_yaml

    subs = [lw.submechanism(from_yaml(x, "ankle.yaml"), ["motor1", "motor2"], ["ankle"]) for x in (text, rods)]
    assert [sub.driven.mobility for sub in subs] == [2, 4]
    at = np.radians([[12.0, -7.0], [-20.0, 9.0]])
    states = [sub.from_outputs(at) for sub in subs]
    assert states[1].inputs == pytest.approx(states[0].inputs, abs=1e-12)
    for space in ("inputs", "outputs"):
        M, N = (sub.inertia(state.q, space) for sub, state in zip(subs, states, strict=True))
        assert pytest.approx(M, rel=1e-5) == N
    assert subs[1].jacobian(states[1].q) == pytest.approx(subs[0].jacobian(states[0].q), rel=1e-11, abs=1e-12)


def test_a_range_beyond_a_dead_center_is_reported():
    """The slider of a crank moves by twice the crank; beyond that it is not reached, and at the ends it locks."""
    sub = lw.submechanism(lw.catalog.load("slider-crank"), ["crank_angle"], ["stroke"])
    low, high = 0.3 - 0.1, 0.3 + 0.1
    inside = sub.check_range({"stroke": (low + 1e-3, high - 1e-3)}, points=21)
    beyond = sub.check_range({"stroke": (low + 1e-3, high + 0.2 * (high - low))}, points=21)
    assert inside.ok and not beyond.ok and not beyond.reached[-1] and beyond.reached[0]
    assert "of 21 points lock, the first at stroke" in beyond.message


BAD = [
    (["motor1"], ["ankle"], "name as many of both"),
    (["motor1", "moter2"], ["ankle"], "did you mean"),
    (["motor1"], ["ankle.first"], "do not determine"),
    ("motor1", ["ankle"], "expected a list of names"),
]


@pytest.mark.parametrize(("inputs", "outputs", "message"), BAD)
def test_bad_names_are_refused(page, inputs, outputs, message):
    with pytest.raises(lw.errors.LinkwrightError, match=message):
        lw.submechanism(page["ankle"].driven.mechanism, inputs, outputs)


def test_an_input_at_a_cut_joint_is_refused():
    with pytest.raises(lw.errors.MechanismError, match="closes a loop"):
        lw.submechanism(lw.catalog.load("slider-crank"), ["crank_pin"], ["stroke"])


def test_bad_ranges_are_refused(page):
    for call, message in (
        (lambda: page["ankle"].check_range({"ankle.first": (0, 1)}), "range of 'ankle.second' is not known"),
        (lambda: page["ankle"].check_range(points=[3]), "expected a whole number, or one for each"),
        (lambda: page["ankle"].inertia(page["state"].q, "motor"), "expected one of"),
    ):
        with pytest.raises(lw.errors.LinkwrightError, match=message):
            call()


@pytest.mark.parametrize(("inputs", "outputs", "title"), [([], [], "inputs"), (["motor1", "motor2"], [], "outputs")])
def test_no_inputs_or_outputs_are_refused(page, inputs, outputs, title):
    with pytest.raises(lw.errors.LinkwrightError, match=f"{title} is empty; name at least one actuator or joint"):
        lw.submechanism(page["ankle"].driven.mechanism, inputs, outputs)


@pytest.mark.parametrize("name", ["ankle", "five-bar"])
def test_every_row_has_its_own_parameters(page, name):
    """A batch at values of its own equals the submechanism made for each row's, in every function."""
    if name == "ankle":
        mech, given = page["ankle"].driven.mechanism, (["motor1", "motor2"], ["ankle"])
        paths, x = ["joints.rod1.length", "bodies.foot.mass"], np.radians([[10.0, 5.0], [-25.0, 15.0], [5.0, -12.0]])
        values = np.array([[0.26, 0.9], [0.2606, 1.2], [0.2593, 0.7]])
    else:
        mech, given = lw.catalog.load("five-bar"), (["theta1", "theta2"], ["psi1", "psi2"])
        paths, values = ["proximal", "distal_mass"], np.array([[0.25, 0.3], [0.26, 0.5], [0.245, 0.2]])
        home = lw.build(mech, given[1])
        x = home.actuator_positions(home.assemble().q) + [[0.0, 0.02], [0.05, -0.03], [-0.02, 0.04]]
    sub = lw.submechanism(mech, *given, parameters=paths)
    assert sub.parameters.names == tuple(paths)
    rate = np.array([[1.0, 0.2], [-0.4, 0.3], [0.0, 0.5]])
    state = sub.from_outputs(x, rate, p=values)
    back = sub.from_inputs(state.inputs, state.input_rates, near=state.q, p=values)
    assert back.outputs == pytest.approx(x, abs=1e-12) and back.output_rates == pytest.approx(rate, abs=1e-10)
    functions = {
        "jacobian": (state.q,),
        "inverse_jacobian": (state.q,),
        "jacobian_rate": (state.q, state.v),
        "inverse_jacobian_rate": (state.q, state.v),
        "inertia": (state.q,),
        "bias": (state.q, state.v),
        "input_efforts": (state.q, rate),
        "output_efforts": (state.q, rate),
    }
    found = {title: getattr(sub, title)(*given, p=values) for title, given in functions.items()}
    for row, p in enumerate(values):
        one = sub.with_parameters(p)
        same = one.from_outputs(x[row], rate[row], near=state.q[row])
        assert same.inputs == pytest.approx(state.inputs[row], abs=1e-12)
        for title, arrays in functions.items():
            expected = getattr(one, title)(*(each[row] for each in arrays))
            assert found[title][row] == pytest.approx(expected, rel=1e-10, abs=1e-11), title
    assert not np.allclose(found["inertia"], sub.inertia(state.q), rtol=1e-3)


def test_parameters_that_a_submechanism_does_not_have_are_refused(page):
    with pytest.raises(lw.errors.LinkwrightError, match="has no inputs"):
        page["ankle"].jacobian(page["ankle"].driven.assemble().q, p=[0.26])
