"""The documentation site: `python3 dev.py docs` builds it into docs/_build/html, readable offline."""

import re
import shutil
import sys
from hashlib import blake2b
from html import escape
from pathlib import Path

from docutils import nodes
from sphinx.domains.python import PyObject

import linkwright
from linkwright.functions.memo import source_stamp

sys.path.insert(0, str(Path(__file__).parent))
from pages import write_pages

project = "linkwright"
author = "The linkwright authors"
version = release = linkwright.__version__
extensions = ["myst_nb", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx.ext.mathjax"]
exclude_patterns = ["_build", "node_modules"]
html_theme = "furo"
html_title = "linkwright"
html_static_path = ["_static"]
html_css_files = ["pages.css"]
html_copy_source = False
# Pages that are notebooks run when the site is built, each in its own folder; a failing cell fails the build.
nb_execution_mode = "cache"
nb_execution_timeout = 280
nb_execution_raise_on_error = True
nb_execution_in_temp = True
nb_merge_streams = True
myst_enable_extensions = ["dollarmath", "colon_fence"]
myst_heading_anchors = 4
# The public names and signatures; `x` in a docstring is a name or code.
autodoc_default_options = {"members": True}
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_type_aliases = {"ArrayLike": "ArrayLike", "Array": "Array"}
python_maximum_signature_line_length = 100
python_use_unqualified_type_names = True
default_role = "name"
napoleon_google_docstring = True
napoleon_use_ivar = True
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


_FRAME = """<figure class="computing-page">
<iframe src="{page}" title="{alt}" loading="lazy" allow="fullscreen"></iframe>
<figcaption>{alt}. <a href="{page}">Open it alone</a></figcaption></figure>"""


def _computing_pages(app, doctree):
    """Put the page that computes where Markdown has its picture; in the gallery the picture opens the page."""
    docname = app.env.docname
    for node in list(doctree.findall(nodes.image)):
        found = re.search(r"images/pages/([\w-]+)\.png$", node["uri"])
        if not found:
            continue
        page = "../" * docname.count("/") + f"pages/{found[1]}.html"
        if docname == "gallery":
            node.replace_self(nodes.reference("", "", node.deepcopy(), refuri=page))
            continue
        text = _FRAME.format(page=page, alt=escape(node.get("alt", found[1])))
        while not isinstance(node, nodes.paragraph):
            node = node.parent
        node.replace_self(nodes.raw("", text, format="html"))


def _write_pages(app, error):
    """Write the pages, unless those of an earlier build are of the same sources."""
    if error or app.builder.format != "html":
        return
    folder, source = Path(app.outdir) / "pages", Path(app.srcdir)
    texts = [path.read_bytes() for path in (source / "pages.py", *sorted((source / "howto").glob("*.md")))]
    stamp = blake2b(b"".join([source_stamp("model", "simulation", "analysis", "viewer").encode(), *texts])).hexdigest()
    mark = folder / "sources.txt"
    if not mark.is_file() or mark.read_text() != stamp:
        write_pages(folder, [])
        mark.write_text(stamp)


def _name(name, rawtext, text, lineno, inliner, options=None, content=()):
    """`Model` in a docstring leads to its entry; anything else is code."""
    if re.fullmatch(r"([a-z]\w*\.)*[A-Z]\w+", text):
        role, target = inliner.document.settings.env.get_domain("py").role("obj"), text.rpartition(".")[2]
        return role("py:obj", rawtext, f"{text} <.{target}>", lineno, inliner, options or {}, content)
    return [nodes.literal(rawtext, text)], []


def _decisions(app, docname, source):
    """Keep decisions out of the navigation and the search; pages link to the one that they rest on."""
    if docname.startswith("decisions/"):
        source[0] = "---\norphan: true\nnosearch: true\n---\n" + source[0]


def _fields(app, what, name, thing, options, lines):
    """Several arguments that share a description stay together: "q, v: ..." is one field, not v of the type q."""
    inside = False
    for i, line in enumerate(lines):
        inside = line.strip() in ("Args:", "Attributes:") or (inside and (line.startswith(" ") or not line))
        if inside:
            lines[i] = re.sub(r"^(\s+)(\w+(?:, \w+)+):", lambda m: m[1] + m[2].replace(", ", ",") + ":", line)


def setup(app):
    app.connect("autodoc-process-docstring", _fields, priority=400)  # before napoleon
    for field in PyObject.doc_field_types:
        if field.name == "variable":
            field.rolename = ""  # attributes named q or t are names, not references to the first q or t anywhere
    app.connect("source-read", _decisions)
    app.add_role("name", _name)
    app.connect("doctree-read", _equations)
    app.connect("doctree-read", _computing_pages)
    app.connect("build-finished", lambda app, error: _mathjax(app))
    app.connect("build-finished", _write_pages)
