"""Programs as code for other tools, loaded when first used.

The names are listed in `__init__.pyi`; targets that you register (`register_target`) are found here too.
"""

from __future__ import annotations

from typing import Any

from linkwright.lazy import lazy_names

__all__, _own_name, __dir__ = lazy_names(__name__, __file__)


def __getattr__(name: str) -> Any:
    """A name of the library, or a target that was registered."""
    try:
        return _own_name(name)
    except AttributeError:
        if name.startswith("_"):
            raise
        from linkwright.export.target_registry import registered_targets

        if name not in registered_targets():
            raise
        return registered_targets()[name]
