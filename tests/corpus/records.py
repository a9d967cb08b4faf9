"""What is found out about one model of a collection."""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields
from typing import Any

AGREES = 1e-9  # relative difference of accelerations or efforts below which two programs agree


@dataclass(frozen=True)
class Row:
    """One model: how far it came, and how far accelerations and efforts are from another program's.

    Attributes:
        loads, closes: whether the file is read, and whether its loops meet (None: not tried).
        nv, mobility, idle: velocities of the tree, degrees of freedom, idle freedoms among them.
        actuators: how many there are.
        forward, inverse: largest relative difference from the other program's solution (None: not compared).
        residual: largest residual of the other program's equations, of forward and inverse dynamics.
        exact: where they differ, the relative error of our accelerations against the other program's equations with
            constraint rows in extended precision (`Dense.extended`), of forward and inverse dynamics; None elsewhere.
        peer: which program that was, and what it read.
        errors, warnings: findings of the import that may change the mechanics.
        seconds: of CPU.
        reason: why something was refused.
    """

    file: str
    loads: bool = False
    nv: int | None = None
    actuators: int | None = None
    mobility: int | None = None
    idle: int | None = None
    closes: bool | None = None
    forward: float | None = None
    inverse: float | None = None
    residual: float | None = None
    exact: float | None = None
    peer: str = ""
    errors: int = 0
    warnings: int = 0
    seconds: float = 0.0
    reason: str = ""

    @property
    def agrees(self) -> bool:
        """Whether accelerations are the other program's, and efforts too where there are actuators to compare.

        The plain relative difference counts, or our error in extended precision where that was computed. Of a tree with
        joints that move no mass accelerations are not determined, and efforts alone count.
        """
        return self.close or (self.forward is not None and self.exact is not None and self.exact < AGREES)

    @property
    def close(self) -> bool:
        """Whether the plain relative difference from the other program is small."""
        found = [x for x in (self.forward, self.inverse) if x is not None]
        return bool(found) and max(found) < AGREES

    def as_data(self) -> dict[str, Any]:
        return asdict(self)


def from_data(data: dict[str, Any]) -> Row:
    known = {field.name for field in fields(Row)}
    return Row(**{key: value for key, value in data.items() if key in known})


def line(row: Row) -> str:
    """A row of the table."""

    def shown(value: float | None) -> str:
        return "-" if value is None else f"{value:.0e}"

    def count(value: int | None) -> str:
        return "-" if value is None else str(value)

    closes = {None: "-", True: "yes", False: "NO"}[row.closes]
    cells = [
        f"{row.file:58.58}",
        "yes" if row.loads else "NO ",
        f"{count(row.nv):>4}",
        f"{count(row.mobility):>4}",
        f"{count(row.idle):>4}",
        f"{count(row.actuators):>4}",
        f"{closes:>6}",
        f"{shown(row.forward):>7}",
        f"{shown(row.inverse):>7}",
        f"{shown(row.residual):>7}",
        f"{shown(row.exact):>7}",
        f"{row.errors:>3}",
        f"{row.warnings:>3}",
        f"{row.seconds:6.1f}",
        f"{row.peer:22.22}",
        " ".join(row.reason.split())[:160],
    ]
    return " ".join(cells)


HEADER = (
    f"{'file':58} {'ok':3} {'nv':>4} {'dof':>4} {'idle':>4} {'act':>4} {'closes':>6} {'forward':>7} {'inverse':>7} "
    f"{'resid':>7} {'exact':>7} {'err':>3} {'wrn':>3} {'s':>6} {'compared with':22} reason"
)
