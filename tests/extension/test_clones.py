"""A copy of every kind of joint under another name computes the same: nothing knows kinds by their class."""

from dataclasses import replace

import numpy as np
import pytest

import linkwright as lw
from linkwright.joints import JointKind
from tests.refactoring.digests import digests
from tests.refactoring.mechanisms import mechanisms
from tests.refactoring.results import outcome, results_of_mechanism
from tests.refactoring.test_digests import SAMPLE
from tests.sampling import sample

CLONES: dict[type, type] = {}
PUBLIC = ("tree-floating", "loop-universal", "loop-planar")
OWN_TO_CLASSES = ("__dict__", "__weakref__")
MECHANISMS = {
    name: mech
    for name, mech in mechanisms()
    if name.startswith(("tree-", "loop-")) or name in ("four-bar-flexible", "gough-stewart", "delta")
}


def cloned(kind):
    """The same record of a class of another name."""
    own = type(kind)
    if own not in CLONES:
        body = {key: x for key, x in vars(own).items() if key not in OWN_TO_CLASSES}
        CLONES[own] = type(f"Qq{own.__name__}", (JointKind,), body)
    copy = object.__new__(CLONES[own])
    copy.__dict__.update(vars(kind))
    return copy


def with_clones(mech):
    joints, loops = (tuple(replace(j, kind=cloned(j.kind)) for j in each) for each in (mech.joints, mech.loops))
    return replace(mech, joints=joints, loops=loops)


@pytest.mark.parametrize("name", MECHANISMS)
def test_programs_are_the_same(name):
    mech = MECHANISMS[name]
    assert digests(with_clones(mech), SAMPLE) == digests(mech, SAMPLE)


@pytest.mark.parametrize("name", sample([x for x in MECHANISMS if "-reversed" not in x], PUBLIC))
def test_public_functions_and_runs_give_the_same_bits(name):
    """Of every kind in a tree and in a loop while soaking; results are arrays, texts and records of both."""
    mech = MECHANISMS[name]
    pair = [dict(results_of_mechanism(each, files=False)) for each in (mech, with_clones(mech))]
    assert len(pair[0]) > 90 and set(pair[0]) == set(pair[1])
    found = {key: [_without_names(outcome(each[key])) for each in pair] for key in pair[0]}
    assert [key for key, (own, clone) in found.items() if not _are_equal(own, clone)] == []
    answered = [own for own, _ in found.values() if not (isinstance(own, str) and "Error: " in own)]
    assert len(answered) > 60


def _without_names(x):
    if isinstance(x, tuple):
        return tuple(map(_without_names, x))
    return x.replace("Qq", "").replace("qq", "") if isinstance(x, str) else x


def _are_equal(x, y):
    if isinstance(x, tuple) and isinstance(y, tuple):
        return len(x) == len(y) and all(map(_are_equal, x, y))
    if isinstance(x, np.ndarray) and isinstance(y, np.ndarray):
        return x.shape == y.shape and x.tobytes() == y.tobytes()
    return type(x) is type(y) and x == y


@pytest.mark.parametrize("name", ["four-bar-flexible", "gough-stewart", "delta"])
def test_checks_say_the_same(name):
    mech = MECHANISMS[name]
    pair = [lw.check(each) for each in (mech, with_clones(mech))]
    assert str(pair[0]) == str(pair[1]).replace("Qq", "").replace("qq", "")
    np.testing.assert_equal(pair[0].mobility, pair[1].mobility)
