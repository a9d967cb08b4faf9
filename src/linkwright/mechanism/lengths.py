"""Lengths given instead of those of a file: which of them are doubtful, and the warning about them."""

from __future__ import annotations

import warnings
from collections.abc import Sequence

from linkwright.errors import ParameterWarning

OTHER_UNITS = 100.0  # a length this many times longer or shorter than in the file looks like one in other units


def doubtful_length(value: float, nominal: float, signed: bool = False) -> bool:
    """True for a length that vanishes, changed its sign or looks like one in other units.

    >>> doubtful_length(-0.2, 0.2), doubtful_length(200.0, 0.2), doubtful_length(0.25, 0.2)
    (True, True, False)
    """
    share = value / nominal
    size = abs(share)
    return (share <= 0.0 and not signed) or size > OTHER_UNITS or (size > 0.0 and size * OTHER_UNITS < 1.0)


def length_shown(name: str, value: float, nominal: float) -> str:
    """A doubtful length beside that of the file."""
    return f"{name} = {value:.6g} m ({nominal:.6g} m in the file)"


def warn_of_lengths(mechanism: str, doubtful: Sequence[str], stacklevel: int) -> None:
    """Warn where there are doubtful lengths."""
    if doubtful:
        text = f"doubtful lengths of '{mechanism}': {', '.join(doubtful)}"
        warnings.warn(f"{text}; values are in meters, and a length is above zero", ParameterWarning, stacklevel + 1)
