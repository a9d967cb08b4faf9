"""Time of the indices of a design per configuration, in batches.

    python -m benchmarks.indices [mechanism ...]

CPU time per configuration, the least of several rounds: the Jacobian alone, all indices of actuators, and with the
compliance of one joint (reactions under unit loads).
"""

from __future__ import annotations

import sys

import numpy as np

import linkwright as lw
from benchmarks.singularity import least

NAMES = ("five-bar", "3-rrr", "delta", "gough-stewart", "hexam")
ROWS = 4096


def main(names: tuple[str, ...]) -> None:
    """Print the table."""
    print(f"{'us per state':16} {'Jacobian':>10} {'indices':>10} {'compliant':>10}")
    for name in names:
        model = lw.build(lw.catalog.load(name))
        some = model.kinematics.branch_samples
        q = some[np.arange(ROWS) % len(some)]
        soft = {model.mechanism.loops[0].name: 1e-6 * np.ones(6)}
        calls = (
            lambda q=q, model=model: model.actuator_jacobian(q),
            lambda q=q, model=model: lw.analysis.indices(model, q, stiffness=1e4, encoder=1e-4),
            lambda q=q, model=model, soft=soft: lw.analysis.indices(model, q, stiffness=1e4, compliance=soft),
        )
        print(f"{name:16}", *(f"{1e6 * least(call, 5) / ROWS:10.2f}" for call in calls), flush=True)


if __name__ == "__main__":
    main(tuple(sys.argv[1:]) or NAMES)
