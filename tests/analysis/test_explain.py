"""Explanations: the formulas shown are the program's, the numbers are the model's, the page needs nothing else."""

import re
from contextlib import suppress
from dataclasses import replace
from html.parser import HTMLParser

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import linkwright as lw
from linkwright import catalog
from linkwright.algebra.transforms import RigidTransform
from linkwright.analysis.explanation.explain import explain
from linkwright.analysis.explanation.explanation_records import FormulaBlock, Matrix, NumberTable
from linkwright.analysis.explanation.math import Symbol, formula_mathml, formula_text, formula_value, program_formulas
from linkwright.compiler import evaluate, operation_count
from linkwright.formats import from_yaml
from linkwright.joints import Revolute
from linkwright.mechanism import Body, Inertia, Joint, Mechanism
from tests.analysis import mechanisms as m
from tests.compiler.random_programs import random_computation


def blocks(found, kind, title=""):
    return [b for s in found.steps for b in s.blocks if isinstance(b, kind) and title in getattr(b, "title", "")]


def symbols_of(program):
    return {port.name: tuple(Symbol(f"{port.name}{i}") for i in range(port.size)) for port in program.inputs}


def worth(found, symbols, arrays):
    """Values of a listing's results."""
    known = {
        name: float(x) for names, array in zip(symbols.values(), arrays) for name, x in zip(names, np.ravel(array))
    }
    for name, formula in found.shared:
        known[name] = formula_value(formula, known)
    return np.array([formula_value(formula, known) for _, formula in found.results])


SHOWN = [
    ("three-link-arm", "generalized_forces"),
    ("three-link-arm", "forward_dynamics"),
    ("stanford-arm", "generalized_forces"),
    ("four-bar", "closure_residual"),
    ("four-bar", "minimal_inertia"),
    ("slider-crank", "closure_jacobian"),
    ("3-rps", "closure_residual"),
]


@pytest.mark.parametrize(("name", "function"), SHOWN)
def test_the_formulas_shown_have_the_values_of_the_program(name, function):
    program = lw.build(catalog.load(name)).program(function)
    symbols = symbols_of(program)
    found = program_formulas(program, symbols, [str(i) for i in range(program.n_outputs)])
    rng = np.random.default_rng(1)
    for _ in range(3):
        arrays = [rng.normal(size=port.shape) for port in program.inputs]
        expected = np.ravel(evaluate(program, *arrays))
        assert worth(found, symbols, arrays) == pytest.approx(expected, rel=1e-9, abs=1e-11)


TAME = ["neg", "square", "recip", "sin", "cos", "tanh", "add", "sub", "mul", "div", "min", "max", "select", "abs"]


@given(st.integers(0, 2**32 - 1))
def test_any_program_can_be_written_down(seed):
    rng = np.random.default_rng(seed)
    definition = replace(random_computation(rng, TAME, 15), constants=(1.5, -0.25, 3.0))
    program = definition.program()
    symbols = symbols_of(program)
    found = program_formulas(program, symbols, [str(i) for i in range(program.n_outputs)])
    x = rng.uniform(0.5, 1.5, size=program.inputs[0].shape)
    expected = evaluate(program, x, dtype=np.longdouble)
    assume(np.all(np.abs(expected) < 1e4) and np.allclose(evaluate(program, x), expected.astype(float), rtol=1e-10))
    with suppress(ZeroDivisionError):  # Python refuses what NumPy calls infinite
        assert worth(found, symbols, [x]) == pytest.approx(expected.astype(float), rel=1e-6, abs=1e-6)
    assert all(formula_mathml(formula) and formula_text(formula) for _, formula in (*found.shared, *found.results))


def test_sums_of_angles_are_put_together_again():
    program = lw.build(catalog.load("four-bar")).program("closure_residual")
    names = {"q": (Symbol("theta"), Symbol("alpha"), Symbol("phi"))}
    found = program_formulas(program, names, [str(i) for i in range(program.n_outputs)])
    lines = [formula_text(formula) for _, formula in found.shared]
    assert lines == [
        "2.5 cos(phi) + 3 - cos(theta) - 4 cos(theta + alpha)",
        "2.5 sin(phi) - sin(theta) - 4 sin(theta + alpha)",
    ], "crank 1 m, coupler 4 m, rocker 2.5 m on a base of 3 m, as everybody writes it"


def test_a_pendulum_is_as_in_the_textbook():
    """Point mass m at distance l: force = m l^2 theta'' + m g l cos(theta), theta from the horizontal."""
    rod = Body("rod", Inertia(2.0, (0.5, 0.0, 0.0)))
    joint = Joint("theta", "ground", "rod", Revolute())
    found = explain(Mechanism("pendulum", (rod,), (joint,), gravity=(0.0, -10.0, 0.0)))
    (forces,) = blocks(found, FormulaBlock, "Forces that make the motion")
    assert forces.lines == ("force[theta] = 10 cos(theta) + 0.5 theta''",)


@pytest.mark.parametrize("name", ["three-link-arm", "four-bar", "3-rps", "four-bar-flexible"])
def test_counts_and_matrices_are_the_models(name):
    model = lw.build(catalog.load(name))
    found = explain(catalog.load(name))
    (counts,) = blocks(found, NumberTable, "Operations of one call")
    for row in counts.rows:
        assert int(row[-1]) == operation_count(model.program(row[0])).total
    q = model.assemble().q
    matrices = {b.name: b for b in blocks(found, Matrix)}
    shown = {"M at home": model.mass_matrix(q)}
    if model.mechanism.loops:
        shown["J_c at home"] = model.closure_jacobian(q)
    for title in set(shown) & set(matrices):
        numbers = [[float(x or 0.0) for x in row] for row in matrices[title].entries]
        assert np.array(numbers) == pytest.approx(shown[title], rel=1e-3, abs=1e-9)


def test_the_elimination_visits_every_unknown_once():
    found = explain(catalog.load("3-rrr"))
    model = lw.build(catalog.load("3-rrr"))
    (order,) = blocks(found, NumberTable, "Order")
    unknowns = [name for row in order.rows for name in row[1].split(" and ")]
    assert len(unknowns) == len(set(unknowns)) == 2 * model.nv - model.mobility
    assert set(model.v_names) <= set(unknowns)


def test_redundant_equations_are_flagged():
    found = explain(m.four_bar("j1"))
    (rows,) = blocks(found, NumberTable, "Equations at home")
    assert [row[3] for row in rows.rows].count("repeats others") == 3


def test_a_mechanism_that_does_not_close_is_explained_as_far_as_it_goes():
    mech = m.four_bar("j1")
    far = tuple(replace(j, at=RigidTransform.of((30.0, 0.0, 0.0))) if j.name == "j4" else j for j in mech.joints)
    found = explain(replace(mech, joints=far))
    texts = [b.text for step in found.steps for b in step.blocks if hasattr(b, "text")]
    assert any("This step cannot be taken: loop 'j3'" in text and "does not close" in text for text in texts)
    assert found.html().endswith("</html>\n")


class Balance(HTMLParser):
    """Tags that were opened and not closed, and text as it is shown."""

    def __init__(self):
        super().__init__()
        self.open, self.tags, self.texts = [], set(), []

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        if tag not in ("meta", "mspace"):
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.add(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.texts.append(data)


@pytest.mark.parametrize("name", ["three-link-arm", "four-bar", "gough-stewart"])
def test_the_page_is_whole_and_needs_nothing_else(name):
    source = explain(catalog.load(name)).html()
    read = Balance()
    read.feed(source)
    assert read.open == []
    assert {"math", "mtable", "msub"} <= read.tags
    assert not read.tags & {"script", "link", "img", "iframe", "object"}
    assert not re.search(r"https?:|url\(|@import|src=", source)


def test_names_cannot_break_the_page():
    evil = '<script>alert("x")</script> & "quoted"'
    rod = Body(evil, Inertia(2.0, (0.5, 0.0, 0.0)))
    mech = Mechanism(evil, (rod,), (Joint(evil, "ground", evil, Revolute()),))
    source = explain(mech).html()
    read = Balance()
    read.feed(source)
    assert read.open == [] and "script" not in read.tags
    assert any(evil in text for text in read.texts)


def test_symbols_are_typeset():
    assert formula_mathml(Symbol("alpha_rel", 2)) == "<msub><mover><mi>α</mi><mo>¨</mo></mover><mi>rel</mi></msub>"
    assert formula_mathml(Symbol("d1")) == "<msub><mi>d</mi><mn>1</mn></msub>"
    assert "<b>" not in formula_mathml(Symbol("<b>"))


POINT_MASSES = """
format: 1
name: two-link arm
gravity: [0, = -g, 0]
parameters: {l1: 400 mm, l2: 300 mm, m1: 2 kg, m2: 1 kg, g: 9.81 m/s^2}
bodies:
  link1: {mass: = m1, com: [= l1, 0, 0], inertia: [0, 0, 0]}
  link2: {mass: = m2, com: [= l2, 0, 0], inertia: [0, 0, 0]}
joints:
  q1: {type: revolute, parent: ground, child: link1}
  q2: {type: revolute, parent: link1, child: link2, at: [= l1, 0, 0]}
"""


def test_parameters_stay_symbols_and_give_the_textbook_arm():
    """Two point masses on massless rods; Craig, Introduction to Robotics, section 6.8, with our own symbols."""
    found = explain(from_yaml(POINT_MASSES), ["l1", "l2", "m1", "m2", "g"])
    (forces,) = blocks(found, FormulaBlock, "Forces")
    q1, q2, v1, v2, a1, a2, l1, l2, m1, m2, g = x = np.random.default_rng(7).uniform(0.5, 2.0, 11)
    names = [(name, dots) for dots in (0, 1, 2) for name in ("q1", "q2")]
    names += [(name, 0) for name in ("l1", "l2", "m1", "m2", "g")]
    known = {Symbol(*name): float(value) for name, value in zip(names, x, strict=True)}
    for name, formula in forces.shared:
        known[name] = formula_value(formula, known)
    c1, c12, c2, s2 = np.cos(q1), np.cos(q1 + q2), np.cos(q2), np.sin(q2)
    second = m2 * l2**2 * (a1 + a2) + m2 * l1 * l2 * (c2 * a1 + s2 * v1**2) + m2 * l2 * g * c12
    first = m2 * l2**2 * (a1 + a2) + m2 * l1 * l2 * c2 * (2 * a1 + a2) + (m1 + m2) * l1**2 * a1
    first += -m2 * l1 * l2 * s2 * (v2**2 + 2 * v1 * v2) + m2 * l2 * g * c12 + (m1 + m2) * l1 * g * c1
    assert [formula_value(formula, known) for _, formula in forces.results] == pytest.approx([first, second], rel=1e-12)


def test_symbols_of_a_loop_have_the_values_of_another_design():
    mech = catalog.load("slider-crank")
    model = lw.build(mech, inputs="all")
    p = model.parameters.array(crank=0.12, rod=0.35)
    q = model.with_parameters(p).assemble(fixed={model.q_names[0]: 0.7}).q
    (inertia,) = blocks(explain(mech, "all"), FormulaBlock, "Inertia of the independent")
    known = {Symbol(name): float(x) for name, x in zip((*model.q_names, *model.parameters.names), (*q, *p))}
    for name, formula in inertia.shared:
        known[name] = formula_value(formula, known)
    expected = model.minimal_inertia(q, p=p)
    assert [formula_value(formula, known) for _, formula in inertia.results] == pytest.approx(
        expected.ravel(), rel=1e-12
    )
