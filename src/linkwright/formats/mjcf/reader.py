"""MJCF text to a mechanism and the list of what was dropped or assumed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from linkwright.algebra.pose import Pose
from linkwright.algebra.vectors import Vec3
from linkwright.errors import MechanismError
from linkwright.formats.imported import Imported
from linkwright.formats.mjcf import closing
from linkwright.formats.mjcf.compiled import compiled
from linkwright.formats.mjcf.joints import FREE, HINGE, SLIDE, carried, linear
from linkwright.formats.mjcf.unread import disabled, is_direct, unread
from linkwright.formats.plausible import doubts
from linkwright.formats.problems import Problem, refuse
from linkwright.formats.urdf.values import Findings
from linkwright.mechanism import (
    Actuator,
    Body,
    Box,
    Capsule,
    Cylinder,
    Frame,
    Friction,
    Inertia,
    Joint,
    Mechanism,
    Shape,
    Sphere,
)


def from_mjcf(text: str, file: str = "text") -> Imported:
    """The mechanism of an MJCF model and the notes of its import. Needs the package mujoco.

    Coordinates are zero where the model is drawn: MuJoCo's minus its `ref`; of free joints they are the same.
    """
    found = Findings()
    mujoco, model = compiled(text, file, found)
    names = Names(mujoco, model)
    joints = [joint for body in range(1, model.nbody) for joint in carried(model, body, names, found)]
    unread(mujoco, model, names, found)
    try:
        mech = Mechanism(
            name=names.model,
            bodies=tuple(_bodies(mujoco, model, names, joints)),
            joints=tuple(joints),
            loops=tuple(closing.loops(mujoco, model, names, found)),
            couplings=tuple(closing.couplings(mujoco, model, names, found)),
            frames=tuple(_frames(model, names)),
            actuators=tuple(_actuators(mujoco, model, names, found)),
            base=names.body(0),
            base_shapes=tuple(_shapes(mujoco, model, 0)),
            gravity=_gravity(mujoco, model),
            home=tuple(_home(model, names)),
            source=f"MJCF '{names.model}'",
        )
    except MechanismError as error:
        refuse(file, [Problem(text) for text in error.data.get("problems", [str(error)])])
    return Imported(mech, (*found.notes, *doubts(mech)))


class Names:
    """Names of a compiled model's parts; parts without one get their number."""

    def __init__(self, mujoco: Any, model: Any) -> None:
        self._of, self._model, self._kinds = mujoco.mj_id2name, model, mujoco.mjtObj
        self.model = bytes(model.names).split(b"\0")[0].decode("utf-8", "replace") or "mujoco model"

    def body(self, i: int) -> str:
        return self._name(self._kinds.mjOBJ_BODY, i, "body")

    def joint(self, i: int) -> str:
        return self._name(self._kinds.mjOBJ_JOINT, i, "joint")

    def between(self, i: int) -> str:
        """The massless body after a joint that is not its body's last."""
        return f"after_{self.joint(i)}"

    def equality(self, i: int) -> str:
        return self._name(self._kinds.mjOBJ_EQUALITY, i, "equality")

    def site(self, i: int) -> str:
        return self._name(self._kinds.mjOBJ_SITE, i, "site")

    def actuator(self, i: int) -> str:
        return self._name(self._kinds.mjOBJ_ACTUATOR, i, "actuator")

    def _name(self, kind: Any, i: int, word: str) -> str:
        return self._of(self._model, kind, i) or f"{word}{i}"


def _bodies(mujoco: Any, model: Any, names: Names, joints: list[Joint]) -> Iterator[Body]:
    numbers = {names.body(i): i for i in range(1, model.nbody)}
    for joint in joints:
        if joint.child not in numbers:
            yield Body(joint.child)
            continue
        i = numbers[joint.child]
        share = float(model.body_gravcomp[i])
        yield Body(joint.child, _inertia(model, i), tuple(_shapes(mujoco, model, i)), share)


def _inertia(model: Any, i: int) -> Inertia:
    """Mass, mass centre and inertia in body axes; MuJoCo keeps principal axes and moments."""
    R = Pose.from_quaternion((0.0, 0.0, 0.0), model.body_iquat[i]).R
    turned = (R * model.body_inertia[i]) @ R.T
    rows: Any = tuple(tuple(float(x) for x in row) for row in (turned + turned.T) / 2.0)
    x, y, z = (float(part) for part in model.body_ipos[i])
    return Inertia(float(model.body_mass[i]), (x, y, z), rows)


def _shapes(mujoco: Any, model: Any, body: int) -> Iterator[Shape]:
    kinds = mujoco.mjtGeom
    for g in range(model.ngeom):
        if int(model.geom_bodyid[g]) != body:
            continue
        a, b, c = (float(x) for x in model.geom_size[g])
        solids: dict[int, Any] = {
            int(kinds.mjGEOM_SPHERE): Sphere(a),
            int(kinds.mjGEOM_BOX): Box((2 * a, 2 * b, 2 * c)),
            int(kinds.mjGEOM_CYLINDER): Cylinder(a, 2 * b),
            int(kinds.mjGEOM_CAPSULE): Capsule(a, (0.0, 0.0, -b), (0.0, 0.0, b)),
        }
        solid = solids.get(int(model.geom_type[g]))
        if solid is not None:
            yield Shape(solid, Pose.from_quaternion(model.geom_pos[g], model.geom_quat[g]), _colour(model.geom_rgba[g]))


def _colour(rgba: Any) -> str:
    return "#" + "".join(f"{round(255 * min(max(float(x), 0.0), 1.0)):02x}" for x in rgba[:3])


def _frames(model: Any, names: Names) -> Iterator[Frame]:
    for s in range(model.nsite):
        pose = Pose.from_quaternion(model.site_pos[s], model.site_quat[s])
        yield Frame(names.site(s), names.body(int(model.site_bodyid[s])), pose)


def _gravity(mujoco: Any, model: Any) -> Vec3:
    x, y, z = (float(g) for g in model.opt.gravity)
    return (0.0, 0.0, 0.0) if disabled(mujoco, model, "GRAVITY") else (x, y, z)


def _actuators(mujoco: Any, model: Any, names: Names, found: Findings) -> Iterator[Actuator]:
    """One actuator for every sliding or turning joint that is driven; efforts at the joint, after the gear."""
    transmissions, taken = mujoco.mjtTrn, dict[int, str]()
    for i in range(getattr(model, "nactuator", model.nu)):
        name, joint = names.actuator(i), int(model.actuator_trnid[i][0])
        along = int(model.actuator_trntype[i]) in map(
            int, (transmissions.mjTRN_JOINT, transmissions.mjTRN_JOINTINPARENT)
        )
        if not along or int(model.jnt_type[joint]) not in (SLIDE, HINGE):
            text = f"actuator '{name}' drives no sliding or turning joint; dropped"
            found.note(text, "warning", "dropped-actuator", name)
        elif joint in taken:
            text = f"actuator '{name}' drives the same joint as '{taken[joint]}'; their efforts are one input here"
            found.note(text, code="merged-actuator", subject=name)
        else:
            taken[joint] = name
            yield Actuator(name, names.joint(joint), effort=_effort(mujoco, model, i), **_rotor(model, i))


def _rotor(model: Any, i: int) -> dict[str, Any]:
    """Inertia and damping of an actuator before its gear, in versions of MuJoCo that have them."""
    gear = float(model.actuator_gear[i][0])
    inertia, damping = (_linear(model, f"actuator_{what}", i) for what in ("armature", "damping"))
    if not gear or not (inertia or damping):
        return {}
    friction = Friction((gear**2 * damping,)) if damping else None
    return {"gear": gear, "rotor_inertia": inertia, "friction": friction}


def _linear(model: Any, field: str, i: int) -> float:
    values = getattr(model, field, None)
    return 0.0 if values is None else linear(values[i])


def _effort(mujoco: Any, model: Any, i: int) -> float | None:
    """The largest effort at the joint that forcerange and, for a direct motor, ctrlrange allow."""
    gear = abs(float(model.actuator_gear[i][0]))
    bounds = [gear * _largest(model.actuator_forcerange[i])] if model.actuator_forcelimited[i] else []
    direct = is_direct(mujoco, model, i)
    k = int(model.actuator_ctrladr[i]) if len(model.actuator_ctrlrange) != len(model.actuator_gear) else i
    if direct and model.actuator_ctrllimited[k]:
        bounds.append(gear * abs(float(model.actuator_gainprm[i][0])) * _largest(model.actuator_ctrlrange[k]))
    return min((bound for bound in bounds if bound > 0.0), default=None)


def _largest(values: Any) -> float:
    return max(abs(float(x)) for x in values)


def _home(model: Any, names: Names) -> Iterator[tuple[str, tuple[float, ...]]]:
    """Free joints start where the model draws their body."""
    for j in range(model.njnt):
        if int(model.jnt_type[j]) == FREE:
            first = int(model.jnt_qposadr[j])
            yield names.joint(j), tuple(float(x) for x in model.qpos0[first : first + 7])
