"""The native format: YAML 1.2, `format: 1`, SI when bare, units where written."""

from linkwright.formats.yaml.schema import json_schema
from linkwright.formats.yaml.yaml_reader import from_yaml
from linkwright.formats.yaml.yaml_writer import to_yaml

__all__ = ["from_yaml", "json_schema", "to_yaml"]
