"""Reference motions and effort laws, written for any scalar so that they are traced into the equations of motion.

The names are listed in `__init__.pyi`.
"""

from linkwright.lazy import lazy_names

__all__, __getattr__, __dir__ = lazy_names(__name__, __file__)
