"""Scenes, pages that open by double-click, and the live page."""

from linkwright.viewer.document import PageContent, document
from linkwright.viewer.motion import Plot, ShownMotion
from linkwright.viewer.page import page

__all__ = ["PageContent", "Plot", "ShownMotion", "document", "page"]
