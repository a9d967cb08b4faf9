"""All claims, paper by paper: statements and published numbers from the data files, ours from the functions."""

from __future__ import annotations

import tomllib
from typing import Any

from linkwright.papers import benchmark_claims, posture_claims
from linkwright.papers.gallery.claim_records import (
    PRINTED,
    AtLeast,
    AtMost,
    Between,
    Claim,
    Computed,
    Difference,
    Expectation,
    Near,
)
from linkwright.papers.gallery.published_mechanisms import DATA
from linkwright.papers.hanzaki import hanzaki_claims as hanzaki
from linkwright.papers.khan import khan_claims as khan
from linkwright.papers.khan import time_claims as khan_time
from linkwright.papers.rao import rao_claims as rao
from linkwright.papers.saha import cost_claims as saha_costs
from linkwright.papers.saha import saha_claims as saha
from linkwright.papers.wang import mechanism_claims as wang_mechanisms
from linkwright.papers.wang import wang_claims as wang

PAPERS = {
    "saha": "S. K. Saha, Dynamics of serial multibody systems using the DeNOC matrices, J. Appl. Mech. 66 (1999)",
    "khan": "W. A. Khan, V. N. Krovi, S. K. Saha, J. Angeles, Modular and recursive kinematics and dynamics for "
    "parallel manipulators, Multibody Syst. Dyn. 14 (2005)",
    "wang": "J. Wang, C. M. Gosselin, L. Cheng, Modeling and simulation of robotic systems with closed kinematic "
    "chains using the virtual spring approach, Multibody Syst. Dyn. (2001)",
    "hanzaki": "A. Rahmani Hanzaki, E. Yoosefi, An improved dynamic modeling of a 3-RPS parallel manipulator using the "
    "concept of DeNOC matrices, NaCoMM (2011)",
    "rao": "A. B. Koteswara Rao, S. K. Saha, P. V. M. Rao, Dynamics modeling of hexaslides using the decoupled "
    "natural orthogonal complement matrices, Multibody Syst. Dyn. 15 (2006)",
    "andrews": "Andrews' squeezing mechanism, Test Set for IVP Solvers",
    "iftomm": "IFToMM library of computational benchmark problems: A02, chains of four-bars; A05, the flyball governor",
    "dietmaier": "P. Dietmaier, The Stewart-Gough platform of general geometry can have 40 real postures, Advances in "
    "Robot Kinematics (1998)",
    "alias": "ALIAS, a library of interval analysis (J.-P. Merlet and others): its planar platform 3-RPR",
}

COMPUTED: dict[str, Computed] = {
    "saha": {**saha.COMPUTE, **saha_costs.COMPUTE},
    "khan": {**khan.COMPUTE, **khan_time.COMPUTE},
    "wang": {**wang.COMPUTE, **wang_mechanisms.COMPUTE},
    "hanzaki": hanzaki.COMPUTE,
    "rao": rao.COMPUTE,
    "andrews": benchmark_claims.ANDREWS,
    "iftomm": benchmark_claims.IFTOMM,
    "dietmaier": posture_claims.DIETMAIER,
    "alias": posture_claims.ALIAS,
}


def _claims_of_paper(paper: str, compute: Computed) -> list[Claim]:
    """The claims of a paper in the order of its checklist, as its data file lists them."""
    with (DATA / f"{paper}.toml").open("rb") as file:
        rows = tomllib.load(file)
    if rows.keys() != compute.keys():
        raise ValueError(f"claims of '{paper}' without statement or function: {sorted(rows.keys() ^ compute.keys())}")
    return [_claim_from_row(f"{paper}/{name}", row, compute[name]) for name, row in rows.items()]


def _claim_from_row(name: str, row: dict[str, Any], compute: Any) -> Claim:
    differs, source = row.get("differs"), row.get("source", PRINTED)
    because = Difference(differs["reason"], _expectation_from_row(differs)) if differs else None
    return Claim(
        name, row["where"], row["statement"], _expectation_from_row(row), compute, row.get("unit", ""), source, because
    )


def _expectation_from_row(row: dict[str, Any]) -> Expectation:
    if "near" in row:
        return Near(tuple(row["near"]), row["within"])
    if "between" in row:
        low, high = row["between"]
        return Between(low, high, row["about"])
    return AtMost(row["at_most"]) if "at_most" in row else AtLeast(row["at_least"])


CLAIMS: tuple[Claim, ...] = tuple(claim for paper in PAPERS for claim in _claims_of_paper(paper, COMPUTED[paper]))
