"""The arms and numbers of Saha 1999, from the case files under tests/data (each names its source and tolerance)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from linkwright.formats import dh
from linkwright.mechanism import Inertia
from linkwright.mechanism.tree import Tree, spanning_tree

DATA = Path(__file__).parent.parent / "data"


def case(name: str) -> dict[str, Any]:
    """A case file."""
    return json.loads((DATA / f"{name}.json").read_text(encoding="utf-8"))


def arm(model: dict[str, Any]) -> Tree:
    """The tree of an arm in the case files' form: r is from the mass center to the next frame, angles in degrees."""
    rows = [row(model, i) for i in range(model["n"])]
    return spanning_tree(dh.arm_from_standard_dh(rows, gravity=tuple(model["g"])))


def row(model: dict[str, Any], i: int) -> dh.Row:
    revolute = model["joint"][i] == "R"
    return dh.Row(
        joint="revolute" if revolute else "prismatic",
        a=model["a"][i],
        b=model["b"][i] if revolute else 0.0,
        alpha=float(np.deg2rad(model["alpha_deg"][i])),
        theta=0.0 if revolute else float(np.deg2rad(model["theta_const_deg"][i])),
        inertia=Inertia.diagonal(model["m"][i], tuple(-np.array(model["r"][i])), tuple(model["I_diag"][i])),
    )
