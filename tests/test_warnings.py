"""Warnings: given by one function, at the caller's line, once for each kind, and never lost by threads."""

import ast
import sys
import threading
import warnings
from pathlib import Path

import numpy as np
import pytest

import linkwright as lw
from linkwright import analysis
from linkwright.errors import BatchWarning, ParameterWarning, warn_caller, withheld_warnings
from linkwright.formats.yaml.yaml_reader import from_yaml

SOURCE = Path(lw.__file__).parent
FILTERS = {"catch_warnings", "simplefilter", "filterwarnings", "resetwarnings", "showwarning", "filters"}
FAR = (np.array([[0.0, 0.3, 0.0], [7.0, 0.0, 0.0], [9.0, 1.0, 0.0]]), np.array([1.0, 0.0, 0.0, 0.0]))
FLOATING = """
format: 1
name: thrown
bodies:
  base: {mass: 2 kg, inertia: [0.1, 0.1, 0.1]}
  arm: {mass: 1 kg, com: [0.1, 0, 0], inertia: [0.1, 0.1, 0.1]}
joints:
  float: {type: floating, parent: ground, child: base}
  swing: {type: revolute, parent: base, child: arm, axis: y}
actuators: [swing]
"""


@pytest.fixture(scope="module")
def five_bar():
    return lw.build(lw.catalog.load("five-bar"))


def uses_of_warnings(file):
    """Names of the module `warnings` that a file uses."""
    text = file.read_text(encoding="utf-8")
    for node in ast.walk(ast.parse(text)) if "warnings" in text else ():
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "warnings":
            yield node.attr
        if isinstance(node, ast.ImportFrom) and node.module == "warnings":
            yield from (each.name for each in node.names)


def test_the_library_has_one_line_that_warns_and_none_that_changes_filters():
    """Filters belong to all threads of a program: only the command line, which is the program, may change them."""
    found = {
        (file.relative_to(SOURCE).as_posix(), name)
        for file in SOURCE.rglob("*.py")
        if file.relative_to(SOURCE).parts[0] != "cli"
        for name in uses_of_warnings(file)
    }
    assert found == {("errors.py", "warn")}


def test_the_search_for_filters_finds_them(tmp_path):
    file = tmp_path / "module.py"
    file.write_text("import warnings\nwith warnings.catch_warnings():\n    pass\nfrom warnings import simplefilter\n")
    assert set(uses_of_warnings(file)) == {"catch_warnings", "simplefilter"} <= FILTERS


def test_warnings_come_again_after_studies_in_threads(five_bar):
    """Four threads of studies that withhold warnings leave the filters as they were."""
    model, before = five_bar, list(warnings.filters)
    q = np.repeat(model.assemble().q[None], 20, axis=0)
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        threads = [threading.Thread(target=lambda: [analysis.indices(model, q) for _ in range(30)]) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(interval)
    assert warnings.filters == before
    with pytest.warns(BatchWarning, match="out-of-reach"):
        model.inverse_kinematics(FAR, components=["x", "y"])


def test_what_one_thread_withholds_another_still_shows(five_bar):
    inside, done = threading.Event(), threading.Event()

    def withhold():
        with withheld_warnings(BatchWarning):
            inside.set()
            done.wait(60.0)

    thread = threading.Thread(target=withhold)
    thread.start()
    assert inside.wait(60.0)
    try:
        with pytest.warns(BatchWarning):
            five_bar.inverse_kinematics(FAR, components=["x", "y"])
    finally:
        done.set()
        thread.join()


def test_withheld_warnings_are_of_the_named_kinds_and_of_the_innermost_block():
    with withheld_warnings(ParameterWarning) as outer, withheld_warnings(BatchWarning) as inner:
        warn_caller("rows", BatchWarning)
        warn_caller("a value", ParameterWarning, subject="crank", value=-1.0)
    assert [type(each) for each in (*outer, *inner)] == [ParameterWarning, BatchWarning]
    assert (outer[0].finding.subject, outer[0].finding.value) == ("crank", -1.0)
    with pytest.warns(BatchWarning):
        warn_caller("rows", BatchWarning)


def of_a_batch(model):
    model.inverse_kinematics(FAR, components=["x", "y"])


def of_given_parameters(model):
    lw.catalog.load("five-bar", {"proximal": -0.25})


def of_other_values(model):
    lw.build(lw.catalog.load("five-bar"), inputs=["proximal"]).with_parameters(proximal=250.0)


def of_accelerations(model):
    thrown = lw.build(from_yaml(FLOATING))
    thrown.inverse_dynamics(thrown.assemble().q, np.zeros(thrown.nv), np.zeros(thrown.nv))


CASES = (of_a_batch, of_given_parameters, of_other_values, of_accelerations)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.__name__)
def test_a_warning_names_the_line_of_the_caller(case, five_bar):
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        case(five_bar)
    ours = [each for each in found if issubclass(each.category, lw.errors.LinkwrightWarning)]
    assert ours
    first = case.__code__.co_firstlineno
    assert {(each.filename, first < each.lineno <= first + 6) for each in ours} == {(__file__, True)}


def test_warnings_of_one_kind_are_shown_once_by_the_default_filter(five_bar):
    """Rows, values and reasons differ from call to call, and the text does not."""
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("default")
        for k in range(1, 5):
            of_a_batch_of(five_bar, k)
    assert len(found) == 1
    value = found[0].message.finding.value
    assert (value["failed"], value["rows"], value["first"]) == (1, 2, [1])
    assert value["reason"]


def of_a_batch_of(model, k):
    x = np.zeros((k + 1, 3))
    x[:, 1] = 0.3
    x[1:, 0] = 5.0 + k + np.arange(k)
    model.inverse_kinematics((x, FAR[1]), components=["x", "y"])


def reach(points):
    """A function of a sweep whose batches have rows that are not reached."""
    model = lw.build(lw.catalog.load("five-bar"))
    x = np.stack([points["x"], np.full_like(points["x"], 0.3), np.zeros_like(points["x"])], axis=1)
    return {"y": model.inverse_kinematics((x, FAR[1]), components=["x", "y"])[0][:, 0]}


@pytest.mark.parametrize("executor", [None, 1])
def test_a_sweep_gives_one_warning_for_all_its_batches(executor):
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("default")
        sweep = lw.sweep(reach, {"x": [*np.linspace(5.0, 6.0, 7), 0.0]}, executor, chunk=2)
    assert [each.category for each in found] == [BatchWarning]
    assert found[0].filename == __file__
    assert np.isnan(sweep["y"]).sum() == 7
