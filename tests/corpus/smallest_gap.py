"""`python -m tests.corpus.smallest_gap FILE --starts 10000`: how near the loops of a file come to closing.

Newton steps from the file's home and from random starts, in batches; for every group of loops that share joints the
number of starts that close it and, where none does, the smallest closure residual found, with its direction.
"""

import argparse
import time
from dataclasses import replace

import numpy as np

import linkwright as lw
from linkwright.kernels import Kernels, registry, setup
from linkwright.solve.closing import CLOSED, close_all, groups, row_names
from linkwright.solve.open_loops import open_loops
from linkwright.solve.samples import home
from linkwright.solve.scales import random_coordinates, scales

BATCH = 500


def closest(kernels, starts, seed=0):
    """For every group of loops: starts that close it, and the configuration in which it is least open."""
    mech, rng = kernels.setup.mech, np.random.default_rng(seed)
    rows, found = scales(mech, kernels.setup.closure).rows, groups(kernels)
    closed, least, best = np.zeros(len(found), dtype=int), np.full(len(found), np.inf), [home(kernels)] * len(found)
    for first in range(0, starts + 1, BATCH):
        q = random_coordinates(mech, min(BATCH, starts + 1 - first), rng)
        q[0] = home(kernels) if first == 0 else q[0]
        q = close_all(kernels, q).q
        gap = np.abs(kernels.function(registry.CLOSURE_RESIDUAL)(q)) / rows
        for i, group in enumerate(found):
            size = np.where(np.isfinite(gap[:, group.rows]).all(axis=1), gap[:, group.rows].max(axis=1), np.inf)
            closed[i] += int(np.sum(size < CLOSED))
            if size.min() < least[i]:
                least[i], best[i] = size.min(), q[int(np.argmin(size))]
    return closed, least, np.array(best)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file")
    parser.add_argument("--starts", type=int, default=10_000)
    options = parser.parse_args()
    kernels, began = Kernels(setup(lw.load(options.file), None)), time.process_time()
    closed, least, best = closest(kernels, options.starts)
    names = row_names(kernels.setup.closure)
    for group, count, gap in zip(groups(kernels), closed, least, strict=True):
        loops = ", ".join(dict.fromkeys(names[r] for r in group.rows.tolist()))
        print(f"{count:6} of {options.starts + 1} starts close {loops}; smallest scaled residual {gap:.2e}")
    for found in open_loops(kernels, best):
        loop = replace(found, starts=options.starts + 1)
        print(f"open: loop '{loop.loop}': {loop.description}")
    print(f"{time.process_time() - began:.1f} s of CPU")


if __name__ == "__main__":
    main()
