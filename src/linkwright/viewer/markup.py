"""Parts of HTML pages from plain data, with every text escaped."""

from __future__ import annotations

import base64
import re
from collections.abc import Iterable, Sequence

from linkwright.generated_text import html_text
from linkwright.readable_text import Description

_NUMBER = re.compile(r"[-+]?(\d+\.?\d*(e[-+]?\d+)?|inf|nan)")
_WIDE = 40  # characters of a cell from which on it has several lines
_LONG = ' class="long"'


def markup_table(heads: Sequence[str], rows: Iterable[Sequence[str]], caption: str = "") -> str:
    """A table whose first column names the rows; its classes number the other columns of text.

    >>> markup_table(["", "b"], [["<x>", "1"]])[-65:]
    '<tr><th scope="row">&lt;x&gt;</th><td>1</td></tr></tbody></table>'
    """
    rows = list(rows)
    lefts = " ".join(
        f"text{i + 1}" for i in range(1, len(heads)) if heads[i] and not _is_numeric_column([row[i] for row in rows])
    )
    top = "".join(f'<th scope="col">{html_text(head)}</th>' if head else "<td></td>" for head in heads)
    body = "".join(
        f'<tr><th scope="row">{html_text(row[0])}</th>'
        + "".join(f"<td{_LONG if len(cell) > _WIDE else ''}>{html_text(cell)}</td>" for cell in row[1:])
        + "</tr>"
        for row in rows
    )
    title = f"<caption>{html_text(caption)}</caption>" if caption else ""
    kind = f' class="{lefts}"' if lefts else ""
    return f"<table{kind}>{title}<thead><tr>{top}</tr></thead><tbody>{body}</tbody></table>"


def _is_numeric_column(cells: Sequence[str]) -> bool:
    """Return True if cells hold numbers or nothing.

    >>> _is_numeric_column(["1", "-2e3, nan", "-", ""]), _is_numeric_column(["1", "rad"]), _is_numeric_column(["", ""])
    (True, False, True)
    """
    parts = (part.strip(" %") for cell in cells for part in cell.split(","))
    return all(part in ("", "-") or _NUMBER.fullmatch(part) for part in parts)


def facts_list(pairs: Iterable[tuple[str, str]]) -> str:
    """A list of names and values."""
    lines = "".join(f"<dt>{html_text(name)}</dt><dd>{html_text(value)}</dd>" for name, value in pairs)
    return f"<dl>{lines}</dl>"


def description_markup(found: Description, picture: str = "", title: bool = True) -> str:
    """What an object says of itself: title, facts, notes, a picture where there is one, tables."""
    head = [f"<p><b>{html_text(found.title)}</b></p>"] if title else []
    parts = [*head, facts_list(found.facts), *([message_list(found.notes)] if found.notes else []), picture]
    return "".join([*parts, *(markup_table(each.heads, each.rows, each.heading) for each in found.tables)])


def page_section(title: str, *parts: str) -> str:
    """A part of a page under a heading."""
    return f"<section><h2>{html_text(title)}</h2>{''.join(parts)}</section>"


def folded_section(title: str, content: str) -> str:
    """A part that is folded until it is opened."""
    return f"<details><summary>{html_text(title)}</summary>{content}</details>"


def message_list(messages: Iterable[str]) -> str:
    """A list of messages."""
    return f"<ul>{''.join(f'<li>{html_text(each)}</li>' for each in messages)}</ul>"


def statement_paragraph(statements: Iterable[str]) -> str:
    """Statements behind each other; nothing when there are none."""
    text = " ".join(statements)
    return f"<p>{html_text(text)}</p>" if text else ""


def preformatted_text(text: str) -> str:
    """A text with its line ends."""
    return f"<pre>{html_text(text)}</pre>"


def download_link(title: str, name: str, text: str) -> str:
    """A link that saves a text as a file."""
    content = base64.b64encode(text.encode("utf-8", "replace")).decode("ascii")
    where = f"data:application/octet-stream;base64,{content}"
    return f'<p><a download="{html_text(name)}" href="{where}">{html_text(title)}</a></p>'
