"""Sweep and optimization files: a mechanism, its variables, measures, objective and constraints."""

from __future__ import annotations

import os
from typing import Annotated, Any, Literal

from pydantic import Discriminator, Field, Tag

from linkwright.formats.import_findings import refuse_file
from linkwright.formats.study.study_document import read_file_text, read_validated_block
from linkwright.formats.yaml.document import Version
from linkwright.formats.yaml.quantities import Strict, Text, Value

# --- sweep files ------------------------------------------------------------------------------------------------------

Count = Annotated[int, Field(ge=1, le=10**9)]


class RangeEntry(Strict):
    """Values from one to another, both included."""

    from_: Value = Field(alias="from")
    to: Value
    count: Count


def _form_of_entry(written: Any) -> str:
    return "range" if isinstance(written, dict | RangeEntry) else "list"


Values = Annotated[
    Annotated[list[Value], Tag("list")] | Annotated[RangeEntry, Tag("range")],
    Discriminator(_form_of_entry),
]


class SampleEntry(Strict):
    """Random points within bounds."""

    count: Count
    seed: int = Field(default=0, ge=0, lt=2**63)
    within: dict[str, tuple[Value, Value]]


class PointsEntry(Strict):
    """The points of a sweep, by one of these keys."""

    grid: dict[str, Values] | None = None
    uniform: SampleEntry | None = None
    latin_hypercube: SampleEntry | None = None
    sobol: SampleEntry | None = None
    file: Text | None = None


Component = Literal["x", "y", "z", "rx", "ry", "rz"]


class SweepStudy(Strict):
    """A whole file. `at` varies components of the output's pose around its home; left out, designs are judged there."""

    format: Version
    mechanism: Text
    sweep: PointsEntry
    at: dict[Component, Values] = Field(default_factory=dict)
    measure: tuple[Text, ...] = ("condition",)
    components: tuple[Component, ...] | None = None
    output: Text | None = None


def load_sweep(path: str | os.PathLike[str]) -> SweepStudy:
    """The sweep in a file; a mechanism or points named as a file are looked for beside it."""
    return from_sweep_text(*read_file_text(path))


def from_sweep_text(text: str, file: str = "text") -> SweepStudy:
    """The sweep that a YAML text describes.

    >>> from_sweep_text("{format: 1, mechanism: five-bar, sweep: {grid: {proximal: [0.2, 300 mm]}}}").measure
    ('condition',)
    """
    study, source = read_validated_block(text, file, SweepStudy, "a sweep")
    given = [name for name, x in study.sweep if x is not None]
    if len(given) != 1:
        message = f"'sweep' has {len(given)} of the keys {', '.join(PointsEntry.model_fields)}"
        refuse_file(file, [source.problem("contradiction", message, ("sweep",), "write exactly one of them")])
    return study


def steps_of_entry(given: Any) -> tuple[Any, Any, int] | list[Any]:
    """First, last and number of values, or the values themselves."""
    return (given.from_, given.to, given.count) if isinstance(given, RangeEntry) else list(given)


# --- optimization files -----------------------------------------------------------------------------------------------


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
