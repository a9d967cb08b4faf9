"""Frames of a model: quaternions turn like their matrices, and stay unit with w >= 0."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import linkwright as lw
from linkwright.algebra import rotations
from linkwright.joints import Floating
from linkwright.mechanism import Body, Joint, Mechanism

FREE = lw.build(Mechanism("free", (Body("body"),), (Joint("pose", "ground", "body", Floating()),)))
numbers = st.floats(-1.0, 1.0, width=32)


@given(st.tuples(numbers, numbers, numbers, numbers).filter(lambda x: np.linalg.norm(x) > 1e-3))
def test_a_frame_has_the_quaternion_of_its_rotation(wxyz):
    wxyz = np.array(wxyz) / np.linalg.norm(wxyz)
    xyz, found = FREE.frame_pose(np.array([1.0, 2.0, 3.0, *wxyz]), "body")
    assert np.abs(xyz - [1.0, 2.0, 3.0]).max() < 1e-14 and found[0] >= 0
    assert np.abs(rotations.rotation_matrix(found) - rotations.rotation_matrix(wxyz)).max() < 1e-14
    assert abs(found @ found - 1.0) < 1e-14
