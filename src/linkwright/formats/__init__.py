"""Files to and from mechanisms."""

from linkwright.formats.files import load, read, save
from linkwright.formats.findings import Imported
from linkwright.formats.mjcf import from_mjcf
from linkwright.formats.mjcf.writer import to_mjcf
from linkwright.formats.sdf import from_sdf
from linkwright.formats.sdf.writer import to_sdf
from linkwright.formats.urdf import from_urdf
from linkwright.formats.urdf.writer import to_urdf
from linkwright.formats.written import Written
from linkwright.formats.yaml import from_yaml, json_schema, to_yaml

__all__ = [
    "Imported",
    "Written",
    "from_mjcf",
    "from_sdf",
    "from_urdf",
    "from_yaml",
    "json_schema",
    "load",
    "read",
    "save",
    "to_mjcf",
    "to_sdf",
    "to_urdf",
    "to_yaml",
]
