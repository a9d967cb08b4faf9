"""Six coordinates per body, Newton-Euler in world axes, every joint a constraint: one dense least-squares solve.

Slow and short on purpose, and independent of the library: it reads the mechanism's records only. Unknowns are the
accelerations of the mass centers, the angular accelerations and the multipliers; redundant constraints are allowed.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from linkwright.algebra.transforms import RigidTransform
from linkwright.joints import Cylindrical, Distance, Fixed, Planar, Prismatic, Revolute, Screw, Spherical, Universal
from linkwright.mechanism import Joint, Mechanism
from tests.loops.worlds import Moving

cross = np.cross


@dataclass(frozen=True, eq=False)
class Answer:
    """Accelerations (angular, linear at the body's origin; world axes) and reactions (moment, force on the child)."""

    motion: dict[str, np.ndarray]
    reactions: dict[str, np.ndarray]


@dataclass(eq=False)
class Rows:
    """Constraint rows G x = g of one joint; x = per body (acceleration of the mass center, angular acceleration)."""

    n: int
    near: tuple[int, Moving, np.ndarray]  # body number (-1: base), joint side, arm from the mass center
    far: tuple[int, Moving, np.ndarray]
    G: list[np.ndarray] = field(default_factory=list)
    g: list[float] = field(default_factory=list)
    wrenches: list[np.ndarray] = field(default_factory=list)

    @property
    def d(self) -> np.ndarray:
        return self.far[1].r - self.near[1].r

    @property
    def d_dot(self) -> np.ndarray:
        return self.far[1].vel - self.near[1].vel

    def _row(self, near: np.ndarray, far: np.ndarray, wrench: np.ndarray, remainder: float) -> None:
        row = np.zeros(6 * self.n)
        for (body, _, _), part in ((self.near, near), (self.far, far)):
            if body >= 0:
                row[6 * body : 6 * body + 6] += part
        self.G.append(row)
        self.g.append(-remainder)
        self.wrenches.append(wrench)

    def along(self, n: np.ndarray) -> None:
        """(p_far - p_near) . n constant, n fixed on the near side."""
        (_, p, rho_p), (_, c, rho_c), d = self.near, self.far, self.d
        near = np.concatenate([-n, -cross(rho_p, n) + cross(n, d)])
        far = np.concatenate([n, cross(rho_c, n)])
        free = n @ (_centripetal(c, rho_c) - _centripetal(p, rho_p))
        turning = cross(p.omega, cross(p.omega, n)) @ d + 2.0 * cross(p.omega, n) @ self.d_dot
        self._row(near, far, np.concatenate([np.zeros(3), n]), free + turning)

    def angle(self, a: np.ndarray, b: np.ndarray) -> None:
        """a . b constant, a fixed on the near side, b on the far side."""
        w_p, w_c = self.near[1].omega, self.far[1].omega
        zero, turn = np.zeros(3), cross(b, a)
        bent = cross(w_p, cross(w_p, a)) @ b + a @ cross(w_c, cross(w_c, b)) + 2.0 * cross(w_p, a) @ cross(w_c, b)
        self._row(np.concatenate([zero, -turn]), np.concatenate([zero, turn]), np.concatenate([turn, zero]), bent)

    def rod(self) -> None:
        """The distance of the two points is constant."""
        (_, p, rho_p), (_, c, rho_c), d = self.near, self.far, self.d
        near, far = np.concatenate([-d, -cross(rho_p, d)]), np.concatenate([d, cross(rho_c, d)])
        free = d @ (_centripetal(c, rho_c) - _centripetal(p, rho_p)) + self.d_dot @ self.d_dot
        self._row(near, far, np.concatenate([np.zeros(3), d]), free)

    def lead(self, w: np.ndarray, pitch: float) -> None:
        """The far side advances `pitch` along w as it turns about it."""
        self.along(w)
        p, c = self.near[1].omega, self.far[1].omega
        for (body, _, _), sign in ((self.near, -1.0), (self.far, 1.0)):
            if body >= 0:
                self.G[-1][6 * body + 3 : 6 * body + 6] -= sign * pitch * w
        self.g[-1] += pitch * cross(p, w) @ (c - p)
        self.wrenches[-1][:3] -= pitch * w


def _centripetal(frame: Moving, rho: np.ndarray) -> np.ndarray:
    return cross(frame.omega, cross(frame.omega, rho))


def across(w: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Two unit vectors normal to w and to each other."""
    a, b = np.linalg.svd(w[None, :])[2][1:]
    return a, b


def constrained(joint: Joint, rows: Rows) -> Rows:
    """The rows of a joint of any kind."""
    near, far = rows.near[1].R, rows.far[1].R
    match joint.kind:
        case Spherical():
            _all(rows.along, near.T)
        case Universal(first, second):
            _all(rows.along, near.T)
            rows.angle(near @ first, far @ second)
        case Revolute(axis):
            _all(rows.along, near.T)
            _all(lambda n: rows.angle(n, far @ axis), across(near @ axis))
        case Cylindrical(axis):
            _all(rows.along, across(near @ axis))
            _all(lambda n: rows.angle(n, far @ axis), across(near @ axis))
        case Screw(axis, pitch):
            _all(rows.along, across(near @ axis))
            _all(lambda n: rows.angle(n, far @ axis), across(near @ axis))
            rows.lead(near @ axis, pitch)
        case Planar(normal):
            rows.along(near @ normal)
            _all(lambda n: rows.angle(n, far @ normal), across(near @ normal))
        case Prismatic() | Fixed():
            slides = isinstance(joint.kind, Prismatic)
            _all(rows.along, across(near @ joint.kind.axis) if slides else near.T)
            _all(lambda k: rows.angle(near[:, k[0]], far[:, k[1]]), ((0, 1), (1, 2), (2, 0)))
        case Distance():
            rows.rod()
    return rows


def _all(say, items) -> None:
    for item in items:
        say(item)


def forward_dynamics(mech: Mechanism, world: dict[str, Moving], efforts: dict[str, float]) -> Answer:
    """Accelerations and reactions of bodies that move as in `world`, with efforts at named joints."""
    index, n = {name: i for i, name in enumerate(mech.names)}, len(mech.bodies)
    arms = {body.name: world[body.name].R @ body.inertia.com for body in mech.bodies} | {mech.base: np.zeros(3)}
    joints = (*mech.joints, *mech.loops)

    def side(body: str, at: RigidTransform) -> tuple[int, Moving, np.ndarray]:
        frame = world[body].at(at)
        return index.get(body, -1), frame, frame.r - world[body].r - arms[body]

    rows = [constrained(j, Rows(n, side(j.parent, j.at), side(j.child, j.child_at))) for j in joints]
    M, f = _newton_euler(mech, world)
    driven = {j.name: _effort(j, row, efforts[j.name]) for j, row in zip(joints, rows) if j.name in efforts}
    for joint, row in zip(joints, rows):
        if joint.name in driven:
            _push(f, row, driven[joint.name])
    for strut in mech.forces:
        ends = Rows(n, side(strut.parent, RigidTransform(strut.at)), side(strut.child, RigidTransform(strut.child_at)))
        span = float(np.linalg.norm(ends.d))
        pull = strut.stiffness * (span - strut.length) + strut.damping * (ends.d @ ends.d_dot) / span
        _push(f, ends, np.concatenate([np.zeros(3), -pull * ends.d / span]))
    x, lam = _solved(M, f, np.array([g for r in rows for g in r.G]), np.array([g for r in rows for g in r.g]))
    motion = {name: _at_origin(world[name], x[6 * i : 6 * i + 6], arms[name]) for name, i in index.items()}
    reactions, k = {}, 0
    for joint, row in zip(joints, rows):
        total = np.zeros(6) + driven.get(joint.name, 0.0)
        for wrench in row.wrenches:
            total, k = total + lam[k] * wrench, k + 1
        reactions[joint.name] = total
    return Answer(motion, reactions)


def _newton_euler(mech: Mechanism, world: dict[str, Moving]) -> tuple[np.ndarray, np.ndarray]:
    n = len(mech.bodies)
    M, f = np.zeros((6 * n, 6 * n)), np.zeros(6 * n)
    for i, body in enumerate(mech.bodies):
        k, here = 6 * i, world[body.name]
        inertia = here.R @ np.array(body.inertia.tensor) @ here.R.T
        M[k : k + 3, k : k + 3], M[k + 3 : k + 6, k + 3 : k + 6] = body.inertia.mass * np.eye(3), inertia
        f[k : k + 3] = (1.0 - body.gravity_compensation) * body.inertia.mass * np.array(mech.gravity)
        f[k + 3 : k + 6] = -cross(here.omega, inertia @ here.omega)
    return M, f


def _effort(joint: Joint, rows: Rows, effort: float) -> np.ndarray:
    """Moment and force of a actuator on the child, at the child's side of the joint."""
    w = effort * (rows.near[1].R @ joint.kind.axis)
    return np.concatenate([w, np.zeros(3)] if isinstance(joint.kind, Revolute) else [np.zeros(3), w])


def _push(f: np.ndarray, rows: Rows, wrench: np.ndarray) -> None:
    """Add a wrench at the far point to the far body and its opposite to the near body."""
    (near, _, rho_p), (far, _, rho_c) = rows.near, rows.far
    for body, rho, sign in ((near, rho_p + rows.d, -1.0), (far, rho_c, 1.0)):
        if body >= 0:
            f[6 * body : 6 * body + 3] += sign * wrench[3:]
            f[6 * body + 3 : 6 * body + 6] += sign * (wrench[:3] + cross(rho, wrench[3:]))


def _solved(M: np.ndarray, f: np.ndarray, G: np.ndarray, g: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """x and lam of M x = f + G^T lam, G x = g, in units that make masses and rows about one."""
    blocks = np.diag(M).reshape(-1, 3).max(axis=1)
    s = 1.0 / np.sqrt(np.repeat(np.where(blocks > 0.0, blocks, blocks.max()), 3))
    size = np.linalg.norm(G * s, axis=1)
    A = G * s / size[:, None]
    K = np.block([[s[:, None] * M * s, -A.T], [A, np.zeros((len(g), len(g)))]])
    y = np.linalg.lstsq(K, np.concatenate([s * f, g / size]), rcond=1e-13)[0]
    return s * y[: len(f)], y[len(f) :] / size


def _at_origin(here: Moving, x: np.ndarray, arm: np.ndarray) -> np.ndarray:
    acc = x[:3] - cross(x[3:], arm) - _centripetal(here, arm)
    return np.concatenate([x[3:], acc])
