"""A number of a study as objective or constraint of a search."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field
from typing import Any

import numpy as np

from linkwright.analysis.optimization.warm_start import MeasureValue, partial_reach_value
from linkwright.checks import (
    as_float,
    require_callable,
    require_instance,
    require_mapping,
    require_positive,
    require_text,
    require_vector,
)
from linkwright.dataclass import dataclass
from linkwright.errors import ArgumentError, AssemblyError
from linkwright.model import Model

Array = np.ndarray


@dataclass(frozen=True, eq=False)
class StudyMeasure:
    """A fact of a study over the inputs of a model; its gradient by central differences, so two studies per input.

    Attributes:
        model: with the parameters as inputs. study: a function of a model that returns a `StudyResult`.
        key: name of the fact in `data()`. options: further arguments of the study. step: relative change of an input.
    """

    model: Model
    study: Callable[..., Any]
    key: str
    options: Mapping[str, Any] = field(default_factory=dict)
    step: float = 1e-5

    def __post_init__(self) -> None:
        require_instance("model", self.model, Model, "a Model")
        require_callable("study", self.study, "a study, such as lw.analysis.indices")
        require_text("key", self.key)
        require_mapping("options", self.options, "arguments by name")
        require_positive("step", self.step)

    def __call__(self, p: Array) -> MeasureValue:
        """The measure at values of the model's inputs, (n_p,)."""
        p = require_vector("p", p, len(self.model.parameters))
        try:
            value = self._value(p)
            steps = np.diag(self.step * np.maximum(np.abs(p), self.step))
            gradient = [(self._value(p + h) - self._value(p - h)) / (2.0 * h.sum()) for h in steps]
        except AssemblyError:
            return partial_reach_value(p, 0.0)
        return MeasureValue(value, value, np.array(gradient))

    def _value(self, p: Array) -> float:
        found = self.study(self.model.with_parameters(p), **self.options).data()
        value = as_float(found.get(self.key))
        if value is None:
            raise ArgumentError(f"'{self.key}' does not name a number in the study '{found['study']}'", name="key")
        return value
