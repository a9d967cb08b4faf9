"""Titles of pages: what a mechanism is called, and what a run of it shows."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from linkwright.mechanism import Mechanism
from linkwright.readable_text import quantity_text
from linkwright.results.result import Result

_FILE_NAME = re.compile(r"[a-z0-9]+([-_][a-z0-9]+)*")
_END_OF_PHRASE = re.compile(r"[,;:(]|\.(\s|$)")
_LONGEST = 48  # characters of a phrase
_FEW = 2  # parameters in a title


def mechanism_title(mech: Mechanism) -> str:
    """What a mechanism is called: the first words of its source where they hold its name, else its name.

    >>> from linkwright import catalog
    >>> [mechanism_title(catalog.load(name)) for name in ("gough-stewart", "3-rrr", "puma-560")]
    ['Gough-Stewart platform', '3-RRR', 'Unimation PUMA 560']
    """
    if not _FILE_NAME.fullmatch(mech.name):
        return mech.name
    phrase = " ".join(_END_OF_PHRASE.split(mech.source, maxsplit=1)[0].split())
    if len(phrase) <= _LONGEST and _plain_words(mech.name) in _plain_words(phrase):
        return phrase
    words = re.sub(r"_|(?<=[a-z])-(?=[a-z]{2})", " ", mech.name)
    words = re.sub(r"\b[b-df-hj-np-tv-xz]{2,4}\b", lambda found: found[0].upper(), words)
    words = re.sub(r"\b[a-z]{3,}\b", lambda found: _name_in_source(found[0], mech.source), words)
    return words[:1].upper() + words[1:]


def _name_in_source(word: str, source: str) -> str:
    """A word as the source writes it, where it is a name there: with a capital, and not at the start of a sentence."""
    found = re.search(rf"(?<=[\w,] )(?=\w*[A-Z]){word}\b", source, re.IGNORECASE)
    return found[0] if found and found[0] != word else word


def _plain_words(text: str) -> str:
    """Words between single spaces, for comparison."""
    return f" {re.sub(r'[-_ ]+', ' ', text.lower().replace(chr(39) + 's', ''))} "


def run_title(run: Result, mech: Mechanism | None) -> str:
    """What a run shows: mechanism, how it is moved, its duration, and the parameters it was made with."""
    about = run.meta.get("mechanism")
    named = str(about["name"]) if isinstance(about, dict) and "name" in about else "Run"
    parts = [named if mech is None else mechanism_title(mech), *_motion_phrase(run.meta)]
    if len(run.t) > 1:
        parts.append(quantity_text(float(run.t[-1] - run.t[0]), "s"))
    return ", ".join([*parts, *_given_parameters(run.meta, mech)])


def _motion_phrase(meta: Mapping[str, Any]) -> list[str]:
    """How the actuators are moved; nothing where a run does not say it."""
    if meta.get("command") == "motion":
        return [f"given {meta['motion']}"] if isinstance(meta.get("motion"), str) else ["given motion"]
    effort = meta.get("effort")
    if not isinstance(effort, str):
        return []
    if effort == "none":
        return ["let go"]
    if effort.startswith("["):
        return ["constant efforts" if re.search("[1-9]", effort) else "let go"]
    law = re.match(r"[A-Z]\w+", effort)
    words = re.findall(r"[A-Z]+(?![a-z])|[A-Z][a-z]+", law[0]) if law else []
    return [" ".join(word if len(word) > 1 and word.isupper() else word.lower() for word in words)] if words else []


def _given_parameters(meta: Mapping[str, Any], mech: Mechanism | None) -> list[str]:
    """The parameters with which a run was made, where they are few."""
    given = meta.get("parameters")
    units = {} if mech is None else {each.name: each.unit for each in mech.parameters}
    rows = [(name, x) for name, x in given.items() if isinstance(x, int | float)] if isinstance(given, dict) else []
    shown = rows if len(rows) <= _FEW else []
    return [f"{name.replace('_', ' ')} {quantity_text(x, units.get(name, ''))}" for name, x in shown]
