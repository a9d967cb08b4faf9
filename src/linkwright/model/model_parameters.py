"""The numbers of a model that stay inputs of its compiled code, and the parameters theta of its regressor."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import wraps
from inspect import Parameter as Argument
from inspect import signature
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import numpy as np

from linkwright.checks import require_instance, require_mapping, require_text
from linkwright.dataclass import dataclass
from linkwright.errors import ArgumentError
from linkwright.functions.design_inputs import Inputs
from linkwright.functions.loop.regressor_functions import DynamicParameter
from linkwright.kinematics.query import real_array
from linkwright.mechanism.names import suggest_name
from linkwright.mechanism.parameters import Parameter
from linkwright.readable_text import Description, PrintableTable, described_table

# --- the numbers of a model that stay inputs of its compiled code: names, values, units and uses ----------------------

T = TypeVar("T")
R = TypeVar("R", Parameter, DynamicParameter)


class _NamedRecords(PrintableTable, Generic[R]):
    """Records in an order, each found by its name."""

    if TYPE_CHECKING:  # a field of one list of records, computed in the other

        @property
        def records(self) -> tuple[R, ...]: ...

    @property
    def names(self) -> tuple[str, ...]:
        """Names in their order."""
        return tuple(each.name for each in self.records)

    @property
    def units(self) -> tuple[str, ...]:
        """SI units, "" where unknown or none."""
        return tuple(each.unit for each in self.records)

    def index(self, name: str) -> int:
        """Index of a name."""
        raise NotImplementedError

    def _index_or_none(self, name: str) -> int | None:
        return self.names.index(name) if require_text("name", name) in self.names else None

    def __len__(self) -> int:
        return len(self.records)

    def __iter__(self) -> Iterator[R]:
        return iter(self.records)

    def __getitem__(self, name: str) -> R:
        return self.records[self.index(name)]


@dataclass(frozen=True, eq=False)
class Parameters(_NamedRecords[Parameter]):
    """The inputs of a model in the order of `p`; a sequence of records with name, value (nominal, SI), unit and uses.

    Attributes:
        inputs: what the model keeps as inputs, and the values at which it stands.
    """

    inputs: Inputs | None

    def __post_init__(self) -> None:
        require_instance("inputs", self.inputs, (Inputs, type(None)), "the inputs of a model")

    @property
    def records(self) -> tuple[Parameter, ...]:
        """One record per input; `uses` are the paths of the numbers that follow from it."""
        return () if self.inputs is None else self.inputs.source.inputs

    @property
    def nominal(self) -> np.ndarray:
        """Values in the file, (n_p,)."""
        return np.array([each.value for each in self.records], dtype=float)

    @property
    def values(self) -> np.ndarray:
        """Values at which the model stands, (n_p,)."""
        return self.nominal if self.inputs is None else self.inputs.values.copy()

    @property
    def by_name(self) -> dict[str, float]:
        """Values at which the model stands, by name."""
        return dict(zip(self.names, self.values.tolist(), strict=True))

    @property
    def unused(self) -> tuple[str, ...]:
        """Names of inputs that no result depends on: no number follows from them, or only sizes of what is drawn."""
        return tuple(each.name for each in self.records if all("shapes" in use.split(".") for use in each.uses))

    def array(self, given: Mapping[str, Any] | None = None, /, **named: Any) -> np.ndarray:
        """Values (..., n_p) with some given, numbers or arrays that broadcast, and the rest as the model has them.

        A number named by its path is given in a dictionary: `array({"bodies.crank.mass": 2.0})`.

        >>> import linkwright as lw
        >>> model = lw.build(lw.catalog.load("four-bar"), inputs=["joints.B.at.x", "bodies.crank.mass"])
        >>> model.parameters.array({"bodies.crank.mass": [1.0, 2.0, 3.0]}).shape
        (3, 2)
        """
        if given is not None:
            require_mapping("given", given, "a dictionary of names and values")
        changed = {**(given or {}), **named}
        indices = {self.index(name): _parameter_values(name, x) for name, x in changed.items()}
        try:
            lead = np.broadcast_shapes(*(x.shape for x in indices.values()))
        except ValueError:
            shapes = {name: np.shape(x) for name, x in changed.items()}
            raise ArgumentError(f"the values of the parameters do not fit together: {shapes}") from None
        out = np.broadcast_to(self.values, (*lead, len(self))).copy()
        for i, x in indices.items():
            out[..., i] = x
        return out

    def index(self, name: str) -> int:
        """Index of an input in `p`."""
        if (found := self._index_or_none(name)) is not None:
            return found
        if self.inputs is not None and _is_known_parameter(self.inputs, name):
            raise ArgumentError(
                f"'{name}' is a number of the mechanism but not an input of this model: its value is part of the "
                f"compiled code (a zero is left out of it); list it: build(mech, inputs=[..., '{name}'])",
                name=name,
            )
        raise ArgumentError(f"'{name}' is not an input of the model{suggest_name(name, self.names)}", name=name)

    def _describe(self) -> Description:
        """Names, values and units, and values in the file where they are others."""
        rows = [[each.name, float(x), each.unit, each.value] for each, x in zip(self.records, self.values.T)]
        table = described_table("", dict.fromkeys(("parameter", "value", "unit", "in the file"), ""), rows)
        return Description(f"{len(self)} parameters", tables=(table,))


def _is_known_parameter(inputs: Inputs, name: str) -> bool:
    mech = inputs.source.mech
    return name in mech.numbers or any(each.name == name for each in mech.parameters)


def _parameter_values(name: str, x: Any) -> np.ndarray:
    try:
        return real_array(name, x)
    except ArgumentError:
        raise ArgumentError(
            f"'{name}' is given as {x!r:.60}; give a number in SI units, or an array", name=name
        ) from None


_OF_CLOSED_STATES = frozenset(
    [
        "actuator_jacobian",
        "forward_dynamics",
        "forward_dynamics_derivatives",
        "independent_map",
        "inverse_dynamics",
        "inverse_dynamics_derivatives",
        "joint_reactions",
        "linearize",
        "minimal_inertia",
        "parameter_jacobian",
        "singularity",
    ]
)
"""Functions whose results count only where the loops are closed."""

_OF_NOMINAL_RANK = _OF_CLOSED_STATES | {"assembly_sensitivity", "regressor"}
"""Functions of a state that leave out closure equations which repeat others at the nominal values."""


def with_p(one_set: bool = False) -> Callable[[Callable[..., T]], Callable[..., T]]:
    """A method of a model with the argument `p`: values of its inputs, (n_p,), or (..., n_p) that broadcast like q.

    `one_set`: the method takes a single set of values. A bound method that somebody keeps (`f = model.mass_matrix`)
    calls the compiled code that took its place on the model meanwhile; `general` never does, so that calls which that
    code hands back end here.
    """

    def decorated(method: Callable[..., T]) -> Callable[..., T]:
        name = method.__name__

        @wraps(method)
        def called(self: Any, *arrays: Any, p: Any = None, **named: Any) -> T:
            fast = self.fast_calls.get(name)
            if fast is not None and p is None and not named:
                found: T = fast(*arrays)
                return found
            return general(self, *arrays, p=p, **named)

        def general(self: Any, *arrays: Any, p: Any = None, **named: Any) -> T:
            if p is None:
                if name in _OF_CLOSED_STATES and self.__dict__.get("_unseen"):
                    self.__dict__["_unseen"] = False
                    self._warn_of_open_loops(name, *arrays, **named)
                if name in _OF_NOMINAL_RANK and not self.__dict__.get("_rank_holds", True):
                    arrays, named = self._at_nominal_rank(name, arrays, named)
                return method(self, *arrays, **named)
            other = self._at(p, one_set)
            if name in _OF_CLOSED_STATES:
                other._warn_of_open_loops(name, *arrays, **named)
            found: T = getattr(other, name)(*arrays, **named)
            return found

        given = signature(method)
        p = Argument("p", Argument.KEYWORD_ONLY, default=None, annotation="ArrayLike | None")
        order = sorted([*given.parameters.values(), p], key=lambda each: each.kind)
        called.__signature__ = given.replace(parameters=order)  # type: ignore[attr-defined]
        called.general = general  # type: ignore[attr-defined]
        return called

    return decorated


def general_of(method: Callable[..., Any]) -> Callable[..., Any]:
    """The part of a method that compiled code never stands in for; the method itself where it has no such part."""
    found: Callable[..., Any] = getattr(method, "general", method)
    return found


# --- the parameters theta of the regressor: names, units and values, in the order of its columns ----------------------

__all__ = ["DynamicParameter", "RegressorParameters"]


@dataclass(frozen=True, eq=False)
class RegressorParameters(_NamedRecords[DynamicParameter]):
    """The parameters theta with tau = Y theta; a sequence of records with name, kind, subject, unit and value.

    Attributes:
        records: one per column of Y, with names such as link1.m, link1.mx, link1.Ixx, joint1.viscous, motor1.offset.

    >>> import linkwright as lw
    >>> theta = lw.build(lw.catalog.load("three-link-arm")).regressor_parameters
    >>> theta.names[:3], theta["link1.m"].unit
    (('link1.m', 'link1.mx', 'link1.my'), 'kg')
    """

    records: tuple[DynamicParameter, ...]

    @property
    def values(self) -> np.ndarray:
        """Values in the mechanism, theta, (n_theta,)."""
        return np.array([each.value for each in self.records], dtype=float)

    def _describe(self) -> Description:
        """Names, kinds, values and units."""
        rows = [[x.name, x.group, x.value, x.unit] for x in self.records]
        table = described_table("", dict.fromkeys(("parameter", "group", "value", "unit"), ""), rows)
        return Description(f"{len(self)} parameters theta, efforts = Y theta", tables=(table,))

    def index(self, name: str) -> int:
        """Column of a parameter."""
        if (found := self._index_or_none(name)) is not None:
            return found
        raise ArgumentError(f"'{name}' is not a parameter of the regressor{suggest_name(name, self.names)}", name=name)
