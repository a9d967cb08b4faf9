"""Which other engines are here, and which are not."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from types import MappingProxyType

# the name people use, the module to import, the package that brings it
PEERS: Mapping[str, tuple[str, str]] = MappingProxyType(
    {"pinocchio": ("pinocchio", "pin"), "mujoco": ("mujoco", "mujoco"), "drake": ("pydrake", "drake")}
)


def installed(peers: Mapping[str, tuple[str, str]] = PEERS) -> dict[str, str]:
    """The peers that can be imported, with their versions."""
    return {name: _version(package) for name, (module, package) in peers.items() if find_spec(module) is not None}


def missing(peers: Mapping[str, tuple[str, str]] = PEERS) -> dict[str, str]:
    """The peers that cannot be measured, each with the way to get it.

    >>> missing({"nobody": ("no_such_module", "no-such-package")})
    {'nobody': 'not installed (pip install no-such-package)'}
    """
    here = installed(peers)
    return {name: f"not installed (pip install {package})" for name, (_, package) in peers.items() if name not in here}


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "unknown version"
