"""Sweep files: their points and their function, with units and names of the mechanism's parameters."""

from __future__ import annotations

import math
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from linkwright import checks
from linkwright.algebra.transforms import RigidTransform
from linkwright.analysis.designs import DesignStudy
from linkwright.errors import ArgumentError
from linkwright.formats.study.sweeps import SweepStudy, steps_of_entry
from linkwright.formats.units import UnitError, value_in_si
from linkwright.mechanism import Mechanism
from linkwright.mechanism.names import suggest_name
from linkwright.model.pose import Pose
from linkwright.sweeps.points import Grid, LatinHypercube, Points, Sobol, Uniform, listed_points, read_points

Array = np.ndarray
MOST_VALUES = 10_000_000  # along an axis of a grid
MOST_POSES = 1_000_000  # at which designs are judged
_POSITION, _ROTATION = ("x", "y", "z"), ("rx", "ry", "rz")
_KINDS = {"uniform": Uniform, "latin_hypercube": LatinHypercube, "sobol": Sobol}


def designs_of(described: SweepStudy, mech: Mechanism, folder: Path) -> tuple[DesignStudy, Points]:
    """The function and the points of a sweep file; points named as a file are looked for in `folder`."""
    over = _sweep_points(described, mech, folder)
    study = DesignStudy(mech, over.names, None, described.measure, described.components)
    if not described.at:
        return study, over
    components = described.components or (tuple(described.at) if study.model.mobility < 6 else None)
    return DesignStudy(mech, over.names, poses_around(study.targets, described.at), described.measure, components), over


def _sweep_points(described: SweepStudy, mech: Mechanism, folder: Path) -> Points:
    given = described.sweep
    if given.grid is not None:
        return Grid(**{name: _grid_values(name, x, unit_of(mech, name)) for name, x in given.grid.items()})
    if given.file is not None:
        return listed_points(read_points(folder / given.file), partial(unit_of, mech))
    kind, sample = next((_KINDS[name], x) for name, x in given if x is not None)
    bounds = {name: [value_in(name, x, unit_of(mech, name)) for x in pair] for name, pair in sample.within.items()}
    return kind(sample.count, seed=sample.seed, **bounds)


def _grid_values(name: str, given: Any, unit: str) -> Array:
    found = steps_of_entry(given)
    if isinstance(found, tuple):
        checks.require_integer(f"count of {name}", found[2], 1, MOST_VALUES)
        return np.linspace(value_in(name, found[0], unit), value_in(name, found[1], unit), found[2])
    return np.array([value_in(name, x, unit) for x in found])


def unit_of(mech: Mechanism, name: str) -> str:
    """The SI unit of a parameter, or of a number by its path."""
    units = {each.name: each.unit for each in mech.parameters} | {path: x.unit for path, x in mech.numbers.items()}
    if name not in units:
        known = [each.name for each in mech.parameters]
        raise ArgumentError(f"'{mech.name}' has no parameter '{name}'{suggest_name(name, known)}", name=name)
    return units[name]


def value_in(name: str, written: Any, unit: str) -> float:
    """A number in SI as it is written, with or without a unit."""
    try:
        return value_in_si(written, unit) if isinstance(written, str) else float(written)
    except UnitError as error:
        raise ArgumentError(f"{name}: {error}", name=name) from None


def poses_around(home: Pose, at: Any) -> Pose:
    """All combinations of the components, absolute in the world; what is not named stays as at home."""
    axes = [_grid_values(name, x, "m" if name in _POSITION else "rad") for name, x in at.items()]
    checks.require_integer("the number of poses of 'at'", math.prod(map(len, axes)), 1, MOST_POSES)
    rows = {name: x.ravel() for name, x in zip(at, np.meshgrid(*axes, indexing="ij"), strict=True)}
    count = len(next(iter(rows.values())))
    position = np.tile(home.position, (count, 1))
    for k, name in enumerate(_POSITION):
        position[:, k] = rows.get(name, position[:, k])
    if not rows.keys() & set(_ROTATION):
        return Pose(position, np.tile(home.quaternion_wxyz, (count, 1)))
    rpy = np.stack([rows.get(name, np.zeros(count)) for name in _ROTATION], axis=1)
    return Pose(position, np.array([RigidTransform.from_rpy((0.0, 0.0, 0.0), row).wxyz for row in rpy]))
