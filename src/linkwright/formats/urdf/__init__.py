"""URDF trees, read with the standard library's XML parser made safe."""

from linkwright.formats.urdf.urdf_reader import from_urdf

__all__ = ["from_urdf"]
