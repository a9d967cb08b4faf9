"""Tolerances: each decides a case that is three times below it in one way, and one three times above in the other.

The sizes are written here once more, so a threshold that becomes ten times smaller or larger changes a decision.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pytest

from linkwright.algebra import sums, transforms
from linkwright.algebra.transforms import RigidTransform
from linkwright.cli.command_failures import CommandFailure
from linkwright.control import splines
from linkwright.errors import LinkwrightError
from linkwright.formulations import virtual_springs
from linkwright.functions import fallback_chain
from linkwright.gradients import measure_gradients
from linkwright.joints import Universal, beams, motion_terms, universal
from linkwright.kinematics import (
    assembly,
    continuation,
    inverse_kinematics,
    leg_plan_search,
    motions,
    singularity,
    undriven_freedoms,
    working_modes,
)
from linkwright.kinematics.singularity import Singularity
from linkwright.mechanism import Body, Inertia, alignment, paths, validation
from linkwright.model import arguments
from linkwright.numerics import dense, tolerances
from linkwright.papers import leg_chains
from linkwright.simulation.ensemble import run_set
from linkwright.simulation.switching import impulses
from linkwright.viewer import automatic_shapes

CORE = ["algebra", "joints", "forces", "mechanism", "recursion", "loops", "formulations", "functions"]
CORE += ["plans", "kinematics", "dynamics", "gradients", "model"]
ORIGIN = np.zeros(3)
simulate = import_module("linkwright.cli.simulate")  # the package has the command by this name
SOURCE = Path(tolerances.__file__).parents[1]


@dataclass(frozen=True)
class Case:
    """A threshold, where it is used, its size, and a decision that is True below it."""

    name: str
    module: ModuleType
    size: float
    below: Callable[[float], Any]

    def __str__(self) -> str:
        return self.name


def _rotation(x: float) -> RigidTransform:
    return RigidTransform((0.0, 0.0, 0.0), ((1.0, x, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)))


def _wrong_inertia(*rows: tuple[float, float, float]) -> bool:
    return any(validation.body_problems(Body("a", Inertia(1.0, (0.0, 0.0, 0.0), rows))))


def _folded(x: float) -> bool:
    p = sums.Symbols().sum(object(), 1.0)
    return sums.known_value((1.0 + x) * p - p) == 0.0


def _quaternion_taken(x: float) -> bool:
    return arguments._one_pose((np.zeros(3), np.array([1.0 + x, 0.0, 0.0, 0.0]))) is not None


def _raises(call: Callable[..., Any], *given: Any) -> bool:
    try:
        call(*given)
    except (LinkwrightError, CommandFailure):
        return True
    return False


def _run_with_agreement(x: float) -> SimpleNamespace:
    meta = {"ended": {}, "complete": True, "agreement": {"method": "another", "relative": x}}
    return SimpleNamespace(meta=meta, events=())


def _moves_alike(x: float) -> bool:
    twists = np.array([[[0.0], [0.0], [1.0]] + 3 * [[0.0]], [[0.0], [0.0], [1.0 + x]] + 3 * [[0.0]]])
    names = ("a", "b")
    motions = SimpleNamespace(twists=[twists], setup=SimpleNamespace(mech=SimpleNamespace(names=names)))
    return undriven_freedoms._group_motion_kind(motions, names, np.ones(1)) == "spins"


def _gains_energy(x: float) -> bool:
    model = SimpleNamespace(energy=lambda q, v: (1.0, 0.0), mechanism=SimpleNamespace(name="a"))
    found = SimpleNamespace(lost={"b": -x}, kept=("b",))
    return _raises(impulses._require_no_gain, model, np.zeros(1), np.zeros(1), found)


CASES = [
    Case("ROUNDED_ENTRY", transforms, 4e-16, lambda x: RigidTransform.of(matrix=_rotation(x).R).R[0, 1] == 0.0),
    Case(
        "GIMBAL_LOCK",
        transforms,
        1e-9,
        lambda x: transforms.rpy_of_rotation(RigidTransform.from_rpy((0, 0, 0), (1, np.pi / 2 - x, 0)).R)[0] == 0,
    ),
    Case("ROUNDED_COEFFICIENT", sums, 1.8e-15, _folded),
    Case(
        "ROUNDED_AWAY", dense, 1e-15, lambda x: dense.decompose_scaled(np.diag([1.0, x])).solution(np.ones(2))[1] == 0.0
    ),
    Case(
        "ROUNDED_AWAY", alignment, 1e-15, lambda x: alignment._zero_small_components(np.array([x, 1.0, 0.0]))[0] == 0.0
    ),
    Case(
        "NEARLY_PARALLEL",
        alignment,
        1e-2,
        lambda x: alignment._foot_of_normal(np.array([1.0, 0, 0]), np.array([x, 0, 1.0]), 0) == 0,
    ),
    Case("RIGHT_ANGLE", motion_terms, 1e-14, lambda x: motion_terms.turn_about_z(0.0, x).matrix[1, 0] == 0.0),
    Case("RIGHT_ANGLE", alignment, 1e-14, lambda x: alignment._exact_angle(1.0, x) == 0.0),
    Case("ROUNDED_SHAPE", beams, 1e-13, lambda x: beams.zero_rounding(np.array([1.0, x]))[1] == 0.0),
    Case(
        "WRITTEN_DIGITS",
        universal,
        1e-6,
        lambda x: any(Universal((1, 0, 0), (np.cos(x), np.sin(x), 0)).check_numbers()),
    ),
    Case("WRITTEN_DIGITS", paths, 1e-6, lambda x: paths._normalized_direction((1.0 + x, 0.0, 0.0)) != (1.0, 0.0, 0.0)),
    Case("WRITTEN_DIGITS", validation, 1e-6, lambda x: not _wrong_inertia((1, 0, 0), (0, 1, 0), (0, 0, -x))),
    Case("NO_DIRECTION", paths, 1e-12, lambda x: paths._normalized_direction((x, 0.0, 0.0)) == (x, 0.0, 0.0)),
    Case("SYMMETRIC_INERTIA", validation, 1e-9, lambda x: not _wrong_inertia((2, 1 + x, 0), (1, 2, 0), (0, 0, 2))),
    Case("ROUNDED_INERTIA", validation, 1e-15, lambda x: not _wrong_inertia((2, x, 0), (0, 2, 0), (0, 0, 2))),
    Case(
        "ORTHONORMAL",
        validation,
        1e-9,
        lambda x: not any(validation._pose_problems(validation.body_part("a"), _rotation(x))),
    ),
    Case("QUATERNION_NORM", arguments, 1e-3, _quaternion_taken),
    Case("SMALL_PIVOT", fallback_chain, 0.1, lambda x: fallback_chain.small_pivot_share([x], (1.0,)) < 1.0),
    Case("MULTIPLE_VALUE", measure_gradients, 1e-7, lambda x: measure_gradients._is_multiple_value(1.0, 1.0 - x)),
    Case("ROUNDED_SUM", assembly, 1e-14, lambda x: assembly._sign_character(x) == "0"),
    Case(
        "INDEPENDENT_ROW",
        inverse_kinematics,
        1e-6,
        lambda x: inverse_kinematics._seen_motion_count(np.diag([1.0, x])) == 1,
    ),
    Case(
        "PARALLEL_AXES",
        leg_plan_search,
        1e-9,
        lambda x: leg_plan_search._is_parallel_to(np.array([1.0, 0, 0]), np.array([1.0, x, 0])),
    ),
    Case(
        "NAMED_VELOCITY",
        motions,
        1e-3,
        lambda x: "'b'" not in motions.motion_description(["a", "b"], np.array([1.0, x])),
    ),
    Case("CLOSED_STATE", continuation, 1e-9, lambda x: not continuation._left_open(x, 0.0)),
    Case("GENERIC_RANK", singularity, 1e-7, lambda x: singularity._numerical_rank(np.diag([1.0, x])) == 1),
    Case("LEAST_RATE", singularity, 1e-3, lambda x: singularity._numerical_rank(np.array([[1e-7 * x]])) == 0),
    Case("AT_SINGULARITY", singularity, 1e-9, lambda x: Singularity(1.0, x, 1.0).kind == "type2"),
    Case(
        "SAME_CONFIGURATION",
        working_modes,
        1e-6,
        lambda x: len(working_modes._distinct_rows(np.array([[1.0], [1.0 + x]]))) == 1,
    ),
    Case("SAME_MOTION", undriven_freedoms, 1e-7, _moves_alike),
    Case("LIMIT_SLACK", impulses, 1e-9, lambda x: not _gains_energy(x)),
    Case("SMALLEST_SIZE", virtual_springs, 1e-30, lambda x: _raises(virtual_springs.VirtualSprings, 1.0, 0.0, None, x)),
    Case("ROUNDED_RESULT", leg_chains, 1e-12, lambda x: leg_chains._along_z(np.array([0.0, 0.0, 1.0 - x]))),
    Case("END_OF_WAY", splines, 1e-9, lambda x: not _raises(splines._joined_ends, np.array([[0.0], [1.0], [x]]))),
    Case(
        "UNSEEN",
        automatic_shapes,
        1e-6,
        lambda x: len(automatic_shapes.distinct_points([ORIGIN, ORIGIN + x], 3**0.5)) == 1,
    ),
    Case(
        "METHODS_DISAGREE",
        simulate,
        1e-6,
        lambda x: not _raises(simulate._require_reliable_run, _run_with_agreement(x)),
    ),
    Case(
        "WRITTEN_DIGITS",
        run_set,
        1e-6,
        lambda x: not _raises(run_set._require_moments, "inertia", np.array([np.diag([1.0, 1.0, -x])])),
    ),
]


@pytest.mark.parametrize("case", CASES, ids=str)
def test_a_case_below_the_threshold_is_decided_unlike_one_above(case):
    assert case.below(case.size / 3.0)
    assert not case.below(case.size * 3.0)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_a_threshold_ten_times_smaller_or_larger_decides_otherwise(case, monkeypatch):
    value = getattr(case.module, case.name)
    monkeypatch.setattr(case.module, case.name, 0.1 * value)
    assert not case.below(case.size / 3.0)
    monkeypatch.setattr(case.module, case.name, 10.0 * value)
    assert case.below(case.size * 3.0)


def test_every_threshold_is_used_and_has_a_reason():
    page = (SOURCE / "numerics" / "tolerances.py").read_text(encoding="utf-8").splitlines()
    names = [name for name in vars(tolerances) if name.isupper()]
    texts = [f.read_text(encoding="utf-8") for f in SOURCE.rglob("*.py") if f.name != "tolerances.py"]
    used = {node.id for text in texts for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Name)}
    assert not set(names) - used
    for name in names:
        line = next(i for i, text in enumerate(page) if text.startswith(f"{name} = "))
        while page[line - 1] and not page[line - 1].startswith("#"):
            line -= 1
        assert page[line - 1].startswith("# "), name


def test_the_core_compares_with_thresholds_of_the_page_alone():
    found = []
    for package in CORE:
        for f in (SOURCE / package).rglob("*.py"):
            for node in ast.walk(ast.parse(f.read_text(encoding="utf-8"))):
                sides = [node.left, *node.comparators] if isinstance(node, ast.Compare) else []
                small = (x for side in sides for x in ast.walk(side) if isinstance(x, ast.Constant))
                found += [f"{f.relative_to(SOURCE)}:{x.lineno}" for x in small if _is_threshold(x.value)]
    assert found == []


def _is_threshold(value: object) -> bool:
    return isinstance(value, float) and 0.0 < abs(value) < 1e-2
