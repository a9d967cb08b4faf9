"""Studies of many designs: rows are those of models built anew, and what is not reached is said."""

import numpy as np
import pytest

import linkwright as lw
from linkwright.analysis import DesignStudy

MECH = lw.catalog.load("five-bar")
POSITIONS = np.array([[x, y, 0.0] for x in (-0.05, 0.0, 0.08) for y in (0.38, 0.45)])
POSES = lw.Pose(POSITIONS, np.tile([1.0, 0.0, 0.0, 0.0], (6, 1)))
MEASURES = ("condition", "type2", "holding_effort")


@pytest.fixture(scope="module")
def found():
    study = DesignStudy(MECH, ("proximal", "distal"), POSES, MEASURES, ("x", "y"))
    return lw.sweep(study, {"proximal": [0.25, 0.3], "distal": [0.05, 0.35, 0.4]})


def test_measures_are_those_of_models_built_anew(found):
    for i in np.flatnonzero(found["reached"] == 1.0)[:3]:
        design = {name: float(found[name][i]) for name in ("proximal", "distal")}
        model = lw.build(lw.catalog.load("five-bar", design))
        q = np.array(
            [model.inverse_kinematics((x, POSES.quaternion_wxyz[0]), components=("x", "y"))[0] for x in POSITIONS]
        )
        each = [model.singularity(row) for row in q]
        still = np.zeros(model.nv)
        efforts = [np.abs(model.inverse_dynamics(row, still, still)).max() for row in q]
        assert found["condition_worst"][i] == pytest.approx(max(x.condition for x in each), rel=1e-9)
        assert found["type2_worst"][i] == pytest.approx(min(x.type2 for x in each), rel=1e-9)
        assert found["type2_mean"][i] == pytest.approx(np.mean([x.type2 for x in each]), rel=1e-9)
        assert found["holding_effort_worst"][i] == pytest.approx(max(efforts), rel=1e-9)


def test_designs_that_reach_no_pose_have_a_reason(found):
    short = np.flatnonzero(found["distal"] == 0.05)
    assert set(found.failures) == set(short.tolist())
    assert "none of the 6 poses is reached" in found.failures[int(short[0])]
    assert np.isnan(found["condition_worst"][short]).all() and (found["reached"][short] == 0.0).all()


def test_processes_build_their_own_model(found):
    study = DesignStudy(MECH, ("proximal", "distal"), POSES, MEASURES, ("x", "y"))
    again = lw.sweep(study, {"proximal": [0.25, 0.3], "distal": [0.05, 0.35, 0.4]}, 2, chunk=2)
    assert np.array_equal(again["condition_worst"], found["condition_worst"], equal_nan=True)


@pytest.mark.parametrize(
    ("arguments", "part"),
    [
        ({"measures": ("conditoin",)}, "did you mean 'condition'"),
        ({"poses": lw.Pose(np.zeros(3), np.zeros(4))}, "poses have the shapes"),
        ({"varied": ("proximl",)}, "did you mean 'proximal'"),
    ],
)
def test_bad_studies(arguments, part):
    with pytest.raises(lw.errors.LinkwrightError, match=part):
        DesignStudy(**{"mechanism": MECH, "varied": ("proximal",), **arguments})({"proximal": np.array([0.3])})
