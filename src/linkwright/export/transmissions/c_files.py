"""A transmission in C beside its kit, with tables and a self-test, and as a plug-in of ros2_control."""

from __future__ import annotations

import json
from collections.abc import Mapping
from importlib import resources

import numpy as np

from linkwright.compiler import Program
from linkwright.export.c.c_expressions import DOUBLE, Real, c_sincos_functions, static_function
from linkwright.export.c.kit import kit_of_programs
from linkwright.export.transmissions.chebyshev import ChebyshevTable
from linkwright.export.transmissions.pack_programs import TransmissionPack, inertia_of_links
from linkwright.export.transmissions.ranges import named_box
from linkwright.generated_text import c_comment, fill_template, html_text
from linkwright.version import __version__

Array = np.ndarray

_STATES = 12
_INNER = 0.9  # of the box in which states are stored, so that steps from the home stay within it

_REFLECTED = """
/* Inertia felt at the joints of motors, cranks and rods, without the links that the joints carry, row by row: the
 * armature of a simulator that has the links and not the rods. */
int lwn_reflected_inertia(const lwn_state *state, double out[LWN_N * LWN_N]);
"""
_REFLECTED_CODE = """
int lwn_reflected_inertia(const lwn_state *state, double out[LWN_N * LWN_N])
{
    int i;
    lwn_reflected_inertia_(state->q, out);
    for (i = 0; i < LWN_N * LWN_N; ++i) {
        if (!(out[i] - out[i] == 0.0)) {
            return LWN_ILL_CONDITIONED;
        }
    }
    return LWN_OK;
}
"""
_TABLE_TEXT = """ * Tables of polynomials need no state and no start. Within the ranges @bounds@;
 * found at points between the nodes: @found@."""
_TABLE_PROTOTYPE = """
#define LWN_@ONE@_TABLE_ERROR @bound@
#define LWN_@ONE@_TABLE_RATE_ERROR @rate_bound@

/* @One@ positions y of @other@ positions x by the table, and dy/dx row by row (null if it is not needed), off by at
 * most LWN_@ONE@_TABLE_ERROR and LWN_@ONE@_TABLE_RATE_ERROR. Returns 1 inside its domain, 0 outside, where the table
 * is not valid. */
int lwn_@one@_table(const double x[LWN_N], double y[LWN_N], double rates[LWN_N * LWN_N]);
"""
_TABLE_CODE = """
static const double lwn_@one@_table_[@count@] = {
@coefficients@
};

int lwn_@one@_table(const double x[LWN_N], double y[LWN_N], double rates[LWN_N * LWN_N])
{
    static const double center[LWN_N] = {@center@}, axes[LWN_N * LWN_N] = {@axes@};
    static const int sizes[LWN_N] = {@sizes@};
    const double *c = lwn_@one@_table_;
    double T[LWN_N][@longest@], S[LWN_N][@longest@];
    double sum[LWN_N][LWN_N + 1][LWN_N]; /* over the last axes: y, and its derivatives along these */
    int index[LWN_N], inside = 1, i, k, d;
    for (i = 0; i < LWN_N; ++i) {
        double s = 0.0;
        for (k = 0; k < LWN_N; ++k) {
            s += axes[i * LWN_N + k] * (x[k] - center[k]);
        }
        inside = inside && fabs(s) <= 1.0 + 1e-12;
        T[i][0] = 1.0;
        T[i][1] = s;
        S[i][0] = 0.0;
        S[i][1] = 1.0;
        for (k = 2; k < sizes[i]; ++k) {
            T[i][k] = 2.0 * s * T[i][k - 1] - T[i][k - 2];
            S[i][k] = 2.0 * T[i][k - 1] + 2.0 * s * S[i][k - 1] - S[i][k - 2];
        }
    }
@loops@
    for (i = 0; i < LWN_N; ++i) {
        y[i] = sum[0][0][i];
        for (k = 0; rates && k < LWN_N; ++k) {
            rates[i * LWN_N + k] = 0.0;
            for (d = 0; d < LWN_N; ++d) {
                rates[i * LWN_N + k] += sum[0][d + 1][i] * axes[d * LWN_N + k];
            }
        }
    }
    return inside;
}
"""


def _axis_loop(axis: int, m: int) -> list[str]:
    """The loop over the terms along one axis and, within it, over those along the next ones."""
    pad, i = "    " * (axis + 1), f"index[{axis}]"
    last = axis == m - 1
    within = ["    for (k = 0; k < LWN_N; ++k) {"]
    if last:
        within += [
            f"        sum[{axis}][0][k] += c[k] * T[{axis}][{i}];",
            f"        sum[{axis}][1][k] += c[k] * S[{axis}][{i}];",
            "    }",
            "    c += LWN_N;",
        ]
    else:
        within += [
            f"        sum[{axis}][0][k] += sum[{axis + 1}][0][k] * T[{axis}][{i}];",
            f"        sum[{axis}][1][k] += sum[{axis + 1}][0][k] * S[{axis}][{i}];",
            f"        for (d = 1; rates && d <= {m - 1 - axis}; ++d) {{",
            f"            sum[{axis}][d + 1][k] += sum[{axis + 1}][d][k] * T[{axis}][{i}];",
            "        }",
            "    }",
        ]
    lines = [
        f"for (d = 0; d <= {m - axis}; ++d) {{",
        "    for (k = 0; k < LWN_N; ++k) {",
        f"        sum[{axis}][d][k] = 0.0;",
        "    }",
        "}",
        f"for ({i} = 0; {i} < sizes[{axis}]; ++{i}) {{",
    ]
    inner = [] if last else [line.removeprefix(pad) for line in _axis_loop(axis + 1, m)]
    return [pad + line for line in (*lines, *inner, *within, "}")]


def c_files(pack: TransmissionPack) -> dict[str, str]:
    """Files in C by name: the kit, the transmission, self-tests, CMakeLists.txt."""
    kit = kit_of_programs(pack.sub, pack.name, pack.kit)
    writer = _Writer(pack)
    files = dict(kit.files)
    files["CMakeLists.txt"] = writer.fill("transmission_cmake.template.txt", {"kit": kit.files["CMakeLists.txt"]})
    files[f"{pack.name}_transmission.h"] = writer.fill("transmission.template.h", writer.header_parts())
    files[f"{pack.name}_transmission.c"] = writer.fill("transmission.template.c", writer.source_parts())
    files[f"{pack.name}_transmission_selftest.c"] = writer.fill("transmission_selftest.template.c", writer.test_parts())
    return files


def ros2_control_files(pack: TransmissionPack) -> dict[str, str]:
    """Source, description and package of the plug-in, by name; the transmission in C is compiled into it."""
    writer, sub = _Writer(pack), pack.sub
    names = {
        key: ", ".join(map(json.dumps, x)) for key, x in (("motor_names", sub.inputs), ("joint_names", sub.outputs))
    }
    escaped = {"mechanism": html_text(sub.driven.mechanism.name)}
    return {
        f"{pack.name}_ros2_control.cpp": writer.fill("ros2_control.template.cpp", {}, names),
        f"{pack.name}_ros2_control.xml": writer.fill("ros2_control.template.xml", {}, escaped),
        "package.xml": writer.fill("package.template.xml", {}, escaped),
    }


def numbers(x: Array) -> str:
    """Numbers of an array in C, row by row."""
    return ", ".join(DOUBLE.number(value) for value in np.ravel(x).tolist())


class _Writer:
    """Fills the templates; LWN_ and lwn_ in them become the prefix."""

    def __init__(self, pack: TransmissionPack) -> None:
        self.pack = pack
        self.tables = {
            one: table
            for one, table in (("motor", pack.motor_table), ("joint", pack.joint_table))
            if isinstance(table, ChebyshevTable)
        }

    def fill(self, template: str, parts: Mapping[str, str], names: Mapping[str, str] | None = None) -> str:
        """A template with its parts; texts with names of the mechanism are filled in last, and kept as they are."""
        pack = self.pack
        named = {
            "mechanism": c_comment(pack.sub.driven.mechanism.name),
            "motors": c_comment(named_box(pack.sub.inputs, pack.ranges.motors)),
            "joints": c_comment(named_box(pack.sub.outputs, pack.ranges.joints)),
            **(names or {}),
        }
        text = resources.files(__package__ or "").joinpath(template).read_text(encoding="utf-8")
        text = fill_template(text, {"version": __version__, **parts, **{key: f"@{key}@" for key in named}})
        text = text.replace("LWN", pack.name.upper()).replace("lwn", pack.name)
        return fill_template(text, named)

    @property
    def reflected(self) -> Program | None:
        found = self.pack.reflected_inertia
        return found if isinstance(found, Program) else None

    def header_parts(self) -> dict[str, str]:
        texts = {
            "bounds": " and ".join(f"{one}s are off by at most LWN_{one.upper()}_TABLE_ERROR" for one in self.tables),
            "found": ", ".join(f"{x.checked.max():.1e} ({one}s, {x.points})" for one, x in self.tables.items()),
        }
        text = fill_template(_TABLE_TEXT, texts) if self.tables else " *"
        return {
            "n": str(self.pack.size),
            "table_text": text,
            "reflected": _REFLECTED if self.reflected is not None else "",
            "table_prototypes": "".join(self._prototype(one, table) for one, table in self.tables.items()),
        }

    def _prototype(self, one: str, table: ChebyshevTable) -> str:
        parts = {
            "one": one,
            "ONE": one.upper(),
            "One": one.capitalize(),
            "other": "joint" if one == "motor" else "motor",
            "bound": f"{np.nextafter(table.bound.max(), 1.0):.17g}",
            "rate_bound": f"{np.nextafter(table.rate_bound.max(), np.inf):.17g}",
        }
        return fill_template(_TABLE_PROTOTYPE, parts)

    def source_parts(self) -> dict[str, str]:
        ranges, code = self.pack.ranges, ""
        if self.reflected is not None:
            real = Real("double", DOUBLE.suffix)
            parts = c_sincos_functions("lwn_transmission_sincos", [self.reflected])
            name = "lwn_reflected_inertia_"
            parts.append(static_function(self.reflected, name, ["const double *q"], real, "lwn_transmission_sincos"))
            code = "\n".join(parts) + _REFLECTED_CODE
        return {
            "joint_lower": numbers(ranges.joints[:, 0]),
            "joint_upper": numbers(ranges.joints[:, 1]),
            "motor_lower": numbers(ranges.motors[:, 0]),
            "motor_upper": numbers(ranges.motors[:, 1]),
            "reflected": code,
            "tables": "".join(self._table_code(one, table) for one, table in self.tables.items()),
        }

    def _table_code(self, one: str, table: ChebyshevTable) -> str:
        flat = table.polynomial.coefficients.reshape(-1, self.pack.size)
        parts = {
            "one": one,
            "count": str(flat.size),
            "coefficients": ",\n".join(f"    {numbers(row)}" for row in flat),
            "center": numbers(table.polynomial.center),
            "axes": numbers(table.polynomial.axes),
            "sizes": ", ".join(map(str, table.polynomial.coefficients.shape[:-1])),
            "longest": str(max(table.polynomial.coefficients.shape[:-1])),
            "loops": "\n".join(_axis_loop(0, self.pack.size)),
        }
        return fill_template(_TABLE_CODE, parts)

    def test_parts(self) -> dict[str, str]:
        rows, columns = self._stored_states()
        checks, declared, printed = [], [], []
        n = self.pack.size
        if self.reflected is not None:
            checks += [
                "        failed += lwn_reflected_inertia(&state, M) != LWN_OK;",
                "        inertia = worst_of(inertia, M, stored[s] + 6 * LWN_N, LWN_N * LWN_N);",
            ][: 1 if self.pack.kit.held else 2]  # a rod that spins idly may have turned otherwise on this way
        in_table: dict[str, list[str]] = {"motor": [], "joint": []}
        for one, of, expected, exact in (
            ("motor", "joints", "motors", "input"),
            ("joint", "motors", "joints", "output"),
        ):
            if one not in self.tables:
                continue
            declared.append(f"    double {one}_table = 0.0, {one}_rates = 0.0;")
            in_table[one] = [
                f"        failed += lwn_{exact}_jacobian(&state, exact_rates) != LWN_OK;",
                f"        if (lwn_{one}_table({of}.position, found.position, rates)) {{",
                "            for (i = 0; i < LWN_N; ++i) {",
                f"                {one}_table = fmax({one}_table, fabs(found.position[i] - {expected}.position[i]));",
                "            }",
                "            for (i = 0; i < LWN_N * LWN_N; ++i) {",
                f"                {one}_rates = fmax({one}_rates, fabs(rates[i] - exact_rates[i]));",
                "            }",
                "        }",
            ]
            for title, name in (("positions", "table"), ("rates", "rates")):
                bound = f"LWN_{one.upper()}_TABLE_{'RATE_' * (name == 'rates')}ERROR"
                printed += [
                    f'    printf("{one} table, {title:<9} %.1e, bound %.1e\\n", {one}_{name}, {bound});',
                    f"    failed += !({one}_{name} <= {bound});",
                ]
        if declared:
            declared.append("    double rates[LWN_N * LWN_N], exact_rates[LWN_N * LWN_N];")
        return {
            "states": str(len(rows)),
            "width": str(rows.shape[1]),
            "columns": columns,
            "rows": ",\n".join(f"    {{{numbers(row)}}}" for row in rows),
            "declare": "\n".join(declared),
            "check": "\n".join(checks),
            "motor_table": "\n".join(in_table["motor"]),
            "joint_table": "\n".join(in_table["joint"]),
            "print": "\n".join(printed),
            "n": str(n),
        }

    def _stored_states(self) -> tuple[Array, str]:
        """States within the ranges, with the results of the model's own functions, (n, ...)."""
        pack, rng, n = self.pack, np.random.default_rng(20260401), self.pack.size
        box, sub = pack.ranges.joints, self.pack.sub
        x = box.mean(axis=1) + _INNER * np.ptp(box, axis=1) * rng.uniform(-0.5, 0.5, (_STATES, n))
        rate, effort = rng.uniform(-1.0, 1.0, (2, _STATES, n))
        state = sub.from_outputs(x, rate, near=pack.ranges.home)
        motors = [state.inputs, state.input_rates, sub.input_efforts(state.q, effort)]
        columns = [x, rate, effort, *motors]
        if self.reflected is not None:
            columns.append(reflected_inertia(pack, state.q).reshape(_STATES, -1))
        return np.concatenate(columns, axis=1), "of motors and rods" if self.reflected is not None else "(none)"


def reflected_inertia(pack: TransmissionPack, q: Array) -> Array:
    """Inertia at the joints of all but the links they carry, by two models, (n, m, m)."""
    return pack.sub.inertia(q) - inertia_of_links(pack, q)
