"""Wrenches on bodies and frames, in their own or in world axes, constant or by a law, and programs that take them."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from inspect import signature
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from linkwright import checks
from linkwright.compiler import Program, inline_program, trace
from linkwright.dataclass import dataclass
from linkwright.errors import ArgumentError
from linkwright.functions import Kernels
from linkwright.functions.definition import Definition
from linkwright.functions.setup import setup_at
from linkwright.functions.tree.tree_functions import WrenchSite, attachment_of_frame, in_body_axes, wrenches_from_sites
from linkwright.mechanism.mechanism import Mechanism

# --- wrenches on bodies and frames, in their own or in world axes, constant or following a law ------------------------

Array = np.ndarray
Vector = ArrayLike | Callable[[Any, Any, Any], Any]
"""Three numbers, a reference or law of three numbers, or a function (t, q, v) that gives three."""

_EXPECTED = "three numbers, a reference or law of three numbers, or a function of (t, q, v)"


@dataclass(frozen=True, eq=False)
class Wrench:
    """A force and a moment on a body or frame, for `simulate(wrench=...)` and for `w_ext` of dynamics.

    Attributes:
        on: the body or frame.
        force: [N]: three numbers; a reference or law of three numbers (`lw.control.Spline`, `Sines`, `Table`); or a
            function (t, q, v), compiled in a run when it is written for any scalar (arithmetic and NumPy functions).
        moment: [N m], about the point; the same kinds.
        at: the point in the axes of `on`, from its origin, [m].
        axes: "body", those of `on`, or "world".

    >>> import linkwright as lw
    >>> arm = lw.build(lw.catalog.load("three-link-arm"))
    >>> q, v = [0.3, 0.2, 0.1], [0.0, 0.0, 0.0]
    >>> lift = lw.Wrench("link3", force=[0, 0, 5.0], axes="world")
    >>> (arm.inverse_dynamics(q, v, v, w_ext=lift) - arm.inverse_dynamics(q, v, v)).shape
    (3,)
    """

    on: str
    force: Vector = (0.0, 0.0, 0.0)
    moment: Vector = (0.0, 0.0, 0.0)
    at: Sequence[float] | Array = (0.0, 0.0, 0.0)
    axes: Literal["body", "world"] = "body"

    def __post_init__(self) -> None:
        checks.require_text("on", self.on, "the name of a body or frame")
        checks.require_choice("axes", self.axes, ("body", "world"))
        point = checks.require_vector("at", self.at, 3)
        object.__setattr__(self, "at", tuple(float(x) for x in point))
        for title in ("force", "moment"):
            object.__setattr__(self, title, _require_wrench_part(title, getattr(self, title)))

    @classmethod
    def weight(cls, mech: Mechanism, on: str, mass: float, at: Sequence[float] | Array = (0.0, 0.0, 0.0)) -> Wrench:
        """The weight of a payload of some mass [kg] whose mass center is at a point of a body or frame.

        It is the weight alone: a payload that is moved quickly belongs to the mechanism, as mass of the body (an input
        of the model such as "bodies.platform.mass").

        >>> import linkwright as lw
        >>> arm = lw.build(lw.catalog.load("three-link-arm"))
        >>> lw.Wrench.weight(arm.mechanism, "link3", 2.0).axes
        'world'
        """
        checks.require_instance("mech", mech, Mechanism, "a Mechanism, such as model.mechanism")
        g = np.array(mech.gravity, dtype=float)
        return cls(on, checks.require_number("mass", mass) * g, at=at, axes="world")

    @property
    def constant(self) -> bool:
        """True if force and moment are numbers."""
        return isinstance(self.force, np.ndarray) and isinstance(self.moment, np.ndarray)

    def value(self, t: Any, q: Any, v: Any) -> Any:
        """Moment and force, (..., 6), at a time and state, on any scalar."""
        parts = [_wrench_part_at(title, getattr(self, title), t, q, v) for title in ("moment", "force")]
        try:
            lead = np.broadcast_shapes(*(x.shape[:-1] for x in parts))
        except ValueError:
            shapes = ", ".join(str(x.shape) for x in parts)
            raise ArgumentError(f"moment and force have shapes {shapes}, and their leading axes do not fit") from None
        return np.concatenate([np.broadcast_to(x, (*lead, 3)) for x in parts], axis=-1)


def site_of(wrench: Wrench) -> WrenchSite:
    """Where a wrench acts and in which axes."""
    x, y, z = wrench.at
    return WrenchSite(wrench.on, (float(x), float(y), float(z)), wrench.axes == "world")


def _require_wrench_part(title: str, given: Any) -> Any:
    """A read-only array (..., 3) of finite numbers, or what gives one."""
    if isinstance(given, type):
        checks.refuse_argument(title, given, _EXPECTED)
    size = getattr(given, "size" if hasattr(given, "at") else "na", None) if _is_law(given) else 3
    if size != 3:
        raise ArgumentError(f"{title} is a law of {size} numbers, expected 3")
    if _is_law(given) or callable(given):
        return given
    found = np.array(checks.require_finite_array(title, given), dtype=float)
    if found.shape[-1:] != (3,):
        raise ArgumentError(f"{title} has shape {found.shape}, expected {_EXPECTED}")
    found.setflags(write=False)
    return found


def _is_law(given: Any) -> bool:
    """Return True for a reference, with at(t), and for a law, with tau(t, q, v)."""
    return hasattr(given, "at") or hasattr(given, "tau")


def _wrench_part_at(title: str, part: Any, t: Any, q: Any, v: Any) -> Any:
    if isinstance(part, np.ndarray):
        return part
    law = part.tau if hasattr(part, "tau") else part
    found = np.asarray(part.at(t)[0] if hasattr(part, "at") else law(t, q, v))
    if found.shape[-1:] != (3,):
        raise ArgumentError(f"the {title} of a wrench gave shape {found.shape}, expected (3,)")
    return found


def as_wrenches(title: str, given: Any) -> tuple[Wrench, ...] | None:
    """A tuple from one wrench or a list of them; None where it is something else."""
    if isinstance(given, Wrench):
        return (given,)
    if isinstance(given, Sequence) and given and any(isinstance(x, Wrench) for x in given):
        return checks.require_instances(title, given, Wrench, "a list of Wrench records alone, or numbers alone")
    return None


def on_bodies(mech: Mechanism, wrenches: Sequence[Wrench], rotation: Callable[[str], Array]) -> Array:
    """External wrenches (..., n_bodies, 6), each body's at its origin in its frame; `rotation` is that of a body."""
    total: Any = np.zeros((len(mech.names), 6))
    for wrench in wrenches:
        if not wrench.constant:
            raise ArgumentError(
                f"the wrench on '{wrench.on}' follows a law in time, and w_ext is for one instant; give numbers, or "
                "use simulate(wrench=...)"
            )
        body, pose = attachment_of_frame(mech, wrench.on)
        turn = pose.R
        if wrench.axes == "world":
            turn = np.swapaxes(rotation(mech.names[body]), -1, -2)
        w = in_body_axes(wrench.value(0.0, None, None), turn, pose.r + pose.R @ np.array(wrench.at))
        part = np.zeros((*w.shape[:-1], len(mech.names), 6))
        part[..., body, :] = w
        total = total + part
    return np.asarray(total)


# --- programs of dynamics that take a moment and a force at each of some named bodies and frames ----------------------


def wrench_arguments(mech: Mechanism, wrenches: Any) -> dict[str, WrenchSite]:
    """Where wrenches act by the name of their argument, "w_" and the name of the body or frame.

    A name stands for its origin and axes; of a `Wrench` the point and the axes count, force and moment do not.
    """
    if isinstance(wrenches, str) or not isinstance(wrenches, Sequence):
        checks.refuse_argument("wrenches", wrenches, "a list of names of bodies and frames, or of Wrench records")
    found: dict[str, WrenchSite] = {}
    for each in wrenches:
        site = site_of(each) if isinstance(each, Wrench) else WrenchSite(checks.require_text("a wrench", each))
        attachment_of_frame(mech, site.on)  # refuses unknown names
        base = f"w_{re.sub(r'[^0-9A-Za-z]+', '_', site.on).strip('_')}"
        names = (base, *(f"{base}_{i}" for i in range(2, len(wrenches) + 2)))
        found[next(name for name in names if name not in found)] = site
    return found


def takes_wrenches(definition: Definition) -> bool:
    """Return True if a function depends on wrenches on bodies."""
    return "w_ext" in signature(definition.function).parameters


def loaded_program(
    kernels: Kernels, definition: Definition, sites: Mapping[str, WrenchSite], frame: str | None, inputs: bool
) -> Program:
    """The program of a function with moment and force, (6,), at every site behind its own arguments; p is the last."""
    if not takes_wrenches(definition):
        raise ArgumentError(
            f"'{definition.name}' does not depend on wrenches; take forward_dynamics, inverse_dynamics or "
            "generalized_forces, or leave wrenches out"
        )
    setup = kernels.setup
    parameters = setup.inputs if inputs else None
    whole = (kernels.input_program if inputs else kernels.program)(definition, True, frame)
    sizes = {port.name: port.shape for port in whole.inputs if port.name not in ("w_ext", "p")}
    sizes |= dict.fromkeys(sites, (6,))
    if parameters is not None:
        sizes["p"] = (len(parameters.source.inputs),)

    def function(**given: Any) -> Any:
        here = kernels.here if parameters is None else setup_at(setup, parameters.source, list(given["p"]))
        acting = np.concatenate([given[name] for name in sites])
        found = given | {"w_ext": wrenches_from_sites(here, [*sites.values()], given["q"], acting)}
        return inline_program(whole, *(found[port.name] for port in whole.inputs))

    program = trace(function, sizes)
    return program if definition.any_norm else kernels.with_unit_quaternions(program)
