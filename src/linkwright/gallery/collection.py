"""All claims, paper by paper."""

from __future__ import annotations

from linkwright.gallery import (
    hanzaki,
    khan_claims,
    khan_time,
    rao_claims,
    saha_claims,
    saha_costs,
    standards,
    wang_claims,
    wang_machines_claims,
)
from linkwright.gallery.records import Claim

PAPERS = {
    "saha": "S. K. Saha, Dynamics of serial multibody systems using the DeNOC matrices, J. Appl. Mech. 66 (1999)",
    "khan": "W. A. Khan, V. N. Krovi, S. K. Saha, J. Angeles, Modular and recursive kinematics and dynamics for "
    "parallel manipulators, Multibody Syst. Dyn. 14 (2005)",
    "wang": "J. Wang, C. M. Gosselin, L. Cheng, Modeling and simulation of robotic systems with closed kinematic "
    "chains using the virtual spring approach, Multibody Syst. Dyn. (2001)",
    "hanzaki": "A. Rahmani Hanzaki, E. Yoosefi, An improved dynamic modeling of a 3-RPS parallel manipulator using the "
    "concept of DeNOC matrices, NaCoMM (2011)",
    "rao": "A. B. Koteswara Rao, S. K. Saha, P. V. M. Rao, Dynamics modelling of hexaslides using the decoupled "
    "natural orthogonal complement matrices, Multibody Syst. Dyn. 15 (2006)",
    "andrews": "Andrews' squeezing mechanism, Test Set for IVP Solvers",
    "iftomm": "Two four-bars in a row, IFToMM benchmark A02, N = 2",
}

_LINES = {paper: n for n, paper in enumerate(PAPERS)}


def _order(claim: Claim) -> tuple[int, int]:
    """Paper by paper, each in the order of its checklist."""
    digits = "".join(c for c in claim.name.partition("/")[2].partition("-")[0] if c.isdigit())
    return _LINES[claim.paper], int(digits or 0)


CLAIMS: tuple[Claim, ...] = tuple(
    sorted(
        (
            *saha_claims.CLAIMS,
            *saha_costs.CLAIMS,
            *khan_claims.CLAIMS,
            *khan_time.CLAIMS,
            *wang_claims.CLAIMS,
            *wang_machines_claims.CLAIMS,
            *hanzaki.CLAIMS,
            *rao_claims.CLAIMS,
            *standards.CLAIMS,
        ),
        key=_order,
    )
)
