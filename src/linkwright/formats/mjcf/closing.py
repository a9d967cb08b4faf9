"""Equality constraints of MJCF as loops and couplings; here they are rigid."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from linkwright.algebra.pose import IDENTITY, Pose
from linkwright.formats.urdf.values import Findings
from linkwright.mechanism import Coupling, Fixed, Joint, Spherical


def loops(mujoco: Any, model: Any, names: Any, found: Findings) -> Iterator[Joint]:
    """`connect` becomes a ball joint, `weld` a fixed one."""
    kinds = mujoco.mjtEq
    for e in range(model.neq):
        if not _active(model, e, names, found):
            continue
        if model.eq_type[e] == kinds.mjEQ_CONNECT:
            (near, at), (far, child_at) = _ends(mujoco, model, e, names)
            yield Joint(names.equality(e), near, far, Spherical(), at, child_at)
        elif model.eq_type[e] == kinds.mjEQ_WELD:
            yield _weld(mujoco, model, e, names)
        elif model.eq_type[e] != kinds.mjEQ_JOINT:
            text = f"equality '{names.equality(e)}' is no connect, weld or joint; dropped"
            found.note(text, "error", "dropped-loop", names.equality(e))


def _active(model: Any, e: int, names: Any, found: Findings) -> bool:
    if not model.eq_active0[e]:
        text = f"equality '{names.equality(e)}' is not active at the start; dropped"
        found.note(text, "warning", "inactive-loop", names.equality(e))
    return bool(model.eq_active0[e])


def _ends(mujoco: Any, model: Any, e: int, names: Any) -> list[tuple[str, Pose]]:
    """Body and place of both ends, from sites or from a body and its anchor."""
    objects, data = (int(model.eq_obj1id[e]), int(model.eq_obj2id[e])), model.eq_data[e]
    if model.eq_objtype[e] == mujoco.mjtObj.mjOBJ_SITE:
        return [(names.body(int(model.site_bodyid[s])), _site(model, s)) for s in objects]
    anchors = (data[0:3], data[3:6])
    return [(names.body(b), Pose.of(anchor)) for b, anchor in zip(objects, anchors)]


def _weld(mujoco: Any, model: Any, e: int, names: Any) -> Joint:
    if model.eq_objtype[e] == mujoco.mjtObj.mjOBJ_SITE:
        (near, at), (far, child_at) = _ends(mujoco, model, e, names)
        return Joint(names.equality(e), near, far, Fixed(), at, child_at)
    data = model.eq_data[e]
    near, far = (names.body(int(b)) for b in (model.eq_obj1id[e], model.eq_obj2id[e]))
    return Joint(names.equality(e), near, far, Fixed(), Pose.from_quaternion(data[3:6], data[6:10]), IDENTITY)


def _site(model: Any, s: int) -> Pose:
    return Pose.from_quaternion(model.site_pos[s], model.site_quat[s])


def couplings(mujoco: Any, model: Any, names: Any, found: Findings) -> Iterator[Coupling]:
    """`joint` equalities: the first joint is a polynomial of the second; straight ones become couplings."""
    for e in range(model.neq):
        if model.eq_type[e] != mujoco.mjtEq.mjEQ_JOINT or not model.eq_active0[e]:
            continue
        offset, ratio, *higher = (float(x) for x in model.eq_data[e][:5])
        if any(higher):
            text = f"equality '{names.equality(e)}' is a curved relation; only straight ones are read"
            found.note(text, "error", "dropped-coupling", names.equality(e), (offset, ratio, *higher))
            continue
        first, second = int(model.eq_obj1id[e]), int(model.eq_obj2id[e])
        if second < 0 or not ratio:
            text = f"equality '{names.equality(e)}' holds joint '{names.joint(first)}' at {offset:g}; dropped"
            found.note(text, "error", "dropped-coupling", names.equality(e), offset)
            continue
        yield Coupling(names.equality(e), ((names.joint(first), 1.0), (names.joint(second), -ratio)), offset)
