"""Optimization files: a mechanism, its variables with bounds, an objective, constraints, and the poses that count."""

from __future__ import annotations

import os
from typing import Literal

from pydantic import Field

from linkwright.formats.study.study_reader import read_file_text, read_validated_block
from linkwright.formats.study.sweeps import Component, Count, Values
from linkwright.formats.yaml.document import Version
from linkwright.formats.yaml.quantities import Strict, Text, Value


class MeasureEntry(Strict):
    """A number of a design: over the poses, a weighted sum of parameters, or the largest effort along a motion."""

    measure: Literal["condition", "gain", "reduction", "sum", "peak_effort"]
    combine: Literal["worst", "mean"] = "worst"
    length: Value | None = None
    weights: dict[str, float] | None = None
    motion: Text | None = None


class ConstraintEntry(MeasureEntry):
    """A measure that must not exceed a value [SI]."""

    at_most: float


class SearchEntry(Strict):
    """What is varied, what shall be least, and what must hold."""

    vary: dict[str, tuple[Value, Value]]
    minimize: MeasureEntry
    constraints: tuple[ConstraintEntry, ...] = ()
    starts: Count = 8
    seed: int = Field(default=0, ge=0, lt=2**63)


class OptimizationStudy(Strict):
    """A whole file; `at` are poses of the output, as in sweep files."""

    format: Version
    mechanism: Text
    optimize: SearchEntry
    at: dict[Component, Values] = Field(default_factory=dict)
    components: tuple[Component, ...] | None = None


def load_optimization(path: str | os.PathLike[str]) -> OptimizationStudy:
    """The optimization in a file; a mechanism or motion named as a file is looked for beside it."""
    return from_optimization_text(*read_file_text(path))


def from_optimization_text(text: str, file: str = "text") -> OptimizationStudy:
    """The optimization that a YAML text describes.

    >>> search = "{vary: {distal: [0.3, 500 mm]}, minimize: {measure: condition}}"
    >>> from_optimization_text(f"{{format: 1, mechanism: five-bar, optimize: {search}}}").optimize.minimize.combine
    'worst'
    """
    return read_validated_block(text, file, OptimizationStudy, "an optimization")[0]
