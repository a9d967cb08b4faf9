"""A mechanism with the closed configuration that its home stands for."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from linkwright.errors import LinkwrightError, LinkwrightWarning, withheld_warnings
from linkwright.mechanism import Mechanism
from linkwright.mechanism.tree import coordinate_slices
from linkwright.model.building import build
from linkwright.numerics.tolerances import CLOSED_STATE
from linkwright.plans.closed_samples import home


def with_closed_home(mech: Mechanism) -> Mechanism:
    """The mechanism with a home in which its loops close, if the one of its file leaves them open and can be closed."""
    if not (mech.loops or mech.couplings):
        return mech
    try:
        model = build(mech)
        if np.abs(model.closure_residual(home(model.kernels))).max(initial=0.0) < CLOSED_STATE:
            return mech
        with withheld_warnings(LinkwrightWarning):
            q = model.assemble().q
    except LinkwrightError:
        return mech
    slices = coordinate_slices(mech.joints)
    return replace(mech, home=tuple((joint.name, tuple(map(float, q[slices[joint.name][0]]))) for joint in mech.joints))
