"""MJCF models, compiled by MuJoCo itself and read from its numbers."""

from linkwright.formats.mjcf.mjcf_reader import from_mjcf

__all__ = ["from_mjcf"]
