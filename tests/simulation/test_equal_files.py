"""Equal runs give equal files, however their work was cut into slices; any name of a joint can be recorded."""

import pytest

import linkwright as lw
from linkwright.simulation.running import run as running
from tests.simulation.mechanisms import catalog_model

CASES = {
    "adaptive": {},
    "fixed steps": {"method": lw.RK4(1e-3)},
    "sampled": {"effort": lw.control.Sampled(lambda t, q, v: [6.0], 100.0)},
    "switched": {"events": [lw.events.Open("B", when=lambda t, q, v: t - 0.1)]},
}


@pytest.mark.parametrize("ending", ["npz", "csv", "mat", "nc"])
@pytest.mark.parametrize("case", CASES)
def test_equal_runs_are_equal_files(case, ending, tmp_path, monkeypatch):
    model, files = catalog_model("four-bar"), []
    for budget in (5, 1000):
        monkeypatch.setattr(running, "_FIRST_BUDGET", budget)
        monkeypatch.setattr(running, "_LARGEST_BUDGET", budget)
        path = tmp_path / f"run{budget}.{ending}"
        lw.simulate(model, model.assemble().q, t_end=0.3, **CASES[case], output=21).save(path)
        files.append(path.read_bytes())
    assert files[0] == files[1]


@pytest.mark.parametrize("threads", [1, 2])
def test_equal_ensembles_are_equal_files(threads, tmp_path):
    model, files = catalog_model("four-bar"), []
    for i, n in enumerate((1, threads)):
        path = tmp_path / f"many{i}.npz"
        lw.simulate_many(model, [model.assemble().q] * 20, t_end=0.3, threads=n, path=path)
        files.append(path.read_bytes())
    assert files[0] == files[1]


ARM = """
format: 1
name: arm
bodies:
  first: {mass: 1, com: [0.5, 0, 0], inertia: [0.1, 0.1, 0.1]}
  second: {mass: 1, com: [0.5, 0, 0], inertia: [0.1, 0.1, 0.1]}
joints:
  "%s": {type: revolute, parent: ground, child: first, axis: [0, 1, 0]}
  "%s": {type: revolute, parent: first, child: second, axis: [0, 1, 0], at: [1, 0, 0]}
actuators: ["%s", "%s"]
"""
NAMES = [
    ("t", "t_dot"),
    ("work", "losses"),
    ("a", "a_dot"),
    ("q(t)", "t"),
    ("kinetic energy", "effort(kinetic energy)"),
]


@pytest.mark.parametrize("names", NAMES, ids=lambda names: " ".join(names))
def test_joints_of_any_name_can_be_simulated(names, tmp_path):
    (tmp_path / "arm.yaml").write_text(ARM % (names * 2))
    (tmp_path / "plain.yaml").write_text(ARM % (("one", "two") * 2))
    model, plain = (lw.build(lw.load(tmp_path / f"{name}.yaml")) for name in ("arm", "plain"))
    run, expected = (lw.simulate(each, [0.1, 0.2], t_end=0.2, output=5) for each in (model, plain))
    assert len({"t", *run.names}) == 1 + len(run.names) == 1 + len(expected.names)
    assert [run[name].tolist() for name in run.names] == [expected[name].tolist() for name in expected.names]
    assert run["t"].tolist() == run.t.tolist() and run.group("q").tolist() == expected.q.tolist()
    for ending in ("npz", "csv", "mat", "nc"):
        run.save(tmp_path / f"run.{ending}")
        assert lw.open_result(tmp_path / f"run.{ending}").names == run.names
    assert lw.simulate_many(model, [[0.1, 0.2]], t_end=0.2, output=5).names == run.names
