"""The whole mechanism, checked as it is made."""

from __future__ import annotations

from collections.abc import Mapping

from linkwright.checks import require_text
from linkwright.dataclass import dataclass
from linkwright.lazy import function_at_path
from linkwright.mechanism import parameters as by_name
from linkwright.mechanism.parameters import Parameter
from linkwright.mechanism.parts import Parts
from linkwright.mechanism.paths import Quantity, unknown_path_error
from linkwright.mechanism.validation import require_sound


@dataclass(frozen=True)
class Mechanism(Parts):
    """A mechanism as its user drew it. `joints` span a tree from `base`; `loops` are the joints outside it.

    `open_loops` are joints outside the tree that do not hold yet: a run may close them, see `linkwright.events.Close`.
    `base_inertia` acts only when the base floats, see `build(mech, base="floating")`.
    `formulas` say which numbers follow from named parameters; mechanisms with equal numbers are equal.
    """

    def _repr_html_(self) -> str:
        """A table and the mechanism in motion, for notebooks."""
        return function_at_path("linkwright.viewer.cards:mechanism_card")(self)

    def __post_init__(self) -> None:
        require_sound(self)

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """The named parameters of the mechanism's file, each with its nominal value, unit, and where it is used."""
        return by_name.parameters_of_mechanism(self)

    @property
    def numbers(self) -> dict[str, Quantity]:
        """Every number by its path, such as `bodies.crank.mass` or `joints.B.at.x`, with its SI unit."""
        return by_name.numbers_by_path(self)

    def value(self, name: str) -> float:
        """The value [SI] of a parameter, or of a number by its path.

        >>> from linkwright import catalog
        >>> catalog.load("four-bar").value("joints.B.at.x")
        4.0
        """
        named = {definition.name: definition.value for definition in self.formulas.definitions}
        if require_text("name", name) in named:
            return named[name]
        known = self.numbers
        if name not in known:
            raise unknown_path_error(name, {**named, **known})
        return known[name].value

    def with_values(self, values: Mapping[str, float]) -> Mechanism:
        """The mechanism with other values [SI] of parameters, and of numbers named by their paths.

        A parameter changes every number that follows from it; a number given by its path no longer follows from any.

        >>> from linkwright import catalog
        >>> catalog.load("four-bar").with_values({"gravity.y": -1.6}).gravity
        (0.0, -1.6, 0.0)
        """
        return by_name.with_values(self, values)
