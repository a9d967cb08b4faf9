"""The catalog in one line per machine, without building any of them."""

from __future__ import annotations

import re
from dataclasses import dataclass

from linkwright.mechanism import Mechanism
from linkwright.mechanism import joints as kinds

_END = re.compile(r"(?<=[a-z]{2})\.(?=\s|$)|;| \(")

# Finding a mobility takes a model; these are found once, and the tests find them again.
MOBILITY = {
    "3-prs": 3,
    "3-rpr": 3,
    "3-rps": 3,
    "3-rrr": 3,
    "agile-eye": 3,
    "andrews-squeezer": 1,
    "bennett": 1,
    "bricard": 1,
    "delta": 3,
    "five-bar": 2,
    "four-bar": 1,
    "four-bar-flexible": 3,  # one, and two shapes of the coupler
    "gough-stewart": 6,
    "hexaglide": 6,
    "hexam": 6,
    "hexapod": 6,
    "iftomm-two-four-bars": 1,
    "linapod": 6,
    "orthoglide": 3,
    "par4": 4,
    "peaucellier": 1,
    "puma-560": 6,
    "sarrus": 1,
    "slider-crank": 1,
    "stanford-arm": 6,
    "stewart-6-3": 6,
    "theo-jansen-leg": 1,
    "three-link-arm": 3,
    "tricept": 3,
}


@dataclass(frozen=True)
class Summary:
    """A machine in one line: what it is, its freedoms, its motors."""

    what: str
    mobility: int
    motors: int


def summary(mech: Mechanism) -> Summary:
    """What a mechanism of the catalog is; an arm that names no motors has one at every joint.

    >>> from linkwright import catalog
    >>> summary(catalog.load("slider-crank"))
    Summary(what='Slider-crank as in a small press or engine', mobility=1, motors=1)
    """
    motors = len(mech.actuators) or sum(kinds.nv(joint.kind) for joint in mech.joints)
    return Summary(opening(mech.source), MOBILITY[mech.name], motors)


def opening(source: str) -> str:
    """The first clause of a source, in one line.

    >>> opening("Planar five-bar robot (5R): two motors. More.")
    'Planar five-bar robot'
    """
    return _END.split(" ".join(source.split()), maxsplit=1)[0]
