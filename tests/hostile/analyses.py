"""Good arguments of analyses, sweeps, exports and laws, small enough that each call takes a fraction of a second."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

import linkwright as lw
from linkwright import analysis, control, sweeps, types

_BOUNDS = {"proximal": (0.2, 0.45), "distal": (0.3, 0.5)}


@cache
def design() -> lw.Model:
    """A five-bar whose lengths are inputs."""
    return lw.build(lw.catalog.load("five-bar"), inputs=["base", "proximal", "distal"])


@cache
def crank() -> lw.types.Submechanism:
    return lw.submechanism(lw.catalog.load("slider-crank"), ["crank_angle"], ["stroke"], ["bodies.rod.mass"])


@cache
def duty() -> lw.Result:
    """A short motion of the five-bar."""
    return lw.motion(design(), np.linspace(0.0, 0.5, 21), pose=_to_and_fro)


@cache
def poses() -> lw.Pose:
    """Four poses of the five-bar's tip."""
    xyz = np.array([(0.0, 0.42, 0.0), (0.05, 0.4, 0.0), (-0.05, 0.4, 0.0), (0.0, 0.38, 0.0)])
    return lw.Pose(xyz, np.tile((1.0, 0.0, 0.0, 0.0), (4, 1)))


def _to_and_fro(t: Any) -> list[Any]:
    return [0.1 * np.sin(6 * t), 0.42, 0, 0, 0, 0]


def _line(s: Any) -> list[Any]:
    return [0.1 - 0.2 * s, 0.42, 0, 0, 0, 0]


def _area(x: Any) -> dict[str, Any]:
    return {"area": x["width"] * x["height"]}


def _reward(batch: Any) -> Any:
    return -(batch.tau**2).sum(axis=1)


def functions(folder: Path) -> dict[str, dict[str, Any]]:
    """Arguments by the name of the function."""
    return {**_of_states(), **_of_designs(folder), **_of_motions(folder), **_of_exports(folder)}


def _of_states() -> dict[str, dict[str, Any]]:
    model = design()
    q = model.assemble().q
    return {
        "analysis.clearance": {"model": model, "q": np.array([q, q]), "pairs": None, "ignore": ()},
        "analysis.indices": {
            "model": model, "q": q, "frame": "platform", "components": ["x", "y"], "length": 0.5, "stiffness": 1e4,
            "compliance": {"psi1": np.full(6, 1e-6)}, "speed": [1.0, 2.0], "effort": {"motor1": 1.0, "motor2": 2.0},
            "encoder": 1e-4, "play": {"psi1": 1e-5}, "p": model.parameters.values,
        },
        "analysis.transmission_angles": {
            "model": model, "q": q, "joint": "psi1", "frame": None, "components": ["x", "y"],
        },
        "analysis.tolerance": {
            "model": model, "q": q, "deviations": {"proximal": 1e-4, "distal": 1e-4}, "samples": 20,
            "distribution": "normal", "frame": None, "seed": 0,
        },
        "analysis.beam_compliance": {
            "length": 1.0, "young": 2e11, "area": 1e-4, "moment_y": 1e-8, "moment_z": 1e-8, "shear": 8e10,
            "torsion": 2e-8,
        },
        "analysis.base_parameters": {"model": _arm(), "parameters": ["inertial"], "states": 20, "seed": 0},
        "analysis.explain": {"mech": lw.catalog.load("slider-crank"), "inputs": ["bodies.rod.mass"]},
        "analysis.workspace": {
            "model": model, "grid": {"x": (-0.2, 0.2, 5), "y": (0.3, 0.5, 4)}, "at": None, "orientations": None,
            "turns": None, "combine": "all", "limits": True, "at_least": {"type2": 0.01},
            "at_most": {"condition": 20.0},
            "show": ["manipulability"], "clearance": 0.0, "refine": True, "frame": "platform", "near": q,
            "stiffness": 1e4,
        },
    }  # fmt: skip


@cache
def _arm() -> lw.Model:
    return lw.build(lw.catalog.load("three-link-arm"))


@cache
def base() -> types.BaseParameters:
    return analysis.base_parameters(design(), parameters=["inertial"], states=40)


def _of_designs(folder: Path) -> dict[str, dict[str, Any]]:
    model, run = design(), duty()
    objective, size = (
        analysis.JacobianMeasure(model, poses(), components=("x", "y")),
        analysis.WeightedSum(model, {"distal": 1.0}),
    )
    q_act, near = model.actuator_positions(run.q[::4]), run.q[::4]
    search = {"bounds": _BOUNDS, "constraints": [(size, 1.0)], "starts": 1, "seed": 0, "steps": 4, "tolerance": 1e-6}
    sides = {"width": [1.0, 2.0], "height": [3.0]}
    lw.sweep(_area, sides, path=folder / "swept.npz", overwrite=True)
    lw.sweep(_area, sides, path=folder / "part.npz", shard=(0, 2), chunk=1, overwrite=True)
    lw.sweep(_area, sides, path=folder / "part.npz", shard=(1, 2), chunk=1, overwrite=False)
    (folder / "listed.csv").write_text("width\n1.0\n2.0\n", encoding="utf-8")
    return {
        "analysis.optimize": {"model": model, "objective": objective, **search},
        "analysis.pareto": {"model": model, "objectives": (size, objective), "count": 2, **search, "constraints": ()},
        "analysis.calibrate": {
            "model": model, "q_act": q_act, "measured": model.frame_pose(near, "platform").position, "noise": 1e-4,
            "frame": None, "near": near, "sensors": {"psi1": near[:, list(model.q_names).index("psi1")]},
            "sensor_noise": {"psi1": 1e-4},
        },
        "analysis.suggest_poses": {
            "model": model, "q_act": q_act[:2], "candidates": q_act[2:], "count": 2, "noise": (1e-4, 1e-5),
            "expected": 1e-3, "frame": None, "near": near[0],
        },
        "analysis.excite": {
            "model": _arm(), "parameters": ["inertial"], "period": 2.0, "harmonics": 1,
            "limits": {"range": [(-1.0, 1.0)] * 3, "speed": 5.0, "acceleration": 50.0, "effort": [99.0, 99.0, 99.0]},
            "center": np.zeros(3), "margin": 0.2, "criterion": "condition", "samples": 8, "iterations": 2, "starts": 1,
            "seed": 0, "base": None,
        },
        "sweep": {
            "function": _area, "over": {"width": [1.0, 2.0], "height": [3.0, 4.0]}, "executor": None,
            "path": folder / "sweep.npz", "vectorized": True, "chunk": 2, "shard": None, "overwrite": True,
            "progress": None,
        },
        "sweeps.merge": {"parts": [folder / "part.npz"], "path": folder / "merged.npz"},
        "open_result": {"path": folder / "swept.npz"},
    }  # fmt: skip


def _of_motions(folder: Path) -> dict[str, dict[str, Any]]:
    model, run = design(), duty()
    measured = analysis.MeasuredMotion.of_run(model, run)
    motors = folder / "motors.csv"
    motors.write_text("name, speed [rpm], continuous, peak, rotor_inertia\nM, 600, 0.1, 0.3, 1e-5\n", encoding="utf-8")
    q = model.assemble().q
    q_act = model.actuator_positions(run.q)
    np.savetxt(
        folder / "measured.csv", np.column_stack([run.t, q_act, run.tau]), delimiter=",", comments="",
        header="t,motor1,motor2,motor1.effort,motor2.effort",
    )  # fmt: skip
    along = {
        "frame": "platform", "components": ["x", "y"], "sequence": "xyz", "near": q, "w_ext": np.zeros((4, 6))
    }  # fmt: skip
    return {
        "motion": {
            "model": model, "t": np.linspace(0.0, 0.5, 9), "pose": _to_and_fro, **along, "reactions": True,
            "clearance": 0.0,
        },
        "analysis.time_optimal": {
            "model": model, "s": None, "pose": _line, **along, "effort": {"motor1": 5.0, "motor2": 5.0}, "speed": 10.0,
            "acceleration": [100.0, 100.0], "intervals": 6, "solver": "linprog",
        },
        "analysis.identify": {
            "model": model, "measured": measured, "parameters": ["inertial"], "method": "weighted", "base": base(),
            "near": run.q, "weight": 1e-3,
        },
        "analysis.actuator_sets": {"model": model, "run": run, "candidates": ["theta1", "theta2", "psi1"]},
        "analysis.size": {
            "model": model, "runs": [run], "motors": [analysis.Motor("M", 600.0, 0.1, 0.3, 1e-5)],
            "gears": [5.0, 10.0], "efficiency": 0.9, "rest": 0.1,
        },
        "analysis.load_motors": {"path": motors},
    }  # fmt: skip


_ENDINGS = {"save": ".json", "report": ".html", "plot": ".svg", "export": ".json"}


def things() -> list[Any]:
    """Objects that properties and methods of other objects give."""
    model, run = design(), duty()
    driven = lw.simulate(model, model.assemble().q, t_end=0.01, output=3)
    state = crank().from_inputs([1.0], [2.0], [0.0])
    identified = analysis.identify(model, run, parameters=["inertial"], base=base())
    found = analysis.indices(model, model.assemble().q, speed=1.0)
    region = analysis.workspace(model, {"x": (-0.2, 0.2, 5), "y": (0.3, 0.5, 4)}, show=["condition"])
    objective = analysis.JacobianMeasure(model, poses(), components=("x", "y"))
    tight = np.array([[9.0, -9.0, 9.0, -9.0]])
    return [
        model.parameters, model.regressor_parameters, tuple(model.regressor_parameters), tuple(model.parameters), state,
        crank().check_range({"stroke": (0.1, 0.2)}, points=3), run.summary(), driven.sensitivity(["proximal"]),
        identified.validate(run), found.polytope("velocity"), region.level("condition", 2.0),
        model.limits_exceeded(tight),
        objective(model.parameters.values), objective.following(), model.limits_exceeded(tight[0]),
        analysis.time_optimal(model, q_act=_turning, acceleration=100.0, intervals=4, solver="linprog"),
        _arm().program("mass_matrix"), _arm().program("mass_matrix").signature, *map(lw.catalog.load, _SHOWN),
        lw.Coupling("gear", (("theta1", 1.0), ("theta2", -2.0))), lw.shapes.Plate(((0.0, 0.0, 0.0),) * 3, 0.01),
        lw.shapes.Mesh("none.stl"), lw.shapes.Box((1.0, 1.0, 1.0)), lw.shapes.Ellipsoid((1.0, 1.0, 1.0)),
        lw.forces.Spring(1.0),
        lw.forces.Strut("s", "ground", "box", (0.0, 0.0, 0.0), (1.0, 0.0, 0.0), 10.0), analysis.DesignStudy,
        sweeps.SweepProgress(1, 2, 0, 1.0, 1.0), lw.check(lw.catalog.load("gough-stewart")),
    ]  # fmt: skip


_SHOWN = ("delta", "four-bar-flexible", "three-link-arm")


def _turning(s: Any) -> list[Any]:
    return [2.2 + 0.1 * s, 0.9]


def _of_exports(folder: Path) -> dict[str, dict[str, Any]]:
    model = design()
    return {
        "export.fmu": {
            "model": model, "name": "robot", "version": 3, "frames": ["platform"], "reactions": True, "binary": False
        },
        "export.gym_vector_env": {
            "model": model, "n": 2, "h": 0.01, "reward": _reward, "terminated": None, "observe": None, "start": None,
            "parameters": None, "efforts": [2.0, 2.0], "episode": 100, "substeps": 1, "stops": None, "failure": 0.0,
            "autoreset": "next_step", "threads": 1,
        },
        "view": {"thing": lw.catalog.load("four-bar"), "path": folder / "page.html", "still": True, "workspace": None},
    }  # fmt: skip


def classes() -> dict[str, dict[str, Any]]:
    """Arguments by the name of the class."""
    model, run = design(), duty()
    q = model.assemble().q
    pose = model.frame_pose(q, "platform")
    spatial = lw.build(lw.catalog.load("3-rrr"))
    home = spatial.frame_pose(spatial.assemble().q, spatial.mechanism.platform)
    stays = control.PlatformMotion(control.Steady(home.position, np.zeros(3)), home.quaternion_wxyz)
    load = lw.Wrench.weight(spatial.mechanism, str(spatial.mechanism.platform), 5.0)
    q_act = model.actuator_positions(q)
    pd = control.PD(model, control.Steady(q_act, np.zeros(2)), 10.0, 1.0)
    sines = control.SumOfSines(np.zeros(3), np.full(3, 0.1), np.ones(3))
    return {
        "control.GravityCompensation": {"model": spatial, "payload": load},
        "control.Impedance": {
            "model": spatial, "motion": stays, "stiffness": 10.0, "damping": np.ones(6), "payload": (load,)
        },
        "control.Admittance": {
            "model": spatial, "motion": stays, "sensor": load, "mass": 1.0, "damping": 1.0, "stiffness": 1.0,
        },
        "control.DisturbanceObserver": {"model": model, "law": pd, "gain": 25.0, "correct": True},
        "control.EulerMotion": {
            "position": sines, "angles": sines, "sequence": "xyz", "quaternion_wxyz": pose.quaternion_wxyz
        },
        "control.PickAndPlace": {
            "start": np.zeros(3), "end": np.ones(3), "height": 0.1, "cycle": 1.0, "overlap": 0.2, "lift": 0.3,
            "up": (0, 0, 1),
        },
        "control.SumOfSines": {"offset": np.zeros(3), "amplitude": np.ones(3), "frequency": np.ones(3), "phase": 0.0},
        "Wrench": {"on": "link3", "force": [0, 0, 5.0], "moment": np.zeros(3), "at": (0, 0, 0), "axes": "world"},
        "analysis.JacobianMeasure": {
            "model": model, "poses": poses(), "of": "condition", "combine": "worst", "components": ("x", "y"),
            "length": 0.5, "sharpness": 200.0,
        },
        "analysis.PeakEffort": {
            "model": model, "poses": poses(), "twists": np.zeros((4, 6)), "twist_rates": np.ones((4, 6)),
            "components": ("x", "y"), "scale": 1.0, "sharpness": 200.0,
        },
        "analysis.WeightedSum": {"model": model, "weights": {"distal": 1.0}},
        "analysis.DesignStudy": {
            "mechanism": lw.catalog.load("five-bar"), "varied": ["proximal"], "poses": poses(),
            "measures": ["condition"], "components": ["x", "y"],
        },
        "analysis.Motor": {
            "name": "M", "speed": [0.0, 600.0], "continuous": [0.2, 0.1], "peak": [0.4, 0.3], "rotor_inertia": 1e-5
        },
        "analysis.MeasuredMotion": {
            "t": run.t, "q_act": model.actuator_positions(run.q), "tau": run.tau, "v_act": None, "a_act": None,
            "cutoff": None,
        },
        "analysis.LowPass": {"cutoff": 5.0, "rate": 100.0},
        "sweeps.Grid": {"width": [1.0, 2.0]},
        "sweeps.Uniform": {"count": 4, "seed": 0, "width": (1.0, 2.0)},
        "sweeps.LatinHypercube": {"count": 4, "seed": 0, "width": (1.0, 2.0)},
        "sweeps.Sobol": {"count": 4, "seed": 0, "width": (1.0, 2.0)},
        "sweeps.TabulatedPoints": {"width": [1.0, 2.0]},
        "export.Port": {"name": "q", "shape": (3,)},
        "export.UnitVector": {"start": 0, "size": 4, "name": "q", "tolerance": 1e-6},
    }  # fmt: skip


def statics(folder: Path) -> dict[str, dict[str, Any]]:
    """Arguments by the name of a constructor besides the class itself."""
    model, run = design(), duty()
    return {
        "Wrench.weight": {"mech": model.mechanism, "on": "platform", "mass": 1.0, "at": (0, 0, 0)},
        "analysis.MeasuredMotion.of_run": {"model": model, "run": run, "tau": run.tau},
        "analysis.MeasuredMotion.read": {"model": model, "path": folder / "measured.csv", "cutoff": None},
        "control.FeedforwardFeedback.of_motion": {"model": model, "motion": run, "stiffness": 1.0, "damping": [1, 1]},
        "sweeps.TabulatedPoints.read": {"path": folder / "listed.csv"},
    }


def methods(folder: Path) -> dict[str, dict[str, Any]]:
    """Arguments by the name of a method."""
    model, run, maps = design(), duty(), crank()
    state = maps.from_inputs([1.0], [2.0], [0.0])
    moved = {"position": [1.0], "rate": [2.0], "acceleration": [0.0], "near": state.q}
    of_maps = {"q": state.q, "v": state.v, "space": "outputs", "efforts": [1.0]}
    p = {"p": model.parameters.values}
    rows = {"start": 0, "stop": 2}
    return {
        **{key: {"path": folder / f"kept{ending}"} for key, ending in _ENDINGS.items()},
        "Submechanism.from_inputs": moved,
        "Submechanism.from_outputs": {**moved, "position": state.outputs},
        "Submechanism.with_parameters": {"values": {"bodies.rod.mass": 1.5}},
        "Submechanism.check_range": {"ranges": {"stroke": (0.1, 0.2)}, "points": 3, "limit": 100.0, "near": state.q},
        "Submechanism": of_maps,
        "Mechanism": {"name": "bodies.proximal1.mass", "values": {"bodies.proximal1.mass": 1.0}},
        "Parameters": {"name": "proximal", "given": {"proximal": 0.3}},
        "OpCount.__add__": {"other": lw.types.OpCount()},
        "RigidTransform.__matmul__": {"other": lw.RigidTransform()},
        "LimitRows.__getitem__": {"row": 0},
        "Stepper.set_parameters": {"p": None},
        "Stepper.step": {"tau": np.zeros((2, 3)), "wrench": None, "p": None},
        "Stepper.reset": {"rows": [0], "q": np.zeros(3), "v": np.zeros(3)},
        "Ensemble.__getitem__": {"key": 0},
        "Ensemble.save": {"path": folder / "kept.npz"}, "Result.save": {"path": folder / "kept.npz", "durable": False},
        "ShownPage.save": {"path": folder / "kept.html"}, "types.Explanation.report": {"path": folder / "kept.html"},
        "sweeps.Sweep.save": {"path": folder / "kept.npz"}, "export.Fmu.write": {"path": folder / "kept.fmu"},
        "export.CKit.write": {"folder": folder / "kit"}, "export.Ros2Files.write": {"folder": folder / "ros2"},
        "types.BaseParameters.of": {"theta": base().theta},
        "analysis.JacobianMeasure": p,
        "analysis.PeakEffort": p,
        "analysis.WeightedSum": p,
        "analysis.DesignStudy.__call__": {"points": {"proximal": np.array([0.25, 0.3])}},
        "types.Indices": {"of": "velocity", "part": "linear", "row": ()},
        "types.Identification.interval": {"confidence": 0.95},
        "types.Identification.validate": {"measured": run, "near": run.q},
        "analysis.Motor": {"speed": 1.0},
        "analysis.LowPass.filter_series": {"x": np.zeros((100, 2))},
        "types.WarmStartedMeasure.__call__": {"p": model.parameters.values, "gradient": True},
        "analysis.GeometricPath": {"s": np.array([0.0, 0.5])},
        "types.Sizing.best": {"actuator": "motor1"},
        "types.TimedPath.motion": {"model": model, "samples": 11},
        "types.Tolerance.allocate": {"limit": 1e-3, "cost": {"proximal": 1.0, "distal": 2.0}},
        "types.Tolerance.quantile": {"share": 0.95},
        "types.Validation.error": {"computed": run.tau},
        "types.Workspace.level": {"name": "condition", "value": 2.0},
        "types.Workspace.slice": {"value": None, "x": 0.0},
        "control.DisturbanceObserver.estimate": {"run": run},
        "sweeps.Grid": rows, "sweeps.Uniform": rows, "sweeps.LatinHypercube": rows, "sweeps.Sobol": rows,
        "sweeps.TabulatedPoints": rows,
        "sweeps.Sweep.plot": {"path": None, "x": "width", "y": "area", "color": None},
        "sweeps.Sweep": {"name": "area", "largest": False, "x": "width", "y": "area", "color": None},
        "export.Port.leading_axes": {"shape": (2, 3)},
        "RegressorParameters": {"name": base().names[0]},
        "Sensitivity.by": {"name": "proximal"},
    }  # fmt: skip
