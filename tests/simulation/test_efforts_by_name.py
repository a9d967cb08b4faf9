"""Constant efforts may be given by the actuators' names."""

import numpy as np
import pytest

import linkwright as lw
from linkwright.errors import ArgumentError


def test_names_stand_for_indices():
    robot = lw.build(lw.catalog.load("five-bar"))
    start = robot.assemble().q
    placed = lw.simulate(robot, start, t_end=0.1, effort=[0.0, 0.5])
    named = lw.simulate(robot, start, t_end=0.1, effort={robot.actuated[1]: 0.5})
    assert np.array_equal(placed.q, named.q)
    many = lw.simulate_many(robot, start, t_end=0.1, effort={robot.actuated[1]: [0.5, 0.7]}, output=3, threads=1)
    assert np.array_equal(many.tau[:, 0], [[0.0, 0.5], [0.0, 0.7]])
    with pytest.raises(ArgumentError, match=r"effort names 'moter', which is not an actuator \(did you mean 'motor"):
        lw.simulate(robot, start, effort={"moter": 1.0})
