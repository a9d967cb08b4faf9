"""A mechanism on a live page: the page, and responses to its requests, however these arrive."""

from __future__ import annotations

from http import HTTPStatus
from typing import Any

import numpy as np

from linkwright.errors import ArgumentError, LinkwrightError
from linkwright.formats.study import Study, to_study_text
from linkwright.model import Model
from linkwright.viewer import live_requests
from linkwright.viewer.page import page
from linkwright.viewer.page_content import document
from linkwright.viewer.ranges import moving_parts
from linkwright.viewer.shown_motion import ShownMotion, even_indices

_POINTS = 200
_STIFFNESS, _DAMPING = 400.0, 40.0  # of the errors, critically damped at 20 rad/s


def study_text(model: Model, name: str, recorded: dict[str, Any]) -> str:
    """The study of a recorded motion with times `t` [s] and coordinates `q`, both lists.

    The mechanism is the catalog name or the file the page was opened with.
    """
    try:
        t, q = np.array(recorded["t"], dtype=float), np.array(recorded["q"], dtype=float)
    except (KeyError, TypeError, ValueError):
        raise ArgumentError("a recording needs times t and coordinates q") from None
    if t.ndim != 1 or len(t) < 3 or q.shape != (len(t), model.nq) or not np.isfinite(q).all():
        raise ArgumentError(f"a recording needs at least three times and rows of {model.nq} coordinates")
    if not model.na or not (np.isfinite(t).all() and (np.diff(t) > 0).all()):
        raise ArgumentError("a recording needs rising times, and a mechanism with actuators")
    points = model.actuator_positions(q)
    kept = even_indices(len(t), _POINTS)
    reference = {"move": "spline", "times": (t - t[0])[kept].tolist(), "points": points[kept].tolist()}
    study = Study.model_validate(
        {
            "format": 1,
            "mechanism": name,
            "start": {"q": q[0].tolist()},
            "effort": {
                "law": "computed-torque",
                "reference": reference,
                "stiffness": [_STIFFNESS] * model.na,
                "damping": [_DAMPING] * model.na,
            },
            "t_end": float(t[-1] - t[0]),
        }
    )
    return to_study_text(study)


class LiveSession:
    """A mechanism that a page moves; responses depend on the request alone.

    Attributes:
        model, name: what is shown, and the name or file that studies refer to.
        grip, home: what is held while dragging, and the first state.
    """

    def __init__(self, model: Model, name: str = "") -> None:
        self.model, self.name = model, name or model.mechanism.name
        self.grip = live_requests.make_grip(model, model.assemble().q)
        self.home = live_requests.respond_to_request(self.grip, {})

    def html(self, token: str = "", connect: str = "'none'", before: str = "") -> str:
        """The page, with the home configuration; `connect` and `before` as for `page`."""
        q = np.array(self.home["q"])
        content = document(self.model, ShownMotion(np.zeros(1), q[None]), f"{self.model.mechanism.name}, live")
        content.data["live"] = {
            "token": token,
            "state": self.home,
            "sliders": live_requests.actuator_sliders(self.model, q, self.grip.size),
            "parameters": live_requests.parameter_sliders(self.model),
            "platform": moving_parts(self.grip, q),
        }
        return page(content, connect=connect, before=before)

    def reply(self, path: str, request: Any) -> tuple[HTTPStatus, Any]:
        """The response to a request of the page; what is wrong with it is reported in a message."""
        if not isinstance(request, dict):
            return HTTPStatus.BAD_REQUEST, {"error": "the request must be a JSON object"}
        try:
            if path == "/solve":
                return HTTPStatus.OK, live_requests.respond_to_request(self.grip, request)
            if path == "/ranges":
                return HTTPStatus.OK, {"sliders": live_requests.reachable_sliders(self.grip, request)}
            if path == "/modes":
                return HTTPStatus.OK, {"modes": live_requests.list_assembly_modes(self.grip, request)}
            if path == "/study":
                return HTTPStatus.OK, {"text": study_text(self.model, self.name, request)}
        except LinkwrightError as error:
            return HTTPStatus.UNPROCESSABLE_ENTITY, {"error": str(error)}
        return HTTPStatus.NOT_FOUND, {"error": f"there is nothing at {path[:80]}"}
