"""Modules that add to the library when something of theirs is first asked for: our own, then installed plug-ins.

A plug-in package names its modules as entry points of a group, for example in its pyproject.toml

    [project.entry-points."linkwright.formulations"]
    mine = "my_package.my_formulation"

and such a module registers what it offers when it is imported.
"""

from __future__ import annotations

import inspect
import sys
from functools import cache
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from types import CodeType

FORMULATIONS = "linkwright.formulations"
FORCES = "linkwright.forces"
JOINTS = "linkwright.joints"
ANALYSIS = "linkwright.analysis"
FORMATS = "linkwright.formats"
EXPORT = "linkwright.export"
METHODS = "linkwright.methods"
_GROUPS = (FORMULATIONS, FORCES, JOINTS, ANALYSIS, FORMATS, EXPORT, METHODS)
_OWN = {
    FORMULATIONS: (
        "linkwright.papers.khan.khan_functions",
        "linkwright.papers.rao.rao_functions",
        "linkwright.papers.hanzaki.hanzaki_functions",
    ),
}


@cache
def load_plugins(group: str) -> None:
    """Import the modules of a group, once."""
    for module in _OWN.get(group, ()):
        import_module(module)
    for entry in _installed_entry_points():
        if entry.group == group:
            entry.load()


@cache
def _installed_entry_points() -> tuple[EntryPoint, ...]:
    """The entry points of our groups in all installed packages, looked up once: that takes some milliseconds."""
    found = entry_points()
    return tuple(entry for group in _GROUPS for entry in found.select(group=group))


def source_of_class(kind: type) -> str:
    """The text of the module that defines a class; of one that is in no file, what its methods compile to.

    What a class of a plug-in computes follows from it, so that compiled code is kept under it.
    """
    try:
        inspect.getsource(kind)
        return inspect.getsource(sys.modules[kind.__module__])
    except (OSError, TypeError, KeyError):
        codes = [(key, _code_text(x.__code__)) for key, x in sorted(vars(kind).items()) if inspect.isfunction(x)]
        return repr(codes)


def _code_text(code: CodeType) -> str:
    constants = [_code_text(x) if isinstance(x, CodeType) else repr(x) for x in code.co_consts]
    return repr((code.co_code, code.co_names, constants))
