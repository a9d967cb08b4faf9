"""Switches: loops that the caller lets close and open during a run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from linkwright.algebra.vectors import Vec3
from linkwright.dataclass import dataclass
from linkwright.errors import ArgumentError
from linkwright.mechanism.mechanism import Mechanism
from linkwright.mechanism.names import suggest_name
from linkwright.mechanism.records import Joint
from linkwright.model import Model

When = Callable[..., Any]


@dataclass(frozen=True, eq=False)
class Close:
    """Closes an open loop, each time it is found open.

    Attributes:
        loop: name of the loop.
        when: function of (t, q, v) whose zero is the instant; None takes the gap along `normal`, and of a distance rod
            its two points' distance less its length.
        direction: of the zero of `when`: -1 falling, 1 rising, 0 both.
        normal: direction in which the child lies from the parent before they meet, in the parent body's axes.
        restitution: share of the approach speed along the normal with which the sides part again; the loop closes when
            they would part slower than `settle`, or at once when zero.
        settle: speed [m/s], see above.
        anchor: the joint's frame on its parent is where the child touches, instead of the one in the file.
        tolerance: largest gap that may be closed, as a share of the mechanism's size.

    >>> Close("foot", normal=(0, 0, 1)).restitution
    0.0
    """

    loop: str
    when: When | None = None
    direction: int = -1
    normal: Vec3 | None = None
    restitution: float = 0.0
    settle: float = 1e-3
    anchor: bool = False
    tolerance: float = 1e-6

    def __post_init__(self) -> None:
        _require_switch(self)
        if not (_is_real_number(self.restitution) and 0.0 <= self.restitution <= 1.0):
            raise ArgumentError(f"{switch_title(self)} has the restitution {self.restitution!r}, expected 0 to 1")
        for name in ("settle", "tolerance"):
            if not (_is_real_number(getattr(self, name)) and 0.0 < getattr(self, name) < np.inf):
                raise ArgumentError(
                    f"{switch_title(self)} has {name} = {getattr(self, name)!r}, expected a positive number"
                )


@dataclass(frozen=True, eq=False)
class Open:
    """Opens a closed loop, each time it is found closed; no velocity jumps.

    Attributes:
        loop: name of the loop.
        when: function of (t, q, v) whose zero is the instant; None opens the loop when its child is no longer pushed
            along `normal` (of a distance rod: when its end points are no longer pushed apart). Such a loop does not
            pull during an impact either.
        direction: of the zero of `when`.
        normal: as of `Close`.

    >>> Open("foot", normal=(0, 0, 1)).by_force
    True
    """

    loop: str
    when: When | None = None
    direction: int = -1
    normal: Vec3 | None = None

    def __post_init__(self) -> None:
        _require_switch(self)

    @property
    def by_force(self) -> bool:
        """True if the loop's own force decides when it opens."""
        return self.when is None


Switch = Close | Open


def switch_title(switch: Switch) -> str:
    """Title of a switch, which is also the name of its event function."""
    return f"{type(switch).__name__}('{switch.loop}')"


def _require_switch(switch: Switch) -> None:
    if not isinstance(switch.loop, str):
        raise ArgumentError(f"the loop of a switch is {switch.loop!r}, expected the name of a loop")
    if switch.when is not None and not callable(switch.when):
        raise ArgumentError(f"{switch_title(switch)} has when = {switch.when!r}, expected a function of t, q and v")
    if not isinstance(switch.direction, int) or switch.direction not in (-1, 0, 1):
        raise ArgumentError(f"{switch_title(switch)} has direction {switch.direction!r}, expected -1, 0 or 1")
    if switch.normal is not None:
        object.__setattr__(switch, "normal", _unit_normal(switch))


def _is_real_number(value: Any) -> bool:
    return isinstance(value, int | float | np.number) and not isinstance(value, bool)


def _unit_normal(switch: Switch) -> Vec3:
    try:
        n = np.array(switch.normal, dtype=float)
    except (TypeError, ValueError):
        n = np.zeros(0)
    if n.shape != (3,) or not np.isfinite(n).all() or not np.linalg.norm(n) > 0:
        raise ArgumentError(f"{switch_title(switch)} has the normal {switch.normal!r}, expected a direction (x, y, z)")
    x, y, z = (n / np.linalg.norm(n)).tolist()
    return (x, y, z)


def every_loop(mech: Mechanism) -> dict[str, Joint]:
    """All loops of a mechanism by name, those that hold first."""
    return {joint.name: joint for joint in (*mech.loops, *mech.open_loops)}


def require_switches(model: Model, switches: Sequence[Switch]) -> None:
    """Refuse switches that do not fit the mechanism."""
    known, seen = every_loop(model.mechanism), set()
    for switch in switches:
        if switch.loop not in known:
            raise ArgumentError(
                f"{switch_title(switch)} names a loop that '{model.mechanism.name}' does not have"
                f"{suggest_name(switch.loop, known)}; loops to be closed stand in the file with 'open: true'"
            )
        if switch_title(switch) in seen:
            raise ArgumentError(f"{switch_title(switch)} is given twice; give each loop one Close and one Open")
        seen.add(switch_title(switch))
        _require_known_instant(switch, known[switch.loop])
    _require_not_driven(model, {switch.loop for switch in switches})


def _require_known_instant(switch: Switch, joint: Joint) -> None:
    rod = joint.kind.rod_length is not None
    if not rod and switch.normal is None and (switch.when is None or getattr(switch, "restitution", 0.0) > 0.0):
        raise ArgumentError(
            f"{switch_title(switch)} has no instant; give normal=(x, y, z), or when=a function of t, q, v"
        )
    if rod and isinstance(switch, Close) and switch.anchor:
        raise ArgumentError(f"{switch_title(switch)} has an anchor, and a distance rod has none; leave it out")


def _require_not_driven(model: Model, names: set[str]) -> None:
    setup = model.kernels.setup
    driven = {setup.mech.loops[drive.loop].name for drive in setup.drives if drive.speed is None}
    for name in sorted(driven & names):
        raise ArgumentError(f"loop '{name}' is driven, so it cannot be opened; drive another joint, or leave it closed")
