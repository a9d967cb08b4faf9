"""Types that you receive from the library, or name in annotations: records of results, findings and parameters."""

from linkwright.lazy import lazy_names

__all__, __getattr__, __dir__ = lazy_names(__name__, __file__)
