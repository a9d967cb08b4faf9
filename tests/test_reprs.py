"""Every public object shows itself briefly: one line of 120 characters, or a table of 15; whatever it holds."""

import dataclasses
import inspect
import warnings
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pytest

import linkwright as lw
from linkwright.dataclass import exact_text, record_repr
from linkwright.readable_text import Printable, RecordTable, number_text, quantity_text
from tests.study_laws import study_examples

NAMES = ("five-bar", "gough-stewart", "stanford-arm")


@pytest.fixture(scope="module")
def found() -> dict[str, Any]:
    """Objects that the library returns, by the call that gives them."""
    out: dict[str, Any] = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name in NAMES:
            out |= {f"{name}: {call}": x for call, x in basic_objects(name)}
        out |= {f"study: {call}": x for call, x in studies()}
    return out


def basic_objects(name: str) -> Iterator[tuple[str, Any]]:
    mech = lw.catalog.load(name)
    model = lw.build(mech)
    c = model.assemble()
    q, v = np.stack([c.q] * 30), np.full((30, model.nv), 1e3)
    run = lw.simulate(model, c.q, t_end=0.02)
    frame = mech.platform or mech.bodies[-1].name
    yield from [("load", mech), ("build", model), ("assemble", c), ("check", lw.check(mech)), ("simulate", run)]
    yield from [("summary", run.summary()), ("series", run.series[0]), ("actuators", model.actuators)]
    yield from [("parameters", mech.parameters), ("regressor_parameters", model.regressor_parameters)]
    yield from [("frame_pose", model.frame_pose(q, frame)), ("body_poses", model.body_poses(c.q))]
    yield from [("singularity", model.singularity(q)), ("limits", model.limits_exceeded(q, v))]
    yield from [("exceeded", model.limits_exceeded(c.q, v[0])), ("redundant", model.redundant_equations)]
    yield from [("explain", lw.analysis.explain(mech)), ("indices", lw.analysis.indices(model, c.q, frame=frame))]
    yield "indices of many", lw.analysis.indices(model, q, frame=frame)


def studies() -> Iterator[tuple[str, Any]]:
    mech = lw.catalog.load("five-bar")
    names = [each.name for each in mech.parameters]
    model = lw.build(mech, inputs=names)
    home = model.assemble()
    t = np.linspace(0.0, 1.0, 21)
    drive = np.stack([home.q[0] + 0.2 * np.sin(3 * t), home.q[1] + 0.1 * np.sin(5 * t)], axis=1)
    run = lw.motion(model, t, q_act=drive)
    yield from [("inputs", model.parameters), ("motion", run), ("fixed", model.with_parameters({names[0]: 0.2}))]
    yield "ensemble", lw.simulate_many(model, np.stack([home.q] * 5), t_end=0.01)
    yield from [("operations", model.operation_count("mass_matrix")), ("program", model.program("mass_matrix"))]
    yield "measure", lw.analysis.JacobianMeasure(model, model.frame_pose(run.q[:3], "platform"), "condition")
    yield "sweep", lw.sweep(lambda p: {"y": p["x"]}, lw.sweeps.Grid(x=np.arange(40.0)))
    yield from study_examples()


def require_brief(text: str, title: str) -> None:
    lines = text.split("\n")
    assert max(map(len, lines)) <= 120, f"{title}: a line of {max(map(len, lines))} characters: {text}"
    assert len(lines) <= 15 and len(text) <= 1500, f"{title}: {len(lines)} lines, {len(text)} characters: {text}"


def inner_objects(x: Any, title: str, seen: set[int], depth: int = 0) -> Iterator[tuple[str, Any]]:
    """The object and those of the library that it holds."""
    if id(x) in seen or depth > 6:
        return
    seen.add(id(x))
    if isinstance(x, tuple | list) and not hasattr(x, "_fields"):
        for i, each in enumerate(x[:3]):
            yield from inner_objects(each, f"{title}[{i}]", seen, depth + 1)
    elif isinstance(x, Mapping):
        for key, each in [*x.items()][:3]:
            yield from inner_objects(each, f"{title}[{key!r}]", seen, depth + 1)
    if type(x).__module__.startswith("linkwright"):
        yield title, x
        names = [each.name for each in dataclasses.fields(x)] if dataclasses.is_dataclass(x) else []
        for name in (name for name in names if not name.startswith("_")):
            yield from inner_objects(getattr(x, name), f"{title}.{name}", seen, depth + 1)


def test_every_object_shows_itself_briefly(found):
    seen: set[int] = set()
    shown = [pair for title, x in found.items() for pair in inner_objects(x, title, seen)]
    assert len(shown) > 300
    for title, x in shown:
        require_brief(repr(x), title)
        if isinstance(x, Printable):
            require_brief(str(x), title)
            assert x._repr_html_(), title


SPACES = [lw] + [
    getattr(lw, name)
    for name in lw.__all__
    if inspect.ismodule(getattr(lw, name)) and hasattr(getattr(lw, name), "__all__")
]
RECORDS = {
    kind.__qualname__: kind
    for kind in (getattr(space, name) for space in SPACES for name in space.__all__)
    if inspect.isclass(kind) and dataclasses.is_dataclass(kind) and not inspect.isabstract(kind)
}
LARGE = (
    np.linspace(0.0, 1.0, 10**4).reshape(100, 100),
    "a long text \n" * 100,
    tuple(lw.types.Event(0.1 * i, "limit") for i in range(500)),
    {f"name {i}": 1.0 / 3.0 for i in range(500)},
    [[1.0 / 3.0] * 50] * 50,
    1.0 / 3.0,
)


@pytest.mark.parametrize("kind", RECORDS)
def test_a_record_is_brief_whatever_it_holds(kind):
    for large in LARGE:
        record = object.__new__(RECORDS[kind])
        for each in dataclasses.fields(RECORDS[kind]):
            record.__dict__[each.name] = large
        require_brief(repr(record), kind)


def test_lists_of_points_names_and_events_are_brief(found):
    events = tuple(lw.types.Event(0.1 * i, "limit", f"joint{i}", "a long text") for i in range(200))
    axes = {f"a_rather_long_name_of_a_parameter_{i}": (0.0, 1.0) for i in range(20)}
    for thing in (
        lw.Result(np.arange(3.0), events=events).events,
        lw.catalog.summaries(),
        lw.sweeps.Grid(x=np.arange(1000.0)),
        lw.sweeps.LatinHypercube(10, **axes),
        lw.sweeps.Sobol(16, **axes),
        lw.sweeps.TabulatedPoints(x=np.arange(1000.0)),
        found["gough-stewart: redundant"],
        found["five-bar: redundant"],
    ):
        require_brief(repr(thing), type(thing).__name__)
        assert " object at " not in repr(thing)


def test_records_of_the_library_do_not_write_their_own_repr():
    """All come from one place; the texts of single lines are fields or descriptions."""
    own = {name for name, kind in RECORDS.items() if "__repr__" in vars(kind) and kind.__repr__ is not record_repr}
    assert own == set()


def test_results_are_among_them(found):
    seen: set[int] = set()
    kinds = {type(x) for title, thing in found.items() for _, x in inner_objects(thing, title, seen)}
    results = {kind for kind in RECORDS.values() if issubclass(kind, Printable)}
    assert {kind.__name__ for kind in results - kinds} <= {"SavedStudy"}
    assert len(kinds & set(RECORDS.values())) > 50


def test_studies_show_their_values(found):
    home = found["five-bar: assemble"]
    indices = found["five-bar: indices"]
    assert number_text(float(indices.condition)) in repr(indices)
    assert quantity_text(found["study: workspace"].volume, "m^2") in repr(found["study: workspace"])
    assert "lower1.m " in repr(found["gough-stewart: regressor_parameters"])
    assert "... " in repr(found["gough-stewart: regressor_parameters"]) and ".table() shows all" in str(
        found["gough-stewart: regressor_parameters"]
    )
    assert found["gough-stewart: regressor_parameters"].table().count("\n") > 150
    assert "[" in repr(home) and "'five-bar'" in repr(found["five-bar: load"])
    for step in found["five-bar: explain"].steps:
        assert step.title in repr(found["five-bar: explain"])


def test_digests_see_all_that_repr_leaves_out(found):
    mech = found["five-bar: load"]
    other = mech.with_values({mech.parameters[0].name: mech.parameters[0].value * (1.0 + 1e-15)})
    assert repr(other) == repr(mech) and exact_text(other) != exact_text(mech)
    assert lw.build(other).kernels.setup.identity != lw.build(mech).kernels.setup.identity
    assert exact_text([mech]) == f"[{exact_text(mech)}]"


@pytest.mark.parametrize(
    "value, unit, text",
    [
        (8.84766e-05, "m", "88.48 um"),
        (0.0123456, "m", "12.35 mm"),
        (0.123456, "m", "0.1235 m"),
        (1234.56, "N", "1235 N"),
        (123456.0, "N", "123.5 kN"),
        (1e-17, "m", "0 m"),
        (2.5e-3, "s", "2.5 ms"),
        (250e3, "s", "250000 s"),
        (3.2e-7, "m/s", "320 nm/s"),
        (2.0e-4, "m^2", "0.0002 m^2"),
        (0.05, "kg", "50 g"),
        (float("inf"), "N", "inf N"),
    ],
)
def test_quantities_have_fitting_prefixes(value, unit, text):
    assert quantity_text(value, unit) == text


def test_a_quantity_reads_as_it_is():
    """The text times its prefix is the value, to the digits shown."""
    factors = {"nm": 1e-9, "um": 1e-6, "mm": 1e-3, "m": 1.0, "km": 1e3, "Mm": 1e6}
    for x in np.random.default_rng(5).uniform(-11.0, 8.0, 200):
        number, unit = quantity_text(10.0**x, "m").split()
        assert float(number) * factors[unit] == pytest.approx(10.0**x, rel=1e-3)


def test_records_in_a_tuple_are_a_table():
    rows = RecordTable(lw.types.Event(0.1 * i, "limit", f"joint{i}", "a long text " * 20) for i in range(100))
    require_brief(repr(rows), "events")
    assert rows == tuple(rows) and rows.table().count("joint") == 100 and "88 more" in repr(rows)
    assert repr(RecordTable()) == "no records"
