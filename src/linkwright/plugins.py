"""Modules that add to the library when something of theirs is first asked for: our own, then installed plug-ins.

A plug-in package names its modules as entry points of a group, for example in its pyproject.toml

    [project.entry-points."linkwright.formulations"]
    mine = "my_package.my_formulation"

and such a module registers what it offers when it is imported.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from importlib.metadata import entry_points

FORMULATIONS = "linkwright.formulations"
FORCES = "linkwright.forces"
JOINTS = "linkwright.joints"
ANALYSIS = "linkwright.analysis"
_OWN = {
    FORMULATIONS: (
        "linkwright.papers.khan.khan_functions",
        "linkwright.papers.rao.rao_functions",
        "linkwright.papers.hanzaki.hanzaki_functions",
    )
}


@cache
def load_plugins(group: str) -> None:
    """Import the modules of a group, once."""
    for module in _OWN.get(group, ()):
        import_module(module)
    for entry in entry_points(group=group):
        entry.load()
