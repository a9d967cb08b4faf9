"""Khan et al. 2005, section 6: a leg lets go of the platform and takes hold of it again during the motion."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np

from linkwright import catalog
from linkwright.gallery.machines import khan_start, model
from linkwright.gallery.records import Claim, Near
from linkwright.model import build
from linkwright.results.result import Result
from linkwright.simulation import DOP853, simulate
from linkwright.simulation.switching.switches import Close, Open

LEG, LETS_GO, TAKES_HOLD = "vertex2", 0.1, 0.2
_FINE, _NO_TORQUE = DOP853(rtol=1e-11), np.zeros(3)


@cache
def switched() -> Result:
    """The released machine; leg 2 lets go at 0.1 s and takes hold at 0.2 s where it meets the platform then."""
    go = Open(LEG, when=lambda t, q, v: LETS_GO - t)
    hold = Close(LEG, when=lambda t, q, v: TAKES_HOLD - t, anchor=True)
    return simulate(
        model("3-rrr"), khan_start(), t_end=0.3, effort=_NO_TORQUE, switches=[go, hold], method=_FINE, output=31
    )


def opened() -> float:
    """Coordinates at 0.2 s beside those of a machine that never had this loop, from the same state on, [rad]."""
    before = simulate(model("3-rrr"), khan_start(), t_end=LETS_GO, effort=_NO_TORQUE, method=_FINE)
    mech = catalog.load("3-rrr")
    free = build(replace(mech, loops=tuple(loop for loop in mech.loops if loop.name != LEG)))
    after = simulate(free, before.q[-1], before.v[-1], t_end=TAKES_HOLD - LETS_GO, effort=_NO_TORQUE, method=_FINE)
    row = int(np.argmin(np.abs(switched().t - TAKES_HOLD)))
    return float(np.abs(switched().q[row] - after.q[-1]).max())


def closed() -> tuple[float, float]:
    """Energy with what the closing took, over the run, [J], and the largest gap after it, [m]."""
    run = switched()
    return float(np.ptp(run.energy + run["losses"])), float(run.closure[run.t > TAKES_HOLD].max())


TOPOLOGY = (
    Claim(
        "khan/K10-topology",
        "Sec 6",
        "loops may be opened during the motion: then it is that of the machine without the loop",
        Near((0.0,), 1e-9),
        opened,
        "rad",
    ),
    Claim(
        "khan/K10-topology-closing",
        "Sec 6",
        "and closed: energy less the loss in the impact [J] and the loop [m] are kept",
        Near((0.0, 0.0), 1e-8),
        closed,
        "J, m",
    ),
)
