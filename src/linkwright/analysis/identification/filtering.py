"""Low-pass filter of measured series: without delay, and with the rows whose noise is independent."""

from __future__ import annotations

import numpy as np

from linkwright.checks import require_positive, require_real_array
from linkwright.dataclass import dataclass
from linkwright.errors import ArgumentError

Array = np.ndarray
_ORDER = 4
_MOST = 2**60  # rows that numbers of rows end at
_SETTLED = 2.0  # periods of the cutoff frequency after which a filter has forgotten where it began


@dataclass(frozen=True)
class LowPass:
    """A Butterworth filter of order 4, forward and backward, so that nothing is delayed.

    Attributes:
        cutoff: frequency [Hz] at which an amplitude is halved (each direction takes 3 dB).
        rate: samples per second.
    """

    cutoff: float
    rate: float

    def __post_init__(self) -> None:
        require_positive("cutoff", self.cutoff)
        require_positive("rate", self.rate)
        if not self.cutoff < 0.5 * self.rate:
            raise ArgumentError(
                f"cutoff is {self.cutoff:g} Hz, expected less than half the sampling rate, {0.5 * self.rate:g} Hz",
                name="cutoff",
            )

    @property
    def settling(self) -> int:
        """Rows at each end of a series that depend on how it went on."""
        return int(min(np.ceil(_SETTLED * self.rate / self.cutoff), _MOST))

    @property
    def stride(self) -> int:
        """Rows from one whose noise is independent of the last one's: two per period of the cutoff frequency."""
        return max(1, int(min(self.rate / (2.0 * self.cutoff), _MOST)))

    def filtered(self, x: Array) -> Array:
        """A series (n, ...) of finite numbers without what is faster."""
        from scipy.signal import butter, sosfiltfilt  # a while to import

        x = np.atleast_1d(require_real_array("x", x).astype(float))
        if not np.isfinite(x).all():
            raise ArgumentError(
                "x: measurements with NaN cannot be filtered; leave them out or give no cutoff", name="cutoff"
            )
        if len(x) <= 2 * self.settling:
            raise ArgumentError(
                f"x has {len(x)} rows, too few for a filter of {self.cutoff:g} Hz at {self.rate:g} rows per second: it "
                f"settles in {self.settling} rows at each end; measure longer, or raise the cutoff",
                name="cutoff",
            )
        sections = butter(_ORDER, self.cutoff / (0.5 * self.rate), output="sos")
        return np.asarray(sosfiltfilt(sections, x, axis=0, padlen=self.settling))


def true_segments(rows: Array) -> list[slice]:
    """Slices of the rows (n,) of bool that are true one after the other."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], rows, [False]]).astype(np.int8)))
    return [slice(int(a), int(b)) for a, b in edges.reshape(-1, 2)]
