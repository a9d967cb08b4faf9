"""Files to and from mechanisms."""

from linkwright.formats.files import load, read, save
from linkwright.formats.findings import Imported
from linkwright.formats.mjcf import from_mjcf
from linkwright.formats.urdf import from_urdf
from linkwright.formats.yaml import from_yaml, json_schema, to_yaml

__all__ = ["Imported", "from_mjcf", "from_urdf", "from_yaml", "json_schema", "load", "read", "save", "to_yaml"]
