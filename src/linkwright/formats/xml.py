"""XML text to plain elements with their lines, within limits, and the numbers, poses and colors in attributes."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import field
from typing import Any, NoReturn
from xml.parsers import expat
from xml.sax.saxutils import escape, quoteattr

from linkwright.algebra.transforms import IDENTITY, RigidTransform
from linkwright.algebra.vectors import Vec3
from linkwright.checks import require_text
from linkwright.dataclass import dataclass
from linkwright.findings import Finding, Severity
from linkwright.formats.import_findings import refuse_one
from linkwright.formats.units import quote_short_value
from linkwright.numerics.tolerances import MANY_TURNS

# --- XML text to plain elements with their lines ----------------------------------------------------------------------

LARGEST = 8 * 1024 * 1024
DEEPEST = 64
MOST_ELEMENTS = 200_000
_END_TAGS = re.compile(rb"(\s|</[\w:.-]+\s*>)*")


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
    text = _without_declaration(_without_comments(text))
    parser = expat.ParserCreate()
    builder = _Builder(parser)
    try:
        parser.Parse(text, True)
    except _Refused as stop:
        refuse_one(file, *stop.found, line=parser.CurrentLineNumber)
    except expat.ExpatError as error:
        if _is_closed_again(text, parser, builder):
            return builder.root.children[0]
        reason = expat.errors.messages.get(error.code, "it cannot be read")
        refuse_one(file, "bad-syntax", f"this is not valid XML: {reason}", "check tags and quotes", error.lineno)
    except ValueError as error:
        refuse_one(file, "bad-syntax", f"this is not valid XML: {error}")
    return builder.root.children[0]


def _is_closed_again(text: str, parser: expat.XMLParserType, builder: _Builder) -> bool:
    """Return True if the root is complete and only end tags follow it, which other readers do not look at."""
    if len(builder.open) > 1 or not builder.root.children:
        return False
    data = text.encode(errors="replace")
    rest = data[max(0, data.rfind(b"<", 0, parser.ErrorByteIndex + 1)) :]
    return _END_TAGS.fullmatch(rest) is not None


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


def _without_declaration(text: str) -> str:
    """The text without its declaration: other readers allow lines before it, and the text is decoded already.

    >>> _without_declaration('\\n <?xml version="1.0"?><a/>')
    '\\n<a/>'
    """
    start = len(text) - len(text.lstrip("\ufeff \t\r\n"))
    end = text.find("?>", start) + 2 if text.startswith(("<?xml ", "<?xml\t", "<?xml\n"), start) else 0
    return "\n" * text.count("\n", 0, end) + text[end:] if end > 1 else text


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


def corrected_tag(element: Element, **attributes: str) -> str:
    """The start tag of an element with other values of attributes, as a line to write; long numbers are shortened.

    >>> corrected_tag(Element("limit", {"lower": "2", "upper": "1"}, 0), lower="1", upper="2")
    '<limit lower="1" upper="2"/>'
    """
    return xml_text(Element(element.tag, {**element.attributes, **attributes}, 0))


def plain_numbers(values: Sequence[float]) -> str:
    """Numbers as text for an attribute.

    >>> plain_numbers([0.0, 1.5707963267948966])
    '0 1.570796'
    """
    return " ".join(f"{x + 0.0:.7g}" for x in values)


# --- numbers, names and poses in XML attributes -----------------------------------------------------------------------


@dataclass
class Findings:
    """Findings of the reading of one file: problems refuse it, notes go with what is read."""

    problems: list[Finding] = field(default_factory=list)
    notes: list[Finding] = field(default_factory=list)

    def problem(self, message: str, element: Element, code: str = "bad-value", fix: str = "") -> None:
        """Something that refuses the file, at the line of an element."""
        subject = element.attributes.get("name", "") or element.tag
        self.problems.append(Finding(code, message, fix, subject=subject, line=element.line))

    def note(
        self,
        message: str,
        severity: Severity = "remark",
        code: str = "assumed",
        subject: str = "",
        value: Any = None,
        fix: str = "",
        line: int = 0,
    ) -> None:
        """Something dropped, assumed or doubted; an "error" when the mechanism read is another one than the file's,
        a "warning" when forces or masses may differ, a "remark" when the mechanics is the same."""
        self.notes.append(Finding(code, message, fix, severity, subject, value, line=line))

    def text(self, element: Element, name: str, owner: str) -> str:
        """An attribute that must be there and not be empty."""
        value = element.attributes.get(name, "").strip()
        if not value:
            self.problem(f'{owner}: <{element.tag}> needs {name}="..."', element, "missing-key")
        return value

    def numbers(self, element: Element, name: str, owner: str, default: tuple[float, ...]) -> tuple[float, ...]:
        """As many numbers as the default has; the default when the attribute is missing."""
        written = element.attributes.get(name)
        if written is None:
            return default
        try:
            values = tuple(float(part) for part in written.split())
        except ValueError:
            values = ()
        if len(values) != len(default) or not all(map(math.isfinite, values)):
            wanted = "a finite number" if len(default) == 1 else f"{len(default)} finite numbers"
            meant = _meant_numbers(written, len(default))
            fix = f"write {corrected_tag(element, **{name: plain_numbers(meant)})}" if meant else ""
            text = f"{owner}: {name}={quote_short_value(written)} in <{element.tag}> is not {wanted}"
            self.problem(text, element, fix=fix)
            return default
        if len(default) == 1 and written != written.rstrip():
            text = f"{owner}: {name} in <{element.tag}> has a space behind the number, with which ROS reads none"
            fix = f"write {corrected_tag(element, **{name: written.strip()})}"
            self.note(text, "warning", "bad-value", owner, written, fix, element.line)
        return values

    def bound(self, element: Element | None, name: str, owner: str, default: float) -> float:
        """One number that may be infinite: a bound that is none."""
        written = "" if element is None else element.attributes.get(name, "").strip().lower()
        if written.lstrip("+-") in ("inf", "infinity"):
            return -math.inf if written.startswith("-") else math.inf
        return self.number(element, name, owner, default)

    def number(self, element: Element | None, name: str, owner: str, default: float = 0.0) -> float:
        """One number; the default when the element or the attribute is missing."""
        return default if element is None else self.numbers(element, name, owner, (default,))[0]

    def triple(self, element: Element, name: str, owner: str, default: Vec3 = (0.0, 0.0, 0.0)) -> Vec3:
        """Three numbers."""
        x, y, z = self.numbers(element, name, owner, default)
        return x, y, z

    def origin(self, element: Element, owner: str) -> RigidTransform:
        """The <origin> child as a pose; roll, pitch, yaw turn about fixed axes, or a quaternion x y z w (URDF 1.2)."""
        origin = element.first("origin")
        if origin is None:
            return IDENTITY
        xyz = self.triple(origin, "xyz", owner)
        if "quat_xyzw" in origin.attributes:
            x, y, z, w = self.numbers(origin, "quat_xyzw", owner, (0.0, 0.0, 0.0, 1.0))
            if math.hypot(x, y, z, w) > 0.0:
                return RigidTransform.from_quaternion(xyz, (w, x, y, z))
            fix = "give a unit quaternion"
            self.problem(f"{owner}: quat_xyzw in <origin> is zero", origin, "bad-quaternion", fix)
        rpy = self.triple(origin, "rpy", owner)
        if max(map(abs, rpy)) > MANY_TURNS:
            text = f"{owner}: rpy='{plain_numbers(rpy)}' in <origin> is more than a turn, in radians"
            turned = corrected_tag(origin, rpy=plain_numbers([math.radians(x) for x in rpy]))
            fix = f"if degrees were meant, write {turned}"
            self.note(text, "warning", "many-turns", owner, rpy, fix, origin.line)
        return RigidTransform.from_rpy(xyz, rpy)


_MEANT = re.compile(r"([-+]?(?:\d+(?:[.,]\d*)?|[.,]\d+)(?:[eE][-+]?\d+)?)\s*([a-zA-Z]*)")
_UNITS = {"": 1.0, "m": 1.0, "mm": 1e-3, "cm": 1e-2, "kg": 1.0, "g": 1e-3, "rad": 1.0, "deg": math.pi / 180.0}


def _meant_numbers(written: str, count: int) -> tuple[float, ...]:
    """Numbers that a text with commas or units probably means; none where that is not clear.

    >>> _meant_numbers("0,1", 1), _meant_numbers("1, 2, 3", 3), _meant_numbers("20 mm", 1), _meant_numbers("a", 1)
    ((0.1,), (1.0, 2.0, 3.0), (0.02,), ())
    """
    for text in (written, re.sub(r",(?=\s)|;", " ", written), written.replace(",", " ")):
        found = _MEANT.findall(text)
        if len(found) == count and not _MEANT.sub("", text).strip() and all(unit in _UNITS for _, unit in found):
            return tuple(float(number.replace(",", ".")) * _UNITS[unit] for number, unit in found)
    return ()


# --- colors of shapes as text: `#rrggbb`, or `#rrggbbaa` where one looks through --------------------------------------


def color_text(rgba: Sequence[float]) -> str:
    """A color of red, green, blue and, if given, opacity, each 0 to 1; NaN counts as 0.

    >>> color_text([1.0, 0.5, 0.0]), color_text([1.0, 0.5, 0.0, 1.0]), color_text([0.0, 0.0, 0.0, 0.5])
    ('#ff8000', '#ff8000', '#00000080')
    >>> color_text([float("nan"), 1.0, float("inf")])
    '#00ffff'
    """
    parts = [round(255 * min(max(0.0, float(x)), 1.0)) for x in rgba]
    return "#" + "".join(f"{x:02x}" for x in (parts[:3] if parts[3:] == [255] else parts))


def rgba_of_color(color: str) -> tuple[float, float, float, float]:
    """Red, green, blue and opacity, 0 to 1, of a color.

    >>> rgba_of_color("#ff0000"), rgba_of_color("#00000033")
    ((1.0, 0.0, 0.0, 1.0), (0.0, 0.0, 0.0, 0.2))
    """
    red, green, blue, opacity = (int((color + "ff")[i : i + 2], 16) / 255.0 for i in (1, 3, 5, 7))
    return red, green, blue, opacity
