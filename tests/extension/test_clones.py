"""A copy of every kind of joint under another name computes the same: nothing knows kinds by their class."""

from dataclasses import replace

import numpy as np
import pytest

import linkwright as lw
from linkwright.joints import JointKind
from tests.refactoring.digests import digests
from tests.refactoring.mechanisms import mechanisms
from tests.refactoring.test_digests import SAMPLE

CLONES: dict[type, type] = {}
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


@pytest.mark.parametrize("name", ["four-bar-flexible", "gough-stewart", "delta"])
def test_checks_say_the_same(name):
    mech = MECHANISMS[name]
    pair = [lw.check(each) for each in (mech, with_clones(mech))]
    assert str(pair[0]) == str(pair[1]).replace("Qq", "").replace("qq", "")
    np.testing.assert_equal(pair[0].mobility, pair[1].mobility)
