"""What actuators have to give along motions, and which motors and gears give it (docs/howto/sizing.md)."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import numpy as np

from linkwright.analysis.sizing.motors import Motor, load_motors
from linkwright.analysis.studied_model import studied_mechanism
from linkwright.checks import require_instance, require_instances, require_number, require_real_array, require_text
from linkwright.dataclass import dataclass
from linkwright.errors import ArgumentError
from linkwright.mechanism.names import suggest_name
from linkwright.model import Model
from linkwright.model.actuator_records import ModelActuator
from linkwright.readable_text import shared_unit
from linkwright.results.charts import Curve, Panel
from linkwright.results.result import Result
from linkwright.results.studied_mechanism import StudiedMechanism
from linkwright.results.study_result import StudyContent, StudyResult, StudyTable

Array = np.ndarray
_SHARES = ("rms_share", "peak_share", "speed_share")
GEARS = (1.0, 2.0, 3.0, 4.0, 5.0, 7.0, 10.0, 15.0, 20.0, 30.0, 50.0, 70.0, 100.0)
LEADS = (0.04, 0.02, 0.01, 0.005, 0.002)  # of screws, [m]


@dataclass(frozen=True)
class ActuatorLoad:
    """What one actuator gives along the motions, at the joint.

    Attributes:
        name: of the actuator. unit: of its effort, N m or N.
        peak, rms: effort; rms over the motions and the rest. speed, mean_speed: largest and mean magnitude over the
            motions alone, [rad/s, m/s].
        power: largest, [W]. work: energy given to the mechanism. regenerated: energy taken from it, [J].
    """

    name: str
    unit: str
    peak: float
    rms: float
    speed: float
    mean_speed: float
    power: float
    work: float
    regenerated: float


@dataclass(frozen=True)
class MotorChoice:
    """A motor with a gear for one actuator, and what shares of its curves the motions use: at most 1 where it serves.

    Attributes:
        actuator, motor: names. gear: turns of the motor per turn of the joint (rad/m of a drive that slides).
        rms: of the continuous torque at the root mean square speed. peak: of the peak torque at the speed of that
            instant. speed: of the highest speed. torque: rms of the motor's torque, [N m].
    """

    actuator: str
    motor: str
    gear: float
    rms: float
    peak: float
    speed: float
    torque: float

    @property
    def load(self) -> float:
        """The largest of the three shares."""
        return max(self.rms, self.peak, self.speed)

    @property
    def serves(self) -> bool:
        """True if no curve is exceeded."""
        return self.load <= 1.0


@dataclass(frozen=True, eq=False)
class Sizing(StudyResult):
    """Loads of the actuators, and motors that bear them.

    Attributes:
        mechanism: name. loads: one record per actuator.
        choices: for each actuator and motor the gear with the least load, least loaded first.
        torque, speed: points of all motions at the joints, {actuator: (n,)}.
        motors: of the data sheet.
    """

    mechanism: str
    loads: tuple[ActuatorLoad, ...]
    choices: tuple[MotorChoice, ...]
    torque: dict[str, Array]
    speed: dict[str, Array]
    motors: tuple[Motor, ...] = ()
    notes: tuple[str, ...] = ()
    studied: StudiedMechanism | None = None

    def best(self, actuator: str) -> MotorChoice | None:
        """The least loaded choice for an actuator; None without motors or where none serves."""
        names = [each.name for each in self.loads]
        if require_text("actuator", actuator) not in names:
            raise ArgumentError(f"unknown actuator '{actuator}'{suggest_name(actuator, names)}", name="actuator")
        return next((each for each in self.choices if each.actuator == actuator and each.serves), None)

    @property
    def common(self) -> tuple[MotorChoice, ...]:
        """One motor for all actuators, each with its own gear: the one whose heaviest loaded choice has the least load.

        Empty without motors or where none serves everywhere.
        """
        every = [[each for each in self.choices if each.motor == motor.name] for motor in self.motors]
        serving = [some for some in every if some and all(each.serves for each in some)]
        return tuple(min(serving, key=lambda some: max(each.load for each in some))) if serving else ()

    def content(self) -> StudyContent:
        """Facts, tables, panels and arrays of the record."""
        columns = dict.fromkeys(("actuator", "unit", "peak_effort", "rms_effort"), "")
        speeds = shared_unit("rad/s" if e.unit == "N m" else "m/s" for e in self.loads)
        columns |= dict.fromkeys(("peak_speed", "mean_speed"), speeds or "SI")
        columns |= {"peak_power": "W", "work": "J", "regenerated": "J"}
        loads = [
            [e.name, e.unit, e.peak, e.rms, e.speed, e.mean_speed, e.power, e.work, e.regenerated] for e in self.loads
        ]
        titles = {"rms_effort": "RMS effort"}
        tables = [StudyTable("loads", columns, loads, "Loads at the joints", titles)]
        if self.choices:
            columns = dict.fromkeys(("actuator", "motor", "gear", *_SHARES, "serves"), "") | {"gear": self.gear_unit}
            rows = [[e.actuator, e.motor, e.gear, e.rms, e.peak, e.speed, e.serves] for e in self.choices]
            tables.append(
                StudyTable("motors", columns, rows, "Motors with their best gears", {"rms_share": "RMS share"})
            )
        arrays = {f"torque({name})": x for name, x in self.torque.items()}
        arrays |= {f"speed({name})": x for name, x in self.speed.items()}
        facts: dict[str, Any] = {"mechanism": self.mechanism, "actuators": len(self.loads)}
        if self.choices:
            found = [self.best(each.name) for each in self.loads]
            facts["chosen_motors"] = [None if each is None else each.motor for each in found]
            facts["chosen_gears"] = [None if each is None else each.gear for each in found]
        if self.choices and len(self.loads) > 1:
            facts["common_motor"] = self.common[0].motor if self.common else None
            facts["common_gears"] = [each.gear for each in self.common]
        units = {str(name): self.gear_unit for name in ("chosen_gears", "common_gears") if name in facts}
        return StudyContent(f"Sizing of {self.mechanism}", facts, tables, self._panels(), arrays, self.notes, units)

    @property
    def gear_unit(self) -> str:
        """Unit of the gears: rad/m where all actuators slide."""
        return "rad/m" if all(each.unit == "N" for each in self.loads) else ""

    def _panels(self) -> list[Panel]:
        panels = []
        for each in self.loads:
            name, found = each.name, self.best(each.name)
            curves = [Curve("motion", np.abs(self.speed[name]), np.abs(self.torque[name]), dots=True)]
            if found is not None:
                motor = next(m for m in self.motors if m.name == found.motor)
                w = np.linspace(0.0, motor.speed[-1], 60)
                curves.append(Curve("peak", w / found.gear, motor.peak_at(w) * found.gear))
                curves.append(Curve("continuous", w / found.gear, motor.continuous_at(w) * found.gear, dashed=True))
            unit = "m/s" if each.unit == "N" else "rad/s"
            panels.append(Panel(f"speed [{unit}]", f"effort [{each.unit}]", curves, name))
        return panels


def size(
    model: Model,
    runs: Result | Sequence[Result],
    motors: str | os.PathLike[str] | Sequence[Motor] | None = None,
    *,
    gears: Sequence[float] | None = None,
    efficiency: float = 1.0,
    rest: float = 0.0,
) -> Sizing:
    """Loads of the actuators along motions, and the motors and gears that bear them.

    Args:
        runs: results of `lw.motion` or `lw.simulate`, one duty cycle after the other.
        motors: a CSV data sheet (`load_motors`) or motors; None computes the loads only.
        gears: ratios to try; of an actuator that slides [rad/m], 2 pi over the lead of its screw. None tries 1 to 100,
            or a linear motor (1), screws of 2 to 40 mm lead and the gear of the file.
        efficiency: of the gear, above 0 and at most 1; where the mechanism drives the motor, the motor takes less.
        rest: time without load after all motions, which counts in the root mean squares, [s].

    Rotors and gears of the file are left out of the efforts where motors are tried: each motor brings its own inertia.

    >>> import linkwright as lw
    >>> model = lw.build(lw.catalog.load("five-bar"))
    >>> run = lw.motion(model, 1.0, pose=lambda t: [0.1 * np.sin(6 * t), 0.42, 0, 0, 0, 0])
    >>> found = size(model, run, [Motor("M", 600.0, 0.1, 0.3, 1e-5)], gears=[5.0])
    >>> found.best("motor1").serves
    True
    """
    require_instance("model", model, Model, "a model, build(mechanism)")
    every = (runs,) if isinstance(runs, Result) else require_instances("runs", runs, Result, "results of lw.motion")
    _require_sizing_arguments(model, every, efficiency, rest)
    sheet = _read_data_sheet(motors)
    ratios = [_gears_of_actuator(each, gears) for each in model.actuators]
    cycle = _duty_cycle(model, every, rest)
    loads = tuple(_actuator_load(model, cycle, i, name) for i, name in enumerate(model.actuated))
    choices = [
        _least_loaded_gear(cycle, i, name, motor, ratios[i], efficiency)
        for i, name in enumerate(model.actuated)
        for motor in sheet
    ]
    order = {name: i for i, name in enumerate(model.actuated)}
    choices.sort(key=lambda each: (order[each.actuator], each.load))
    named = list(enumerate(model.actuated))
    return Sizing(
        model.mechanism.name,
        loads,
        tuple(choices),
        {name: cycle.tau[:, i] for i, name in named},
        {name: cycle.v[:, i] for i, name in named},
        sheet,
        (*_sizing_notes(model, sheet), *_notes_on_ends(model, choices, ratios)),
        studied_mechanism(model, every[0].q, every[0].t),
    )


@dataclass(frozen=True, eq=False)
class _Cycle:
    """All motions one after the other: efforts, rates, accelerations, efforts without the file's rotors, (n, na).

    `weights` (n,) sum to the time of the motions (trapezoids), `time` has the rests too.
    """

    tau: Array
    v: Array
    a: Array
    bare: Array
    weights: Array
    time: float

    def rms(self, x: Array) -> float:
        return float(np.sqrt(np.sum(self.weights * x * x) / self.time))


def _gears_of_actuator(actuator: ModelActuator, given: Any) -> Array:
    """Gears to try for an actuator, ascending."""
    if given is None:
        sliding = {1.0, actuator.gear, *(2.0 * np.pi / lead for lead in LEADS)}
        return np.array(sorted(sliding) if actuator.is_sliding else GEARS)
    ratios = np.sort(require_real_array("gears", given).astype(float), axis=None)
    if not ratios.size or not np.all(np.isfinite(ratios) & (ratios > 0.0)):
        raise ArgumentError(f"gears are {given!r}, expected ratios above zero")
    return ratios


def _notes_on_ends(model: Model, choices: Sequence[MotorChoice], ratios: Sequence[Array]) -> list[str]:
    """A note on motors whose best gear is the first or last that was tried; 1 (no gear) counts as none."""
    ends = {}
    for each, gears in zip(model.actuators, ratios, strict=True):
        geared = gears[gears > 1.0] if each.is_sliding or 1.0 not in gears else gears
        ends[each.name] = {float(x) for x in (geared.min(), geared.max()) if x != 1.0} if len(geared) > 1 else set()
    at_end = [each for each in choices if each.gear in ends[each.actuator]]
    if not at_end:
        return []
    motors, actuators = (list(dict.fromkeys(names)) for names in zip(*((x.motor, x.actuator) for x in at_end)))
    return [
        f"the best gear of {', '.join(motors)} is the first or the last that was tried, for {', '.join(actuators)}: "
        "try further ones"
    ]


def _read_data_sheet(motors: Any) -> tuple[Motor, ...]:
    if motors is None:
        return ()
    if isinstance(motors, str | os.PathLike):
        return load_motors(motors)
    return require_instances("motors", motors, Motor, "a CSV data sheet, or a list of Motor records")


def _duty_cycle(model: Model, runs: Sequence[Result], rest: float) -> _Cycle:
    parts = []
    for run in runs:
        a = run.a if run.a.shape[1] == model.nv else model.forward_dynamics(run.q, run.v, run.tau)
        rates = model.actuator_velocities(run.v, run.q)
        parts.append((run.tau, rates, model.actuator_accelerations(a, run.q, run.v), _trapezoidal_weights(run.t)))
    tau, v, a, weights = (np.concatenate(x) for x in zip(*parts, strict=True))
    return _Cycle(tau, v, a, tau - _rotor_inertias_of_file(model) * a, weights, float(weights.sum() + rest))


def _trapezoidal_weights(t: Array) -> Array:
    """Weights of an integral over the times."""
    dt = np.diff(t)
    return 0.5 * (np.append(dt, 0.0) + np.insert(dt, 0, 0.0))


def _rotor_inertias_of_file(model: Model) -> Array:
    """Inertias of the file's rotors at the joints, (na,)."""
    return np.array([each.reflected_inertia for each in model.actuators])


def _actuator_load(model: Model, cycle: _Cycle, i: int, name: str) -> ActuatorLoad:
    tau, v = cycle.tau[:, i], cycle.v[:, i]
    power = tau * v
    moving = cycle.weights.sum()
    return ActuatorLoad(
        name,
        model.actuators[i].effort_unit,
        float(np.abs(tau).max()),
        cycle.rms(tau),
        float(np.abs(v).max()),
        float(np.sum(cycle.weights * np.abs(v)) / moving),
        float(power.max()),
        float(np.sum(cycle.weights * np.maximum(power, 0.0))),
        float(np.sum(cycle.weights * np.maximum(-power, 0.0))),
    )


def _least_loaded_gear(cycle: _Cycle, i: int, name: str, motor: Motor, gears: Array, efficiency: float) -> MotorChoice:
    """The gear with which a motor is loaded least."""
    return min(
        (_choice_from_data_sheet(cycle, i, name, motor, float(gear), efficiency) for gear in gears),
        key=lambda x: x.load,
    )


def _choice_from_data_sheet(
    cycle: _Cycle, i: int, name: str, motor: Motor, gear: float, efficiency: float
) -> MotorChoice:
    speed, load = gear * cycle.v[:, i], cycle.bare[:, i]
    through = np.where(load * cycle.v[:, i] >= 0.0, 1.0 / efficiency, efficiency)
    torque = load * through / gear + motor.rotor_inertia * gear * cycle.a[:, i]
    rms, at = cycle.rms(torque), cycle.rms(speed)
    with np.errstate(divide="ignore", invalid="ignore"):
        peak = np.where(torque == 0.0, 0.0, np.abs(torque) / motor.peak_at(speed))
        share = rms / float(motor.continuous_at(at)) if motor.continuous_at(at) > 0.0 else np.inf
    return MotorChoice(
        name, motor.name, gear, float(share), float(peak.max()), float(np.abs(speed).max() / motor.speed[-1]), rms
    )


def _require_run_of(model: Model, run: Any) -> None:
    """Refuse what is not a run of a mechanism like this one, at two times at least."""
    require_instance("a run", run, Result, "a run of lw.motion or lw.simulate")
    name, sizes, found = model.mechanism.name, (model.na, model.nv), (run.tau.shape[1], run.v.shape[1])
    if found != sizes:
        of = f"'{run.meta.get('mechanism', {}).get('name', 'another mechanism')}'"
        counts = "{} efforts and {} velocities, not {} and {}".format(*found, *sizes)
        raise ArgumentError(f"the run is of {of}, the mechanism is '{name}' ({counts}); give a run of this mechanism")
    if len(run.t) < 2:
        raise ArgumentError(f"the run of '{name}' has {len(run.t)} row; give one of two times at least")


def _require_sizing_arguments(model: Model, runs: Sequence[Result], efficiency: Any, rest: Any) -> None:
    if not runs:
        raise ArgumentError("no motion is given; compute one with lw.motion or lw.simulate")
    for run in runs:
        _require_run_of(model, run)
        if not np.isfinite(run.tau).all():
            raise ArgumentError(
                f"efforts are not finite at t = {run.t[np.argmin(np.isfinite(run.tau).all(axis=1))]:g} s"
            )
    if not 0.0 < require_number("efficiency", efficiency) <= 1.0:
        raise ArgumentError(f"efficiency is {efficiency}, expected a number above 0 and at most 1")
    if not require_number("rest", rest) >= 0.0:
        raise ArgumentError(f"rest is {rest}, expected a time of at least zero [s]")


def _sizing_notes(model: Model, sheet: Sequence[Motor]) -> tuple[str, ...]:
    if not sheet or not np.any(_rotor_inertias_of_file(model)):
        return ()
    return ("rotor inertias of the file are left out where motors are tried, which bring their own",)
