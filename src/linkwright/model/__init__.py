"""The public face: checks at the door, names, batches."""

from linkwright.model.building import build
from linkwright.model.model import Model

__all__ = ["Model", "build"]
