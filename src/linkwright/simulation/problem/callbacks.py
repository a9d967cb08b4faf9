"""Python functions that compiled drivers can call, by address; exceptions are kept and raised afterwards."""

from __future__ import annotations

import ctypes
from collections.abc import Callable

import numpy as np

_CODE = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p)


class Callback:
    """A Python function of arrays with an address: reads inputs, writes the outputs it returns, and returns 1.

    When the function raises or returns numbers that are not finite, it returns 0 and `error` holds what was raised.
    """

    def __init__(self, function: Callable[..., tuple[np.ndarray, ...]], inputs: list[int], outputs: list[int]) -> None:
        self.function = function
        self.sizes = [*inputs, *outputs]
        self.n_inputs = len(inputs)
        self.error: Exception | None = None
        self._table = ctypes.c_size_t * len(self.sizes)
        self._kinds = [ctypes.c_double * n for n in self.sizes]
        self._code = _CODE(self._called)
        self.address = ctypes.cast(self._code, ctypes.c_void_p).value or 0

    def __call__(self, *arrays: np.ndarray) -> int:
        """The same from Python, on arrays at least as long as needed."""
        return self._run([x[:n] for x, n in zip(arrays, self.sizes, strict=True)])

    def _called(self, table: int) -> int:
        addresses = self._table.from_address(table)
        arrays = [
            np.frombuffer(memoryview(kind.from_address(x))) for kind, x in zip(self._kinds, addresses, strict=True)
        ]
        return self._run(arrays)

    def _run(self, arrays: list[np.ndarray]) -> int:
        try:
            results = self.function(*(x.copy() for x in arrays[: self.n_inputs]))
        except Exception as error:
            self.error = error
            return 0
        for x, result in zip(arrays[self.n_inputs :], results, strict=True):
            x[:] = result
        return int(all(np.isfinite(x).all() for x in arrays[self.n_inputs :]))
