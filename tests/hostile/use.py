"""Mechanisms with numbers taken to extremes, used: assembled, checked, moved, written.

Programs are interpreted, because compiling is not what is tried here.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import linkwright as lw
from tests.hostile.cases import Case
from tests.hostile.mutations import mutated, number, structure, word
from tests.hostile.sources import sources
from tests.loops.random_mechanisms import interpreted

_SMALL = ("four-bar", "three-link-arm", "slider-crank", "five-bar", "bennett", "3-rrr", "four-bar-flexible", "sarrus")
_LIMIT = 30.0


def cases(folder: Path, seed: int) -> Callable[[int], Case]:
    """Cases of mutated mechanisms that are used."""
    texts = [text for text in sources(folder)[".yaml"] if any(f"name: {name}\n" in text for name in _SMALL)]
    return partial(case, folder, [*texts, *_ODD], seed)


def case(folder: Path, texts: list[str], seed: int, index: int) -> Case:
    """One mutated mechanism and one way to use it."""
    rng = random.Random(f"use {seed} {index}")
    which = rng.randrange(len(texts))
    edit = rng.choice((number, number, number, word, structure, mutated))
    text = edit(texts[which], rng)
    use = rng.choice(list(_USES))
    return Case(
        f"use/{use}", f"mechanism {which} after {edit.__name__}: {use}", partial(_run, folder, text, use), (), _LIMIT
    )


def _run(folder: Path, text: str, use: str) -> None:
    path = folder / "used.yaml"
    path.write_text(text, encoding="utf-8", errors="surrogatepass")
    mech = lw.load(path)
    with interpreted(), np.errstate(all="ignore"):
        _USES[use](mech, folder)


def _moved(mech: lw.Mechanism, folder: Path) -> None:
    model = lw.build(mech)
    q = model.assemble(guesses=3).q
    v, tau = np.zeros(model.nv), np.zeros(model.na)
    a = model.forward_dynamics(q, v, tau)
    model.inverse_dynamics(q, v, a, undriven="free")
    model.forward_dynamics(np.array([q, q]), v, tau)


def _kinematics(mech: lw.Mechanism, folder: Path) -> None:
    model = lw.build(mech)
    q = model.assemble(guesses=3).q
    model.singularity(q)
    if model.na:
        model.forward_kinematics(model.actuator_positions(q), near=q)
    model.inverse_kinematics(model.frame_pose(q, model.bodies[-1]), near=q, frame=model.bodies[-1])


def _written(mech: lw.Mechanism, folder: Path) -> None:
    for ending in (".yaml", ".urdf", ".xml", ".sdf"):
        try:
            lw.save(mech, folder / f"again{ending}")
        except lw.errors.LinkwrightError:
            continue
        lw.load(folder / f"again{ending}")


def _checked(mech: lw.Mechanism, folder: Path) -> None:
    str(lw.check(mech))


def _empty(mech: lw.Mechanism, folder: Path) -> None:
    model = lw.build(mech)
    none: Any = np.zeros((0, model.nq))
    v, tau = np.zeros((0, model.nv)), np.zeros((0, model.na))
    model.forward_dynamics(none, v, tau)
    model.inverse_dynamics(none, v, v, undriven="free")
    model.singularity(none)
    model.project(none, v)


_USES = {"moved": _moved, "kinematics": _kinematics, "written": _written, "checked": _checked, "empty": _empty}

_ODD = [
    """format: 1
name: three revolutes and a spherical loop
bodies: {a: {mass: 1}, b: {mass: 1}, c: {mass: 1}}
joints:
  r1: {type: revolute, parent: ground, child: a}
  r2: {type: revolute, parent: a, child: b, at: [1, 0, 0]}
  r3: {type: revolute, parent: b, child: c, at: [1, 0.2, 0]}
loops:
  s: {type: spherical, parent: c, child: ground, at: [1, 0, 0], child_at: [1.5, 0, 0]}
""",
    """format: 1
name: a body on nothing but gravity
bodies: {a: {mass: 1}}
joints: {f: {type: floating, parent: ground, child: a}}
""",
]
