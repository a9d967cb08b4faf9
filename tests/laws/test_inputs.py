"""Numbers of a mechanism as inputs: the program recorded once is that of the mechanism built anew at any values."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from linkwright import catalog
from linkwright.algebra.sums import is_structural_zero
from linkwright.compiler import Program, divide_program, evaluate, operation_count, trace
from linkwright.compiler import jacobian as derivatives
from linkwright.errors import ArgumentError, MechanismError
from linkwright.formats import from_yaml
from linkwright.formulations.multipliers import bordered_inertia_matrix
from linkwright.loops.closure import Closure, closure_bias, closure_of, gaps_of_closure, jacobian_of_closure
from linkwright.mechanism import Mechanism
from linkwright.mechanism.alignment import align_link_frames
from linkwright.mechanism.parameterized_mechanism import ParameterizedMechanism, as_recorded, parameterize_mechanism
from linkwright.mechanism.tree import Tree, group_inertial_parameters, spanning_tree
from linkwright.recursion.forward_recursion import tree_forward_dynamics
from linkwright.recursion.inverse_recursion import tree_inverse_dynamics
from linkwright.recursion.poses import pose_of_frame
from linkwright.recursion.twist_recursion import motion_of_tree
from tests.loops.random_drawings import random_case
from tests.loops.random_mechanisms import loaded
from tests.sampling import sample

TOLERANCE = 1e-12
AXES = ("axis", "first", "second", "normal")
_FIXED = ("shapes", "limits", "home", "effort", "speed")  # numbers that no equation of motion has


@dataclass(frozen=True)
class Built:
    """The trees and the closure of a mechanism, as kernels need them."""

    mech: Mechanism
    tree: Tree
    simplified: Tree
    closure: Closure


def built(mech: Mechanism) -> Built:
    tree = spanning_tree(mech)
    simplified = group_inertial_parameters(align_link_frames(tree))
    return Built(mech, *(as_recorded(x) for x in (tree, simplified, closure_of(mech, simplified))))


def frame_poses(b: Built, q: Any) -> Any:
    at = [link.body for link in b.simplified.links]
    poses = [pose_of_frame(b.simplified, q, i, pose) for i, pose in enumerate(at)]
    return np.concatenate([[*place.r, *place.R.ravel()] for place in poses])


def residual(b: Built, q: Any) -> Any:
    return gaps_of_closure(b.closure, q)


def jacobian(b: Built, q: Any) -> Any:
    return jacobian_of_closure(b.closure, q)


def bias(b: Built, q: Any, v: Any) -> Any:
    return closure_bias(b.closure, q, v, motion_of_tree(b.simplified, q, v, np.zeros(len(v))))


FUNCTIONS: dict[str, tuple[Callable[..., Any], str]] = {
    "inverse_dynamics": (lambda b, q, v, a: tree_inverse_dynamics(b.simplified, q, v, a), "qva"),
    "inverse_dynamics as drawn": (lambda b, q, v, a: tree_inverse_dynamics(b.tree, q, v, a), "qva"),
    "forward_dynamics": (lambda b, q, v, a: tree_forward_dynamics(b.simplified, q, v, a), "qva"),
    "frame_poses": (frame_poses, "q"),
    "kkt_matrix": (lambda b, q: bordered_inertia_matrix(b.simplified, b.closure, q), "q"),
    "closure_residual": (residual, "q"),
    "closure_jacobian": (jacobian, "q"),
    "closure_bias": (bias, "qv"),
}


def variable(mech: Mechanism) -> list[str]:
    """Paths of the numbers that can be inputs of the equations of motion."""
    return [path for path, x in mech.numbers.items() if np.isfinite(x.value) and not set(path.split(".")) & set(_FIXED)]


def state(mech: Mechanism, rng: np.random.Generator) -> dict[str, np.ndarray]:
    tree = spanning_tree(mech)
    q = rng.uniform(-1.0, 1.0, tree.nq)
    for link in tree.links:
        n = link.coords.stop - link.coords.start
        if n in (4, 7):
            last = slice(link.coords.stop - 4, link.coords.stop)
            q[last] /= np.linalg.norm(q[last])
    return {"q": q, "v": rng.uniform(-1.0, 1.0, tree.nv), "a": rng.uniform(-1.0, 1.0, tree.nv)}


def agree(found: Any, wanted: Any, title: str) -> None:
    scale = np.abs(wanted).max(initial=0.0)
    assert np.all(np.isfinite(found)), title
    assert np.abs(found - wanted).max(initial=0.0) <= TOLERANCE * max(scale, 1.0), title


def with_inputs(p: ParameterizedMechanism, function: Callable[..., Any], sizes: dict[str, int]) -> Program:
    """The program of a function whose first argument is the values of the inputs."""

    def recorded(values: Any, **states: Any) -> Any:
        return np.asarray(function(built(p.at(values)), *states.values()), dtype=object)

    return trace(recorded, {"values": len(p.inputs), **sizes})


def check(mech: Mechanism, inputs: list[str], rng: np.random.Generator) -> None:
    """Every function at the nominal values and at others, against the mechanism built at these values."""
    p = parameterize_mechanism(mech, inputs)
    x = state(mech, rng)
    others = near(p, rng)
    cases = [(np.array(p.nominal), built(mech)), (np.array(others), built(p.at(others)))]
    for name, (function, arguments) in FUNCTIONS.items():
        if not built(mech).closure.n_all and name.startswith("closure"):
            continue
        try:
            with np.errstate(all="ignore"):
                wanted = [np.asarray(function(b, *(x[key] for key in arguments))) for _, b in cases]
        except MechanismError:  # a freedom without mass has no forward dynamics, recorded or not
            continue
        if not all(np.all(np.isfinite(answer)) for answer in wanted):
            continue

        program = with_inputs(p, function, {key: len(x[key]) for key in arguments})
        for (values, _), answer in zip(cases, wanted, strict=True):
            found = evaluate(program, values, *(x[key] for key in arguments))
            agree(found, answer, f"{mech.name}: {name} with inputs {inputs}")


def near(p: ParameterizedMechanism, rng: np.random.Generator) -> list[float]:
    """Other values of the inputs that make a mechanism too; zeros among them become other numbers.

    Those of directions stay: axes in which a joint's closure and its plane are written jump where a direction leaves a
    coordinate axis, and are then others than in a mechanism built anew.
    """
    sizes = [abs(x) or (0.0 if set(name.split(".")) & set(AXES) else 0.1) for name, x in zip(p.names, p.nominal)]
    for share in (0.1, 0.01, 1e-3, 1e-5):
        values = [x + share * rng.uniform(-1, 1) * size for x, size in zip(p.nominal, sizes)]
        try:
            p.at(values)
        except MechanismError:
            continue
        return values
    return list(p.nominal)


def some(mech: Mechanism, rng: np.random.Generator, most: int) -> list[str]:
    paths = variable(mech)
    return [str(x) for x in rng.choice(paths, size=min(most, len(paths)), replace=False)]


@pytest.mark.parametrize("name", sample(catalog.names(), 8))
def test_catalog_mechanisms_with_some_numbers_as_inputs(name):
    mech, rng = catalog.load(name), np.random.default_rng(7)
    check(mech, some(mech, rng, 4), rng)
    named = [each.name for each in mech.parameters if each.uses and not each.structural]
    if named:
        check(mech, named[:4], rng)


@pytest.mark.parametrize("seed", sample(range(20), 6))
def test_random_mechanisms_with_some_numbers_as_inputs(seed):
    rng = np.random.default_rng(seed)
    mech = loaded(random_case(seed).drawing, by_text=False)
    check(mech, some(mech, rng, int(rng.integers(1, 9))), rng)


BEAM = """
format: 1
name: bending arm
parameters: {{L: 1.2, rho: 0.8, EI: 30, g: 0.02, c: 0.01, where: 0.3}}
bodies:
  rod:
    mass: 0.1
    beam: {{length: = L, density: = rho, stiffness: [= EI, = 2 * EI], shapes: {shapes}, planes: [y, z], gyration: = g,
        damping: = c, shortening: {short}}}
  tip: {{mass: 0.5, com: [0.1, 0, 0], inertia: [0.01, 0.02, 0.03]}}
joints:
  swing: {{type: revolute, parent: ground, child: rod}}
  hand: {{type: revolute, parent: rod, child: tip, at: [= L, 0.05, 0], axis: y}}
loops:
  rope: {{type: distance, parent: rod, child: ground, at: [= L / 2, 0, 0.1], child_at: [0, 0, 1], length: = L}}
struts:
  pull: {{parent: rod, child: ground, at: [= where, 0, 0], child_at: [0.2, 1, 0], stiffness: 20, length: 0.1}}
"""


@pytest.mark.parametrize("shapes", ["{sine: 2}", "{clamped: 2}", "{polynomial: 2}"])
@pytest.mark.parametrize("short", ["true", "false"])
def test_beams_with_sizes_as_inputs(shapes, short):
    mech = from_yaml(BEAM.format(shapes=shapes, short=short))
    check(mech, ["L", "rho", "EI", "g", "c", "where"], np.random.default_rng(5))
    with pytest.raises(MechanismError, match="cannot be an input"):
        trace(lambda p: parameterize_mechanism(mech, ["joints.swing.child_at.x"]).at(p) and p, {"p": 1})


@pytest.mark.parametrize("seed", sample(range(8), 4))
def test_derivatives_by_inputs_are_those_of_mechanisms_built_anew(seed):
    """No choice of frames leaves an angle or a root without derivative, where an input is nominally zero either."""
    rng = np.random.default_rng(seed)
    mech = loaded(random_case(seed).drawing, by_text=False)
    inputs = [path for path in some(mech, rng, 6) if not set(path.split(".")) & set(AXES)]
    p, x = parameterize_mechanism(mech, inputs), state(mech, rng)
    function, arguments = FUNCTIONS["inverse_dynamics"]
    program = with_inputs(p, function, {key: len(x[key]) for key in arguments})
    found = evaluate(derivatives(program, ["values"]), np.array(p.nominal), *(x[key] for key in arguments))
    for k, size in enumerate(p.nominal):
        h = 1e-6 * max(1.0, abs(size))
        steps = [[y + sign * h * (i == k) for i, y in enumerate(p.nominal)] for sign in (1, -1)]
        try:
            up, down = (function(built(p.at(values)), *(x[key] for key in arguments)) for values in steps)
        except MechanismError:  # a mass of zero cannot be made less
            continue
        difference = (up - down) / (2.0 * h)
        assert found[..., k] == pytest.approx(difference, rel=1e-6, abs=1e-6 * max(1.0, np.abs(difference).max()))


ANCHORS = [f"joints.hooke{i}.at.{part}" for i in range(1, 7) for part in "xyz"]
ANCHORS += [f"joints.ball{i}.child_at.{part}" for i in range(1, 7) for part in "xyz"]
LENGTHS = {
    "gough-stewart": (ANCHORS, 1.14),
    "par4": (["base", "arm", "rod", "wide", "hold", "bar", "half"], 1.01),
    "four-bar": (["joints.alpha_rel.at.x", "joints.B.at.x", "joints.B.child_at.x", "joints.phi.at.x"], 1.17),
}


@pytest.mark.parametrize("name", LENGTHS)
def test_lengths_as_inputs_cost_little_at_every_state(name):
    """Only lengths are inputs: frames are those of constants, and what depends on inputs alone is done apart."""
    mech = catalog.load(name)
    inputs, most = LENGTHS[name]
    b, p = built(mech), parameterize_mechanism(mech, inputs)
    sizes = {"q": b.tree.nq, "v": b.tree.nv, "a": b.tree.nv}
    for title, (function, arguments) in FUNCTIONS.items():
        shapes = {key: sizes[key] for key in arguments}
        folded = trace(lambda f=function, **x: np.asarray(f(b, *x.values()), dtype=object), shapes)
        _, at_state = divide_program(with_inputs(p, function, shapes), ["values"])
        assert operation_count(at_state).total <= most * operation_count(folded).total, title


def test_a_zero_of_the_file_stays_a_zero():
    """An arm along x has one unknown and two zeros by structure, after simplification too."""
    symbols = parameterize_mechanism(catalog.load("four-bar"), ["joints.alpha_rel.at.x"])
    found = []

    def recorded(p: Any) -> Any:
        tree = align_link_frames(spanning_tree(symbols.at(p)))
        found.append(tree.links[1].r)
        return p

    trace(recorded, {"p": 1})
    assert [is_structural_zero(x) for x in found[0]] == [False, True, True]


@pytest.mark.parametrize(
    ("name", "inputs", "words"),
    [
        ("four-bar", ["bodies.crnk.mass"], "did you mean 'bodies.crank.mass'"),
        ("hexapod", ["bse"], "did you mean 'base'"),
        ("hexapod", ["base", "base"], "different names"),
        ("hexapod", "base", "list of different names"),
    ],
)
def test_wrong_inputs_are_refused_with_the_way_out(name, inputs, words):
    with pytest.raises(ArgumentError, match=words):
        parameterize_mechanism(catalog.load(name), inputs)


def test_inputs_of_a_mechanism():
    p = parameterize_mechanism(catalog.load("hexapod"), ["plate", "bodies.platform.mass"])
    assert p.names == ("plate", "bodies.platform.mass") and p.nominal == (0.4, 30.0)
    assert p.inputs[1].unit == "kg" and "bodies.platform.inertia.xx" in p.inputs[0].uses
    with pytest.raises(ArgumentError, match="1 values are given for 2 inputs"):
        p.at([0.4])
    everything = parameterize_mechanism(catalog.load("hexapod"), "all")
    assert everything.names == tuple(each.name for each in catalog.load("hexapod").parameters)
