"""Public names of a package that are loaded when first used, so that importing the package stays quick."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any


def lazy_names(package: str, file: str) -> tuple[list[str], Callable[[str], Any], Callable[[], list[str]]]:
    """The `__all__`, `__getattr__` and `__dir__` of a module whose public names are listed in the stub beside it.

    The stub holds lines `from MODULE import NAME as NAME` and is what type checkers read, so that there is one list.
    """
    homes = homes_of_names(Path(file).with_suffix(".pyi"))

    def load(name: str) -> Any:
        if name not in homes:
            raise AttributeError(f"module '{package}' has no attribute '{name}'")
        home = homes[name]
        value = import_module(f"{package}.{name}") if home == package else getattr(import_module(home), name)
        setattr(sys.modules[package], name, value)
        return value

    names = sorted(name for name in homes if not name.startswith("_"))
    return names, load, lambda: sorted({*vars(sys.modules[package]), *names})


def homes_of_names(stub: Path) -> dict[str, str]:
    """Modules of the public names that a stub lists."""
    lines = re.findall(r"^from (\S+) import (\w+) as ", stub.read_text(encoding="utf-8"), re.MULTILINE)
    return {name: home for home, name in lines}


def function_at_path(path: str) -> Callable[..., Any]:
    """The function at "module:function", imported now; for what a package above this one shows.

    >>> function_at_path("math:hypot")(3, 4)
    5.0
    """
    module, name = path.split(":")
    return getattr(import_module(module), name)
