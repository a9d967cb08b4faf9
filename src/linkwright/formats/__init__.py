"""Files to and from mechanisms; the readers and writers of each format are loaded when first used."""

from typing import TYPE_CHECKING

from linkwright.formats.import_findings import Imported
from linkwright.formats.mechanism_files import load as load
from linkwright.formats.mechanism_files import read
from linkwright.formats.mechanism_files import save as save
from linkwright.formats.written_files import Written
from linkwright.formats.yaml import from_yaml, json_schema, to_yaml
from linkwright.lazy import lazy_getattr

if TYPE_CHECKING:
    from linkwright.formats.mjcf import from_mjcf
    from linkwright.formats.mjcf.mjcf_writer import to_mjcf
    from linkwright.formats.sdf import from_sdf
    from linkwright.formats.sdf.sdf_writer import to_sdf
    from linkwright.formats.urdf import from_urdf
    from linkwright.formats.urdf.urdf_writer import to_urdf
else:
    __getattr__ = lazy_getattr(
        "linkwright.formats",
        {
            "mjcf.mjcf_reader": "from_mjcf",
            "mjcf.mjcf_writer": "to_mjcf",
            "sdf.sdf_reader": "from_sdf",
            "sdf.sdf_writer": "to_sdf",
            "urdf.urdf_reader": "from_urdf",
            "urdf.urdf_writer": "to_urdf",
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
    "read",
    "to_mjcf",
    "to_sdf",
    "to_urdf",
    "to_yaml",
]


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
