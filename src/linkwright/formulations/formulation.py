"""The ways to write the equations of motion, as records to choose one by: same mechanism, same call, same results.

What each can do on a mechanism is said by the layers above, each with one table keyed by the type of the record:
`solve.methods` (accelerations, efforts, energy, why it does not apply) and `simulation.problem` (how it is stepped).
"""

from __future__ import annotations

from linkwright.formulations.hanzaki import Hanzaki
from linkwright.formulations.khan import Khan
from linkwright.formulations.leg_by_leg import LegByLeg
from linkwright.formulations.minimal import Minimal
from linkwright.formulations.multipliers import Multipliers
from linkwright.formulations.rao import Rao
from linkwright.formulations.springs import VirtualSprings

Formulation = Multipliers | Minimal | VirtualSprings | LegByLeg | Khan | Rao | Hanzaki
PaperFormulation = Khan | Rao | Hanzaki
