"""The ways to write the equations of motion, as records to choose one by: same mechanism, same call, same results.

What each can do on a mechanism is said by the layers above, each with one table keyed by the type of the record:
`solve.methods` (accelerations, efforts, energy, why it does not apply) and `simulation.problem` (how it is stepped).
"""

from __future__ import annotations


class Formulation:
    """A way to write the equations of motion; `register_formulation` of `solve.methods.table` adds one."""
