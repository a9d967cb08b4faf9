"""The public object: checks of arguments, names, batches."""

from linkwright.model.model import Model
from linkwright.model.model_construction import build

__all__ = ["Model", "build"]
