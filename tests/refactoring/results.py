"""Results of a version of the library on files of mechanisms, as texts and arrays: run by `same_bits` in two versions.

`python results.py FOLDER OUTPUT [--quick]` reads every mechanism of a folder; `--quick` leaves out runs and files.
"""

from __future__ import annotations

import dataclasses
import hashlib
import inspect
import pickle
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

import linkwright as lw

_NOT_CALLED = ("program", "with_parameters", "with_inertias", "diagnose", "parameter_jacobian", "operation_count")
_STATES = 3


def main(words: list[str]) -> int:
    """Write the results of all mechanisms of a folder."""
    found: dict[tuple[str, str], Any] = {}
    for path in sorted(Path(words[0]).glob("*.yaml")):
        for name, made in results_of_mechanism(lw.load(path), "--quick" in words):
            found[path.stem, name] = outcome(made)
        Path(words[1]).write_bytes(pickle.dumps(found))
    return 0


def outcome(made: Callable[[], Any]) -> Any:
    """A result as plain data, or the message of the error."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return _plain(made())
        except Exception as error:
            return f"{type(error).__name__}: {error}"


def _plain(x: Any) -> Any:
    """Nested tuples of texts and arrays; fields of records in order."""
    if isinstance(x, str | bytes | type(None)):
        return x
    if isinstance(x, np.ndarray | float | int | np.generic):
        return np.asarray(x)
    if isinstance(x, Mapping):
        return tuple((str(key), _plain(value)) for key, value in x.items())
    if isinstance(x, list | tuple):
        return tuple(map(_plain, x))
    if dataclasses.is_dataclass(x):
        return tuple((each.name, _plain(getattr(x, each.name))) for each in dataclasses.fields(x) if each.repr)
    return repr(x)


def results_of_mechanism(mech: Any, quick: bool = False, files: bool = True) -> Iterator[tuple[str, Callable[[], Any]]]:
    """Names and functions without arguments."""
    model = lw.build(mech)
    given = _arguments(model)
    first = {name: x[0] if isinstance(x, np.ndarray) and x.ndim > 1 else x for name, x in given.items()}
    first["pose"] = model.frame_pose(first["q"], given["frame"])
    given["pose"] = model.frame_pose(given["q"], given["frame"])
    for name, method in inspect.getmembers(lw.Model, inspect.isfunction):
        if name.startswith("_") or name in _NOT_CALLED or (quick and name in ("assembly_modes", "working_modes")):
            continue
        required = [p.name for p in inspect.signature(method).parameters.values() if p.name != "self" and _is_given(p)]
        for title, values in (("", first), (" (batch)", given)):
            yield f"{name}{title}", lambda f=name, x=values, r=required: getattr(model, f)(**{k: x[k] for k in r})
    yield "with_parameters", lambda: _with_inputs(mech, first)
    if not quick:
        yield from _runs(model, first, given)
    if files and not quick:
        yield from _files(mech, model)


def _is_given(parameter: inspect.Parameter) -> bool:
    return parameter.default is parameter.empty or parameter.name in ("frame", "near", "q", "v", "v_act", "a_act")


def _arguments(model: Any) -> dict[str, Any]:
    """Arguments by their names in signatures: seeded states that are closed, and what belongs to them."""
    rng, q, v = np.random.default_rng(1), [], []
    start = np.asarray(model.assemble().q)
    for _ in range(_STATES):
        try:
            moved = model.integrate(start, model.project(start, 0.3 * rng.normal(size=model.nv))[1], 0.5)
            state = model.project(moved, rng.normal(size=model.nv))
        except lw.errors.LinkwrightError:
            state = start, np.zeros(model.nv)
        q.append(state[0])
        v.append(state[1])
    given: dict[str, Any] = {"q": np.array(q), "v": np.array(v), "tau": rng.normal(size=(_STATES, model.na))}
    given["a"] = model.forward_dynamics(given["q"], given["v"], given["tau"])
    given |= {"q0": given["q"], "q1": given["q"][::-1], "h": 0.125, "near": given["q"][0], "start": given["q"][0]}
    given |= {"frame": model.mechanism.platform or model.mechanism.names[-1], "path": None}
    for name, values in zip(("q_act", "v_act", "a_act"), _actuator_motion(model, given), strict=True):
        given[name] = values
    given["path"] = given["q_act"][:1] + np.linspace(0.0, 0.01, 4)[:, None, None]  # (n, 1, na): one path, as first
    return given


def _actuator_motion(model: Any, given: dict[str, Any]) -> list[np.ndarray]:
    q, v, a = given["q"], given["v"], given["a"]
    try:
        return [model.actuator_positions(q), model.actuator_velocities(v, q), model.actuator_accelerations(a, q, v)]
    except lw.errors.LinkwrightError:
        return [np.zeros((_STATES, model.na))] * 3


def _with_inputs(mech: Any, first: dict[str, Any]) -> Any:
    """Dynamics and gradients where lengths and masses are inputs."""
    names = [name for name in mech.numbers if name.endswith((".mass", ".at.x"))][:3]
    model = lw.build(mech, inputs=names)
    q, v, tau = first["q"], first["v"], first["tau"]
    return model.forward_dynamics(q, v, tau), model.parameter_jacobian("forward_dynamics", q, v, tau)


def _runs(model: Any, first: dict[str, Any], given: dict[str, Any]) -> Iterator[tuple[str, Callable[[], Any]]]:
    q, v, t = first["q"], first["v"], np.linspace(0.0, 0.02, 5)
    for method in (lw.DOP853(), lw.DP5(), lw.RK4(1e-3), lw.Rodas5P()):
        yield (
            f"simulate {type(method).__name__}",
            lambda m=method: _run(lw.simulate(model, q, v, 0.02, method=m, output=t)),
        )
    yield "simulate_many", lambda: _run(lw.simulate_many(model, given["q"], given["v"], 0.02, output=t))

    def stepped() -> Any:
        stepper = lw.Stepper(model, _STATES, 1e-3)
        stepper.reset(q=given["q"], v=given["v"])
        return [stepper.step(given["tau"]) for _ in range(3)]

    yield "Stepper", stepped
    yield "motion", lambda: _run(lw.motion(model, t, q_act=first["q_act"] + 0.01 * t[:, None], near=q))


def _run(run: Any) -> Any:
    return {name: getattr(run, name) for name in ("t", "q", "v", "a", "tau") if hasattr(run, name)}


def _files(mech: Any, model: Any) -> Iterator[tuple[str, Callable[[], Any]]]:
    for suffix in ("yaml", "urdf", "xml", "sdf"):
        yield f"save .{suffix}", lambda s=suffix: _written(lambda folder: lw.save(mech, folder / f"mech.{s}"))
    yield "c_kit", lambda: _written(lambda folder: lw.export.c_kit(model).write(folder))
    yield "view", lambda: _written(lambda folder: lw.view(mech, folder / "page.html"))


def _written(write: Callable[[Path], Any]) -> Any:
    """Names and hashes of the files that are written to a folder."""
    with tempfile.TemporaryDirectory() as name:
        write(Path(name))
        files = sorted(path for path in Path(name).rglob("*") if path.is_file())
        return tuple((path.name, hashlib.sha256(path.read_bytes()).hexdigest()) for path in files)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
