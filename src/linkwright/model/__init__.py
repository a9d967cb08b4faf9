"""The public face: checks at the door, names, batches."""

from linkwright.model.model import Model, build

__all__ = ["Model", "build"]
