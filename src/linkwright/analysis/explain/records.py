"""An explanation: steps made of paragraphs, tables, matrices and formulas; the same for text and for HTML."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from linkwright.analysis.explain.math import Formula, Symbol, text
from linkwright.formats.files import write_whole


@dataclass(frozen=True)
class Paragraph:
    text: str


@dataclass(frozen=True)
class Drawing:
    """Lines whose characters stand in columns: a tree, a pattern of zeros."""

    title: str
    lines: tuple[str, ...]


@dataclass(frozen=True)
class NumberTable:
    title: str
    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class TheoryEquation:
    """An equation of the theory: plain text, and MathML without the outer element."""

    plain: str
    mathml: str


@dataclass(frozen=True)
class FormulaBlock:
    """Formulas of the user's own mechanism: shared parts, then results."""

    title: str
    shared: tuple[tuple[Symbol, Formula], ...]
    results: tuple[tuple[str, Formula], ...]

    @property
    def lines(self) -> tuple[str, ...]:
        """The formulas as plain text."""
        parts = [f"{name.word} = {text(formula)}" for name, formula in self.shared]
        return (*parts, *(f"{title} = {text(formula)}" for title, formula in self.results))


@dataclass(frozen=True)
class Matrix:
    """A named matrix with titles for its rows and columns and short entries ("" is a structural zero)."""

    name: str
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    entries: tuple[tuple[str, ...], ...]


Block = Paragraph | Drawing | NumberTable | TheoryEquation | FormulaBlock | Matrix


@dataclass(frozen=True)
class ExplanationStep:
    """A step: its title, and paragraphs, drawings, tables, matrices and formulas below it."""

    title: str
    blocks: tuple[Block, ...]

    def _repr_html_(self) -> str:
        from linkwright.analysis.explain.html import fragment  # which draws these records

        return fragment(self)


@dataclass(frozen=True)
class Explanation:
    """The solution of a mechanism, step by step; a notebook shows it typeset, and each of its steps.

    Attributes:
        name: of the mechanism.
        steps: tree, cuts, DeNOC matrices, closure equations, elimination, operations, formulas.
    """

    name: str
    steps: tuple[ExplanationStep, ...]

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write one HTML file with typeset formulas; it needs no network."""
        from linkwright.analysis.explain.html import page

        write_whole(Path(path), page(self))

    def _repr_html_(self) -> str:
        from linkwright.analysis.explain.html import fragment

        return "".join(map(fragment, self.steps))


def figure(x: float) -> str:
    """A number in four digits, round-off as 0.

    >>> figure(0.12345678), figure(1e-17), figure(-2.0)
    ('0.1235', '0', '-2')
    """
    return "0" if abs(x) < 1e-12 else f"{x:.4g}"
