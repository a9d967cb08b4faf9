"""A row of a long batch, which runs in lanes, has the bits of the same state alone, for every function of states."""

import inspect

import numpy as np
import pytest

import linkwright as lw
from linkwright.kinematics.target_plans import locate_driven_coordinates
from tests.model.models import model
from tests.model.test_bad_input import FUNCTIONS, SIZES

ROWS = 11  # more than one block of lanes, and a remainder
GIVEN = {"q", "v", "a", "tau", "frame"}


def required_arguments(name: str) -> list[str]:
    parameters = inspect.signature(getattr(lw.Model, name)).parameters.values()
    return [p.name for p in parameters if p.name != "self" and p.default is inspect.Parameter.empty]


OF_STATES = [
    name
    for name in FUNCTIONS
    if "q" in required_arguments(name) and {*required_arguments(name)} <= GIVEN and not name.startswith("limits")
]


def closed_states(m: lw.Model) -> dict[str, np.ndarray]:
    """Rows of arguments; the loops are closed and the velocities are possible."""
    rng = np.random.default_rng(3)
    given = {name: rng.normal(size=(ROWS, getattr(m, SIZES[name]))) for name in sorted(GIVEN - {"frame"})}
    if m.kinematics.has_closure:
        q_act = m.kinematics.home[locate_driven_coordinates(m.kinematics).indices] + 0.1 * rng.uniform(
            -1.0, 1.0, (ROWS, m.na)
        )
        rates = rng.normal(size=(2, ROWS, m.na))
        given["q"], given["v"], given["a"] = m.forward_kinematics(q_act, *rates)
    return given


def arrays_of(found: object) -> list[np.ndarray]:
    """The arrays of a result, whatever record holds them."""
    if isinstance(found, np.ndarray | float):
        return [np.asarray(found)]
    parts = found if isinstance(found, tuple) else vars(found).values() if hasattr(found, "__dict__") else ()
    return [x for part in parts for x in arrays_of(part)]


@pytest.mark.usefixtures("batches_in_lanes", "code_as_for_users")
@pytest.mark.parametrize("mechanism", ["stanford-arm", "five-bar"])
def test_a_row_in_lanes_has_the_bits_of_the_state_alone(mechanism):
    m = model(mechanism)
    states, compared = closed_states(m), set()
    for name in OF_STATES:
        function, required = getattr(m, name), required_arguments(name)
        given = {k: m.bodies[-1] if k == "frame" else states[k] for k in required}
        together = arrays_of(function(**given))
        for row in (0, 4, ROWS - 1):
            alone = arrays_of(function(**{k: x if k == "frame" else x[row] for k, x in given.items()}))
            for whole, one in zip(together, alone, strict=True):
                if whole.shape == (ROWS, *one.shape):
                    assert np.array_equal(whole[row], one, equal_nan=True), name
                    compared.add(name)
    assert compared >= {"forward_dynamics", "inverse_dynamics", "mass_matrix", "energy", "frame_twist"}
