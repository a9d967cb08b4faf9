"""Models shared by the tests of this package, built once."""

from functools import lru_cache

import linkwright as lw


@lru_cache
def model(name: str) -> lw.Model:
    return lw.build(lw.catalog.load(name))
