"""Misused calls that `python -m tests.hostile every` found, by what they were: each is refused with a message."""

import numpy as np
import pytest

import linkwright as lw
from linkwright import analysis


def nothing() -> None:
    """A function that takes no argument."""


@pytest.fixture(scope="module")
def crank():
    model = lw.build(lw.catalog.load("four-bar"))
    return model, model.assemble().q


@pytest.fixture(scope="module")
def arm():
    return lw.build(lw.catalog.load("three-link-arm"))


@pytest.mark.parametrize(
    ("options", "part"),
    [
        ({"t_end": 1e9, "max_steps": 500}, "budget of 500 steps"),
        ({"t_end": 1e-3, "damping": 1e16, "max_steps": 500}, "budget of 500 steps"),
        ({"at": ()}, "at is"),
        ({"arm": 1e308}, "arm is"),
    ],
)
def test_springs(crank, options, part):
    with pytest.raises(lw.errors.ArgumentError, match=part):
        analysis.stiffness_study(*crank, stiffness=[1e4], **options)


def test_functions_that_cannot_be_called_are_named(arm):
    starts = np.zeros((2, 3))
    with pytest.raises(lw.errors.ArgumentError, match="progress cannot be called"):
        lw.simulate_many(arm, starts, t_end=0.01, progress=nothing)
    with pytest.raises(lw.errors.ArgumentError, match="progress cannot be called"):
        lw.sweep(lambda p: {"b": p["a"]}, lw.sweeps.Grid(a=[1.0]), progress=int)
    with pytest.raises(lw.errors.ArgumentError, match="objective or a limit cannot be called"):
        robot = lw.build(lw.catalog.load("five-bar"), inputs=["proximal"])
        analysis.optimize(robot, nothing, {"proximal": (0.2, 0.3)})

    def own(share):
        raise ValueError("of the caller")

    with pytest.raises(ValueError, match="of the caller"):
        lw.simulate_many(arm, starts, t_end=0.01, progress=own)


def test_runs_that_fail_at_their_start_have_a_reason(arm):
    found = lw.simulate_many(arm, np.zeros((2, 3)), np.array([0.0, 1e300, 0.0]), t_end=0.1, output=5)
    assert found.status == ("failed", "failed") and np.isnan(found.values).all()


@pytest.mark.usefixtures("batches_in_lanes")
def test_nothing_watched_in_lanes(crank):
    model, q = crank
    assert lw.simulate_many(model, np.array([q, q]), t_end=0.01, stop_at=[]).status == ("done", "done")


def test_empty_things(arm):
    five_bar = lw.catalog.load("five-bar")
    for call, name in (
        (lambda: analysis.DesignStudy(five_bar, ()), "varied"),
        (lambda: analysis.workspace(lw.build(five_bar), grid=()), "grid"),
        (lambda: lw.export.c_source(arm.program("mass_matrix"), "f", samples=()), "samples"),
        (lambda: analysis.MeasuredMotion(np.arange(3.0), None, np.zeros((3, 1))), "q_act"),
    ):
        with pytest.raises(lw.errors.ArgumentError, match=name):
            call()
    crank = lw.build(lw.catalog.load("four-bar"), inputs="all")
    none = np.zeros((0, crank.nq))
    assert analysis.transmission_angles(crank, none, "B", components=["rz"], frame="rocker").shape == (0, 1)


@pytest.mark.parametrize("beam", [range(3), "beam", None, 2.0])
def test_what_is_no_beam_has_no_modes(beam):
    with pytest.raises(lw.errors.ArgumentError, match="beam"):
        lw.joints.Modes(beam)
