"""A sample of the random mechanisms of `python -m tests.loops.random_mechanisms`, and what the comparison notices."""

from __future__ import annotations

import copy

import pytest

import linkwright as lw
from tests.loops.random_drawings import random_case
from tests.loops.random_mechanisms import Tally, compare, interpreted, loaded, outcome_of
from tests.sampling import sample

_BLOCK = 5


@pytest.mark.parametrize("block", sample(range(8), 2))
def test_motion_efforts_energy_and_reactions_are_those_of_maximal_coordinates(block):
    tally = Tally()
    for seed in range(block * _BLOCK, (block + 1) * _BLOCK):
        tally.add(outcome_of(seed))
    assert not tally.failures, tally.text()


@pytest.mark.parametrize("seed", [1, 4])
def test_compiled_code_agrees_too(seed):
    outcome = outcome_of(seed, by_compiled=True)
    assert not outcome.failures, outcome.failures


def _all(drawing):
    return [*drawing["joints"].values(), *drawing.get("loops", {}).values()]


def _first(items):
    return next(iter(items), None)


def _gravity(drawing):
    drawing["gravity"][1] += 1e-4
    return True


def _com(drawing):
    body = _first(b for b in drawing["bodies"].values() if b)
    body["com"][2] += 1e-4
    return True


def _dropped(key):
    def mutate(drawing):
        return any(joint.pop(key, None) for joint in _all(drawing))

    return mutate


def _changed(section, key, factor):
    def mutate(drawing):
        changed = False
        for entry in drawing.get(section, {}).values():
            if entry.get(key):
                entry[key] *= factor
                changed = True
        return changed

    return mutate


def _friction(key):
    def mutate(drawing):
        found = [x["friction"] for x in (*_all(drawing), *drawing["actuators"].values()) if "friction" in x]
        found = [x for x in found if key in x and ("coulomb" in x or key != "slip")]
        for x in found:
            x[key] = [1.01 * y for y in x[key]] if isinstance(x[key], list) else 1.01 * x[key]
        return bool(found)

    return mutate


def _rest(drawing):
    springs = [joint["spring"] for joint in _all(drawing) if "rest" in joint.get("spring", {})]
    for spring in springs:
        spring["rest"] = [x + 1e-4 for x in spring["rest"]]
    return bool(springs)


def _dof(drawing):
    """An actuator of a universal, spherical or planar joint drives another of its velocities."""
    kinds = {name: j["type"] for s in ("joints", "loops") for name, j in drawing.get(s, {}).items()}
    taken = {(a["joint"], a["dof"]) for a in drawing["actuators"].values()}
    for actuator in drawing["actuators"].values():
        other = (actuator["joint"], 0 if actuator["dof"] == 1 else 1)
        wide = kinds[actuator["joint"]] in ("universal", "spherical", "planar")
        if wide and isinstance(actuator["dof"], int) and other not in taken:
            actuator["dof"] = other[1]
            return True
    return False


def _second_axis(drawing):
    """The two axes of a universal joint change places."""
    joint = _first(j for j in _all(drawing) if j["type"] == "universal")
    if joint:
        joint["first"], joint["second"] = joint["second"], joint["first"]
    return joint is not None


MUTATIONS = {
    "gravity compensation": _changed("bodies", "gravity_compensation", 1.01),
    "gravity": _gravity,
    "mass center": _com,
    "spring dropped": _dropped("spring"),
    "spring at rest elsewhere": _rest,
    "friction dropped": _dropped("friction"),
    "armature dropped": _dropped("armature"),
    "viscous friction": _friction("viscous"),
    "Coulomb friction": _friction("coulomb"),
    "slip velocity": _friction("slip"),
    "gear not squared": _changed("actuators", "gear", 1.01),
    "rotor inertia": _changed("actuators", "rotor_inertia", 1.01),
    "strut stiffness": _changed("struts", "stiffness", 1.001),
    "strut damping": _changed("struts", "damping", 1.001),
    "effort along another velocity": _dof,
    "universal axes swapped": _second_axis,
}


@pytest.mark.parametrize("name", MUTATIONS)
def test_a_slightly_different_mechanism_is_noticed(name):
    """Each of these mistakes, made in the library's file only, shows in one of the first mechanisms that have it.

    Not in every one: a damper between two bodies that cannot move does nothing.
    """
    tried = 0
    for seed in range(300):
        case = random_case(seed)
        drawing = copy.deepcopy(case.drawing)
        if not MUTATIONS[name](drawing):
            continue
        with interpreted():
            if compare(case, drawing).failures:
                return
        tried += 1
        assert tried < 3


def test_a_loop_inside_one_rigid_piece_takes_no_freedom():
    """Its closure Jacobian is rounding and nothing else; measured against itself it looked like two equations."""
    at = {"xyz": [0.1, 0.2, 0.3], "rpy": [0.4, 0.5, 0.6]}
    drawing = {
        "format": 1,
        "name": "raft",
        "bodies": {name: {"mass": 1.0, "inertia": [0.1, 0.2, 0.15]} for name in ("deck", "left", "right")},
        "joints": {
            "float": {"type": "planar", "parent": "ground", "child": "deck", "at": at},
            "a": {"type": "fixed", "parent": "deck", "child": "left", "at": at},
            "b": {"type": "fixed", "parent": "deck", "child": "right", "at": at, "child_at": [0.3, 0.0, 0.0]},
        },
        "loops": {"c": {"type": "revolute", "parent": "left", "child": "right", "child_at": [0.3, 0.0, 0.0]}},
        "home": {"float": [0.3, 0.2, 0.7]},
    }
    with interpreted():
        assert lw.build(loaded(drawing, by_text=True)).mobility == 3
