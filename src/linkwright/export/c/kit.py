"""A kit of C99 for a controller: header, source, self-test and CMake file of a mechanism driven by its actuators."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from functools import partial
from textwrap import wrap

from linkwright import checks
from linkwright.compiler import Program, operation_count
from linkwright.dataclass import dataclass
from linkwright.export.c.c_expressions import DOUBLE, FLOAT, Precision, Real, c_sincos_functions, static_function
from linkwright.export.c.kit_programs import KitPrograms, Outputs, kit_programs, live_values, submechanism_programs
from linkwright.export.c.kit_self_test import self_test
from linkwright.export.c.kit_text import (
    CLOSED_FORM,
    CMAKE,
    HEADER,
    KINEMATICS,
    MET,
    NEWTON,
    POSED,
    REACHED,
    SOURCE_HEAD,
    UNMET,
)
from linkwright.export.export_files import write_files
from linkwright.generated_text import c_comment, c_identifier, fill_template, unique_c_identifiers
from linkwright.model import Model
from linkwright.model.submechanism import Submechanism
from linkwright.numerics.tolerances import QUATERNION_NORM
from linkwright.version import __version__

_ACTUATOR_STATE = ("q_act", "v_act", "a_act")
COMPONENTS = ("rx", "ry", "rz", "x", "y", "z")

# What a function computes besides its status: text, arguments in C, and size of the result by names of sizes.
KIT_FUNCTIONS: dict[str, tuple[str, tuple[str, ...], str]] = {
    "pose": ("Pose of FRAME in the world: x y z [m], quaternion w x y z.", ("q",), "7"),
    "actuator_jacobian": (
        "J with twist of FRAME = J v_act, row by row: angular, then linear, world axes.",
        ("q",),
        "6 * LWN_NA",
    ),
    "gravity": ("Efforts that hold the mechanism at rest.", ("q",), "LWN_NA"),
    "inverse_dynamics": ("Efforts of the motion of the state.", ("q", "v", "a"), "LWN_NA"),
    "bias": ("Efforts at these velocities without acceleration of the actuators.", ("q", "v"), "LWN_NA"),
    "mass_matrix": ("Inertia that the actuators feel, row by row: tau = M a_act + bias.", ("q",), "LWN_NA * LWN_NA"),
    "joint_reactions": (
        "Moment and force of parent on child at every joint, in the child's axes, under efforts tau.",
        ("q", "v", "a", "tau"),
        "6 * LWN_N_JOINTS",
    ),
    "output_jacobian": ("J with output rates = J v_act, row by row.", ("q",), "LWN_N_OUTPUTS * LWN_NA"),
    "input_jacobian": (
        "K with v_act = K output rates, row by row; efforts felt at the outputs = K^T tau.",
        ("q",),
        "LWN_NA * LWN_N_OUTPUTS",
    ),
    "output_mass_matrix": ("Inertia felt at the outputs, row by row.", ("q",), "LWN_N_OUTPUTS * LWN_N_OUTPUTS"),
    "output_bias": (
        "Efforts at the outputs at these velocities without acceleration of the outputs.",
        ("q", "v"),
        "LWN_N_OUTPUTS",
    ),
}


@dataclass(frozen=True)
class Figures:
    """What a function of a kit costs: operations of one call, and bytes of stack for its intermediate values."""

    operations: int
    stack: int


@dataclass(frozen=True, eq=False)
class CKit:
    """Files of a kit by name, what its functions cost, and what it does not have and why.

    Attributes:
        name: prefix of all its names.
        files: text by file name.
        figures: by name of the function, without the prefix.
        left_out: reason by name of the function.
        closed_form: kinematics that are solved leg by leg in closed form; others are by Newton steps.
    """

    name: str
    files: Mapping[str, str]
    figures: Mapping[str, Figures]
    left_out: Mapping[str, str]
    closed_form: tuple[str, ...] = ()

    def write(self, folder: str | os.PathLike[str]) -> None:
        """Write all files into a folder, which is made."""
        write_files(folder, self.files)


def c_kit(
    model: Model | Submechanism,
    name: str | None = None,
    *,
    frame: str | None = None,
    precision: Precision = "double",
    newton_steps: int = 4,
    closed_form: bool = True,
) -> CKit:
    """A kit of C99 for a controller that measures the actuators of a mechanism.

    Its functions take actuator states: forward kinematics by a fixed number of Newton steps from the last state, on its
    branch; inverse kinematics of the platform, in closed form where its legs have one; actuator Jacobian, gravity,
    inverse dynamics, bias, mass matrix and joint reactions. Every function returns a status. Nothing is allocated,
    nothing beyond math.h is needed.

    Args:
        model: with one actuator for each freedom; its inputs become fields of a struct. Of a submechanism the kit has
            the maps both ways, Jacobians, inertia and bias at its outputs too.
        name: prefix of all names in C; from the mechanism's when None.
        frame: a frame or body whose pose is computed; the mechanism's output when None.
        precision: "double" or "float".
        newton_steps: of forward and inverse kinematics; -DNAME_NEWTON_STEPS=n changes it when compiling.
        closed_form: False uses Newton steps for inverse kinematics of legs that have a closed form too.

    >>> import linkwright as lw
    >>> kit = lw.export.c_kit(lw.build(lw.catalog.load("five-bar")))
    >>> sorted(kit.files)
    ['CMakeLists.txt', 'five_bar.c', 'five_bar.h', 'five_bar_selftest.c']
    """
    sub = model if isinstance(model, Submechanism) else None
    model = checks.require_instance(
        "model", model.driven if isinstance(model, Submechanism) else model, Model, "a Model"
    )
    checks.require_choice("precision", precision, ("double", "float"))
    checks.require_integer("newton_steps", newton_steps, 1, 100)
    prefix = c_identifier(model.mechanism.name if name is None else checks.require_text("name", name))
    if frame is not None:
        checks.require_text("frame", frame)
    single = precision == "float"
    make = partial(kit_programs, model) if sub is None else partial(submechanism_programs, sub)
    programs = make(frame, single, checks.require_flag("closed_form", closed_form))
    return _Writer(model, sub, prefix, programs, FLOAT if single else DOUBLE, newton_steps).kit()


def kit_of_programs(sub: Submechanism, name: str, programs: KitPrograms) -> CKit:
    """The kit of a submechanism in double precision, from programs that are traced already."""
    return _Writer(sub.driven, sub, name, programs, DOUBLE, 4).kit()


@dataclass(frozen=True, eq=False)
class _Writer:
    """Writes the files of a kit; LWN_ and lwn_ in templates become its prefix."""

    model: Model
    sub: Submechanism | None
    name: str
    programs: KitPrograms
    real: Real
    newton_steps: int

    @property
    def parameters(self) -> tuple[str, ...]:
        """Fields of the struct of parameters; none has the name of a macro of the kit."""
        taken = f"{self.name}_".upper()
        names = self.model.parameters.names
        return unique_c_identifiers([f"lw_{x}" if c_identifier(x).upper().startswith(taken) else x for x in names])

    @property
    def steps(self) -> dict[str, Program]:
        """Programs of the kinematics by the name of their C function."""
        found = {"forward_step": self.programs.forward_step, "forward_rates": self.programs.forward_rates}
        others = self.programs.others
        for way in ("inverse", "output"):
            names = (f"{way}_positions", f"{way}_step", f"{way}_rates")
            more = {x: others[x] for x in names if x in others}
            found |= more if len(more) == 2 else {}
        return found | {x: others[x] for x in ("inverse_unmet",) if x in others}

    @property
    def unmet(self) -> Program | None:
        """The program for components of the pose that do not count; None where all do."""
        return self.programs.others.get("inverse_unmet")

    @property
    def functions(self) -> dict[str, Program]:
        return {name: self.programs.others[name] for name in KIT_FUNCTIONS if name in self.programs.others}

    def kit(self) -> CKit:
        files = {
            f"{self.name}.h": self._fill_template(HEADER, self._header(), self._header_names()),
            f"{self.name}.c": self._source(),
            f"{self.name}_selftest.c": self_test(self.model, self.sub, self.name, self.programs, self.real),
            "CMakeLists.txt": self._fill_template(CMAKE, {"project": self.name}),
        }
        left_out = {name: why for name, why in self.programs.left_out.items() if not name.endswith("_rates")}
        if "inverse_step" in left_out:
            left_out["inverse_kinematics"] = left_out.pop("inverse_step")
        closed = tuple(f"{way}_kinematics" for way in self.programs.legs)
        return CKit(self.name, files, self.figures(), left_out, closed)

    def _positions(self, way: str) -> Program | None:
        """The program for positions: a Newton step, or all legs in closed form."""
        return self.steps.get(f"{way}_positions") or self.steps.get(f"{way}_step")

    def figures(self) -> dict[str, Figures]:
        """Costs of the functions."""
        size, steps, out = 4 if self.real is FLOAT else 8, self.steps, {}
        for way in ("forward", "inverse", "output"):
            step, rates = self._positions(way), steps.get(f"{way}_rates")
            if step is None or rates is None:
                continue
            times = 1 if way in self.programs.legs else self.newton_steps + 1
            total = times * operation_count(step).total + operation_count(rates).total
            numbers = max(live_values(step) + 2 * self.model.nq, live_values(rates) + 2 * self.model.nv)
            if way == "inverse" and self.unmet is not None:
                total += operation_count(self.unmet).total
                numbers = max(numbers, live_values(self.unmet) + 2 * self.model.nv + 21)
            out[f"{way}_kinematics"] = Figures(total, size * (numbers + 2 * step.outputs[1].size))
        for name, program in self.functions.items():
            out[name] = Figures(operation_count(program).total, size * live_values(program))
        return out

    def _fill_template(self, template: str, parts: Mapping[str, str], names: Mapping[str, str] | None = None) -> str:
        """A template with its parts; texts with names of the mechanism are filled in last, and kept as they are."""
        names = names or {}
        text = fill_template(template, {**parts, **{key: f"@{key}@" for key in names}})
        text = text.replace("LWN_", f"{self.name.upper()}_").replace("lwn_", f"{self.name}_")
        return fill_template(text, names)

    def _header(self) -> dict[str, str]:
        model, programs = self.model, self.programs
        table = "\n".join(f" *   {n:<20} {x.operations:>7} {x.stack:>7}" for n, x in self.figures().items())
        return {
            "version": __version__,
            "table": table,
            "real": self.real.type,
            "nq": str(model.nq),
            "nv": str(model.nv),
            "na": str(model.na),
            "joints": str(len(programs.joints)),
            "steps": str(self.newton_steps),
            "tolerance": self.real.number(1e-10 if self.real is DOUBLE else 1e-4),
            **self._statuses(),
            "p": self._p(),
            "actuators": self._reader("actuators", "LWN_NA", _ACTUATOR_STATE, None in programs.coordinates),
        }

    def _header_names(self) -> dict[str, str]:
        """Parts of the header in which names of the mechanism are."""
        left_out = self.programs.left_out.items()
        prototypes = [f"{self._comment(n)}\n{self._fill_template(self._prototype(n), {})};" for n in self.functions]
        inverse = self._inverse_prototype() if self._positions("inverse") is not None else ""
        return {
            "mechanism": c_comment(self.model.mechanism.name),
            "missing": "".join(f"\n * Not in this kit: {c_comment(f'{n} ({why})')}." for n, why in left_out),
            "enums": self._enums(),
            "parameters": self._parameters(),
            "idle": self._idle(),
            "inverse": inverse + self._output_prototypes(),
            "functions": "\n\n".join(prototypes),
        }

    def _enums(self) -> str:
        """Numbers of coordinates, velocities, actuators, joints, outputs and legs by their names."""
        model, programs = self.model, self.programs
        groups = [
            ("Q", model.q_names, "coordinates, rad or m"),
            ("V", model.v_names, "velocities, rad/s or m/s"),
            ("ACTUATOR", model.actuated, "actuators: " + ", ".join(self._units())),
            ("JOINT", programs.joints, "joints, in the order of reactions"),
        ]
        if programs.outputs is not None:
            groups.append(("OUTPUT", programs.outputs.names, "joints that the actuators move, rad or m"))
        status = f"{self.name.upper()}_OUT_OF_REACH"
        for way, names in programs.legs.items():
            kind = {"inverse": "LEG", "output": "OUTPUT_LEG"}[way]
            text = f"legs of {way} kinematics: {status} + the number is the status of one that does not reach"
            groups.append((kind, names, text))
        every = [self._enumerator(kind, name) for kind, names, _ in groups for name in names]
        fields = iter(unique_c_identifiers(every, longest=300))
        return "\n".join(self._enum(kind, [next(fields) for _ in names], text) for kind, names, text in groups)

    def _statuses(self) -> dict[str, str]:
        """Parts of the header about statuses, some of which a kit does not have."""
        reach = "plus the number of the first leg that does not reach; kinematics in closed form"
        met = "a component that does not count (LWN_IGNORED aside) differs; the state has those that count"
        none = "not in this kit: "
        if self.unmet is None:
            met = none + ("all components count" if self.programs.components else "no inverse kinematics")
        return {
            "out_of_reach": reach if self.programs.legs else f"{none}all kinematics are by Newton steps",
            "pose_not_met": met,
            "filled": "" if self.unmet is None else ", but for LWN_POSE_NOT_MET and LWN_TWIST_NOT_MET",
            "unmet": "" if self.unmet is None else self._other_components(),
        }

    def _other_components(self) -> str:
        others = [x for i, x in enumerate(COMPONENTS) if i not in self.programs.components]
        parts = {
            "pose_tolerance": self.real.number(1e-6 if self.real is DOUBLE else 1e-3),
            "which": " ".join(COMPONENTS[i] for i in self.programs.components),
            "components": ",\n".join(f"    LWN_COMPONENT_{x} = {1 << i}" for i, x in enumerate(COMPONENTS)),
            "example": others[0],
        }
        return self._fill_template(UNMET, parts)

    def _units(self) -> list[str]:
        names = zip(self.model.actuated, _units_of_actuators(self.model), strict=True)
        return [f"{name} [{unit}]" for name, unit in names]

    def _enumerator(self, kind: str, name: str) -> str:
        return f"{self.name.upper()}_{kind}_{c_identifier('x' + name)[1:]}"

    def _enum(self, kind: str, fields: Sequence[str], comment: str) -> str:
        rows = ",\n".join(f"    {field} = {i}" for i, field in enumerate(fields))
        count = f"#define {self.name.upper()}_N_OUTPUTS {len(fields)}\n\n" if kind == "OUTPUT" else ""
        return f"{count}/* {c_comment(comment)} */\nenum {{\n{rows}\n}};\n"

    def _parameters(self) -> str:
        if not self.parameters:
            return ""
        rows = [
            f"    {self.name}_real {field}; /* {c_comment(record.unit or '1')} */"
            for field, record in zip(self.parameters, self.model.parameters, strict=True)
        ]
        return (
            "/* numbers that may change while the controller runs */\ntypedef struct {\n"
            + "\n".join(rows)
            + f"\n}} {self.name}_parameters;\n\n/* their values in the file */\n"
            + f"extern const {self.name}_parameters {self.name}_nominal;\n"
        )

    def _p(self) -> str:
        return ", const lwn_parameters *p" if self.parameters else ""

    def _inverse_prototype(self) -> str:
        which = " ".join(COMPONENTS[i] for i in self.programs.components)
        others = (
            ""
            if self.unmet is None
            else " The others are compared with the state found, those of a twist or twist\n"
            " * rate where it is given: LWN_POSE_NOT_MET, LWN_TWIST_NOT_MET. Then the state is that of the\n"
            " * components that count, and the mechanism does not do what was asked."
        )
        text = (
            "/* The state with @frame@ at a pose (x y z, quaternion w x y z), a twist and a twist\n"
            f" * rate (angular, linear, world axes; null for zero), {self._way('inverse')}.\n"
            f" * Components that count: {which}.{others} */\n"
            "int lwn_inverse_kinematics(lwn_state *state, const lwn_real pose[7], const lwn_real *twist,\n"
            f"                            const lwn_real *twist_rate{self._p()});\n"
        )
        return self._fill_template(text, {}, {"frame": self._frame()})

    def _frame(self) -> str:
        return c_comment(f"'{self.programs.frame}'")

    def _way(self, way: str) -> str:
        """The method of some kinematics."""
        if way in self.programs.legs:
            return "in closed form, leg by leg, on the branch of the state"
        return "by Newton steps from the state, on its branch"

    def _output_prototypes(self) -> str:
        if self.programs.outputs is None:
            return ""
        text = (
            "/* The state at output positions, velocities and accelerations (null for zero),\n"
            f" * {self._way('output')}. */\n"
            "int lwn_output_kinematics(lwn_state *state, const lwn_real x[LWN_N_OUTPUTS], const lwn_real *rate,\n"
            f"                           const lwn_real *acceleration{self._p()});\n\n"
            "/* Positions, velocities and accelerations of the outputs. */\n"
            f"{self._reader('outputs', 'LWN_N_OUTPUTS', ('x', 'rate', 'acceleration'))};\n"
        )
        return self._fill_template(text, {})

    def _reader(self, name: str, size: str, arguments: tuple[str, ...], computed: bool = False) -> str:
        given = ", ".join(f"lwn_real {x}[{size}]" for x in arguments)
        return f"void lwn_{name}(const lwn_state *state, {given}{self._p() if computed else ''})"

    def _idle(self) -> str:
        """The part of the header about freedoms that nobody drives."""
        names = [self.model.v_names[d] for d in self.programs.held]
        if not names:
            return ""
        text = (
            f"Parts that spin idly keep their spin: the velocities {', '.join(names)} are zero. Efforts, inertia and "
            "reactions are those of parts that are free to spin."
        )
        return " *\n" + "".join(f" * {line}\n" for line in wrap(c_comment(text), 114))

    def _comment(self, name: str) -> str:
        return f"/* {KIT_FUNCTIONS[name][0].replace('FRAME', self._frame())} */"

    def _prototype(self, name: str) -> str:
        _, given, size = KIT_FUNCTIONS[name]
        tau = "const lwn_real tau[LWN_NA], " if "tau" in given else ""
        return f"int lwn_{name}(const lwn_state *state, {tau}lwn_real out[{size}]{self._p()})"

    def _source(self) -> str:
        model = self.model
        home = model.assemble().q
        numbers = ", ".join(self.real.number(x) for x in home.tolist())
        reached = REACHED if self.programs.legs else ""
        parts = [self._fill_template(SOURCE_HEAD, {"project": self.name, "home": numbers, "reached": reached})]
        if self.parameters:
            values = ", ".join(self.real.number(x) for x in model.parameters.values.tolist())
            parts.append(self._fill_template(f"const lwn_parameters lwn_nominal = {{{values}}};\n", {}))
        kernels = {**self.steps, **self.functions}
        if None in self.programs.coordinates:
            kernels["actuator_state"] = self.programs.others["actuator_state"]
        parts += [] if self.real.suffix else c_sincos_functions(f"{self.name}_sincos", kernels.values())
        parts += [self._kernel(name, program) for name, program in kernels.items()]
        for way, size in (("forward", "LWN_NA"), ("inverse", "7"), ("output", "LWN_N_OUTPUTS")):
            step = self._positions(way)
            parts += [] if step is None else [self._kinematics(way, size, step)]
        parts.append(self._read("actuators", "LWN_NA", _ACTUATOR_STATE, self.programs))
        if self.programs.outputs is not None:
            arguments = ("x", "rate", "acceleration")
            parts.append(self._read("outputs", "LWN_N_OUTPUTS", arguments, self.programs.outputs))
        parts += [self._wrapper(name) for name in self.functions]
        return "\n".join(parts)

    def _kinematics(self, way: str, size: str, step: Program) -> str:
        """The function that finds the state of a target."""
        posed = way == "inverse"
        least, most = ((1.0 + sign * QUATERNION_NORM) ** 2 for sign in (-1.0, 1.0))
        parts = {
            "least": self.real.number(least),
            "most": self.real.number(most),
            "way": way,
            "size": size,
            "rate": "6" if posed else size,
            "measures": str(step.outputs[1].size),
            "p": self._p(),
            "pass": ", p" if self.parameters else "",
        }
        inner = {
            "found": CLOSED_FORM if way in self.programs.legs else NEWTON,
            "posed": POSED if posed else "",
            "met": MET if posed and self.unmet is not None else "",
        }
        return self._fill_template(KINEMATICS, {**parts, **{key: fill_template(x, parts) for key, x in inner.items()}})

    def _kernel(self, name: str, program: Program) -> str:
        """One traced program as a static function."""
        head = [f"const {self.name}_real *{port.name}" for port in program.inputs if port.name != "p"]
        head += [f"const {self.name}_parameters *p"] if self.parameters else []
        fields = [f"p->{field}" for field in self.parameters]
        real = Real(f"{self.name}_real", self.real.suffix)
        return static_function(program, f"{self.name}_{name}_", head, real, f"{self.name}_sincos", fields)

    def _read(self, name: str, size: str, arguments: tuple[str, ...], at: KitPrograms | Outputs) -> str:
        """A function that copies some coordinates, velocities and accelerations out of the state."""
        if None in at.coordinates:
            return self._write_computed_positions(name, size, arguments)
        rows = [
            f"    {argument}[{i}] = state->{part}[{k}];"
            for i, (q, v) in enumerate(zip(at.coordinates, at.velocities, strict=True))
            for argument, part, k in zip(arguments, "qva", (q, v, v), strict=True)
        ]
        return self._fill_template(self._reader(name, size, arguments) + "\n{\n" + "\n".join(rows) + "\n}\n", {})

    def _write_computed_positions(self, name: str, size: str, arguments: tuple[str, ...]) -> str:
        """The same for actuators at joints that close loops, whose positions are not coordinates."""
        p = ", p" if self.parameters else ""
        copies = "\n".join(f"        {x}[i] = found[{k} * LWN_NA + i];" for k, x in enumerate(arguments))
        body = (
            "{\n    lwn_real found[3 * LWN_NA];\n    int i;\n"
            f"    lwn_actuator_state_(state->q, state->v, state->a{p}, found);\n"
            f"    for (i = 0; i < LWN_NA; ++i) {{\n{copies}\n    }}\n}}\n"
        )
        return self._fill_template(f"{self._reader(name, size, arguments, computed=True)}\n{body}", {})

    def _wrapper(self, name: str) -> str:
        _, given, size = KIT_FUNCTIONS[name]
        states = ", ".join("tau" if x == "tau" else f"state->{x}" for x in given)
        p = ", p" if self.parameters else ""
        text = (
            f"{self._prototype(name)}\n{{\n    lwn_{name}_({states}{p}, out);\n"
            f"    return lwn_finite(out, {size}) ? LWN_OK : LWN_ILL_CONDITIONED;\n}}\n"
        )
        return self._fill_template(text, {})


def _units_of_actuators(model: Model) -> list[str]:
    """Units of position and effort of every actuator."""
    return [f"{each.unit}, {each.effort_unit}" for each in model.actuators]
