"""A mechanism or a model as the value of a notebook's cell: what it is, and a picture that can be turned."""

from __future__ import annotations

from linkwright.errors import LinkwrightError
from linkwright.mechanism import Mechanism
from linkwright.model import Model, build
from linkwright.readable_text import description_of
from linkwright.viewer import markup
from linkwright.viewer.page import inline_frame, mechanism_page

_HEIGHT = 420


def model_card(model: Model) -> str:
    """A model as HTML: its description and the mechanism in motion."""
    return markup.description_markup(description_of(model), _mechanism_picture(model))


def mechanism_card(mech: Mechanism) -> str:
    """A mechanism as HTML; one that cannot be built or closed has a message in place of the picture."""
    try:
        picture = _mechanism_picture(build(mech))
    except LinkwrightError as error:
        picture = markup.message_list([str(error)])
    return markup.description_markup(description_of(mech), picture)


def _mechanism_picture(model: Model) -> str:
    try:
        return inline_frame(mechanism_page(model), _HEIGHT)
    except LinkwrightError as error:
        return markup.message_list([str(error)])
