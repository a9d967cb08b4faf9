"""Check that the named actuators drive a mechanism, and find other sets that would."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, islice
from math import comb

import numpy as np

from linkwright.analysis.check.bodies import loose_chains
from linkwright.analysis.check.diagnosis import Actuation, ActuatorSet, Verdict
from linkwright.findings import Finding
from linkwright.functions import part_names
from linkwright.kinematics.motions import Motions, motion_description, null_space_basis, sparse_motion
from linkwright.kinematics.undriven_freedoms import IdleRod, floating_base_motions
from linkwright.mechanism.names import counted_noun, list_of_names
from linkwright.numerics.dense import singular_values
from linkwright.numerics.tolerances import GENERIC_RANK, SAME_MOTION

_EXAMINED, _FEWEST_EXAMINED = 20_000, 200
_WORK = 20_000_000  # numbers multiplied to examine sets, about: cubes of their size
_SHOWN = 10
_LATER = "nothing to do if open loops hold that motion once they are closed; otherwise"
_USUAL, _POSSIBLE = 1, 2  # freedoms of the joints that are driven


def actuation_verdict(motions: Motions, idle: IdleRod) -> Actuation:
    """The verdict on the mechanism's actuators and the sets that would do."""
    actuators = motions.setup.actuated
    useful = _motions_to_drive(motions, idle)
    needed = useful.shape[2]
    if not needed:
        return Actuation("locked", actuators, 0, 0)
    driven = _rank_of_rates(motions.rates(actuators) @ useful)
    verdict = _actuation_kind(len(actuators), driven, needed)
    undriven = _undriven_motion(motions, useful) if driven < needed else ""
    return Actuation(verdict, actuators, driven, needed, undriven, *_best_actuator_sets(motions, useful))


def _motions_to_drive(motions: Motions, idle: IdleRod) -> np.ndarray:
    """Orthonormal motions without idle ones and those of a floating base, in the basis, (k, mobility, needed)."""
    pairs = zip(idle.spaces, floating_base_motions(motions), strict=True)
    return np.array([null_space_basis(np.hstack(pair).T) for pair in pairs])


def _rank_of_rates(G: np.ndarray) -> int:
    return int(np.max(np.sum(singular_values(G) > SAME_MOTION, axis=1), initial=0))


def _actuation_kind(actuators: int, driven: int, needed: int) -> Verdict:
    if not actuators:
        return "none"
    if driven == needed:
        return "exact" if actuators == needed else "redundant"
    return "insufficient" if driven == actuators else "wrong"


def _undriven_motion(motions: Motions, useful: np.ndarray) -> str:
    """Description of a motion that goes on with every actuator locked."""
    G = motions.rates(motions.setup.actuated)[0] @ useful[0]
    left = motions.bases[0] @ useful[0] @ null_space_basis(G)
    return motion_description(motions.names, sparse_motion(left))


def _best_actuator_sets(motions: Motions, useful: np.ndarray) -> tuple[tuple[ActuatorSet, ...], int, int, int]:
    """Best sets of actuators, how many qualify, how many were looked at, how many there are."""
    needed = useful.shape[2]
    for most in (_USUAL, _POSSIBLE):
        names = _drivable_velocities(motions, most)
        possible = comb(len(names), needed)
        if not possible:
            continue
        G = motions.rates(names) @ useful
        sets = np.array(list(islice(_candidate_sets(names, needed, G), _examined_set_count(needed))), dtype=int)
        scores = _set_scores(G, sets)
        good = scores > GENERIC_RANK
        if np.any(good):
            best = np.argsort(-np.round(scores, 12), kind="stable")[: min(_SHOWN, int(good.sum()))]
            shown = tuple(ActuatorSet(tuple(names[i] for i in sets[b]), float(scores[b])) for b in best)
            return shown, int(good.sum()), len(sets), possible
    return (), 0, 0, 0


def _examined_set_count(needed: int) -> int:
    """Number of sets looked at: fewer where a robot needs many actuators."""
    return max(_FEWEST_EXAMINED, min(_EXAMINED, _WORK // needed**3))


def _drivable_velocities(motions: Motions, most: int) -> tuple[str, ...]:
    """Velocities of the joints with at most so many freedoms."""
    mech = motions.setup.mech
    joints = tuple(j for j in (*mech.joints, *mech.loops) if j.kind.nv <= most and not j.kind.bends)
    return part_names(joints, speeds=True)


def _candidate_sets(names: tuple[str, ...], size: int, G: np.ndarray) -> Iterator[tuple[int, ...]]:
    """All sets of a size; when there are too many, those of the joints that move most come first."""
    if comb(len(names), size) <= _examined_set_count(size):
        return combinations(range(len(names)), size)
    order = np.argsort(-np.linalg.norm(G, axis=2).mean(axis=0), kind="stable").tolist()
    return combinations(order, size)


def _set_scores(G: np.ndarray, sets: np.ndarray) -> np.ndarray:
    """Smallest singular value of each set's rows, the median over configurations, (n_sets,)."""
    return np.median([singular_values(rows[sets])[:, -1] for rows in G], axis=0)


def actuation_findings(found: Actuation, motions: Motions, idle: IdleRod) -> Iterator[Finding]:
    """Findings about the actuators, and which to take instead."""
    loose = bool(motions.setup.mech.open_loops)
    yield from _actuators_without_motion(found, motions)
    match found.verdict:
        case "none":
            yield Finding(
                "no-actuators",
                f"no actuators are named; the mechanism has {counted_noun(found.needed, 'freedom')} to drive",
                _actuation_advice(
                    found, "name the driven joints under 'actuators' (in URDF give each a <transmission>)"
                ),
                "remark",
                value=found.needed,
            )
        case "redundant":
            yield Finding(
                "redundant-actuators",
                f"{len(found.actuators)} actuators drive {counted_noun(found.needed, 'freedom')}, "
                "so their efforts are not unique",
                "choose how they share the work (sharing=LeastNorm(), LeastPeak() or Preload(...)), or leave some out",
                "remark",
                value=len(found.actuators),
            )
        case "insufficient":
            more = _missing_actuators(found, motions)
            yield Finding(
                "too-few-actuators",
                f"the {_actuators_clause(found)} {found.driven} of {found.needed} freedoms; with all actuators locked "
                f"{found.undriven} can still move{_other_motions(found)} (undriven: inverse dynamics refuses it, or "
                'leaves it to the dynamics with undriven="free")',
                f"{_LATER} {_completion_advice(found, more)}" if loose else _completion_advice(found, more),
                "remark" if loose else "warning",
                value=more,
            )
            yield from _chains_in_the_air(motions)
        case "wrong":
            yield Finding(
                "wrong-actuators",
                f"the {_actuators_clause(found)} only {found.driven} of {found.needed} freedoms, because they "
                f"repeat each other; with all of them locked {found.undriven} can still move{_other_motions(found)}",
                _actuation_advice(found, "drive other joints"),
                value=found.driven,
            )
    if found.actuators and found.verdict in ("exact", "redundant", "locked"):
        yield from _left_undriven(len(idle.found), floating_base_motions(motions)[0].shape[1])


def _chains_in_the_air(motions: Motions) -> Iterator[Finding]:
    """Chains of bodies that nothing drives or holds at their end."""
    ends = loose_chains(motions.setup.mech)
    if ends:
        held, joints = ("it", "its joint") if len(ends) == 1 else ("them", "their joints")
        yield Finding(
            "loose-chain",
            f"{list_of_names('body', 'bodies', ends)} {'ends a chain' if len(ends) == 1 else 'end chains'} in the "
            f"air: no other joint holds {held}, and no actuator drives {joints}",
            f"is a joint missing? Add the one that connects {held} to another body or to the base",
            "warning",
            ends[0],
            ends,
        )


def _left_undriven(idle: int, base: int) -> Iterator[Finding]:
    """Freedoms that are meant to have no actuator."""
    parts = [counted_noun(idle, "idle freedom")] if idle else []
    parts += [f"{counted_noun(base, 'freedom')} of a floating base"] if base else []
    if parts:
        yield Finding(
            "free-motions",
            f"no actuator drives {' and '.join(parts)}: inverse dynamics takes no effort there, and finds the "
            "accelerations that follow",
            "nothing to do; actuate them if they should be driven",
            "remark",
            value=idle + base,
        )


def _actuators_without_motion(found: Actuation, motions: Motions) -> Iterator[Finding]:
    """Actuators at joints that no motion of the mechanism turns or slides."""
    if not found.needed or not found.actuators:
        return
    rates = np.abs(motions.rates(found.actuators)).max(axis=(0, 2))
    for name in (name for name, rate in zip(found.actuators, rates, strict=True) if rate < GENERIC_RANK):
        yield Finding(
            "locked-actuator",
            f"actuator '{name}' drives a joint that cannot move, so its effort does nothing",
            "take it out, or drive another joint",
            "warning",
            name,
        )


def _other_motions(found: Actuation) -> str:
    """How many undriven freedoms there are beside the one that is described."""
    others = found.needed - found.driven - 1
    return f", and {counted_noun(others, 'other freedom')}" if others > 0 else ""


def _actuators_clause(found: Actuation) -> str:
    verb = "drives" if len(found.actuators) == 1 else "drive"
    return f"{list_of_names('actuator', f'{len(found.actuators)} actuators', found.actuators)} {verb}"


def _actuation_advice(found: Actuation, start: str) -> str:
    if not found.alternatives:
        return f"{start}; no set of revolute, prismatic, screw, cylindrical or universal joints drives it alone"
    return f"{start}, for example {list_of_names('joint', 'joints', found.alternatives[0].joints, most=12)}"


def _missing_actuators(found: Actuation, motions: Motions) -> list[str]:
    """The joints of the best set of actuators that keeps the ones already there, beyond those."""
    mech = motions.setup.mech
    driven = {a.joint for a in mech.actuators if a.name in found.actuators} | set(found.actuators)
    for choice in found.alternatives:
        kept = driven & set(choice.joints)
        if len(kept) == len(found.actuators):
            return [name for name in choice.joints if name not in kept]
    return []


def _completion_advice(found: Actuation, more: list[str]) -> str:
    return (
        f"actuate also {list_of_names('joint', 'joints', more)}"
        if more
        else _actuation_advice(found, "actuate more joints")
    )
