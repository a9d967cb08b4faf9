"""Axial loads of links that bend without shortening: where they would change how the links bend."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from linkwright.errors import AccuracyWarning, LinkwrightError, LinkwrightWarning, warn_caller, withheld_warnings
from linkwright.findings import Finding
from linkwright.joints.beam_shapes import shortening
from linkwright.joints.beams import Beam
from linkwright.mechanism.flexibility import flexibility
from linkwright.mechanism.flexible import beams_of
from linkwright.model import Model
from linkwright.simulation.problem.applied_loads import AppliedLoads
from linkwright.simulation.problem.wrenches import WrenchLaw
from linkwright.simulation.running.row_layout import row_layout

Array = np.ndarray

# Share of the load that would buckle a link in its own shapes. Its bending stiffness changes by that share.
_MATTERS = 0.02
AXIAL_LOAD = "axial-load"
_SAMPLES = 64


def warn_of_axial_loads(model: Model, acting: AppliedLoads, loads: WrenchLaw, rows: Array) -> None:
    """Warn of links without `shortening` whose axial load changes their bending; rows are those of a run."""
    bending = {name: beam for name, beam in beams_of(model.mechanism).items() if not beam.shortening}
    if not bending or not len(rows):
        return
    picked = rows[np.unique(np.linspace(0, len(rows) - 1, _SAMPLES).astype(int))]
    shares = dict(_buckling_shares(model, bending, acting, loads, picked))
    names = [name for name, share in shares.items() if share > _MATTERS]
    if names:
        text = (
            f"'{model.mechanism.name}': axial loads change how {', '.join(names)} bends, and without shortening this "
            "is not counted; write `shortening: true` in the beam"
        )
        value = {name: shares[name] for name in names}
        finding = Finding(AXIAL_LOAD, text, severity="warning", subject=names[0], value=value)
        warn_caller(text, AccuracyWarning, finding)


def _buckling_shares(
    model: Model, bending: dict[str, Beam], acting: AppliedLoads, loads: WrenchLaw, rows: Array
) -> Iterator[tuple[str, float]]:
    """The largest axial load of each link at rows of a run, as a share of the load that would buckle it."""
    q, v, a, tau = row_layout(model).motion(rows)
    outer: Array | None = None
    if loads.wrenches:
        given = loads.rows(rows[:, 0], q, v)
        outer = np.array([acting.outer(model.kernels.here, *each)[0] for each in zip(q, given, strict=True)])
    try:
        with withheld_warnings(LinkwrightWarning):
            reactions = model.joint_reactions(q, v, a, tau, outer)
    except LinkwrightError:
        return
    mech = model.mechanism
    joints = [each for each in (*mech.joints, *mech.loops) if not each.kind.is_of_beam]
    for name, beam in bending.items():
        axis, largest = model.frame_pose(q, name).rotation[..., :, 0], 0.0
        for joint in joints:
            if name in (joint.parent.partition("@")[0], joint.child.partition("@")[0]):
                R = model.frame_pose(q, joint.child).rotation
                force = np.einsum("nij,nj->ni", R, reactions[joint.name][:, 3:])
                largest = max(largest, float(np.nanmax(np.abs(np.sum(axis * force, axis=-1)), initial=0.0)))
        yield name, largest / buckling_load(beam)


def buckling_load(beam: Beam) -> float:
    """The least axial load at the end under which a beam buckles in its own shapes, [N].

    >>> from linkwright.joints.beams import Sine
    >>> round(buckling_load(Beam(2.0, 1.0, 100.0, Sine(2))) / (np.pi**2 * 100.0 / 2.0**2), 9)  # Euler, pinned ends
    1.0
    """
    K, S = flexibility(beam).stiffness, shortening(beam, beam.length)
    return float(1.0 / np.abs(np.linalg.eigvals(np.linalg.solve(K, S))).max())
