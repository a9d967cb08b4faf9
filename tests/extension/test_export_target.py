"""A target written as the page shows gives the functions of the model; the forms of every operation agree."""

import math
import re
import sqlite3
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

import linkwright as lw
from linkwright import plugins
from linkwright.cli import main
from linkwright.cli.export import export as export_group
from linkwright.compiler import evaluate, maximum, minimum, operator_dialect, select, trace
from linkwright.compiler.trace.operations import FIRST_TABLE, OPERATIONS, Op
from linkwright.export import target_registry

PAGE = (Path(__file__).parents[2] / "docs" / "howto" / "extend.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```python\n(.*?)```", PAGE, re.S)


@pytest.fixture(scope="module")
def page() -> dict[str, Any]:
    """What the blocks of the page that concern a target define."""
    names: dict[str, Any] = {}
    for block in BLOCKS[:2]:
        exec(block, names)
    return names


def test_database_computes_the_mass_matrix(page: dict[str, Any]) -> None:
    np.testing.assert_allclose(page["M"], page["arm"].mass_matrix(page["q"]), rtol=1e-13, atol=1e-13)


def every_operation(x: np.ndarray) -> np.ndarray:
    a, b = x
    chosen = [minimum(a, b), maximum(a, b), select(a, b, -b), abs(b)]
    return np.array(
        [a + b, a - b, a * b, 1.0 / b, np.sqrt(abs(a)), np.sin(a), np.cos(b), np.arctan2(a, b)]
        + [np.exp(a), np.log(abs(b)), np.tanh(a), *chosen]
    )


def test_database_computes_every_operation(page: dict[str, Any]) -> None:
    database = sqlite3.connect(":memory:")
    for name in ("sqrt", "sin", "cos", "atan2", "exp", "tanh"):  # not every SQLite has them
        database.create_function(name, 2 if name == "atan2" else 1, getattr(math, name))
    database.create_function("ln", 1, math.log)
    program = trace(every_operation, {"x": 2})
    states = np.random.default_rng(1).normal(size=(20, 2))
    database.execute("CREATE TABLE points (x_0 REAL, x_1 REAL)")
    database.executemany("INSERT INTO points VALUES (?, ?)", states.tolist())
    for statement in page["sql_statements"](program, "points"):
        database.execute(statement)
    names = ", ".join(f"out_{k}" for k in range(program.n_outputs))
    found = database.execute(f"SELECT {names} FROM points").fetchall()
    np.testing.assert_allclose(found, evaluate(program, states), rtol=1e-15)


def test_every_operation_has_one_record() -> None:
    assert set(OPERATIONS) == set(Op) - {Op.INPUT, Op.CONST}
    spelled = operator_dialect(lambda name: name, {}, lambda i, _: ("find", i), lambda i, _: ("read", i))  # type: ignore[arg-type, return-value]
    assert set(spelled.spellings([None, None])) == {*OPERATIONS, *range(FIRST_TABLE, FIRST_TABLE + 4)}


@pytest.mark.parametrize("op", [x for x in OPERATIONS.values() if x.apply is not None], ids=lambda x: x.name)
def test_the_forms_of_arithmetic_agree(op: Any) -> None:
    """Function, text and, where it is one, signed sum of an operation are the same numbers."""
    x = [0.3, -1.7, 2.9][: op.arity]
    expected = op.apply(*x)
    assert eval(op.text.format(*(f"({v!r})" for v in x))) == expected
    if op.sum is not None:
        (a, b, c), sign, other = op.sum
        known = {**dict(enumerate(x)), -1: 1.0, -2: 0.0}
        assert sign * known[a] * known[b] + other * known[c] == pytest.approx(expected, rel=1e-15)


@pytest.fixture
def registered(page: dict[str, Any]) -> Any:
    before = dict(target_registry._TARGETS)
    exec(BLOCKS[2], page)
    yield page["sql"]
    target_registry._TARGETS.clear()
    target_registry._TARGETS.update(before)


def test_a_registered_target_has_a_name_and_a_verb(registered: Any, tmp_path: Path) -> None:
    texts = lw.export.sql(lw.build(lw.catalog.load("three-link-arm")), "mass_matrix")
    assert lw.export.sql is registered and "cos(" in texts["mass_matrix.sql"]
    line = ["export", "sql", "three-link-arm", "--function", "mass_matrix", "-o", str(tmp_path / "out")]
    done = CliRunner().invoke(main, line)
    assert done.exit_code == 0, done.output
    assert (tmp_path / "out" / "mass_matrix.sql").read_text(encoding="utf-8") == texts["mass_matrix.sql"]
    assert CliRunner().invoke(main, line).exit_code == 2  # the file is there
    assert CliRunner().invoke(main, [*line, "--overwrite"]).exit_code == 0
    assert "sql" in CliRunner().invoke(main, ["export", "--help"]).output


def test_names_in_use_are_refused() -> None:
    def c_kit(model: Any) -> dict[str, str]:
        return {}

    with pytest.raises(lw.errors.ArgumentError, match="cannot name another"):
        lw.export.register_target(c_kit)
    assert set(export_group.commands) <= {*target_registry._OWN_NAMES, *target_registry._OWN_VERBS}


def test_entry_points_are_loaded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = '"""Names of bodies."""\nimport linkwright as lw\n\n\n@lw.export.register_target\ndef roster(model):\n'
    text += '    """Names of bodies."""\n    return {"roster.txt": " ".join(model.mechanism.names)}\n'
    (tmp_path / "roster_plugin.py").write_text(text, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    entry = EntryPoint("mine", "roster_plugin", "linkwright.export")
    monkeypatch.setattr(plugins, "_installed_entry_points", lambda: (entry,))
    plugins.load_plugins.cache_clear()
    try:
        done = CliRunner().invoke(main, ["export", "roster", "three-link-arm", "-o", str(tmp_path), "--json"])
        assert done.exit_code == 0 and (tmp_path / "roster.txt").read_text(encoding="utf-8") == "link1 link2 link3"
    finally:
        plugins.load_plugins.cache_clear()
        target_registry._TARGETS.pop("roster", None)
