"""Blocks of an explanation: paragraphs, drawings, tables, matrices and formulas; the same for text and for HTML."""

from __future__ import annotations

from linkwright.analysis.explanation.math import Formula, Symbol, formula_text
from linkwright.dataclass import dataclass


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
        parts = [f"{name.word} = {formula_text(formula)}" for name, formula in self.shared]
        return (*parts, *(f"{title} = {formula_text(formula)}" for title, formula in self.results))


@dataclass(frozen=True)
class Matrix:
    """A named matrix with titles for its rows and columns and short entries ("" is a structural zero)."""

    name: str
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    entries: tuple[tuple[str, ...], ...]


Block = Paragraph | Drawing | NumberTable | TheoryEquation | FormulaBlock | Matrix
