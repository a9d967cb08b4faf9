"""The check of a mechanism: what it is, how it moves, what is wrong with it, and the fix for each problem."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from linkwright.analysis.check.actuation_check import actuation_findings, actuation_verdict
from linkwright.analysis.check.bodies import (
    body_findings,
    coincident_ends,
    find_massless_motion,
    limit_findings,
    part_findings,
    separate_parts,
)
from linkwright.analysis.check.diagnosis import Diagnosis, sorted_findings
from linkwright.analysis.check.unclosed_loops import find_open_loops, home_findings, singularity_findings
from linkwright.checks import require_instances
from linkwright.errors import AssemblyError, LinkwrightError, MechanismError
from linkwright.findings import Finding
from linkwright.formats.plausibility import written_doubts
from linkwright.functions import Kernels, setup
from linkwright.kinematics.kinematics import Kinematics
from linkwright.kinematics.motions import Motions, motions_of_mechanism
from linkwright.kinematics.singularity import Singularity, dense_singularity
from linkwright.kinematics.undriven_freedoms import IdleFreedom, find_idle_freedoms
from linkwright.loops.cut_joints import Loop, joints_of_loop
from linkwright.mechanism import Limits, Mechanism
from linkwright.mechanism.mechanism import require_mechanism
from linkwright.mechanism.names import counted_noun, list_of_names
from linkwright.mechanism.records import Joint
from linkwright.mechanism.tree import coordinate_slices
from linkwright.model.limits import limits_exceeded
from linkwright.numerics.blas_threads import one_blas_thread
from linkwright.numerics.dense import count_above, decompose_scaled, least_norm, singular_values
from linkwright.numerics.tolerances import NO_EFFECT, SAME_MOTION
from linkwright.plans.closed_samples import home_coordinates
from linkwright.plans.near_redundancy import odd_axis

# --- reasons why closure equations repeat each other ------------------------------------------------------------------


def redundancy_findings(kinematics: Kinematics, motions: Motions) -> Iterator[Finding]:
    """A remark for every loop with repeated equations: how many, of which kind, and what it means."""
    if not kinematics.setup.closure.n_all:
        return
    spare = Counter(kinematics.loop_of_row(row) for row in kinematics.rank.redundant)
    total = Counter(kinematics.loop_of_row(row) for row in range(kinematics.setup.closure.n_all))
    loops = {loop.name: loop for loop in kinematics.setup.closure.loops}
    for name, count in spare.items():
        if name not in loops:
            yield _repeated_coupling(name)
            continue
        twin = _parallel_joint(kinematics, name) if count == total[name] else None
        if twin is not None:
            yield _repeated_joint(name, twin, count)
            continue
        what = {
            "planar": f"loop '{name}' moves in a plane but is drawn in space",
            "spherical": f"loop '{name}' moves about one point",
            "special": f"loop '{name}' is over-constrained and moves only because of its special dimensions",
            "locked": f"loop '{name}' is over-constrained",
        }[_loop_motion_kind(kinematics, motions, loops[name])]
        repeat = "repeats" if count == 1 else "repeat"
        yield Finding(
            "redundant-equations",
            f"{what}: {count} of its {total[name]} equations {repeat} others, so joint forces are not unique",
            f"motion and efforts are right as it is; for unique joint forces give joints of this loop "
            f"{counted_noun(count, 'more freedom')} (a spherical joint for a revolute one frees 2, a cylindrical one "
            "1)",
            "remark",
            name,
            count,
        )


def _parallel_joint(kinematics: Kinematics, name: str) -> Joint | None:
    """Another joint between the same two bodies as a cut joint, if there is one."""
    mech = kinematics.setup.mech
    own = next(joint for joint in mech.loops if joint.name == name)
    ends = {own.parent, own.child}
    others = (joint for joint in (*mech.joints, *mech.loops) if joint.name != name)
    return next((joint for joint in others if {joint.parent, joint.child} == ends), None)


def _repeated_joint(name: str, twin: Joint, count: int) -> Finding:
    return Finding(
        "redundant-equations",
        f"joint '{name}' repeats joint '{twin.name}': both connect '{twin.parent}' and '{twin.child}' and leave them "
        "the same motion",
        f"leave one of them out, or keep both (two hinges of a lid); only the forces of '{name}' and '{twin.name}' "
        "are not unique",
        "remark",
        name,
        count,
    )


def _repeated_coupling(name: str) -> Finding:
    return Finding(
        "redundant-equations",
        f"coupling '{name}' repeats the other couplings and loops",
        "leave it out, or keep it; only the force it carries is not unique",
        "remark",
        name,
        1,
    )


def _loop_motion_kind(kinematics: Kinematics, motions: Motions, loop: Loop) -> str:
    """Kind of motion of a loop's bodies, in a plane or about a point, seen from the body that carries both sides."""
    near, far = (_link_ancestors(kinematics, end.link) for end in (loop.near, loop.far))
    shared = [i for i in near if i in far]
    bodies = [i for i in (*near, *far) if i not in shared]
    t = motions.twists[0]
    own = t[bodies] - t[shared[0]] if shared else t[bodies]
    flat = own.transpose(0, 2, 1).reshape(own.shape[0] * own.shape[2], 6)
    if not flat.size or np.abs(flat).max() < SAME_MOTION:
        return "locked"
    return "planar" if _is_planar_motion(flat) else "spherical" if _is_spherical_motion(flat) else "special"


def _link_ancestors(kinematics: Kinematics, link: int) -> tuple[int, ...]:
    return kinematics.setup.tree.ancestors(link) if link >= 0 else ()


def _is_planar_motion(t: np.ndarray) -> bool:
    """Return True if all twists (n, 6) turn about one direction and slide across it."""
    turns = decompose_scaled(t[:, :3])
    if turns.s[0] < SAME_MOTION:
        return bool(count_above(singular_values(t[:, 3:]), SAME_MOTION) < 3)
    return bool(turns.rank(SAME_MOTION) < 2 and np.abs(t[:, 3:] @ turns.Vt[0]).max() < SAME_MOTION * np.abs(t).max())


def _is_spherical_motion(t: np.ndarray) -> bool:
    """Return True if all twists (n, 6) at the world's origin leave one point at rest."""
    A = np.concatenate([_cross_matrix(w) for w in t[:, :3]])
    b = -t[:, 3:].ravel()
    c = least_norm(A, b, NO_EFFECT)
    return bool(np.abs(A @ c - b).max() < SAME_MOTION * np.abs(t).max())


def _cross_matrix(w: np.ndarray) -> np.ndarray:
    x, y, z = w
    return np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])


# --- the check of a mechanism -----------------------------------------------------------------------------------------

_STILL = 1e-3

# Codes of a reader's remarks that are worth knowing when a mechanism does not do what it should.
_SHOWN_REMARKS = ("default-axis",)


@one_blas_thread()
def check(mech: Mechanism, notes: Sequence[Finding] = ()) -> Diagnosis:
    """Examine a mechanism: its mobility, what drives it, and a finding for everything wrong or worth knowing.

    It does not raise, whatever is wrong. `notes` are findings of the reader of its file; those that matter and are not
    found here too are added.

    >>> from linkwright import catalog
    >>> found = check(catalog.load("four-bar"))
    >>> found.gruebler, found.mobility, found.actuation.verdict, found.problems
    (-2, 1, 'exact', ())
    """
    require_mechanism("check", mech)
    notes = require_instances("notes", notes, Finding, "a list of findings")
    kinematics, complaints = _kinematics_to_check(mech)
    basic = _counts_diagnosis(kinematics, complaints)
    try:
        found = _closed_mechanism_diagnosis(kinematics, basic)
    except AssemblyError as error:
        found = replace(_add_findings(basic, [find_open_loops(kinematics)]), stopped=type(error))
    except (LinkwrightError, ArithmeticError, ValueError, np.linalg.LinAlgError) as error:
        text, fix = f"the examination stopped: {error}", "correct this first and check again"
        found = _add_findings(basic, [Finding("not-examined", text, fix)])
    shown = [note for note in notes if note.matters or note.code in _SHOWN_REMARKS]
    found = replace(found, findings=_with_lines(found.findings, shown))
    more = _not_among(found.findings, shown)
    more += _not_among((*found.findings, *shown), written_doubts(mech))
    return replace(found, findings=sorted_findings((*found.findings, *more)))


def _with_lines(found: Sequence[Finding], notes: Sequence[Finding]) -> tuple[Finding, ...]:
    """The findings, in place of each a note of the reader that says the same with the line in the file."""
    known = {(note.code, note.subject): note for note in notes if note.line}
    return tuple(known.get((finding.code, finding.subject), finding) for finding in found)


def _not_among(found: Sequence[Finding], more: Sequence[Finding]) -> list[Finding]:
    """Those of further findings that say of no subject what was found of it already."""
    known = {(finding.code, finding.subject) for finding in found}
    return [each for each in more if (each.code, each.subject) not in known]


def unreadable_diagnosis(name: str, error: MechanismError) -> Diagnosis:
    """The diagnosis of a file that is not a mechanism: its findings."""
    return Diagnosis(name, findings=error.findings, stopped=type(error))


def _kinematics_to_check(mech: Mechanism) -> tuple[Kinematics, list[Finding]]:
    """The mechanism with its actuators, or without them when they cannot be understood."""
    try:
        return Kinematics(Kernels(setup(mech, None)), quiet=True), []
    except LinkwrightError as error:
        misnamed = Finding("wrong-actuators", str(error), "name each driven joint once under 'actuators'")
        return Kinematics(Kernels(setup(mech, ())), quiet=True), [misnamed]


def _counts_diagnosis(kinematics: Kinematics, complaints: list[Finding]) -> Diagnosis:
    """Counts that need nothing closed."""
    mech, closure = kinematics.setup.mech, kinematics.setup.closure
    parts = separate_parts(mech)
    return Diagnosis(
        name=mech.name,
        bodies=len(mech.bodies),
        joints=len(mech.joints) + len(mech.loops),
        loops=len(mech.loops),
        couplings=len(mech.couplings),
        velocities=kinematics.setup.tree.nv,
        equations=closure.n_all,
        gruebler=kinematics.setup.tree.nv - closure.n_all,
        parts=parts,
        findings=(*complaints, *body_findings(mech), *part_findings(mech, parts)),
    )


def _add_findings(found: Diagnosis, more: list[Finding]) -> Diagnosis:
    return replace(found, findings=(*found.findings, *more))


def _closed_mechanism_diagnosis(kinematics: Kinematics, basic: Diagnosis) -> Diagnosis:
    """The diagnosis of a mechanism that closes."""
    mech, is_tree = kinematics.setup.mech, not kinematics.setup.closure.n_all
    pose = home_coordinates(kinematics.all_rows) if is_tree else kinematics.home
    moves = motions_of_mechanism(kinematics)
    idle = find_idle_freedoms(moves)
    driven = actuation_verdict(moves, idle)
    near = _home_singularity(kinematics)
    distances = {"type1": near.type1, "type2": near.type2, "constraint": near.constraint}
    found = replace(
        basic,
        mobility=moves.mobility + moves.elastic,
        elastic=moves.elastic,
        redundant=() if is_tree else kinematics.redundancy,
        idle=idle.found,
        actuation=driven,
        singularity={name: float(x) for name, x in distances.items() if x == x},
        home={name: tuple(map(float, pose[at])) for name, (at, _) in coordinate_slices(mech.joints).items()},
    )
    findings = [
        *_find_locked_mechanism(kinematics, moves, near),
        *redundancy_findings(kinematics, moves),
        *_idle_findings(mech, idle.found, moves.mobility + moves.elastic),
        *_elastic_freedoms(moves),
        *_not_held_yet(mech),
    ]
    misnamed = any(finding.code == "wrong-actuators" for finding in basic.findings)
    findings += () if misnamed else actuation_findings(driven, moves, idle)
    findings += find_massless_motion(moves)
    findings += coincident_ends(kinematics.all_rows, pose)
    bounded = any(j.limits != Limits() for j in (*mech.joints, *mech.loops))
    findings += limit_findings(limits_exceeded(kinematics.all_rows, pose, compiled=False) if bounded else (), mech)
    if not is_tree:
        findings += home_findings(kinematics)
    findings += kinematics.doubts
    if moves.mobility:
        findings += singularity_findings(near, driven.verdict == "exact")
    return _add_findings(found, findings)


def _find_locked_mechanism(kinematics: Kinematics, moves: Motions, near: Singularity) -> Iterator[Finding]:
    """A structure, or one that only seems to move."""
    if not kinematics.setup.closure.n_all:
        return
    shaky = _distance_from_home(kinematics) < _STILL and (moves.mobility or near.constraint < _STILL**2)
    if shaky:
        yield Finding(
            "locked",
            "the mechanism is a shaky structure: at home its equations allow a small motion, but none that goes on",
            "change a length a little, so that it is either a firm structure or a mechanism",
        )
    elif not moves.mobility:
        count = kinematics.setup.tree.nv - kinematics.setup.closure.n_all
        why = "every equation is needed" if not kinematics.rank.redundant else f"the count on paper is {count}"
        setup = kinematics.setup
        odd = (odd_axis(setup.mech, joints_of_loop(setup.tree, loop)) for loop in setup.closure.loops)
        tilt = next((each for each in odd if each is not None), None)
        text = (
            f"the mechanism cannot move: {kinematics.rank.rank} independent closure equations take all "
            f"{kinematics.setup.tree.nv} velocities ({why})"
        )
        way_out = "remove a joint from a loop, or give one of its joints more freedom"
        if tilt is not None:
            text += f"; {tilt}, which are parallel all around the loop" if not tilt.slides else f"; {tilt}"
            way_out = f"if the loop is planar, {tilt.remedy}; else {way_out}"
        yield Finding("locked", text, way_out, subject="" if tilt is None else tilt.joint)


def _distance_from_home(kinematics: Kinematics) -> float:
    """Largest distance from home on the walk along the branch, in radians or in units of the mechanism's size."""
    unit = max(1.0, kinematics.scales.length)
    return float(np.abs(kinematics.branch_samples - kinematics.home).max(initial=0.0)) / unit


def _idle_findings(mech: Mechanism, idle: tuple[IdleFreedom, ...], mobility: int) -> Iterator[Finding]:
    """A remark for each idle freedom; warnings where the mechanism has no others."""
    nothing_else = bool(idle) and len(idle) == mobility
    for each in idle:
        alone = "moves" if len(each.bodies) == 1 else "move"
        text = f"{each.description} and {alone} nothing else (idle: it carries no effort)"
        yield Finding(
            "idle-freedom",
            f"{text}; '{mech.name}' has no other motion" if nothing_else else text,
            _idle_freedom_advice(mech, each, nothing_else),
            "warning" if nothing_else else "remark",
            each.joints[0],
            each.bodies,
        )


def _idle_freedom_advice(mech: Mechanism, idle: IdleFreedom, nothing_else: bool) -> str:
    """What to do about an idle freedom, by the kinds of its joints."""
    kinds = {joint.name: joint.kind for joint in (*mech.joints, *mech.loops)}
    leave = "or leave it if that motion matters"
    spherical = next((name for name in idle.joints if name in kinds and kinds[name].turns_about_point), "")
    if spherical:
        return (
            f"take a joint without this freedom for '{spherical}' (a universal one instead of a spherical one), {leave}"
        )
    names = list_of_names("joint", "joints", idle.joints)
    shared = {"spins": f"{names} lie on one axis", "slides": f"{names} slide along one direction"}
    cause = shared.get(idle.motion, f"{names} move it alone")
    return f"{cause}: check where they are" + ("" if nothing_else else f", {leave}")


def _not_held_yet(mech: Mechanism) -> Iterator[Finding]:
    if mech.open_loops:
        names = [joint.name for joint in mech.open_loops]
        yield Finding(
            "loop-not-held",
            f"{list_of_names('loop', 'loops', names)} {'is' if len(names) == 1 else 'are'} open at the start and "
            "left out of everything shown here",
            "a run closes them with Close(...); to examine the closed kinematics, take 'open: true' out of the file",
            "remark",
            names[0],
            names,
        )


def _elastic_freedoms(moves: Motions) -> Iterator[Finding]:
    if moves.elastic:
        yield Finding(
            "elastic-freedoms",
            f"links bend in {counted_noun(moves.elastic, 'freedom')} that no actuator drives, "
            "so inverse dynamics is refused",
            'take the mechanism with rigid links for efforts, or let the shapes follow with undriven="free"; forward '
            "dynamics and simulation need nothing",
            "remark",
            value=moves.elastic,
        )


def _home_singularity(kinematics: Kinematics) -> Singularity:
    """Distances of the home pose from singularities, without planning an elimination."""
    q = kinematics.home if kinematics.setup.closure.n_all else home_coordinates(kinematics.all_rows)
    return dense_singularity(kinematics, q)
