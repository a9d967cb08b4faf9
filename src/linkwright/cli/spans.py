"""Options such as "x=-300 mm..300 mm:41, y=0..0.5:41": names, spans and counts."""

from __future__ import annotations

from linkwright.dataclass import dataclass
from linkwright.errors import ArgumentError


@dataclass(frozen=True)
class Span:
    """Two bounds as they are written, and a number of values; None where none is written."""

    low: str
    high: str
    count: int | None


def assignments(text: str | None, option: str, such: str) -> list[tuple[str, str]]:
    """Names and values of "a=1, b=2"; `such` is an example for the message.

    >>> assignments("x=0..1:3, y = 2 mm", "--at", "x=1")
    [('x', '0..1:3'), ('y', '2 mm')]
    """
    pairs = [part.partition("=") for part in (text or "").split(",") if part.strip()]
    for name, equals, value in pairs:
        if not (name.strip() and equals and value.strip()):
            raise ArgumentError(f"{option}: '{name.strip()}' has no value; write for example \"{such}\"")
    return [(name.strip(), value.strip()) for name, _, value in pairs]


def span(value: str) -> Span | None:
    """The span "low..high" or "low..high:count"; None of a text that is neither.

    >>> span("-300 mm..300 mm:41")
    Span(low='-300 mm', high='300 mm', count=41)
    >>> span("0.2..0.45").count is None, span("0.2"), span("0..1:many")
    (True, None, None)
    """
    both, colon, count = (x.strip() for x in value.partition(":"))
    low, dots, high = (x.strip() for x in both.partition(".."))
    if not (low and dots and high) or (colon and not (count.isascii() and count.isdigit())):
        return None
    return Span(low, high, int(count) if colon else None)
