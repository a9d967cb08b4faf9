"""A kit of functions for JavaScript: the functions of the C kit as WebAssembly, for browsers and Node."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from functools import partial
from importlib import resources
from typing import Any

import numpy as np

from linkwright import checks
from linkwright.compiler import Program
from linkwright.compiler.codegen.wasm import WasmModule, encode_programs
from linkwright.dataclass import dataclass
from linkwright.errors import LinkwrightError, MechanismError
from linkwright.export.c.kit import KIT_FUNCTIONS
from linkwright.export.c.kit_programs import KitPrograms, kit_programs, submechanism_programs
from linkwright.export.c.kit_self_test import kit_test_vectors
from linkwright.functions.tree import tree_functions
from linkwright.generated_text import c_identifier, fill_template, html_page, html_text, script_json
from linkwright.model import Model
from linkwright.model.composed_programs import program_with_inputs
from linkwright.model.submechanism import Submechanism
from linkwright.numerics.tolerances import QUATERNION_NORM
from linkwright.version import __version__

_MORE_FUNCTIONS = {
    "forward_dynamics": ("Accelerations under efforts tau of the actuators.", ("q", "v", "tau")),
    "energy": ("Kinetic and potential energy.", ("q", "v")),
    "body_poses": ("Poses of all bodies in the world, in the order of BODY: x y z, quaternion w x y z.", ("q",)),
}
_FUNCTIONS = {name: (text, given) for name, (text, given, _) in KIT_FUNCTIONS.items()} | _MORE_FUNCTIONS

_POSITIONS: dict[str, tuple[str, tuple[str, str, str]]] = {
    "inverse": ("The state with the frame at a pose (x y z, quaternion w x y z), its twist and twist rate.",
                ("pose", "twist", "twistRate")),
    "output": ("The state at output positions, velocities and accelerations.", ("q", "v", "a")),
}  # fmt: skip
_STYLE = (
    ":root{color-scheme:light dark}"
    "body{font:1rem/1.5 system-ui,sans-serif;margin:2rem auto;max-width:40rem;padding:0 1rem}"
    "td,th{padding:.15rem 1rem .15rem 0;text-align:left}td+td,th+th{text-align:right;font-variant-numeric:tabular-nums}"
)


def wasm(
    model: Model | Submechanism,
    name: str = "robot",
    frame: str | None = None,
    newton_steps: int = 4,
) -> Mapping[str, str | bytes]:
    """Functions of the C kit for JavaScript, as WebAssembly.

    Beside it are an ES module, which needs nothing else and runs in browsers and Node, its types, and a page that tests
    everything and opens as a file.

    Args:
        model: with one actuator for each freedom; its inputs are the array p. Of a submechanism the kit has the maps
            both ways too.
        name: of the files.
        frame: a frame or body whose pose is computed; the mechanism's output when None.
        newton_steps: of kinematics by Newton steps.

    >>> import linkwright as lw
    >>> sorted(lw.export.wasm(lw.build(lw.catalog.load("five-bar"))))
    ['robot.d.ts', 'robot.html', 'robot.js', 'robot.wasm']
    """
    sub = model if isinstance(model, Submechanism) else None
    model = checks.require_instance(
        "model", model.driven if isinstance(model, Submechanism) else model, Model, "a Model"
    )
    name = c_identifier(checks.require_text("name", name))
    checks.require_integer("newton_steps", newton_steps, 1, 100)
    make = partial(kit_programs, model) if sub is None else partial(submechanism_programs, sub)
    kit = make(None if frame is None else checks.require_text("frame", frame))
    return _Writer(model, sub, name, kit, newton_steps, *_encode_kit(model, kit)).files()


def kit_module(sub: Submechanism, name: str, kit: KitPrograms) -> tuple[str, bytes]:
    """The ES module of a submechanism with some programs of its kit, and its WebAssembly."""
    files = _Writer(sub.driven, sub, name, kit, 4, *_encode_kit(sub.driven, kit, ()))
    return files.code(), files.module.binary


def _encode_kit(
    model: Model, kit: KitPrograms, more: tuple[str, ...] = tuple(_MORE_FUNCTIONS)
) -> tuple[WasmModule, Mapping[str, Program], Mapping[str, str]]:
    """The module, its programs by name, and reasons why functions are left out."""
    left_out = {name: why for name, why in kit.left_out.items() if not name.endswith("_rates")}
    programs = {"forward_step": kit.forward_step, "forward_rates": kit.forward_rates, **kit.others}
    for name in more:
        try:
            programs[name] = _trace_more(model, name)
        except LinkwrightError as reason:
            left_out[name] = str(reason)
    module = encode_programs(programs, start=0)
    left_out |= {each.subject: each.message for each in module.refused}
    found = {name: program for name, program in programs.items() if name not in left_out}
    if not {"forward_step", "forward_rates"} <= set(found):
        raise MechanismError(f"the kinematics of '{model.mechanism.name}' are too long: {left_out}")
    return module, found, left_out


def _trace_more(model: Model, name: str) -> Program:
    if name != "body_poses":
        return model.program(name, inputs=True)
    poses = model.loop_kernels.input_program(tree_functions.body_quaternions)
    return program_with_inputs(model, lambda call, q: np.concatenate(call(poses, q), axis=1), "q")


@dataclass(frozen=True, eq=False)
class _Writer:
    """Writes the files of a kit."""

    model: Model
    sub: Submechanism | None
    name: str
    kit: KitPrograms
    newton_steps: int
    module: WasmModule
    programs: Mapping[str, Program]
    left_out: Mapping[str, str]

    @property
    def functions(self) -> dict[str, tuple[str, tuple[str, ...]]]:
        """Functions of arrays: description and arguments."""
        return {name: x for name, x in _FUNCTIONS.items() if name in self.programs}

    @property
    def ways(self) -> tuple[str, ...]:
        """Kinematics beside those from actuator positions."""
        programs = self.programs
        return tuple(
            way
            for way in _POSITIONS
            if f"{way}_rates" in programs and {f"{way}_step", f"{way}_positions"} & set(programs)
        )

    def files(self) -> dict[str, str | bytes]:
        parts, code = self._parts(), self.code()
        types = {**parts, "names": self._name_types(), "methods": "\n".join(self._method_types())}
        return {
            f"{self.name}.wasm": self.module.binary,
            f"{self.name}.js": code,
            f"{self.name}.d.ts": fill_template(_template("robot.template.d.ts"), types),
            f"{self.name}.html": self._page(code),
        }

    def code(self) -> str:
        """The ES module."""
        return fill_template(_template("robot.template.js"), self._parts())

    def _parts(self) -> dict[str, str]:
        least, most = ((1.0 + sign * QUATERNION_NORM) ** 2 for sign in (-1.0, 1.0))
        return {
            "version": __version__,
            "wasm": f"{self.name}.wasm",
            "steps": str(self.newton_steps),
            "nq": str(self.model.nq),
            "nv": str(self.model.nv),
            "least": repr(least),
            "most": repr(most),
            "data": script_json(self._data()),
            "methods": "\n".join(self._methods()),
        }

    def _names(self) -> dict[str, tuple[str, ...]]:
        model, outputs, legs = self.model, self.kit.outputs, self.kit.legs
        return {
            "Q": model.q_names,
            "V": model.v_names,
            "ACTUATOR": model.actuated,
            "JOINT": self.kit.joints,
            "BODY": model.bodies,
            "P": model.parameters.names,
            "OUTPUT": () if outputs is None else outputs.names,
            "LEG": legs.get("inverse", ()),
            "OUTPUT_LEG": legs.get("output", ()),
        }

    def _data(self) -> dict[str, Any]:
        about = {"mechanism": self.model.mechanism.name, "frame": self.kit.frame}
        return {
            "about": {**about, "leftOut": {_camel(name): why for name, why in self.left_out.items()}},
            "names": {kind: list(names) for kind, names in self._names().items()},
            "home": self.model.assemble().q.tolist(),
            "p": self.model.parameters.values.tolist(),
            "layout": {"pages": self.module.layout["pages"], "programs": self.module.layout["programs"]},
        }

    def _readers(self) -> dict[str, tuple[str, tuple[Any, ...], tuple[Any, ...]]]:
        """What reads joints out of a state: description, indices in q and in v."""
        outputs = self.kit.outputs
        text = "Positions, velocities and accelerations of the {}."
        found = {"actuators": (text.format("actuators"), self.kit.coordinates, self.kit.velocities)}
        if outputs is not None:
            found["outputs"] = (text.format("outputs"), outputs.coordinates, outputs.velocities)
        return found

    def _methods(self) -> list[str]:
        lines = []
        for way in self.ways:
            text, names = _POSITIONS[way]
            arguments = ", ".join(names)
            lines += [f"  /** {text} */", f"  {way}Kinematics(state, {arguments}) {{"]
            lines += [f'    return this.#find("{way}", state, {arguments});', "  }", ""]
        for name, (text, q, v) in self._readers().items():
            source = "actuator_state" if name == "actuators" else name
            lines += [f"  /** {text} */", f"  {name}(state) {{"]
            lines += [f'    return this.#read(state, "{source}", {json.dumps(q)}, {json.dumps(v)});', "  }", ""]
        for name, (text, given) in self.functions.items():
            arguments = ", ".join(given)
            lines += [f"  /** {_describe(text)} */", f"  {_camel(name)}({arguments}, out) {{"]
            lines += [f'    return this.#evaluate("{name}", [{arguments}], out);', "  }", ""]
        return lines

    def _name_types(self) -> str:
        lines = []
        for kind, names in self._names().items():
            fields = "".join(f" readonly {json.dumps(name)}: {i};" for i, name in enumerate(names))
            lines.append(f"export declare const {kind}: {{{fields} }};")
        return "\n".join(lines)

    def _method_types(self) -> list[str]:
        lines = []
        for way in self.ways:
            text, (first, *rates) = _POSITIONS[way]
            rest = ", ".join(f"{x}?: Numbers | null" for x in rates)
            lines += [f"  /** {text} */", f"  {way}Kinematics(state: State, {first}: Numbers, {rest}): number;"]
        for name, (text, _, _) in self._readers().items():
            lines += [f"  /** {text} */", f"  {name}(state: State): Motion;"]
        for name, (text, given) in self.functions.items():
            shape = " x ".join(map(str, self.programs[name].outputs[0].shape))
            arguments = ", ".join(f"{x}: Numbers" for x in given)
            head = f"  {_camel(name)}<Out extends Float64Array | number[] = Float64Array>"
            lines += [f"  /** {_describe(text)} ({shape}) */", f"{head}({arguments}, out?: Out): Out;"]
        return lines

    def _page(self, code: str) -> str:
        """A page that runs all functions at stored states and compares them with the library's results."""
        script = fill_template(_template("page.template.js"), {"code": code, "test": script_json(self._test())})
        title = f"{self.model.mechanism.name}: self-test"
        body = (
            f"<h1>{html_text(title)}</h1>\n<p>Functions in this page against results of linkwright: "
            "<output>running</output>.</p>\n<table><thead><tr><th>function</th><th>worst relative error</th>"
            f'<th>us a call</th></tr></thead><tbody></tbody></table>\n<script type="module">{script}</script>\n'
        )
        return html_page(title, _STYLE, body, (script,), computes=True)

    def _test(self) -> dict[str, Any]:
        stored, model = kit_test_vectors(self.model, self.sub, self.kit), self.model
        results = {name: x for name, x in stored.results.items() if name in {*self.functions, "forward_kinematics"}}
        results |= {f"{way}_kinematics": stored.results[f"{way}_kinematics"] for way in self.ways}
        state = stored.results["forward_kinematics"]
        q, v = state[:, : model.nq], state[:, model.nq : model.nq + model.nv]
        for name in {*_MORE_FUNCTIONS} & {*self.functions}:
            if name == "body_poses":
                rows = np.concatenate(model.body_poses(q), axis=-1)
            elif name == "energy":
                rows = np.stack(model.energy(q, v), axis=-1)
            else:
                rows = model.forward_dynamics(q, v, stored.results["inverse_dynamics"])
            results[name] = rows.reshape(len(q), -1)
        return {
            "binary": base64.b64encode(self.module.binary).decode(),
            "na": model.na,
            "held": bool(self.kit.held),
            "given": stored.given.tolist(),
            "results": {_camel(name): x.tolist() for name, x in results.items()},
            "inputs": {_camel(name): given for name, (_, given) in self.functions.items() if name in results},
            "far": None if stored.far is None else [stored.far[0].tolist(), stored.far[1]],
        }


def _describe(text: str) -> str:
    return text.replace("FRAME", "the frame").replace(" v_act", " actuator velocities").replace("a_act", "a")


def _camel(name: str) -> str:
    """A name of the C kit in the style of JavaScript.

    >>> _camel("inverse_dynamics")
    'inverseDynamics'
    """
    first, *rest = name.split("_")
    return first + "".join(x.capitalize() for x in rest)


def _template(name: str) -> str:
    return resources.files(__package__ or "").joinpath(name).read_text(encoding="utf-8")
