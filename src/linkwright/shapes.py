"""Shapes of bodies: they are drawn, weighed where a density is given, and measured by `analysis.clearance`."""

from linkwright.lazy import lazy_names

__all__, __getattr__, __dir__ = lazy_names(__name__, __file__)
