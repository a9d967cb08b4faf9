"""Files for ROS 2 from a model: a node that turns actuator states into joint states, a URDF, a launch file."""

from __future__ import annotations

import os
from collections.abc import Mapping

from linkwright import checks
from linkwright.compiler import Program
from linkwright.compiler.trace.operations import Dialect, text_dialect
from linkwright.dataclass import dataclass
from linkwright.errors import MechanismError
from linkwright.export.export_files import write_files
from linkwright.export.exported_functions import SolvedKinematics, function_to_export
from linkwright.export.ros2.ros2_templates import LAUNCH, NODE
from linkwright.export.ros2.simple_joints import parts_of_joint, simple_tree
from linkwright.findings import Finding
from linkwright.formats.urdf.urdf_writer import to_urdf
from linkwright.functions.loop import minimal_functions, target_functions
from linkwright.generated_text import c_identifier, fill_template, python_docstring
from linkwright.model import Model
from linkwright.model.model_construction import build
from linkwright.model.programs import actuator_coordinates
from linkwright.version import __version__

# --- A program as plain Python: floats, lists and the module math -----------------------------------------------------


def python_function(program: Program, name: str, comment: str) -> str:
    """The text of a function of sequences of floats that returns a list for each output, a tuple of lists for several.

    Where the program divides by zero or takes a root of a negative number, the function raises as Python does.

    >>> from linkwright.compiler import trace
    >>> text = python_function(trace(lambda x: 2.0 * x + 1.0, {"x": 2}), "line", "Twice x and one.")
    >>> names = {}
    >>> exec(text, names)
    >>> names["line"]([1.0, 2.0])
    [3.0, 5.0]
    """
    tables = [f"_{name}_{i} = {tuple(table.tolist())!r}" for i, table in enumerate(program.tables)]
    values = [f"{port.name}[{k}]" for port in program.inputs for k in range(port.size)]
    values += [f"({c!r})" if c < 0 else repr(c) for c in program.constants.tolist()]
    expressions = _python_dialect(name).spellings(program.tables)
    lines = [*tables, f"def {name}({', '.join(port.name for port in program.inputs)}):", f'    """{comment}"""']
    for k, (op, args) in enumerate(program.operations):
        lines.append(f"    t{k} = {expressions[op](*(values[i] for i in args))}")
        values.append(f"t{k}")
    results = iter(program.results.tolist())
    lists = [f"[{', '.join(values[next(results)] for _ in range(port.size))}]" for port in program.outputs]
    return "\n".join([*lines, f"    return {', '.join(lists)}", ""])


def _python_dialect(name: str) -> Dialect:
    """Texts of operations; the tables of the function are named after it."""
    return text_dialect(
        lambda function: function if function in ("abs", "min", "max") else f"math.{function}",
        {"select": "{1} if {0} > 0.0 else {2}"},
        lambda i, _: f"float(bisect.bisect_right(_{name}_{i}, {{}}))".format,
        lambda i, _: f"_{name}_{i}[int({{}})]".format,
    )


# --- files for ROS 2 from a model -------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Ros2Files:
    """Files for ROS 2 by name, and what they say.

    Attributes:
        name: what the file names begin with.
        files: text by file name.
        joints: joints of the URDF whose states the node publishes.
        findings: what the URDF cannot represent.
    """

    name: str
    files: Mapping[str, str]
    joints: tuple[str, ...]
    findings: tuple[Finding, ...]

    def write(self, folder: str | os.PathLike[str]) -> None:
        """Write all files into a folder, which is made."""
        write_files(folder, self.files)


def ros2_relay(model: Model, name: str | None = None, folder: str | os.PathLike[str] | None = None) -> Ros2Files:
    """A ROS 2 node in one file that publishes all joint states from those of the actuators, with loops closed.

    The node needs rclpy and nothing else: neither linkwright nor NumPy has to be on the robot. Beside it are a URDF in
    which every joint has one freedom, as robot_state_publisher wants it (spherical joints are three turns), and a
    launch file that starts both.

    Args:
        model: with one actuator for each freedom.
        name: what the file names begin with; from the mechanism's when None.
        folder: where the files will be, from which the URDF names meshes.

    >>> import linkwright as lw
    >>> made = lw.export.ros2_relay(lw.build(lw.catalog.load("five-bar")))
    >>> sorted(made.files)
    ['five_bar.launch.py', 'five_bar.urdf', 'five_bar_relay.py']
    """
    checks.require_instance("model", model, Model, "a Model; make one with linkwright.build")
    title = c_identifier(model.mechanism.name if name is None else checks.require_text("name", name))
    path = None if folder is None else checks.require_path("folder", folder)
    if len(model.parameters):
        model = build(model.mechanism, model.actuated)
    found = function_to_export(model, "forward_kinematics", None)
    if not isinstance(found, SolvedKinematics):
        raise MechanismError(f"'{model.mechanism.name}' has no kinematics from its actuators")
    simple = simple_tree(model)
    urdf = to_urdf(simple.mechanism, folder=path)
    node = _fill_relay_template(NODE, model, title, _template_parts(model, found, simple.names, simple.values))
    files = {
        f"{title}_relay.py": node,
        f"{title}.urdf": urdf.text,
        f"{title}.launch.py": _fill_relay_template(LAUNCH, model, title, {}),
    }
    return Ros2Files(title, files, simple.names, urdf.losses)


def _template_parts(model: Model, found: SolvedKinematics, joints: tuple[str, ...], values: Program) -> dict[str, str]:
    kernels = found.kernels
    texts = [
        python_function(
            kernels.program(target_functions.target_step), "newton_step", "q after a Newton step, and measures."
        ),
        python_function(
            kernels.program(target_functions.target_rates), "motion", "Velocities, then accelerations, of all joints."
        ),
        python_function(
            model.kernels.program(minimal_functions.actuator_positions),
            "actuator_positions",
            "Positions of the actuators at q.",
        ),
        python_function(values, "joint_values", "Positions and velocities of JOINTS."),
    ]
    _, drives = actuator_coordinates(model)
    driven, turns = _urdf_joints_of_velocities(model)
    return {
        "actuators": repr(model.actuated),
        "driven": repr(tuple(driven[i] for i in drives)),
        "turns": repr(tuple(turns[i] for i in drives)),
        "joints": repr(joints),
        "home": repr(tuple(found.defaults["near"].tolist())),
        "functions": "\n\n".join(texts),
        "nv": str(model.nv),
    }


def _urdf_joints_of_velocities(model: Model) -> tuple[list[str], list[bool]]:
    """The URDF joint of every velocity, and whether it is an angle that may be counted in turns."""
    names: list[str] = []
    turns: list[bool] = []
    for joint in model.mechanism.joints:
        parts = joint.kind.v_parts
        single = len(parts_of_joint(joint.kind)) == 1
        names += [joint.name] if single else [f"{joint.name}_{i + 1}" for i in range(len(parts))]
        turns += [part.is_wrapped_angle for part in joint.kind.velocities]
    return names, turns


def _fill_relay_template(template: str, model: Model, name: str, parts: Mapping[str, str]) -> str:
    mechanism = python_docstring(model.mechanism.name)
    return fill_template(template, {"mechanism": mechanism, "version": __version__, "name": name, **parts})
