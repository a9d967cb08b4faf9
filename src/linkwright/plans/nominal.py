"""What is found out about a mechanism with inputs at their nominal values, and serves all others."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property, wraps
from typing import Any, TypeVar

T = TypeVar("T")


def planned(function: Callable[[Any], T]) -> cached_property[T]:
    """An attribute found when first needed, at the nominal values of the mechanism's inputs.

    At other values (where the owner has a `nominal`) it is that attribute, called at these values where it has numbers.
    """

    def found(owner: Any) -> T:
        if owner.nominal is None:
            return function(owner)
        return here(owner, getattr(owner.nominal, function.__name__))

    made = cached_property(found)
    made.__doc__ = function.__doc__
    return made


def shared(function: Callable[..., T]) -> Callable[..., T]:
    """A function of a mechanism's kinematics or dynamics (and more) whose results serve all values of its inputs."""

    @wraps(function)
    def found(owner: Any, *more: Any, **named: Any) -> T:
        if owner.nominal is None:
            return function(owner, *more, **named)
        return here(owner, function(owner.nominal, *more, **named))

    return found


def here(owner: Any, value: Any) -> Any:
    """Kernels, stages and setups of the nominal values, called at the owner's; other things as they are."""
    return value.at(owner.setup.inputs.values) if hasattr(value, "at") else value
