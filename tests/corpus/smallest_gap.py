"""`python -m tests.corpus.smallest_gap FILE --starts 10000`: how near the loops of a file come to closing.

Newton steps from the file's home and from random starts, in batches; for every group of loops that share joints the
number of starts that close it. Where none does, the configurations in which it is least open are followed to minima of
the sum of squared residuals (Levenberg and Marquardt), and the smallest is shown, with its direction. Several starts
that end in the same smallest minimum make it credible as the global one.
"""

import argparse
import time
from dataclasses import replace

import numpy as np

import linkwright as lw
from linkwright.functions import Kernels, setup
from linkwright.functions.loop import closure_functions
from linkwright.kinematics.closure_diagnosis import find_open_groups
from linkwright.numerics.tolerances import CLOSED
from linkwright.plans.closed_samples import home_coordinates
from linkwright.plans.closure_newton import close_all, loop_groups, row_names
from linkwright.plans.scales import random_coordinates, scales_of_mechanism

BATCH = 500
FOLLOWED, STEPS = 40, 400  # configurations that are followed to a minimum, steps of each


def closest(kernels, starts, seed=0):
    """For every group of loops: starts that close it, and the configuration in which it is least open."""
    mech, rng = kernels.setup.mech, np.random.default_rng(seed)
    rows, found = scales_of_mechanism(mech, kernels.setup.closure).rows, loop_groups(kernels)
    closed, kept = np.zeros(len(found), dtype=int), [[] for _ in found]
    for first in range(0, starts + 1, BATCH):
        q = random_coordinates(mech, min(BATCH, starts + 1 - first), rng)
        q[0] = home_coordinates(kernels) if first == 0 else q[0]
        q = close_all(kernels, q).q
        gap = np.abs(kernels.function(closure_functions.closure_residual)(q)) / rows
        for i, group in enumerate(found):
            size = np.where(np.isfinite(gap[:, group.rows]).all(axis=1), gap[:, group.rows].max(axis=1), np.inf)
            closed[i] += int(np.sum(size < CLOSED))
            near = np.argsort(size)[:FOLLOWED]
            kept[i] = sorted([*kept[i], *zip(size[near].tolist(), q[near])], key=lambda pair: pair[0])[:FOLLOWED]
    return closed, kept


def minimum(kernels, group, q):
    """The minimum of a group's squared residuals that damped steps from q lead to: root of their sum, coordinates."""
    scale = scales_of_mechanism(kernels.setup.mech, kernels.setup.closure)
    residual, jacobian, moving = (
        kernels.function(x)
        for x in (
            closure_functions.closure_residual,
            closure_functions.exact_closure_jacobian,
            closure_functions.advanced,
        )
    )
    rows, damping = group.rows, 1e-2
    g = (residual(q) / scale.rows)[rows]
    for _ in range(STEPS):
        J = (jacobian(q) / scale.rows[:, None] * scale.speeds)[rows]
        dv = -np.linalg.solve(J.T @ J + damping * np.eye(J.shape[1]), J.T @ g)
        trial = moving(q, dv * scale.speeds)
        new = (residual(trial) / scale.rows)[rows]
        better = new @ new < g @ g
        small = better and g @ g - new @ new < 1e-14 * (g @ g)
        q, g, damping = (trial, new, damping / 3.0) if better else (q, g, damping * 4.0)
        if small or damping > 1e12:
            break
    return float(np.linalg.norm(g)), q


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file")
    parser.add_argument("--starts", type=int, default=10_000)
    options = parser.parse_args()
    kernels, began = Kernels(setup(lw.load(options.file), None)), time.process_time()
    closed, kept = closest(kernels, options.starts)
    names, best = row_names(kernels.setup.closure), []
    for group, count, near in zip(loop_groups(kernels), closed, kept, strict=True):
        loops = ", ".join(dict.fromkeys(names[r] for r in group.rows.tolist()))
        print(f"{count:6} of {options.starts + 1} starts close {loops}")
        if count:
            best.append(near[0][1])
            continue
        minima = sorted((minimum(kernels, group, q) for _, q in near), key=lambda pair: pair[0])
        alike = sum(x < 1.001 * minima[0][0] for x, _ in minima)
        print(f"       smallest root of squares {minima[0][0]:.6g} (scaled), met by {alike} of {len(minima)} followed")
        best.append(minima[0][1])
    for found in find_open_groups(kernels, np.array(best)):
        loop = replace(found, starts=options.starts + 1)
        print(f"open: loop '{loop.loop}': {loop.description}")
    print(f"{time.process_time() - began:.1f} s of CPU")


if __name__ == "__main__":
    main()
