"""Integrators by name, as study files and the command line give them.

Light, because `--help` lists the names: the integrators themselves are loaded when one is looked up.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import MISSING, fields
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

from linkwright.lazy import homes_of_names
from linkwright.plugins import METHODS, load_plugins

DEFAULT_NAME = "dop853"
"""Name of the method of a run that names none."""

HOME = "linkwright.simulation.integrators"
"""Where the methods of the library are: those that are public names of `linkwright` have a name here, too."""

REGISTERED: dict[str, type[Any]] = {}
"""Methods that `register_method` of `simulation/integrators.py` added, by name."""

_WRITTEN = {"h": "step", "rtol": "rtol", "atol": "atol"}
_DO_WITHOUT = {"step": "chooses its steps itself", "rtol": "has a fixed step", "atol": "has a fixed step"}


@cache
def own_methods() -> dict[str, str]:
    """Classes of the library's methods by their names, the default first."""
    homes = homes_of_names(Path(__file__).with_name("__init__.pyi"))
    own = {name.lower(): name for name, home in homes.items() if home == HOME}
    return {DEFAULT_NAME: own.pop(DEFAULT_NAME), **own}


def method_names() -> tuple[str, ...]:
    """The names of all methods, those of installed packages included."""
    load_plugins(METHODS)
    return (*own_methods(), *REGISTERED)


def method_class(name: str) -> type[Any]:
    """The class of a method that `method_names` lists."""
    own = own_methods().get(name)
    return REGISTERED[name] if own is None else getattr(import_module(HOME), own)


def required_options(kind: type[Any]) -> list[str]:
    """Fields of a method that have no default."""
    return [x.name for x in fields(kind) if x.init and x.default is MISSING and x.default_factory is MISSING]


def method_options(name: str, values: dict[str, Any]) -> dict[str, Any]:
    """The arguments of a method from the options of a file or the command line; those that are None are left out."""
    known = [x.name for x in fields(method_class(name)) if x.init]
    return {key: values[_WRITTEN[key]] for key in known if values.get(_WRITTEN.get(key, key)) is not None}


def missing_option(name: str, given: Iterable[str]) -> str | None:
    """The option that a method cannot do without and that is not given, for example "step"."""
    given = list(given)
    required = (_WRITTEN[each] for each in required_options(method_class(name)))
    return next((each for each in required if each not in given), None)


def foreign_option(name: str, given: Iterable[str]) -> tuple[str, str, list[str]] | None:
    """An option that is given and that a method does not have: its name, why, and the methods that have it."""
    for each in given:
        if not _has_option(name, each):
            return each, _DO_WITHOUT[each], [other for other in method_names() if _has_option(other, each)]
    return None


def _has_option(name: str, option: str) -> bool:
    return option in [_WRITTEN.get(x.name) for x in fields(method_class(name)) if x.init]
