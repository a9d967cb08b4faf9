"""Models of the catalog, built once."""

from functools import cache

import linkwright as lw


@cache
def catalog_model(name, actuated=None):
    return lw.build(lw.catalog.load(name), actuated=actuated)
