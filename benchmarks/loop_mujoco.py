"""Closed loops in MuJoCo: bodies, joints, and `connect` equalities, which are soft by design."""

from __future__ import annotations

import numpy as np

from benchmarks.closed import Edge, PeerTree
from benchmarks.comparison import Rival
from linkwright.algebra.transforms import RigidTransform
from linkwright.joints import Floating, Planar, Prismatic, Revolute, Spherical, Universal
from linkwright.mechanism import Inertia, Joint

Array = np.ndarray
_HEAD = (
    '<mujoco><compiler angle="radian" boundinertia="1e-9" balanceinertia="true"/>'
    '<option gravity="{gravity}" tolerance="1e-14"><flag contact="disable"/></option>'
)


def rival(tree: PeerTree) -> Rival:
    """`mj_forward` with the default softness of equalities; its result is near ours, not the same."""
    import mujoco as mj

    model = mj.MjModel.from_xml_string(_text(tree))
    data = mj.MjData(model)
    q, v, tau, indices = _state(tree)

    def call() -> Array:
        data.qpos[:], data.qvel[:], data.qfrc_applied[:] = q, v, tau
        mj.mj_forward(model, data)
        return data.qacc

    return Rival(call, lambda: call()[indices], tolerance=None)


def _text(tree: PeerTree) -> str:
    gravity = _numbers(tree.mech.gravity)
    connects = [f'<connect site1="{cut.name}.a" site2="{cut.name}.b"/>' for cut in tree.cuts]
    world = _children(tree, tree.mech.base)
    parts = f"<worldbody>{world}</worldbody><equality>{''.join(connects)}</equality>"
    return f"{_HEAD.format(gravity=gravity)}{parts}</mujoco>"


def _children(tree: PeerTree, body: str) -> str:
    return "".join(_body(tree, edge.joint) for edge in tree.edges if edge.joint.parent == body)


def _body(tree: PeerTree, joint: Joint) -> str:
    rest = joint.at @ joint.child_at.inverse
    inertia = next(body.inertia for body in tree.mech.bodies if body.name == joint.child)
    sites = [(f"{cut.name}.a", cut.at) for cut in tree.cuts if cut.parent == joint.child]
    sites += [(f"{cut.name}.b", cut.child_at) for cut in tree.cuts if cut.child == joint.child]
    site_tags = "".join(f'<site name="{name}" pos="{_numbers(pose.xyz)}"/>' for name, pose in sites)
    inside = _joints(joint) + _inertial(inertia) + site_tags + _children(tree, joint.child)
    return f'<body pos="{_numbers(rest.xyz)}" quat="{_numbers(rest.wxyz)}">{inside}</body>'


def _joints(joint: Joint) -> str:
    at = joint.child_at

    def one(kind: str, axis: object) -> str:
        return f'<joint type="{kind}" pos="{_numbers(at.xyz)}" axis="{_numbers(at.R @ np.array(axis))}"/>'

    match joint.kind:
        case Revolute(axis):
            return one("hinge", axis)
        case Prismatic(axis):
            return one("slide", axis)
        case Universal(first, second):
            return one("hinge", first) + one("hinge", second)
        case Spherical():
            return f'<joint type="ball" pos="{_numbers(at.xyz)}"/>'
        case Floating():
            return "<freejoint/>"
        case Planar((0.0, 0.0, 1.0)):
            return one("slide", (1, 0, 0)) + one("slide", (0, 1, 0)) + one("hinge", (0, 0, 1))
    raise NotImplementedError(f"a {type(joint.kind).__name__} joint in MuJoCo")


def _inertial(inertia: Inertia) -> str:
    I = np.array(inertia.tensor)
    full = (I[0, 0], I[1, 1], I[2, 2], I[0, 1], I[0, 2], I[1, 2])
    moments = f'fullinertia="{_numbers(full)}"' if any(full[3:]) else f'diaginertia="{_numbers(full[:3])}"'
    return f'<inertial pos="{_numbers(inertia.com)}" mass="{inertia.mass!r}" {moments}/>'


def _state(tree: PeerTree) -> tuple[Array, Array, Array, list[int]]:
    """Coordinates, velocities, forces in MuJoCo's order, and the indices of the legs' accelerations."""
    q, v, tau = [], [], []
    starts, n = {}, 0
    for edge in tree.edges:
        name = edge.joint.name
        x, y = _their_state(edge)
        starts[name] = n
        n += len(y)
        q.append(x)
        v.append(y)
        tau.append(np.full(len(y), tree.efforts.get(name, 0.0)))
    indices = [starts[name] + i for name, ours in tree.rate_slices.items() for i in range(ours.stop - ours.start)]
    return np.concatenate(q), np.concatenate(v), np.concatenate(tau), indices


def _their_state(edge: Edge) -> tuple[Array, Array]:
    """A floating body: linear velocity in world axes first, then angular in its own."""
    if not isinstance(edge.joint.kind, Floating):
        return edge.q, edge.v
    turn = RigidTransform.from_quaternion(edge.q[:3], edge.q[3:]).R
    return edge.q, np.concatenate([turn @ edge.v[3:], edge.v[:3]])


def _numbers(numbers: object) -> str:
    return " ".join(f"{float(x)!r}" for x in numbers)  # type: ignore[attr-defined]
