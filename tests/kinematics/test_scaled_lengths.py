"""Distances from singularities do not depend on the unit of length: from nanometers to megameters."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import linkwright as lw
from linkwright.plans.scales import is_length_part
from tests.sampling import sample

NAMES = ("five-bar", "stanford-arm", "3-rpr", "3-rps", "delta", "puma-560", "tricept", "gough-stewart", "slider-crank")
SIZES = (3e-10, 1e-9, 1e-6, 1e3, 1e6)


def scaled(mech: lw.Mechanism, s: float) -> lw.Mechanism:
    """The mechanism with all lengths multiplied by s."""

    def shift(pose):
        return replace(pose, xyz=tuple(s * x for x in pose.xyz))

    def stretch(kind):
        own = {
            name: s * getattr(kind, name)
            for name in ("pitch", "length")
            if isinstance(getattr(kind, name, None), float)
        }
        return replace(kind, **own) if own else kind

    def parts(kind, values):
        return tuple(s * x if is_length_part(part) else x for x, part in zip(values, kind.q_parts, strict=True))

    def joint(j):
        ends = {name: parts(j.kind, x) for name in ("lower", "upper") if (x := getattr(j.limits, name))}
        limits = replace(j.limits, **ends, speed=(), effort=())
        return replace(j, at=shift(j.at), child_at=shift(j.child_at), kind=stretch(j.kind), limits=limits)

    def body(b):
        if b.inertia is None:
            return replace(b, shapes=())
        tensor = tuple(tuple(s * s * x for x in row) for row in b.inertia.tensor)
        return replace(b, inertia=replace(b.inertia, com=tuple(s * x for x in b.inertia.com), tensor=tensor), shapes=())

    kinds = {j.name: j.kind for j in (*mech.joints, *mech.loops)}
    return replace(
        mech,
        bodies=tuple(map(body, mech.bodies)),
        joints=tuple(map(joint, mech.joints)),
        loops=tuple(map(joint, mech.loops)),
        frames=tuple(replace(f, pose=shift(f.pose)) for f in mech.frames),
        home=tuple((name, parts(kinds[name], x)) for name, x in mech.home),
        forces=(),
    )


def measures(mech: lw.Mechanism, s: float) -> np.ndarray:
    model = lw.build(scaled(mech, s))
    found = model.singularity(model.assemble().q)
    return np.array([found.type1, found.type2, found.constraint, 1.0 / found.condition, found.length / s])


@pytest.mark.parametrize("name", sample(NAMES, ("five-bar", "stanford-arm", "3-rps")))
def test_distances_from_singularities_do_not_depend_on_the_unit_of_length(name):
    mech = lw.catalog.load(name)
    expected = measures(mech, 1.0)
    for s in SIZES:
        assert measures(mech, s) == pytest.approx(expected, rel=1e-9, abs=1e-12, nan_ok=True), s
