"""Studies of a model: indices, workspace, clearance, sizing, tolerance, optimization, identification, calibration.

Each study is a function that returns a record with `data()`, `plot()`, `report()` and `save()`. The names are listed in
`__init__.pyi`; studies that you register (`register_study`) are found here too.
"""

from __future__ import annotations

from typing import Any

from linkwright.lazy import lazy_names

__all__, _own_name, __dir__ = lazy_names(__name__, __file__)


def __getattr__(name: str) -> Any:
    """A name of the library, or a study that was registered."""
    try:
        return _own_name(name)
    except AttributeError:
        if name.startswith("_") or name in ("registry", "registered_studies"):
            raise
        from linkwright.analysis.study_registry import registered_studies

        if name not in registered_studies():
            raise
        return registered_studies()[name]
