"""Numbers, names and poses in XML attributes; a problem is kept with its line and the reading goes on."""

from __future__ import annotations

import math
from dataclasses import field
from typing import Any

from linkwright.algebra.transforms import IDENTITY, RigidTransform
from linkwright.algebra.vectors import Vec3
from linkwright.dataclass import dataclass
from linkwright.findings import Finding, Severity
from linkwright.formats.units import quote_short_value
from linkwright.formats.xml import Element


@dataclass
class Findings:
    """Findings of the reading of one file: problems refuse it, notes go with what is read."""

    problems: list[Finding] = field(default_factory=list)
    notes: list[Finding] = field(default_factory=list)

    def problem(self, message: str, element: Element, code: str = "bad-value", fix: str = "") -> None:
        """Something that refuses the file, at the line of an element."""
        subject = element.attributes.get("name", "") or element.tag
        self.problems.append(Finding(code, message, fix, subject=subject, line=element.line))

    def note(
        self,
        message: str,
        severity: Severity = "remark",
        code: str = "assumed",
        subject: str = "",
        value: Any = None,
        fix: str = "",
        line: int = 0,
    ) -> None:
        """Something dropped, assumed or doubted; an "error" when the mechanism read is another one than the file's,
        a "warning" when forces or masses may differ, a "remark" when the mechanics is the same."""
        self.notes.append(Finding(code, message, fix, severity, subject, value, line=line))

    def text(self, element: Element, name: str, owner: str) -> str:
        """An attribute that must be there and not be empty."""
        value = element.attributes.get(name, "").strip()
        if not value:
            self.problem(f'{owner}: <{element.tag}> needs {name}="..."', element, "missing-key")
        return value

    def numbers(self, element: Element, name: str, owner: str, default: tuple[float, ...]) -> tuple[float, ...]:
        """As many numbers as the default has; the default when the attribute is missing."""
        written = element.attributes.get(name)
        if written is None:
            return default
        try:
            values = tuple(float(part) for part in written.split())
        except ValueError:
            values = ()
        if len(values) != len(default) or not all(map(math.isfinite, values)):
            wanted = "a finite number" if len(default) == 1 else f"{len(default)} finite numbers"
            self.problem(f"{owner}: {name}={quote_short_value(written)} in <{element.tag}> is not {wanted}", element)
            return default
        return values

    def number(self, element: Element | None, name: str, owner: str, default: float = 0.0) -> float:
        """One number; the default when the element or the attribute is missing."""
        return default if element is None else self.numbers(element, name, owner, (default,))[0]

    def triple(self, element: Element, name: str, owner: str, default: Vec3 = (0.0, 0.0, 0.0)) -> Vec3:
        """Three numbers."""
        x, y, z = self.numbers(element, name, owner, default)
        return x, y, z

    def origin(self, element: Element, owner: str) -> RigidTransform:
        """The <origin> child as a pose; roll, pitch, yaw turn about fixed axes, or a quaternion x y z w (URDF 1.2)."""
        origin = element.first("origin")
        if origin is None:
            return IDENTITY
        xyz = self.triple(origin, "xyz", owner)
        if "quat_xyzw" in origin.attributes:
            x, y, z, w = self.numbers(origin, "quat_xyzw", owner, (0.0, 0.0, 0.0, 1.0))
            if math.hypot(x, y, z, w) > 0.0:
                return RigidTransform.from_quaternion(xyz, (w, x, y, z))
            fix = "give a unit quaternion"
            self.problem(f"{owner}: quat_xyzw in <origin> is zero", origin, "bad-quaternion", fix)
        return RigidTransform.from_rpy(xyz, self.triple(origin, "rpy", owner))
