"""Optimization files: a mechanism, its variables with bounds, an objective, limits, and the poses that count."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Literal

from pydantic import Field, ValidationError

from linkwright.errors import ArgumentError
from linkwright.formats.files import read_text
from linkwright.formats.findings import refuse, refuse_one
from linkwright.formats.study.sweeps import Component, Count, RangeEntry, Value
from linkwright.formats.yaml.document import Version
from linkwright.formats.yaml.messages import problems
from linkwright.formats.yaml.quantities import Strict, Text
from linkwright.formats.yaml.text import read


class MeasureEntry(Strict):
    """A number of a design: over the poses, a weighted sum of parameters, or the largest effort along a motion."""

    measure: Literal["condition", "gain", "reduction", "sum", "peak_effort"]
    combine: Literal["worst", "mean"] = "worst"
    length: Value | None = None
    weights: dict[str, float] | None = None
    motion: Text | None = None


class LimitEntry(MeasureEntry):
    """A measure that must not exceed a value [SI]."""

    at_most: float


class SearchEntry(Strict):
    """What is varied, what shall be least, and what must hold."""

    vary: dict[str, tuple[Value, Value]]
    least: MeasureEntry
    limits: tuple[LimitEntry, ...] = ()
    starts: Count = 8
    seed: int = Field(default=0, ge=0, lt=2**63)


class OptimizationStudy(Strict):
    """A whole file; `at` are poses of the output, as in sweep files."""

    format: Version
    mechanism: Text
    optimize: SearchEntry
    at: dict[Component, list[Value] | RangeEntry] = Field(default_factory=dict)
    free: tuple[Component, ...] | None = None


def load_optimization(path: str | os.PathLike[str]) -> OptimizationStudy:
    """The optimization in a file; a mechanism or motion named as a file is looked for beside it."""
    if not isinstance(path, str | os.PathLike):
        raise ArgumentError(f"the path is {path!r}, expected the name of a file")
    return from_optimization_text(read_text(Path(path)), str(path))


def from_optimization_text(text: str, file: str = "text") -> OptimizationStudy:
    """The optimization that a YAML text describes.

    >>> search = "{vary: {distal: [0.3, 500 mm]}, least: {measure: condition}}"
    >>> from_optimization_text(f"{{format: 1, mechanism: five-bar, optimize: {search}}}").optimize.least.combine
    'worst'
    """
    source = read(text, file)
    if not isinstance(source.data, dict):
        message = "an optimization is a block of 'key: value' lines"
        refuse_one(file, "wrong-type", message, "begin it with 'format: 1'", 1)
    try:
        return OptimizationStudy.model_validate(source.data)
    except ValidationError as error:
        refuse(file, problems(error, source, OptimizationStudy))
