"""The functions of `llvmlite.binding`, imported when the first of them is used: loading LLVM takes 30 ms."""

from __future__ import annotations

import sys
from importlib import import_module
from typing import Any

_MODULE = "llvmlite.binding"


def __getattr__(name: str) -> Any:
    return getattr(import_module(_MODULE), name)


def llvmlite_version() -> str:
    """Version of llvmlite."""
    return str(import_module("llvmlite").__version__)


def is_loaded() -> bool:
    """Return True if this process has loaded LLVM."""
    return _MODULE in sys.modules
