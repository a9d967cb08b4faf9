"""Study files: read, written back to the same bits, refused with messages, carried out twice with the same result."""

import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import linkwright as lw
from linkwright.control.control_descriptions import law_from_description, reference_from_description
from linkwright.errors import ArgumentError, FormatError
from linkwright.formats.study import Study, from_study_text, to_study_text
from tests.results.runs import differences

PAGE = (Path(__file__).parents[2] / "docs" / "howto" / "studies.md").read_text(encoding="utf-8")
LEAST = {"format": 1, "mechanism": "four-bar", "t_end": 0.2}

numbers = st.floats(allow_nan=False, allow_infinity=False)
above = st.floats(1e-12, 1e12)
many = st.one_of(numbers, st.lists(numbers, min_size=1, max_size=3))
moves = st.one_of(
    st.fixed_dictionaries(
        {"move": st.sampled_from(["cycloidal", "quintic"]), "start": many, "end": many, "duration": above}
    ),
    st.fixed_dictionaries({"move": st.just("steady"), "start": many, "rate": many}),
    st.fixed_dictionaries({"move": st.just("spline"), "times": st.just([0.0, 1.0]), "points": st.just([[1.0], [2.0]])}),
)
laws = st.one_of(
    st.none(),
    st.fixed_dictionaries({"law": st.just("constant"), "efforts": many}),
    st.fixed_dictionaries({"law": st.just("sines"), "amplitude": many, "rate": many}, optional={"phase": many}),
    st.fixed_dictionaries(
        {
            "law": st.sampled_from(["pd", "pd-gravity", "computed-torque", "feedforward-feedback"]),
            "reference": moves,
            "stiffness": many,
            "damping": many,
        }
    ),
)
states = st.one_of(st.lists(numbers, max_size=4), st.dictionaries(st.text(max_size=8), numbers, max_size=3))
studies = st.fixed_dictionaries(
    {"format": st.just(1), "mechanism": st.text(min_size=1, max_size=20), "t_end": st.floats(0.1, 1e9), "effort": laws},
    optional={
        "start": st.fixed_dictionaries({}, optional={"q": states, "v": states}),
        "stop_at_limits": st.booleans(),
        "method": st.fixed_dictionaries({"name": st.sampled_from(["dp5", "dop853"])}, optional={"rtol": above}),
        "output": st.fixed_dictionaries({}, optional={"rows": st.integers(2, 1000), "save": st.just("run.csv")}),
        "formulation": st.fixed_dictionaries({"name": st.just("baumgarte"), "rate": above}),
    },
)


@given(studies)
def test_a_study_reads_back_as_the_same_study(written):
    study = Study.model_validate(written)
    assert from_study_text(to_study_text(study)) == study


def test_units_are_understood():
    study = from_study_text(
        "{format: 1, mechanism: x, t_end: 200 ms, start: {q: {a: 180 deg, b: 3 mm}, v: [60 rpm]},"
        " effort: {law: constant, efforts: [2 kN, 3 N m]}, output: {step: 5 ms}}"
    )
    assert study.t_end == 0.2 and study.output.step == 0.005
    assert study.start.q == {"a": np.pi, "b": 0.003}
    assert study.start.v == (pytest.approx(2 * np.pi),)
    assert study.effort.efforts == (2000.0, 3.0)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "a study is a block"),
        ("[1, 2]", "a study is a block"),
        ("format: 2\nmechanism: x\nt_end: 1", r"s.yaml:1: format: the format is 2 and this version reads format 1"),
        ("format: 1\nmechanism: x", "'t_end' is missing"),
        ("format: 1\nmechanism: x\nt_end: 3 kg", r"s.yaml:3: t_end: '3 kg' is a mass, but a time is wanted"),
        (
            "format: 1\nmechanism: x\nt_end: 1\nefort: 2",
            r"s.yaml:4: efort: unknown key 'efort' \(did you mean 'effort'",
        ),
        ("format: 1\nmechanism: x\nt_end: 1\nmethod: {close: x}", r"unknown key 'close' \(known: 'name', 'rtol'"),
        ("format: 1\nmechanism: x\nt_end: 1\noutput: {row: 5}", r"unknown key 'row' \(did you mean 'rows'"),
        ("format: 1\nmechanism: x\nt_end: 1\nswitches: [{clos: a}]", r"unknown key 'clos' \(did you mean 'close'"),
        (
            "format: 1\nmechanism: x\nt_end: 1\n"
            "effort: {law: pd, stiffness: 1, damping: 1, reference: {move: steady, start: 1, rate: 0, at: 1}}",
            r"effort.reference.at: unknown key 'at' \(did you mean 'rate'",
        ),
        ("format: 1\nmechanism: x\nt_end: -1", "not after its start"),
        ("format: 1\nmechanism: x\nt_end: .nan", "not a finite number"),
        ("format: 1\nmechanism: x\nt_end: 1\neffort: {law: pid}", "unknown law 'pid'"),
        ("format: 1\nmechanism: x\nt_end: 1\neffort: {gain: 1}", "name the law, for example 'law: computed-torque'"),
        ("format: 1\nmechanism: x\nt_end: 1\nmethod: {name: rk4}", "rk4 has a fixed step; add 'step'"),
        (
            "format: 1\nmechanism: x\nt_end: 1\nmethod: {name: euler}",
            r"unknown method 'euler' \(known: 'dop853', 'dp5'",
        ),
        ("format: 1\nmechanism: x\nt_end: 1\noutput: {rows: 5, step: 1}", "keep one of them"),
        ("format: 1\nmechanism: x\nt_end: 1\nformulation: {name: virtual-springs}", "need a 'stiffness'"),
        ("format: 1\nmechanism: x\nt_end: 1\nformulation: {name: baumgarte}", "needs a 'rate'"),
        ("format: 1\nmechanism: x\nt_end: 1\nstart: {q: 3}", "neither a block of 'name: value' nor a list"),
        ("format: 1\nmechanism: !!python/object:os.system x\nt_end: 1", "the tag"),
        (
            "format: 1\nmechanism: x\nt_end: 1\neffort: {law: table, times: [0, 1], efforts: [[1], [1, 2]]}",
            "different len",
        ),
    ],
)
def test_mistakes_are_reported_with_their_lines(text, message):
    with pytest.raises(FormatError, match=message):
        from_study_text(text, "s.yaml")


def test_files_are_written_whole_and_read_again(tmp_path):
    study = Study.model_validate(LEAST)
    lw.save_study(study, tmp_path / "s.yaml")
    assert lw.load_study(tmp_path / "s.yaml") == study
    with pytest.raises(FormatError, match="no such file"):
        lw.load_study(tmp_path / "other.yaml")
    with pytest.raises(ArgumentError, match="takes a Study"):
        lw.save_study("x", tmp_path / "s.yaml")


def test_what_no_file_could_say_is_refused_too():
    model = lw.build(lw.catalog.load("four-bar"))
    with pytest.raises(ArgumentError, match="the law is 'pid'"):
        law_from_description(model, {"law": "pid"}, (0.0, 1.0), None)
    with pytest.raises(ArgumentError, match="the move is None"):
        reference_from_description({}, 1)


def test_the_study_of_the_page_is_carried_out_twice_the_same(tmp_path):
    (text,) = re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)
    (tmp_path / "study.yaml").write_text(text, encoding="utf-8")
    study = lw.load_study(tmp_path / "study.yaml")
    mech = lw.catalog.load(study.mechanism)
    one, two = (lw.run_study(study, mech, tmp_path / name) for name in ("one.npz", "two.csv"))
    assert differences(one, two) == []
    assert (
        differences(one, lw.open_result(tmp_path / "one.npz"))
        == differences(two, lw.open_result(tmp_path / "two.csv"))
        == []
    )
    assert from_study_text(one.meta["study"]) == study
    assert one.t[-1] == 0.6 and len(one.t) == 61
    assert one["theta1"][-1] == pytest.approx(1.2, abs=1e-4) and one["theta1"][0] == 1.1


@pytest.mark.parametrize(
    "more",
    [
        {"effort": {"law": "sines", "amplitude": 0.1, "rate": 3.0}, "method": {"name": "rk4", "step": 1e-3}},
        {"effort": {"law": "constant", "efforts": 0.1}, "start": {"v": {"theta": 1.0}}, "output": {"step": 0.05}},
        {
            "effort": {"law": "table", "times": [0.0, 1.0], "efforts": [0.0, 1.0]},
            "method": {"name": "dp5", "rtol": 1e-7},
        },
        {
            "effort": {
                "law": "feedforward-feedback",
                "reference": {"move": "quintic", "start": 1.0, "end": 1.1, "duration": 0.2},
                "stiffness": 1.0,
                "damping": 0.1,
            },
            "start": {"q": {"theta": 1.0}},
        },
    ],
)
def test_every_kind_of_law_runs(more):
    run = lw.run_study(Study.model_validate({**LEAST, **more}), lw.catalog.load("four-bar"))
    assert run.meta["complete"] and run.t[-1] == 0.2
    assert run.closure.max() < 1e-12


def test_an_unknown_velocity_is_reported():
    study = Study.model_validate({**LEAST, "start": {"v": {"tetha": 1.0}}})
    with pytest.raises(ArgumentError, match=r"not an independent velocity.*did you mean 'theta'"):
        lw.run_study(study, lw.catalog.load("four-bar"))


def study_saving(target):
    return Study.model_validate({**LEAST, "output": {"save": str(target)}})


@pytest.mark.parametrize("target", ["../precious.csv", "deep/../../precious.csv"])
def test_a_study_saves_below_the_current_folder_only(tmp_path, monkeypatch, target):
    folder = tmp_path / "here"
    (folder / "deep").mkdir(parents=True)
    monkeypatch.chdir(folder)
    mech = lw.catalog.load("four-bar")
    with pytest.raises(lw.errors.ResultError, match="outside the current folder"):
        lw.run_study(study_saving(target), mech)
    lw.run_study(study_saving(target), mech, allow_outside=True)
    assert (tmp_path / "precious.csv").is_file()


def test_a_link_out_of_the_folder_is_outside(tmp_path, monkeypatch):
    folder = tmp_path / "here"
    folder.mkdir()
    monkeypatch.chdir(folder)
    (folder / "away").symlink_to(tmp_path, target_is_directory=True)
    with pytest.raises(lw.errors.ResultError, match="outside the current folder"):
        lw.run_study(study_saving("away/run.csv"), lw.catalog.load("four-bar"))


def test_files_that_are_not_runs_are_not_replaced(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    mech, file = lw.catalog.load("four-bar"), tmp_path / "precious.csv"
    file.write_text("a,b\n1,2\n")
    for target in (None, file):
        with pytest.raises(lw.errors.ResultError, match="not replaced"):
            lw.run_study(study_saving(file), mech, target)
    assert file.read_text() == "a,b\n1,2\n"
    lw.run_study(study_saving(file), mech, overwrite=True)
    lw.run_study(study_saving(file), mech)  # a run replaces a run
    assert len(lw.open_result(file).t) > 1
