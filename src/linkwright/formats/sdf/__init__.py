"""SDF models (1.7 and later): links, frames and joints in any graph."""

from linkwright.formats.sdf.sdf_reader import from_sdf

__all__ = ["from_sdf"]
