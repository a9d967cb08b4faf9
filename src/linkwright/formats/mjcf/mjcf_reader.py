"""MJCF text to MuJoCo's compiled model, to a mechanism and the list of what was dropped or assumed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, NoReturn

from linkwright.algebra.transforms import IDENTITY, RigidTransform
from linkwright.algebra.vectors import Vec3
from linkwright.dataclass import dataclass
from linkwright.errors import MechanismError, installation_hint
from linkwright.findings import Finding
from linkwright.forces import Friction
from linkwright.formats.assets import FOLDER_FIX, Assets
from linkwright.formats.import_findings import Imported, refuse_file, refuse_one
from linkwright.formats.meshes import LARGEST_MESH
from linkwright.formats.mjcf import mjcf_actuators, model_compiler
from linkwright.formats.mjcf.mjcf_actuators import (
    actuators_of_joints,
    springs_of_tendons,
    tendons_of_model,
    unread_tendons,
)
from linkwright.formats.mjcf.mjcf_joints import BALL, FREE, joints_of_body, reference_coordinate
from linkwright.formats.mjcf.source import MeshFile, source_elements
from linkwright.formats.mjcf.unread_mjcf import is_physics_disabled, note_unread_mjcf
from linkwright.formats.plausibility import doubts_about_values
from linkwright.formats.xml import Findings, color_text, xml_text
from linkwright.mechanism import (
    Body,
    Box,
    Capsule,
    Cylinder,
    Ellipsoid,
    Frame,
    Inertia,
    Joint,
    Mechanism,
    Mesh,
    Plate,
    Shape,
    Sphere,
)
from linkwright.mechanism.names import list_of_names

# --- MJCF text to MuJoCo's compiled model -----------------------------------------------------------------------------


@dataclass(frozen=True)
class Compiled:
    """MuJoCo's model of a file.

    Attributes:
        mujoco, model: the module and its compiled model.
        surfaces: file and scale of the mesh that a geom is drawn with, by the geom's number.
        fields: half edges of the height field of a geom, by the geom's number.
        undrawn: numbers of geoms that stand for a mesh or height field.
    """

    mujoco: Any
    model: Any
    surfaces: dict[int, Mesh]
    fields: Mapping[int, list[float]]
    undrawn: frozenset[int]


def compile_mjcf_text(text: str, file: str, assets: Assets, found: Findings) -> Compiled:
    """Compile the model of a text; `assets` hold what it includes and its meshes."""
    checked = source_elements(text, file, assets, found)
    mujoco = _import_mujoco(file)
    opened = {key: str(mesh.path) for key, mesh in checked.meshes.items() if _is_small_mesh(mesh)}
    try:
        made = model_compiler.compile_with_meshes(mujoco, xml_text(checked.root), opened)
    except model_compiler.MassLost as error:
        _refuse_lost_masses(error.bodies, file)
    except model_compiler.Refused as error:
        refused = Finding("bad-syntax", f"MuJoCo does not accept the model: {error}", "correct it there first")
        refuse_file(file, [*(note for note in found.notes if note.severity == "error"), refused])
    if made.hidden:
        text = f"{made.hidden} geoms from meshes without a file left out of the drawing"
        found.note(text, code="dropped-mesh", value=made.hidden)
    if made.fields:
        text = f"{len(made.fields)} height fields are drawn as flat plates and do not touch"
        found.note(text, code="dropped-mesh", value=len(made.fields))
    surfaces = {geom: _mesh_of_file(checked.meshes[key], scale) for geom, (key, scale) in made.drawn.items()}
    return Compiled(mujoco, made.model, surfaces, made.fields, frozenset(made.emptied))


def _import_mujoco(file: str) -> Any:
    try:
        import mujoco
    except ImportError:
        fix = installation_hint("mjcf")
        refuse_one(file, "missing-package", "reading MJCF needs the package mujoco", fix)
    return mujoco


def _is_small_mesh(mesh: MeshFile) -> bool:
    """Return True if a mesh may be opened."""
    return mesh.path is not None and mesh.path.stat().st_size <= LARGEST_MESH


def _mesh_of_file(file: MeshFile, scale: list[float]) -> Mesh:
    x, y, z = scale
    return Mesh(file.written if file.path is None else str(file.path), (x, y, z))


def _refuse_lost_masses(bodies: list[str], file: str) -> NoReturn:
    """A robot without the masses of some bodies is another robot."""
    named = list_of_names("body", "bodies", bodies, 4)
    text = f"the mass of {named} comes from meshes that are not below the model's folder, or are made by a plugin"
    refuse_one(file, "lost-mass", text, f"{FOLDER_FIX}; or write <inertial> there")


# --- MJCF text to a mechanism and the list of what was dropped or assumed ---------------------------------------------

_LAST_SHOWN = 2  # group of geoms that MuJoCo draws unless asked otherwise; higher ones are for contact


def from_mjcf(text: str, file: str = "text", folder: Path | None = None, allowed: tuple[Path, ...] = ()) -> Imported:
    """The mechanism of an MJCF model and the notes of its import. Needs the package mujoco.

    Coordinates are zero where the model is drawn: MuJoCo's minus its `ref`; of floating joints they are the same.
    Includes and meshes are read below `folder` and the allowed ones; without one there are none.
    """
    found = Findings()
    made = compile_mjcf_text(text, file, Assets(folder, allowed), found)
    mujoco, model = made.mujoco, made.model
    names, lines, fixed = (
        Names(mujoco, model),
        tendons_of_model(mujoco, model),
        mjcf_actuators.joints_held_by_equality(mujoco, model),
    )
    joints = [joint for body in range(1, model.nbody) for joint in joints_of_body(model, body, names, fixed, found)]
    joints = mjcf_actuators.with_tendons_of_one_joint(model, lines, joints, names)
    couplings = list(mjcf_actuators.couplings_of_equalities(mujoco, model, names, lines, found))
    note_unread_mjcf(mujoco, model, names, found)
    _note_smoothed_friction(joints, found)
    unread_tendons(model, lines, found)
    try:
        mech = Mechanism(
            name=names.model,
            bodies=tuple(_mjcf_bodies(made, names, joints)),
            joints=tuple(joints),
            loops=tuple(mjcf_actuators.loops_of_equalities(mujoco, model, names, lines, found)),
            couplings=tuple(couplings),
            forces=tuple(springs_of_tendons(model, lines, names)),
            frames=tuple(_frames_of_sites(model, names)),
            actuators=tuple(actuators_of_joints(mujoco, model, names, lines, couplings, fixed, found)),
            base=names.body(0),
            base_shapes=tuple(_shapes_of_geoms(made, 0)),
            gravity=_gravity_of_options(mujoco, model),
            home=tuple(_home_of_keyframe(model, names, fixed)),
            source=f"MJCF '{names.model}'",
        )
    except MechanismError as error:
        refuse_file(file, [replace(finding, path=()) for finding in error.findings])
    return Imported(mech, (*found.notes, *doubts_about_values(mech)))


class Names:
    """Names of a compiled model's parts; parts without one get their number."""

    def __init__(self, mujoco: Any, model: Any) -> None:
        self._of, self._model, self._kinds = mujoco.mj_id2name, model, mujoco.mjtObj
        self._written = set(bytes(model.names).decode("utf-8", "replace").split("\0"))
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

    def key(self, i: int) -> str:
        return self._name(self._kinds.mjOBJ_KEY, i, "key")

    def _name(self, kind: Any, i: int, word: str) -> str:
        name = self._of(self._model, kind, i)
        return name or (f"{word}{i}" if f"{word}{i}" not in self._written else f"{word}{i}_without_name")


def _mjcf_bodies(made: Compiled, names: Names, joints: list[Joint]) -> Iterator[Body]:
    model = made.model
    numbers = {names.body(i): i for i in range(1, model.nbody)}
    for joint in joints:
        if joint.child not in numbers:
            yield Body(joint.child)
            continue
        i = numbers[joint.child]
        share = float(model.body_gravcomp[i])
        yield Body(joint.child, _inertia_in_body_axes(model, i), tuple(_shapes_of_geoms(made, i)), share)


def _inertia_in_body_axes(model: Any, i: int) -> Inertia:
    """Mass, mass center and inertia in body axes; MuJoCo keeps principal axes and moments."""
    R = RigidTransform.from_quaternion((0.0, 0.0, 0.0), model.body_iquat[i]).R
    turned = (R * model.body_inertia[i]) @ R.T
    rows: Any = tuple(tuple(float(x) for x in row) for row in (turned + turned.T) / 2.0)
    x, y, z = (float(part) for part in model.body_ipos[i])
    return Inertia(float(model.body_mass[i]), (x, y, z), rows)


def _shapes_of_geoms(made: Compiled, body: int) -> Iterator[Shape]:
    model, kinds = made.model, made.mujoco.mjtGeom
    for g in range(model.ngeom):
        if int(model.geom_bodyid[g]) != body or model.geom_rgba[g][3] == 0.0 or model.geom_group[g] > _LAST_SHOWN:
            continue
        pose = RigidTransform.from_quaternion(model.geom_pos[g], model.geom_quat[g])
        if g in made.surfaces:
            yield Shape(made.surfaces[g], pose @ _centered_mesh_frame(model, g).inverse, _geom_rgba(model, g))
        if g in made.fields:
            yield Shape(_rectangle_of_plane(*made.fields[g]), pose, _geom_rgba(model, g))
        if g in made.surfaces or g in made.undrawn:
            continue
        a, b, c = (float(x) for x in model.geom_size[g])
        solids: dict[int, Any] = {
            int(kinds.mjGEOM_SPHERE): Sphere(a),
            int(kinds.mjGEOM_ELLIPSOID): Ellipsoid((a, b, c)),
            int(kinds.mjGEOM_PLANE): _rectangle_of_plane(a, b)
            if a > 0.0 and b > 0.0
            else None,  # endless: the page's grid
            int(kinds.mjGEOM_BOX): Box((2 * a, 2 * b, 2 * c)),
            int(kinds.mjGEOM_CYLINDER): Cylinder(a, 2 * b),
            int(kinds.mjGEOM_CAPSULE): Capsule(a, (0.0, 0.0, -b), (0.0, 0.0, b)),
        }
        solid = solids.get(int(model.geom_type[g]))
        if solid is not None:
            yield Shape(solid, pose, _geom_rgba(model, g))


def _rectangle_of_plane(a: float, b: float) -> Plate:
    """A plane of half edges a, b [m]."""
    return Plate(((-a, -b, 0.0), (a, -b, 0.0), (a, b, 0.0), (-a, b, 0.0)), 2e-3 * max(a, b))


def _note_smoothed_friction(joints: list[Joint], found: Findings) -> None:
    dry = [joint.name for joint in joints if joint.friction is not None and joint.friction.coulomb]
    if dry:
        text = f"dry friction of {list_of_names('joint', 'joints', dry)} is smoothed around standstill"
        found.note(f"{text}, over {Friction().slip:g} rad/s or m/s", code="smoothed-friction", value=len(dry))


def _centered_mesh_frame(model: Any, g: int) -> RigidTransform:
    """The frame in which MuJoCo keeps a mesh, at its mass center along its principal axes, in the file's axes."""
    mesh = int(model.geom_dataid[g])
    return IDENTITY if mesh < 0 else RigidTransform.from_quaternion(model.mesh_pos[mesh], model.mesh_quat[mesh])


def _geom_rgba(model: Any, g: int) -> str:
    """The color of a geom, or of its material where it has none of its own."""
    material, rgba = int(model.geom_matid[g]), model.geom_rgba[g]
    if material >= 0 and [*rgba] == [0.5, 0.5, 0.5, 1.0]:
        rgba = model.mat_rgba[material]
    return color_text(rgba)


def _frames_of_sites(model: Any, names: Names) -> Iterator[Frame]:
    for s in range(model.nsite):
        pose = RigidTransform.from_quaternion(model.site_pos[s], model.site_quat[s])
        yield Frame(names.site(s), names.body(int(model.site_bodyid[s])), pose)


def _gravity_of_options(mujoco: Any, model: Any) -> Vec3:
    x, y, z = (float(g) for g in model.opt.gravity)
    return (0.0, 0.0, 0.0) if is_physics_disabled(mujoco, model, "GRAVITY") else (x, y, z)


def _home_of_keyframe(model: Any, names: Names, fixed: dict[int, float]) -> Iterator[tuple[str, tuple[float, ...]]]:
    """The keyframe called home, else the first; without one, floating joints start where the model draws their body."""
    key = next((k for k in range(model.nkey) if names.key(k) == "home"), 0 if model.nkey else None)
    qpos = model.qpos0 if key is None else model.key_qpos[key]
    for j in range(model.njnt):
        first, kind = int(model.jnt_qposadr[j]), int(model.jnt_type[j])
        count = {FREE: 7, BALL: 4}.get(kind, 1)
        values = tuple(float(x) - reference_coordinate(model, j) for x in qpos[first : first + count])
        if kind == FREE or (key is not None and j not in fixed and values != (1.0, 0.0, 0.0, 0.0) and any(values)):
            yield names.joint(j), values
