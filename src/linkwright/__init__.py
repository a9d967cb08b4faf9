"""Kinematics and dynamics of serial and parallel (closed-loop) robots."""

from __future__ import annotations

from linkwright import quiet_start as quiet_start  # before all others: Ctrl-C may come while they are loaded

# isort: split
from typing import TYPE_CHECKING

from linkwright.lazy import lazy
from linkwright.results.drawers import attach
from linkwright.version import __version__ as __version__

if TYPE_CHECKING:
    from linkwright import analysis, beams, catalog, control, events, export, joints, papers
    from linkwright.algebra.pose import RigidTransform
    from linkwright.analysis.check.check import check
    from linkwright.analysis.check.records import Diagnosis
    from linkwright.analysis.motions.motion import motion
    from linkwright.compiler import OpCount
    from linkwright.dynamics.sharing import LeastNorm, LeastPeak, Preload, Sharing
    from linkwright.errors import (
        AccuracyWarning,
        ArgumentError,
        AssemblyError,
        BatchWarning,
        CompilerError,
        Exit,
        FormatError,
        FormatWarning,
        LinkwrightError,
        LinkwrightWarning,
        MechanismError,
        MotionWarning,
        ParameterWarning,
        ResultError,
        SingularityError,
    )
    from linkwright.findings import Finding
    from linkwright.formats import load, save
    from linkwright.formats.study import Study, load_study, save_study
    from linkwright.formulations.formulation import Formulation
    from linkwright.formulations.leg_by_leg import LegByLeg
    from linkwright.formulations.minimal import Minimal
    from linkwright.formulations.multipliers import Baumgarte, Multipliers
    from linkwright.formulations.springs import VirtualSprings
    from linkwright.kinematics.assembly import Configuration
    from linkwright.kinematics.idle_freedoms import IdleFreedom
    from linkwright.kinematics.query import Failure
    from linkwright.kinematics.singularity import Singularity
    from linkwright.mechanism import (
        Actuator,
        Body,
        Box,
        Capsule,
        Coupling,
        Cylinder,
        Ellipsoid,
        Frame,
        Inertia,
        Joint,
        Limits,
        Mechanism,
        Mesh,
        Parameter,
        Plate,
        Quantity,
        Shape,
        Sphere,
    )
    from linkwright.model import Model, build
    from linkwright.model.actuator_records import ModelActuator
    from linkwright.model.fixed import FixedPose
    from linkwright.model.limits import LimitRows, LimitViolation
    from linkwright.model.parameters import Parameters
    from linkwright.model.pose import Pose
    from linkwright.model.regressor_parameters import DynamicParameter, RegressorParameters
    from linkwright.model.submechanism import RangeCheck, Submechanism, Transmission, submechanism
    from linkwright.model.wrench import Wrench
    from linkwright.plans.rank import RedundantEquation
    from linkwright.results.opening import open_result
    from linkwright.results.result import Result
    from linkwright.results.sensitivity import Sensitivity
    from linkwright.results.series import Event, Series
    from linkwright.results.summary import SeriesSummary
    from linkwright.simulation import DOP853, DP5, RK4, Pace, Rodas5P, simulate
    from linkwright.simulation.ensemble.api import simulate_many
    from linkwright.simulation.ensemble.record import Ensemble
    from linkwright.simulation.methods.methods import Method
    from linkwright.simulation.problem.stops import EndStops
    from linkwright.simulation.running.energy_balance import EnergyBalance
    from linkwright.simulation.running.output import Output
    from linkwright.simulation.stepper.api import Stepper
    from linkwright.simulation.studies import run_study
    from linkwright.sweeps.sweep import sweep
    from linkwright.viewer.showing import ShownPage, view
    from linkwright.viewer.widget import live_widget

_PACKAGES = ("analysis", "beams", "catalog", "control", "events", "export", "forces", "joints", "papers", "sweeps")
_MODULES = {
    "algebra.pose": "RigidTransform",
    "analysis.check.check": "check",
    "analysis.check.records": "Diagnosis",
    "analysis.motions.motion": "motion",
    "compiler": "OpCount",
    "errors": (
        "AccuracyWarning ArgumentError AssemblyError BatchWarning CompilerError Exit FormatError "
        "FormatWarning LinkwrightError LinkwrightWarning MechanismError MotionWarning ParameterWarning ResultError "
        "SingularityError"
    ),
    "findings": "Finding",
    "formats": "load save",
    "formats.study": "Study load_study save_study",
    "formulations.formulation": "Formulation",
    "formulations.leg_by_leg": "LegByLeg",
    "formulations.minimal": "Minimal",
    "formulations.multipliers": "Baumgarte Multipliers",
    "formulations.springs": "VirtualSprings",
    "mechanism": (
        "Actuator Body Box Capsule Coupling Cylinder Ellipsoid Frame Inertia Joint Limits Mechanism Mesh "
        "Parameter Plate Quantity Shape Sphere"
    ),
    "model": "Model build",
    "model.actuator_records": "ModelActuator",
    "model.fixed": "FixedPose",
    "model.limits": "LimitViolation LimitRows",
    "model.parameters": "Parameters",
    "model.pose": "Pose",
    "model.regressor_parameters": "DynamicParameter RegressorParameters",
    "model.submechanism": "RangeCheck Submechanism Transmission submechanism",
    "model.wrench": "Wrench",
    "results.opening": "open_result",
    "results.result": "Result",
    "results.sensitivity": "Sensitivity",
    "results.series": "Event Series",
    "results.summary": "SeriesSummary",
    "simulation": "DOP853 DP5 Pace RK4 Rodas5P simulate",
    "simulation.ensemble.api": "simulate_many",
    "simulation.ensemble.record": "Ensemble",
    "simulation.methods.methods": "Method",
    "simulation.problem.stops": "EndStops",
    "simulation.running.energy_balance": "EnergyBalance",
    "simulation.running.output": "Output",
    "simulation.stepper.api": "Stepper",
    "simulation.studies": "run_study",
    "kinematics.assembly": "Configuration",
    "kinematics.query": "Failure",
    "kinematics.idle_freedoms": "IdleFreedom",
    "plans.rank": "RedundantEquation",
    "dynamics.sharing": "LeastNorm LeastPeak Preload Sharing",
    "kinematics.singularity": "Singularity",
    "sweeps.sweep": "sweep",
    "viewer.showing": "ShownPage view",
    "viewer.widget": "live_widget",
}

__all__ = [
    "DOP853",
    "DP5",
    "RK4",
    "AccuracyWarning",
    "Actuator",
    "ArgumentError",
    "AssemblyError",
    "BatchWarning",
    "Baumgarte",
    "Body",
    "Box",
    "Capsule",
    "CompilerError",
    "Configuration",
    "Coupling",
    "Cylinder",
    "Diagnosis",
    "DynamicParameter",
    "Ellipsoid",
    "EndStops",
    "EnergyBalance",
    "Ensemble",
    "Event",
    "Exit",
    "Failure",
    "Finding",
    "FixedPose",
    "FormatError",
    "FormatWarning",
    "Formulation",
    "Frame",
    "IdleFreedom",
    "Inertia",
    "Joint",
    "LeastNorm",
    "LeastPeak",
    "LegByLeg",
    "LimitRows",
    "LimitViolation",
    "Limits",
    "LinkwrightError",
    "LinkwrightWarning",
    "Mechanism",
    "MechanismError",
    "Mesh",
    "Method",
    "Minimal",
    "Model",
    "ModelActuator",
    "MotionWarning",
    "Multipliers",
    "OpCount",
    "Output",
    "Pace",
    "Parameter",
    "ParameterWarning",
    "Parameters",
    "Plate",
    "Pose",
    "Preload",
    "Quantity",
    "RangeCheck",
    "RedundantEquation",
    "RegressorParameters",
    "Result",
    "ResultError",
    "RigidTransform",
    "Rodas5P",
    "Sensitivity",
    "Series",
    "SeriesSummary",
    "Shape",
    "Sharing",
    "ShownPage",
    "Singularity",
    "SingularityError",
    "Sphere",
    "Stepper",
    "Study",
    "Submechanism",
    "Transmission",
    "VirtualSprings",
    "Wrench",
    "analysis",
    "beams",
    "build",
    "catalog",
    "check",
    "control",
    "events",
    "export",
    "joints",
    "live_widget",
    "load",
    "load_study",
    "motion",
    "open_result",
    "papers",
    "run_study",
    "save",
    "save_study",
    "simulate",
    "simulate_many",
    "submechanism",
    "sweep",
    "view",
]

attach("plot", "linkwright.plots.figures:figure")
attach("report", "linkwright.viewer.report:report")
attach("html", "linkwright.viewer.report:notebook")
attach("sweep plot", "linkwright.plots.scatter:scatter")
attach("open ensemble", "linkwright.simulation.ensemble.opening:read_ensemble")
attach("open sweep", "linkwright.sweeps.record:read_sweep")
attach("study plot", "linkwright.plots.studies:figure")
attach("study report", "linkwright.viewer.studies:report")
attach("study html", "linkwright.viewer.studies:notebook")

if not TYPE_CHECKING:
    __getattr__ = lazy(__name__, _MODULES, _PACKAGES)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
