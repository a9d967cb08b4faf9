"""Ready mechanisms, one YAML file each, with the source of every number."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Any

from linkwright.catalog.catalog_summaries import Summary, catalog_summary
from linkwright.checks import require_mapping
from linkwright.errors import ArgumentError
from linkwright.formats import from_yaml
from linkwright.formats.mechanism_files import values_by_path, with_written_values
from linkwright.mechanism import Mechanism
from linkwright.mechanism.names import suggest_name
from linkwright.readable_text import RecordMapping

__all__ = ["Summary", "load", "names", "summaries"]


def _catalog_files() -> dict[str, Traversable]:
    found = (entry for entry in files("linkwright.catalog").joinpath("data").iterdir())
    return {entry.name.removesuffix(".yaml"): entry for entry in found if entry.name.endswith(".yaml")}


def names() -> tuple[str, ...]:
    """The names `load` knows, in alphabetical order.

    >>> "stanford-arm" in names()
    True
    """
    return tuple(sorted(_catalog_files()))


@cache
def _catalog_mechanism(name: str) -> Mechanism:
    return from_yaml(source_text(name), f"{name}.yaml")


def source_text(name: str) -> str:
    """The text of a mechanism's file, with its comments."""
    return _catalog_files()[name].read_text(encoding="utf-8")


def load(name: str, parameters: Mapping[str, Any] | None = None) -> Mechanism:
    """A mechanism of the catalog by its name; `parameters` replace those of its file, or numbers by their paths.

    >>> load("three-link-arm").names
    ('link1', 'link2', 'link3')
    >>> load("bennett", {"line": "5 kg/m"}).bodies[0].inertia.mass
    1.0
    >>> load("four-bar", {"bodies.crank.mass": "2 kg"}).bodies[0].inertia.mass
    2.0
    """
    if not isinstance(name, str) or name not in _catalog_files():
        raise ArgumentError(f"the catalog has no mechanism {name!r}{suggest_name(name, names())}", name=name)
    if parameters is not None:
        require_mapping("parameters", parameters, "a dictionary of names and values")
    by_path = values_by_path(parameters)
    named = {each: x for each, x in (parameters or {}).items() if each not in by_path}
    mech = from_yaml(source_text(name), f"{name}.yaml", named) if named else _catalog_mechanism(name)
    return with_written_values(mech, by_path)


def summaries() -> dict[str, Summary]:
    """Summary of every mechanism of the catalog, by name.

    >>> summaries()["bennett"].mobility
    1
    """
    return RecordMapping({name: catalog_summary(load(name)) for name in names()})
