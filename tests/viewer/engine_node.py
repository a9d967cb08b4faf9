"""The engine of pages, run by Node."""

import numpy as np

from linkwright.viewer.page_engine import page_engine
from tests.compiler.wasm_node import run_node
from tests.viewer.test_bundle import BUNDLE


def run_engine(model, calls):
    """States after calls of the engine of a model's page, each with what the call returned as `result`."""
    (answer,) = run_engines([(model, calls)])
    return answer


def run_engines(jobs):
    """The same of several models at once."""
    data = [{"data": page_engine(model).data, "calls": calls} for model, calls in jobs]
    answers = run_node("viewer/engine_node.mjs", {"bundle": str(BUNDLE / "engine.js"), "jobs": data})
    return [[_readable(call) for call in answer["calls"]] for answer in answers]


def _readable(call):
    numbers = ("q", "v", "poses", "actuators", "efforts", "platform", "energy")
    state = {
        name: np.array(x, dtype=float) if name in numbers and x is not None else x for name, x in call["state"].items()
    }
    return {**state, "result": call["result"], "spent": call["spent"]}
