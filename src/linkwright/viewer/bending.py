"""Flexible links as the page bends them: stations along the centre line and how each modal coordinate moves them."""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwright.mechanism import joints as kinds
from linkwright.mechanism.beam_shapes import displacement
from linkwright.viewer.automatic import body_colour
from linkwright.viewer.setting import Setting

_STATIONS = 33


def beam_data(scene: Setting) -> list[dict[str, Any]]:
    """Every beam: its body, where its modal coordinates start in q, its stations, and displacement per coordinate.

    `fields` holds for every station and modal coordinate the displacement x y z in the body's frame, [m/m].
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
                    "radius": 0.75 * scene.unit,
                    "colour": body_colour(scene, joint.parent),
                }
            )
    return out
