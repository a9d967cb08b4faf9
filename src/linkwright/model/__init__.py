"""The public object: checks of arguments, names, batches."""

from linkwright.model.building import build
from linkwright.model.model import Model

__all__ = ["Model", "build"]
