"""Tendons of MJCF: sums of joint coordinates, straight springs between two sites; all others are reported."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from linkwright.dataclass import dataclass
from linkwright.forces import Strut
from linkwright.formats.mjcf.mjcf_joints import linear_coefficient
from linkwright.formats.mjcf.unread_mjcf import is_set
from linkwright.formats.xml_values import Findings
from linkwright.mechanism.names import list_of_names


@dataclass(frozen=True)
class Tendon:
    """One tendon: its joints with their factors if it is fixed, its two sites if it is a straight line."""

    name: str
    terms: tuple[tuple[int, float], ...] = ()
    sites: tuple[int, int] | None = None


def tendons_of_model(mujoco: Any, model: Any) -> list[Tendon]:
    """All tendons of a model, in its order."""
    kinds, found = mujoco.mjtWrap, []
    for i in range(model.ntendon):
        name = mujoco.mj_id2name(model, mujoco.mjtObj.mjOBJ_TENDON, i) or f"tendon{i}"
        steps = range(int(model.tendon_adr[i]), int(model.tendon_adr[i]) + int(model.tendon_num[i]))
        wraps = [(int(model.wrap_type[w]), int(model.wrap_objid[w]), float(model.wrap_prm[w])) for w in steps]
        if all(kind == int(kinds.mjWRAP_JOINT) for kind, _, _ in wraps):
            found.append(Tendon(name, tuple((joint, factor) for _, joint, factor in wraps)))
        elif len(wraps) == 2 and all(kind == int(kinds.mjWRAP_SITE) for kind, _, _ in wraps):
            found.append(Tendon(name, sites=(wraps[0][1], wraps[1][1])))
        else:
            found.append(Tendon(name))
    return found


def springs_of_tendons(model: Any, lines: list[Tendon], names: Any) -> Iterator[Strut]:
    """Straight tendons with a linear spring or damper."""
    for i, tendon in enumerate(lines):
        stiffness, damping = (
            linear_coefficient(values[i]) for values in (model.tendon_stiffness, model.tendon_damping)
        )
        if tendon.sites is None or not (stiffness or damping) or not is_point_spring(model, i, tendon):
            continue
        (near, at), (far, child_at) = (
            (names.body(int(model.site_bodyid[s])), tuple(map(float, model.site_pos[s]))) for s in tendon.sites
        )
        length = float(model.tendon_lengthspring[i][0])
        yield Strut(tendon.name, near, far, at, child_at, stiffness, length, damping)  # type: ignore[arg-type]


def is_point_spring(model: Any, i: int, tendon: Tendon) -> bool:
    """Return True if a straight tendon joins two bodies and its spring has one length at rest."""
    lower, upper = (float(x) for x in model.tendon_lengthspring[i])
    apart = tendon.sites is not None and len({int(model.site_bodyid[s]) for s in tendon.sites}) == 2
    return apart and lower == upper


def unread_tendons(model: Any, lines: list[Tendon], found: Findings) -> None:
    """One finding for the forces that are dropped, one for tendons without force."""
    dropped: dict[str, list[str]] = {}
    for i, tendon in enumerate(lines):
        springs = [] if tendon.sites is not None and is_point_spring(model, i, tendon) else ["stiffness", "damping"]
        for what in (*springs, "stiffnesspoly", "dampingpoly", "frictionloss", "armature"):
            if is_set(model, f"tendon_{what}", i):
                dropped.setdefault(_TITLES.get(what, what), []).append(tendon.name)
        if is_set(model, "tendon_limited", i):
            dropped.setdefault("range", []).append(tendon.name)
    for what, names in dropped.items():
        text, fix = (
            f"the {what} of {list_of_names('tendon', 'tendons', names, 4)} is dropped",
            "write it as force elements or couplings",
        )
        found.note(text, "remark" if what == "range" else "warning", "dropped-tendon", names[0], len(names), fix)


_TITLES = {"stiffnesspoly": "curved spring", "dampingpoly": "curved damper", "frictionloss": "dry friction"}
