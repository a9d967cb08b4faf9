"""Lengths given instead of those of a file: which of them are doubtful, and the warning about them."""

from __future__ import annotations

from collections.abc import Sequence

from linkwright.dataclass import dataclass
from linkwright.errors import ParameterWarning, warn_caller

OTHER_UNITS = 100.0  # a length this many times longer or shorter than in the file looks like one in other units


def doubtful_length(value: float, nominal: float, signed: bool = False) -> bool:
    """True for a length that vanishes, changed its sign or looks like one in other units.

    >>> doubtful_length(-0.2, 0.2), doubtful_length(200.0, 0.2), doubtful_length(0.25, 0.2)
    (True, True, False)
    """
    share = value / nominal
    size = abs(share)
    return (share <= 0.0 and not signed) or size > OTHER_UNITS or (size > 0.0 and size * OTHER_UNITS < 1.0)


@dataclass(frozen=True)
class DoubtfulLength:
    """A length beside that of the file, both in meters."""

    name: str
    value: float
    nominal: float

    def __str__(self) -> str:
        return f"{self.name} = {self.value:.6g} m ({self.nominal:.6g} m in the file)"


def warn_of_lengths(mechanism: str, doubtful: Sequence[DoubtfulLength]) -> None:
    """Warn where there are doubtful lengths; the record has their values."""
    if doubtful:
        names = ", ".join(f"{each.name} ({each.nominal:.6g} m in the file)" for each in doubtful)
        text = f"doubtful lengths of '{mechanism}': {names}; values are in meters, above zero and of a similar size"
        warn_caller(text, ParameterWarning, subject=mechanism, value={each.name: each.value for each in doubtful})
