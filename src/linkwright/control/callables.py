"""Python functions as effort laws."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from linkwright.control.checks import frozen, positive
from linkwright.errors import ArgumentError


@dataclass(frozen=True)
class Sampled:
    """A Python function asked at a fixed rate; between samples its efforts are held and the motion runs natively.

    Attributes:
        function: (t, q, v) -> efforts (na,).
        rate: samples per second, [Hz].
        name: used in messages; the function's own when empty.

    >>> Sampled(lambda t, q, v: [-q[0]], rate=1000.0).period
    0.001
    """

    function: Callable[..., Any]
    rate: float
    name: str = ""

    def __post_init__(self) -> None:
        if not callable(self.function):
            raise ArgumentError(f"the function is {self.function!r}, expected a function (t, q, v) -> efforts")
        frozen(self, rate=positive("rate", self.rate), name=self.name or title(self.function))

    @property
    def period(self) -> float:
        """Time between samples, [s]."""
        return 1.0 / self.rate


def title(function: Any) -> str:
    """What to call a function in a message."""
    return str(getattr(function, "__name__", type(function).__name__))
