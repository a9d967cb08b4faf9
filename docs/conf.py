"""The documentation site: `python3 dev.py docs` builds it into docs/_build/html, readable offline."""

import shutil
from pathlib import Path

from docutils import nodes

import linkwright

project = "linkwright"
author = "The linkwright authors"
version = release = linkwright.__version__
extensions = ["myst_nb", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx.ext.mathjax"]
exclude_patterns = ["_build"]
html_theme = "furo"
html_title = "linkwright"
html_static_path = ["_static"]
html_copy_source = False
nb_execution_mode = "off"
myst_enable_extensions = ["dollarmath", "colon_fence"]
myst_heading_anchors = 3
suppress_warnings = ["myst.header", "myst.xref_missing", "toc.not_included"]
autodoc_member_order = "bysource"
autodoc_typehints = "description"
napoleon_google_docstring = True
# Equations are drawn without the network: the script comes with the site.
mathjax_path = "mathjax/tex-svg.js"


def _mathjax(app):
    """Lay MathJax beside the pages; it is a package of the registry of Node, fetched when the site is built."""
    source = Path(app.srcdir) / "node_modules" / "mathjax" / "es5"
    target = Path(app.outdir) / "_static" / "mathjax"
    if source.is_dir() and not target.is_dir():
        shutil.copytree(source, target)


def _equations(app, doctree):
    """Hand displayed equations over as they are written: wrapped in another environment they could not carry \\tag."""
    for node in doctree.findall(nodes.math_block):
        text = node.astext()
        node["nowrap"] = node["no-wrap"] = True
        node.children = [nodes.Text(rf"\[{text}\]")]


def setup(app):
    app.connect("doctree-read", _equations)
    app.connect("build-finished", lambda app, error: _mathjax(app))
