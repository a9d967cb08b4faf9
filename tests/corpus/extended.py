"""Constraint rows of a mechanism in extended precision: the library's own recursions on mpmath numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partialmethod
from typing import Any

import mpmath as mp
import numpy as np

from linkwright.loops.closure import closure_bias, closure_of, jacobian_of_closure
from linkwright.mechanism import Mechanism
from linkwright.mechanism.tree import spanning_tree
from linkwright.recursion.twist_recursion import motion_of_tree
from tests.corpus.dense import DIGITS, extended_precision

Array = np.ndarray
_FUNCTIONS = {"cos": mp.cos, "sin": mp.sin, "sqrt": mp.sqrt}


def _applied(x: Any, function: Callable[[Any], Any]) -> Any:
    return function(x)


@contextmanager
def _numpy_functions() -> Iterator[None]:
    """NumPy asks a number of an object array for its methods: mpmath's have none of these."""
    for name, function in _FUNCTIONS.items():
        setattr(mp.mpf, name, partialmethod(_applied, function))
    try:
        yield
    finally:
        for name in _FUNCTIONS:
            delattr(mp.mpf, name)


def constraint_rows(mech: Mechanism, q: Array, v: Array) -> tuple[Array, Array]:
    """J and c of all loops and couplings along our velocities, J a + c = 0, arrays of mpmath numbers."""
    tree = spanning_tree(mech)
    closure = closure_of(mech, tree)
    with mp.workdps(DIGITS), _numpy_functions():
        x, rates, still = (extended_precision(values) for values in (q, v, np.zeros(len(v))))
        J, c = jacobian_of_closure(closure, x), closure_bias(closure, x, rates, motion_of_tree(tree, x, rates, still))
        return J + mp.mpf(0), c + mp.mpf(0)
