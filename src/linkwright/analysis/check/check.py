"""The mobility doctor: what a mechanism is, how it moves, what is wrong with it, and the fix for each problem."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from linkwright.analysis.check.actuation import actuation, actuation_findings
from linkwright.analysis.check.bodies import (
    body_findings,
    limit_findings,
    massless_motion,
    part_findings,
    separate_parts,
)
from linkwright.analysis.check.closing import home_findings, open_loops, singularity_findings
from linkwright.analysis.check.records import BAD_FILE, CHECK_FAILED, Diagnosis, Finding, by_severity, counted
from linkwright.analysis.check.redundancy import redundancy_findings
from linkwright.compiler import evaluate
from linkwright.errors import AssemblyError, LinkwrightError
from linkwright.kernels.setup import setup
from linkwright.mechanism import Limits, Mechanism
from linkwright.mechanism.names import listed
from linkwright.mechanism.tree import coordinate_slices
from linkwright.model.limits import limits_exceeded
from linkwright.solve.idle import Idle, idling
from linkwright.solve.machine import Machine
from linkwright.solve.motions import Motions, motions
from linkwright.solve.samples import home
from linkwright.solve.singularities import Singularity, singularity

__all__ = ["Diagnosis", "Finding", "diagnosis", "unreadable"]

_STILL = 1e-3


def diagnosis(mech: Mechanism) -> Diagnosis:
    """Everything the doctor can say of a mechanism; it does not raise, whatever is wrong with the machine.

    >>> from linkwright import catalog
    >>> found = diagnosis(catalog.load("four-bar"))
    >>> found.gruebler, found.mobility, found.actuation.verdict, found.exit_code
    (-2, 1, 'exact', 0)
    """
    machine, complaints = _machine(mech)
    basic = _counted(machine, complaints)
    try:
        found = _examined(machine, basic)
    except AssemblyError:
        found = _with(basic, [open_loops(machine)])
    except (LinkwrightError, ArithmeticError, ValueError, np.linalg.LinAlgError) as error:
        found = _with(basic, [_gave_up(error)])
    return replace(found, findings=tuple(sorted(found.findings, key=by_severity)))


def unreadable(name: str, error: LinkwrightError) -> Diagnosis:
    """The diagnosis of a file that is no mechanism: its problems, one finding each."""
    lines = [line.strip() for line in str(error).splitlines()]
    texts = lines[1:] if len(error.data.get("problems", ())) > 1 and len(lines) > 1 else lines
    fix = "Correct the file as told."
    return Diagnosis(name, findings=tuple(Finding("file", text, fix, BAD_FILE) for text in texts))


def _gave_up(error: Exception) -> Finding:
    return Finding(
        "not examined", f"the examination stopped: {error}", "Mend this first and check again.", CHECK_FAILED
    )


def _machine(mech: Mechanism) -> tuple[Machine, list[Finding]]:
    """The machine with its motors, or without them when they cannot be understood."""
    try:
        return Machine(setup(mech, None)), []
    except LinkwrightError as error:
        told = Finding("wrong motors", str(error), "Name each driven joint once under 'actuators'.", CHECK_FAILED)
        return Machine(setup(mech, ())), [told]


def _counted(machine: Machine, complaints: list[Finding]) -> Diagnosis:
    """What can be counted without closing anything."""
    mech, closure = machine.setup.mech, machine.setup.closure
    parts = separate_parts(mech)
    return Diagnosis(
        name=mech.name,
        bodies=len(mech.bodies),
        joints=len(mech.joints) + len(mech.loops),
        loops=len(mech.loops),
        couplings=len(mech.couplings),
        speeds=machine.setup.tree.nv,
        equations=closure.n_all,
        gruebler=machine.setup.tree.nv - closure.n_all,
        parts=parts,
        findings=(*complaints, *body_findings(mech), *part_findings(parts)),
    )


def _with(found: Diagnosis, more: list[Finding]) -> Diagnosis:
    return replace(found, findings=(*found.findings, *more))


def _examined(machine: Machine, basic: Diagnosis) -> Diagnosis:
    """The diagnosis of a machine that closes."""
    mech, is_tree = machine.setup.mech, not machine.setup.closure.n_all
    pose = home(machine.open) if is_tree else machine.home
    moves = motions(machine.kinematics)
    idle = idling(moves)
    driven = actuation(moves, idle)
    near = _near(machine)
    distances = {"type1": near.type1, "type2": near.type2, "constraint": near.constraint}
    found = replace(
        basic,
        mobility=moves.mobility + moves.elastic,
        elastic=moves.elastic,
        redundant=() if is_tree else machine.redundancy,
        idle=idle.found,
        actuation=driven,
        singularity={name: x for name, x in distances.items() if x == x},
        home={name: tuple(map(float, pose[at])) for name, (at, _) in coordinate_slices(mech.joints).items()},
    )
    told = [
        *_locked(machine, moves, near),
        *redundancy_findings(machine, moves),
        *_idle_findings(idle.found),
        *_elastic(moves),
        *_not_held_yet(mech),
    ]
    misnamed = any(finding.kind == "wrong motors" for finding in basic.findings)
    told += () if misnamed else actuation_findings(driven, moves, idle)
    told += massless_motion(moves)
    bounded = any(j.limits != Limits() for j in (*mech.joints, *mech.loops))
    told += limit_findings(limits_exceeded(machine.open, pose) if bounded else (), mech)
    if not is_tree:
        told += home_findings(machine)
    if moves.mobility:
        told += singularity_findings(near, driven.verdict == "exact")
    return _with(found, told)


def _locked(machine: Machine, moves: Motions, near: Singularity) -> Iterator[Finding]:
    """A structure, or one that only seems to move."""
    if not machine.setup.closure.n_all:
        return
    shaky = _spread(machine) < _STILL and (moves.mobility or near.constraint < _STILL**2)
    if shaky:
        yield Finding(
            "locked",
            "the machine is a shaky structure: at home its equations allow a small motion, but none that goes on",
            "Change a length a little, so that it is either a firm structure or a mechanism.",
            CHECK_FAILED,
        )
    elif not moves.mobility:
        count = machine.setup.tree.nv - machine.setup.closure.n_all
        why = "every equation is needed" if not machine.rank.redundant else f"the count on paper is {count}"
        yield Finding(
            "locked",
            f"the machine cannot move: {machine.rank.rank} independent closure equations take all "
            f"{machine.setup.tree.nv} speeds ({why})",
            "Remove a joint from a loop, or give one of its joints more freedom.",
            CHECK_FAILED,
        )


def _spread(machine: Machine) -> float:
    """How far the walk along the branch came from home, in radians or in units of the machine's size."""
    unit = max(1.0, machine.scales.length)
    return float(np.abs(machine.branch_samples - machine.home).max(initial=0.0)) / unit


def _idle_findings(idle: tuple[Idle, ...]) -> Iterator[Finding]:
    for each in idle:
        alone = "moves" if len(each.bodies) == 1 else "move"
        yield Finding(
            "idle",
            f"{each.words} and {alone} nothing else",
            f"Take a joint without this freedom for '{each.joints[0]}' (a universal one instead of a spherical one), "
            "or leave it if that motion matters.",
        )


def _not_held_yet(mech: Mechanism) -> Iterator[Finding]:
    if mech.open_loops:
        names = [joint.name for joint in mech.open_loops]
        yield Finding(
            "open",
            f"{listed('loop', 'loops', names)} {'is' if len(names) == 1 else 'are'} open at the start and "
            "left out of all that is told here",
            "A run closes them with Close(...); to examine the closed machine, take 'open: true' out of the file.",
        )


def _elastic(moves: Motions) -> Iterator[Finding]:
    if moves.elastic:
        yield Finding(
            "elastic",
            f"links bend in {counted(moves.elastic, 'freedom')} that no motor drives, so inverse dynamics is refused",
            'Take the machine with rigid links for efforts, or let the shapes follow with undriven="free"; forward '
            "dynamics and simulation need nothing.",
        )


def _near(machine: Machine) -> Singularity:
    """Distances of the home pose from singularities, without planning an elimination."""
    q = machine.home if machine.setup.closure.n_all else home(machine.open)
    return singularity(machine, q, poses=evaluate(machine.open.program("body_poses"), q))
