"""An explanation: steps made of blocks, as text, beside the drawing on a page, and typeset in a notebook."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence

from linkwright import checks
from linkwright.analysis.explanation.math import Formula, Symbol, formula_mathml, formula_parts, formula_text
from linkwright.dataclass import dataclass
from linkwright.files import write_whole
from linkwright.generated_text import html_page, html_text
from linkwright.readable_text import Description, cut_text, described_table
from linkwright.results.attached_functions import attached_function
from linkwright.results.studied_mechanism import StudiedMechanism
from linkwright.results.study_result import StudyContent, StudyResult, StudyTable

# --- blocks of an explanation -----------------------------------------------------------------------------------------


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


# --- an explanation as one HTML file that needs nothing else ----------------------------------------------------------

_STYLE = """
:root { color-scheme: light dark; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 68rem; margin: 2rem auto; padding: 0 1rem; }
"""
"""Of a page that holds nothing but an explanation."""

_STEP_STYLE = """
.explanation h1 { font-size: 1.6rem; }
.explanation h2 { font-size: 1.25rem; margin-top: 2.2rem; border-bottom: 1px solid #8886; }
.explanation p { max-width: 46rem; }
.explanation pre { font: 14px/1.25 ui-monospace, monospace; overflow-x: auto; padding: .6rem 1rem;
  border: 1px solid #8884; border-radius: 6px; }
.explanation figure { margin: 1rem 0; overflow-x: auto; }
.explanation figcaption { font-weight: 600; margin-bottom: .3rem; }
.explanation table { border-collapse: collapse; font-size: .92rem; }
.explanation :is(th, td) { text-align: left; padding: .15rem .8rem .15rem 0; }
.explanation thead th { border-bottom: 1px solid #8888; } .explanation td.n { text-align: right; }
.explanation math { font-size: 1.12rem; } .explanation .law { margin: .8rem 0 .8rem 1.5rem; }
.explanation .formulas div { margin: .35rem 0 .35rem 1.5rem; }
.explanation nav a { margin-right: 1rem; }
.brackets { border-left: 1.4px solid; border-right: 1.4px solid; margin: 0 .2em; padding: .1em .15em;
  background: linear-gradient(currentColor, currentColor) 0 0, linear-gradient(currentColor, currentColor) 0 100%,
  linear-gradient(currentColor, currentColor) 100% 0, linear-gradient(currentColor, currentColor) 100% 100%;
  background-size: .35em 1.4px; background-repeat: no-repeat; }
"""

Blocks = Sequence[Block]


def explanation_page(name: str, steps: Sequence[tuple[str, Blocks]]) -> str:
    """The whole file as text: the name of the mechanism, and titles and blocks of the steps."""
    title = f"<h1>{html_text(name)}: how it is solved</h1>\n"
    body = f'<main class="explanation">{title}{_step_sections(steps)}</main>\n'
    return html_page(f"{name}, explained", _STYLE + _STEP_STYLE, body)


def _step_sections(steps: Sequence[tuple[str, Blocks]]) -> str:
    """All steps below links to them."""
    links = "".join(f'<a href="#s{i}">{html_text(step)}</a>' for i, (step, _) in enumerate(steps, 1))
    sections = "\n".join(_step_section(i, *step) for i, step in enumerate(steps, 1))
    return f"<nav>{links}</nav>\n{sections}\n"


def step_fragment(title: str, blocks: Blocks) -> str:
    """A step for notebooks."""
    return (
        f"<section style='overflow-x: auto'><h4>{html_text(title)}</h4>{''.join(map(_block_markup, blocks))}</section>"
    )


def _step_section(i: int, title: str, blocks: Blocks) -> str:
    return (
        f'<section id="s{i}">\n<h2>{i}. {html_text(title)}</h2>\n'
        + "\n".join(map(_block_markup, blocks))
        + "\n</section>"
    )


def _block_markup(block: Block) -> str:
    match block:
        case Paragraph(text):
            return f"<p>{html_text(text)}</p>"
        case Drawing(title, lines):
            return _captioned_figure(title, f"<pre>{html_text(chr(10).join(lines))}</pre>")
        case NumberTable(title, heads, rows):
            return _captioned_figure(title, _number_table(heads, rows)) if rows else ""
        case TheoryEquation(plain, inner):
            return (
                f'<div class="law"><math display="block" alttext="{html_text(plain)}"><mrow>{inner}</mrow></math></div>'
            )
        case Matrix():
            return _captioned_figure(block.name, _matrix_table(block))
        case FormulaBlock():
            return _captioned_figure(block.title, _formula_lines(block))


def _captioned_figure(title: str, inner: str) -> str:
    return f"<figure><figcaption>{html_text(title)}</figcaption>{inner}</figure>"


def _number_table(heads: tuple[str, ...], rows: tuple[tuple[str, ...], ...]) -> str:
    top = "".join(f"<th>{html_text(head)}</th>" for head in heads)
    body = "".join("<tr>" + "".join(map(_table_cell, row)) + "</tr>" for row in rows)
    return f"<table><thead><tr>{top}</tr></thead><tbody>{body}</tbody></table>"


def _table_cell(text: str) -> str:
    number = text.replace(".", "", 1).replace("-", "").replace("e", "").isdigit()
    return f'<td class="n">{html_text(text)}</td>' if number else f"<td>{html_text(text)}</td>"


def _matrix_table(matrix: Matrix) -> str:
    head = "<thead><tr><th></th>" + "".join(f"<th>{html_text(name)}</th>" for name in matrix.columns) + "</tr></thead>"
    rows = "".join(
        f"<tr><th>{html_text(name)}</th>" + "".join(f'<td class="n">{_matrix_entry(x)}</td>' for x in row) + "</tr>"
        for name, row in zip(matrix.rows, matrix.entries, strict=True)
    )
    return f"<table>{head}<tbody>{rows}</tbody></table>"


def _matrix_entry(text: str) -> str:
    base, _, sub = text.partition("_")
    return f"<math><msub><mi>{html_text(base)}</mi><mn>{html_text(sub)}</mn></msub></math>" if sub else html_text(text)


def _formula_lines(found: FormulaBlock) -> str:
    parts = [(formula_mathml(name), formula_mathml(formula)) for name, formula in found.shared]
    parts += [(_result_symbol(title), formula_mathml(formula)) for title, formula in found.results]
    names = [_symbol_names(formula) for _, formula in (*found.shared, *found.results)]
    lines = "".join(
        f'<div data-names="{html_text(json.dumps(sorted(named)))}">'
        f"<math displaystyle='true'><mrow>{left}<mo>=</mo>{right}</mrow></math></div>"
        for (left, right), named in zip(parts, names, strict=True)
    )
    return f'<div class="formulas">{lines}</div>'


def _symbol_names(formula: Formula) -> set[str]:
    """Names of the symbols in a formula; a page marks the joints and bodies that have them."""
    if isinstance(formula, Symbol):
        return {formula.word}
    return set().union(*map(_symbol_names, formula_parts(formula)))


def _result_symbol(title: str) -> str:
    """The name of a result: `M[a, b]` as a letter with subscripts, else a word."""
    base, _, rest = title.partition("[")
    if not rest:
        return f"<mtext>{html_text(title)}</mtext>"
    return f"<msub>{formula_mathml(Symbol(base))}<mtext>{html_text(rest.removesuffix(']'))}</mtext></msub>"


# --- an explanation: steps made of blocks, as text, as one HTML file and typeset in a notebook ------------------------


@dataclass(frozen=True)
class ExplanationStep:
    """A step: its title, and paragraphs, drawings, tables, matrices and formulas below it."""

    title: str
    blocks: tuple[Block, ...]

    def _repr_html_(self) -> str:
        return step_fragment(self.title, self.blocks)


@dataclass(frozen=True)
class Explanation(StudyResult):
    """The solution of a mechanism, step by step; a notebook shows it typeset, and each of its steps.

    Attributes:
        name: of the mechanism.
        steps: tree, cuts, DeNOC matrices, closure equations, elimination, operations, formulas.
    """

    name: str
    steps: tuple[ExplanationStep, ...]
    studied: StudiedMechanism | None = None

    def content(self) -> StudyContent:
        """Every block of every step as text."""
        rows = [
            [i, step.title, type(block).__name__, _block_text(block)]
            for i, step in enumerate(self.steps, start=1)
            for block in step.blocks
        ]
        table = StudyTable("blocks", dict.fromkeys(("step", "title", "kind", "text"), ""), rows)
        facts = {"mechanism": self.name, "steps": [step.title for step in self.steps]}
        return StudyContent(f"Explanation of {self.name}", facts, [table])

    def _describe(self) -> Description:
        """The steps, each with the beginning of what it says."""
        rows = [[str(i), step.title, _beginning_of_step(step)] for i, step in enumerate(self.steps, start=1)]
        table = described_table("", dict.fromkeys(("step", "title", "it begins"), ""), rows)
        return Description(
            f"Explanation of '{self.name}' in {len(self.steps)} steps; .report(\"name.html\") writes it",
            tables=(table,),
        )

    def html(self) -> str:
        """One page with typeset formulas, as text; it needs no script and no network."""
        return explanation_page(self.name, [(step.title, step.blocks) for step in self.steps])

    def report(self, path: str | os.PathLike[str]) -> str:
        """Write the explanation beside the mechanism, which can be moved, as one HTML file; return its path.

        Pointing at a joint, a body or a formula marks it in the drawing, and the other way round.
        """
        file = checks.require_path("path", path)
        if self.studied is None:
            write_whole(file, self.html())
            return str(file)
        sections = _step_sections([(step.title, step.blocks) for step in self.steps])
        body = f'<div id="report" class="explanation">{sections}</div>'
        content = StudyContent(f"{self.name}, explained", studied=self.studied)
        written: str = attached_function("explanation report")(content, body, _STEP_STYLE, file)
        return written

    def _repr_html_(self) -> str:
        return "".join(step_fragment(step.title, step.blocks) for step in self.steps)


def _block_text(block: Block) -> str:
    """A block as plain text, one line for each of its rows."""
    match block:
        case Paragraph(text) | TheoryEquation(text):
            return text
        case NumberTable(_, heads, rows):
            lines: Sequence[str] = [" | ".join(row) for row in (heads, *rows)]
        case Matrix(_, rows, columns, entries):
            named = [(name, *row) for name, row in zip(rows, entries, strict=True)]
            lines = [" | ".join(row) for row in (("", *columns), *named)]
        case _:
            lines = block.lines
    return "\n".join([block.title if not isinstance(block, Matrix) else block.name, *lines])


def _beginning_of_step(step: ExplanationStep) -> str:
    """The beginning of a step's first paragraph."""
    texts = (block.text for block in step.blocks if isinstance(block, Paragraph))
    return cut_text(next(texts, "").partition(". ")[0], 70)
