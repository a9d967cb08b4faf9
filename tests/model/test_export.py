"""Any function of any mechanism leaves as C that checks itself."""

import ctypes
import shutil
import subprocess

import numpy as np
import pytest

import linkwright as lw
from linkwright.compiler import Program, evaluate
from linkwright.dynamics.methods import row_coefficients
from linkwright.export import c_source
from linkwright.functions.function_registry import all_definitions, public_definitions
from tests.model.models import model

COMPILER = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")


@pytest.mark.skipif(COMPILER is None, reason="no C compiler on this machine")
@pytest.mark.parametrize(
    ("mechanism", "name"),
    [
        ("stanford-arm", "inverse_dynamics"),
        ("stanford-arm", "forward_dynamics"),
        ("four-bar", "forward_dynamics"),
        ("gough-stewart", "inverse_dynamics"),
        ("four-bar", "spring_forward_dynamics"),
    ],
)
def test_exported_c_builds_without_a_warning_and_passes_its_own_test(tmp_path, mechanism, name):
    text = c_source(model(mechanism).program(name), f"{mechanism} {name}")
    source, program = tmp_path / "exported.c", tmp_path / "exported"
    source.write_text(text)
    guard = next(line.split()[1] for line in text.splitlines() if line.startswith("#ifdef"))
    flags = ["-std=c99", "-Wall", "-Wextra", "-Werror", f"-D{guard}", "-O1"]
    subprocess.run([COMPILER, *flags, str(source), "-o", str(program), "-lm"], check=True)
    assert subprocess.run([str(program)], check=False).returncode == 0


INPUTS = {"joints.B.at.x": 4.1, "bodies.crank.mass": 2.0, "gravity.y": -8.0}


@pytest.mark.skipif(COMPILER is None, reason="no C compiler on this machine")
def test_inputs_are_fields_of_a_struct(tmp_path):
    """The self-test passes, and the C function at other values is the model's function there."""
    made = lw.build(lw.catalog.load("four-bar"), inputs=list(INPUTS))
    program = made.program("inverse_dynamics", inputs=True)
    text = c_source(program, "efforts", parameters=made.parameters.by_name)
    assert "double bodies_crank_mass;" in text and "const efforts_parameters *in_p" in text
    source, test, library = (tmp_path / name for name in ("efforts.c", "test", "efforts.so"))
    source.write_text(text)
    strict = [COMPILER, "-std=c99", "-Wall", "-Wextra", "-Werror", "-O1", str(source)]
    subprocess.run([*strict, "-DEFFORTS_SELFTEST", "-o", str(test), "-lm"], check=True)
    assert subprocess.run([str(test)], check=False).returncode == 0
    subprocess.run([*strict, "-shared", "-fPIC", "-o", str(library), "-lm"], check=True)
    other = made.with_parameters(INPUTS)
    q, rng, found = other.assemble().q, np.random.default_rng(2), np.zeros(1)
    v, a, p = *rng.normal(size=(2, made.nv)), other.parameters.values
    point = ctypes.POINTER(ctypes.c_double)
    ctypes.CDLL(str(library)).efforts(*(x.ctypes.data_as(point) for x in (q, v, a, p, found)))
    assert found == pytest.approx(evaluate(program, q, v, a, p), rel=1e-13)
    v_closed = other.independent_map(q) @ [0.7]
    ctypes.CDLL(str(library)).efforts(*(x.ctypes.data_as(point) for x in (q, v_closed, v_closed, p, found)))
    assert found == pytest.approx(other.inverse_dynamics(q, v_closed, v_closed), rel=1e-12)
    with pytest.raises(lw.errors.LinkwrightError, match="inputs=True"):
        c_source(made.program("inverse_dynamics"), "efforts", parameters=made.parameters.by_name)


@pytest.mark.parametrize("mechanism", ["stanford-arm", "four-bar", "3-rps"])
def test_every_function_is_traced_or_refused_with_the_reason(mechanism):
    traced = 0
    for name in public_definitions():
        try:
            program = model(mechanism).program(name)
        except lw.errors.LinkwrightError as refused:
            assert len(str(refused)) > 20, name
        else:
            assert isinstance(program, Program), name
            traced += 1
    assert traced > 20


def test_names_that_are_no_program_are_refused_with_the_way_out():
    made = model("four-bar")
    for name, definition in all_definitions().items():
        if not definition.public:
            with pytest.raises(
                lw.errors.LinkwrightError, match=f"'{name}' is internal.*(ask for|public functions are)"
            ):
                made.program(name)
    with pytest.raises(lw.errors.LinkwrightError, match="ask for 'forward_dynamics'"):
        made.program("checked_forward_dynamics")
    with pytest.raises(lw.errors.LinkwrightError, match=r"Newton steps.*kit"):
        made.program("inverse_kinematics")
    with pytest.raises(lw.errors.LinkwrightError, match="did you mean 'mass_matrix'"):
        made.program("mass_matrx")
    assert 40 <= len(public_definitions()) <= 50


@pytest.mark.parametrize("mechanism", ["four-bar", "3-rps"])
def test_the_program_of_virtual_springs_has_the_springs(mechanism):
    """The traced program is the formulation: a stiffer spring or a wider gap changes its accelerations."""
    m, springs = model(mechanism), lw.VirtualSprings(2e4, 7.0)
    program = m.program("spring_forward_dynamics")
    rows = row_coefficients(m.kinematics, springs)
    assert [port.size for port in program.inputs[3:]] == [len(rows[0])] * 2 != [0, 0]
    rng = np.random.default_rng(3)
    q = m.assemble().q + 1e-3 * rng.normal(size=m.nq)
    v, tau = rng.normal(size=m.nv), rng.normal(size=m.na)
    expected = m.forward_dynamics(q, v, tau, formulation=springs)
    assert evaluate(program, q, v, tau, *rows) == pytest.approx(expected, rel=1e-9)
    assert evaluate(program, q, v, tau, 2 * rows[0], rows[1]) != pytest.approx(expected, rel=1e-3)


@pytest.mark.parametrize("name", ["inverse_dynamics", "forward_dynamics", "bias_forces", "energy"])
@pytest.mark.parametrize("mechanism", ["stanford-arm", "four-bar", "gough-stewart"])
def test_one_number_of_operations(mechanism, name):
    """The model, the head of the C file and the operators in the C file itself agree."""
    m = model(mechanism)
    text = c_source(m.program(name), "f")
    count = m.operation_count(name)
    assert f"generated by linkwright; {count.total} operations." in text
    body = text[text.rindex("\nvoid f(") :]
    body = body[: body.index("\n}")]
    lines = [line.split(" = ", 1)[1] for line in body.splitlines() if line.strip().startswith("const double")]
    products = sum(line.count(" * ") for line in lines)
    quotients = sum(line.count("1.0 / ") for line in lines)
    assert (products, quotients) == (count.mul, count.div)


ABOUT_MODELS = {"with_parameters", "with_inertias", "diagnose", "program", "operation_count"}


@pytest.mark.parametrize("name", sorted(x for x, f in vars(lw.Model).items() if x[0] != "_" and callable(f)))
def test_every_method_of_a_model_is_a_program_or_says_why_not(name):
    m = model("four-bar")
    try:
        assert isinstance(m.program(name), Program)
    except lw.errors.ArgumentError as error:
        assert ("unknown function" in str(error)) == (name in ABOUT_MODELS)
        assert "internal" not in str(error)
