"""The parameters theta of the regressor: names, units and values, in the order of its columns."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from linkwright.checks import require_text
from linkwright.dataclass import dataclass
from linkwright.errors import ArgumentError
from linkwright.functions.dynamic_parameters import DynamicParameter
from linkwright.mechanism.names import suggest_name
from linkwright.readable_text import Description, PrintableTable, described_table

__all__ = ["DynamicParameter", "RegressorParameters"]


@dataclass(frozen=True, eq=False)
class RegressorParameters(PrintableTable):
    """The parameters theta with tau = Y theta; a sequence of records with name, kind, subject, unit and value.

    Attributes:
        records: one per column of Y.

    >>> import linkwright as lw
    >>> theta = lw.build(lw.catalog.load("three-link-arm")).regressor_parameters
    >>> theta.names[:3], theta["link1.m"].unit
    (('link1.m', 'link1.mx', 'link1.my'), 'kg')
    """

    records: tuple[DynamicParameter, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """Names such as link1.m, link1.mx, link1.Ixx, joint1.viscous, motor1.offset."""
        return tuple(each.name for each in self.records)

    @property
    def units(self) -> tuple[str, ...]:
        """SI units."""
        return tuple(each.unit for each in self.records)

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
        if require_text("name", name) in self.names:
            return self.names.index(name)
        raise ArgumentError(f"'{name}' is not a parameter of the regressor{suggest_name(name, self.names)}", name=name)

    def __len__(self) -> int:
        return len(self.records)

    def __iter__(self) -> Iterator[DynamicParameter]:
        return iter(self.records)

    def __getitem__(self, name: str) -> DynamicParameter:
        return self.records[self.index(name)]
