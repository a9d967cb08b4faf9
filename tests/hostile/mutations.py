"""Edits that make a good text or file a bad one: bytes, tokens, numbers taken to extremes, lines and structure."""

from __future__ import annotations

import random
import re
from collections.abc import Callable

from tests.formats.fuzz import WORDS

TEXT = (
    "0 -0 1 -1 1e-300 1e300 -1e300 1e308 1e-320 1e999 -1e999 nan inf -inf .nan .inf 1e16 1e-16 9007199254740993 "
    "18446744073709551616 0x7fffffff 1_0 1e 1e+ --1 1.2.3 3.141592653589793 6.283185307179586 1e5 \u00bd \u0663 1,5"
)
NUMBERS = [*TEXT.split(" "), "9" * 400, "0." + "1" * 400, ""]
NUMBER = re.compile(r"[-+]?\d+\.?\d*(?:[eE][-+]?\d+)?")
WORD = re.compile(r"[A-Za-z_][\w.-]*")
ELEMENT = re.compile(r"<(\w+)[^<>]*?(/>|>)")
ATTRIBUTE = re.compile(r'\s[\w:]+="[^"]*"')


def number(text: str, rng: random.Random) -> str:
    """One to four numbers of the text replaced by others."""
    for _ in range(rng.randint(1, 4)):
        found = list(NUMBER.finditer(text))
        if not found:
            return text
        at = rng.choice(found)
        new = rng.choice(NUMBERS) if rng.random() < 0.4 else f"{float(at[0]) * 10.0 ** rng.randint(-12, 12):.17g}"
        text = text[: at.start()] + new + text[at.end() :]
    return text


def word(text: str, rng: random.Random) -> str:
    """A word replaced by another of the same text, or by a strange one."""
    found = list(WORD.finditer(text))
    if not found:
        return text
    at = rng.choice(found)
    new = rng.choice(found)[0] if rng.random() < 0.6 else rng.choice(WORDS)
    return text[: at.start()] + new + text[at.end() :]


def lines(text: str, rng: random.Random) -> str:
    """Lines left out, repeated, swapped or moved in."""
    rows = text.split("\n")
    a, b = sorted(rng.randrange(len(rows)) for _ in range(2))
    match rng.randrange(5):
        case 0:
            del rows[a : a + rng.randint(1, 3)]
        case 1:
            rows[a:a] = rows[a : a + rng.randint(1, 5)] * rng.randint(1, 20)
        case 2:
            rows[a], rows[b] = rows[b], rows[a]
        case 3:
            rows[a] = rng.choice((" ", "  ", "    ", "\t")) + rows[a]
        case _:
            rows[a] = rows[a].lstrip()
    return "\n".join(rows)


def characters(text: str, rng: random.Random) -> str:
    """Characters left out, put in, or replaced; now and then any code point, or the end cut off."""
    i = rng.randrange(len(text) + 1)
    match rng.randrange(5):
        case 0:
            return text[:i] + text[i + rng.randint(1, 30) :]
        case 1:
            return text[:i] + rng.choice(WORDS) + text[i:]
        case 2:
            return (
                text[:i]
                + chr(rng.choice((rng.randrange(32, 127), rng.randrange(0x2500), 0x110000 - 1)))
                + text[i + 1 :]
            )
        case 3:
            return text[:i] + text[i : i + rng.randint(1, 200)] * rng.randint(2, 60) + text[i:]
        case _:
            return text[:i]


def structure(text: str, rng: random.Random) -> str:
    """XML: elements and attributes left out, repeated or moved; other texts: a part moved elsewhere."""
    elements, attributes = list(ELEMENT.finditer(text)), list(ATTRIBUTE.finditer(text))
    if not elements:
        return part_moved(text, rng)
    at, to = rng.choice(elements), rng.choice(elements)
    match rng.randrange(5):
        case 0:
            return text[: at.start()] + text[at.end() :]
        case 1:
            return text[: to.start()] + at[0] * rng.randint(1, 50) + text[to.start() :]
        case 2 if attributes:
            cut = rng.choice(attributes)
            return text[: cut.start()] + text[cut.end() :]
        case 3 if attributes:
            moved, new = rng.choice(attributes), rng.choice(attributes)
            return text[: moved.start()] + new[0] + text[moved.end() :]
        case _:
            return part_moved(text, rng)


def part_moved(text: str, rng: random.Random) -> str:
    i, j = sorted(rng.randrange(len(text) + 1) for _ in range(2))
    j = min(j, i + 400)
    k = rng.randrange(len(text) + 1)
    return text[:k] + text[i:j] + text[k:]


_EDITS: tuple[Callable[[str, random.Random], str], ...] = (number, number, word, lines, characters, structure)


def mutated(text: str, rng: random.Random) -> str:
    """The text after one to three edits."""
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        text = rng.choice(_EDITS)(text, rng) if text else rng.choice(WORDS)
    return text


def damaged(content: bytes, rng: random.Random) -> bytes:
    """Bytes of a file changed, left out, put in, repeated or cut off."""
    out = bytearray(content)
    for _ in range(rng.choice((1, 1, 1, 2, 4, 16))):
        i = rng.randrange(len(out) + 1)
        match rng.randrange(7):
            case 0 | 1 if i < len(out):
                out[i] ^= 1 << rng.randrange(8)
            case 2 if i < len(out):
                out[i] = rng.randrange(256)
            case 3:
                del out[i : i + rng.choice((1, 8, 512))]
            case 4:
                out[i:i] = rng.randbytes(rng.choice((1, 4, 64)))
            case 5:
                out[i : i + 8] = rng.choice((b"\0" * 8, b"\xff" * 8, b"\x7f" * 8))
            case _:
                del out[i:]
        if not out:
            return bytes(out)
    return bytes(out)
