"""Export targets: a function is a name of `lw.export` and a verb of `linkwright export`; those of plug-ins too."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import TypeVar

from linkwright.checks import require_callable
from linkwright.errors import ArgumentError
from linkwright.lazy import lazy_names
from linkwright.plugins import EXPORT, load_plugins

Files = Mapping[str, str | bytes]
Target = TypeVar("Target", bound=Callable[..., Files])
_OWN_NAMES, _load_own_name, _ = lazy_names("linkwright.export", str(Path(__file__).with_name("__init__.py")))
_MODULES = tuple(each.stem for each in Path(__file__).parent.iterdir())
_OWN_TARGETS = ("wasm", "transmission")
_OWN_VERBS = ("c", "list", "ros2", "casadi", "jax", "schema")
_TARGETS: dict[str, Callable[..., Files]] = {}


def register_target(function: Target) -> Target:
    """Add an export target under the name of its function; use it as a decorator.

    Args:
        function: takes a model first and returns texts or bytes of files by their names. Its other arguments of type
            float, int, str or bool are options of the verb, as are inputs of the model (--vary) and, where the first
            one may be a Submechanism, joints that the actuators move (--joint). Where the first one may be a Mechanism,
            the verb hands that over and builds no model.

    An installed package names the module that does this as an entry point of the group `linkwright.export`.
    """
    require_callable("function", function, "a function of a model that returns texts by names of files")
    name = function.__name__
    if name in (*_OWN_NAMES, *_OWN_VERBS, *_MODULES) or not name.isidentifier():
        raise ArgumentError(f"'{name}' cannot name another export target; rename the function", name="function")
    if next(iter(inspect.signature(function).parameters), None) != "model":
        raise ArgumentError(f"the first argument of '{name}' must be 'model'", name="function")
    _TARGETS[name] = function
    return function


def registered_targets() -> Mapping[str, Callable[..., Files]]:
    """The targets by name, those of installed packages included."""
    load_plugins(EXPORT)
    own = {name: _load_own_name(name) for name in _OWN_TARGETS}
    return MappingProxyType({**own, **_TARGETS})
