"""Kinematics and dynamics of serial and parallel (closed-loop) robots and mechanisms.

Read a mechanism, build a model, ask the model, run it in time:

    mech = lw.load("robot.yaml")  # or lw.catalog.load("delta")
    model = lw.build(mech)
    q = model.assemble().q
    tau = model.inverse_dynamics(q, v, a)
    run = lw.simulate(model, q, t_end=1.0)

Functions: `load`, `save`, `build`, `check` (what is wrong, and the fix), `view`; `simulate`, `simulate_many`, `motion`,
`sweep`, `submechanism`; `open_result`, `load_study`, `save_study`, `run_study`.

A `Mechanism` is made of `Body`, `Joint`, `Inertia`, `Frame`, `Actuator`, `Coupling`, `Parameter`, `Limits`. A `Model`
takes and gives `Pose`, `Wrench`, `RigidTransform`, `Configuration`. Runs use `Stepper`, `Output`, `EndStops` and give a
`Result` or an `Ensemble`.

Ways to solve: `Multipliers`, `Minimal`, `VirtualSprings`, `LegByLeg`, `Baumgarte`; `DOP853`, `DP5`, `RK4`, `Rodas5P`;
`LeastNorm`, `LeastPeak`, `Preload` for redundant actuators.

Namespaces: `catalog` (ready mechanisms), `joints`, `forces` (springs, friction, struts), `shapes`, `beams`, `formats`,
`control` (motions, laws), `events`, `analysis` (studies), `sweeps`, `export` (C, FMU, JAX and others), `papers`,
`types` (records you only receive), `errors`.
"""

from linkwright import quiet_start as quiet_start  # before all others: Ctrl-C may come while they are loaded

# isort: split
from linkwright.lazy import lazy_names
from linkwright.results.attached_functions import attach_function
from linkwright.version import __version__ as __version__

attach_function("plot", "linkwright.plots.figures:plot_run")
attach_function("report", "linkwright.viewer.run_report:write_run_report")
attach_function("html", "linkwright.viewer.run_report:run_notebook_html")
attach_function("path of frame", "linkwright.viewer.runs:path_of_frame")
attach_function("open ensemble", "linkwright.simulation.ensemble.ensemble_record:read_ensemble")
attach_function("open sweep", "linkwright.sweeps.sweep:open_sweep")
attach_function("study plot", "linkwright.plots.figures:plot_study")
attach_function("study report", "linkwright.viewer.study_report:write_study_report")
attach_function("explanation report", "linkwright.viewer.study_report:write_explanation_report")
attach_function("study html", "linkwright.viewer.study_report:study_notebook_html")

__all__, __getattr__, __dir__ = lazy_names(__name__, __file__)
