"""Kinematics and dynamics of serial and parallel (closed-loop) robots."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from linkwright.results.drawers import attach
from linkwright.version import __version__ as __version__

if TYPE_CHECKING:
    from linkwright import catalog
    from linkwright.analysis.check.check import check
    from linkwright.analysis.check.records import Diagnosis
    from linkwright.analysis.springs import SpringAdvice, StiffnessStudy, advise_springs, stiffness_study
    from linkwright.compiler import OpCount
    from linkwright.control.feedback import PD, ComputedTorque, FeedforwardFeedback, PDGravity, feedforward
    from linkwright.control.laws import Constant, Sampled, Sines, Table
    from linkwright.control.paths import Circle, PlatformMotion
    from linkwright.control.platform import PlatformComputedTorque
    from linkwright.control.references import Cycloidal, Delayed, Quintic, Steady, Trapezoid
    from linkwright.control.splines import Spline
    from linkwright.errors import AccuracyWarning, BatchWarning, FormatWarning, LinkwrightError
    from linkwright.findings import Finding
    from linkwright.formats import load, save
    from linkwright.formats.study import Study, load_study, save_study
    from linkwright.formulations.hanzaki import Hanzaki
    from linkwright.formulations.khan import Khan
    from linkwright.formulations.minimal import Minimal
    from linkwright.formulations.multipliers import Baumgarte, Multipliers
    from linkwright.formulations.rao import Rao
    from linkwright.formulations.springs import VirtualSprings
    from linkwright.mechanism import Beam, Clamped, Mechanism, Polynomial, Sine, flexible
    from linkwright.model import Model, build
    from linkwright.model.beams import beam_points, deflection
    from linkwright.results.opening import open_run
    from linkwright.results.result import Result
    from linkwright.results.series import Event, Series
    from linkwright.simulation import DOP853, DP5, RK4, Close, Crossing, Open, Rodas5P, simulate
    from linkwright.simulation.ensemble.api import simulate_many
    from linkwright.simulation.ensemble.record import Ensemble, open_ensemble
    from linkwright.simulation.studies import run_study
    from linkwright.solve.sharing import LeastNorm, LeastPeak, Preload

# Loaded when first used, so that `import linkwright` and `linkwright --help` stay quick.
_ROOMS = {
    "AccuracyWarning": "errors",
    "BatchWarning": "errors",
    "FormatWarning": "errors",
    "Baumgarte": "formulations.multipliers",
    "Circle": "control.paths",
    "Close": "simulation",
    "ComputedTorque": "control.feedback",
    "Constant": "control.laws",
    "Crossing": "simulation",
    "Cycloidal": "control.references",
    "DOP853": "simulation",
    "DP5": "simulation",
    "Delayed": "control.references",
    "Diagnosis": "analysis.check.records",
    "Ensemble": "simulation.ensemble.record",
    "Event": "results.series",
    "FeedforwardFeedback": "control.feedback",
    "Finding": "findings",
    "Hanzaki": "formulations.hanzaki",
    "Khan": "formulations.khan",
    "LeastNorm": "solve.sharing",
    "LeastPeak": "solve.sharing",
    "LinkwrightError": "errors",
    "Mechanism": "mechanism",
    "Minimal": "formulations.minimal",
    "Model": "model",
    "Multipliers": "formulations.multipliers",
    "OpCount": "compiler",
    "Open": "simulation",
    "PD": "control.feedback",
    "PDGravity": "control.feedback",
    "PlatformComputedTorque": "control.platform",
    "PlatformMotion": "control.paths",
    "Preload": "solve.sharing",
    "Quintic": "control.references",
    "RK4": "simulation",
    "Rao": "formulations.rao",
    "Result": "results.result",
    "Rodas5P": "simulation",
    "Sampled": "control.laws",
    "Series": "results.series",
    "Sines": "control.laws",
    "Spline": "control.splines",
    "Steady": "control.references",
    "Study": "formats.study",
    "Table": "control.laws",
    "Trapezoid": "control.references",
    "VirtualSprings": "formulations.springs",
    "Beam": "mechanism",
    "Clamped": "mechanism",
    "Polynomial": "mechanism",
    "Sine": "mechanism",
    "flexible": "mechanism",
    "beam_points": "model.beams",
    "deflection": "model.beams",
    "SpringAdvice": "analysis.springs",
    "StiffnessStudy": "analysis.springs",
    "advise_springs": "analysis.springs",
    "stiffness_study": "analysis.springs",
    "build": "model",
    "check": "analysis.check.check",
    "feedforward": "control.feedback",
    "load": "formats",
    "load_study": "formats.study",
    "open_ensemble": "simulation.ensemble.record",
    "open_run": "results.opening",
    "run_study": "simulation.studies",
    "save": "formats",
    "save_study": "formats.study",
    "simulate": "simulation",
    "simulate_many": "simulation.ensemble.api",
}

__all__ = [
    "DOP853",
    "DP5",
    "PD",
    "RK4",
    "AccuracyWarning",
    "BatchWarning",
    "Baumgarte",
    "Beam",
    "Circle",
    "Clamped",
    "Close",
    "ComputedTorque",
    "Constant",
    "Crossing",
    "Cycloidal",
    "Delayed",
    "Diagnosis",
    "Ensemble",
    "Event",
    "FeedforwardFeedback",
    "Finding",
    "FormatWarning",
    "Hanzaki",
    "Khan",
    "LeastNorm",
    "LeastPeak",
    "LinkwrightError",
    "Mechanism",
    "Minimal",
    "Model",
    "Multipliers",
    "OpCount",
    "Open",
    "PDGravity",
    "PlatformComputedTorque",
    "PlatformMotion",
    "Polynomial",
    "Preload",
    "Quintic",
    "Rao",
    "Result",
    "Rodas5P",
    "Sampled",
    "Series",
    "Sine",
    "Sines",
    "Spline",
    "SpringAdvice",
    "Steady",
    "StiffnessStudy",
    "Study",
    "Table",
    "Trapezoid",
    "VirtualSprings",
    "advise_springs",
    "beam_points",
    "build",
    "catalog",
    "check",
    "deflection",
    "feedforward",
    "flexible",
    "load",
    "load_study",
    "open_ensemble",
    "open_run",
    "run_study",
    "save",
    "save_study",
    "simulate",
    "simulate_many",
    "stiffness_study",
]

attach("plot", "linkwright.plots.figures:figure")
attach("report", "linkwright.viewer.report:report")
attach("html", "linkwright.viewer.report:notebook")


def __getattr__(name: str) -> Any:
    if name == "catalog":
        return importlib.import_module("linkwright.catalog")
    if name in _ROOMS:
        return getattr(importlib.import_module(f"linkwright.{_ROOMS[name]}"), name)
    raise AttributeError(f"module 'linkwright' has no attribute '{name}'")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
