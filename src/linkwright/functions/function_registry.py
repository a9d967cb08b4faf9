"""Definitions of compiled functions by their text names; every module of this package is looked through."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from pkgutil import walk_packages

from linkwright import functions
from linkwright.errors import ArgumentError
from linkwright.functions.definition import Definition, listed_definitions
from linkwright.mechanism.names import suggest_name
from linkwright.plugins import FORMULATIONS, load_plugins


@cache
def _import_definitions() -> None:
    for module in walk_packages(functions.__path__, f"{functions.__name__}."):
        import_module(module.name)
    load_plugins(FORMULATIONS)


def all_definitions() -> dict[str, Definition]:
    """All definitions by their text names, those of plug-ins too."""
    _import_definitions()
    return dict(sorted(listed_definitions().items()))


def public_definitions() -> dict[str, Definition]:
    """Definitions by the names under which models show them."""
    return dict(sorted((x.public, x) for x in all_definitions().values() if x.public))


def public_definition(name: str) -> Definition:
    """The definition that models show under a name."""
    found = listed_definitions().get(name)
    if found is not None and found.public == name:
        return found
    known = public_definitions()
    if name in known:
        return known[name]
    if name not in listed_definitions():
        raise ArgumentError(f"unknown function '{name}' of a model{suggest_name(name, known)}")
    likely = [x for x in known if x in name]
    raise ArgumentError(
        f"'{name}' is internal: it serves other functions and depends on how they are planned"
        + (f"; ask for '{max(likely, key=len)}'" if likely else f"; public functions are {', '.join(known)}")
    )


def definition_of_name(name: str) -> Definition:
    """The definition of a text name."""
    known = listed_definitions()
    if name not in known:
        _import_definitions()
    if name not in known:
        raise ArgumentError(f"unknown function '{name}' of a model{suggest_name(name, known)}")
    return known[name]
