"""One run from its specification to its result, whether its loops stay as they are or close and open on the way."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from linkwright.dataclass import dataclass
from linkwright.files import require_replaceable
from linkwright.results.recording import Recording
from linkwright.results.result import Result
from linkwright.results.sensitivity_record import Sensitivity
from linkwright.simulation.running.axial_loads import axial_load_shares, warn_of_axial_loads
from linkwright.simulation.running.beam_series import with_beams
from linkwright.simulation.running.energy_balance import warn_of_lost_energy
from linkwright.simulation.running.metadata import RunBalance, result_of_runner, run_balance
from linkwright.simulation.running.run import Runner, phase_runner
from linkwright.simulation.running.run_spec import RunSpec
from linkwright.simulation.running.run_start import Start
from linkwright.simulation.running.workspace import workspace_of_run

if TYPE_CHECKING:
    from linkwright.simulation.switching.phases import SwitchedRun

_SPARE = 8


@dataclass(frozen=True, eq=False)
class FinishedRun:
    """A run that is over, with its energy balance.

    Attributes:
        runner: that advanced it last.
        axial_loads: of beams, as shares of what buckles them, where loops closed and opened on the way.
    """

    result: Result
    balance: RunBalance
    runner: Runner
    axial_loads: dict[str, float] | None = None

    def warn(self) -> None:
        """Warn the caller of lost energy, and of axial loads that change how links bend."""
        spec = self.runner.spec
        if self.balance.is_worth_a_warning:
            name = spec.model.mechanism.name
            warn_of_lost_energy(name, self.balance.whole, "run.events shows when it drifts most")
        warn_of_axial_loads(spec.model, self.largest_axial_loads())

    def largest_axial_loads(self) -> dict[str, float]:
        """Axial loads of beams, as shares of what buckles them."""
        if self.axial_loads is not None:
            return self.axial_loads
        spec = self.runner.spec
        return axial_load_shares(spec.model, self.runner.problem.acting, spec.actuation.loads, self.balance.rows)


def execute(spec: RunSpec[Start], resume: bool = False) -> FinishedRun:
    """Run what a specification says; `resume` goes on with the unfinished run in its file."""
    if spec.switches:
        from linkwright.simulation.switching.phases import SwitchedRun, most_rows, switched_spec  # seldom needed

        spec = switched_spec(spec)
        with open_recording(spec, most_rows(spec), resume) as recording:
            phases = SwitchedRun(spec, recording)
            return _finish(phases.run(), phases)
    workspace, roots = workspace_of_run(spec)
    problem = workspace.problem
    with open_recording(spec, len(spec.times.shown), resume) as recording:
        runner = phase_runner(spec, workspace, roots, recording, spec.crossings, progress=spec.output.progress)
        if recording.state is not None:
            runner.events.extend(recording.events)
            runner.resume(recording.state)
        runner.to(spec.times.duration)
        found = _finish(runner)
        if runner.problem is problem and not spec.crossings:
            workspace.give_back(spec.method, roots)
    return found


def open_recording(spec: RunSpec[Start], rows: int, resume: bool) -> Recording:
    """The table of a run, with space for so many rows: in memory, or also in a file beside that of the result."""
    out, columns, capacity = spec.output, spec.columns, rows + _SPARE
    if out.path is None:
        return Recording(None, columns, capacity)
    if not out.overwrite:
        from linkwright.results.result_reader import RUN  # readers of all formats

        require_replaceable(out.path, RUN)
    meta, request = spec.meta(), spec.request()
    return Recording(out.path, columns, capacity, meta, request, resume=resume, overwrite=out.overwrite)


def _finish(runner: Runner, phases: SwitchedRun | None = None) -> FinishedRun:
    """The result of a run that is over, saved where it is to be."""
    spec, balance = runner.spec, run_balance(runner)
    derivatives = partial(_sensitivity, spec, runner.now) if phases is None else None
    result = result_of_runner(runner, balance, None if phases is None else phases.meta, derivatives)
    result = with_beams(spec.model, result, derivatives)
    result = result if phases is None else phases.with_refusal(result)
    if spec.output.path is not None:
        result.save(spec.output.path)
        runner.recording.discard()
    return FinishedRun(result, balance, runner, None if phases is None else phases.axial_loads)


def _sensitivity(spec: RunSpec[Start], t_end: float, *given: Any) -> Sensitivity:
    from linkwright.simulation.sensitivity import state_sensitivity  # seldom needed

    return state_sensitivity(spec, t_end, *given)
