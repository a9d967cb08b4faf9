"""What a page needs to compute its mechanism: programs and drivers as WebAssembly, records of drivers, and a layout.

    data["engine"] = page_engine(model)

**Memory** of the page: the drivers' stack and constants, then ports and waiting values of the programs, then the record
of a run with its arrays. The layout names addresses by program and port, and by path of the record. Everything is plain
data for JSON; modules are packed, and bytes deflated and written as text. A mechanism whose programs are too long has
no engine, and the reason is given in a sentence.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

from linkwright.compiler import Program
from linkwright.compiler.codegen.wasm import MOST_OPERATIONS, STACK_TOP, WasmFunction, WasmModule, encode_programs
from linkwright.compiler.codegen.wasm_packing import pack_module
from linkwright.dataclass import dataclass
from linkwright.errors import LinkwrightError
from linkwright.functions.loop import minimal_functions, target_functions
from linkwright.functions.wasm_functions import wasm_function
from linkwright.kinematics.dragging.dragging import drag_functions, drag_record, platform_link
from linkwright.kinematics.target_plans import locate_driven_coordinates, square_target
from linkwright.model import Model
from linkwright.simulation.integrators import DOP853
from linkwright.simulation.portable_run import PortableRun, portable_run
from linkwright.viewer.page_drivers import driver_binary
from linkwright.viewer.page_readouts import measures_of_page, motion_programs, readout_data, readout_programs
from linkwright.viewer.shown_motion import deflate_bytes

FORMAT = 1

METHOD = DOP853(1e-8)
"""How pages step: their states are looked at, and steps of 1/60 s leave it a few steps each."""

_LEFT_OUT = ("second", "gaps")
"""Functions of a run that pages do without: another order of elimination, as long as all others together, where steps
in tangent coordinates serve; and gaps, which `monitor` gives too."""

_RUN = "run."
_CALLED = ("project", "monitor", "dynamics")
"""Functions of a run that a page calls itself too."""

_FIELDS = (
    "budget", "y", "mechanics.effort", "mechanics.wrench", "mechanics.tau", "settings.t_start", "settings.t_end",
    "step.t", "step.h", "step.number", "step.fresh", "step.status", "step.doubts", "step.refused",
    "events.n_found", "events.n_passed", "events.t_regular", "events.examines", "tangent.n_passed", "tangent.on",
    "tangent.based", "tangent.wanted", "tangent.until", "tangent.steps", "counts.steps", "counts.evaluations",
)  # fmt: skip
"""Fields of the record that a page reads or writes, by path."""

_DRAG = "drag."
_DRAG_FIELDS = (
    "goal.velocity", "goal.value", "goal.body", "goal.point", "goal.xyz", "goal.axes", "goal.wxyz", "goal.weights",
    "goal.counts", "step.q", "step.missed", "step.steps", "step.n_alone", "step.bounds",
)  # fmt: skip
"""The same of the record of pulls; their paths begin with `drag.` there."""


@dataclass(frozen=True, eq=False)
class PageEngine:
    """The engine of a page as data for JSON, or the reason why it has none."""

    data: dict[str, Any] | None
    reason: str = ""


def page_engine(model: Model, sliders: int | None = None) -> PageEngine:
    """The engine of a page that shows a model.

    Args:
        model: what the page computes.
        sliders: how many of its inputs the reader changes; the rest are those of end stops.
    """
    values, shown = model.parameters.values.tolist(), len(model.parameters) if sliders is None else sliders
    run = portable_run(model, METHOD)
    pulls = _programs_of_pulls(model, run)
    programs = _programs_of_run(run) | pulls.programs | _programs_of_page(model) | readout_programs(model)
    module = encode_programs(programs, most_operations=MOST_OPERATIONS)
    if module.refused:
        return PageEngine(None, _reason_without_engine(model, programs))
    table = list(dict.fromkeys([*_programs_of_run(run), *pulls.names.values(), "twists"]))
    entry = {name: (i + 1, _given_address(module, name)) for i, name in enumerate(table)}
    drag_base = _aligned(module.layout["end"])
    drag = drag_record(model.kinematics).image(drag_base, {field: entry[name] for field, name in pulls.names.items()})
    measures, measure_base = measures_of_page(model), _aligned(drag_base + len(drag.content))
    measure = measures.record.image(measure_base, {"twists": entry["twists"]})
    base = _aligned(measure_base + len(measure.content))
    entries = {f"mechanics.{name.removeprefix(_RUN)}": entry[name] for name in _programs_of_run(run)}
    entries["mechanics.gaps"] = entries["mechanics.monitor"]
    run.driver.output.n_rows = 0
    image = run.driver.image(base, entries)
    called = [name for name in module.layout["programs"] if not name.startswith((_RUN, _DRAG))]
    called += [pulls.names["equations"]] if "equations" in pulls.names else []
    called += [_RUN + name for name in _CALLED if _RUN + name in module.layout["programs"]]
    driven = locate_driven_coordinates(model.kinematics)
    data = {
        "format": FORMAT,
        "binary": deflate_bytes(pack_module(module.binary)),
        "drivers": _packed_drivers(),
        "image": deflate_bytes(image.content),
        "stack": STACK_TOP,
        "base": base,
        "size": len(image.content),
        "drag": {"base": drag_base, "image": deflate_bytes(drag.content)},
        "measure": {
            "base": measure_base,
            "image": deflate_bytes(measure.content),
            "type1": measures.type1,
            "type2": measures.type2,
        },
        "table": table,
        "equations": pulls.names.get("equations"),
        "programs": {name: module.layout["programs"][name] for name in called},
        "record": {path: image.addresses[path] for path in _FIELDS}
        | {_DRAG + path: drag.addresses[path] for path in _DRAG_FIELDS}
        | {"measure.given": measure.addresses["given"], "measure.found": measure.addresses["found"]},
        "sizes": {"q": model.nq, "v": model.nv, "actuators": model.na, "bodies": len(model.bodies)},
        "home": model.assemble().q.tolist(),
        "actuators": {
            "names": list(model.actuated),
            "coordinates": list(driven.in_q),
            "speeds": [drive.speed for drive in model.setup.drives],
            "units": driven.units.tolist(),
            "repeats": driven.repeats.tolist(),
            "lengths": [driven.is_length(k) for k in range(model.na)],
        },
        "bodies": [{"mass": body.inertia.mass, "center": list(body.inertia.com)} for body in model.mechanism.bodies],
        "gravity": list(model.mechanism.gravity),
        "length": model.scales.length,
        "has_loops": model.has_loops,
        "mobility": model.mobility,
        "platform": platform_link(model.kinematics),
        "parameters": values[:shown],
        "stops": values[shown:],
        "parameter_address": _parameter_address(module),
        **readout_data(model),
    }
    return PageEngine(data)


@dataclass(frozen=True, eq=False)
class _PullPrograms:
    """Programs of pulls that a run does not have yet, and the names of all by field of the record."""

    programs: dict[str, WasmFunction]
    names: dict[str, str]


def _programs_of_pulls(model: Model, run: PortableRun) -> _PullPrograms:
    found, names, have = {}, {}, _programs_of_run(run)
    for field, code in drag_functions(model.kinematics).items():
        names[field] = _RUN + field if _RUN + field in have else "poses" if field == "poses" else _DRAG + field
        if names[field] not in have:
            found[names[field]] = wasm_function(code)
    return _PullPrograms(found, names)


@cache
def _packed_drivers() -> str:
    return deflate_bytes(pack_module(driver_binary()))


def _aligned(address: int) -> int:
    return address + -address % 64


def _programs_of_run(run: PortableRun) -> dict[str, WasmFunction]:
    return {_RUN + name: function for name, function in run.functions.items() if name not in _LEFT_OUT}


def _programs_of_page(model: Model) -> dict[str, Program]:
    """Programs that the page calls itself; those that the mechanism does not have are left out."""
    kernels = model.loop_kernels
    target = square_target(model.kinematics, None, tuple(range(model.na)), True) if model.na else None
    makers: dict[str, Callable[[], Program]] = {
        "inverse_dynamics": lambda: model.program("inverse_dynamics", inputs=True),
    }
    if model.mechanism.platform is not None:
        makers["platform"] = lambda: model.program("frame_quaternion", inputs=True, frame=model.mechanism.platform)
    if any(each is None for each in locate_driven_coordinates(model.kinematics).in_q):
        makers["actuators"] = lambda: kernels.input_program(minimal_functions.actuator_positions)
        makers["actuator_rates"] = lambda: kernels.input_program(minimal_functions.actuator_velocities)
    if target is not None:
        makers["step"] = lambda: target.input_program(target_functions.target_step)
        makers["rates"] = lambda: target.input_program(target_functions.target_rates)
    found = motion_programs(model)
    for name, make in makers.items():
        try:
            found[name] = make()
        except LinkwrightError:  # the page shows what there is
            continue
    return found


def _given_address(module: WasmModule, name: str) -> int:
    """Where the numbers given to every call of a program lie; 0 where it has none."""
    ports = module.layout["programs"][name]["inputs"]
    return int(ports["given"][0]) if "given" in ports else 0


def _parameter_address(module: WasmModule) -> int:
    """Where the values of the mechanism's inputs lie; 0 without any."""
    found = (ports["inputs"]["p"][0] for ports in module.layout["programs"].values() if "p" in ports["inputs"])
    return int(next(found, 0))


def _reason_without_engine(model: Model, programs: dict[str, Any]) -> str:
    return (
        f"The equations of '{model.mechanism.name}' are too long for a page: {len(programs)} programs have more than "
        f"{MOST_OPERATIONS} operations together, so the page is an animation."
    )
