"""MuJoCo as the other program: it reads the same MJCF file itself, and its equality rows are kept rigidly."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import mujoco
import numpy as np

from linkwright.mechanism import Mechanism
from linkwright.mechanism.tree import coordinate_slices
from linkwright.plans.near_redundancy import Released
from tests.corpus.dense import Comparison, Dense, extended_precision, rate_along
from tests.corpus.extended import constraint_rows

Array = np.ndarray
FREE, BALL = 0, 1
_WIDTHS = {FREE: 6, BALL: 3}  # velocities of a joint; others have one


class Incomplete(FileNotFoundError):
    """A mesh that gives a body its mass is not in the folder."""


def compiled(path: Path) -> Any:
    """MuJoCo's model of a file: nothing drawn, meshes that are missing and weigh nothing left out."""
    mujoco.set_mju_user_warning(lambda _: None)
    spec = mujoco.MjSpec.from_file(str(path))
    missing = {mesh.name or Path(mesh.file).stem for mesh in spec.meshes if mesh.file and not _file(spec, path, mesh)}
    for geom in list(spec.geoms):
        geom.material = ""
        if geom.meshname in missing and geom.meshname:
            if _weighs(spec, geom):
                raise Incomplete(f"mesh '{geom.meshname}' of body '{geom.parent.name}' is missing")
            spec.delete(geom)
    for part in (*spec.skins, *spec.materials, *spec.textures, *spec.sensors, *spec.pairs, *spec.excludes):
        spec.delete(part)
    for mesh in list(spec.meshes):
        if (mesh.name or Path(mesh.file).stem) in missing:
            spec.delete(mesh)
    for each in (*spec.sites, *spec.tendons):
        each.material = ""
    for key in list(spec.keys):
        spec.delete(key)
    model = spec.compile()
    model.opt.density = model.opt.viscosity = 0.0
    model.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_CONTACT) | int(mujoco.mjtDisableBit.mjDSBL_LIMIT)
    model.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_ACTUATION)
    model.dof_frictionloss[:] = 0.0
    return model


def _file(spec: Any, path: Path, mesh: Any) -> bool:
    name = Path(mesh.file).name if spec.strippath else mesh.file
    return any(Path(path.parent, folder, name).is_file() for folder in (spec.meshdir or "", ""))


def _weighs(spec: Any, geom: Any) -> bool:
    body = geom.parent
    always = int(spec.compiler.inertiafromgeom) == 1
    group = spec.compiler.inertiagrouprange[0] <= geom.group <= spec.compiler.inertiagrouprange[1]
    return body.name != "world" and (always or not body.explicitinertial) and geom.mass != 0.0 and group


@dataclass(frozen=True)
class Peer:
    """A mechanism beside MuJoCo's model of the same file.

    Closure equations that the library leaves out because they contradict others by a file's rounding are left out of
    MuJoCo's rows too: the rows of that `connect` along the axes of our frame, without the one that is released.
    """

    mech: Mechanism
    model: Any
    released: tuple[Released, ...] = ()

    def state(self, q: Array, v: Array) -> tuple[Any, Array, Array]:
        """MuJoCo's data at our state, T with v = T qvel, and T_dot qvel."""
        data, model = mujoco.MjData(self.model), self.model
        slices = coordinate_slices(self.mech.joints)
        T, rate = np.zeros((len(v), model.nv)), np.zeros(len(v))
        for j in range(model.njnt):
            kind, a, d = int(model.jnt_type[j]), int(model.jnt_qposadr[j]), int(model.jnt_dofadr[j])
            coords, dofs = slices[model.joint(j).name or f"joint{j}"]
            x, n = q[coords], dofs.stop - dofs.start
            if not n:
                continue
            data.qpos[a : a + len(x)] = x + (model.qpos0[a] if kind > BALL else 0.0)
            T[dofs, d : d + n] = np.eye(n)
            if kind == FREE:
                R = np.zeros(9)
                mujoco.mju_quat2Mat(R, x[3:])
                R = R.reshape(3, 3)
                T[dofs, d : d + 6] = np.block([[np.zeros((3, 3)), np.eye(3)], [R.T, np.zeros((3, 3))]])
        data.qvel = np.linalg.lstsq(T, v, rcond=None)[0]
        for j in range(model.njnt):
            if int(model.jnt_type[j]) == FREE:
                d, (_, dofs) = int(model.jnt_dofadr[j]), slices[model.joint(j).name or f"joint{j}"]
                R = T[dofs, d : d + 3][3:].T
                rate[dofs] = np.r_[np.zeros(3), -np.cross(data.qvel[d + 3 : d + 6], R.T @ data.qvel[d : d + 3])]
        return data, T, rate

    def equations(self, data: Any) -> Dense:
        """MuJoCo's own matrices, and the derivative of its equality rows along the motion."""
        model = self.model
        mujoco.mj_forward(model, data)
        M = np.zeros((model.nv, model.nv))
        mujoco.mj_fullM(model, data, M)
        by_actuators = np.repeat(model.jnt_actgravcomp, [_WIDTHS.get(int(kind), 1) for kind in model.jnt_type])
        h = data.qfrc_bias - data.qfrc_passive - by_actuators * data.qfrc_gravcomp
        v, qpos = data.qvel.copy(), data.qpos.copy()
        J = self.rows(qpos)
        if not len(J):
            return Dense(M, h, J, np.zeros(0))

        def along(t: float) -> Array:
            moved = qpos.copy()
            mujoco.mj_integratePos(model, moved, v, t)
            return self.rows(moved)

        return Dense(M, h, J, rate_along(along, v))

    def rows(self, qpos: Array) -> Array:
        """Rows of all active equalities at a position."""
        data = mujoco.MjData(self.model)
        data.qpos = qpos
        mujoco.mj_fwdPosition(self.model, data)
        J = np.array(data.efc_J)
        if J.size != data.nefc * self.model.nv:
            J = _dense(data, self.model.nv)
        return self.without_released(data, J.reshape(data.nefc, self.model.nv)[_equalities(data)])

    def without_released(self, data: Any, J: Array) -> Array:
        """Rows of equalities; of loops with released equations those of the residual along our frame's axes."""
        numbers, dropped, J = [int(data.efc_id[i]) for i in _equalities(data)], [], J.copy()
        for loop in self.mech.loops:
            left_out = [row.number for row in self.released if row.loop == loop.name]
            if not left_out:
                continue
            e = next(e for e in range(self.model.neq) if (self.model.equality(e).name or f"equality{e}") == loop.name)
            rows = slice(numbers.index(e), numbers.index(e) + 3)
            body = mujoco.mj_name2id(self.model, mujoco.mjtObj.mjOBJ_BODY, loop.parent)
            turning = np.zeros((3, self.model.nv))
            mujoco.mj_jacBody(self.model, data, None, turning, body)
            gap, axes = data.efc_pos[_equalities(data)][rows], data.xmat[body].reshape(3, 3) @ loop.at.R
            J[rows] = axes.T @ (J[rows] + np.cross(gap, turning, axisb=0, axisc=0))
            dropped += [rows.start + number for number in left_out]
        return np.delete(J, dropped, axis=0)

    def compare(self, q: Array, v: Array, a: Array, force: Array) -> Comparison:
        """How far our accelerations are from those of MuJoCo's equations, with forces along our velocities."""
        data, T, rate = self.state(q, v)
        theirs, *_ = np.linalg.lstsq(T, a - rate, rcond=None)
        return self.equations(data).compare(theirs, T.T @ force)

    def extended(self, q: Array, v: Array, force: Array) -> Array:
        """Our accelerations by MuJoCo's equations with constraint rows in extended precision."""
        data, T, rate = self.state(q, v)
        J, c = constraint_rows(self.mech, q, v)
        held = np.eye(T.shape[1])[~T.any(axis=0)]
        rows = np.vstack([J @ extended_precision(T), extended_precision(held)])
        c = np.concatenate([c + J @ extended_precision(rate), extended_precision(np.zeros(len(held)))])
        return T @ self.equations(data).extended(T.T @ force, rows, c) + rate


def _equalities(data: Any) -> list[int]:
    return [i for i in range(data.nefc) if int(data.efc_type[i]) == int(mujoco.mjtConstraint.mjCNSTR_EQUALITY)]


def _dense(data: Any, nv: int) -> Array:
    J = np.zeros((data.nefc, nv))
    for i in range(data.nefc):
        first, count = int(data.efc_J_rowadr[i]), int(data.efc_J_rownnz[i])
        J[i, data.efc_J_colind[first : first + count]] = data.efc_J[first : first + count]
    return J


def peer(mech: Mechanism, path: Path) -> Peer:
    """MuJoCo's model of a file beside our reading of it."""
    return Peer(mech, compiled(path))
