"""Motions of mechanisms with loops or couplings: the actuators are prescribed, all other joints follow."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any

from linkwright.cli.motion import StatedMotion
from linkwright.errors import ArgumentError, AssemblyError, BatchWarning
from linkwright.numerics.tolerances import OPEN_STATE

"""A larger closure residual is an open loop, [m, or sine of an angle]."""


def is_closed(mech: Any) -> bool:
    """Return True if some joints follow from others.

    >>> from linkwright import catalog
    >>> is_closed(catalog.load("four-bar")), is_closed(catalog.load("stanford-arm"))
    (True, False)
    """
    return bool(mech.loops or mech.couplings)


def driven_coordinates(model: Any) -> tuple[list[str], list[str]]:
    """Name and unit of the coordinate that each actuator moves.

    >>> from linkwright import build, catalog
    >>> driven_coordinates(build(catalog.load("four-bar")))
    (['theta'], ['rad'])
    """
    mech = model.mechanism
    if not model.na:
        raise ArgumentError(
            f"mechanism '{mech.name}' has loops or couplings and names no actuators; name them in its file"
        )
    for each in model.actuators:
        if not each.coordinate:
            raise ArgumentError(
                f"actuator '{each.name}' drives '{each.velocity}', which is not a coordinate (its joint carries a "
                "quaternion or closes a loop); give the motion as a CSV file, --motion FILE.csv"
            )
    return [each.coordinate for each in model.actuators], [each.unit for each in model.actuators]


def driven(model: Any, home: Any, course: Callable[[list[float]], StatedMotion]) -> StatedMotion:
    """Return the motion of all joints on the branch of `home`; `course` gives that of the actuators from a start."""
    names, _ = driven_coordinates(model)
    indices = [model.q_names.index(name) for name in names]
    acts = course(home[indices].tolist())
    start = _followed(model, home, acts, slice(0, 1))[0][0]
    q, v, a = _followed(model, start, acts, slice(None))
    return StatedMotion(acts.t, q.tolist(), v.tolist(), a.tolist())


def _followed(model: Any, near: Any, acts: StatedMotion, part: slice) -> Any:
    """q, v, a of all joints; `forward_kinematics` follows the straight line from `near` to each sample."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", BatchWarning)
        q, v, a = model.forward_kinematics(acts.q[part], acts.v[part], acts.a[part], near=near)
    lost = [k for k, row in enumerate(q.tolist()) if row and row[0] != row[0]]
    if lost:
        raise AssemblyError(_lost(model.actuated, acts, lost[0]), rows=lost)
    return q, v, a


def _lost(actuated: Sequence[str], acts: StatedMotion, k: int) -> str:
    values = ", ".join(f"{name} = {x:.6g}" for name, x in zip(actuated, acts.q[k]))
    return (
        f"the loops do not stay closed on the way to sample {k + 1} of {len(acts.t)} (t = {acts.t[k]:g} s, {values}): "
        "it is out of reach, or a singularity lies before it; choose --from and --to nearer to home"
    )


def require_closed(model: Any, motion: StatedMotion) -> None:
    """Refuse a motion with an open loop."""
    gaps = [max(map(abs, row), default=0.0) for row in model.closure_residual(motion.q).tolist()]
    k = gaps.index(max(gaps))
    if not gaps[k] <= OPEN_STATE:
        raise AssemblyError(
            f"the motion leaves loops of '{model.mechanism.name}' open: the largest closure residual is {gaps[k]:.1e} "
            f"m, in sample {k + 1} of {len(gaps)}, and the tolerance is {OPEN_STATE:.0e} m; give closed coordinates, "
            "or actuator positions with --from and --to",
            gap=float(gaps[k]),
        )
