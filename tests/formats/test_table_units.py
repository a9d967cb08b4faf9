"""Every reader of tables gives the same for data in SI and in other units, and refuses units that do not fit."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import linkwright as lw
from linkwright.analysis.designs import designs_of
from linkwright.analysis.deviations.held_actuators import read_measurements
from linkwright.cli.stated_motion import states_of_table
from linkwright.formats.study.sweeps import load_sweep

OTHER = {
    "s": ("ms", 1e3),
    "rad": ("deg", 180.0 / math.pi),
    "m": ("mm", 1e3),
    "N m": ("N mm", 1e3),
    "N": ("kN", 1e-3),
    "rad/s": ("rpm", 30.0 / math.pi),
    "m/s": ("mm/s", 1e3),
    "rad/s^2": ("deg/s^2", 180.0 / math.pi),
    "m/s^2": ("mm/s^2", 1e3),
    "kg m^2": ("kg mm^2", 1e6),
    "": ("", 1.0),
}
T = np.linspace(0.0, 0.4, 9)
TURN, SLIDE = 0.3 + 0.5 * np.sin(3.0 * T), 0.35 + 0.1 * np.cos(4.0 * T)
Columns = dict[str, tuple[Any, str]]


@lru_cache(maxsize=1)
def arm() -> lw.Model:
    """A turning and a sliding joint, each with an actuator, and a tip."""
    inertia = lw.Inertia(1.2, (0.1, 0.02, 0.0), ((0.02, 0.0, 0.0), (0.0, 0.03, 0.0), (0.0, 0.0, 0.04)))
    mech = lw.Mechanism(
        name="arm",
        base="ground",
        bodies=[lw.Body("first", inertia), lw.Body("second", inertia)],
        joints=[
            lw.Joint("R", "ground", "first", lw.joints.Revolute(axis=(0.0, 0.0, 1.0))),
            lw.Joint("P", "first", "second", lw.joints.Prismatic(axis=(1.0, 0.0, 0.0))),
        ],
        actuators=[lw.Actuator("turn", "R"), lw.Actuator("slide", "P")],
        frames=[lw.Frame("tip", "second")],
        platform="tip",
        home=(("R", (0.3,)), ("P", (0.4,))),
    )
    return lw.build(mech)


def table(path: Path, columns: Columns, other: bool = False, **units: str) -> Path:
    """A CSV file of columns in SI without units, or with other units in the titles; some columns with given ones."""
    titles, values = [], []
    for name, (x, unit) in columns.items():
        written, factor = OTHER[unit] if other else ("", 1.0)
        written = units.get(name, written)
        titles.append(f"{name} [{written}]" if written else name)
        values.append(x if isinstance(x, list) else [repr(float(each)) for each in np.asarray(x) * factor])
    path.write_text("\n".join([",".join(titles), *(",".join(row) for row in zip(*values, strict=True))]) + "\n")
    return path


ACTUATORS: Columns = {"turn": (TURN, "rad"), "slide": (SLIDE, "m")}
TIMED: Columns = {"t": (T, "s"), **ACTUATORS}
X, Y, STILL = SLIDE * np.cos(TURN), SLIDE * np.sin(TURN), np.zeros(9)
POSES: Columns = {
    **{name: (x, "m") for name, x in (("x", X), ("y", Y), ("z", STILL))},
    **{name: (x, "rad") for name, x in (("rx", STILL), ("ry", STILL), ("rz", TURN))},
}
QUATERNIONS: Columns = {
    **{name: POSES[name] for name in "xyz"},
    **{name: (x, "") for name, x in zip(("qw", "qx", "qy", "qz"), (np.cos(TURN / 2), STILL, STILL, np.sin(TURN / 2)))},
}


def motion_columns() -> Columns:
    run = lw.motion(arm(), T, q_act=np.stack([TURN, SLIDE], axis=1), reactions=False)
    found: Columns = {"t": (T, "s")}
    for key, units in (("q", ("rad", "m")), ("v", ("rad/s", "m/s")), ("a", ("rad/s^2", "m/s^2"))):
        found |= {f"{key}.{n}": (getattr(run, key)[:, i], units[i]) for i, n in enumerate("RP")}
    return found


def measured_columns() -> Columns:
    run = lw.motion(arm(), T, q_act=np.stack([TURN, SLIDE], axis=1), reactions=False)
    found = dict(TIMED)
    for i, (name, of) in enumerate((("turn", "rad"), ("slide", "m"))):
        found[f"{name}.effort"] = (run.tau[:, i], "N m" if of == "rad" else "N")
        found[f"{name}.velocity"] = (run.v[:, i], f"{of}/s")
        found[f"{name}.acceleration"] = (run.a[:, i], f"{of}/s^2")
    return found


DATA_SHEET: Columns = {
    "name": (["A", "A", "B"], ""),
    "speed": (np.array([0.0, 300.0, 200.0]), "rad/s"),
    "continuous": (np.array([1.0, 0.8, 2.0]), "N m"),
    "peak": (np.array([3.0, 2.0, 4.0]), "N m"),
    "rotor_inertia": (np.array([2e-5, 2e-5, 4e-5]), "kg m^2"),
}


def of_data_sheet(path: Path) -> list[Any]:
    found = lw.analysis.load_motors(path)
    return [x for each in found for x in (each.speed, each.continuous, each.peak, each.rotor_inertia)]


def of_measured(path: Path) -> list[Any]:
    found = lw.analysis.MeasuredMotion.read(arm(), path)
    return [found.t, found.q_act, found.tau, found.v_act, found.a_act]


def of_archive(path: Path) -> list[Any]:
    """The columns of a CSV file as arrays of an archive, by the same titles."""
    titles, *rows = path.read_text().splitlines()
    values = np.array([[float(x) for x in row.split(",")] for row in rows])
    np.savez(path.with_suffix(".npz"), **dict(zip(titles.split(","), values.T, strict=True)))
    try:
        return of_measured(path.with_suffix(".npz"))
    except lw.errors.ArgumentError as error:
        raise lw.errors.ArgumentError(str(error).replace(".npz", ".csv")) from None


def of_states(path):
    t, states = states_of_table(arm(), str(path))
    return [t, *states]


def of_frame(path: Path) -> list[Any]:
    pandas = pytest.importorskip("pandas")
    run = lw.motion(arm(), q_act=pandas.read_csv(path), reactions=False)
    return [run.t, run.tau]


def of_calibration(path: Path) -> list[Any]:
    q_act, poses = read_measurements(arm(), path)
    return [q_act, *poses]  # type: ignore[misc]


def of_sweep(path: Path) -> list[Any]:
    study = path.parent / "designs.yaml"
    study.write_text(f"format: 1\nmechanism: five-bar\nsweep: {{file: {path.name}}}\nmeasure: [condition]\n")
    _, points = designs_of(load_sweep(study), lw.catalog.load("five-bar"), path.parent)
    return [points.rows(0, len(points))[name] for name in points.names]


def of_path(path: Path, **named: Any) -> list[Any]:
    found = lw.analysis.time_optimal(arm(), acceleration=10.0, intervals=10, solver="linprog", **named)
    return [found.duration, found.effort]


def of_motion(path: Path, **named: Any) -> list[Any]:
    run = lw.motion(arm(), reactions=False, **named)
    return [run.t, run.q, run.tau]


@dataclass(frozen=True)
class TableReader:
    """A reader of tables: the columns of its file, and numbers that it makes of them."""

    columns: Callable[[], Columns]
    read: Callable[[Path], list[Any]]


READERS = {
    "motion, poses": TableReader(
        lambda: {"t": (T, "s"), **POSES}, lambda path: of_motion(path, pose=path, components=["x", "y"])
    ),
    "motion, quaternions": TableReader(
        lambda: {"t": (T, "s"), **QUATERNIONS}, lambda path: of_motion(path, pose=path, components=["x", "y"])
    ),
    "motion, actuators": TableReader(lambda: TIMED, lambda path: of_motion(path, q_act=path)),
    "motion, data frame": TableReader(lambda: TIMED, of_frame),
    "time-optimal, poses": TableReader(lambda: POSES, lambda path: of_path(path, pose=path, components=["x", "y"])),
    "time-optimal, actuators": TableReader(lambda: ACTUATORS, lambda path: of_path(path, q_act=path)),
    "coordinates": TableReader(motion_columns, of_states),
    "identify": TableReader(measured_columns, of_measured),
    "identify, archive": TableReader(measured_columns, of_archive),
    "size": TableReader(lambda: DATA_SHEET, of_data_sheet),
    "calibrate": TableReader(lambda: {**ACTUATORS, **POSES}, of_calibration),
    "sweep": TableReader(
        lambda: {"proximal": (np.array([0.2, 0.25]), "m"), "distal": (np.array([0.3, 0.31]), "m")}, of_sweep
    ),
    "TabulatedPoints": TableReader(
        lambda: {"a": (np.array([1.0, 2.5]), "m"), "b": (np.array([1.0, 2.5]), "")},
        lambda path: [*lw.sweeps.TabulatedPoints.read(path).rows(0, 2).values()],
    ),
}


@pytest.mark.parametrize("name", READERS)
def test_other_units_give_the_same(name, tmp_path):
    reader = READERS[name]
    columns = reader.columns()
    right = reader.read(table(tmp_path / "plain.csv", columns))
    found = reader.read(table(tmp_path / "other.csv", columns, other=True))
    named = reader.read(table(tmp_path / "si.csv", columns, **{n: unit for n, (_, unit) in columns.items() if unit}))
    for a, b, c in zip(right, found, named, strict=True):
        size = float(np.abs(np.asarray(a)).max(initial=0.0))
        assert np.allclose(b, a, rtol=1e-9, atol=1e-9 * size)  # splines and elimination magnify rounding
        assert np.array_equal(c, a)


@pytest.mark.parametrize("name", READERS)
def test_units_that_do_not_fit_are_refused_by_name(name, tmp_path):
    reader = READERS[name]
    for column, (_, unit) in (columns := reader.columns()).items():
        if column == "name" or name == "TabulatedPoints":
            continue
        for wrong in ("furlong", "N s/m"):
            with pytest.raises(lw.errors.ArgumentError) as caught:
                reader.read(table(tmp_path / "wrong.csv", columns, **{column: wrong}))
            message = str(caught.value)
            assert f"'{column}'" in message and f"'{wrong}'" in message, message
            assert (f"take {unit}" if unit else "leave it out") in message or name == "size", message


def test_a_force_for_a_length_names_what_would_fit(tmp_path):
    path = table(tmp_path / "poses.csv", {"t": (T, "s"), **POSES}, x="N")
    with pytest.raises(lw.errors.ArgumentError) as caught:
        lw.motion(arm(), pose=path, components=["x", "y"])
    assert str(caught.value) == (
        f"{path}:1: column 'x': the unit 'N' is that of a force, but a length is wanted; take m, mm, cm, um, km or in"
    )


@pytest.mark.parametrize("name", [name for name in READERS if name not in ("TabulatedPoints", "sweep")])
def test_a_missing_column_lists_what_was_found(name, tmp_path):
    reader = READERS[name]
    columns = reader.columns()
    first = next(iter(columns))
    renamed = {("other" if key == first else key): x for key, x in columns.items()}
    with pytest.raises(lw.errors.ArgumentError, match=rf"the column '{first}' is missing.*it has .*'other'"):
        reader.read(table(tmp_path / "renamed.csv", renamed))


def test_a_run_whose_titles_were_edited_is_converted(tmp_path):
    run = lw.motion(arm(), T, q_act=np.stack([TURN, SLIDE], axis=1), reactions=False)
    run.save(tmp_path / "run.csv")
    text = (tmp_path / "run.csv").read_text()
    assert np.array_equal(lw.open_result(tmp_path / "run.csv").q, run.q)
    edited = text.replace("R [rad]", "R [deg]", 1).replace("t [s]", "t [ms]", 1)
    (tmp_path / "edited.csv").write_text(edited)
    found = lw.open_result(tmp_path / "edited.csv")
    assert np.allclose(found.q[:, 0], np.deg2rad(run.q[:, 0]), rtol=1e-15) and np.allclose(found.t, run.t / 1e3)
    assert np.array_equal(found.q[:, 1], run.q[:, 1])
    (tmp_path / "wrong.csv").write_text(text.replace("R [rad]", "R [N]", 1))
    with pytest.raises(
        lw.errors.LinkwrightError, match="column 'R': the unit 'N' is that of a force, but an angle is wanted"
    ):
        lw.open_result(tmp_path / "wrong.csv")
    (tmp_path / "swapped.csv").write_text(text.replace("R [rad],P [m]", "P [m],R [rad]", 1))
    with pytest.raises(lw.errors.ResultError, match=r"titled 'P \[m\]' where 'R \[rad\]' is expected"):
        lw.open_result(tmp_path / "swapped.csv")


def test_saved_runs_and_frames_are_motions(tmp_path):
    pytest.importorskip("pandas")
    mech = lw.catalog.load("five-bar")
    model = lw.build(mech, actuated=["theta1", "theta2"])
    run = lw.motion(model, 0.5, pose=lambda t: [0.1 * np.sin(3 * t), 0.42, 0, 0, 0, 0], reactions=False)
    run.save(tmp_path / "run.csv")
    for given in (tmp_path / "run.csv", run.to_dataframe()):
        again = lw.motion(model, q_act=given, reactions=False)
        assert np.allclose(again.tau, run.tau, rtol=0.0, atol=1e-6 * np.abs(run.tau).max())


def test_units_are_not_lost_where_arrays_are_wanted():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"turn [deg]": [1.0], "slide [mm]": [300.0]})
    with pytest.raises(lw.errors.ArgumentError, match=r"'turn \[deg\]', whose unit would be ignored"):
        arm().forward_kinematics(frame)


def test_a_data_sheet_of_linear_drives_has_its_units(tmp_path):
    columns = {key: (x, unit) for (key, (x, _)), unit in zip(DATA_SHEET.items(), ("", "m/s", "N", "N", ""))}
    right = of_data_sheet(table(tmp_path / "si.csv", columns))
    assert np.allclose(np.hstack(of_data_sheet(table(tmp_path / "other.csv", columns, other=True))), np.hstack(right))
    with pytest.raises(
        lw.errors.ArgumentError, match="column 'peak': the unit 'N m' is that of a torque, but a force is wanted"
    ):
        of_data_sheet(table(tmp_path / "mixed.csv", columns, other=True, peak="N m"))
