"""Examples of every study, and what holds for each of them and for studies that users register."""

import inspect
import json
import re
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import pytest

import linkwright as lw
from linkwright.analysis import StudyResult
from linkwright.readable_text import described_table
from linkwright.viewer.shown_motion import unpack_array


def study_examples() -> Iterator[tuple[str, StudyResult]]:
    """A result of every study of the library, by the call that gives it."""
    mech = lw.catalog.load("five-bar")
    names = ["proximal", "distal"]
    model, plain = lw.build(mech, inputs=names), lw.build(mech)
    home = model.assemble().q
    t = np.linspace(0.0, 1.0, 21)
    drive = np.stack([home[0] + 0.2 * np.sin(3 * t), home[1] + 0.1 * np.sin(5 * t)], axis=1)
    run = lw.motion(model, t, q_act=drive)
    poses = model.frame_pose(run.q[::5], "platform")
    analysis = lw.analysis
    yield "workspace", analysis.workspace(plain, {"x": (-0.1, 0.1, 9), "y": (0.3, 0.4, 9)}, show=["condition"])
    yield "indices", analysis.indices(plain, home, frame="platform")
    yield "indices of many", analysis.indices(plain, run.q, frame="platform")
    yield "clearance", analysis.clearance(model, run.q)
    yield "base_parameters", analysis.base_parameters(plain)
    yield "tolerance", analysis.tolerance(model, home, 1e-4, samples=50)
    yield "size", analysis.size(model, run)
    motors = [analysis.Motor("M", (0.0, 300.0), (1.0, 0.8), (3.0, 2.0), 2e-5)]
    yield "size with motors", analysis.size(model, run, motors, gears=[3.0, 5.0])
    yield "actuator_sets", analysis.actuator_sets(model, run)
    identified = analysis.identify(plain, run)
    yield from [("identify", identified), ("validate", identified.validate(run))]
    yield "excite", analysis.excite(plain, iterations=1, starts=1, samples=12)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield "calibrate", analysis.calibrate(model, drive[::5], poses)
    yield (
        "time_optimal",
        analysis.time_optimal(model, q_act=drive, effort=5.0, speed=10.0, intervals=20, solver="linprog"),
    )
    near = analysis.JacobianMeasure(model, poses, "condition")
    size = analysis.WeightedSum(model, {"proximal": 1.0, "distal": 1.0})
    bounds = {name: (0.9 * x, 1.1 * x) for name, x in zip(names, model.parameters.values.tolist(), strict=True)}
    yield "optimize", analysis.optimize(model, near, bounds, starts=1, steps=2)
    yield "pareto", analysis.pareto(model, (size, near), bounds, count=2, starts=1, steps=5)
    designs = analysis.DesignStudy(mech, names, measures=("condition",))
    yield "sweep", lw.sweep(designs, {"proximal": [0.28, 0.3], "distal": [0.35, 0.01]})
    light = {"no rods": [mech.bodies[-1].name]}
    yield "neglect_inertia", analysis.neglect_inertia(model, light, run.q, run.v, run.a)
    yield "speed_study", analysis.speed_study(model, light, run.q, run.v, run.a, [1.0, 2.0])
    yield "agreement", analysis.agreement(model, "inverse_dynamics", run.q, run.v, run.a)
    yield "selftest", analysis.selftest(plain, states=1)
    yield "explain", analysis.explain(mech)
    yield "advise_springs", analysis.advise_springs(plain, home, t_end=0.05, effort=[1.0, 0.0])
    yield "stiffness_study", analysis.stiffness_study(plain, home, t_end=0.01, effort=[1.0, 0.0], stiffness=[1e5])


def require_study(found: StudyResult, folder: Path) -> None:
    """A study prints, is JSON with stable names, is saved and opened, drawn and reported, and is a table."""
    data, content = found.data(), found.content()
    jsonschema.validate(data, lw.analysis.data_schema())
    assert json.loads(json.dumps(data)) == data and data["study"] == found.study
    assert content.title
    require_brief_repr(found)
    require_names(content)
    for ending in ("npz", "json"):
        found.save(folder / f"own.{ending}")
        again = lw.open_result(folder / f"own.{ending}")
        assert again.data() == data
        require_brief_repr(again)
        for name, x in content.arrays.items():
            np.testing.assert_array_equal(again.content().arrays[name], x)
        require_figure(again, folder, len(content.panels))
    found.save(folder / "own.csv")
    page = Path(found.report(folder / "own.html")).read_text(encoding="utf-8")
    assert page.startswith("<!doctype html>") and ("<script" in page) == bool(content.panels or found.studied)
    require_figure(found, folder, len(content.panels))
    require_one_description(found, page)
    for table in content.tables:
        frame = found.to_dataframe(table.key)
        assert list(frame.columns) == list(table.columns) and len(frame) == len(table.rows)


def require_brief_repr(found: StudyResult) -> None:
    lines = repr(found).splitlines()
    assert lines and len(lines) <= 15 and max(map(len, lines)) <= 120 and len(repr(found)) <= 1500


def require_names(content: Any) -> None:
    """Names are identifiers, units belong to something, titles are apart from names."""
    keys = [*content.facts, *(table.key for table in content.tables)]
    assert len(keys) == len(set(keys)) and all(re.fullmatch(r"[a-z][a-z0-9_]*", key) for key in keys)
    assert set(content.units) <= set(content.facts) | set(content.arrays)
    for table in content.tables:
        assert all(len(row) == len(table.columns) for row in table.rows)
        require_printed_values(table)


PREFIXES = {"n": 1e-9, "u": 1e-6, "m": 1e-3, "": 1.0, "k": 1e3, "M": 1e6, "G": 1e9}


def require_printed_values(table: Any) -> None:
    """Each number that is printed, times the prefix of its unit, is the number of the table, or it is rounding."""
    shown = described_table(table.heading, table.columns, table.rows, table.titles)
    filled = [n for i, n in enumerate(table.columns) if not (i and all(row[i] == "" for row in table.rows))]
    for row, texts in zip(table.rows, shown.rows, strict=True):
        cells, printed = dict(zip(table.columns, row, strict=True)), dict(zip(filled, texts, strict=True))
        heads = dict(zip(filled, shown.heads, strict=True))
        for name, unit in ((name, table.columns[name]) for name in filled):
            if isinstance(cells[name], float) and np.isfinite(cells[name]):
                of_row = not unit and "unit" in printed
                whole = cells["unit"] if of_row else unit
                seen = printed["unit"] if of_row else heads[name].rpartition("[")[2].removesuffix("]") if unit else ""
                number, _, own = printed[name].partition(" ")
                seen = own or seen
                factor = {"g": 1e-3, "mg": 1e-6}.get(seen) if whole == "kg" else PREFIXES[seen.removesuffix(whole)]
                value = float(number) * (factor or 1.0)
                assert value == pytest.approx(cells[name], rel=1e-3, abs=1e-11), (table.key, name)


def require_figure(found: StudyResult, folder: Path, panels: int) -> None:
    """As many axes as panels, besides those of colors; a study without panels says so."""
    if panels:
        found.plot(folder / "own.png")
        assert (folder / "own.png").stat().st_size > 1000
    else:
        with pytest.raises(lw.errors.ArgumentError, match="nothing to draw"):
            found.plot()


def require_one_description(found: StudyResult, page: str) -> None:
    """The page and the figure draw the same labels and numbers."""
    panels = found.content().panels
    if not panels:
        return
    inside = re.search(r'id="linkwright-data">(.*?)</script>', page)
    found_data = json.loads(inside[1]) if inside else []
    charts = found_data["charts"] if isinstance(found_data, dict) else found_data
    assert [chart["kind"] for chart in charts] == [type(panel).__name__ for panel in panels]
    axes = [ax for ax in found.plot(shown=False).axes if ax.get_label() != "<colorbar>"]
    for chart, ax in zip(charts, axes, strict=True):
        if chart["kind"] == "Surface":
            continue
        assert [chart["below"], chart["beside"]] == [ax.get_xlabel(), ax.get_ylabel()]
        for curve, line in zip(chart.get("curves", ()), ax.lines, strict=False):
            np.testing.assert_allclose(unpack_array(chart["x"][curve["x"]]), line.get_xdata(), rtol=1e-12)
            np.testing.assert_allclose(unpack_array(curve["y"]), line.get_ydata(), rtol=1e-6)


def functions_of_studies() -> dict[str, Any]:
    """The public functions of `lw.analysis` that return a record, by name."""
    every = {name: getattr(lw.analysis, name) for name in lw.analysis.__all__}
    found = {name: x for name, x in every.items() if inspect.isfunction(x)}
    arrays = ("Array", "dict[str, Any]", "Study", "tuple[Motor, ...]")
    return {name: x for name, x in found.items() if x.__annotations__["return"] not in arrays}


def page_of_names(examples: Iterator[tuple[str, StudyResult]]) -> str:
    """The page that lists the names of facts, tables and columns of every study, with their units."""
    found: dict[str, list[Any]] = {}
    for _, study in examples:
        found.setdefault(study.study, []).append(study.content())
    return HEAD + "".join(_section_of_names(kind, contents) for kind, contents in sorted(found.items()))


HEAD = """# Names in the data of studies

What `found.data()`, `--json`, `.npz` and `.json` files of each study call their values. The names do not change with
titles or wording. `units` gives the unit of each fact, and of each column as "table.column"; what has no unit is a
number, a text or a list. The shape of all of them is [study.schema.json](study.schema.json), which
`lw.analysis.data_schema()` returns. Where names come from your own file (`extent_x` for a component x of the grid,
columns named as your parameters or actuators), an example stands here. Tables and facts that a result does not need are
left out of it.
"""


def _section_of_names(kind: str, contents: list[Any]) -> str:
    facts = {name: content.units.get(name, "") for content in contents for name in content.facts}
    tables = {table.key: table.columns for content in contents for table in content.tables}
    lines = [f"- facts: {', '.join(_name_with_unit(*pair) for pair in facts.items())}"]
    lines += [f"- `{key}`: {', '.join(_name_with_unit(*pair) for pair in x.items())}" for key, x in tables.items()]
    return f"\n## {kind}\n\n" + "\n".join(lines) + "\n"


def _name_with_unit(name: str, unit: str) -> str:
    return f"`{name}` [{unit}]" if unit else f"`{name}`"


if __name__ == "__main__":  # writes the two files of docs/reference
    reference = Path(__file__).parents[1] / "docs" / "reference"
    (reference / "study-data.md").write_text(page_of_names(study_examples()), encoding="utf-8")
    schema = json.dumps(lw.analysis.data_schema(), indent=2) + "\n"
    (reference / "study.schema.json").write_text(schema, encoding="utf-8")
