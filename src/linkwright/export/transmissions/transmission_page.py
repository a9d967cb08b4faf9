"""A page that computes a transmission: sliders of joints and motors, efforts, gains, inertia and ranges."""

from __future__ import annotations

import base64
from dataclasses import replace
from importlib import resources

from linkwright.export.transmissions.pack_programs import TransmissionPack
from linkwright.export.transmissions.ranges import outline_of_box
from linkwright.export.web.web_kit import kit_module
from linkwright.generated_text import fill_template, html_page, html_text, script_json

_PROGRAMS = (
    *("output_step", "output_positions", "output_rates", "output_jacobian", "input_jacobian"),
    *("output_mass_matrix", "mass_matrix"),
)
_STYLE = (
    ":root{color-scheme:light dark;--line:#8888;--mark:#d33}"
    "body{font:1rem/1.5 system-ui,sans-serif;margin:1rem auto;max-width:60rem;padding:0 1rem}"
    "main{display:grid;grid-template-columns:repeat(auto-fit,minmax(18rem,1fr));gap:1rem 2rem}"
    "label{display:grid;grid-template-columns:minmax(6rem,auto) 1fr 6.5rem;gap:.5rem;align-items:center}"
    "input{min-width:0}output{text-align:right;font-variant-numeric:tabular-nums}"
    "table{border-collapse:collapse}"
    "td,th{padding:.1rem .8rem .1rem 0;text-align:right;font-variant-numeric:tabular-nums}"
    "th{text-align:left;font-weight:normal}svg{width:100%;max-height:20rem;touch-action:none}"
    "path{fill:none;stroke:currentColor;vector-effect:non-scaling-stroke}path.limits{stroke-dasharray:4 3}"
    "circle{fill:var(--mark)}[hidden]{display:none}h2{font-size:1.1rem;margin:.5rem 0}"
)


def transmission_page(pack: TransmissionPack) -> str:
    """The page, with its WebAssembly inside; it opens as a file."""
    kit = replace(pack.kit, others={k: x for k, x in pack.kit.others.items() if k in _PROGRAMS}, left_out={})
    code, binary = kit_module(pack.sub, pack.name, kit)
    template = resources.files(__package__ or "").joinpath("transmission_page.template.js").read_text(encoding="utf-8")
    script = fill_template(template, {"code": code, "pack": script_json(_data(pack, binary))})
    title = f"{pack.sub.driven.mechanism.name}: {', '.join(pack.sub.inputs)} move {', '.join(pack.sub.outputs)}"
    body = (
        f"<h1>{html_text(title)}</h1>\n<p>Everything is computed in this page, with the loops closed to round-off. "
        '<span id="status" role="status"></span></p>\n<main><section><h2>Joints</h2><div id="joints"></div>'
        '<h2>Motors</h2><div id="motors"></div><h2>Efforts at the joints</h2><div id="efforts"></div></section>'
        '<section><div id="numbers"></div></section><section id="map" hidden><h2>Range of the joints</h2><svg></svg>'
        f'</section></main>\n<script type="module">{script}</script>\n'
    )
    return html_page(title, _STYLE, body, (script,), computes=True)


def _data(pack: TransmissionPack, binary: bytes) -> dict[str, object]:
    """What the page knows beside its programs."""
    ranges, sub = pack.ranges, pack.sub
    limits = ranges.motor_limits
    bounded = pack.size == 2 and bool((abs(limits) < 1e300).all())
    at_joints = sub.from_inputs(outline_of_box(limits), near=ranges.home).outputs if bounded else None
    return {
        "binary": base64.b64encode(binary).decode(),
        "joints": _side(sub.outputs, [each.unit for each in sub.posed.actuators], ranges.joints.tolist()),
        "motors": _side(sub.inputs, [each.unit for each in sub.driven.actuators], ranges.motors.tolist()),
        "limits": None if at_joints is None else [x for x in at_joints.tolist() if x[0] == x[0]],
    }


def _side(names: tuple[str, ...], units: list[str], ends: list[list[float]]) -> list[dict[str, object]]:
    return [
        {"name": name, "unit": unit, "low": low, "high": high}
        for name, unit, (low, high) in zip(names, units, ends, strict=True)
    ]
