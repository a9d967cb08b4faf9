"""The laws an explanation quotes, as plain text and as MathML."""

from __future__ import annotations

from linkwright.analysis.explain.records import Law


def _i(x: str, sub: str = "", over: str = "", sup: str = "") -> str:
    out = f"<mi>{x}</mi>"
    out = f"<mover>{out}<mo>{over}</mo></mover>" if over else out
    if sub and sup:
        return f"<msubsup>{out}<mi>{sub}</mi><mi>{sup}</mi></msubsup>"
    if sup:
        return f"<msup>{out}<mi>{sup}</mi></msup>"
    return f"<msub>{out}<mi>{sub}</mi></msub>" if sub else out


def _o(x: str) -> str:
    return f"<mo>{x}</mo>"


def _table(*rows: tuple[str, ...]) -> str:
    inner = "".join("<mtr>" + "".join(f"<mtd>{x}</mtd>" for x in row) + "</mtr>" for row in rows)
    return f"<mtable class='brackets'>{inner}</mtable>"


_ONE, _ZERO = "<mn>1</mn>", "<mn>0</mn>"

TWISTS = Law("t = N_l N_d v", _i("t") + _o("=") + _i("N", "l") + _i("N", "d") + _i("v"))

INERTIA = Law(
    "M(q) = N^T M_b N,  N = N_l N_d",
    _i("M") + _o("(") + _i("q") + _o(")") + _o("=") + _i("N", sup="T") + _i("M", "b") + _i("N"),
)

PROPAGATION = Law(
    "B_ij = [1 0; c_ij x 1, 1]",
    _i("B", "ij") + _o("=") + _table((_ONE, _ZERO), (_i("c", "ij") + _o("×") + _ONE, _ONE)),
)

MOTION = Law(
    "M a + h = force",
    _i("M") + _i("a") + _o("+") + _i("h") + _o("=") + _i("φ"),
)

CLOSURE = Law(
    "gap(q) = 0,  J_c v = 0,  J_c a + c = 0",
    "<mtext>gap</mtext><mo>(</mo><mi>q</mi><mo>)</mo><mo>=</mo><mn>0</mn><mo>,</mo><mspace width='1em'/>"
    + _i("J", "c")
    + _i("v")
    + _o("=")
    + _ZERO
    + "<mo>,</mo><mspace width='1em'/>"
    + _i("J", "c")
    + _i("a")
    + _o("+")
    + _i("c")
    + _o("=")
    + _ZERO,
)

BORDERED = Law(
    "[M J_c^T; J_c 0] [a; -lambda] = [force - h; -c]",
    _table((_i("M"), _i("J", "c", sup="T")), (_i("J", "c"), _ZERO))
    + _table((_i("a"),), (_o("−") + _i("λ"),))
    + _o("=")
    + _table((_i("φ") + _o("−") + _i("h"),), (_o("−") + _i("c"),)),
)

UDU = Law(
    "M = U D U^T",
    _i("M") + _o("=") + _i("U") + _i("D") + _i("U", sup="T"),
)

EFFORTS = Law(
    "[B J_c^T] [tau; lambda] = M a + h",
    _table((_i("B"), _i("J", "c", sup="T")))
    + _table((_i("τ"),), (_i("λ"),))
    + _o("=")
    + _i("M")
    + _i("a")
    + _o("+")
    + _i("h"),
)

COMPLEMENT = Law(
    "v = R v_ind,  J_c R = 0",
    _i("v")
    + _o("=")
    + _i("R")
    + _i("v", "ind")
    + "<mo>,</mo><mspace width='1em'/>"
    + _i("J", "c")
    + _i("R")
    + _o("=")
    + _ZERO,
)
