"""Points of sweeps: any range is a part of the whole, and samples are what their names promise."""

import itertools
import re
from pathlib import Path

import numpy as np
import pytest

import linkwright as lw
from linkwright.errors import ArgumentError
from linkwright.sweeps import Grid, LatinHypercube, Sobol, TabulatedPoints, Uniform

BOUNDS = {"a": (0.0, 1.0), "b": (-2.0, 3.0), "c": (5.0, 5.5)}
KINDS = [
    Grid(a=np.linspace(0, 1, 30), b=[1.0, 2.0, 3.0], c=np.arange(100.0)),
    Uniform(9000, seed=4, **BOUNDS),
    LatinHypercube(9000, seed=4, **BOUNDS),
    Sobol(8192, seed=4, **BOUNDS),
    TabulatedPoints(a=np.arange(9000.0), b=np.arange(9000.0) ** 2),
]


@pytest.mark.parametrize("points", KINDS, ids=lambda x: type(x).__name__)
def test_a_range_of_points_is_that_part_of_all(points):
    whole = points.rows(0, len(points))
    assert all(x.shape == (len(points),) for x in whole.values())
    for start, stop in [(0, 1), (4095, 4097), (17, 8000), (len(points) - 1, len(points)), (5, 5)]:
        for name, x in points.rows(start, stop).items():
            assert np.array_equal(x, whole[name][start:stop])


def test_a_grid_has_all_combinations_in_order():
    rows = Grid(a=[1.0, 2.0], b=[3.0, 4.0, 5.0]).rows(0, 6)
    assert list(zip(rows["a"], rows["b"])) == list(itertools.product([1.0, 2.0], [3.0, 4.0, 5.0]))


@pytest.mark.parametrize("points", KINDS[1:4], ids=lambda x: type(x).__name__)
def test_samples_keep_to_their_bounds_and_are_not_correlated(points):
    rows = points.rows(0, len(points))
    for name, (low, high) in BOUNDS.items():
        assert low <= rows[name].min() and rows[name].max() <= high
        assert rows[name].mean() == pytest.approx((low + high) / 2, abs=0.02 * (high - low))
    assert np.abs(np.corrcoef(np.stack(list(rows.values()))) - np.eye(3)).max() < 0.05


def test_each_slice_of_a_latin_hypercube_holds_one_point():
    points = LatinHypercube(500, seed=1, **BOUNDS)
    for name, x in points.rows(0, 500).items():
        low, high = BOUNDS[name]
        assert sorted(np.floor((x - low) / (high - low) * 500).astype(int)) == list(range(500))


def test_seeds_give_other_points():
    assert not np.array_equal(
        Uniform(5, seed=1, a=(0, 1)).rows(0, 5)["a"], Uniform(5, seed=2, a=(0, 1)).rows(0, 5)["a"]
    )


def test_points_from_files(tmp_path):
    (tmp_path / "points.csv").write_text("leg 1,leg.b\n1.5,2\n3,4e-3\n")
    found = TabulatedPoints.read(tmp_path / "points.csv")
    assert found.names == ("leg 1", "leg.b") and found.rows(0, 2)["leg.b"].tolist() == [2.0, 4e-3]
    np.savez(tmp_path / "points.npz", a=[1.0, 2.0])
    assert TabulatedPoints.read(tmp_path / "points.npz").rows(1, 2)["a"].tolist() == [2.0]


@pytest.mark.parametrize(
    ("make", "part"),
    [
        (lambda: Grid(), "varies nothing"),
        (lambda: Grid(a=[]), "'a'"),
        (lambda: Grid(a=[1.0, np.nan]), "'a'"),
        (lambda: Grid(a="long"), "'a'"),
        (lambda: Grid(**{f"x{i}": np.arange(1000.0) for i in range(5)}), "points"),
        (lambda: Uniform(0, a=(0, 1)), "points"),
        (lambda: Uniform(5, a=(1, 0)), "empty range"),
        (lambda: Uniform(5, a=3), "two numbers"),
        (lambda: Uniform(5, seed=-1, a=(0, 1)), "seed"),
        (lambda: TabulatedPoints(a=[1.0], b=[1.0, 2.0]), "different lengths"),
        (lambda: TabulatedPoints.read("nowhere.csv"), "nowhere.csv"),
        (lambda: TabulatedPoints.read("points.txt"), "points.txt"),
        (lambda: lw.sweep(abs, 3), "over"),
    ],
)
def test_points_that_cannot_be(make, part):
    with pytest.raises(lw.errors.LinkwrightError, match=part):
        make()


@pytest.mark.parametrize("kind", [Uniform, LatinHypercube, Sobol])
def test_samples_say_how_they_are_called(kind):
    bounds = {"a": (0.0, 1.0)}
    assert kind(4, **bounds).description == kind(count=4, **bounds).description
    for wrong in (lambda: kind(bounds, count=4), lambda: kind(bounds), lambda: kind(a=(0.0, 1.0)), lambda: kind(4, 5)):
        with pytest.raises(ArgumentError, match=rf"^{kind.__name__} takes the number of points, and bounds by name"):
            wrong()


def test_the_samples_of_the_page():
    page = (Path(__file__).parents[2] / "docs" / "howto" / "sweep.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    names: dict[str, object] = {}
    exec(blocks[0].replace("40)", "4)"), names)  # a coarser grid
    exec(blocks[1], names)
    assert [len(names[name]) for name in ("random", "spread", "even")] == [200, 200, 256]
    assert names["found"]["condition"].shape == (16,)
