"""Forward and inverse dynamics of big trees in the rolled form: one traced step per sort of link, looped over links.

The steps are the lines of `recursion.motion`, `recursion.inverse` and `recursion.forward` for a single link whose
numbers are inputs. Links that share kind of joint, structure of their rotation and pattern of zeros and ones share
a step.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from itertools import islice
from typing import Any

import numpy as np

from linkwright.algebra.rotations import Full, Rotation, Turn
from linkwright.algebra.transforms import Moments, Transform, newton_euler
from linkwright.algebra.vectors import Mat, Vec, join_twist
from linkwright.compiler import Port, Program, RolledProgram, RolledSweep, trace
from linkwright.dataclass import dataclass
from linkwright.forces.element import JointForce
from linkwright.mechanism.tree import Link, Tree
from linkwright.recursion.forward_recursion import symmetric_outer
from linkwright.recursion.twist_recursion import joint_map, relative_twist_convection

_UPPER = [(i, j) for i in range(6) for j in range(i, 6)]


def can_roll(tree: Tree) -> bool:
    """True if every joint's motion matrix is constant and nothing but joints connects the links."""
    fixed = (k.kind.has_constant_reversed_p if k.reversed else k.kind.has_constant_p for k in tree.links)
    single = (len(k.kind.scalars) <= 1 for k in tree.links)  # a row of parameters has space for one
    return not (tree.point_forces or tree.lifts or tree.beams) and all(fixed) and all(single)


@dataclass(frozen=True)
class Sort:
    """Sort of a step: kind of joint, its force elements without numbers, axes of the constant turns (None: full
    matrix), numbers that are 0 or +-1."""

    kind: type
    forces: tuple[JointForce, ...]
    turns: tuple[int, ...] | None
    simple: tuple[float | None, ...]
    offsets: tuple[float, float]


def _with_numbers(element: JointForce, values: Iterable[Any]) -> JointForce:
    given = dict(zip((number.key for number in element.numbers), values, strict=True))
    return replace(element, name="", joint="", **given)


def _link_parameter_row(forces: tuple[JointForce, ...], link: Link) -> tuple[list[Any], tuple[int, ...] | None]:
    """A link's parameters in one row, and the structure of its rotation."""
    turns = tuple(f.axis for f in link.R.factors if isinstance(f, Turn))
    if len(turns) == len(link.R.factors) and len(turns) <= 2:
        rotation = [x for f in link.R.factors if isinstance(f, Turn) for x in (f.c, f.s)]
        structure: tuple[int, ...] | None = turns
    else:
        rotation, structure = list(link.R.matrix.ravel()), None
    body = link.moments
    pitch = next((getattr(link.kind, key) for key in link.kind.scalars), 0.0)
    resisting = [getattr(element, number.key) for element in forces for number in element.numbers]
    rotation += [0.0] * (9 - len(rotation))
    return [*link.r, *rotation, body.m, *body.h, *body.Sigma.ravel(), pitch, *resisting], structure


def _structural_values(row: np.ndarray) -> tuple[float | None, ...]:
    return tuple(x if x in (0.0, 1.0, -1.0) else None for x in row.tolist())


def _recorded_link(sort: Sort, param: Vec, template: Link) -> tuple[Link, list[JointForce]]:
    """A link whose numbers are recorded values, and the force elements at its joint."""
    pairs = zip(sort.simple, param, strict=True)
    x = np.array([value if simple is None else simple for simple, value in pairs], dtype=object)
    if sort.turns is None:
        R = Rotation((Full(x[3:12].reshape(3, 3)),))
    else:
        R = Rotation(tuple(Turn(axis, x[3 + 2 * i], x[4 + 2 * i]) for i, axis in enumerate(sort.turns)))
    kind = template.kind.with_numbers(dict.fromkeys(template.kind.scalars, x[25]))
    moments = Moments.of(x[12], x[13:16], x[16:25].reshape(3, 3))
    coords, dofs = slice(0, template.kind.nq), slice(0, template.kind.nv)
    link = Link("", "", -1, kind, x[:3], R, moments, coords, dofs, offsets=sort.offsets)
    numbers = iter(x[26:])
    return link, [_with_numbers(each, islice(numbers, len(each.numbers))) for each in sort.forces]


def _spring_and_friction_forces(forces: list[JointForce], q: Vec, v: Vec) -> Vec:
    """Forces of elements along the velocities of one joint, (nv_i,)."""
    out = np.zeros(len(v), dtype=object)
    for each in forces:
        k = each.part
        out[k] = out[k] + each.channel_force(q[k] - each.rest if len(q) == len(v) else 0.0, v[k])
    return out


def _rotors(forces: list[JointForce], n: int) -> Vec:
    """Inertia along the velocities of one joint, (n,)."""
    return np.array([sum((x.channel_inertia for x in forces if x.part == k), 0.0) for k in range(n)], dtype=object)


def rolled_tree_dynamics(tree: Tree, forward: bool) -> RolledProgram:
    """Forward dynamics (q, v, force to a) or inverse dynamics (q, v, a to force) of a tree in the rolled form."""
    order = list(tree.outward)
    index = {i: n for n, i in enumerate(order)} | {-1: -1}
    links = [tree.links[i] for i in order]
    by_joint: dict[str, list[JointForce]] = {}
    for force in tree.joint_forces:
        by_joint.setdefault(force.element.joint, []).append(force.element)
    forces = [tuple(by_joint.get(link.joint, ())) for link in links]
    numbers, structures = zip(*map(_link_parameter_row, forces, links), strict=True)
    width = max(map(len, numbers))
    rows = np.array([[*row, *[0.0] * (width - len(row))] for row in numbers])
    blank = [tuple(_with_numbers(x, [0.0] * len(x.numbers)) for x in own) for own in forces]
    each = zip(links, blank, structures, rows, strict=True)
    sorts = [Sort(type(link.kind), own, s, _structural_values(row), link.offsets) for link, own, s, row in each]
    known = {sort: n for n, sort in enumerate(dict.fromkeys(sorts))}
    templates = [links[sorts.index(sort)] for sort in known]
    third = "force" if forward else "a"
    steps = _forward_steps if forward else _inverse_steps
    sweeps = steps(list(zip(known, templates, strict=True)), len(rows[0]))
    return RolledProgram(
        inputs=(Port("q", (tree.nq,)), Port("v", (tree.nv,)), Port(third, (tree.nv,))),
        outputs=(Port("a" if forward else "force", (tree.nv,)),),
        fields={"t": 6, "t_dot": 6, "turn": 9, "s": 3, "w": 6, "M": 21, "psi": 36, "tau_tilde": 6, "mu": 6},
        parent=np.array([index[link.parent] for link in links]),
        kind=np.array([known[sort] for sort in sorts]),
        params=rows,
        offsets={
            "q": np.array([k.coords.start for k in links]),
            "v": np.array([k.dofs.start for k in links]),
            "a": np.array([k.dofs.start for k in links]),
            "force": np.array([k.dofs.start for k in links]),
        },
        sweeps=sweeps,
        root={"t_dot": join_twist(np.zeros(3), -tree.gravity)},
    )


Named = list[tuple[Sort, Link]]


def _trace_link_sorts(
    named: Named, n_params: int, step: Callable[..., Any], fields: tuple[str, ...]
) -> tuple[Program, ...]:
    """A step traced for every sort of link, with the ports it takes."""
    widths = {"t": 6, "t_dot": 6, "turn": 9, "s": 3, "w": 6, "M": 21, "psi": 36, "tau_tilde": 6, "mu": 6}
    out = []
    for sort, template in named:
        n_q, n_v = template.kind.nq, template.kind.nv
        sizes = widths | {"param": n_params, "q": n_q, "v": n_v, "a": n_v, "force": n_v}
        sizes |= {f"parent_{name}": width for name, width in widths.items()}
        taken = {name: sizes[name] for name in ("param", *fields) if sizes[name]}

        def result(sort: Sort = sort, template: Link = template, n_v: int = n_v, n_q: int = n_q, **x: Any) -> Any:
            link, forces = _recorded_link(sort, x.pop("param"), template)
            empty = {name: np.zeros(0) for name in fields if name not in x}
            return step(link, forces, **x, **empty)

        out.append(trace(result, taken))
    return tuple(out)


def _outward_motion_step(
    link: Link, forces: list[JointForce], q: Vec, v: Vec, parent_t: Vec, parent_t_dot: Vec, a: Vec | None = None
) -> dict[str, Any]:
    """Outward: twist, twist rate and own wrench of a link, and the joint's turn and travel for the later sweeps."""
    joint = joint_map(link, q, v)
    t_rel = joint.p @ v
    t = joint.A @ parent_t + t_rel
    t_dot = joint.A.rate(parent_t, parent_t_dot) + joint.p_dot @ v + relative_twist_convection(t, t_rel)
    if a is not None:
        t_dot = t_dot + joint.p @ a
    turn = _pack_turn_numbers(joint.A.R.factors[len(link.R.factors) :])
    return {"t": t, "t_dot": t_dot, "w": newton_euler(link.moments, t, t_dot), "turn": turn, "s": joint.A.s}


def _pack_turn_numbers(factors: tuple[Turn | Full, ...]) -> Vec:
    """The numbers of a joint's own turn, padded to nine."""
    values = [x for f in factors for x in ((f.c, f.s) if isinstance(f, Turn) else f.matrix.ravel())]
    return np.array([*values, *[0.0] * (9 - len(values))], dtype=object)


def _propagation_from_parent(link: Link, turn: Vec, s: Vec) -> tuple[Transform, Mat]:
    """Propagation from the parent and motion matrix, from the numbers kept by the outward sweep."""
    still = joint_map(link, np.array(link.kind.neutral), np.zeros(link.kind.nv))
    own = still.A.R.factors[len(link.R.factors) :]
    if link.kind.keeps_orientation:
        R = Rotation(own)
    elif link.kind.has_quaternion:
        R = Rotation((Full(turn.reshape(3, 3)),))
    else:
        R = Rotation((Turn(2, turn[0], turn[1]),))
    if link.kind.keeps_origin:
        travel = np.zeros(3)
    else:
        along_z = link.kind.keeps_axis or link.kind.keeps_orientation
        travel = np.array([0.0, 0.0, s[2]], dtype=object) if along_z else s
    return Transform(link.r, link.R * R, travel), still.p


def _inverse_steps(named: Named, n_params: int) -> tuple[RolledSweep, ...]:
    def inward(
        link: Link, forces: list[JointForce], q: Vec, v: Vec, a: Vec, turn: Vec, s: Vec, w: Vec
    ) -> dict[str, Any]:
        A, p = _propagation_from_parent(link, turn, s)
        force = p.T @ w + _spring_and_friction_forces(forces, q, v) + _rotors(forces, len(v)) * a
        return {"force": force} | {"parent_w": A.T @ w} if len(v) else {"parent_w": A.T @ w}

    outward = _trace_link_sorts(named, n_params, _outward_motion_step, ("q", "v", "parent_t", "parent_t_dot", "a"))
    back = _trace_link_sorts(named, n_params, inward, ("q", "v", "a", "turn", "s", "w"))
    return (RolledSweep(outward), RolledSweep(back, inward=True))


def _forward_steps(named: Named, n_params: int) -> tuple[RolledSweep, ...]:
    outward = _trace_link_sorts(named, n_params, _outward_motion_step, ("q", "v", "parent_t", "parent_t_dot"))
    back = _trace_link_sorts(named, n_params, _inward_elimination_step, ("q", "v", "force", "turn", "s", "w", "M"))
    last = _trace_link_sorts(
        named, n_params, _outward_acceleration_step, ("turn", "s", "psi", "tau_tilde", "parent_mu")
    )
    return (RolledSweep(outward), RolledSweep(back, inward=True), RolledSweep(last))


def _inward_elimination_step(
    link: Link, forces: list[JointForce], q: Vec, v: Vec, force: Vec, turn: Vec, s: Vec, w: Vec, M: Vec
) -> dict[str, Any]:
    """Inward: the joint's speeds eliminated, the articulated mass and wrench handed to the parent (theory 5.1-5.7)."""
    A, p = _propagation_from_parent(link, turn, s)
    M_hat, eta, n = link.moments.M + _symmetric_from_upper(M), w, len(v)
    phi, rotors = force - _spring_and_friction_forces(forces, q, v) if n else force, _rotors(forces, n)
    psi, tau_tilde = [np.zeros(6)] * 6, np.zeros(6, dtype=object)
    for d in reversed(range(n)):
        psi_hat = M_hat @ p[:, d]
        m_hat = p[:, d] @ psi_hat + rotors[d]
        psi[d] = psi_hat / m_hat
        M_hat = M_hat - symmetric_outer(psi_hat, psi[d], p[:, d])
        tau_hat = phi[d] - p[:, d] @ eta
        tau_tilde[d] = tau_hat / m_hat
        eta = eta + psi[d] * tau_hat
    carried = A.congruence(M_hat)
    upper = np.array([carried[i, j] for i, j in _UPPER])
    return {"psi": np.concatenate(psi), "tau_tilde": tau_tilde, "parent_w": A.T @ eta, "parent_M": upper}


def _symmetric_from_upper(upper: Vec) -> Mat:
    M = np.zeros((6, 6), dtype=object)
    for (i, j), x in zip(_UPPER, upper, strict=True):
        M[i, j] = M[j, i] = x
    return M


def _outward_acceleration_step(
    link: Link, forces: list[JointForce], turn: Vec, s: Vec, psi: Vec, tau_tilde: Vec, parent_mu: Vec
) -> dict[str, Any]:
    """Outward: accelerations of the joint and of the link beyond the bias motion (theory 5.8-5.9)."""
    A, p = _propagation_from_parent(link, turn, s)
    mu, n = A @ parent_mu, p.shape[1]
    a = np.zeros(n, dtype=object)
    for d in range(n):
        a[d] = tau_tilde[d] - psi[6 * d : 6 * d + 6] @ mu
        mu = mu + p[:, d] * a[d]
    return {"a": a, "mu": mu} if n else {"mu": mu}
