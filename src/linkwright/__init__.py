"""Kinematics and dynamics of serial and parallel (closed-loop) robots and mechanisms.

Start with `load` (or `catalog.load`), `build` and `simulate`; `check` says what is wrong with a mechanism, `view` shows
it. A model answers the rest: `model.assemble`, `model.inverse_dynamics`, `model.forward_kinematics` and so on.

Joints are in `joints`, springs and other forces in `forces`, shapes in `shapes`, studies in `analysis`, controllers in
`control`, code for other programs in `export`; records that you only receive are in `types`, errors and warnings in
`errors`. The names are listed in `__init__.pyi`; each is imported when it is first used.
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
attach_function("sweep plot", "linkwright.plots.figures:scatter")
attach_function("open ensemble", "linkwright.simulation.ensemble.ensemble_record:read_ensemble")
attach_function("open sweep", "linkwright.sweeps.sweep_record:read_sweep")
attach_function("study plot", "linkwright.plots.study_figures:plot_study")
attach_function("study report", "linkwright.viewer.study_report:write_study_report")
attach_function("study html", "linkwright.viewer.study_report:study_notebook_html")

__all__, __getattr__, __dir__ = lazy_names(__name__, __file__)
