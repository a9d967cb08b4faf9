"""Files to and from mechanisms; the readers and writers of each format are loaded when first used.

The names are listed in `__init__.pyi`.
"""

from linkwright.lazy import lazy_names

__all__, __getattr__, __dir__ = lazy_names(__name__, __file__)
