"""A mechanism or a model as the value of a notebook's cell: what it is, and a picture that can be turned."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from linkwright.errors import LinkwrightError
from linkwright.mechanism import Mechanism
from linkwright.model import Model, build
from linkwright.viewer import markup
from linkwright.viewer.page import inline_frame, mechanism_page

_HEIGHT = 420


def model_card(model: Model) -> str:
    """A model as HTML: a table and the mechanism in motion."""
    return _pair_table([*_mechanism_facts(model.mechanism), *_model_facts(model)]) + _mechanism_picture(model)


def mechanism_card(mech: Mechanism) -> str:
    """A mechanism as HTML; one that cannot be built or closed has a message in place of the picture."""
    try:
        return _pair_table(_mechanism_facts(mech)) + _mechanism_picture(build(mech))
    except LinkwrightError as error:
        return _pair_table(_mechanism_facts(mech)) + markup.message_list([str(error)])


def _pair_table(pairs: Iterable[tuple[str, str]]) -> str:
    return markup.markup_table(("", ""), pairs)


def _mechanism_picture(model: Model) -> str:
    try:
        return inline_frame(mechanism_page(model), _HEIGHT)
    except LinkwrightError as error:
        return markup.message_list([str(error)])


def _mechanism_facts(mech: Mechanism) -> Iterator[tuple[str, str]]:
    yield "mechanism", mech.name
    yield "bodies", f"{len(mech.bodies)} on '{mech.base}', {sum(body.inertia.mass for body in mech.bodies):.6g} kg"
    yield "joints", f"{len(mech.joints)} in the tree, {len(mech.loops)} closing loops"
    if mech.actuators:
        yield "actuators", ", ".join(each.name for each in mech.actuators)
    if mech.parameters:
        yield "parameters", ", ".join(f"{each.name} = {each.value:.6g} {each.unit}".strip() for each in mech.parameters)
    if mech.source:
        yield "source", mech.source.splitlines()[0]


def _model_facts(model: Model) -> Iterator[tuple[str, str]]:
    yield "coordinates, velocities, efforts", f"{model.nq}, {model.nv}, {model.na}"
    try:
        yield "degrees of freedom", str(model.mobility)
    except LinkwrightError as error:
        yield "degrees of freedom", f"unknown, because {error}"
    if model.parameters.names:
        yield "inputs", ", ".join(model.parameters.names)
