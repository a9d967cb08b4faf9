"""Good calls of every public function, class and method: what a misuse starts from.

Arguments come from a table by the name of the function, else by the name of the parameter; a required parameter that is
in neither gets a strange value.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from functools import cache, cached_property
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np

import linkwright as lw
from linkwright import control
from tests.hostile import analyses
from tests.hostile.call import COMPILING, Call
from tests.hostile.harvest import fields, harvested
from tests.test_public import OBJECTS

_TRIED = ("five-bar.", "slider-crank.", "floating.")  # models whose results are kept for further calls
_UNIT = (1.0, 0.0, 0.0, 0.0)
# Not tried: protocols and abstract unions, tables of constants, errors (any text goes), what ends processes or waits.
_LEFT_OUT = {"errors.Exit", "Model", "types.Pace", "analysis.StudyResult", "papers.LegProcesses"}
_CALLED_BY_LIBRARY = (lw.joints.JointKind, lw.forces.ForceElement, lw.forces.Spring, lw.forces.Friction)
_LEFT_OUT |= {name for name, thing in OBJECTS.items() if inspect.isabstract(thing)}


@cache
def models() -> dict[str, lw.Model]:
    """Models of a tree, of loops in the plane and in space, and one with inputs; small, so that they compile soon."""
    crank = lw.catalog.load("slider-crank")
    rod = ["bodies.rod.mass"] if "rod" in crank.names else [f"bodies.{crank.names[0]}.mass"]
    return {
        "arm": lw.build(lw.catalog.load("three-link-arm")),
        "four-bar": lw.build(lw.catalog.load("four-bar")),
        "five-bar": lw.build(lw.catalog.load("five-bar")),
        "slider-crank": lw.build(crank, inputs=rod),
        "floating": lw.build(_floating()),
    }


def _floating() -> lw.Mechanism:
    box = lw.Body("box", lw.Inertia.diagonal(1.0, (0.0, 0.0, 0.0), (0.1, 0.2, 0.25)))
    arm = lw.Body("arm", lw.Inertia.diagonal(0.5, (0.1, 0.0, 0.0), (0.1, 0.2, 0.25)))
    joints = (
        lw.Joint("base", "ground", "box", lw.joints.Floating()),
        lw.Joint("wrist", "box", "arm", lw.joints.Spherical(), at=lw.RigidTransform((0.2, 0.0, 0.0))),
    )
    return lw.Mechanism("floating", (box, arm), joints)


def state(model: lw.Model) -> dict[str, Any]:
    """Good values by the names that methods of a model use."""
    q = model.assemble().q
    v, tau, rng = np.zeros(model.nv), np.zeros(model.na), np.random.default_rng(0)
    frame = model.bodies[-1]
    pose = model.frame_pose(q, frame)
    q_act = np.zeros(model.na) if model.mechanism.name == "floating" else model.actuator_positions(q)
    inputs = len(model.parameters)
    return {
        "q": q, "q0": q, "q1": q, "near": q, "start": q, "guess": q, "v": v, "a": v, "tau": tau,
        "q_act": q_act, "v_act": tau, "a_act": tau, "path": np.array([q_act, q_act]),
        "pose": pose, "twist": np.zeros(6), "twist_rate": np.zeros(6), "frame": frame, "components": ["x", "y"],
        "h": 0.01, "w_ext": rng.normal(size=(len(model.bodies), 6)), "out": None, "formulation": None,
        "undriven": "free", "check": False, "fixed": {}, "guesses": 3, "length": 1.0, "inertias": {},
        "function": "forward_dynamics", "name": "forward_dynamics", "values": None,
        "p": model.parameters.values if inputs else None,
    }  # fmt: skip


def _short_name(public: str, known: set[str]) -> str:
    """The name by which the tables know an object of `lw.types` or `lw.shapes`: short, or that of a study."""
    space, _, last = public.rpartition(".")
    shorter = (last, f"analysis.{last}") if space in ("types", "shapes") else ()
    return next((each for each in shorter if each in known), public)


_METHODS: dict[str, dict[str, Any]] = {
    "parameter_jacobian": {"fixed": "actuators", "weights": None},
    "diagnose": {},
    "program": {"name": "mass_matrix", "inputs": False},
    "operation_count": {"name": "mass_matrix"},
}


def model_calls() -> Iterator[Call]:
    """Every public method of a model, on every model."""
    for title, model in models().items():
        good = state(model)
        for name, method in inspect.getmembers(lw.Model, inspect.isfunction):
            if name.startswith("_"):
                continue
            own = {**good, **_METHODS.get(name, {})}
            taken = [each for each in inspect.signature(method).parameters if each in own]
            arguments = {each: own[each] for each in taken if each != "self"}
            bound = _unbound(model, name, method)
            if name in ("parameter_jacobian", "diagnose"):
                arguments |= {"q": good["q"], "v": good["v"], "tau": good["tau"]}
            yield Call(f"{title}.{name}", bound, arguments, COMPILING)


def _unbound(model: lw.Model, name: str, method: Callable[..., Any]) -> Callable[..., Any]:
    """The method by its name at each call, because a compiled function may take its place; with its signature."""

    def called(*given: Any, **named: Any) -> Any:
        return getattr(model, name)(*given, **named)

    _, *rest = inspect.signature(method).parameters.values()
    called.__signature__ = inspect.Signature(rest)  # type: ignore[attr-defined]
    return called


@cache
def example_run() -> lw.Result:
    model = models()["slider-crank"]
    return lw.simulate(model, model.assemble().q, t_end=0.05, output=6)


@cache
def example_study(folder: Path) -> lw.types.Study:
    path = folder / "good-study.yaml"
    path.write_text("format: 1\nmechanism: four-bar\nt_end: 0.02\n", encoding="utf-8")
    return lw.load_study(path)


def function_calls(folder: Path) -> Iterator[Call]:
    """Public functions, with arguments by name."""
    arm, crank, mech = models()["arm"], models()["slider-crank"], lw.catalog.load("four-bar")
    q, v = np.zeros(3), np.zeros(3)
    closed = crank.assemble().q
    still = np.zeros(crank.nv)
    file = folder / "good.yaml"
    lw.save(mech, file)
    run = example_run()
    run.save(folder / "good.npz")
    many = lw.simulate_many(arm, [q, q + 0.1], t_end=0.02, threads=1)
    many.save(folder / "many.npz")
    lw.save_study(example_study(folder), folder / "study.yaml")
    program = arm.program("mass_matrix")
    table: dict[str, dict[str, Any]] = {
        "build": {"mech": mech, "actuated": None, "grouping": True, "inputs": (), "base": None},
        "check": {"mech": mech, "notes": ()},
        "load": {"path": file, "parameters": None, "folders": ()},
        "save": {"mech": mech, "path": folder / "out.yaml", "dialect": None},
        "load_study": {"path": folder / "study.yaml"},
        "save_study": {"study": example_study(folder), "path": folder / "out-study.yaml"},
        "open_result": {"path": folder / "good.npz"},
        "run_study": {"study": example_study(folder), "mech": mech, "path": None, "overwrite": True},
        "simulate": {
            "model": arm, "q": q, "v": v, "t_end": 0.02, "effort": np.zeros(3), "formulation": None,
            "method": lw.DOP853(), "t_start": 0.0, "output": 5, "events": (), "stop_at": ("singularity",),
            "check": True, "max_steps": 2000,
        },
        "simulate_many": {
            "model": arm, "q": [q, q], "v": v, "t_end": 0.02, "effort": np.zeros(3), "method": lw.DOP853(),
            "parameters": None, "t_start": 0.0, "output": 5, "threads": 1, "max_steps": 2000,
        },
        "catalog.load": {"name": "four-bar", "parameters": None},
        "analysis.advise_springs": {"model": crank, "q": closed, "v": still, "t_end": 0.01, "max_steps": 1000},
        "analysis.agreement": {
            "model": crank, "function": "forward_dynamics", "q": closed, "v": still, "a_or_tau": np.zeros(crank.na)
        },
        "papers.leg_by_leg": {"model": crank, "function": "forward_dynamics"},
        "analysis.neglect_inertia": {
            "model": arm, "cases": {"last": ["link3"]}, "q": q[None], "v": v[None], "a": v[None] + 1.0
        },
        "analysis.speed_study": {
            "model": arm, "cases": {"last": ["link3"]}, "q": q[None], "v": v[None], "a": v[None] + 1.0,
            "factors": [1.0, 2.0],
        },
        "papers.numerical_noc": {"model": crank, "q": closed, "v": still, "a": still},
        "analysis.selftest": {"model": crank, "states": 1, "seed": 0},
        "analysis.stiffness_study": {
            "model": crank, "q": closed, "v": still, "t_end": 0.001, "stiffness": [1e4], "max_steps": 1000
        },
        "beams.beam_points": {"model": arm, "q": q},
        "beams.deflection": {"model": arm, "q": q, "body": "link1", "x": None},
        "beams.flexible": {"mech": mech, "beams": {}},
        "control.feedforward": {
            "model": arm, "reference": control.Cycloidal(q, q + 0.1, 1.0), "times": [0.0, 0.5, 1.0], "near": None
        },
        "submechanism": {
            "mech": crank.mechanism, "inputs": ["crank_angle"], "outputs": ["stroke"], "parameters": ["bodies.rod.mass"]
        },
        "export.c_kit": {"model": crank, "name": "robot", "frame": None, "precision": "double", "newton_steps": 3},
        "export.c_source": {"program": program, "name": "mass", "samples": None, "parameters": None},
        "export.casadi_function": {"source": crank, "function": "mass_matrix", "frame": None, "name": None},
        "export.jax_function": {
            "source": crank, "function": "mass_matrix", "frame": None, "method": "xla", "newton_steps": 3
        },
        "export.torch_function": {"source": crank, "function": "mass_matrix", "frame": None},
        "export.ros2_relay": {"model": crank, "name": "robot", "folder": None},
        "export.state_space": {
            "model": crank, "q": closed, "v": still, "tau": np.zeros(crank.na), "outputs": ["positions"]
        },
    }  # fmt: skip
    table |= analyses.functions(folder)
    functions = {name: each for name, each in OBJECTS.items() if inspect.isfunction(each)}
    functions["catalog.load"] = lw.catalog.load
    for name, function in functions.items():
        yield Call(name, function, table.get(name, {}), COMPILING)


def class_calls(folder: Path, found: Mapping[type, Any]) -> Iterator[Call]:
    """Constructors and methods of the public records; those without good values here begin with values found."""
    arm = models()["arm"]
    reference = control.Cycloidal(np.zeros(3), np.ones(3), 1.0)
    steady = control.Steady(0.0, 1.0)
    pd = {"model": arm, "reference": reference, "stiffness": 1.0, "damping": [1.0, 1.0, 1.0]}
    point = control.Steady(np.zeros(3), np.ones(3))
    beam = {"length": 1.0, "density": 1.0, "stiffness": 1.0, "shapes": lw.beams.Clamped(1)}
    table: dict[str, dict[str, Any]] = {
        "control.PD": pd, "control.PDGravity": pd, "control.ComputedTorque": pd,
        "control.Constant": {"efforts": np.zeros(3)},
        "control.Sines": {"amplitude": np.ones(3), "rate": 1.0, "phase": 0.0, "offset": 0.0},
        "control.Table": {"times": [0.0, 1.0, 2.0], "efforts": np.ones((3, 3)), "between": "line", "ends": "smooth"},
        "control.Sum": {"laws": (control.Constant(np.zeros(3)), control.Constant(np.ones(3)))},
        "control.Sampled": {"function": lambda t, q, v: np.zeros(3), "rate": 100.0, "name": "held"},
        "control.FeedforwardFeedback": {"feedforward": control.Constant(np.zeros(3)), "correction": control.PD(**pd)},
        "control.Cycloidal": {"start": np.zeros(3), "end": np.ones(3), "duration": 1.0},
        "control.Quintic": {"start": np.zeros(3), "end": np.ones(3), "duration": 1.0},
        "control.Trapezoid": {"start": np.zeros(3), "end": np.ones(3), "duration": 1.0, "ramp": 0.2},
        "control.Steady": {"start": np.zeros(3), "rate": np.ones(3)},
        "control.Delayed": {"reference": reference, "start": 0.5},
        "control.Spline": {"times": [0.0, 1.0, 2.0], "points": np.ones((3, 2)), "ends": "natural"},
        "control.Circle": {
            "center": np.zeros(3), "radius": 1.0, "angle": steady, "first": (1, 0, 0), "second": (0, 1, 0)
        },
        "control.PlatformMotion": {"position": point, "quaternion_wxyz": _UNIT, "axis": (0, 0, 1), "angle": steady},
        "control.PlatformComputedTorque": {
            "model": models()["five-bar"], "motion": control.PlatformMotion(point), "stiffness": 1.0, "damping": 1.0,
            "components": ("x", "y"),
        },
        "events.Crossing": {"name": "up", "function": lambda t, q, v: q[0], "direction": 0, "stop": False},
        "events.Close": {"loop": "D", "when": None, "direction": -1, "normal": (0, 0, 1), "restitution": 0.0},
        "events.Open": {"loop": "D", "when": None, "direction": -1, "normal": (0, 0, 1)},
        "RK4": {"h": 0.01},
        "EndStops": {"stiffness": 10.0, "damping": 1.0},
        "Stepper": {
            "model": arm, "n": 2, "h": 1e-3, "method": lw.RK4, "substeps": 1, "q": None, "v": None, "p": None,
            "stops": None, "wrenches": (), "threads": 1,
        },
        "DP5": {"rtol": 1e-6, "atol": 1e-6, "h": 0.01, "h_max": 1.0},
        "DOP853": {"rtol": 1e-6, "atol": 1e-6, "h_max": 1.0},
        "Rodas5P": {"rtol": 1e-6, "atol": 1e-6, "h_max": 1.0},
        "Baumgarte": {"rate": 10.0},
        "Multipliers": {"baumgarte": lw.Baumgarte(10.0)},
        "Minimal": {"independent": ("theta1",), "displacement": False},
        "VirtualSprings": {"stiffness": 1e4, "damping": 1.0, "at": None, "arm": None},
        "Khan": {"platform": None}, "Rao": {"spin": True}, "Preload": {"wanted": (1.0,)},
        "Output": {"rows": 5, "path": None, "progress": None, "pace": None},
        "Pose": {"position": np.zeros(3), "quaternion_wxyz": np.array(_UNIT)},
        "Inertia": {"mass": 1.0, "com": (0, 0, 0), "tensor": np.eye(3)},
        "Quantity": {"value": 1.0, "unit": "m"},
        "beams.Beam": beam, "beams.Clamped": {"count": 2}, "beams.Sine": {"count": 2}, "beams.Polynomial": {"count": 3},
        "beams.Modes": {"beam": lw.beams.Beam(**beam)}, "beams.Section": {"beam": lw.beams.Beam(**beam), "x": 0.5},
        "Series": {"name": "x", "values": np.zeros(3), "unit": "m", "group": "q"},
        "Event": {"t": 0.0, "kind": "limit", "name": "x", "text": ""},
        "Result": {"t": np.arange(3.0), "series": (lw.types.Series("theta1", np.zeros(3)),), "meta": {}, "events": ()},
    }  # fmt: skip
    table |= analyses.classes()
    statics = {**_STATIC, **analyses.statics(folder)}
    methods = analyses.methods(folder)
    known = {*table, *statics, *methods, *_USED}
    for public, thing in OBJECTS.items():
        name = _short_name(public, known)
        if (
            not inspect.isclass(thing)
            or public in _LEFT_OUT
            or issubclass(thing, Exception)
            or getattr(thing, "_is_protocol", False)
        ):
            continue
        good = table[name] if name in table else fields(found.get(thing))
        yield Call(
            name, thing, good, then=_use(name, methods) if name.startswith("control.") or name in _USED else repr
        )
        yield from _static_calls(name, thing, statics)
        if (name in table or thing in found) and not issubclass(thing, _CALLED_BY_LIBRARY):
            yield from object_calls(name, thing(**good) if name in table else found[thing], methods)


# Classes that users make objects of, whose methods are tried on what strange arguments made.
_USED = ("sweeps.Grid", "sweeps.Uniform", "sweeps.LatinHypercube", "sweeps.Sobol", "sweeps.TabulatedPoints", "Stepper")
_USED += tuple(f"analysis.{name}" for name in ("JacobianMeasure", "PeakEffort", "WeightedSum", "DesignStudy"))
_USED += ("analysis.Motor", "analysis.MeasuredMotion", "analysis.LowPass")


def _use(name: str, methods: Mapping[str, dict[str, Any]]) -> Callable[[Any], object]:
    """What is done with a new object: it is shown, its properties are read, and its methods are called."""

    def used(thing: Any) -> None:
        repr(thing)
        for key, _ in inspect.getmembers_static(type(thing), lambda x: isinstance(x, property | cached_property)):
            getattr(thing, key)
        for call in object_calls(name, thing, methods):
            if call.complete:
                call()

    return used


def _static_calls(name: str, thing: type, statics: Mapping[str, dict[str, Any]]) -> Iterator[Call]:
    for key, value in vars(thing).items():
        if isinstance(value, staticmethod | classmethod) and not key.startswith("_"):
            yield Call(f"{name}.{key}", getattr(thing, key), statics.get(f"{name}.{key}", {}))


_STATIC: dict[str, dict[str, Any]] = {
    "Inertia.diagonal": {"mass": 1.0, "com": (0, 0, 0), "moments": (1, 1, 1)},
    "RigidTransform.of": {"xyz": (0, 0, 0), "matrix": np.eye(3)},
    "RigidTransform.from_quaternion": {"xyz": (0, 0, 0), "wxyz": _UNIT},
    "RigidTransform.from_rpy": {"xyz": (0, 0, 0), "rpy": (0, 0, 1)},
}
_OF_OBJECTS: dict[str, Any] = {
    "t": 0.5, "q": np.zeros(3), "v": np.zeros(3), "name": "theta1", "severity": "error", "given": None, "path": None,
    "parameters": None, "initial": False, "objective": None, "names": None, "index": 0,
    "values": {"bodies.crank.mass": 1.0},
}  # fmt: skip
_OPERATORS = ("__getitem__", "__add__", "__matmul__", "__call__")


def object_calls(name: str, thing: Any, methods: Mapping[str, dict[str, Any]] = MappingProxyType({})) -> Iterator[Call]:
    """Public methods of an object that the library defines, its operators too."""
    for key, function in inspect.getmembers_static(type(thing), inspect.isfunction):
        if function.__module__.startswith("linkwright") and (not key.startswith("_") or key in _OPERATORS):
            method = getattr(thing, key)
            taken = inspect.signature(method).parameters
            known = {**_OF_OBJECTS, **_of_state(thing), **methods.get(name, {})}
            good = {each: known[each] for each in taken if each in known}
            yield Call(f"{name}().{key}", method, good | (methods.get(f"{name}.{key}") or methods.get(key, {})))


def _of_state(thing: Any) -> dict[str, Any]:
    """Coordinates, velocities and states of a law in the sizes that an object with a model needs."""
    model = getattr(thing, "model", None)
    if not isinstance(model, lw.Model):
        return {}
    return {"q": model.assemble().q, "v": np.zeros(model.nv), "z": np.zeros(getattr(thing, "n_states", 0))}


def result_calls(folder: Path) -> Iterator[Call]:
    """Methods of ensembles and of what models with inputs hold."""
    methods = analyses.methods(folder)
    run = lw.simulate_many(models()["arm"], np.zeros((2, 3)), t_end=0.02, threads=1)
    yield from object_calls("Ensemble", run, methods)
    yield from object_calls("Result", example_run(), {**methods, "Result": {"name": "stroke", "names": ["stroke"]}})


def all_calls(folder: Path) -> list[Call]:
    """Every call that is misused."""
    functions = [*function_calls(folder)]
    found = harvested(
        [*functions, *(each for each in model_calls() if each.name.startswith(_TRIED))], analyses.things()
    )
    return [*model_calls(), *functions, *class_calls(folder, found), *result_calls(folder)]
