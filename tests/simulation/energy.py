"""Energy and closure of every mechanism of the catalog let go from home: `python -m tests.simulation.energy [names]`.

Zero actuation, rtol 1e-10, until the first limit, a singularity of the constraints, or 10 s. Promised: energy kept to
1e-9 of the peak kinetic energy, loops closed to 1e-12 m and 1e-11 m/s.
"""

from __future__ import annotations

import sys

import linkwright as lw

DRIFT, GAP, RATE = 1e-9, 1e-12, 1e-11


def let_go(name: str, t_end: float = 10.0) -> lw.Result:
    """The run of one mechanism."""
    model = lw.build(lw.catalog.load(name))
    method = lw.DOP853(rtol=1e-10)
    return lw.simulate(
        model, model.assemble().q, t_end=t_end, method=method, output=1001, stop_at=("singularity", "limits")
    )


def kept(run: lw.Result) -> bool:
    """Return True if the run keeps the promises."""
    meta = run.meta
    return meta["energy_balance"]["relative"] <= DRIFT and meta["closure"] <= GAP and meta["closure_rate"] <= RATE


def main() -> int:
    names = sys.argv[1:] or lw.catalog.names()
    bad = 0
    print("mechanism            ends at s  because       drift    gap m    gap rate m/s  steps")
    for name in names:
        run = let_go(name)
        meta, ended = run.meta, run.meta["ended"]
        bad += not kept(run)
        print(
            f"{name:20s} {ended['t']:9.4f}  {ended['kind']:12s} {meta['energy_balance']['relative']:.1e}  "
            f"{meta['closure']:.1e}  {meta['closure_rate']:.1e}       {run.stats['steps']}"
            f"{'' if kept(run) else '  NOT KEPT'}"
        )
    return int(bad > 0)


if __name__ == "__main__":
    sys.exit(main())
