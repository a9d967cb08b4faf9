"""Inertial parameters folded towards the base: what moves with parent and child alike is counted with the parent.

Mass on the axis of a revolute joint, for instance, moves in the same way whether it belongs to the child or to the
parent. Moving it inward leaves every force, acceleration and energy of the whole tree as it was and empties the outer
links' parameters, which saves operations; only wrenches inside joints change, so `reactions` uses the tree as drawn.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from linkwright.algebra.rotations import Rotation, axis_rotation
from linkwright.algebra.transforms import Moments, Transform
from linkwright.mechanism.tree import Link, Tree


def group_inertial_parameters(tree: Tree) -> Tree:
    """An equivalent tree with the inertial parameters folded towards the base."""
    links = list(tree.links)
    for i in tree.inward:
        inner = links[i].kind.shared_moments(links[i].moments)
        links[i] = replace(links[i], moments=_difference_of_moments(links[i].moments, inner))
        k = links[i].parent
        if k >= 0:
            links[k] = replace(links[k], moments=links[k].moments + _link_pose_at_zero(links[i]).composed(inner))
    return replace(tree, links=tuple(links))


def _difference_of_moments(body: Moments, part: Moments) -> Moments:
    return Moments.of(body.m - part.m, body.h - part.h, body.Sigma - part.Sigma)


def _link_pose_at_zero(link: Link) -> Transform:
    """Parent to link with the joint at zero; the shared moments do not feel the joint's own motion."""
    still = (
        axis_rotation(2, link.offsets[1]) if link.kind.keeps_orientation and link.kind.starts_about_z else Rotation()
    )
    return Transform(link.r, link.R * still, np.zeros(3))
