"""The folder of compiled code, and the checks that it can be trusted.

Running cached object code means trusting whoever can write the folder, so a folder that others own or
may enter is not used.
"""

from __future__ import annotations

import logging
import os
import stat
import sys
from functools import lru_cache
from pathlib import Path

_log = logging.getLogger(__name__)

VARIABLE = "LINKWRIGHT_CACHE"
"""Environment variable: another folder, or `off`."""


def cache_folder() -> Path | None:
    """The user's own folder for compiled code, made on first use; None when switched off or not to be trusted."""
    asked = os.environ.get(VARIABLE, "")
    if asked.lower() == "off":
        return None
    try:
        path = Path(asked) if asked else _platform_folder() / "linkwright"
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
        fault = _fault(path)
    except (OSError, RuntimeError) as error:
        path, fault = Path(asked or "linkwright"), str(error)
    if fault:
        warn_once(
            f"compiled code is not kept: cache folder {path}: {fault}; set {VARIABLE} to a folder of your own or to off"
        )
        return None
    return path


def _platform_folder() -> Path:
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")


def _fault(path: Path) -> str:
    """Return the reason not to use the folder; empty when it may be used."""
    found = path.lstat()
    if not stat.S_ISDIR(found.st_mode):
        return "it is not a plain folder"
    if sys.platform == "win32":
        return ""
    if found.st_uid != os.getuid():
        return "it belongs to someone else"
    if found.st_mode & 0o077:
        return f"its mode is {stat.S_IMODE(found.st_mode):o}, expected 700"
    return ""


@lru_cache(maxsize=256)
def warn_once(message: str) -> None:
    """Log a warning the first time it is worth saying."""
    _log.warning(message)
