"""A public function with arguments that it takes."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

COMPILING = 60.0  # s for calls that build or compile
ORDINARY = 10.0
_NAMED = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
_SPREAD = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)


@dataclass(frozen=True)
class Call:
    """A function with its name in messages.

    Attributes:
        good: arguments that it takes, and what else it knows.
        seconds: that it may take.
        then: what is done with its result.
    """

    name: str
    function: Callable[..., Any]
    good: Mapping[str, Any]
    seconds: float = ORDINARY
    then: Callable[[Any], object] = repr

    @property
    def parameters(self) -> list[inspect.Parameter]:
        return list(inspect.signature(self.function).parameters.values())

    @property
    def names(self) -> list[str]:
        """Names of the parameters."""
        return [each.name for each in self.parameters if each.kind not in _SPREAD]

    @property
    def missing(self) -> list[str]:
        """Required parameters that have no good value."""
        return [each.name for each in self.parameters if _required(each) and each.name not in self.good]

    @property
    def complete(self) -> bool:
        """True if the good arguments suffice."""
        return not self.missing

    @property
    def defaults(self) -> dict[str, Any]:
        """Values of the parameters that need none."""
        return {each.name: each.default for each in self.parameters if each.default is not each.empty}

    def __call__(self, extra: tuple[Any, ...] = (), given: Mapping[str, Any] | None = None) -> Any:
        """Call it; arguments that have no names are given by position."""
        given = dict(self.good if given is None else given)
        alone = [each.name for each in self.parameters if each.kind is inspect.Parameter.POSITIONAL_ONLY]
        first = [given[name] for name in alone if name in given]
        if any(each.kind is inspect.Parameter.VAR_POSITIONAL for each in self.parameters):
            names = {each.name for each in self.parameters}
            first += [given[each.name] for each in self.parameters if each.kind is _NAMED[0] and each.name in given]
            first += [value for name, value in given.items() if name not in names]
            given = {
                each.name: given[each.name] for each in self.parameters if each.kind is _NAMED[1] and each.name in given
            }
        return self.function(*first, *extra, **{name: x for name, x in given.items() if name not in alone})


def _required(each: inspect.Parameter) -> bool:
    return each.default is each.empty and each.kind not in _SPREAD
