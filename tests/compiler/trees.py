"""A planar tree of pendulums in rolled form: outward angles and velocities, inward moments, outward again."""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwright.compiler import RolledProgram, RolledSweep, trace
from linkwright.compiler.trace.program import Port


def _outward(q: Any, v: Any, param: Any, parent_pose: Any, parent_rate: Any) -> dict[str, Any]:
    angle = parent_pose[2] + q[0]
    rate = parent_rate + v
    pose = np.array([parent_pose[0] + param[0] * np.cos(angle), parent_pose[1] + param[0] * np.sin(angle), angle])
    return {"pose": pose, "rate": rate, "load": np.array([param[1], 0.1 * param[1] * rate[0] * rate[0]])}


def _outward_slide(q: Any, v: Any, param: Any, parent_pose: Any, parent_rate: Any) -> dict[str, Any]:
    reach = param[0] + q[0]
    pose = np.array([parent_pose[0] + reach * q[1], parent_pose[1] + reach, parent_pose[2]])
    return {"pose": pose, "rate": parent_rate * 0.5 + v[0] * v[1], "load": np.array([param[1], q[1]])}


def _inward(load: Any, pose: Any, parent_pose: Any, g: Any) -> dict[str, Any]:
    arm = pose[0] - parent_pose[0]
    return {"force": np.array([g[0] * load[0] * arm + load[1]]), "parent_load": 0.9 * load, "load": load + 1.0}


def _inward_slide(load: Any, g: Any) -> dict[str, Any]:
    return {"force": np.array([load[0] * g[0], load[1]]), "parent_load": load}


def pendulum_tree(n: int, seed: int = 0, chain: bool = False) -> RolledProgram:
    """A random tree with joints of one and of two coordinates."""
    rng = np.random.default_rng(seed)
    parent = np.arange(-1, n - 1) if chain else np.array([rng.integers(-1, i) if i else -1 for i in range(n)])
    kind = np.zeros(n, dtype=int) if chain else rng.integers(0, 2, n)
    sizes = 1 + kind
    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]]).astype(int) if n else np.zeros(0, dtype=int)
    total = int(sizes.sum())
    shapes = {"param": 2, "parent_pose": 3, "parent_rate": 1}
    out0 = trace(_outward, {"q": 1, "v": 1, **shapes})
    out1 = trace(_outward_slide, {"q": 2, "v": 2, **shapes})
    in0 = trace(_inward, {"load": 2, "pose": 3, "parent_pose": 3, "g": 1})
    in1 = trace(_inward_slide, {"load": 2, "g": 1})
    return RolledProgram(
        inputs=(Port("q", (total,)), Port("v", (total,)), Port("g", (1,))),
        outputs=(Port("force", (total,)),),
        fields={"pose": 3, "rate": 1, "load": 2},
        parent=parent,
        kind=kind,
        params=rng.uniform(0.5, 1.5, (n, 2)) / max(1, n),
        offsets={"q": starts, "v": starts, "force": starts},
        sweeps=(RolledSweep((out0, out1)), RolledSweep((in0, in1), inward=True)),
        root={"pose": np.array([0.1, 0.2, 0.3])},
    )
