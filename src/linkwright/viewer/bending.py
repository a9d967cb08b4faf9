"""Flexible links as the page bends them: stations along the centre line and how each modal coordinate moves them."""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwright.mechanism import joints as kinds
from linkwright.mechanism.beam_shapes import displacement
from linkwright.mechanism.mechanism import Mechanism
from linkwright.mechanism.records import Joint
from linkwright.viewer.automatic import body_colour
from linkwright.viewer.setting import Setting

_STATIONS = 33


def beam_data(scene: Setting) -> list[dict[str, Any]]:
    """Every beam: its body, where its modal coordinates start in q, its stations, and displacement per coordinate.

    `fields` holds for every station and modal coordinate the displacement x y z in the body's frame, [m/m]; `held` the
    numbers of the stations that other bodies are joined to, the root first.
    """
    out = []
    for joint in scene.mech.joints:
        if isinstance(joint.kind, kinds.Modes):
            beam = joint.kind.beam
            stations = np.linspace(0.0, beam.length, _STATIONS)
            fields = np.array([displacement(beam, float(x)).T for x in stations])
            out.append(
                {
                    "name": joint.parent,
                    "body": scene.numbers[joint.parent],
                    "column": scene.columns[joint.name],
                    "count": beam.count,
                    "stations": stations.tolist(),
                    "fields": fields.ravel().tolist(),
                    "held": held_stations(scene.mech, joint),
                    "radius": 0.75 * scene.unit,
                    "colour": body_colour(scene, joint.parent),
                }
            )
    return out


def held_stations(mech: Mechanism, modes: Joint) -> list[int]:
    """Numbers of the stations of a beam where other bodies are joined to it, its root included, rising."""
    joined = {j.parent for j in mech.joints} | {name for loop in mech.loops for name in (loop.parent, loop.child)}
    joined |= {name for strut in mech.struts for name in (strut.parent, strut.child)}
    sections = [(j.child, j.kind) for j in mech.joints if j.parent == modes.child and isinstance(j.kind, kinds.Section)]
    held = {round(kind.x / kind.beam.length * (_STATIONS - 1)) for name, kind in sections if name in joined}
    return sorted(held | {0})
