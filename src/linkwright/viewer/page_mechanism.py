"""The mechanism inside a page: a model whose free parameters are inputs, and its engine, kept between runs."""

from __future__ import annotations

import hashlib
import json
from typing import Any

from linkwright.compiler.cache import keep_text, recall_text
from linkwright.compiler.runtime.progress import announce_work
from linkwright.dataclass import exact_text
from linkwright.errors import LinkwrightError, LinkwrightWarning, withheld_warnings
from linkwright.functions.memo import source_stamp
from linkwright.mechanism import Mechanism
from linkwright.model import Model
from linkwright.model.model_construction import model_with_inputs, rebuild_on_mechanism
from linkwright.viewer.page_engine import page_engine
from linkwright.viewer.page_stops import model_with_page_stops

Data = dict[str, Any]

MOST_BODIES = 400
"""Of a mechanism whose engine is tried: the equations of more are too long, and to find that out takes minutes."""

# Packages whose source decides what an engine is, apart from those that decide what is traced.
_DECIDING = ("plans", "kinematics", "dynamics", "gradients", "model", "simulation", "viewer")


def engine_entries(model: Model) -> Data:
    """The entries of a page that computes: `engine` and `parameters`, or `engineReason`.

    An engine takes seconds to make, so it is kept on disk with what is compiled.
    """
    facts = ("engine of a page", source_stamp(*_DECIDING), model.setup.identity, repr(model.sharing))
    key = hashlib.blake2b(exact_text(facts).encode(), digest_size=16).hexdigest()
    kept = model.cache.get(("engine of a page", key), lambda: recall_text(key) or _make_entries(model, key))
    found: Data = json.loads(kept)
    return found


def _make_entries(model: Model, key: str) -> str:
    with announce_work(f"the engine of '{model.mechanism.name}' for its page"), withheld_warnings(LinkwrightWarning):
        text = json.dumps(_entries_with_inputs(model))
    keep_text(key, text)
    return text


def _entries_with_inputs(model: Model) -> Data:
    """The entries with parameters as inputs, else without them."""
    bodies = len(model.mechanism.bodies)
    if bodies > MOST_BODIES:
        return {
            "engineReason": f"The mechanism has {bodies} bodies, too many for a page to compute: it is an animation."
        }
    for with_stops in (model_with_page_stops, lambda found: found):
        try:
            moved = model_of_page(model)
            found = page_engine(with_stops(moved), len(moved.parameters))
            if found.data is not None:
                return {"engine": found.data, "parameters": parameter_sliders(moved)}
        except LinkwrightError:
            continue
    try:
        found = page_engine(rebuild_on_mechanism(model, model.mechanism))
    except LinkwrightError as error:
        return {"engineReason": f"This page is an animation, because its mechanism cannot be computed here: {error}"}
    return {"engineReason": found.reason} if found.data is None else {"engine": found.data, "parameters": []}


def model_of_page(model: Model) -> Model:
    """The model that a page computes: with its inputs, else with the free parameters of its file as inputs."""
    mech = model.mechanism
    free = () if model.parameters.names else tuple(free_parameters(mech))
    return model_with_inputs(model, mech, free) if free or model.parameters.names else model


def free_parameters(mech: Mechanism) -> list[str]:
    """Parameters for sliders: they follow from no other, count no copies, and some number follows from them."""
    given = {each.name for each in mech.formulas.definitions if each.expression is None}
    return [each.name for each in mech.parameters if each.name in given and each.uses and not each.structural]


def parameter_sliders(model: Model) -> list[Data]:
    """Name, unit, value and range of every parameter's slider: half to one and a half of its value in the file."""
    out = []
    for each in model.parameters:
        low, high = sorted((0.5 * each.value, 1.5 * each.value)) if each.value else (-1.0, 1.0)
        out.append({"name": each.name, "unit": each.unit, "value": each.value, "low": low, "high": high})
    return out
