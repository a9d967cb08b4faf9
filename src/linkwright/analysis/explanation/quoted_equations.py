"""The laws an explanation quotes, as plain text and as MathML."""

from __future__ import annotations

import re

from linkwright.analysis.explanation.explanation_blocks import TheoryEquation

_SIGNS = {"[": "<mtable class='brackets'><mtr><mtd>", "&": "</mtd><mtd>", ";": "</mtd></mtr><mtr><mtd>"}
_SIGNS |= {"]": "</mtd></mtr></mtable>", ",": "<mo>,</mo><mspace width='1em'/>"}


def _law_mathml(formula: str) -> str:
    """MathML of symbols and signs that blanks separate; `[ a & b ; c & d ]` is a matrix, `x_i^T` has both indices."""
    return "".join(_SIGNS.get(token) or _token_mathml(token) for token in formula.split())


def _token_mathml(token: str) -> str:
    if token.isdigit():
        return f"<mn>{token}</mn>"
    base, sub, sup = re.fullmatch(r"(.+?)(?:_(\w+?))?(?:\^(\w+))?", token).groups()  # type: ignore[union-attr]
    if not base.isalpha():
        return f"<mo>{token}</mo>"
    symbol = f"<mtext>{base}</mtext>" if base == "gap" else f"<mi>{base}</mi>"
    if sub and sup:
        return f"<msubsup>{symbol}<mi>{sub}</mi><mi>{sup}</mi></msubsup>"
    return f"<msub>{symbol}<mi>{sub}</mi></msub>" if sub else f"<msup>{symbol}<mi>{sup}</mi></msup>" if sup else symbol


def _theory_equation(plain: str, formula: str = "") -> TheoryEquation:
    return TheoryEquation(plain, _law_mathml(formula or plain))


TWISTS = _theory_equation("t = N_l N_d v")
INERTIA = _theory_equation("M(q) = N^T M_b N,  N = N_l N_d", "M ( q ) = N^T M_b N")
PROPAGATION = _theory_equation("B_ij = [1 0; c_ij x 1, 1]", "B_ij = [ 1 & 0 ; c_ij × 1 & 1 ]")
MOTION = _theory_equation("M a + h = force", "M a + h = φ")
CLOSURE = _theory_equation("gap(q) = 0,  J_c v = 0,  J_c a + c = 0", "gap ( q ) = 0 , J_c v = 0 , J_c a + c = 0")
BORDERED = _theory_equation(
    "[M J_c^T; J_c 0] [a; -lambda] = [force - h; -c]", "[ M & J_c^T ; J_c & 0 ] [ a ; − λ ] = [ φ − h ; − c ]"
)
UDU = _theory_equation("M = U D U^T")
EFFORTS = _theory_equation("[B J_c^T] [tau; lambda] = M a + h", "[ B & J_c^T ] [ τ ; λ ] = M a + h")
COMPLEMENT = _theory_equation("v = R v_ind,  J_c R = 0", "v = R v_ind , J_c R = 0")
