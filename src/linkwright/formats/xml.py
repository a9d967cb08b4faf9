"""XML text to plain elements with their lines; no document types, no entities, no network, limits on size and depth."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field
from typing import NoReturn
from xml.parsers import expat
from xml.sax.saxutils import escape, quoteattr

from linkwright.checks import require_text
from linkwright.dataclass import dataclass
from linkwright.formats.import_findings import refuse_one

LARGEST = 8 * 1024 * 1024
DEEPEST = 64
MOST_ELEMENTS = 200_000


@dataclass
class Element:
    """A tag with its attributes, children, line and the text before its first child."""

    tag: str
    attributes: dict[str, str]
    line: int
    children: list[Element] = field(default_factory=list)
    text: str = ""

    def all(self, tag: str) -> Iterator[Element]:
        """The children with a tag."""
        return (child for child in self.children if child.tag == tag)

    def first(self, tag: str) -> Element | None:
        """The first child with a tag, if there is one."""
        return next(self.all(tag), None)


class _Refused(Exception):
    """Code, message and fix of what is not read."""

    def __init__(self, code: str, message: str, fix: str) -> None:
        super().__init__(message)
        self.found = code, message, fix


def parse_xml(text: str, file: str) -> Element:
    """The root element of an XML text.

    >>> parse_xml('<robot name="r"><link name="a"/></robot>', "r.urdf").first("link").attributes
    {'name': 'a'}
    """
    require_text("text", text, "the text of a file")
    require_text("file", file, "a name for messages")
    if len(text) > LARGEST:
        refuse_one(file, "too-large", f"the file has {len(text)} characters and at most {LARGEST} are read")
    text = _without_comments(text)
    parser = expat.ParserCreate()
    builder = _Builder(parser)
    try:
        parser.Parse(text, True)
    except _Refused as stop:
        refuse_one(file, *stop.found, line=parser.CurrentLineNumber)
    except expat.ExpatError as error:
        reason = expat.errors.messages.get(error.code, "it cannot be read")
        refuse_one(file, "bad-syntax", f"this is not valid XML: {reason}", "check tags and quotes", error.lineno)
    except ValueError as error:
        refuse_one(file, "bad-syntax", f"this is not valid XML: {error}")
    return builder.root.children[0]


def _without_comments(text: str) -> str:
    """The text with comments replaced by their line ends: many have "--" inside, which XML forbids.

    >>> _without_comments("<a><!-- -- --><b/></a>")
    '<a><b/></a>'
    """
    parts, at = [], 0
    while (start := text.find("<!--", at)) >= 0 and (end := text.find("-->", start + 4)) >= 0:
        parts += [text[at:start], "\n" * text.count("\n", start, end)]
        at = end + 3
    return "".join(parts) + text[at:]


class _Builder:
    def __init__(self, parser: expat.XMLParserType) -> None:
        self.parser = parser
        self.root = Element("", {}, 0)
        self.open = [self.root]
        self.count = 0
        parser.StartElementHandler = self.start
        parser.EndElementHandler = self.end
        parser.CharacterDataHandler = self.characters
        parser.StartDoctypeDeclHandler = self.doctype
        parser.EntityDeclHandler = self.doctype
        parser.ExternalEntityRefHandler = self.doctype

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        self.count += 1
        if len(self.open) > DEEPEST:
            raise _Refused("too-large", f"elements are nested more than {DEEPEST} deep", "no robot needs that")
        if self.count > MOST_ELEMENTS:
            raise _Refused("too-large", f"the file has more than {MOST_ELEMENTS} elements", "is it a robot?")
        element = Element(tag, attributes, self.parser.CurrentLineNumber)
        self.open[-1].children.append(element)
        self.open.append(element)

    def end(self, _: str) -> None:
        self.open.pop()

    def characters(self, text: str) -> None:
        if not self.open[-1].children:
            self.open[-1].text += text

    def doctype(self, *_: object) -> NoReturn:
        raise _Refused("not-read", "document types and entities (<!DOCTYPE, <!ENTITY) are not read", "delete them")


def xml_text(element: Element, indent: str = "") -> str:
    """An element as text that `parse_xml` reads as the same element.

    >>> print(xml_text(Element("a", {"x": "1 < 2"}, 0, [Element("b", {}, 0)])))
    <a x="1 &lt; 2">
      <b/>
    </a>
    """
    attributes = "".join(f" {name}={quoteattr(value)}" for name, value in element.attributes.items())
    text = escape(element.text) if element.text.strip() else ""
    if not element.children:
        return f"{indent}<{element.tag}{attributes}" + (f">{text}</{element.tag}>" if text else "/>")
    inside = "\n".join(xml_text(child, indent + "  ") for child in element.children)
    return f"{indent}<{element.tag}{attributes}>{text}\n{inside}\n{indent}</{element.tag}>"
