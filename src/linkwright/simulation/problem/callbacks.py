"""Functions that compiled drivers can call by address: those of Python, and those compiled when first called."""

from __future__ import annotations

import ctypes
import logging
import threading
from collections.abc import Callable, Iterable
from functools import cached_property
from typing import Any

import numpy as np

from linkwright.compiler import Kernel
from linkwright.compiler.native import FunctionPointer, array_address
from linkwright.errors import LinkwrightError
from linkwright.functions.design_inputs import BoundKernel
from linkwright.functions.driver_functions import compiled_pointer
from linkwright.model import Model

_log = logging.getLogger(__name__)
_CODE = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p)


# What a function of the mechanics raises where it has no result, or none it vouches for (warnings that are errors);
# drivers then take a shorter step, or end the run.
NO_RESULT = (LinkwrightError, ArithmeticError, np.linalg.LinAlgError, Warning)


class _Waiting(threading.local):
    """Errors that functions keep on this thread; seldom any, so that runs need not ask every function."""

    errors = 0


_waiting = _Waiting()


class KeptError:
    """What a function called by machine code raised first, Ctrl-C too: it cannot pass through that code.

    Functions of a mechanism serve all runs of it, so every thread keeps its own, until the run there takes it.
    """

    def __init__(self) -> None:
        self._own = threading.local()

    @property
    def pending(self) -> BaseException | None:
        """What was raised on this thread and not taken yet."""
        return getattr(self._own, "error", None)

    def keep(self, error: BaseException) -> None:
        """Keep an error unless there is one already; Ctrl-C and errors of programs come before missing results."""
        pending = self.pending
        if pending is None or isinstance(pending, NO_RESULT) > isinstance(error, NO_RESULT):
            self._own.error = error
            _waiting.errors += pending is None

    def take(self) -> BaseException | None:
        """Return what was raised on this thread and forget it."""
        error, self._own.error = self.pending, None
        _waiting.errors -= error is not None
        return error


class Callback:
    """A Python function of arrays with an address: reads inputs, writes the outputs it returns, and returns 1.

    When the function raises or returns numbers that are not finite, it returns 0; `raised` keeps what it raised. After
    anything that is not a missing result it is not called again until the run has taken that.
    """

    def __init__(self, function: Callable[..., tuple[np.ndarray, ...]], inputs: list[int], outputs: list[int]) -> None:
        self.function = function
        self.sizes = [*inputs, *outputs]
        self.n_inputs = len(inputs)
        self.raised = KeptError()
        self._table = ctypes.c_size_t * len(self.sizes)
        self._kinds = [ctypes.c_double * n for n in self.sizes]
        self._code = _CODE(self._call_function)
        self.address = ctypes.cast(self._code, ctypes.c_void_p).value or 0

    def __call__(self, *arrays: np.ndarray) -> int:
        """The same from Python, on arrays at least as long as needed."""
        return self._run([x[:n] for x, n in zip(arrays, self.sizes, strict=True)])

    def _call_function(self, table: int) -> int:
        addresses = self._table.from_address(table)
        arrays = [
            np.frombuffer(memoryview(kind.from_address(x))) for kind, x in zip(self._kinds, addresses, strict=True)
        ]
        return self._run(arrays)

    def _run(self, arrays: list[np.ndarray]) -> int:
        pending = self.raised.pending
        if pending is not None and not isinstance(pending, NO_RESULT):
            return 0
        try:
            results = self.function(*(x.copy() for x in arrays[: self.n_inputs]))
        except BaseException as error:
            self.raised.keep(error)
            return 0
        for x, result in zip(arrays[self.n_inputs :], results, strict=True):
            x[:] = result
        return int(all(np.isfinite(x).all() for x in arrays[self.n_inputs :]))


class LazyKernel:
    """A compiled function that most runs do not need: it is made when a driver first calls it.

    Calls go through Python until the next run, which takes the function itself.
    """

    def __init__(self, make: Callable[[], Kernel | BoundKernel]) -> None:
        self._make = make
        self.raised = KeptError()
        self._code = _CODE(self._call_function)
        self._address = ctypes.cast(self._code, ctypes.c_void_p).value or 0

    @cached_property
    def code(self) -> Kernel | BoundKernel:
        """The function itself."""
        return self._make()

    @property
    def ready(self) -> bool:
        """True once the function is made."""
        return "code" in self.__dict__

    def __call__(self, *state: np.ndarray) -> Any:
        return self.code(*state)

    def pointer(self, draft: bool = False) -> FunctionPointer:
        """The function itself once it is made, before that one that makes it."""
        if self.ready:
            return compiled_pointer(self.code, draft=draft)
        return FunctionPointer(self._address, lambda *arrays: compiled_pointer(self.code)(*arrays))

    def _call_function(self, table: int) -> int:
        try:
            made = compiled_pointer(self.code)
        except LinkwrightError:
            _log.exception("a function that a run needs could not be compiled; the run goes on without it")
            return 0
        except BaseException as error:
            self.raised.keep(error)
            return 0
        if made.given is not None:  # behind all other pointers, where the driver has none
            signature = self.code.signature
            n = len(signature.inputs) + len(signature.outputs)
            (ctypes.c_size_t * n).from_address(table)[n - 1] = array_address(made.given)
        return int(_CODE(made.address)(table))


def warn_called_in_python(model: Model, what: str, error: Exception) -> None:
    """Say, once for a model, that a function of the caller could not be compiled, why, and what helps."""

    def said() -> bool:
        _log.warning(
            "%s: %s cannot be compiled and is called in Python instead, which is slower: %s",
            model.mechanism.name,
            what,
            error,
        )
        return True

    model.cache.get(("called in Python", what), said)


def take_errors(functions: Iterable[Any]) -> BaseException | None:
    """Take what functions raised on this thread: the first that is not a missing result, else the first."""
    if not _waiting.errors:
        return None
    found = [code.raised.take() for code in functions if isinstance(code, Callback | LazyKernel)]
    errors = [error for error in found if error is not None]
    return min(errors, key=lambda error: isinstance(error, NO_RESULT), default=None)
