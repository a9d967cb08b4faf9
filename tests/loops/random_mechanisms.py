"""Random closed mechanisms of every joint kind against the maximal-coordinate oracle.

    python -m tests.loops.random_mechanisms 10000                # by the interpreter of programs
    python -m tests.loops.random_mechanisms 0 --compiled 500     # by compiled code
    python -m tests.loops.random_mechanisms --seed 1234          # one mechanism: its file, and every comparison

Each mechanism is written as a file, read and built by the library, and asked for body poses, energy, accelerations
(by multipliers and by independent velocities), efforts and joint reactions. An error is the largest difference over the
larger of one and the largest expected number. The mechanisms are drawn away from singularities (`REGULAR` in
random_drawings), so that rounding in q is magnified by a few thousand at most, and 1e-8 is asked of every number.

What the library itself reports (NaN, a singularity error, an accuracy warning) counts as reported, what it refuses with
a reason as refused; a refusal is right only if some motions are driven by no actuator. Answers there (idle freedoms,
floating bases, `undriven="free"`) are compared with the motion that follows from the forces. All else is a failure.
"""

from __future__ import annotations

import argparse
import json
import sys
import warnings
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from functools import partial
from types import SimpleNamespace
from typing import Any
from unittest import mock

import numpy as np

import linkwright as lw
from linkwright.compiler import Kernel, evaluate, operation_count
from linkwright.compiler.runtime import interpreter
from linkwright.compiler.runtime import kernel as compiled_kernel
from linkwright.errors import AccuracyWarning, LinkwrightError, SingularityError
from linkwright.formats.yaml import document_builder, from_yaml
from linkwright.formats.yaml.document import document_type
from linkwright.formats.yaml.yaml_text import SourceDocument
from linkwright.functions.store import Kernels
from tests.loops.oracle.drawing import Q_PARTS, V_PARTS
from tests.loops.oracle.dynamics import Equations
from tests.loops.random_drawings import FEATURES, KINDS, Case, random_case

PROMISED = 1e-8


# ---------------------------------------------------------------------------------- programs without compiled code


class _Interpreted(compiled_kernel._Body):
    """The call of a kernel, with its fallbacks, on a program run by the interpreter."""

    def __init__(self, program: Any, fallback: Any = None, general: Any = None) -> None:
        self.signature, self.program, self.n_operations = program.signature, program, operation_count(program).total
        self.fallback, self.general, self.calls = fallback, general, 0.0
        self._small = False  # no memory kept between calls

    def _run(self, given: Any, made: list[np.ndarray], threads: int | None) -> None:
        found = evaluate(self.program, *given.arrays)
        named = self.signature.outputs
        values = [found] if len(named) == 1 and isinstance(found, np.ndarray) else _listed(found)
        for x, y in zip(made, values, strict=True):
            x[...] = y


def _listed(found: Any) -> list[np.ndarray]:
    return list(found.values()) if isinstance(found, dict) else list(found)


class _InterpretedKernel(Kernel):
    def __init__(self, program: Any, fallback: Any = None, general: Any = None) -> None:
        self.signature, self.count = program.signature, operation_count(program)
        self._body = self.call = _Interpreted(program, fallback, general)
        self.addresses: Any = SimpleNamespace(block=lambda rows: 0, call=lambda: 0)  # no machine code

    def with_fallback(self, fallback: Any = None, general: Any = None, report: Any = None, title: Any = None) -> Kernel:
        body = self.call
        return _InterpretedKernel(body.program, fallback or body.fallback, general or body.general)


@contextmanager
def interpreted() -> Iterator[None]:
    """Have every kernel of a model run by the interpreter of programs: the same results without compiling."""

    def kernel(self: Kernels, definition: Any, wrench: bool = False, frame: str | None = None) -> Kernel:
        key = ("interpreted", definition, wrench, frame)
        return self.cache.get(key, lambda: _InterpretedKernel(self.program(definition, wrench, frame)))

    last_uses, known = interpreter._last_uses, {}

    def remembered(program: Any) -> Any:
        if id(program) not in known:
            known[id(program)] = (program, last_uses(program))
        return known[id(program)][1]

    with mock.patch.object(Kernels, "code", kernel), mock.patch.object(interpreter, "_last_uses", remembered):
        yield


# -------------------------------------------------------------------------------------------------- one mechanism


@dataclass(eq=False)
class Outcome:
    """Outcome of one mechanism: errors by quantity, and what was reported, refused or wrong."""

    case: Case
    errors: dict[str, float] = field(default_factory=dict)
    reported: dict[str, str] = field(default_factory=dict)
    refused: dict[str, str] = field(default_factory=dict)
    failures: dict[str, str] = field(default_factory=dict)
    details: dict[str, tuple[Any, Any]] = field(default_factory=dict)
    cut: tuple[str, ...] = ()


def text_of(drawing: dict[str, Any]) -> str:
    """A file's text: one line per entry."""
    lines = []
    for key, value in drawing.items():
        if isinstance(value, dict):
            lines.append(f"{key}:" if value else f"{key}: {{}}")
            lines += [f"  {name}: {json.dumps(entry)}" for name, entry in value.items()]
        else:
            lines.append(f"{key}: {json.dumps(value)}")
    return "\n".join(lines) + "\n"


def by_names(names: tuple[str, ...], case: Case, values: dict[str, Any], velocities: bool) -> np.ndarray:
    """A vector in the library's order from numbers per joint."""
    parts = V_PARTS if velocities else Q_PARTS
    kinds = {name: x["type"] for section in ("joints", "loops") for name, x in case.drawing.get(section, {}).items()}
    out = []
    for name in names:
        joint, _, part = name.partition(".")
        out.append(values[joint][parts[kinds[joint]].index(part) if part else 0])
    return np.array(out, dtype=float)


def loaded(drawing: dict[str, Any], by_text: bool) -> lw.Mechanism:
    """The mechanism of a file, read from its text, or from the same sections without the YAML scanner (faster)."""
    if by_text:
        return from_yaml(text_of(drawing))
    return document_builder.mechanism_of_document(
        document_type().model_validate(drawing), SourceDocument("text", drawing, {})
    )


def compare(case: Case, drawing: dict[str, Any] | None = None) -> Outcome:
    """Ask the library and the oracle for everything, and note the differences.

    The library may be given another file than the oracle, to see whether the difference shows.
    """
    out = Outcome(case)
    try:
        model = lw.build(loaded(drawing or case.drawing, by_text=case.seed % 10 == 0))
        out.cut = tuple(loop.name for loop in model.mechanism.loops)
        _compare(out, model, case.equations)
    except Exception as error:  # whatever stops a valid file from being answered is a failure of its own
        out.failures["build"] = f"{type(error).__name__}: {str(error)[:300]}"
    return out


def _compare(out: Outcome, model: Any, equations: Equations) -> None:
    case, system = out.case, equations.system
    rng = np.random.default_rng([case.seed, 7])
    slices = system.slices

    def joints(values: np.ndarray) -> np.ndarray:
        return by_names(model.v_names, case, {name: values[part] for name, part in slices.items()}, True)

    q = by_names(model.q_names, case, case.coordinates, False)
    v, tau = joints(equations.velocities), 3.0 * rng.normal(size=len(system.drives))
    V_dot = equations.forward(tau)
    wanted = equations.particular() + equations.N @ rng.normal(size=equations.mobility)
    enough = np.linalg.matrix_rank(equations.N.T @ equations.drives, tol=1e-6) == equations.mobility

    moving, a = joints(equations.accelerations(V_dot)), joints(equations.accelerations(wanted))
    poses = [np.concatenate([case.poses[body][1], case.poses[body][0].ravel()]) for body in model.bodies]

    def found_poses() -> np.ndarray:
        found = model.body_poses(q)
        return np.concatenate([found.position, found.rotation.reshape(-1, 9)], axis=1)

    ask, w = partial(_ask, out), case.wrenches or None
    ask("poses", poses, found_poses)
    ask("mobility", float(equations.mobility), lambda: float(model.mobility))
    ask("energy", equations.energy, lambda: np.array(model.energy(q, v)))
    ask("motion", moving, lambda: model.forward_dynamics(q, v, tau, w))
    ask("motion by independent", moving, lambda: model.forward_dynamics(q, v, tau, w, formulation=lw.Minimal()))
    needed = equations.efforts(equations.completed(wanted))
    ask("efforts", needed, lambda: model.inverse_dynamics(q, v, a, w), bool(enough))
    if not enough:
        ask("efforts, others free", needed, lambda: model.inverse_dynamics(q, v, a, w, undriven="free"))
    if equations.redundant == 0:
        ask("reactions", equations.reactions(V_dot, tau), lambda: model.joint_reactions(q, v, moving, tau, w))


def _ask(out: Outcome, title: str, expected: Any, answer: Callable[[], Any], determined: bool = True) -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            found = answer()
        except SingularityError as error:
            out.reported[title] = str(error)
            return
        except LinkwrightError as error:
            (out.failures if determined else out.refused)[title] = f"{type(error).__name__}: {str(error)[:300]}"
            return
        except Exception as error:  # a bare exception is never the right way to refuse
            out.failures[title] = f"{type(error).__name__}: {str(error)[:300]}"
            return
    if isinstance(expected, dict):
        missing = set(expected) ^ set(found)
        if missing:
            out.failures[title] = f"joints {sorted(missing)} are missing or not in the file"
            return
        found, expected = [found[name] for name in expected], list(expected.values())
    found, expected = np.asarray(found, dtype=float), np.asarray(expected, dtype=float)
    out.details[title] = (found, expected)
    if found.shape != expected.shape:
        out.failures[title] = f"shape {found.shape}, expected {expected.shape}"
    elif np.isnan(found).any():
        out.reported[title] = "NaN"
    else:
        scale = max(1.0, float(np.abs(expected).max(initial=0.0)))
        error = float(np.abs(found - expected).max(initial=0.0)) / scale
        if error > PROMISED and any(issubclass(w.category, AccuracyWarning) for w in caught):
            out.reported[title] = f"accuracy warning, error {error:.1e}"
            return
        out.errors[title] = error
        if error > PROMISED:
            out.failures[title] = f"error {error:.1e}"


# ------------------------------------------------------------------------------------------------------- the table


class Tally:
    """Counts over many mechanisms."""

    def __init__(self) -> None:
        self.mechanisms = 0
        self.joints: dict[str, Counter[str]] = defaultdict(Counter)
        self.requested: dict[str, Counter[str]] = defaultdict(Counter)
        self.worst: dict[str, tuple[float, int]] = {}
        self.failures: list[tuple[int, str, str]] = []
        self.reasons: Counter[str] = Counter()

    def add(self, outcome: Outcome) -> None:
        self.mechanisms += 1
        case = outcome.case
        drawing = case.drawing
        joints = drawing["joints"] | drawing.get("loops", {})
        driven = defaultdict(list)
        for actuator in drawing["actuators"].values():
            driven[actuator["joint"]].append(actuator)
        for name, joint in joints.items():
            row = self.joints[joint["type"]]
            row["joints"] += 1
            row["cut"] += name in outcome.cut
            row["reversed"] += name in case.reversed
            where = " (cut)" if name in outcome.cut else ""
            for key in ("spring", "friction", "armature"):
                row[key + where] += key in joint
            row["actuator" + where] += len(driven[name])
            row["rotor" + where] += sum("rotor_inertia" in a for a in driven[name])
            row["its friction" + where] += sum("friction" in a for a in driven[name])
        for title, value in outcome.errors.items():
            self.requested[title]["compared"] += 1
            self.worst[title] = max(self.worst.get(title, (0.0, 0)), (value, case.seed))
        for title in outcome.reported:
            self.requested[title]["reported"] += 1
            self.reasons[f"{title}: {outcome.reported[title][:70]}"] += 1
        for title in outcome.refused:
            self.requested[title]["refused"] += 1
        for title, why in outcome.failures.items():
            self.requested[title]["failed"] += 1
            self.failures.append((case.seed, title, why))

    def text(self, listed: int = 40) -> str:
        """The table."""
        columns = ["joints", "cut", "reversed"]
        for key in ("spring", "friction", "armature", "actuator", "rotor", "its friction"):
            columns += [key, f"{key} (cut)"]
        lines = [f"{self.mechanisms} mechanisms", "", f"{'kind':12}" + "".join(f"{c:>20}" for c in columns)]
        for kind in KINDS:
            lines.append(f"{kind:12}" + "".join(f"{self.joints[kind][c]:20d}" for c in columns))
        lines += ["", f"{'quantity':24}{'compared':>10}{'reported':>10}{'refused':>10}{'failed':>10}  worst (seed)"]
        for title, row in self.requested.items():
            counts = "".join(f"{row[c]:10d}" for c in ("compared", "reported", "refused", "failed"))
            worst, seed = self.worst.get(title, (0.0, 0))
            lines.append(f"{title:24}{counts}  {worst:.1e} ({seed})")
        lines += ["", f"{len(self.failures)} failures"]
        lines += [f"  --seed {seed}: {title}: {why}" for seed, title, why in self.failures[:listed]]
        lines += [f"reported {n} x {why}" for why, n in self.reasons.most_common(8)]
        return "\n".join(lines)


def outcome_of(seed: int, without: Collection[str] = (), by_compiled: bool = False) -> Outcome:
    """One mechanism drawn and compared."""
    with nullcontext() if by_compiled else interpreted():
        return compare(random_case(seed, without))


def outcomes(seeds: range, without: Collection[str], by_compiled: bool, jobs: int) -> Iterable[Outcome]:
    """Many, in the order of their seeds, by one or several processes."""
    one = partial(outcome_of, without=without, by_compiled=by_compiled)
    if jobs == 1:
        yield from map(one, seeds)
        return
    with ProcessPoolExecutor(jobs) as pool:
        yield from pool.map(one, seeds, chunksize=8)


def _shown(outcome: Outcome) -> str:
    lines = [text_of(outcome.case.drawing), f"cut by the library: {outcome.cut}; reversed: {outcome.case.reversed}"]
    for title, (found, expected) in outcome.details.items():
        lines += [f"{title}: found    {np.array2string(found, precision=9)}"]
        lines += [f"{title}: expected {np.array2string(expected, precision=9)}"]
    for name in ("errors", "reported", "refused", "failures"):
        lines += [f"{name}: {title}: {x}" for title, x in getattr(outcome, name).items()]
    return "\n".join(lines)


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("count", nargs="?", type=int, default=100, help="mechanisms by the interpreter")
    parser.add_argument("--compiled", type=int, default=0, help="mechanisms by compiled code, of the same seeds")
    parser.add_argument("--start", type=int, default=0, help="first seed")
    parser.add_argument("--seed", type=int, help="one mechanism, shown in full")
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    parser.add_argument("--without", default="", help=f"leave out, comma separated: {', '.join(FEATURES)}")
    given = parser.parse_args(arguments)
    without = [x for x in given.without.split(",") if x]
    if unknown := [x for x in without if x not in FEATURES]:
        parser.error(f"unknown feature {unknown[0]!r}; known: {', '.join(FEATURES)}")
    if given.seed is not None:
        outcome = outcome_of(given.seed, without)
        print(_shown(outcome))
        return int(bool(outcome.failures))
    failed = 0
    for title, count, by_compiled in (("interpreted", given.count, False), ("compiled", given.compiled, True)):
        tally = Tally()
        for outcome in outcomes(range(given.start, given.start + count), without, by_compiled, given.jobs):
            tally.add(outcome)
            for what, why in outcome.failures.items():
                print(f"--seed {outcome.case.seed}: {what}: {why}", file=sys.stderr, flush=True)
        if count:
            print(f"{title}: {tally.text()}\n")
        failed += len(tally.failures)
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
