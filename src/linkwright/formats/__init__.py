"""Files to and from mechanisms; the readers and writers of each format are loaded when first used."""

from typing import TYPE_CHECKING

from linkwright.formats.files import load, read, save
from linkwright.formats.findings import Imported
from linkwright.formats.written import Written
from linkwright.formats.yaml import from_yaml, json_schema, to_yaml
from linkwright.lazy import lazy

if TYPE_CHECKING:
    from linkwright.formats.mjcf import from_mjcf
    from linkwright.formats.mjcf.writer import to_mjcf
    from linkwright.formats.sdf import from_sdf
    from linkwright.formats.sdf.writer import to_sdf
    from linkwright.formats.urdf import from_urdf
    from linkwright.formats.urdf.writer import to_urdf
else:
    __getattr__ = lazy(
        "linkwright.formats",
        {
            "mjcf.reader": "from_mjcf",
            "mjcf.writer": "to_mjcf",
            "sdf.reader": "from_sdf",
            "sdf.writer": "to_sdf",
            "urdf.reader": "from_urdf",
            "urdf.writer": "to_urdf",
        },
    )

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
