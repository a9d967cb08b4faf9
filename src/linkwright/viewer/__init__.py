"""Scenes, pages that open by double-click, and the live page."""

from linkwright.viewer.document import Document, document
from linkwright.viewer.motion import Plot, ShownMotion
from linkwright.viewer.page import page

__all__ = ["Document", "Plot", "ShownMotion", "document", "page"]
