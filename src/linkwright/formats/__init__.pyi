# The public names of `linkwright.formats`.

__all__: list[str]

from linkwright.formats.file_format import FileFormat as FileFormat
from linkwright.formats.file_format import SourceFile as SourceFile
from linkwright.formats.format_registry import register_format as register_format
from linkwright.formats.import_findings import Imported as Imported
from linkwright.formats.mechanism_files import read as read
from linkwright.formats.mjcf import from_mjcf as from_mjcf
from linkwright.formats.mjcf.mjcf_writer import to_mjcf as to_mjcf
from linkwright.formats.sdf import from_sdf as from_sdf
from linkwright.formats.sdf.sdf_writer import to_sdf as to_sdf
from linkwright.formats.urdf import from_urdf as from_urdf
from linkwright.formats.urdf.urdf_writer import to_urdf as to_urdf
from linkwright.formats.written_files import Written as Written
from linkwright.formats.yaml import from_yaml as from_yaml
from linkwright.formats.yaml import json_schema as json_schema
from linkwright.formats.yaml import to_yaml as to_yaml
