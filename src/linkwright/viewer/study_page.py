"""The mechanism on the page of a study: drawn and computed at its states, its designs and within its region."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np

from linkwright.errors import LinkwrightError
from linkwright.formats import from_yaml
from linkwright.model import Model, build
from linkwright.results.studied_mechanism import StudiedMechanism
from linkwright.results.study_result import StudyContent
from linkwright.viewer.body_tracks import body_tracks
from linkwright.viewer.page_content import PageContent, document
from linkwright.viewer.page_titles import mechanism_title
from linkwright.viewer.region import region_data
from linkwright.viewer.scene_setting import setting
from linkwright.viewer.shown_motion import ShownMotion
from linkwright.viewer.sweep_motion import DURATION, actuator_sweep

_AXES = {"x", "y", "z"}


def study_page_content(content: StudyContent) -> PageContent | None:
    """The mechanism of a study as the content of a page; None where the study has none, or it cannot be built here."""
    studied = content.studied
    if studied is None:
        return None
    try:
        model = model_of_study(studied)
        motion = _motion_of_states(model, studied)
    except LinkwrightError:
        return None
    title = content.title.replace(studied.name, mechanism_title(model.mechanism))
    page = document(model, motion, title)
    more: dict[str, Any] = {}
    if len(motion.t) > 1 and len(studied.q) and studied.t is None:
        more["states"] = len(motion.t)
    if studied.designs:
        more["designs"] = [{"name": name, "values": dict(x)} for name, x in studied.designs.items()]
    if set(studied.region.get("names", ())) <= _AXES and len(studied.region.get("names", ())) > 1:
        more["workspace"] = region_data(_region_of_content(content, studied), np.asarray(studied.region["at"]))
    return replace(page, data=page.data | more, bounds=studied.bounds)


def model_of_study(studied: StudiedMechanism) -> Model:
    """The model that was studied, from the text of its file."""
    mech = from_yaml(studied.text, "the study's mechanism")
    return build(mech, list(studied.actuated) or None, inputs=list(studied.inputs))


def _motion_of_states(model: Model, studied: StudiedMechanism) -> ShownMotion:
    """The states of a study over time; without any, a motion of all actuators from home."""
    fits = studied.q.shape[-1] == model.nq
    good = np.flatnonzero(fits & np.isfinite(studied.q).all(axis=-1))
    q = studied.q[good]
    if not len(q):
        home = model.assemble().q
        here = setting(model.mechanism, body_tracks(model, home[None])[0], {})
        return actuator_sweep(model, home, here.extent)
    if len(q) == 1:
        return ShownMotion(np.zeros(1), q)
    t = np.linspace(0.0, DURATION, len(q)) if studied.t is None else studied.t[good]
    return ShownMotion(t, q)


def _region_of_content(content: StudyContent, studied: StudiedMechanism) -> Any:
    """The region of a workspace from the arrays of the study, as `region_data` takes it."""
    words, arrays = studied.region, content.arrays
    axes = tuple(np.unique(arrays[name]) for name in words["names"])
    shape = tuple(map(len, axes))
    faces, points = arrays.get("faces", np.zeros((0, 3), dtype=int)), arrays.get("points", np.zeros((0, len(axes))))
    return SimpleNamespace(
        frame=words["frame"],
        kind=words["kind"],
        names=tuple(words["names"]),
        axes=axes,
        code=np.reshape(arrays["code"], shape),
        values={name: np.reshape(arrays[name], shape) for name in words["indices"]},
        units=dict(words["units"]),
        points=points,
        faces=faces,
        point_values={name: arrays[f"points.{name}"] for name in words["indices"] if f"points.{name}" in arrays},
    )
