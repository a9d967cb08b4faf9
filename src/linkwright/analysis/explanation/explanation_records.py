"""An explanation: steps made of blocks, as text, as one HTML file and typeset in a notebook."""

from __future__ import annotations

import os

from linkwright import checks
from linkwright.analysis.explanation.explanation_blocks import Block, Paragraph
from linkwright.analysis.explanation.html import explanation_page, step_fragment
from linkwright.dataclass import dataclass
from linkwright.files import write_whole
from linkwright.readable_text import Description, PrintableTable, cut_text, described_table


@dataclass(frozen=True)
class ExplanationStep:
    """A step: its title, and paragraphs, drawings, tables, matrices and formulas below it."""

    title: str
    blocks: tuple[Block, ...]

    def _repr_html_(self) -> str:
        return step_fragment(self.title, self.blocks)


@dataclass(frozen=True)
class Explanation(PrintableTable):
    """The solution of a mechanism, step by step; a notebook shows it typeset, and each of its steps.

    Attributes:
        name: of the mechanism.
        steps: tree, cuts, DeNOC matrices, closure equations, elimination, operations, formulas.
    """

    name: str
    steps: tuple[ExplanationStep, ...]

    def _describe(self) -> Description:
        """The steps, each with the beginning of what it says."""
        rows = [[str(i), step.title, _beginning_of_step(step)] for i, step in enumerate(self.steps, start=1)]
        table = described_table("", dict.fromkeys(("step", "title", "it begins"), ""), rows)
        return Description(
            f"Explanation of '{self.name}' in {len(self.steps)} steps; .save(\"name.html\") writes it", tables=(table,)
        )

    def html(self) -> str:
        """One page with typeset formulas, as text; it needs no script and no network."""
        return explanation_page(self.name, [(step.title, step.blocks) for step in self.steps])

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the page."""
        write_whole(checks.require_path("path", path), self.html())

    def _repr_html_(self) -> str:
        return "".join(step_fragment(step.title, step.blocks) for step in self.steps)


def _beginning_of_step(step: ExplanationStep) -> str:
    """The beginning of a step's first paragraph."""
    texts = (block.text for block in step.blocks if isinstance(block, Paragraph))
    return cut_text(next(texts, "").partition(". ")[0], 70)
