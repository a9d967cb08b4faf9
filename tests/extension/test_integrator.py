"""An integrator written as the page shows has its order, runs everywhere, and has a name in files and commands."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

import linkwright as lw
from linkwright import method_registry, plugins
from linkwright.cli import main
from linkwright.formats.study import Study, from_study_text, to_study_text
from linkwright.simulation.integrators import RK4, examples_of_methods, register_method
from tests.extension.pages import names_of_section
from tests.simulation.switched_mechanisms import ball

STUDY = "{format: 1, mechanism: three-link-arm, t_end: 0.05, method: {name: heun, step: 1 ms}, output: {rows: 2}}"
START = np.array([0.3, -0.2, 0.4])


@pytest.fixture(scope="module")
def page() -> Iterator[dict[str, Any]]:
    """The names of the page; its method is registered for these tests only."""
    yield names_of_section("extend.md", "An integrator")
    method_registry.REGISTERED.clear()


def test_halving_the_step_quarters_the_error(page: dict[str, Any]) -> None:
    arm = page["arm"]
    exact = lw.simulate(arm, START, t_end=0.5, method=lw.DOP853(rtol=1e-12), output=2).q[-1]
    errors = [
        np.abs(lw.simulate(arm, START, t_end=0.5, method=page["Heun"](h=h), output=2).q[-1] - exact).max()
        for h in (2e-3, 1e-3, 5e-4)
    ]
    assert np.log2(errors[0] / errors[1]) == pytest.approx(2.0, abs=0.1)
    assert np.log2(errors[1] / errors[2]) == pytest.approx(2.0, abs=0.1)


def test_alone_and_in_the_stepper_the_same_bits(page: dict[str, Any]) -> None:
    arm = page["arm"]
    alone = lw.simulate(arm, START, t_end=0.01, method=page["Heun"](h=1e-3), output=2)
    robots = lw.Stepper(arm, n=3, h=1e-3, method=page["Heun"])
    robots.reset(q=np.tile(START, (3, 1)))
    for _ in range(10):
        robots.step(np.zeros((3, arm.na)))
    np.testing.assert_array_equal(robots.q, np.tile(alone.q[-1], (3, 1)))


def test_alone_and_in_an_ensemble_the_same_bits(page: dict[str, Any]) -> None:
    arm, q = page["arm"], np.random.default_rng(2).normal(size=(5, 3))
    many = lw.simulate_many(arm, q, t_end=0.05, method=page["Heun"](h=1e-3), output=2)
    for k in range(5):
        alone = lw.simulate(arm, q[k], t_end=0.05, method=page["Heun"](h=1e-3), output=2)
        np.testing.assert_array_equal(many.q[k, -1], alone.q[-1])


def test_a_stepper_refuses_methods_that_choose_their_steps(page: dict[str, Any]) -> None:
    for method in (lw.DOP853, lw.Rodas5P, lw.RK4(1e-3), float):
        with pytest.raises(lw.errors.ArgumentError, match="fixed step"):
            lw.Stepper(page["arm"], n=1, h=1e-3, method=method)  # type: ignore[arg-type]


def test_a_loop_that_closes_is_stepped_with_it(page: dict[str, Any]) -> None:
    """A ball that falls and bounces: its motion is of degree 2, which a method of order 2 gives exactly."""
    model, floor = lw.build(ball(0.1)), [lw.events.Close("floor", restitution=0.5)]
    ways = (page["Heun"](h=1e-3), lw.DOP853())
    runs = [lw.simulate(model, [0.6], t_end=0.8, events=floor, method=method) for method in ways]
    impacts = [[each["t"] for each in run.meta["impulses"]] for run in runs]
    assert len(impacts[0]) > 1 and impacts[0] == pytest.approx(impacts[1], abs=1e-9)


def test_an_interrupted_run_goes_on_with_the_same_bits(page: dict[str, Any], tmp_path: Path) -> None:
    arm, method, file = page["arm"], page["Heun"](h=1e-4), tmp_path / "run.npz"

    def stop(share: float) -> None:
        if share > 0.02:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        lw.simulate(arm, START, t_end=100.0, method=method, output=lw.Output(2001, file, progress=stop))
    again = lw.simulate(arm, START, t_end=100.0, method=method, output=lw.Output(2001, file), resume=True)
    whole = lw.simulate(arm, START, t_end=100.0, method=method, output=2001)
    np.testing.assert_array_equal(again.q, whole.q)
    opened = lw.open_result(file)
    np.testing.assert_array_equal(opened.q, whole.q)
    assert opened.meta["method"] == whole.meta["method"] == "Heun(h=0.0001)"


def test_a_study_file_names_it(page: dict[str, Any]) -> None:
    study = from_study_text(STUDY)
    assert from_study_text(to_study_text(study)) == study
    run = lw.run_study(study, lw.catalog.load("three-link-arm"))
    arm, method = page["arm"], page["Heun"](h=1e-3)
    np.testing.assert_array_equal(run.q, lw.simulate(arm, arm.assemble().q, t_end=0.05, method=method, output=2).q)
    assert "heun" in json.dumps(Study.model_json_schema()["$defs"]["StudyMethod"])


@pytest.mark.parametrize(
    ("method", "because"),
    [
        ("{name: heun}", "heun has a fixed step; add 'step'"),
        ("{name: heun, step: 1 ms, rtol: 1e-6}", "leave 'rtol' out, or take dop853 or dp5 or rodas5p"),
        ("{name: dop853, step: 1 ms}", "chooses its steps itself; leave 'step' out, or take dp5 or rk4 or heun"),
        ("{name: huen, step: 1 ms}", "did you mean 'heun'"),
    ],
)
def test_a_file_has_the_options_of_its_record(page: dict[str, Any], method: str, because: str) -> None:
    with pytest.raises(lw.errors.FormatError, match=because):
        from_study_text(STUDY.replace("{name: heun, step: 1 ms}", method))


def test_the_command_line_names_it(page: dict[str, Any], tmp_path: Path) -> None:
    file = str(tmp_path / "run.npz")
    line = ["simulate", "three-link-arm", "--method", "heun", "--duration", "50 ms", "--save-run", file]
    done = CliRunner().invoke(main, [*line, "--step", "1 ms"])
    assert done.exit_code == 0, done.output
    assert lw.open_result(file).meta["method"] == "Heun(h=0.001)"
    assert "heun has a fixed step" in CliRunner().invoke(main, [*line, "--overwrite"]).output
    assert "heun" in CliRunner().invoke(main, ["simulate", "--help"]).output


def test_messages_name_it(page: dict[str, Any]) -> None:
    assert "Heun(h)" in examples_of_methods()
    with pytest.raises(lw.errors.ArgumentError, match=r"DOP853\(...\), .*Rodas5P\(...\), Heun\(h\) or your own"):
        lw.simulate(page["arm"], START, method=4)  # type: ignore[arg-type]


def test_the_methods_of_the_library_are_in_one_list() -> None:
    """They are the public names that come from the file of integrators; the default comes first."""
    named = {name: getattr(lw, name) for name in lw.__all__}
    own = [name for name, x in named.items() if isinstance(x, type) and issubclass(x, lw.types.Method)]
    assert sorted(own) == sorted(method_registry.own_methods().values()) and len(own) >= 4
    assert method_registry.method_names()[0] == method_registry.DEFAULT_NAME


def test_names_in_use_and_records_that_files_cannot_give_are_refused() -> None:
    @dataclass(frozen=True)
    class Rk4(RK4):
        """Named as one of the library."""

    @dataclass(frozen=True)
    class Weighted(RK4):
        """Needs more than a step."""

        weight: float

    for kind, because in ((Rk4, "name yours otherwise"), (Weighted, "needs weight"), (4, "frozen dataclass")):
        with pytest.raises(lw.errors.ArgumentError, match=because):
            register_method(kind)  # type: ignore[type-var, arg-type]


def test_entry_points_are_loaded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = "from dataclasses import dataclass\nfrom linkwright.simulation.integrators import RK4, register_method\n\n\n"
    text += "@register_method\n@dataclass(frozen=True)\nclass Plugged(RK4):\n    pass\n"
    (tmp_path / "plugged_method.py").write_text(text, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    entry = EntryPoint("mine", "plugged_method", plugins.METHODS)
    monkeypatch.setattr(plugins, "_installed_entry_points", lambda: (entry,))
    plugins.load_plugins.cache_clear()
    try:
        assert "plugged" in CliRunner().invoke(main, ["simulate", "--help"]).output
        assert from_study_text(STUDY.replace("heun", "plugged")).method.name == "plugged"
    finally:
        plugins.load_plugins.cache_clear()
        method_registry.REGISTERED.pop("plugged", None)
