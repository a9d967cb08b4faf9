"""Center line of a bent beam (any scalar)."""

from __future__ import annotations

import numpy as np

from linkwright.algebra.vectors import Mat, Vec
from linkwright.joints.beam_records import Beam
from linkwright.joints.beam_shapes import axial_shortening, center_line_deflection
from linkwright.mechanism.tree import Tree
from linkwright.recursion.poses import link_poses


def bent_point(beam: Beam, eta: Vec, x: float) -> Vec:
    """The point of the center line that lies at x when the beam is straight, beam axes, (3,), [m] (theory 9.7)."""
    along = x - 0.5 * (eta @ (axial_shortening(beam, x) @ eta)) if beam.shortening else x
    return along * np.array([1.0, 0.0, 0.0]) + center_line_deflection(beam, x) @ eta


def center_line(tree: Tree, q: Vec, link: int, xs: Vec) -> Mat:
    """Points of the center line of the beam whose modal coordinates a link carries, world axes, (len(xs), 3), [m]."""
    carrier = tree.links[link]
    pose = link_poses(tree, q)[link]
    return np.array([pose.r + pose.R @ bent_point(carrier.kind.beam, q[carrier.coords], float(x)) for x in xs])
