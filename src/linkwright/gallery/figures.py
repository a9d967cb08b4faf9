"""The papers' figures, computed and drawn."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from linkwright.gallery import charts_parallel, charts_saha, charts_wang
from linkwright.plots.charts import Chart, drawn

FIGURES: dict[str, Callable[[], Chart]] = {**charts_saha.CHARTS, **charts_parallel.CHARTS, **charts_wang.CHARTS}
"""Figures by name: paper, "-fig" and number."""


@dataclass(frozen=True)
class Drawings:
    """Figures of some papers, each drawn when it is reached; gives the files' names."""

    names: tuple[str, ...]
    folder: str
    ending: str

    def __len__(self) -> int:
        return len(self.names)

    def __iter__(self) -> Iterator[str]:
        return (drawn(FIGURES[name](), self.folder, self.ending).name for name in self.names)


def drawings(papers: set[str], folder: str, ending: str = "pdf") -> Drawings:
    """The figures of the named papers, to be drawn into a folder."""
    return Drawings(tuple(name for name in FIGURES if name.partition("-")[0] in papers), folder, ending)
