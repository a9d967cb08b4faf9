"""Ready mechanisms, one YAML file each, with the source of every number."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Any

from linkwright.catalog.summary import Summary, summary
from linkwright.checks import mapping
from linkwright.errors import ArgumentError
from linkwright.formats import from_yaml
from linkwright.mechanism import Mechanism
from linkwright.mechanism.names import suggestion

__all__ = ["Summary", "load", "names", "summaries"]


def _files() -> dict[str, Traversable]:
    found = (entry for entry in files("linkwright.catalog").joinpath("data").iterdir())
    return {entry.name.removesuffix(".yaml"): entry for entry in found if entry.name.endswith(".yaml")}


def names() -> tuple[str, ...]:
    """The names `load` knows, in alphabetical order.

    >>> "stanford-arm" in names()
    True
    """
    return tuple(sorted(_files()))


@cache
def _mechanism(name: str) -> Mechanism:
    return from_yaml(source_text(name), f"{name}.yaml")


def source_text(name: str) -> str:
    """The text of a mechanism's file, with its comments."""
    return _files()[name].read_text(encoding="utf-8")


def load(name: str, parameters: Mapping[str, Any] | None = None) -> Mechanism:
    """A mechanism of the catalog by its name; `parameters` replace values in its file's own section.

    >>> load("three-link-arm").names
    ('link1', 'link2', 'link3')
    >>> load("bennett", {"line": "5 kg/m"}).bodies[0].inertia.mass
    1.0
    """
    if not isinstance(name, str) or name not in _files():
        raise ArgumentError(f"the catalog has no mechanism {name!r}{suggestion(name, names())}", name=name)
    if parameters is not None:
        mapping("parameters", parameters, "a dictionary of names and values")
    return from_yaml(source_text(name), f"{name}.yaml", parameters) if parameters else _mechanism(name)


def summaries() -> dict[str, Summary]:
    """Summary of every mechanism of the catalog, by name.

    >>> summaries()["bennett"].mobility
    1
    """
    return {name: summary(load(name)) for name in names()}
