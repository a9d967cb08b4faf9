"""What a page reads off a state besides poses: distances to singular positions, branch, limits, rates, reactions.

Each has its program, and numbers that say how to read it; `viewer/src/engine/readouts.ts` follows them.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwright.compiler import Program, operation_count
from linkwright.compiler.codegen.wasm import WasmFunction
from linkwright.compiler.native import Rows
from linkwright.dataclass import dataclass
from linkwright.errors import LinkwrightError
from linkwright.functions.loop import closure_functions, twist_functions
from linkwright.functions.stepping import limit_functions
from linkwright.functions.wasm_functions import wasm_function
from linkwright.kinematics.assembly import branch_determinants, ranges_of_starts
from linkwright.kinematics.measures.measure_records import MEASURES, Work
from linkwright.kinematics.singularity import Generic, generic_ranks
from linkwright.model import Model
from linkwright.model.composed_programs import joint_names, joint_reaction_program, program_with_inputs
from linkwright.model.limits import position_limit_messages
from linkwright.numerics.tolerances import PARALLEL_AXES
from linkwright.viewer.body_tracks import body_tracks
from linkwright.viewer.scene_setting import setting

Data = dict[str, Any]
PAGE_COMPONENTS = ("rx", "ry", "rz", "x", "y", "z")
MOST_REACTION_OPERATIONS = 6000
"""Pages are not to grow by more than 150 kB: longer programs of reactions are left out."""


@dataclass(frozen=True, eq=False)
class Measures:
    """The record of the measures of one state, and whether it has distances to type 1 and to type 2."""

    record: Work
    type1: bool
    type2: bool


def measures_of_page(model: Model) -> Measures:
    """The record with which a page measures singularity, its function still to be set."""
    here = generic_ranks(model.kinematics, plane_components(model))
    record = here.structure.borrow_work(1)
    record.given, record.found = np.zeros(max(1, model.nq)), np.zeros(MEASURES)
    record.q, record.p = Rows(np.zeros((max(1, model.nq), 1))), Rows(np.zeros((1, 1)))
    record.shape.coordinates, record.shape.parameters = model.nq, 0
    return Measures(record, here.graph.carrier is not None, _has_type2(here))


def _has_type2(here: Generic) -> bool:
    return bool(here.drives) and bool(len(here.graph.loops) or here.graph.couplings)


def plane_components(model: Model) -> tuple[int, ...] | None:
    """The twist components of an open chain that moves in a coordinate plane, as many as it has freedoms."""
    if model.mechanism.loops or not 2 <= model.mobility <= 3:
        return None
    normal = setting(model.mechanism, body_tracks(model, model.assemble().q[None])[0], {}).normal
    if normal is None or np.abs(normal).max() < 1.0 - PARALLEL_AXES:
        return None
    axis = "xyz"[int(np.abs(normal).argmax())]
    names = (*(each for each in "xyz" if each != axis), f"r{axis}")[: model.mobility]
    return tuple(PAGE_COMPONENTS.index(name) for name in names)


def readout_programs(model: Model) -> dict[str, WasmFunction]:
    """Programs of the read-outs, by their names in a page."""
    kernels = model.loop_kernels
    found = {"twists": wasm_function(kernels.bind_constants(twist_functions.joint_twists))}
    if position_limit_messages(kernels):
        found["limits"] = wasm_function(kernels.bind_constants(limit_functions.limited_values))
    if model.has_loops:
        found["senses"] = wasm_function(kernels.bind_constants(closure_functions.all_senses))
    return found


def motion_programs(model: Model) -> dict[str, Program]:
    """Programs of what the page draws into a mechanism: rates of its bodies, and reactions where they are short."""
    twists = [model.program("frame_twist", inputs=True, frame=name) for name in model.bodies]
    found = {
        "body_rates": program_with_inputs(model, lambda call, q, v: np.array([call(x, q, v) for x in twists]), "q", "v")
    }
    try:
        reactions = joint_reaction_program(model)
    except LinkwrightError:  # not determined by the equations alone
        return found
    short = operation_count(reactions).total <= MOST_REACTION_OPERATIONS
    return found | ({"reactions": reactions} if short else {})


def readout_data(model: Model) -> Data:
    """How to read them: index sets of the branch's determinants, texts of limits, ranges of starts of closing."""
    return {
        "reactions": joint_names(model),
        "branch": branch_determinants(model.kinematics) if model.has_loops else [],
        "limits": position_limit_messages(model.loop_kernels),
        "starts": ranges_of_starts(model.kinematics),
    }
