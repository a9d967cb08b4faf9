"""Models of the catalog, built once, and mechanisms of it with limits."""

from dataclasses import replace
from functools import cache

import linkwright as lw
from linkwright.mechanism import Limits


@cache
def catalog_model(name, actuated=None):
    return lw.build(lw.catalog.load(name), actuated=actuated)


def limited(name, joint, lower, upper):
    """A mechanism, or one of the catalog by its name, with limits at one joint, cut or not."""
    mech = lw.catalog.load(name) if isinstance(name, str) else name

    def with_limits(each):
        return replace(each, limits=Limits(lower=(lower,), upper=(upper,))) if each.name == joint else each

    return replace(mech, joints=tuple(map(with_limits, mech.joints)), loops=tuple(map(with_limits, mech.loops)))
