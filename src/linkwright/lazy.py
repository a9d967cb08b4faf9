"""Public names of a package that are loaded when first used, so that importing the package stays quick."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import Any


def lazy(package: str, modules: Mapping[str, str], packages: Sequence[str] = ()) -> Callable[[str], Any]:
    """The `__getattr__` of a package: names by the module below it that defines them, and packages below it.

    `modules` maps a module to the names it gives, separated by blanks.
    """
    homes = {name: f"{package}.{module}" for module, names in modules.items() for name in names.split()}

    def load(name: str) -> Any:
        if name in packages:
            return import_module(f"{package}.{name}")
        if name in homes:
            return getattr(import_module(homes[name]), name)
        raise AttributeError(f"module '{package}' has no attribute '{name}'")

    return load


def function(path: str) -> Callable[..., Any]:
    """The function at "module:function", imported now; for what a package above this one shows.

    >>> function("math:hypot")(3, 4)
    5.0
    """
    module, name = path.split(":")
    return getattr(import_module(module), name)
