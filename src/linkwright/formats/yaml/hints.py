"""Words that other programs use, and slips of the pen: what was probably meant."""

from __future__ import annotations

import re
from collections.abc import Iterable

from linkwright.mechanism.names import suggestion

_KINDS = {
    "revolute": "r hinge pin rotary rotational rotation rotating continuous turning",
    "prismatic": "p slider slide sliding linear translational translation piston",
    "spherical": "s ball ball-joint ball-and-socket",
    "universal": "u cardan hooke gimbal",
    "cylindrical": "c cylinder",
    "fixed": "weld welded rigid",
    "floating": "free freeflyer 6dof",
    "screw": "h helical leadscrew spindle",
    "planar": "e plane",
    "distance": "rod rope",
}
_KEYS = {
    "bodies": "links parts segments",
    "actuators": "motors drives actuated",
    "joints": "pairs hinges connections",
    "loops": "constraints closures closed_loop",
    "lower": "min minimum low",
    "upper": "max maximum high",
    "com": "cog center_of_mass centre_of_mass mass_center mass_centre",
    "at": "origin position pos xyz",
    "parent": "from body1 predecessor",
    "child": "to body2 successor",
    "type": "kind",
    "licence": "license",
    "source": "author reference",
    "coulomb": "static dry",
    "gear": "ratio reduction",
}
_PHRASES = {  # a key that is not one, what it is here, and a key that is known wherever the phrase fits
    "damping": ("friction", "friction: {viscous: ...}"),
    "damper": ("friction", "friction: {viscous: ...}"),
    "dampers": ("struts", "struts: ... with 'damping', or 'friction: {viscous: ...}' in a joint"),
    "springs": ("struts", "struts: ... with 'stiffness', or 'spring: {stiffness: ...}' in a joint"),
    "stiffness": ("spring", "spring: {stiffness: ...}"),
    "length": ("com", "'at' and 'child_at' of its joints; a body itself has no length"),
    "variables": ("bodies", "parameters: {name: value}"),
}
_COMPUTED = re.compile(r"'([A-Za-z_(][^']*)' is not a quantity")


def meant(word: object, known: Iterable[str]) -> str:
    """A closing clause for an unknown word: what it is called here, the closest known one, or what there is.

    >>> meant("hinge", ["fixed", "revolute"]), meant("damping", ["spring", "friction"])
    (" (did you mean 'revolute'?)", ' (write friction: {viscous: ...})')
    """
    known, low = list(known), str(word).lower()
    if low in _PHRASES and _PHRASES[low][0] in known:
        return f" (write {_PHRASES[low][1]})"
    for table in (_KINDS, _KEYS):
        for here, others in table.items():
            if here in known and low in others.split():
                return f" (did you mean '{here}'?)"
    return suggestion(word, known)


def way_out(complaint: str) -> str:
    """A complaint about a value, and that a file can compute it.

    >>> way_out("'crank / 2' is not a quantity; write a number")
    "'crank / 2' is not a quantity; write a number, or '= crank / 2' to compute it from parameters"
    """
    found = _COMPUTED.match(complaint)
    return f"{complaint}, or '= {found[1]}' to compute it from parameters" if found else complaint
