"""Which fields of a rolled program must start at zero because something may read them before they are assigned."""

from __future__ import annotations

import numpy as np

from linkwright.compiler.trace.rolled import PARENT, RolledProgram, Sweep


def fields_to_clear(rolled: RolledProgram) -> set[str]:
    """Fields that are read, or added to, before every item has assigned its own."""
    present = np.unique(np.asarray(rolled.kind, dtype=np.int64)).tolist()
    return {name for name in rolled.fields if _exposed(name, rolled.sweeps, present)}


def _exposed(name: str, sweeps: tuple[Sweep, ...], present: list[int]) -> bool:
    assigned: set[int] = set()  # kinds whose items have their own value
    for sweep in sweeps:
        steps = {k: sweep.steps[k] for k in present}
        now = {k for k, step in steps.items() if step and name in {port.name for port in step.outputs}}
        # going outward, a parent has been done earlier in the same sweep
        parents = assigned if sweep.inward else assigned | now
        for k, step in steps.items():
            if step is None:
                continue
            touched = {port.name for port in (*step.inputs, *step.outputs)}
            if name in {port.name for port in step.inputs} and k not in assigned:
                return True
            if PARENT + name in touched and not parents.issuperset(present):
                return True
        assigned |= now
    return False
