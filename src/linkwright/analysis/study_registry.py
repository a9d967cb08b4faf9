"""Studies from outside the library: a registered function is a name of `lw.analysis` and a verb of the command line."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeVar

from linkwright.checks import require_callable
from linkwright.errors import ArgumentError
from linkwright.lazy import lazy_names
from linkwright.plugins import ANALYSIS, load_plugins

Study = TypeVar("Study", bound=Callable[..., Any])
_OWN_NAMES = lazy_names("linkwright.analysis", str(Path(__file__).with_name("__init__.py")))[0]
_STUDIES: dict[str, Callable[..., Any]] = {}


def register_study(function: Study) -> Study:
    """Add a study under the name of its function; use it as a decorator.

    Args:
        function: takes a model first and returns a `StudyResult`. Its other arguments of type float, int, str or bool
            are options of the verb.

    An installed package names the module that does this as an entry point of the group `linkwright.analysis`.
    """
    require_callable("function", function, "a function of a model that returns a StudyResult")
    name = function.__name__
    if name in _OWN_NAMES or not name.isidentifier():
        raise ArgumentError(f"'{name}' cannot name another study; rename the function", name="function")
    if next(iter(inspect.signature(function).parameters), None) != "model":
        raise ArgumentError(f"the first argument of '{name}' must be 'model'", name="function")
    _STUDIES[name] = function
    return function


def registered_studies() -> Mapping[str, Callable[..., Any]]:
    """The registered studies by name, those of installed packages included."""
    load_plugins(ANALYSIS)
    return MappingProxyType(_STUDIES)
