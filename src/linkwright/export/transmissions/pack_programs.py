"""Programs, ranges and tables of a transmission, from which all files of its pack are written."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

import numpy as np

from linkwright.compiler import Program, evaluate, inline_program, trace
from linkwright.dataclass import dataclass
from linkwright.errors import LinkwrightError, MechanismError
from linkwright.export.c.kit_programs import KitPrograms, submechanism_programs
from linkwright.export.transmissions.chebyshev import (
    MOST_NODES,
    ChebyshevSum,
    ChebyshevTable,
    fit_chebyshev,
    interpolate,
)
from linkwright.export.transmissions.ranges import TransmissionRanges, find_ranges
from linkwright.functions.loop import target_functions
from linkwright.kinematics.target_plans import square_target
from linkwright.mechanism.loop_parts import bodies_carried_by
from linkwright.model.model import Model
from linkwright.model.model_construction import build
from linkwright.model.submechanism import Submechanism
from linkwright.numerics.dense import decompose_scaled

Array = np.ndarray

_TRIED, _MOST_STEPS, _SHORT_STEP = 500, 6, 1e-8


@dataclass(frozen=True, eq=False)
class Links:
    """The tree of the joints alone: its model, coordinates of the transmission for its own, and rows by joint."""

    model: Model
    picked: list[int]
    order: list[int]


@dataclass(frozen=True, eq=False)
class TransmissionPack:
    """What the files of a pack say.

    Attributes:
        sub: the maps between motors and joints.
        name: prefix of names in code.
        ranges: where it works.
        tolerance: of the tables.
    """

    sub: Submechanism
    name: str
    ranges: TransmissionRanges
    tolerance: float

    @classmethod
    def of(
        cls, sub: Submechanism, name: str, ranges: Mapping[str, tuple[float, float]], tolerance: float
    ) -> TransmissionPack:
        """The pack of a submechanism with one motor for each joint."""
        return cls(sub, name, find_ranges(sub, ranges), tolerance)

    @property
    def size(self) -> int:
        """Number of motors, and of joints."""
        return len(self.sub.inputs)

    @cached_property
    def kit(self) -> KitPrograms:
        """Programs of the C kit; reactions of the joints are no part of a transmission."""
        return submechanism_programs(self.sub, reactions=False)

    def coordinates(self, side: str) -> list[int]:
        """Indices in q of the motors ("motors") or joints ("joints")."""
        found = self.kit.coordinates if side == "motors" else self.kit.outputs.coordinates  # type: ignore[union-attr]
        return [int(k) for k in found if k is not None]

    def correction(self, side: str) -> Program:
        """A whole Newton step of all coordinates towards positions of the motors or joints."""
        model = self.sub.driven if side == "motors" else self.sub.posed
        kernels = square_target(model.kinematics, None, tuple(range(model.na)), holding=True)
        if kernels is None:
            raise MechanismError(f"the {side} do not determine all coordinates")
        return kernels.program(target_functions.target_correction)

    @cached_property
    def links(self) -> Links | str:
        """The links that the joints carry, without motors and rods; or why there are none."""
        posed = self.sub.posed
        chain = bodies_carried_by(posed.mechanism, [each.joint for each in posed.actuators])
        if chain is None:
            return "other joints lie between those that you named, so that the links cannot be told from the rods"
        model = build(chain)
        names = [posed.v_names[drive.speed] for drive in posed.setup.drives if drive.speed is not None]
        picked = [self.coordinates("joints")[names.index(name)] for name in model.v_names]
        return Links(model, picked, [model.v_names.index(name) for name in names])

    @cached_property
    def reflected_inertia(self) -> Program | str:
        """Inertia at the joints of all but the links they carry: motors, cranks and rods; or why there is none."""
        links = self.links
        if isinstance(links, str):
            return links
        if "output_mass_matrix" not in self.kit.others:
            return "the transmission has no inertia"
        total, M = self.kit.others["output_mass_matrix"], links.model.program("mass_matrix")

        def reflected(q: Array) -> Array:
            return inline_program(total, q) - inline_program(M, q[links.picked])[np.ix_(links.order, links.order)]

        return trace(reflected, {"q": self.sub.driven.nq})

    # --- tables -------------------------------------------------------------------------------------------------------

    @cached_property
    def motor_table(self) -> ChebyshevTable | str:
        """Motor positions of joint positions; or why there is none."""
        return self._fit_or_reason("joints", lambda x: self.sub.from_outputs(x, near=self.ranges.home).inputs)

    @cached_property
    def joint_table(self) -> ChebyshevTable | str:
        """Joint positions of motor positions; or why there is none."""
        return self._fit_or_reason("motors", lambda y: self.sub.from_inputs(y, near=self.ranges.home).outputs)

    def start_table(self, side: str) -> ChebyshevSum:
        """All coordinates of positions of the motors or joints, for Newton steps to begin with."""
        table = self.joint_table if side == "motors" else self.motor_table
        if isinstance(table, str):
            raise MechanismError(table)
        solve = self.sub.from_inputs if side == "motors" else self.sub.from_outputs
        return interpolate(lambda x: solve(x, near=self.ranges.home).q, table.polynomial)

    def newton_steps(self, side: str) -> int:
        """How many Newton steps from the start table reach round-off: the square of the last one is below it."""
        box, program = self.ranges.joints, self.correction(side)
        x = box[:, 0] + np.ptp(box, axis=1) * np.random.default_rng(4).uniform(size=(_TRIED, self.size))
        if side == "motors":
            x = self.sub.from_outputs(x, near=self.ranges.home).inputs
        q = self.start_table(side)(x)
        for _, unit in program.signature.units:
            q[:, unit.part] /= np.linalg.norm(q[:, unit.part], axis=1, keepdims=True)
        for steps in range(1, _MOST_STEPS):
            q, before = evaluate(program, q, x), q
            if np.abs(q - before).max() < _SHORT_STEP:
                return max(steps, 2)
        raise MechanismError(f"Newton steps from a table of positions of the {side} do not converge everywhere")

    def _fit_or_reason(self, side: str, function: object) -> ChebyshevTable | str:
        if self.size not in MOST_NODES:
            return f"a table of {self.size} axes would be too large"
        try:
            return self._fit_joints(function) if side == "joints" else self._fit_motors(function)
        except LinkwrightError as reason:
            return str(reason)

    def _fit_joints(self, function: object) -> ChebyshevTable:
        box = self.ranges.joints
        return fit_chebyshev(function, box.mean(axis=1), np.eye(len(box)), np.ptp(box, axis=1) / 2.0, self.tolerance)  # type: ignore[arg-type]

    def _fit_motors(self, function: object) -> ChebyshevTable:
        """The table over the image of the joints' box, along directions in which that is nearly a box."""
        m = self.size
        x, y = self.ranges.check.outputs.reshape(-1, m), self.ranges.check.inputs.reshape(-1, m)
        middle = y.mean(axis=0)
        matrix = (decompose_scaled(y - middle).inverse() @ (x - x.mean(axis=0))).T
        along = (y - middle) @ matrix.T
        low, high = along.min(axis=0), along.max(axis=0)
        center = middle + np.linalg.solve(matrix, (low + high) / 2.0)
        for share in (1.0, 0.95, 0.9, 0.85, 0.8, 0.7, 0.6, 0.5, 0.3):
            try:
                return fit_chebyshev(function, center, matrix, share * (high - low) / 2.0, self.tolerance)  # type: ignore[arg-type]
            except MechanismError as error:
                reason = error
        raise reason


def inertia_of_links(pack: TransmissionPack, q: Array) -> Array:
    """Inertia of the links that the joints carry, felt there, (n, m, m)."""
    links = pack.links
    if isinstance(links, str):
        raise MechanismError(links)
    return links.model.mass_matrix(q[..., links.picked])[..., links.order, :][..., links.order]
