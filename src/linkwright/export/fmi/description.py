"""modelDescription.xml and buildDescription.xml of a Functional Mock-up Unit, FMI 2.0 and 3.0."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal
from xml.etree import ElementTree as xml

from linkwright.dataclass import dataclass
from linkwright.export.fmi.unit_equations import TOLERANCE
from linkwright.export.fmi.variables import FmuVariable
from linkwright.version import __version__

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
