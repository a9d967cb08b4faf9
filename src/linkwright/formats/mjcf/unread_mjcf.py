"""Parts that MuJoCo would simulate and the mechanism does not have: one note each, graded by what it changes."""

from __future__ import annotations

from typing import Any

from linkwright.formats.mjcf.mjcf_joints import BALL, FREE, reference_coordinate
from linkwright.formats.xml import Findings
from linkwright.mechanism.names import list_of_names

_SERVO = "its law (gain, bias, activation) is not part of the mechanism; efforts are inputs here"


def note_unread_mjcf(mujoco: Any, model: Any, names: Any, found: Findings) -> None:
    """Note every part of a compiled model that is dropped."""
    _note_disabled_flags(mujoco, model, names, found)
    _note_soft_equalities(mujoco, model, found)
    _note_dropped_contacts(model, found)
    _note_dropped_surroundings(model, found)
    _note_mocap_bodies(model, names, found)
    for j in range(model.njnt):
        _note_joint_differences(model, j, names, found)
    _note_actuator_laws(mujoco, model, names, found)


def is_physics_disabled(mujoco: Any, model: Any, what: str) -> bool:
    """Return True if a flag of <option> switches a part of the physics off."""
    bit = getattr(mujoco.mjtDisableBit, f"mjDSBL_{what}", None)
    return bit is not None and bool(int(model.opt.disableflags) & int(bit))


def is_set(model: Any, field: str, i: int) -> bool:
    """Return True if the compiled model has the field, which older versions lack, with a nonzero value at index i."""
    values = getattr(model, field, None)
    return values is not None and bool(values[i].any())


def is_direct(mujoco: Any, model: Any, i: int) -> bool:
    """Return True if an actuator's force is a constant times its control."""
    plain = (mujoco.mjtGain.mjGAIN_FIXED, mujoco.mjtBias.mjBIAS_NONE, mujoco.mjtDyn.mjDYN_NONE)
    kinds = (model.actuator_gaintype[i], model.actuator_biastype[i], model.actuator_dyntype[i])
    return [*map(int, kinds)] == [*map(int, plain)]


def _note_disabled_flags(mujoco: Any, model: Any, names: Any, found: Findings) -> None:
    """Parts of the physics that the file switches off and that act here."""
    parts = {"EQUALITY": model.neq, "SPRING": model.jnt_stiffness.any(), "DAMPER": model.dof_damping.any()}
    parts |= {"FRICTIONLOSS": model.dof_frictionloss.any(), "CONSTRAINT": model.neq}
    for what, present in parts.items():
        if present and is_physics_disabled(mujoco, model, what):
            text, fix = (
                f"a flag of <option> switches {what.lower()} off in MuJoCo",
                "here it acts, take it out of the file",
            )
            found.note(text, "warning", "disabled", what.lower(), fix=fix)
    off, count = is_physics_disabled(mujoco, model, "ACTUATION"), len(model.actuator_trntype)
    groups = int(getattr(model.opt, "disableactuator", 0))
    still = [names.actuator(i) for i in range(count) if off or _is_in_group(groups, int(model.actuator_group[i]))]
    if still:
        text = f"{list_of_names('actuator', 'actuators', still, 4)} switched off in <option>"
        found.note(text, "warning", "disabled", still[0], len(still), "here their efforts act, give them as zero")


def _is_in_group(groups: int, group: int) -> bool:
    """Return True if the bit of a group, 0 to 30, is set."""
    return 0 <= group <= 30 and bool(groups >> group & 1)


def _note_soft_equalities(mujoco: Any, model: Any, found: Findings) -> None:
    if model.neq:
        text = "equality constraints are rigid here; MuJoCo's softness (solref, solimp) is dropped"
        found.note(text, code="rigid-loops", value=int(model.neq))


def _note_dropped_contacts(model: Any, found: Findings) -> None:
    if model.ngeom or model.npair:
        text = "geoms are drawn and do not touch; contacts are dropped"
        more = [f"{n} {what}" for n, what in ((model.npair, "pairs"), (model.nexclude, "exclusions")) if n]
        found.note(text + (f", with {' and '.join(more)}" if more else ""), code="contacts", value=int(model.npair))


def _note_dropped_surroundings(model: Any, found: Findings) -> None:
    if model.opt.density or model.opt.viscosity:
        wind = " and wind" if model.opt.wind.any() else ""
        found.note(f"forces of the surrounding fluid{wind} dropped", "warning", "dropped-fluid", "option")
    if getattr(model, "nflex", 0):
        text = f"{model.nflex} deformable bodies (flex) dropped"
        found.note(text, "error", "dropped-flex", "flex", int(model.nflex), "only rigid bodies are read")


def _note_mocap_bodies(model: Any, names: Any, found: Findings) -> None:
    for i in range(1, model.nbody):
        if model.body_mocapid[i] >= 0:
            text = f"body '{names.body(i)}' is moved from outside (mocap) and does not move here"
            found.note(text, "warning", "mocap", names.body(i))


def _note_joint_differences(model: Any, j: int, names: Any, found: Findings) -> None:
    name, first, kind = names.joint(j), int(model.jnt_dofadr[j]), int(model.jnt_type[j])
    if reference_coordinate(model, j):
        shift = f"MuJoCo's minus {reference_coordinate(model, j):g}"
        text = f"joint '{name}': zero where it is drawn; its coordinate is {shift}"
        found.note(text, code="reference", subject=name, value=reference_coordinate(model, j))
    if model.jnt_limited[j] and (model.jnt_margin[j] or kind in (BALL, FREE)):
        text = f"joint '{name}': limits are reported and do not push; its margin {model.jnt_margin[j]:g} is dropped"
        found.note(text, code="soft-limits", subject=name)
    for what, poly in (("spring", "jnt_stiffnesspoly"), ("damper", "dof_dampingpoly")):
        index = j if what == "spring" else first
        if is_set(model, poly, index):
            text = f"joint '{name}': the {what} is not linear; its higher coefficients are dropped"
            code = "dropped-spring" if what == "spring" else "dropped-damper"
            found.note(text, "warning", code, name, getattr(model, poly)[index].tolist())
    if is_set(model, "jnt_springyield", j):
        found.note(f"joint '{name}': its spring yields; read as elastic", "warning", "dropped-spring", name)


def _note_actuator_laws(mujoco: Any, model: Any, names: Any, found: Findings) -> None:
    count = len(model.actuator_gaintype)
    servos = [names.actuator(i) for i in range(count) if not is_direct(mujoco, model, i)]
    if servos:
        shown = ", ".join(f"'{name}'" for name in servos[:4]) + (" ..." if len(servos) > 4 else "")
        found.note(f"{len(servos)} actuators ({shown}) are servos or muscles: {_SERVO}", code="actuator-law")
    curved = [names.actuator(i) for i in range(count) if is_set(model, "actuator_dampingpoly", i)]
    if curved:
        text = f"the damper of {list_of_names('actuator', 'actuators', curved, 4)} is not linear"
        found.note(f"{text}; its higher coefficients are dropped", "warning", "dropped-damper", curved[0], len(curved))
    delayed = [names.actuator(i) for i, x in enumerate(getattr(model, "actuator_delay", ())) if x]
    if delayed:
        found.note(f"delays of {', '.join(delayed)} dropped", code="actuator-delay", subject=delayed[0])
