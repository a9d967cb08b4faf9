"""Checks of masses and inertias at new values of a mechanism's inputs: compiled, and described in Python on failure."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from linkwright.compiler import Kernel, compiled, trace
from linkwright.dataclass import dataclass
from linkwright.errors import ParameterWarning, warn_caller
from linkwright.functions.source_stamp import source_stamp
from linkwright.mechanism.parameterized import ParameterizedMechanism


@dataclass(frozen=True, eq=False)
class ValueChecks:
    """Looks for masses and inertias that no real body has; compiled once for all values."""

    source: ParameterizedMechanism

    @cached_property
    def _margins(self) -> Kernel | None:
        """From values of the inputs to the margins of all masses and inertias that follow from them."""
        if not self.source.checked_bodies:
            return None
        program = trace(lambda p: np.array(self.source.margins(list(p))), {"p": len(self.source.inputs)})
        title = f"{source_stamp()} margins of inertias ".encode()
        return compiled(title + program.digest, lambda: program)

    def warn(self, values: np.ndarray) -> None:
        """Warn of every body that is not a real one at one set of values, (n_p,)."""
        if self._margins is None or self._margins(values).min() >= 0.0:  # a margin of NaN is not
            return
        for finding in self.source.doubts(values.tolist()):
            text = (
                f"mechanism '{self.source.mech.name}' at these values of its inputs: '{finding.subject}' has a mass or "
            )
            warn_caller(f"{text}an inertia that no real body has ({finding.code})", ParameterWarning, finding)
