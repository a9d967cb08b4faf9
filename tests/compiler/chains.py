"""Forward dynamics of a chain of hinged bodies in rolled form: a realistic load for tests and measurements."""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwright.compiler import RolledProgram, RolledSweep, trace
from linkwright.compiler.trace.program import Port

GRAVITY = np.array([0.0, 0.0, 0.0, 0.3, -0.2, 9.81])


def _skew(r: Any) -> Any:
    zero = 0.0 * r[0]
    return np.array([[zero, -r[2], r[1]], [r[2], zero, -r[0]], [-r[1], r[0], zero]])


def _full(x: Any) -> Any:
    return np.array([[x[0], x[1], x[2]], [x[1], x[3], x[4]], [x[2], x[4], x[5]]])


def _packed(m: Any) -> Any:
    return np.array([m[0, 0], m[0, 1], m[0, 2], m[1, 1], m[1, 2], m[2, 2]])


def _blocks(inertia: Any) -> tuple[Any, Any, Any]:
    return _full(inertia[:6]), inertia[6:15].reshape(3, 3), _full(inertia[15:])


def _joined(J: Any, H: Any, M: Any) -> Any:
    return np.concatenate([_packed(J), H.ravel(), _packed(M)])


def _carried(E: Any, r: Any, motion: Any) -> Any:
    """A twist or twist rate of the parent, at and along the child's frame."""
    return np.concatenate([E @ motion[:3], E @ (motion[3:] - _skew(r) @ motion[:3])])


def outward(q: Any, v: Any, param: Any, parent_twist: Any) -> dict[str, Any]:
    c, s = np.cos(q[0]), np.sin(q[0])
    E0, r, inertia = param[:9].reshape(3, 3), param[9:12], param[12:]
    E = np.array([c * E0[0] + s * E0[1], c * E0[1] - s * E0[0], E0[2]])
    z = np.array([0.0, 0.0, 1.0])
    joint = np.concatenate([z * v[0], 0.0 * z])
    twist = _carried(E, r, parent_twist) + joint
    omega, vel = twist[:3], twist[3:]
    J, H, M = _blocks(inertia)
    n, f = J @ omega + H @ vel, H.T @ omega + M @ vel
    bias = np.concatenate([_skew(omega) @ n + _skew(vel) @ f, _skew(omega) @ f])
    extra = np.concatenate([_skew(omega) @ joint[:3], _skew(vel) @ joint[:3]])
    return {"E": E, "twist": twist, "extra": extra, "inertia": inertia, "bias": bias}


def inward(tau: Any, param: Any, E: Any, extra: Any, inertia: Any, bias: Any) -> dict[str, Any]:
    J, H, M = _blocks(inertia)
    r = param[9:12]
    U = np.concatenate([J[2], H[2]])
    reciprocal = 1.0 / J[2, 2]
    u = tau[0] - bias[2]
    scaled = U * reciprocal
    J, H, M = J - np.outer(U[:3], scaled[:3]), H - np.outer(U[:3], scaled[3:]), M - np.outer(U[3:], scaled[3:])
    total = bias + np.concatenate([J @ extra[:3] + H @ extra[3:], H.T @ extra[:3] + M @ extra[3:]]) + scaled * u
    J, H, M = E.T @ J @ E, E.T @ H @ E, E.T @ M @ E
    rx = _skew(r)
    shifted = H + rx @ M
    force = E.T @ total[3:]
    return {
        "parent_inertia": _joined(J + rx @ H.T - shifted @ rx, shifted, M),
        "parent_bias": np.concatenate([E.T @ total[:3] + rx @ force, force]),
        "drive": np.concatenate([scaled, [u * reciprocal]]),
    }


def outward_again(param: Any, E: Any, extra: Any, drive: Any, parent_rate: Any) -> dict[str, Any]:
    rate = _carried(E, param[9:12], parent_rate) + extra
    a = drive[6] - drive[:6] @ rate
    rate[2] = rate[2] + a
    return {"a": np.array([a]), "rate": rate}


def chain_parameters(n: int, seed: int = 0) -> np.ndarray:
    """Rotation, offset and inertia of every link, (n, 33)."""
    rng = np.random.default_rng(seed)
    rows = []
    for _ in range(n):
        E0 = np.linalg.qr(rng.normal(size=(3, 3)))[0]
        root, center, mass = rng.uniform(0.1, 0.4, (3, 3)), rng.uniform(-0.2, 0.2, 3), rng.uniform(0.5, 2.0)
        S = _skew(center)
        J = root @ root.T + 0.1 * np.eye(3) - mass * S @ S
        rows.append(np.concatenate([E0.ravel(), rng.uniform(-0.3, 0.3, 3), _joined(J, mass * S, mass * np.eye(3))]))
    return np.array(rows)


def chain(n: int, seed: int = 0) -> RolledProgram:
    """Joint accelerations of a serial chain, O(n)."""
    fields = {"E": 9, "twist": 6, "extra": 6, "inertia": 21, "bias": 6, "drive": 7, "rate": 6}
    shapes = {"q": 1, "v": 1, "tau": 1, "param": 33, "E": (3, 3), "extra": 6, "inertia": 21, "bias": 6, "drive": 7}
    shapes |= {"parent_twist": 6, "parent_rate": 6}

    def step(function: Any) -> Any:
        names = function.__code__.co_varnames[: function.__code__.co_argcount]
        return trace(function, {name: shapes[name] for name in names})

    index = np.arange(n)
    return RolledProgram(
        inputs=(Port("q", (n,)), Port("v", (n,)), Port("tau", (n,))),
        outputs=(Port("a", (n,)),),
        fields=fields,
        parent=index - 1,
        kind=np.zeros(n, dtype=int),
        params=chain_parameters(n, seed),
        offsets={"q": index, "v": index, "tau": index, "a": index},
        sweeps=(
            RolledSweep((step(outward),)),
            RolledSweep((step(inward),), inward=True),
            RolledSweep((step(outward_again),)),
        ),
        root={"rate": GRAVITY},
    )


def torques(params: np.ndarray, q: Any, v: Any, a: Any) -> np.ndarray:
    """Inverse dynamics of the same chain by Newton and Euler, in floats: the independent check."""
    n = len(q)
    z = np.array([0.0, 0.0, 1.0])
    twist, rate = np.zeros(6), GRAVITY
    frames, wrenches = [], []
    for i in range(n):
        step = outward(q[i : i + 1], v[i : i + 1], params[i], twist)
        twist = step["twist"]
        rate = _carried(step["E"], params[i, 9:12], rate) + step["extra"] + np.concatenate([z * a[i], 0.0 * z])
        J, H, M = _blocks(params[i, 12:])
        total = np.concatenate([J @ rate[:3] + H @ rate[3:], H.T @ rate[:3] + M @ rate[3:]])
        wrenches.append(total + step["bias"])
        frames.append(step["E"])
    tau = np.zeros(n)
    for i in reversed(range(n)):
        tau[i] = wrenches[i][2]
        if i:
            force = frames[i].T @ wrenches[i][3:]
            moment = frames[i].T @ wrenches[i][:3] + _skew(params[i, 9:12]) @ force
            wrenches[i - 1] = wrenches[i - 1] + np.concatenate([moment, force])
    return tau
