"""The five papers as they were written: their formulations, the quantities they name, their claims and figures.

The names are listed in `__init__.pyi`.
"""

from linkwright.lazy import lazy_names

__all__, __getattr__, __dir__ = lazy_names(__name__, __file__)
