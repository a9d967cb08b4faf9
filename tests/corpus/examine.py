"""Everything that is found out about one model; run by `python -m tests.corpus` in a process of its own."""

from __future__ import annotations

import json
import sys
import time
import warnings
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

import linkwright as lw
from linkwright.analysis.check.check import check
from linkwright.errors import LinkwrightError, MechanismError, SingularityError
from linkwright.forces import Friction
from linkwright.formats import read
from linkwright.mechanism import Mechanism
from linkwright.mechanism.tree import coordinate_slices, spanning_tree
from linkwright.recursion.forward_recursion import tree_forward_dynamics
from linkwright.recursion.inverse_recursion import tree_inverse_dynamics
from tests.corpus.dense import Comparison, difference
from tests.corpus.records import Row
from tests.loops.random_mechanisms import interpreted

STATES = 3
_MASSLESS = "joints that move no mass: accelerations are not determined, efforts are compared"
Array = np.ndarray


def examine(path: Path, name: str = "", each: Callable[[Row], None] = lambda _: None, plain: bool = False) -> Row:
    """Load, assemble, compute, compare; what was found until something is refused, and the reason."""
    begun, row = time.process_time(), Row(name or path.name)
    try:
        with warnings.catch_warnings(), interpreted() if plain else nullcontext():
            warnings.simplefilter("ignore")
            for step in _steps(row, path, plain):
                row = step
                each(replace(row, seconds=time.process_time() - begun))
    except LinkwrightError as error:
        row = replace(row, reason=f"{type(error).__name__}: {error}".replace(str(path), path.name))
    except FileNotFoundError as error:
        row = replace(row, reason=f"not compared: {error}")
    except Exception as error:
        row = replace(row, reason=f"RAW {type(error).__name__}: {error}")
    return replace(row, seconds=time.process_time() - begun)


def _steps(row: Row, path: Path, plain: bool) -> Any:
    imported = read(path)
    mech = smooth(imported.mechanism)
    grades = [note.severity for note in imported.notes]
    row = replace(row, loads=True, errors=grades.count("error"), warnings=grades.count("warning"))
    first = next((str(note) for note in imported.notes if note.severity == "error"), "")
    yield (row := replace(row, reason=first))
    model = _Uncompiled(mech) if plain and not closed(mech) else lw.build(mech)
    yield (row := replace(row, nv=model.nv, actuators=len(mech.actuators)))
    rng = np.random.default_rng(0)
    start = _start(model) if closed(mech) else None
    row = replace(row, closes=True if closed(mech) else None, mobility=model.mobility)
    for step in _compared(row, path, mech, model, [state(model, start, rng) for _ in range(STATES)], rng):
        yield (row := step)
    yield replace(row, idle=len(check(mech).idle) if closed(mech) else 0)


def _compared(row: Row, path: Path, mech: Mechanism, model: Any, states: Any, rng: Any) -> Any:
    peer = other_program(mech, path)
    if closed(mech):
        peer = replace(peer, released=model.kinematics.released)
    row = replace(row, peer=getattr(peer, "origin", "mujoco"))
    drives = drive(mech, model)
    found = Comparison(0.0, 0.0)
    motions = []
    if massless(model, *states[0]):
        yield replace(row, inverse=_efforts(peer, model, states, rng), reason=_MASSLESS)
        return
    for q, v in states:
        tau = rng.uniform(-1.0, 1.0, size=drives.shape[1])
        a = model.forward_dynamics(q, v, tau)
        found = found.worse(peer.compare(q, v, a, drives @ tau))
        motions.append((q, v, a, drives @ tau))
    yield (row := replace(row, forward=found.difference, residual=found.residual))
    back = Comparison(0.0, 0.0)
    for q, v, a, _ in motions[:STATES]:
        force = drives @ model.inverse_dynamics(q, v, a, undriven="free")
        back = back.worse(peer.compare(q, v, a, force))
        motions.append((q, v, a, force))
    yield (row := replace(row, inverse=back.difference, residual=found.worse(back).residual))
    if not row.close and closed(mech):
        errors = (difference(a, peer.extended(q, v, force)) for q, v, a, force in motions)
        yield replace(row, exact=max(errors))


def massless(model: Any, q: Array, v: Array) -> bool:
    """True if a tree has joints that move no mass, so that its accelerations are not determined."""
    try:
        model.forward_dynamics(q, v, np.zeros(model.nv if isinstance(model, _Uncompiled) else model.na))
    except MechanismError:
        return not closed(model.mechanism)
    return False


def _efforts(peer: Any, model: Any, states: Any, rng: Any) -> float:
    """Largest relative difference of the efforts of random motions of a tree."""
    worst = 0.0
    for q, v in states:
        a, equations = rng.uniform(-1.0, 1.0, size=model.nv), peer.equations(q, v)
        force = model.inverse_dynamics(q, v, a, undriven="free")
        worst = max(worst, difference(force, equations.M @ a + equations.h))
    return worst


class _Uncompiled:
    """A tree by the same recursions on plain floats: nothing is compiled, which is quicker for a few states."""

    def __init__(self, mech: Mechanism) -> None:
        self.mechanism, self.tree = mech, spanning_tree(mech)
        self.nv = self.mobility = self.tree.nv

    def forward_dynamics(self, q: Array, v: Array, tau: Array) -> Array:
        return tree_forward_dynamics(self.tree, q, v, tau)

    def inverse_dynamics(self, q: Array, v: Array, a: Array, undriven: str) -> Array:
        return tree_inverse_dynamics(self.tree, q, v, a)


def other_program(mech: Mechanism, path: Path) -> Any:
    """The program that computes the same."""
    if path.suffix in (".xml", ".mjcf"):
        from tests.corpus import by_mujoco

        return by_mujoco.peer(mech, path)
    from tests.corpus import by_pinocchio

    return by_pinocchio.peer(mech, path)


def smooth(mech: Mechanism) -> Mechanism:
    """Without dry friction, which other programs keep by constraints or not at all."""

    def damper(friction: Friction | None) -> Friction | None:
        return replace(friction, coulomb=()) if friction is not None and friction.viscous else None

    joints = tuple(replace(joint, friction=damper(joint.friction)) for joint in mech.joints)
    return replace(mech, joints=joints)


def closed(mech: Mechanism) -> bool:
    return bool(mech.loops or mech.couplings)


def _start(model: Any) -> Array:
    """A closed configuration that is not singular: the home, or one near it."""
    q, rng = model.assemble().q, np.random.default_rng(1)
    for _ in range(8):
        try:
            model.independent_map(q)
            return q
        except SingularityError:
            q = model.assemble(guess=model.integrate(q, rng.uniform(-0.4, 0.4, size=model.nv), 1.0)).q
    return q


def state(model: Any, start: Array | None, rng: Any) -> tuple[Array, Array]:
    """A random state of a tree, or a random motion through the assembled configuration."""
    if start is not None:
        R = model.independent_map(start)
        return start, R @ rng.uniform(-1.0, 1.0, size=R.shape[1])
    q = np.concatenate([_coordinates(joint.kind, rng) for joint in model.mechanism.joints] or [np.zeros(0)])
    return q, rng.uniform(-1.0, 1.0, size=model.nv)


def _coordinates(kind: Any, rng: Any) -> Array:
    x = rng.uniform(-1.0, 1.0, size=len(kind.q_parts))
    if "qw" in kind.q_parts:
        x[-4:] /= np.linalg.norm(x[-4:])
    return x


def drive(mech: Mechanism, model: Any) -> Array:
    """Efforts of the actuators along our velocities, (nv, na)."""
    if isinstance(model, _Uncompiled):
        return np.eye(model.nv)
    slices, drives = coordinate_slices(mech.joints), np.zeros((model.nv, len(model.actuated)))
    by_name = {actuator.name: actuator for actuator in mech.actuators}
    for i, name in enumerate(model.actuated):
        actuator = by_name.get(name) or next((a for a in mech.actuators if a.joint == name), None)
        row = model.v_names.index(name) if actuator is None else slices[actuator.joint][1].start + actuator.dof
        drives[row, i] = 1.0
    return drives


def show(row: Row) -> None:
    """Print what is known so far: of a process that is ended, the last line counts."""
    print("ROW " + json.dumps(row.as_data()), flush=True)


def limit_cpu(seconds: float) -> None:
    """End this process after so many seconds of CPU, where the system can."""
    try:
        import resource
    except ImportError:
        return
    resource.setrlimit(resource.RLIMIT_CPU, (int(seconds) + 1, int(seconds) + 2))


if __name__ == "__main__":
    limit_cpu(float(sys.argv[3]))
    show(examine(Path(sys.argv[1]), sys.argv[2], show, "--plain" in sys.argv[4:]))
