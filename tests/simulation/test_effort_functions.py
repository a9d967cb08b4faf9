"""A plain Python function of the efforts says once that it is called in Python; compiled laws say nothing."""

import logging

import numpy as np
import pytest

import linkwright as lw
from linkwright.simulation.problem.run_efforts import warn_effort_in_python
from tests.model.models import model


def test_a_python_function_says_once_that_it_is_slow(caplog):
    warn_effort_in_python.cache_clear()
    m = model("four-bar")

    def my_torque(t, q, v):
        return np.array([0.1 - 0.2 * v[0]])

    with caplog.at_level(logging.WARNING, "linkwright"):
        for _ in range(2):
            lw.simulate(m, m.assemble().q, t_end=0.01, effort=my_torque)
        said = [record.getMessage() for record in caplog.records]
        assert len(said) == 1 and "'my_torque' is called in Python" in said[0] and "control.Sampled" in said[0]
        caplog.clear()
        lw.simulate(m, m.assemble().q, t_end=0.01, effort=[0.1])
        lw.simulate(m, m.assemble().q, t_end=0.01, effort=lw.control.Sampled(my_torque, 1000.0))
        assert not caplog.records


def test_an_effort_function_of_other_arguments_is_refused_with_those_it_gets():
    m = model("four-bar")
    with pytest.raises(lw.errors.ArgumentError, match=r"'<lambda>' failed at t = 0 s: .*it is called with \(t, q, v\)"):
        lw.simulate(m, m.assemble().q, t_end=0.01, effort=lambda t: [1.0])
