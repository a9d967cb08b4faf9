"""Formulas as data: written as plain text, as MathML, or given a value."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping

from linkwright.dataclass import dataclass
from linkwright.generated_text import html_text

_GREEK_WORDS = (
    *("alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "iota", "kappa", "lambda", "mu", "nu"),
    *("xi", "pi", "rho", "sigma", "tau", "phi", "chi", "psi", "omega"),
)
_GREEK = dict(zip(_GREEK_WORDS, "αβγδεζηθικλμνξπρστφχψω", strict=True))
_FUNCTIONS: dict[str, Callable[..., float]] = {
    "sin": math.sin,
    "cos": math.cos,
    "sqrt": math.sqrt,
    "atan2": math.atan2,
    "exp": math.exp,
    "log": math.log,
    "tanh": math.tanh,
    "abs": abs,
    "min": min,
    "max": max,
    "select": lambda c, a, b: a if c > 0 else b,
}


@dataclass(frozen=True)
class Symbol:
    """A symbol; `dots` are time derivatives."""

    word: str
    dots: int = 0


@dataclass(frozen=True)
class Numeral:
    value: float


@dataclass(frozen=True)
class SignedSum:
    """Terms with their signs, +1 or -1."""

    terms: tuple[tuple[int, Formula], ...]


@dataclass(frozen=True)
class Product:
    """Factors above and below the line."""

    over: tuple[Formula, ...]
    under: tuple[Formula, ...] = ()


@dataclass(frozen=True)
class Call:
    """A function of formulas."""

    function: str
    args: tuple[Formula, ...]


Formula = Symbol | Numeral | SignedSum | Product | Call


def formula_value(formula: Formula, symbols: Mapping[Symbol, float]) -> float:
    """Value of a formula.

    >>> formula_value(SignedSum(((1, Numeral(2.0)), (-1, Symbol("x")))), {Symbol("x"): 0.5})
    1.5
    """
    match formula:
        case Symbol():
            return symbols[formula]
        case Numeral(x):
            return x
        case SignedSum(terms):
            return sum(sign * formula_value(term, symbols) for sign, term in terms)
        case Product(over, under):
            top = math.prod(formula_value(x, symbols) for x in over)
            return top / math.prod(formula_value(x, symbols) for x in under) if under else top
        case Call(function, args):
            return _FUNCTIONS[function](*(formula_value(x, symbols) for x in args))


def six_digits(x: float) -> str:
    """A number in six digits."""
    return f"{x:.6g}"


def formula_text(formula: Formula) -> str:
    """A formula in one line of plain text.

    >>> rate = Symbol("theta1", 1)
    >>> formula_text(Product((Numeral(2.0), Call("sin", (Symbol("theta1"),)), rate, rate)))
    "2 sin(theta1) theta1'^2"
    """
    match formula:
        case Symbol(word, dots):
            return word + "'" * dots
        case Numeral(x):
            return six_digits(x)
        case SignedSum(terms):
            return _signed_text([(sign, formula_text(term)) for sign, term in terms])
        case Product(over, under):
            top = (
                " ".join(f"{_bracketed_text(x)}^{n}" if n > 1 else _bracketed_text(x) for x, n in factor_powers(over))
                or "1"
            )
            below = " ".join(_bracketed_text(x) for x in under)
            return f"{top} / ({below})" if len(under) > 1 else f"{top} / {below}" if under else top
        case Call(function, args):
            return f"{function}({', '.join(formula_text(x) for x in args)})"


def _bracketed_text(formula: Formula) -> str:
    return f"({formula_text(formula)})" if isinstance(formula, SignedSum | Product) else formula_text(formula)


def _signed_text(parts: list[tuple[int, str]]) -> str:
    out = ""
    for i, (sign, part) in enumerate(parts):
        mark = ("-" if sign < 0 else "") if i == 0 else (" - " if sign < 0 else " + ")
        out += mark + part
    return out or "0"


def factor_powers(factors: tuple[Formula, ...]) -> list[tuple[Formula, int]]:
    """Factors with how often each stands there, numbers first."""
    order = sorted(dict.fromkeys(factors), key=lambda f: not isinstance(f, Numeral))
    return [(f, factors.count(f)) for f in order]


def formula_mathml(formula: Formula) -> str:
    """A formula as MathML, without the outer element; names are escaped.

    >>> formula_mathml(Symbol("theta1", 1))
    '<msub><mover><mi>θ</mi><mo>˙</mo></mover><mn>1</mn></msub>'
    """
    match formula:
        case Symbol():
            return _symbol_mathml(formula)
        case Numeral(x):
            return _number_mathml(x)
        case SignedSum(terms):
            return _mathml_row(_sum_mathml(terms))
        case Product(over, under):
            top = _mathml_row("".join(_factor_mathml(x, n) for x, n in factor_powers(over)) or "<mn>1</mn>")
            below = _mathml_row("".join(_factor_mathml(x, n) for x, n in factor_powers(under)))
            return f"<mfrac>{top}{below}</mfrac>" if under else top
        case Call("sqrt", (x,)):
            return f"<msqrt>{formula_mathml(x)}</msqrt>"
        case Call(function, (Symbol() as x,)):
            applied = "<mo>&#x2061;</mo><mspace width='0.15em'/>"
            return f"<mrow><mi>{html_text(function)}</mi>{applied}{formula_mathml(x)}</mrow>"
        case Call(function, args):
            inner = "<mo>,</mo>".join(formula_mathml(x) for x in args)
            return f"<mrow><mi>{html_text(function)}</mi><mo>(</mo>{inner}<mo>)</mo></mrow>"


def _sum_mathml(terms: tuple[tuple[int, Formula], ...]) -> str:
    out = ""
    for i, (sign, term) in enumerate(terms):
        mark = "<mo>−</mo>" if sign < 0 else "<mo>+</mo>" if i else ""
        out += mark + formula_mathml(term)
    return out or "<mn>0</mn>"


def _factor_mathml(formula: Formula, n: int) -> str:
    inner = (
        f"<mrow><mo>(</mo>{formula_mathml(formula)}<mo>)</mo></mrow>"
        if isinstance(formula, SignedSum)
        else formula_mathml(formula)
    )
    powered = f"<msup>{inner}<mn>{n}</mn></msup>" if n > 1 else inner
    return powered + "<mspace width='0.17em'/>"


def _mathml_row(inner: str) -> str:
    return f"<mrow>{inner}</mrow>"


def _number_mathml(x: float) -> str:
    digits, _, exponent = six_digits(x).partition("e")
    digits = digits.replace("-", "−")
    if not exponent:
        return f"<mn>{digits}</mn>"
    power = str(int(exponent)).replace("-", "−")
    return f"<mrow><mn>{digits}</mn><mo>·</mo><msup><mn>10</mn><mn>{power}</mn></msup></mrow>"


def _symbol_mathml(name: Symbol) -> str:
    """A Greek letter for its word, digits and what follows an underscore as a subscript, dots above."""
    found = re.fullmatch(r"([^\W\d_]+)_?(\w*)", name.word)
    base, sub = (found[1], found[2]) if found else (name.word, "")
    letter = _GREEK.get(base.lower(), base)
    style = " mathvariant='normal'" if len(letter) > 1 else ""
    core = f"<mi{style}>{html_text(letter)}</mi>"
    if name.dots:
        core = f"<mover>{core}<mo>{'˙' if name.dots == 1 else '¨'}</mo></mover>"
    if not sub:
        return core
    tag = "mn" if sub.isdigit() else "mi"
    return f"<msub>{core}<{tag}>{html_text(sub)}</{tag}></msub>"
