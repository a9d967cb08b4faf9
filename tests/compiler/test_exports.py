"""Exports compute what the program computes."""

import re
import shutil
import subprocess

import numpy as np
import pytest

from linkwright.compiler import evaluate, maximum, minimum, select, trace
from linkwright.errors import ArgumentError
from linkwright.export.c.function import c_source
from linkwright.export.casadi import casadi_function
from tests.compiler.arms import arm_program

compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
needs_compiler = pytest.mark.skipif(compiler is None, reason="no C compiler")
STRICT = ["-std=c99", "-pedantic", "-Wall", "-Wextra", "-Werror", "-O1"]


def everything(x, y):
    functions = [
        np.sqrt(x * x + 1.0),
        np.arctan2(x, y),
        np.exp(x),
        np.log(y * y + 1.0),
        np.tanh(x),
        abs(x),
        1.0 / y,
        -x,
    ]
    return {
        "f": np.array([*functions, select(x, y, -y), minimum(x, y), maximum(x, y)]),
        "g": np.sin(x) * np.cos(y) - 3.0,
    }


PROGRAMS = {
    "arm": arm_program(3),
    "everything": trace(everything, {"x": (), "y": ()}),
    "constant": trace(lambda x: np.array([1.0, -2.5e-30]), {"x": 2}),
    "no inputs": trace(lambda: np.array([1.0]), {}),
    "odd names": trace(
        lambda **x: {"a*/b": x["double"] + x["x y"], "a  b": x["x-y"]}, {"double": 1, "x y": 1, "x-y": 1}
    ),
}


def build(source, folder, *flags):
    (folder / "f.c").write_text(source)
    command = [compiler, *STRICT, *flags, "f.c", "-o", "f", "-lm"]
    subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True)
    return folder / "f"


@needs_compiler
@pytest.mark.parametrize("name", PROGRAMS)
def test_the_c_file_builds_strictly_and_passes_its_own_test(name, tmp_path):
    source = c_source(PROGRAMS[name], name)
    test = re.search(r"#ifdef (\w+_SELFTEST)", source)[1]
    done = subprocess.run([build(source, tmp_path, f"-D{test}")], check=True, capture_output=True, text=True)
    assert "worst relative error" in done.stdout
    build(source, tmp_path, "-c")


@needs_compiler
def test_the_self_test_notices_a_wrong_result(tmp_path):
    source = c_source(PROGRAMS["arm"], "arm").replace(" + ", " - ", 40)
    assert subprocess.run([build(source, tmp_path, "-DARM_SELFTEST")], capture_output=True).returncode == 1


def test_nothing_but_math_h_and_no_allocation():
    source = c_source(arm_program(2), "f").split("#ifdef")[0]
    assert re.findall(r"#include <(.*?)>", source) == ["math.h"] and "alloc" not in source


@pytest.mark.parametrize("name", ["double", "3d", "", "a-b", "_x", "main", "sin", "j0", 'x(){}; system("ls")'])
def test_function_names_are_made_safe(name):
    source = c_source(trace(lambda x: x, {"x": 1}), name)
    found = re.search(r"^void (\w+)\(", source, re.MULTILINE)[1]
    assert re.fullmatch(r"[A-Za-z]\w*", found) and found not in ("double", "main", "sin", "j0")


def test_own_samples_are_stored_and_hopeless_programs_say_so():
    program = trace(lambda x: np.log(x), {"x": ()})
    assert "0.6931471805599453" in c_source(program, "f", samples=[[2.0]])
    with pytest.raises(ArgumentError, match="samples="):
        c_source(trace(lambda x: np.sqrt(-1.0 - x * x), {"x": ()}), "f")


@pytest.mark.parametrize("name", ["arm", "everything", "constant"])
def test_casadi_functions_agree(name):
    pytest.importorskip("casadi")
    program = PROGRAMS[name]
    function = casadi_function(program, name="f")
    x = [np.random.default_rng(0).normal(size=port.shape) for port in program.inputs]
    found = function(*x)
    expected = evaluate(program, *x)
    found = found if isinstance(found, tuple) else (found,)
    expected = list(expected.values()) if isinstance(expected, dict) else [expected]
    for a, b in zip(found, expected, strict=True):
        np.testing.assert_allclose(np.asarray(a).reshape(np.shape(b)), b, rtol=1e-12)


def test_casadi_matrices_keep_their_rows():
    pytest.importorskip("casadi")
    program = trace(lambda x: x @ x.T + x[0, 1], {"x": (2, 2)})
    x = np.array([[1.0, 2.0], [3.0, 4.0]])
    assert np.asarray(casadi_function(program, name="f")(x)).tolist() == (x @ x.T + 2.0).tolist()
    with pytest.raises(ArgumentError, match="matrices only"):
        casadi_function(trace(lambda x: x, {"x": (1, 1, 1)}), name="f")
