"""NAME_OR_FILE: a mechanism of the catalog or of a file."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from linkwright.cli.failures import BAD_FILE, Failure

if TYPE_CHECKING:
    from linkwright.formats import Imported


def imported(name: str) -> Imported:
    """A mechanism by its catalog name, or by its file when there is one or when it looks like one."""
    from linkwright import catalog
    from linkwright.formats import Imported, read
    from linkwright.mechanism.names import suggestion

    if os.path.isfile(name):
        return read(name)
    if name in catalog.names():
        return Imported(catalog.load(name))
    if os.path.splitext(name)[1] or os.path.exists(name) or os.sep in name:
        return read(name)
    raise Failure(f"'{name}' is no file and no mechanism of the catalog{suggestion(name, catalog.names())}", BAD_FILE)
