"""Efforts as functions of time, their sums, and sampled Python functions (any scalar).

An effort law has `na` and `tau(t, q, v)`, which gives the efforts (na,) [N m or N] of the actuators, at the joints
after the gears. A simulation traces it into the equations of motion.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import ArrayLike

from linkwright import checks
from linkwright.checks import require_positive
from linkwright.control.control_checks import Array, finite_row, require_law, scalar_array, set_frozen_fields
from linkwright.control.references import clamp_time
from linkwright.control.splines import Ends, Spline, checked_knots, piece_at
from linkwright.dataclass import dataclass
from linkwright.errors import ArgumentError


class Law(Protocol):
    """Efforts of `na` actuators."""

    @property
    def na(self) -> int:
        """Number of actuators."""
        ...

    def tau(self, t: Any, q: Any, v: Any) -> Any:
        """Efforts (na,) at the time t [s] in the state q (nq,), v (nv,)."""
        ...


class StatefulLaw(Protocol):
    """Efforts of `na` actuators by a controller with `n_states` numbers of its own, zero at the start.

    A run integrates them with the motion; they are the series `controller.1` and so on of its result.
    """

    @property
    def na(self) -> int: ...

    @property
    def n_states(self) -> int: ...

    def tau(self, t: Any, q: Any, v: Any, z: Any) -> Any:
        """Efforts (na,) at the time t [s] in the state q (nq,), v (nv,) and the law's own, z (n_states,)."""
        ...

    def rates(self, t: Any, q: Any, v: Any, z: Any) -> Any:
        """Rates of the law's states, (n_states,)."""
        ...


@dataclass(frozen=True, eq=False)
class Constant:
    """The same efforts all the time.

    >>> Constant([1.0, 2.0]).tau(0.0, None, None).tolist()
    [1.0, 2.0]
    """

    efforts: Array

    def __post_init__(self) -> None:
        set_frozen_fields(self, efforts=finite_row("efforts", self.efforts))

    @property
    def na(self) -> int:
        return len(self.efforts)

    def tau(self, t: Any, q: Any, v: Any) -> Any:
        return self.efforts


@dataclass(frozen=True, eq=False)
class Sines:
    """offset + amplitude sin(rate t + phase), one of each per actuator or one for all; rate in rad/s.

    >>> Sines([2.0], 1.0, phase=np.pi / 2).tau(0.0, None, None).tolist()
    [2.0]
    """

    amplitude: Array
    rate: Array
    phase: Array = 0.0  # type: ignore[assignment]
    offset: Array = 0.0  # type: ignore[assignment]

    def __post_init__(self) -> None:
        amplitude = finite_row("amplitude", self.amplitude)
        others = {name: finite_row(name, getattr(self, name), len(amplitude)) for name in ("rate", "phase", "offset")}
        set_frozen_fields(self, amplitude=amplitude, **others)

    @property
    def na(self) -> int:
        return len(self.amplitude)

    def tau(self, t: Any, q: Any, v: Any) -> Any:
        return self.offset + self.amplitude * np.sin(self.rate * scalar_array("t", t)[..., None] + self.phase)


@dataclass(frozen=True, eq=False)
class Table:
    """Efforts (m, na) at given times (m,), with a cubic spline, straight lines or steps between; held at the ends.

    >>> Table([0.0, 1.0], [[0.0], [4.0]], between="line").tau(0.25, None, None).tolist()
    [1.0]
    """

    times: Array
    efforts: Array
    between: Literal["spline", "line", "step"] = "spline"
    ends: Ends = "smooth"

    def __post_init__(self) -> None:
        times, efforts = checked_knots(self.times, self.efforts)
        checks.require_choice("between", self.between, ("spline", "line", "step"))
        spline = Spline(times, efforts, self.ends) if self.between == "spline" else None
        set_frozen_fields(self, times=times, efforts=efforts, _spline=spline)

    @property
    def na(self) -> int:
        return self.efforts.shape[1]

    def tau(self, t: Any, q: Any, v: Any) -> Any:
        if self.between == "spline":
            return self._spline.at(t)[0]  # type: ignore[attr-defined]
        s, _ = clamp_time(t, self.times[-1], self.times[0])
        rates = np.diff(self.efforts, axis=0) / np.diff(self.times)[:, None]
        flat = np.append(rates if self.between == "line" else 0.0 * rates, np.zeros((1, self.na)), axis=0)
        u, (rate, start) = piece_at(self.times, np.stack([flat, self.efforts]), s, last=self.times[-1])
        return start + rate * u


@dataclass(frozen=True)
class Sum:
    """The sum of laws.

    >>> Sum((Constant([1.0]), Constant([2.0]))).tau(0.0, None, None).tolist()
    [3.0]
    """

    laws: tuple[Law, ...]

    def __post_init__(self) -> None:
        given = checks.require_instances("laws", self.laws, object, "a tuple of effort laws")
        laws = tuple(require_law(f"laws[{i}]", each) for i, each in enumerate(given))
        if not laws or len({str(each.na) for each in laws}) != 1:
            raise ArgumentError(
                f"laws for {[each.na for each in laws]} actuators cannot be added; they need the same number"
            )
        set_frozen_fields(self, laws=laws)

    @property
    def na(self) -> int:
        return self.laws[0].na

    def tau(self, t: Any, q: Any, v: Any) -> Any:
        return sum(each.tau(t, q, v) for each in self.laws)


@dataclass(frozen=True)
class Sampled:
    """A Python function called at a fixed rate; between samples its efforts are held and the motion runs natively.

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
        checks.require_callable("function", self.function, "a function (t, q, v) -> efforts")
        checks.require_text("name", self.name)
        set_frozen_fields(
            self, rate=require_positive("rate", self.rate), name=self.name or function_title(self.function)
        )

    @property
    def period(self) -> float:
        """Time between samples, [s]."""
        return 1.0 / self.rate


Effort = ArrayLike | Mapping[str, float] | Law | StatefulLaw | Sampled | Callable[[float, Array, Array], ArrayLike]
"""Efforts of a run: constants (na,) or by actuator name, a law, a sampled function, or a function of (t, q, v)."""


def function_title(function: Any) -> str:
    """Name of a function in messages."""
    return str(getattr(function, "__name__", type(function).__name__))
