"""Series of flexible links: deflection at the middle and at the tip, and strain energy."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from linkwright.joints.beams import Beam
from linkwright.mechanism.flexible_bodies import beams_of, flexibility_of_beam
from linkwright.model import Model
from linkwright.model.beam_deflections import deflection
from linkwright.results.lazy_content import Columns, Deferred
from linkwright.results.result import Result, lazy_result
from linkwright.results.sensitivity_record import Sensitivity
from linkwright.results.series import Series

GROUP = "beam"


def with_beams(model: Model, run: Result, derivatives: Callable[..., Sensitivity] | None = None) -> Result:
    """The run with series `<body>.mid_y`, `<body>.tip_y` (and z) [m] and `<body>.strain` [J] for every beam.

    `derivatives` makes its sensitivity; None where it has none.
    """
    if not model.kernels.setup.tree.beams:
        return run
    more = [
        each for name, beam in beams_of(model.mechanism).items() for each in _series_of_beam(model, run, name, beam)
    ]
    every = (*run.series, *more)
    rows = np.column_stack([run.t, *(each.values for each in every)])
    columns = Columns(tuple((each.name, each.unit, each.group) for each in every))
    return lazy_result(Deferred(rows, columns, lambda: (run.meta, run.events), derivatives))


def _series_of_beam(model: Model, run: Result, name: str, beam: Beam) -> Iterator[Series]:
    for title, x in (("mid", 0.5 * beam.length), ("tip", beam.length)):
        bent = deflection(model, run.q, name, x)
        for plane in beam.planes:
            yield Series(f"{name}.{title}_{plane}", bent[:, "xyz".index(plane)], "m", GROUP)
    eta = np.stack([run[f"{name}.eta{i + 1}"] for i in range(beam.count)], axis=-1)
    energy = 0.5 * np.einsum("ni,ij,nj->n", eta, flexibility_of_beam(beam).stiffness, eta)
    yield Series(f"{name}.strain", energy, "J", GROUP)
