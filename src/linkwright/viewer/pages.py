"""Pages ready to save: a mechanism on its own."""

from __future__ import annotations

import os
from contextlib import suppress

import numpy as np

from linkwright.errors import ArgumentError, LinkwrightError
from linkwright.model import Model
from linkwright.viewer.document import document
from linkwright.viewer.motion import Motion
from linkwright.viewer.page import page
from linkwright.viewer.setting import setting
from linkwright.viewer.sweep import sweep
from linkwright.viewer.walking import body_tracks


def mechanism_page(model: Model, still: bool = False) -> str:
    """A page that shows a machine at its home configuration, its actuators swinging a little unless `still`."""
    q = model.assemble().q
    if still:
        return page(document(model, Motion(np.zeros(1), q[None])))
    scene = setting(model.mechanism, body_tracks(model, q[None])[0], {})
    return page(document(model, sweep(model, q, scene.extent)))


def saved(text: str, path: str | os.PathLike[str]) -> str:
    """Write a page beside its place first, so that it appears complete or not at all; gives the path."""
    if not isinstance(path, str | os.PathLike):
        raise ArgumentError(f"the path is {path!r}, expected the name of a file such as 'run.html'")
    path = os.fspath(path)
    beside = f"{path}.part"
    try:
        with open(beside, "w", encoding="utf-8") as file:
            file.write(text)
        os.replace(beside, path)
    except OSError as error:
        with suppress(OSError):
            os.remove(beside)
        raise LinkwrightError(f"cannot write '{path}': {error.strerror}; choose another file", path=path) from None
    return path
