"""The whole content of a page as one JSON text: scene, motion, curves, notes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field, replace
from typing import Any

import numpy as np

from linkwright.dataclass import dataclass
from linkwright.mechanism.mechanism import Mechanism
from linkwright.mechanism.tree import coordinate_slices
from linkwright.model import Model
from linkwright.results.charts import fit_units
from linkwright.results.thinning import even_indices
from linkwright.viewer.body_tracks import body_tracks, refine_motion
from linkwright.viewer.chart_data import chart_data
from linkwright.viewer.flat_drawing import still_svg
from linkwright.viewer.page_titles import mechanism_title
from linkwright.viewer.scene import NOTHING, scene_data
from linkwright.viewer.scene_setting import setting
from linkwright.viewer.shown_motion import (
    ShownMotion,
    most_frames,
    nan_note,
    pack_array,
    pack_columns,
    plot_samples,
    require_motion,
    shown_samples,
    thinning_note,
)
from linkwright.viewer.surfaces import mechanism_surfaces

FORMAT = 1
Array = np.ndarray


@dataclass(frozen=True)
class PageContent:
    """A page's content; `data` is plain JSON data, `title` and `notes` are for people, `still` is an SVG picture.

    The page computes `model`, where there is one, and `draw` draws it again at other numbers, from a mechanism to its
    scene. Sliders of parameters go over `bounds`, by name, where these are given.
    """

    title: str
    data: dict[str, Any]
    notes: tuple[str, ...] = ()
    still: str = ""
    model: Model | None = None
    draw: Callable[[Mechanism], dict[str, Any]] | None = None
    bounds: Mapping[str, tuple[float, float]] = field(default_factory=dict)


def document(
    model: Model, motion: ShownMotion, title: str = "", paths: Sequence[str] | None = None, more: Sequence[str] = ()
) -> PageContent:
    """The content of a page that shows a motion of a model; `more` are further notes."""
    require_motion(model, motion)
    kept = shown_samples(model, motion)
    shown = thin_motion(motion, kept)
    tracks = body_tracks(model, shown.q) if len(kept) else np.zeros((0, len(model.bodies), 7))
    good = np.flatnonzero(np.isfinite(tracks).all(axis=(1, 2)))
    first = tracks[good[0]] if len(good) else _poses_at_zero(model)
    meshes = mechanism_surfaces(model.mechanism)
    here = setting(model.mechanism, first, sliding_length_ranges(model.mechanism, motion.q))
    shown, tracks = refine_motion(model, shown, tracks, here.extent, most_frames(model, motion))

    def draw(mech: Mechanism) -> dict[str, Any]:
        return scene_data(replace(here, mech=mech), model.actuators, paths, meshes)

    scene = draw(model.mechanism)
    notes = (*thinning_note(motion, len(kept)), *nan_note(motion), *_empty_note(motion), *meshes.notes, *more)
    ghost = None if motion.other is None else _ghost_motion(model, motion.other)
    content = _motion_document(
        title or mechanism_title(model.mechanism), notes, scene, shown, tracks if len(tracks) else first[None], ghost
    )
    return replace(content, model=model, draw=draw)


def curves_only(motion: ShownMotion, title: str, notes: Sequence[str]) -> PageContent:
    """The content of a page with curves and no mechanism."""
    notes = (*notes, *thinning_note(motion, len(motion.t)))
    kept = even_indices(len(motion.t), 2000)
    shown = replace(motion, t=motion.t[kept], q=np.zeros((len(kept), 0)), v=None, tau=None, reactions={})
    return _motion_document(title, notes, NOTHING, shown, np.zeros((0, 0, 7)))


def thin_motion(motion: ShownMotion, kept: Array) -> ShownMotion:
    """A motion at some of its samples; its curves stay."""
    return replace(
        motion,
        t=motion.t[kept],
        q=motion.q[kept],
        v=None if motion.v is None else motion.v[kept],
        tau=None if motion.tau is None else motion.tau[kept],
        reactions={name: np.asarray(w)[kept] for name, w in motion.reactions.items()},
        of=max(motion.of, len(motion.t)),
    )


def _ghost_motion(model: Model, other: ShownMotion) -> dict[str, Any]:
    """Times and poses of a motion to compare with."""
    shown = thin_motion(other, shown_samples(model, other))
    return {"t": pack_array(shown.t, "f8"), "poses": pack_columns(body_tracks(model, shown.q))}


def _motion_document(
    title: str,
    notes: Sequence[str],
    scene: dict[str, Any],
    motion: ShownMotion,
    tracks: Array,
    ghost: dict[str, Any] | None = None,
) -> PageContent:
    """The content of a page with all frames of a motion."""
    data: dict[str, Any] = {
        "format": FORMAT,
        "title": title,
        "notes": list(notes),
        "scene": scene,
        "t": pack_array(motion.t, "f8"),
        "poses": pack_columns(tracks),
        "q": pack_array(motion.q),
        "tau": None if motion.tau is None else pack_array(motion.tau),
        "reactions": {name: pack_array(w) for name, w in motion.reactions.items()},
        "plots": [chart_data(fit_units(plot, time=False), plot_samples(motion)) for plot in motion.plots],
        "events": [{"t": t, "text": text} for t, text in motion.events],
    }
    if motion.v is not None:
        data["v"] = pack_array(motion.v)
    if ghost is not None:
        data["ghost"] = ghost
    if motion.compared:
        data["compared"] = motion.compared
    still = still_svg(scene, tracks, title) if len(tracks) else ""
    return PageContent(title, data, tuple(notes), still)


def _poses_at_zero(model: Model) -> Array:
    """Poses of all bodies at zero coordinates, (n_bodies, 7), for pages without a good pose."""
    neutral = [x for joint in model.mechanism.joints for x in joint.kind.neutral]
    return body_tracks(model, np.array([neutral]))[0]


def sliding_length_ranges(mech: Mechanism, q: Array) -> dict[str, tuple[float, float]]:
    """Smallest and largest length seen of every sliding joint."""
    out, slices = {}, coordinate_slices(mech.joints)
    for joint in mech.joints:
        if "length" in joint.kind.q_parts and len(q):
            column = q[:, slices[joint.name][0].start + joint.kind.q_parts.index("length")]
            seen = column[np.isfinite(column)]
            if len(seen):
                out[joint.name] = (float(seen.min()), float(seen.max()))
    return out


def _empty_note(motion: ShownMotion) -> Sequence[str]:
    return ["The run is empty: the mechanism is drawn with all coordinates at zero."] * (len(motion.t) == 0)
