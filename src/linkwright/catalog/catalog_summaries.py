"""The catalog in one line per mechanism, without building any of them."""

from __future__ import annotations

import re

from linkwright.dataclass import dataclass
from linkwright.mechanism import Mechanism

_END = re.compile(r"(?<=[a-z]{2})\.(?=\s|$)|;| \(")

# Finding a mobility takes a model; these are found once, and the tests find them again.
_BY_MOBILITY = {
    1: "andrews-squeezer bennett bricard four-bar iftomm-two-four-bars peaucellier sarrus slider-crank theo-jansen-leg",
    2: "five-bar",
    3: "3-prs 3-rpr 3-rps 3-rrr agile-eye delta four-bar-flexible orthoglide three-link-arm tricept",
    4: "par4",
    6: "gough-stewart hexaglide hexam hexapod linapod puma-560 stanford-arm stewart-6-3",
}
"""Of the flexible four-bar one freedom is that of the linkage, two are shapes of the coupler."""
MOBILITY = {name: mobility for mobility, names in _BY_MOBILITY.items() for name in names.split()}


@dataclass(frozen=True)
class Summary:
    """A mechanism in one line: what it is, its freedoms, its actuators."""

    what: str
    mobility: int
    actuators: int


def catalog_summary(mech: Mechanism) -> Summary:
    """Summary of a mechanism of the catalog; an arm that names no actuators has one at every joint.

    >>> from linkwright import catalog
    >>> catalog_summary(catalog.load("slider-crank"))
    Summary(what='Slider-crank as in a small press or engine', mobility=1, actuators=1)
    """
    actuators = len(mech.actuators) or sum(joint.kind.nv for joint in mech.joints)
    return Summary(first_clause(mech.source), MOBILITY[mech.name], actuators)


def first_clause(source: str) -> str:
    """The first clause of a source, in one line.

    >>> first_clause("Planar five-bar robot (5R): two motors. More.")
    'Planar five-bar robot'
    """
    return _END.split(" ".join(source.split()), maxsplit=1)[0]
