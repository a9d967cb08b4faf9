"""Flexible links of a model: where they run and how far they are bent."""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwright.checks import require_instance, require_number, require_text
from linkwright.errors import ArgumentError
from linkwright.functions.tree import tree_functions
from linkwright.joints.beams import Beam
from linkwright.kinematics.query import batch_array
from linkwright.mechanism.flexible_bodies import beams_of
from linkwright.mechanism.names import suggest_name
from linkwright.model.model import Model
from linkwright.recursion.poses import bent_point

Array = np.ndarray


def beam_points(model: Model, q: Array) -> dict[str, Array]:
    """Center lines of all beams: {body: (..., 25, 3)}, [m], world axes, from root to tip.

    >>> import linkwright as lw
    >>> model = lw.build(lw.catalog.load("four-bar-flexible"))
    >>> line = beam_points(model, model.assemble().q)["coupler"]
    >>> line.shape, [float(round(x, 6)) for x in line[0]]
    ((25, 3), [0.0, 1.0, 0.0])
    """
    require_instance("model", model, Model, "a Model from linkwright.build")
    q = batch_array("q", q, model.nq)
    return {name: model._function(tree_functions.beam_points, frame=name)(q) for name in beams_of(model.mechanism)}


def deflection(model: Model, q: Array, body: str, x: float | None = None) -> Array:
    """Displacement of a beam's center line at x [m] (None: its tip) from the straight beam, (..., 3), [m], beam axes.

    >>> import linkwright as lw
    >>> model = lw.build(lw.catalog.load("four-bar-flexible"))
    >>> bent = deflection(model, [0.0, 0.0, 0.0, 0.01, 0.002], "coupler", 2.0)
    >>> [float(round(v, 6)) for v in bent]
    [0.0, 0.01, 0.0]
    """
    require_instance("model", model, Model, "a Model from linkwright.build")
    beam, q = _beam_of_body(model, require_text("body", body)), batch_array("q", q, model.nq)
    at = beam.length if x is None else require_number("x", x)
    if not 0.0 <= at <= beam.length:
        raise ArgumentError(f"x is {x} m, expected a point of the beam '{body}' between 0 and {beam.length:g} m")
    indices = [model.q_names.index(f"{body}.eta{i + 1}") for i in range(beam.count)]
    bent = np.apply_along_axis(lambda eta: bent_point(beam, eta, at), -1, q[..., indices])
    return bent - np.array([at, 0.0, 0.0])


def _beam_of_body(model: Model, body: Any) -> Beam:
    known = beams_of(model.mechanism)
    if body not in known:
        raise ArgumentError(f"unknown flexible body '{body}' of '{model.mechanism.name}'{suggest_name(body, known)}")
    return known[body]
