"""Seeded random mechanism files, closed by construction: the bodies are placed first, then the joints' frames.

A file is a plain dictionary, as YAML would give it. Every joint gets random nonzero coordinates, and its frame on the
child is put where these coordinates want it, so that every loop closes in the chosen pose whichever joints are cut.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tests.loops.oracle.drawing import Q_PARTS, V_PARTS, Pose, read
from tests.loops.oracle.dynamics import Equations
from tests.loops.oracle.rotations import of_quaternion, plane_axes, to_quaternion, turn

Rng = np.random.Generator
KINDS = tuple(Q_PARTS)
FEATURES = {
    "reversed": "joints drawn from child to parent",
    "passive": "springs, friction, rotors and actuator friction",
    "passive-at-cuts": "the same at cut joints",
    "actuators-at-cuts": "actuators at cut joints",
    "couplings": "gears between joints",
    "struts": "springs and dampers between points",
    "compensation": "bodies with gravity compensation",
    "wrenches": "external wrenches on the bodies",
    "massless": "some bodies without mass",
    "redundant": "plane mechanisms, whose closure repeats equations",
    "slips": "friction of a joint and of its actuator with different slip velocities",
    "armature": "inertia along joint velocities without actuator",
    "fewer": "fewer actuators than freedoms",
    "more": "more actuators than freedoms",
} | dict.fromkeys(KINDS, "joints of this kind")

# Below this share of the largest singular value a closure, the inertia of the allowed motions or an actuation is taken
# to be near a singularity, and the mechanism is drawn again.
REGULAR = 1e-3
REGULAR_INERTIA = 1e-5
_MOBILITY = range(1, 6)


@dataclass(frozen=True, eq=False)
class Case:
    """A file, the poses of its bodies in which it closes, consistent velocities of them, and wrenches on some."""

    seed: int
    drawing: dict[str, Any]
    poses: dict[str, Pose]
    V: np.ndarray
    wrenches: dict[str, np.ndarray]
    coordinates: dict[str, list[float]]
    cut: tuple[str, ...]
    reversed: tuple[str, ...] = ()
    redraws: int = 0
    tags: dict[str, Any] = field(default_factory=dict)

    @property
    def equations(self) -> Equations:
        return Equations(read(self.drawing), self.poses, self.V, self.wrenches)


def random_case(seed: int, without: Collection[str] = ()) -> Case:
    """A regular random mechanism; draws that are near a singularity are replaced."""
    for attempt in range(1000):
        case = _attempt(np.random.default_rng([seed, attempt]), seed, attempt, frozenset(without))
        if case is not None:
            return case
    raise RuntimeError(f"seed {seed}: no regular mechanism in 1000 draws")


def _attempt(rng: Rng, seed: int, attempt: int, without: frozenset[str]) -> Case | None:
    flat = rng.random() < 0.12 and "redundant" not in without
    edges = _graph(rng)
    kinds = _kinds(rng, edges, flat, without, seed)
    if kinds is None:
        return None
    placed = _placed(rng, edges, kinds, flat)
    drawing = _file(rng, seed, edges, kinds, placed, without)
    coordinates = {f"j{i}": x for i, x in enumerate(placed.coordinates) if len(x)}
    cut = tuple(f"j{i}" for i, (_, _, is_cut) in enumerate(edges) if is_cut)
    if "couplings" not in without and rng.random() < 0.25:
        _couple(rng, drawing, coordinates)
    start = Equations(read(drawing), placed.poses, np.zeros(6 * len(placed.poses)))
    if not _regular(start, flat):
        return None
    V = start.N @ rng.normal(size=start.mobility)
    turned = _reverse(rng, drawing, coordinates, without)
    _passive(rng, drawing, coordinates, cut, without)
    _struts(rng, drawing, placed.poses, without)
    if not _actuate(rng, drawing, placed.poses, cut, without):
        return None
    stays = drawing["couplings"] or {"passive-at-cuts", "actuators-at-cuts"} & without
    if rng.random() < 0.4 and not stays:
        drawing["joints"] = dict(sorted((drawing["joints"] | drawing.pop("loops")).items()))
        cut = ()
    drawing["home"] = {name: x for name, x in coordinates.items() if name not in cut or rng.random() < 0.5}
    if not drawing["couplings"]:
        del drawing["couplings"]
    pushed = list(drawing["bodies"]) if rng.random() < 0.3 and "wrenches" not in without else []
    wrenches = {name: rng.normal(size=6) for name in pushed}
    case = Case(seed, drawing, placed.poses, V, wrenches, coordinates, cut, turned, attempt, {"flat": flat})
    return case if _movable(case.equations) else None


# ------------------------------------------------------------------------------------------------- shape and kinds


def _graph(rng: Rng) -> list[tuple[int, int, bool]]:
    """Edges (body, body, cut) of a random graph: a tree from the base (-1), and mostly joints that close loops."""
    n = int(rng.choice([2, 3, 4, 5], p=[0.3, 0.35, 0.25, 0.1]))
    edges = [(int(rng.integers(-1, i)), i, False) for i in range(n)]
    for _ in range(int(rng.choice([0, 1, 2, 3], p=[0.06, 0.56, 0.29, 0.09]))):
        one, other = rng.choice(np.arange(-1, n), size=2, replace=False)
        edges.append((int(min(one, other)), int(max(one, other)), True))
    return [edges[i] for i in rng.permutation(len(edges))]


def _kinds(rng: Rng, edges: list[Any], flat: bool, without: frozenset[str], seed: int) -> list[str] | None:
    """A kind for every joint, such that the count of freedoms is small and positive; one kind follows from the seed."""
    allowed = ("fixed", "revolute", "prismatic", "planar") if flat else KINDS
    allowed = tuple(kind for kind in allowed if kind not in without)
    full = 3 if flat else 6
    wanted = KINDS[seed % len(KINDS)]
    for _ in range(200):
        kinds = [str(rng.choice([k for k in allowed if cut or k != "distance"])) for _, _, cut in edges]
        spots = [i for i, (_, _, cut) in enumerate(edges) if (cut or wanted != "distance") and wanted in allowed]
        if spots:
            kinds[int(rng.choice(spots))] = wanted
        count = 0
        for kind, (_, _, cut) in zip(kinds, edges, strict=True):
            f = 5 if kind == "distance" else len(V_PARTS[kind])
            count += f - full if cut else f
        if count in _MOBILITY:
            return kinds
    return None


@dataclass(frozen=True, eq=False)
class Placed:
    """Bodies in the world, and per joint its axes, size, frames and coordinates."""

    poses: dict[str, Pose]
    shapes: list[dict[str, Any]]
    frames: list[tuple[Pose, Pose]]
    coordinates: list[list[float]]


def name_of(i: int) -> str:
    return "ground" if i < 0 else f"b{i}"


def _placed(rng: Rng, edges: list[Any], kinds: list[str], flat: bool) -> Placed:
    """Random poses of the bodies, and joint frames that bring them together there."""
    world = of_quaternion(rng.normal(size=4)) if rng.random() < 0.5 else np.eye(3)
    n = sum(not cut for _, _, cut in edges)
    poses = {name_of(i): _pose(rng, world, flat) for i in range(n)}
    known = poses | {"ground": (np.eye(3), np.zeros(3))}
    shapes, frames, values = [], [], []
    for (parent, child, _), kind in zip(edges, kinds, strict=True):
        near, far = known[name_of(parent)], known[name_of(child)]
        plain = bool(rng.random() < 0.5)
        shape = _shape(rng, kind, plain, flat)
        spot = 0.5 * (near[1] + far[1]) + 0.2 * rng.normal(size=3)
        if flat:
            turned = world @ _about_z(rng)
        else:
            turned = near[0] @ (_right_angles(rng) if plain else of_quaternion(rng.normal(size=4)))
        R, r, q = _relative(rng, kind, shape)
        if kind == "distance":
            other = spot + 0.3 * rng.normal(size=3)
            shape["length"] = float(np.linalg.norm(other - spot))
            end = (of_quaternion(rng.normal(size=4)), other)
        else:
            end = (turned @ R, spot + turned @ r)
        shapes.append(shape)
        frames.append((_local(near, (turned, spot)), _local(far, end)))
        values.append(q)
    return Placed(poses, shapes, frames, values)


def _pose(rng: Rng, world: np.ndarray, flat: bool) -> Pose:
    R = world @ _about_z(rng) if flat else of_quaternion(rng.normal(size=4))
    return R, 0.5 * rng.normal(size=3)


def _about_z(rng: Rng) -> np.ndarray:
    return turn(np.array([0.0, 0.0, 1.0]), rng.uniform(-np.pi, np.pi))


def _right_angles(rng: Rng) -> np.ndarray:
    """A rotation by whole right angles, exact."""
    order = rng.permutation(3)
    R = np.eye(3)[:, order] * rng.choice([-1.0, 1.0], size=3)
    return R if np.linalg.det(R) > 0 else -R


def _local(body: Pose, world: Pose) -> Pose:
    return body[0].T @ world[0], body[0].T @ (world[1] - body[1])


def _axis(rng: Rng, plain: bool) -> np.ndarray:
    if plain:
        return np.eye(3)[rng.integers(3)] * rng.choice([-1.0, 1.0])
    x = rng.normal(size=3)
    return x / np.linalg.norm(x)


def _shape(rng: Rng, kind: str, plain: bool, flat: bool) -> dict[str, Any]:
    """Axes and pitch of a joint, as the file gives them."""
    z = np.array([0.0, 0.0, rng.choice([-1.0, 1.0])])
    match kind:
        case "prismatic" if flat:
            return {"axis": _about_z(rng)[:, 0].tolist()}
        case "revolute" | "prismatic" | "cylindrical":
            return {"axis": (z if flat else _axis(rng, plain)).tolist()}
        case "screw":
            return {"axis": _axis(rng, plain).tolist(), "pitch": float(rng.choice([-1, 1]) * rng.uniform(0.05, 0.4))}
        case "planar":
            return {"normal": (z if flat else _axis(rng, plain)).tolist()}
        case "universal":
            first = second = _axis(rng, plain)
            while np.linalg.norm(np.cross(first, second)) < 0.5:
                second = _axis(rng, plain)
            return {"first": first.tolist(), "second": second.tolist()}
    return {}


def _relative(rng: Rng, kind: str, shape: dict[str, Any]) -> tuple[np.ndarray, np.ndarray, list[float]]:
    """Child's joint frame seen from the parent's at random coordinates."""
    axes = [np.array(shape[key]) for key in ("axis", "first", "second", "normal") if key in shape]
    a, b, x, y = (*rng.uniform(-2.5, 2.5, size=2), *rng.uniform(-0.6, 0.6, size=2))
    quaternion = rng.normal(size=4)
    quaternion /= np.linalg.norm(quaternion)
    one, o = np.eye(3), np.zeros(3)
    match kind:
        case "revolute":
            return turn(axes[0], a), o, [float(a)]
        case "prismatic":
            return one, x * axes[0], [float(x)]
        case "screw":
            return turn(axes[0], a), shape["pitch"] * a * axes[0], [float(a)]
        case "cylindrical":
            return turn(axes[0], a), x * axes[0], [float(a), float(x)]
        case "universal":
            return turn(axes[0], a) @ turn(axes[1], b), o, [float(a), float(b)]
        case "planar":
            e, f = plane_axes(axes[0])
            return turn(axes[0], a), x * e + y * f, [float(x), float(y), float(a)]
        case "spherical":
            return of_quaternion(quaternion), o, quaternion.tolist()
        case "floating":
            shift = 0.5 * rng.normal(size=3)
            return of_quaternion(quaternion), shift, [*shift.tolist(), *quaternion.tolist()]
    return one, o, []


# ------------------------------------------------------------------------------------------------------- the file


def _file(rng: Rng, seed: int, edges: Any, kinds: Any, placed: Placed, without: frozenset[str]) -> dict[str, Any]:
    drawing: dict[str, Any] = {"format": 1, "name": f"random {seed}", "gravity": (5.0 * rng.normal(size=3)).tolist()}
    names = list(placed.poses)
    drawing["bodies"] = {names[i]: _mass(rng, without) for i in rng.permutation(len(names))}
    drawing |= {"joints": {}, "loops": {}, "couplings": {}}
    for i, ((parent, child, cut), kind) in enumerate(zip(edges, kinds, strict=True)):
        at, child_at = (_written(rng, x) for x in placed.frames[i])
        drawing["loops" if cut else "joints"][f"j{i}"] = {
            "type": kind,
            "parent": name_of(parent),
            "child": name_of(child),
            "at": at,
            "child_at": child_at,
        } | placed.shapes[i]
    return drawing


def _mass(rng: Rng, without: frozenset[str]) -> dict[str, Any]:
    """Mass, mass center and tensor of a cloud of points."""
    light, lifted, share = rng.random(3)
    if light < 0.06 and "massless" not in without:
        return {}
    root = 0.2 * rng.normal(size=(3, 3))
    Sigma = root @ root.T + 1e-3 * np.eye(3)
    tensor = np.trace(Sigma) * np.eye(3) - Sigma
    return {
        "mass": float(rng.uniform(0.5, 2.0)),
        "com": (0.2 * rng.normal(size=3)).tolist(),
        "inertia": (0.5 * (tensor + tensor.T)).tolist(),
    } | ({"gravity_compensation": float(1.2 * share)} if lifted < 0.1 and "compensation" not in without else {})


def _written(rng: Rng, pose: Pose) -> Any:
    """A frame as a file may give it."""
    R, r = pose
    match int(rng.integers(3)):
        case 0:
            return {"xyz": r.tolist(), "quaternion": to_quaternion(R).tolist()}
        case 1:
            pitch = np.arctan2(-R[2, 0], np.hypot(R[0, 0], R[1, 0]))
            if abs(pitch) < 1.4:
                rpy = [np.arctan2(R[2, 1], R[2, 2]), pitch, np.arctan2(R[1, 0], R[0, 0])]
                return {"xyz": r.tolist(), "rpy": [float(x) for x in rpy]}
    return {"xyz": r.tolist(), "matrix": R.tolist()}


def _couple(rng: Rng, drawing: dict[str, Any], coordinates: dict[str, list[float]]) -> None:
    """A gear between two or three tree joints with one coordinate each."""
    single = [name for name in drawing["joints"] if len(coordinates.get(name, ())) == 1]
    if len(single) < 2:
        return
    chosen = rng.permutation(single)[: int(rng.integers(2, 4))]
    terms = {str(name): float(rng.choice([-1, 1]) * rng.uniform(0.5, 2.0)) for name in chosen}
    offset = sum(ratio * coordinates[name][0] for name, ratio in terms.items())
    drawing["couplings"]["gear"] = {"terms": terms, "offset": float(offset)}


def _all_joints(drawing: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return drawing["joints"] | drawing.get("loops", {})


def _passive(
    rng: Rng,
    drawing: dict[str, Any],
    coordinates: dict[str, list[float]],
    cut: tuple[str, ...],
    without: frozenset[str],
) -> None:
    """Springs, friction and armature.

    Springs are within half a turn of their rest: at a cut joint an angle is known up to whole turns only.
    """
    for name, joint in _all_joints(drawing).items():
        nq, nv = len(Q_PARTS[joint["type"]]), len(V_PARTS[joint["type"]])
        spring: dict[str, Any] = {"stiffness": _some(rng, 1.0, 5.0, nv)}
        if rng.random() < 0.5:
            spring["rest"] = (np.array(coordinates.get(name, ()))[:nv] + rng.uniform(-2.0, 2.0, size=nv)[:nq]).tolist()
        friction: dict[str, Any] = {"slip": float(rng.uniform(0.05, 1.0))}
        for key in ("viscous", "coulomb"):
            if rng.random() < 0.7:
                friction[key] = _some(rng, 0.1, 1.0, nv)
        armature = _some(rng, 0.02, 0.5, nv)
        chance = rng.random(3)
        if not nv or "passive" in without or ("passive-at-cuts" in without and name in cut):
            continue
        if nq == nv and chance[0] < 0.35:
            joint["spring"] = spring
        if chance[1] < 0.35:
            joint["friction"] = friction
        if chance[2] < 0.15 and "armature" not in without:
            joint["armature"] = armature


def _some(rng: Rng, low: float, high: float, n: int) -> list[float]:
    return rng.uniform(low, high, size=n).tolist()


def _struts(rng: Rng, drawing: dict[str, Any], poses: dict[str, Pose], without: frozenset[str]) -> None:
    if "struts" in without or rng.random() < 0.6:
        return
    names, drawing["struts"] = ["ground", *poses], {}
    for i in range(int(rng.integers(1, 3))):
        one, other = rng.choice(len(names), size=2, replace=False)
        drawing["struts"][f"s{i}"] = {
            "parent": names[one],
            "child": names[other],
            "at": rng.normal(size=3).tolist(),
            "child_at": rng.normal(size=3).tolist(),
            "stiffness": float(rng.uniform(1, 5)),
            "length": float(rng.uniform(0, 1)),
            "damping": float(rng.choice([0.0, 0.7])),
        }


def _actuate(
    rng: Rng, drawing: dict[str, Any], poses: dict[str, Pose], cut: tuple[str, ...], without: frozenset[str]
) -> bool:
    """As many actuators as freedoms mostly, sometimes fewer or more, at velocities that drive the mechanism well."""
    equations = Equations(read(drawing), poses, np.zeros(6 * len(poses)))
    system = equations.system
    spots = [(j.name, d) for j in system.joints for d in range(j.nv)]
    columns = equations.rows[0] @ equations.N
    if "actuators-at-cuts" in without:
        keep = [i for i, (name, _) in enumerate(spots) if name not in cut]
        spots, columns = [spots[i] for i in keep], columns[keep]
    chance, mobility = rng.random(), equations.mobility
    count = mobility
    if chance < 0.12 and "fewer" not in without:
        count = int(rng.integers(0 if drawing["loops"] else 1, mobility)) if mobility > 1 else int(not drawing["loops"])
    elif chance > 0.88 and "more" not in without:
        count = mobility + int(rng.integers(1, 3))
    if len(spots) < count:
        return False
    largest = np.linalg.norm(columns, 2)
    for _ in range(20):
        chosen = rng.permutation(len(spots))[:count]
        s = np.linalg.svd(columns[chosen], compute_uv=False)
        if count == 0 or s[min(count, mobility) - 1] > 10 * REGULAR * largest:
            break
    else:
        return False
    drawing["actuators"] = {}
    for k, i in enumerate(chosen):
        drawing["actuators"][f"m{k}"] = _actuator(rng, drawing, spots[i], cut, without)
    return True


def _actuator(rng: Rng, drawing: Any, spot: tuple[str, int], cut: tuple[str, ...], without: frozenset[str]) -> Any:
    name, dof = spot
    kind = _all_joints(drawing)[name]["type"]
    out: dict[str, Any] = {"joint": name, "dof": V_PARTS[kind][dof] if rng.random() < 0.5 else dof}
    rotor, rubbing = rng.random(2) < 0.5
    gear, inertia = float(rng.choice([-1, 1]) * rng.uniform(1, 3)), float(rng.uniform(0.02, 0.3))
    friction = {"slip": float(rng.uniform(0.05, 1.0)), "viscous": float(rng.uniform(0.1, 1))}
    if rng.random() < 0.6:
        friction["coulomb"] = float(rng.uniform(0.1, 1))
    if "passive" in without or ("passive-at-cuts" in without and name in cut):
        return out
    if rotor:
        out |= {"gear": gear, "rotor_inertia": inertia}
    if rubbing:
        own = _all_joints(drawing)[name].get("friction", friction)["slip"]
        out["friction"] = friction | ({"slip": own} if "slips" in without else {})
    return out


def _reverse(
    rng: Rng, drawing: dict[str, Any], coordinates: dict[str, list[float]], without: frozenset[str]
) -> tuple[str, ...]:
    """Draw some joints from the other side; the file's coordinates are then those of the drawing.

    The same two frames stand for a joint of the same kind: axes change sign so that angles and lengths stay; a
    universal joint's axes change places; of the others the coordinates become those of the inverse motion.
    """
    turned = []
    for name, joint in _all_joints(drawing).items():
        if rng.random() < 0.5 or "reversed" in without:
            continue
        turned.append(name)
        joint["parent"], joint["child"] = joint["child"], joint["parent"]
        joint["at"], joint["child_at"] = joint["child_at"], joint["at"]
        kind = joint["type"]
        if "axis" in joint:
            joint["axis"] = [0.0 - x for x in joint["axis"]]
        if kind == "universal":
            joint["first"], joint["second"] = ([0.0 - x for x in joint[k]] for k in ("second", "first"))
            coordinates[name] = coordinates[name][::-1]
        elif kind == "planar":
            e, f = plane_axes(np.array(joint["normal"]))
            x, y, angle = coordinates[name]
            d = -turn(np.array(joint["normal"]), -angle) @ (x * e + y * f)
            coordinates[name] = [float(e @ d), float(f @ d), -angle]
        elif kind in ("spherical", "floating"):
            w, *v = coordinates[name][-4:]
            inverse = [w, *(-x for x in v)]
            shift = (-of_quaternion(inverse) @ np.array(coordinates[name][:-4])).tolist() if kind == "floating" else []
            coordinates[name] = [*shift, *inverse]
    return tuple(turned)


# ----------------------------------------------------------------------------------------------------- regularity


def _regular(equations: Equations, flat: bool) -> bool:
    """Mobile, the closure away from losing rank, and no equation repeated unless the mechanism is plane."""
    mobile = equations.mobility in _MOBILITY
    return mobile and equations.margin > REGULAR and (flat or equations.redundant == 0)


def _movable(equations: Equations) -> bool:
    """Every motion moves mass."""
    s = np.linalg.svd(equations.N.T @ equations.mass @ equations.N, compute_uv=False)
    return bool(s[-1] > REGULAR_INERTIA * np.abs(equations.mass).max())
