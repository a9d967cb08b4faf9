"""Formulas as data, as plain text or MathML, and traced programs as formulas with names for what is used twice."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field

from linkwright.compiler import Op, Program, operator_dialect
from linkwright.dataclass import dataclass
from linkwright.generated_text import html_text

# --- formulas as data: written as plain text, as MathML, or given a value ---------------------------------------------

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


def formula_parts(formula: Formula) -> tuple[Formula, ...]:
    """The formulas that a formula is made of."""
    match formula:
        case Symbol() | Numeral():
            return ()
        case SignedSum(terms):
            return tuple(term for _, term in terms)
        case Product(over, under):
            return (*over, *under)
        case Call(_, args):
            return args


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


# --- A traced program as formulas -------------------------------------------------------------------------------------

_LONGEST = 24
_ONE = Numeral(1.0)
Angle = tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class Formulary:
    """Shared parts in the order they are needed, then the results, each a name and its formula."""

    shared: tuple[tuple[Symbol, Formula], ...]
    results: tuple[tuple[str, Formula], ...]


@dataclass
class _Writer:
    """Values of a program as formulas, while it is being read."""

    program: Program
    formulas: dict[int, Formula]
    uses: Counter[int]
    shared: list[tuple[Symbol, Formula]] = field(default_factory=list)
    turns: dict[int, tuple[str, Angle]] = field(default_factory=dict)
    sizes: dict[int, int] = field(default_factory=dict)


def program_formulas(program: Program, symbols: Mapping[str, Sequence[Symbol]], results: Sequence[str]) -> Formulary:
    """The formulas of a program.

    Args:
        program: what to write down.
        symbols: a name for every element of every input port.
        results: a title for every output element, in row-major order.

    >>> from linkwright.analysis.explanation.math import formula_text
    >>> from linkwright.compiler import trace
    >>> import numpy as np
    >>> program = trace(lambda q: np.array([np.sin(q[0]) * q[1] + 2.0]), {"q": 2})
    >>> formula_text(program_formulas(program, {"q": (Symbol("x"), Symbol("y"))}, ["f"]).results[0][1])
    'y sin(x) + 2'
    """
    names = [name for port in program.inputs for name in symbols[port.name]]
    known: dict[int, Formula] = dict(enumerate(names))
    known |= {program.n_inputs + i: Numeral(float(c)) for i, c in enumerate(program.constants)}
    w = _Writer(program, known, _value_use_counts(program))
    for k, (op, args) in enumerate(program.operations):
        _write_formula(w, program.first_operation + k, Op(op), args)
    shown = tuple((title, w.formulas[int(i)]) for title, i in zip(results, program.results, strict=True))
    return _prune_shared_parts(Formulary(tuple(w.shared), shown))


def _value_use_counts(program: Program) -> Counter[int]:
    uses = Counter(i for _, args in program.operations for i in args)
    uses.update(program.results.tolist())
    return uses


def _write_formula(w: _Writer, at: int, op: Op, args: tuple[int, ...]) -> None:
    """Make the formula of one operation; give it a name when it is long or used again."""
    turn = _angle_function(w, op, args)
    if turn is not None:
        w.turns[at] = turn
        w.formulas[at], w.sizes[at] = Call(turn[0], (_angle_formula(w, turn[1]),)), 1
        return
    formula = _FORMULAS[op](*(w.formulas[i] for i in args))
    size = 1 + sum(w.sizes.get(i, 0) for i in args)
    again = w.uses[at] > 1 and op != Op.NEG
    if again or size > _LONGEST:
        name = Symbol(f"s{len(w.shared) + 1}")
        w.shared.append((name, formula))
        formula, size = name, 0
    w.formulas[at], w.sizes[at] = formula, size


def _signed_sum(*terms: tuple[int, Formula]) -> Formula:
    flat: list[tuple[int, Formula]] = []
    for sign, term in terms:
        inner = term.terms if isinstance(term, SignedSum) else ((1, term),)
        flat += [_positive_term(sign * s, t) for s, t in inner]
    constants = [sign * t.value for sign, t in flat if isinstance(t, Numeral)]
    if len(constants) > 1:
        total = sum(constants)
        flat = [part for part in flat if not isinstance(part[1], Numeral)]
        flat.append((1 if total >= 0 else -1, Numeral(abs(total))))
    return SignedSum(tuple(sorted(flat, key=lambda part: (part[0] < 0, isinstance(part[1], Numeral)))))


def _positive_term(sign: int, term: Formula) -> tuple[int, Formula]:
    """A term whose minus, if a number has one, is the term's."""
    if isinstance(term, Numeral) and term.value < 0:
        return -sign, Numeral(-term.value)
    return sign, term


def _merged_product(a: Formula, b: Formula) -> Formula:
    """One product of both; numbers are multiplied, and a single negative sum gives its sign away."""
    over: list[Formula] = []
    under: list[Formula] = []
    sign = 1
    for x in (a, b):
        if isinstance(x, SignedSum) and len(x.terms) == 1:
            sign *= x.terms[0][0]
            x = x.terms[0][1]
        over += x.over if isinstance(x, Product) else (x,)
        under += x.under if isinstance(x, Product) else ()
    numbers = [x.value for x in over if isinstance(x, Numeral)]
    if len(numbers) > 1:
        over = [Numeral(math.prod(numbers)), *(x for x in over if not isinstance(x, Numeral))]
    over = [x for x in over if x != _ONE] or [_ONE]
    product = Product(tuple(sorted(over, key=_factor_order)), tuple(under))
    return product if sign > 0 else SignedSum(((-1, product),))


def _factor_order(factor: Formula) -> int:
    return [Numeral, Symbol, SignedSum, Call, Product].index(type(factor))


def _angle_function(w: _Writer, op: Op, args: tuple[int, ...]) -> tuple[str, Angle] | None:
    """The sine or cosine of a sum of coordinates that an operation computes, if it does."""
    if op in (Op.SIN, Op.COS) and args[0] < w.program.n_inputs:
        return ("sin" if op == Op.SIN else "cos"), ((1, args[0]),)
    if op not in (Op.ADD, Op.SUB):
        return None
    pairs = [_trigonometric_pair(w, i) for i in args]
    if None in pairs:
        return None
    (f1, a1, g1, b1), (f2, a2, g2, b2) = pairs  # type: ignore[misc]
    sign = 1 if op == Op.ADD else -1
    if (f1, g1, f2, g2) == ("cos", "cos", "sin", "sin") and {a1, b1} == {a2, b2}:
        return "cos", _angle_sum(a1, b1, -sign)
    if {f1, g1} == {f2, g2} == {"sin", "cos"}:
        sine1, cosine1 = (a1, b1) if f1 == "sin" else (b1, a1)
        sine2, cosine2 = (a2, b2) if f2 == "sin" else (b2, a2)
        if (sine1, cosine1) == (cosine2, sine2):
            return "sin", _angle_sum(sine1, cosine1, sign)
    return None


def _trigonometric_pair(w: _Writer, i: int) -> tuple[str, Angle, str, Angle] | None:
    """A product of two sines or cosines, as their kinds and angles."""
    k = i - w.program.first_operation
    if k < 0:
        return None
    op, args = w.program.operations[k]
    if op != Op.MUL or any(j not in w.turns for j in args):
        return None
    (f, a), (g, b) = (w.turns[j] for j in args)
    return f, a, g, b


def _angle_sum(a: Angle, b: Angle, sign: int) -> Angle:
    return tuple(sorted((*a, *((sign * s, i) for s, i in b)), key=lambda part: part[1]))


def _angle_formula(w: _Writer, angle: Angle) -> Formula:
    if len(angle) == 1 and angle[0][0] > 0:
        return w.formulas[angle[0][1]]
    return SignedSum(tuple((sign, w.formulas[i]) for sign, i in sorted(angle, key=lambda part: part[0] < 0)))


def _prune_shared_parts(found: Formulary) -> Formulary:
    """Only shared parts that the results still use, those used once written in place, numbered anew."""
    uses = Counter(name for _, f in (*found.shared, *found.results) for name in _formula_symbols(f))
    kept: list[tuple[Symbol, Formula]] = []
    put: dict[Symbol, Formula] = {}
    for name, formula in found.shared:
        formula = _substitute_symbols(formula, put)
        if uses[name] == 1 and _formula_length(formula) <= _LONGEST:
            put[name] = formula
        elif uses[name]:
            new = Symbol(f"s{len(kept) + 1}")
            put[name] = new
            kept.append((new, formula))
    live = {name for _, f in found.results for name in _formula_symbols(_substitute_symbols(f, put))}
    for name, formula in reversed(kept):
        live |= set(_formula_symbols(formula)) if name in live else set()
    return Formulary(
        tuple((n, f) for n, f in kept if n in live), tuple((t, _substitute_symbols(f, put)) for t, f in found.results)
    )


def _formula_symbols(formula: Formula) -> list[Symbol]:
    match formula:
        case Symbol():
            return [formula]
        case SignedSum(terms):
            return [n for _, t in terms for n in _formula_symbols(t)]
        case Product(over, under):
            return [n for t in (*over, *under) for n in _formula_symbols(t)]
        case Call(_, args):
            return [n for t in args for n in _formula_symbols(t)]
        case _:
            return []


def _formula_length(formula: Formula) -> int:
    match formula:
        case SignedSum(terms):
            return sum(_formula_length(t) + 1 for _, t in terms)
        case Product(over, under):
            return sum(_formula_length(t) + 1 for t in (*over, *under))
        case Call():
            return 1
        case _:
            return 0


def _substitute_symbols(formula: Formula, put: Mapping[Symbol, Formula]) -> Formula:
    match formula:
        case Symbol():
            return put.get(formula, formula)
        case SignedSum(terms):
            return _signed_sum(*((sign, _substitute_symbols(t, put)) for sign, t in terms))
        case Product(over, under):
            out: Formula = Product((), tuple(_substitute_symbols(t, put) for t in under))
            for t in over:
                out = _merged_product(out, _substitute_symbols(t, put))
            return out
        case Call(function, args):
            return Call(function, tuple(_substitute_symbols(t, put) for t in args))
        case _:
            return formula


_ARITHMETIC: Mapping[str, Callable[..., Formula]] = {
    "add": lambda a, b: _signed_sum((1, a), (1, b)),
    "sub": lambda a, b: _signed_sum((1, a), (-1, b)),
    "neg": lambda a: _signed_sum((-1, a)),
    "mul": _merged_product,
    "recip": lambda a: Product((), (a,)),
    "fma": lambda a, b, c: _signed_sum((1, _merged_product(a, b)), (1, c)),
    "fms": lambda a, b, c: _signed_sum((1, _merged_product(a, b)), (-1, c)),
    "fnma": lambda a, b, c: _signed_sum((1, c), (-1, _merged_product(a, b))),
}
_FORMULAS = operator_dialect(lambda name: lambda *x: Call(name, x), _ARITHMETIC).spellings()
