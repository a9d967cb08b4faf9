"""Wrenches on bodies and frames during a run: numbers, laws traced into machine code, Python functions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from linkwright import checks
from linkwright.compiler import Kernel, Options, compiled, trace
from linkwright.dataclass import dataclass
from linkwright.errors import ArgumentError, LinkwrightError
from linkwright.functions.tree.tree_functions import WrenchSite, attachment_of_frame
from linkwright.mechanism.names import suggest_name
from linkwright.model import Model
from linkwright.model.wrench import Wrench, as_wrenches, site_of
from linkwright.simulation.problem.callbacks import Callback, warn_called_in_python

RunWrench = Wrench | Sequence[Wrench] | Mapping[str, ArrayLike]
"""Wrenches of a run: `Wrench` records, constant or laws, or moment and force (6,) by body, in its frame."""

_EXPECTED = "a Wrench, a list of them, or {body: moment and force (6,)}"


@dataclass(frozen=True, eq=False)
class WrenchLaw:
    """The wrenches of a run, one behind the other.

    Attributes:
        wrenches: where they act, and their values as functions of time and state.
    """

    wrenches: tuple[Wrench, ...] = ()

    @property
    def sites(self) -> tuple[WrenchSite, ...]:
        return tuple(site_of(each) for each in self.wrenches)

    @property
    def description(self) -> str:
        """For the run's meta."""
        return ", ".join(f"on '{each.on}'" for each in self.wrenches) or "none"

    def at(self, t: Any, q: Any, v: Any) -> Any:
        """Moment and force of each in its own axes, (6 n,), on any scalar."""
        found = [each.value(t, q, v) for each in self.wrenches]
        for each, w in zip(self.wrenches, found, strict=True):
            if w.shape != (6,):
                raise ArgumentError(f"the wrench on '{each.on}' has shape {w.shape}, expected (6,): one for the run")
        return np.concatenate(found) if found else np.zeros(0)

    def rows(self, t: Any, q: Any, v: Any) -> np.ndarray:
        """The same at several states, (n, 6 wrenches)."""
        return np.array([self.at(*state) for state in zip(t, q, v, strict=True)], dtype=float)


NO_WRENCH = WrenchLaw()


def wrench_law(model: Model, wrench: Any) -> WrenchLaw:
    """The wrenches of a run from its `wrench` argument."""
    if wrench is None:
        return NO_WRENCH
    found = as_wrenches("wrench", wrench)
    if found is None and isinstance(wrench, Mapping):
        found = tuple(_wrench_on_body(model, name, w) for name, w in wrench.items())
    if found is None and isinstance(wrench, Sequence) and not len(wrench):
        found = ()
    if found is None:
        checks.refuse_argument("wrench", wrench, _EXPECTED)
    for each in found:
        attachment_of_frame(model.kernels.setup.mech, each.on)
    return WrenchLaw(found)


def _wrench_on_body(model: Model, name: Any, w: Any) -> Wrench:
    if name not in model.bodies:
        raise ArgumentError(f"wrench names the unknown body {name!r}{suggest_name(str(name), model.bodies)}")
    row = checks.require_vector(f"wrench['{name}']", w, 6)
    return Wrench(str(name), force=row[3:], moment=row[:3])


def wrench_kernel(model: Model, law: WrenchLaw, lanes: int | None = None) -> Kernel:
    """The machine code of the wrenches' values, (6 n,), of t, q and v."""
    program = trace(lambda t, q, v: np.asarray(law.at(t[0], q, v)), {"t": 1, "q": model.nq, "v": model.nv})
    return compiled(b"wrench" + program.digest, lambda: program, Options(lanes=lanes))


def wrench_code(model: Model, law: WrenchLaw) -> Kernel | Callback | None:
    """Their values as drivers call them: compiled where they are written for any scalar, else called in Python."""
    if not law.wrenches:
        return None
    try:
        return wrench_kernel(model, law)
    except ArgumentError:
        raise
    except (LinkwrightError, TypeError, ValueError, AttributeError) as error:
        names = ", ".join(dict.fromkeys(f"'{each.on}'" for each in law.wrenches if not each.constant))
        warn_called_in_python(model, f"the law of the wrench on {names}", error)
        return _wrench_callback(model, law)


def _wrench_callback(model: Model, law: WrenchLaw) -> Callback:
    def values(t: np.ndarray, q: np.ndarray, v: np.ndarray) -> tuple[np.ndarray]:
        now = float(t[0])
        try:
            found = np.asarray(law.at(now, q, v), dtype=float)
        except (TypeError, ValueError) as error:
            if checks.raised_by_caller(error):
                raise
            raise ArgumentError(f"a wrench failed at t = {now:.9g} s: {error}", t=now) from error
        return (found,)

    return Callback(values, [1, model.nq, model.nv], [6 * len(law.wrenches)])
