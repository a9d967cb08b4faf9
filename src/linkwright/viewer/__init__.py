"""Scenes, and pages that open by double-click and compute."""

from linkwright.viewer.page import page
from linkwright.viewer.page_content import PageContent, document
from linkwright.viewer.shown_motion import ShownMotion

__all__ = ["PageContent", "ShownMotion", "document", "page"]
