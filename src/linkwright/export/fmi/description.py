"""Variables of a Functional Mock-up Unit, its equations.h, modelDescription.xml and buildDescription.xml."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Literal
from xml.etree import ElementTree as xml

from linkwright.dataclass import dataclass
from linkwright.export.c.c_expressions import DOUBLE, c_sincos_functions, static_function
from linkwright.export.fmi.unit_programs import UnitPrograms
from linkwright.functions.stepping.limit_functions import Bound
from linkwright.generated_text import c_comment
from linkwright.model import Model
from linkwright.model.composed_programs import joint_names
from linkwright.version import __version__

# --- variables of a Functional Mock-up Unit ---------------------------------------------------------------------------

Role = Literal["time", "effort", "parameter", "pull", "state", "rate", "result", "reaction", "limit"]

PULL = 20.0
"""Rate at which open loops are closed in model exchange when nobody sets it, 1/s."""


@dataclass(frozen=True)
class FmuVariable:
    """A variable of a unit.

    Attributes:
        name: unique.
        reference: its value reference.
        role: "effort" goes in; "parameter" and "pull" can be tuned; "state" and its "rate"; "result" and "reaction"
            come out; "limit" is the distance to a limit and an event indicator; "time".
        unit: SI, "1" without one.
        description: what it is.
        start: value before anybody sets it; None for what is computed.
        guess: the start of a state is only a guess: closing the loops changes it.
        state: of a rate, the value reference of its state.
    """

    name: str
    reference: int
    role: Role
    unit: str
    description: str
    start: float | None = None
    guess: bool = False
    state: int | None = None


def unit_variables(model: Model, programs: UnitPrograms) -> tuple[FmuVariable, ...]:
    """All variables of a unit, in the order of their value references."""
    found = [FmuVariable("time", 0, "time", "s", "time")]
    found += _given_variables(model)
    states = _state_variables(model, programs)
    first = len(found)
    found += states
    found += [
        FmuVariable(f"der({x.name})", 0, "rate", _per_second(x.unit), f"rate of {x.name}", state=first + i)
        for i, x in enumerate(states)
    ]
    found += (
        _result_variables(model, programs) + _reaction_variables(model, programs) + _limit_variables(model, programs)
    )
    return tuple(replace(x, reference=i) for i, x in enumerate(found))


def _given_variables(model: Model) -> list[FmuVariable]:
    efforts = [
        FmuVariable(f"effort.{name}", 0, "effort", unit, "effort at the joint, after the gear", 0.0)
        for name, unit in zip(model.actuated, fmi_effort_units(model), strict=True)
    ]
    values = model.parameters.values.tolist()
    parameters = [
        FmuVariable(f"p.{x.name}", 0, "parameter", x.unit or "1", "parameter of the mechanism", value)
        for x, value in zip(model.parameters, values, strict=True)
    ]
    text = "rate at which open loops are pulled together in model exchange"
    return [*efforts, *parameters, FmuVariable("closing_rate", 0, "pull", "1/s", text, PULL)]


def _state_variables(model: Model, programs: UnitPrograms) -> list[FmuVariable]:
    home, closed, kept = model.assemble().q.tolist(), model.has_loops, set(programs.independent)
    joints = model.mechanism.joints
    q_units = [part.unit or "1" for joint in joints for part in joint.kind.coordinates]
    free_q: list[bool] = []
    k = 0
    for joint in joints:
        own = range(k, k + len(joint.kind.v_parts))
        same = len(joint.kind.q_parts) == len(joint.kind.v_parts)
        whole = all(i in kept for i in own)
        free_q += [i in kept for i in own] if same else [whole] * len(joint.kind.q_parts)
        k = own.stop
    v_units = [_per_second(part.unit) for joint in joints for part in joint.kind.velocities]
    found = [
        FmuVariable(f"q.{name}", 0, "state", unit, "coordinate", x, closed and not free)
        for name, unit, x, free in zip(model.q_names, q_units, home, free_q, strict=True)
    ]
    return found + [
        FmuVariable(f"v.{name}", 0, "state", unit, "velocity", 0.0, closed and i not in kept)
        for i, (name, unit) in enumerate(zip(model.v_names, v_units, strict=True))
    ]


def _result_variables(model: Model, programs: UnitPrograms) -> list[FmuVariable]:
    lengths = [each.is_sliding for each in model.actuators]
    out = []
    if programs.positions:
        out += [
            FmuVariable(f"position.{name}", 0, "result", "m" if slides else "rad", "position of the actuator")
            for name, slides in zip(model.actuated, lengths, strict=True)
        ]
    out += [
        FmuVariable(f"velocity.{name}", 0, "result", "m/s" if slides else "rad/s", "velocity of the actuator")
        for name, slides in zip(model.actuated, lengths, strict=True)
    ]
    for frame in programs.frames:
        out += [FmuVariable(f"pose.{frame}.{x}", 0, "result", "m", "position in the world") for x in "xyz"]
        out += [
            FmuVariable(f"pose.{frame}.q{x}", 0, "result", "1", "orientation in the world, quaternion") for x in "wxyz"
        ]
    return out + [
        FmuVariable(f"energy.{name}", 0, "result", "J", f"{name} energy of the mechanism")
        for name in ("kinetic", "potential")
    ]


def _reaction_variables(model: Model, programs: UnitPrograms) -> list[FmuVariable]:
    if "reactions" not in programs.functions:
        return []
    text = "of parent on child at the joint, child's axes"
    parts = [(f"m{x}", "N.m", f"moment {text}") for x in "xyz"] + [(f"f{x}", "N", f"force {text}") for x in "xyz"]
    return [
        FmuVariable(f"reaction.{joint}.{part}", 0, "reaction", unit, description)
        for joint in joint_names(model)
        for part, unit, description in parts
    ]


def _limit_variables(model: Model, programs: UnitPrograms) -> list[FmuVariable]:
    joints = {joint.name: joint for joint in (*model.mechanism.joints, *model.mechanism.loops)}
    found = []
    for limit in programs.limits:
        if isinstance(limit, Bound):
            name, unit = limit.name + (f".{limit.part}" if limit.part else ""), limit.unit
            end, text = "speed", "vmax - v^2 / vmax: positive inside, zero at the limit"
        elif limit.part is None:
            name, unit, end, text = (
                limit.joint,
                "1",
                "cone",
                "cosine of the tilt less that of the cone: positive inside, zero at the limit",
            )
        else:
            parts = joints[limit.joint].kind.coordinates
            name = limit.joint + (f".{parts[limit.part].name}" if len(parts) > 1 else "")
            unit, end = parts[limit.part].unit or "1", "lower" if limit.sign > 0 else "upper"
            text = "distance to the limit, positive inside"
        found.append(FmuVariable(f"limit.{name}.{end}", 0, "limit", unit, text))
    return found


def fmi_effort_units(model: Model) -> list[str]:
    """Units of the efforts as FMI writes them: N along lengths, else N.m."""
    return [each.effort_unit.replace(" ", ".") for each in model.actuators]


def _per_second(unit: str) -> str:
    if unit.endswith("/s"):
        return f"{unit}2"
    return "1/s" if unit == "1" else f"{unit}/s"


# --- the file equations.h of a Functional Mock-up Unit ----------------------------------------------------------------

TOLERANCE = 1e-8
"""Of co-simulation, when the importer does not set one."""

# Arguments of every function, as core.h calls it, and how many arrays it fills.
_FUNCTIONS: dict[str, tuple[tuple[str, ...], int]] = {
    "accelerations": (("q", "v", "tau", "pull", "p"), 1),
    "accelerations_again": (("q", "v", "tau", "p"), 1),
    "coordinate_rates": (("q", "v", "p"), 1),
    "project": (("q", "v", "p"), 2),
    "residuals": (("q", "v", "p"), 1),
    "close": (("q", "p"), 2),
    "blocks": (("q", "p"), 1),
    "all_velocities": (("q", "v_ind", "p"), 1),
    "results": (("q", "v", "p"), 1),
    "reactions": (("q", "v", "a", "tau", "p"), 1),
    "limits": (("q", "v", "p"), 1),
}

# Of these also the derivatives along a direction: every argument has one, NAME_dot, behind all of them.
_FUNCTIONS |= {
    f"{name}_tangent": ((*arguments, *(f"{x}_dot" for x in arguments)), outputs)
    for name, (arguments, outputs) in _FUNCTIONS.items()
    if name not in ("accelerations_again", "residuals", "blocks")
}

# What a mechanism without loops, or without reactions, has instead: nothing is computed.
_EMPTY = """static void lw_{name}({arguments})
{{
{lines}
}}
"""


def equations_header(model: Model, programs: UnitPrograms, variables: Sequence[FmuVariable], token: str) -> str:
    """The text of equations.h."""
    parts = [
        f"/* {c_comment(model.mechanism.name)}: sizes, numbers and equations. Generated by linkwright. */",
        "#ifndef LW_EQUATIONS_H\n#define LW_EQUATIONS_H\n\n#include <math.h>\n",
        *_size_definitions(model, programs, variables),
        f'#define LW_TOKEN "{token}"\n',
        _constant_array("double", "lw_home", [repr(x) for x in model.assemble().q.tolist()]),
        _constant_array("double", "lw_nominal", [repr(x) for x in model.parameters.values.tolist()]),
        _constant_array("int", "lw_independent", [str(i) for i in programs.independent]),
        _constant_array("int", "lw_exact", [str(int(not x.guess)) for x in variables if x.role == "state"][: model.nq]),
        *c_sincos_functions("lw_sincos", programs.functions.values()),
        *(_equation_function(programs, name) for name in _FUNCTIONS),
        "#endif\n",
    ]
    return "\n".join(parts)


def _size_definitions(model: Model, programs: UnitPrograms, variables: Sequence[FmuVariable]) -> list[str]:
    count = Counter(x.role for x in variables)
    numbers = {
        "NQ": model.nq,
        "NV": model.nv,
        "NA": model.na,
        "NP": len(model.parameters),
        "N_INDEPENDENT": len(programs.independent),
        "N_BLOCKS": programs.functions["blocks"].n_outputs if "blocks" in programs.functions else 0,
        "N_RESULTS": count["result"],
        "N_REACTIONS": count["reaction"],
        "N_LIMITS": count["limit"],
        "LOOPS": int(model.has_loops),
        "DERIVATIVES": int("accelerations_tangent" in programs.functions),
        "LENGTH": repr(float(model.scales.length)),
        "PULL": repr(PULL),
        "TOLERANCE": repr(TOLERANCE),
    }
    lines = [f"#define LW_{name} {x}" for name, x in numbers.items()]
    at = 0
    blocks = {"TIME": 1, "EFFORTS": model.na, "PARAMETERS": len(model.parameters), "PULL": 1}
    blocks |= {"STATES": count["state"], "RATES": count["rate"], "RESULTS": count["result"]}
    blocks |= {"REACTIONS": count["reaction"], "LIMITS": count["limit"], "END": 0}
    for name, size in blocks.items():
        lines.append(f"#define LW_VR_{name} {at}u")
        at += size
    return [*lines, ""]


def _constant_array(kind: str, name: str, numbers: list[str]) -> str:
    """A constant array; C has none without elements."""
    return f"static const {kind} {name}[{max(1, len(numbers))}] = {{{', '.join(numbers) or '0'}}};\n"


def _equation_function(programs: UnitPrograms, name: str) -> str:
    names, outputs = _FUNCTIONS[name]
    arguments = [f"const double *{argument}" for argument in names]
    if name in programs.functions:
        return static_function(programs.functions[name], f"lw_{name}", arguments, DOUBLE, "lw_sincos")
    out = [f"out{i}" for i in range(outputs)]
    lines = "\n".join(f"    (void){argument};" for argument in (*names, *out))
    given = ", ".join([*arguments, *(f"double *{o}" for o in out)])
    return _EMPTY.format(name=name, arguments=given, lines=lines)


# --- modelDescription.xml and buildDescription.xml of a Functional Mock-up Unit, FMI 2.0 and 3.0 ----------------------

Version = Literal[2, 3]

# Exponents of kg, m, s, rad by unit; others are listed without.
_UNITS: dict[str, dict[str, int]] = {
    "1": {},
    "s": {"s": 1},
    "1/s": {"s": -1},
    "1/s2": {"s": -2},
    "m": {"m": 1},
    "m/s": {"m": 1, "s": -1},
    "m/s2": {"m": 1, "s": -2},
    "rad": {"rad": 1},
    "rad/s": {"rad": 1, "s": -1},
    "rad/s2": {"rad": 1, "s": -2},
    "kg": {"kg": 1},
    "N": {"kg": 1, "m": 1, "s": -2},
    "N.m": {"kg": 1, "m": 2, "s": -2},
    "J": {"kg": 1, "m": 2, "s": -2},
}


_OUTPUTS = ("state", "result", "reaction", "limit")


@dataclass(frozen=True)
class Described:
    """What the description of a unit says besides its variables.

    Attributes:
        name: of the model. identifier: of its files and functions. token: hash of the unit.
        sources: files to compile.
        text: description for people.
        derivatives: it provides directional derivatives.
    """

    name: str
    identifier: str
    token: str
    sources: tuple[str, ...]
    text: str
    derivatives: bool


def model_description(about: Described, variables: Sequence[FmuVariable], version: Version) -> bytes:
    """modelDescription.xml."""
    root = _root_element(about, version, sum(x.role == "limit" for x in variables))
    _add_interfaces(root, about, version)
    _add_units(root, variables)
    xml.SubElement(xml.SubElement(root, "LogCategories"), "Category", name="logAll")
    xml.SubElement(root, "DefaultExperiment", startTime="0", stopTime="1", tolerance=repr(TOLERANCE))
    listed = xml.SubElement(root, "ModelVariables")
    for variable in variables:
        (_add_scalar_variable if version == 2 else _add_float64_variable)(listed, variable)
    (_structure_2 if version == 2 else _structure_3)(root, variables)
    return _xml_bytes(root)


def build_description(about: Described) -> bytes:
    """sources/buildDescription.xml of FMI 3."""
    root = xml.Element("fmiBuildDescription", fmiVersion="3.0")
    one = xml.SubElement(root, "BuildConfiguration", modelIdentifier=about.identifier)
    files = xml.SubElement(one, "SourceFileSet", language="C99")
    for name in about.sources:
        xml.SubElement(files, "SourceFile", name=name)
    return _xml_bytes(root)


def _xml_bytes(root: xml.Element) -> bytes:
    xml.indent(root, " ")
    return xml.tostring(root, encoding="utf-8", xml_declaration=True) + b"\n"


def _root_element(about: Described, version: Version, indicators: int) -> xml.Element:
    common = {
        "modelName": about.name,
        "description": about.text,
        "generationTool": f"linkwright {__version__}",
        "variableNamingConvention": "flat",
    }
    if version == 2:
        own = {"fmiVersion": "2.0", "guid": about.token, "numberOfEventIndicators": str(indicators)}
    else:
        own = {"fmiVersion": "3.0", "instantiationToken": about.token}
    return xml.Element("fmiModelDescription", {**own, **common})


def _add_interfaces(root: xml.Element, about: Described, version: Version) -> None:
    state = "FMUstate" if version == 2 else "FMUState"
    common = {
        "modelIdentifier": about.identifier,
        f"canGetAndSet{state}": "true",
        f"canSerialize{state}": "true",
    }
    provided = ("Directional",) if version == 2 else ("Directional", "Adjoint")
    common |= {
        f"provides{kind}Derivative{'' if version == 2 else 's'}": "true" for kind in provided if about.derivatives
    }
    for kind, more in (("ModelExchange", {}), ("CoSimulation", {"canHandleVariableCommunicationStepSize": "true"})):
        found = xml.SubElement(root, kind, {**common, **more})
        if version == 2:
            files = xml.SubElement(found, "SourceFiles")
            for name in about.sources:
                xml.SubElement(files, "File", name=name)


def _add_units(root: xml.Element, variables: Sequence[FmuVariable]) -> None:
    listed = xml.SubElement(root, "UnitDefinitions")
    for unit in sorted({x.unit for x in variables}):
        found = xml.SubElement(listed, "Unit", name=unit)
        if unit in _UNITS:
            xml.SubElement(found, "BaseUnit", {name: str(n) for name, n in _UNITS[unit].items()})


def _variable_attributes(x: FmuVariable) -> dict[str, str]:
    """Causality, variability and, where it is not the default, initial."""
    match x.role:
        case "time":
            return {"causality": "independent", "variability": "continuous"}
        case "effort":
            return {"causality": "input", "variability": "continuous"}
        case "parameter" | "pull":
            return {"causality": "parameter", "variability": "tunable", "initial": "exact"}
        case "state":
            return {"causality": "output", "variability": "continuous", "initial": "approx" if x.guess else "exact"}
        case "rate":
            return {"causality": "local", "variability": "continuous", "initial": "calculated"}
    return {"causality": "output", "variability": "continuous", "initial": "calculated"}


def _add_scalar_variable(listed: xml.Element, x: FmuVariable) -> None:
    named = {"name": x.name, "valueReference": str(x.reference), "description": x.description}
    real = {"unit": x.unit}
    if x.start is not None:
        real["start"] = repr(x.start)
    if x.state is not None:
        real["derivative"] = str(x.state + 1)  # variables are counted from 1
    xml.SubElement(xml.SubElement(listed, "ScalarVariable", {**named, **_variable_attributes(x)}), "Real", real)


def _add_float64_variable(listed: xml.Element, x: FmuVariable) -> None:
    named = {"name": x.name, "valueReference": str(x.reference), "description": x.description, "unit": x.unit}
    if x.start is not None:
        named["start"] = repr(x.start)
    if x.state is not None:
        named["derivative"] = str(x.state)
    xml.SubElement(listed, "Float64", {**named, **_variable_attributes(x)})


def _is_initial_unknown(x: FmuVariable) -> bool:
    """Whether the initialization computes it."""
    return x.role in ("rate", "result", "reaction", "limit") or x.guess


def _structure_2(root: xml.Element, variables: Sequence[FmuVariable]) -> None:
    structure = xml.SubElement(root, "ModelStructure")
    groups = {
        "Outputs": [x for x in variables if x.role in _OUTPUTS],
        "Derivatives": [x for x in variables if x.role == "rate"],
        "InitialUnknowns": [x for x in variables if _is_initial_unknown(x)],
    }
    for name, chosen in groups.items():
        listed = xml.SubElement(structure, name)
        for x in chosen:
            xml.SubElement(listed, "Unknown", index=str(x.reference + 1))


def _structure_3(root: xml.Element, variables: Sequence[FmuVariable]) -> None:
    structure = xml.SubElement(root, "ModelStructure")
    groups = {
        "Output": [x for x in variables if x.role in _OUTPUTS],
        "ContinuousStateDerivative": [x for x in variables if x.role == "rate"],
        "InitialUnknown": [x for x in variables if _is_initial_unknown(x)],
        "EventIndicator": [x for x in variables if x.role == "limit"],
    }
    for name, chosen in groups.items():
        for x in chosen:
            xml.SubElement(structure, name, valueReference=str(x.reference))
