"""The vector environment: spaces of the model, episodes, autoreset, rows that fail alone."""

import builtins
import re
from pathlib import Path

import numpy as np
import pytest

import linkwright as lw
from linkwright.errors import ArgumentError

gymnasium = pytest.importorskip("gymnasium", reason="needs gymnasium (the extra 'gym')")
checker = pytest.importorskip("gymnasium.utils.env_checker")


@pytest.fixture(scope="module")
def five_bar():
    return lw.build(lw.catalog.load("five-bar"), inputs=["proximal_mass"])


def still(batch):
    return -(batch.v**2).sum(axis=1)


def made(model, n=5, **more):
    given = {"h": 0.01, "substeps": 2, "reward": still, "efforts": 2.0, "episode": 8, "threads": 1} | more
    return lw.export.gym_vector_env(model, n, **given)


def moved(model):
    home = model.assemble().q

    def start(rng, k):
        q_act = model.actuator_positions(home) + rng.uniform(-0.2, 0.2, (k, model.na))
        return model.forward_kinematics(q_act, near=home)[0]

    return start


def test_steps_are_those_of_a_stepper(five_bar):
    env = made(five_bar, 3)
    robots = lw.Stepper(five_bar, 3, 0.01, substeps=2)
    obs, _ = env.reset(seed=1)
    rng = np.random.default_rng(3)
    assert np.array_equal(obs, np.c_[robots.q, robots.v])
    for _ in range(6):
        tau = rng.uniform(-2.0, 2.0, (3, 2))
        q, v = robots.step(tau)
        obs, reward, ends, cut, info = env.step(tau)
        assert np.array_equal(obs, np.c_[q, v]) and np.array_equal(reward, -(v**2).sum(axis=1))
        assert not ends.any() and not cut.any() and not info["failed"].any()
    assert env.observation_names == (*five_bar.q_names, *(f"{name}_dot" for name in five_bar.q_names))
    assert len(set(env.observation_names)) == five_bar.nq + five_bar.nv
    assert env.action_names == five_bar.actuated
    assert env.action_space.shape == (3, 2) and np.all(env.single_action_space.high == 2.0)


def test_the_checker_of_gymnasium_is_content_where_it_applies(five_bar):
    env = made(five_bar, start=moved(five_bar), parameters=lambda rng, k: rng.uniform(0.3, 0.5, (k, 1)))
    env.spec = None
    checker.check_reset_seed_determinism(env)
    checker.check_reset_options(env)
    checker.check_reset_return_type(env)
    steps = []
    for _ in range(2):
        env.reset(seed=5)
        steps.append(env.step(np.ones((5, 2))))
    assert all(checker.data_equivalence(a, b, exact=True) for a, b in zip(*steps))
    assert isinstance(env, gymnasium.vector.VectorEnv)
    first, _ = env.reset(seed=7)
    second, _ = env.reset(seed=7)
    assert np.array_equal(first, second) and not np.array_equal(first[0], first[1])
    wrapped = gymnasium.wrappers.vector.RecordEpisodeStatistics(env)
    wrapped.reset(seed=1)
    for _ in range(9):
        *_, info = wrapped.step(np.zeros((5, 2)))
        if "episode" in info:
            break
    assert np.all(info["episode"]["l"] == 8)


def test_next_step_mode_resets_one_step_later(five_bar):
    env = made(five_bar, 2, start=moved(five_bar))
    begun, _ = env.reset(seed=2)
    assert env.metadata["autoreset_mode"] is gymnasium.vector.AutoresetMode.NEXT_STEP
    for k in range(8):
        obs, _, ends, cut, _ = env.step(np.ones((2, 2)))
        assert cut.tolist() == [k == 7] * 2 and not ends.any()
    obs, reward, ends, cut, _ = env.step(np.ones((2, 2)))
    assert np.all(reward == 0.0) and not cut.any() and np.all(obs[:, 4:] == 0.0)
    assert not np.array_equal(obs, begun) and np.all(env.stepper.t == 0.0)


def test_same_step_mode_gives_the_last_observation(five_bar):
    plain, env = made(five_bar, 2), made(five_bar, 2, autoreset="same_step")
    for each in (plain, env):
        each.reset(seed=0)
    for _ in range(8):
        last, *_ = plain.step(np.ones((2, 2)))
        obs, _, _, cut, info = env.step(np.ones((2, 2)))
    assert cut.all() and np.array_equal(info["final_obs"], last) and info["_final_obs"].all()
    assert np.all(obs[:, 4:] == 0.0)


def test_disabled_mode_waits_for_a_mask(five_bar):
    env = made(five_bar, 3, autoreset="disabled", terminated=lambda b: b.t > [0.015, 1.0, 1.0])
    env.reset()
    env.step(np.zeros((3, 2)))
    *_, ends, _, _ = env.step(np.zeros((3, 2)))
    assert ends.tolist() == [True, False, False]
    with pytest.raises(ArgumentError, match="robot 0 has ended"):
        env.step(np.zeros((3, 2)))
    env.reset(options={"reset_mask": ends})
    assert env.stepper.t.tolist() == [0.0, 0.02, 0.02]
    with pytest.raises(ArgumentError, match="3 bools"):
        env.reset(options={"reset_mask": np.zeros(2, dtype=bool)})


def test_efforts_that_are_not_numbers_end_their_own_episode(five_bar):
    env = made(five_bar, 6, failure=-7.0)
    before, _ = env.reset()
    tau = np.zeros((6, 2))
    tau[4, 1] = np.nan
    obs, reward, ends, _, info = env.step(tau)
    assert ends.tolist() == info["failed"].tolist() == [False] * 4 + [True, False]
    assert np.isfinite(obs).all() and np.array_equal(obs[4], before[4]) and reward[4] == -7.0
    obs, reward, ends, _, info = env.step(np.zeros((6, 2)))
    assert not ends.any() and not info["failed"].any() and np.array_equal(obs[4], before[4]) and reward[4] == 0.0


def test_parameters_differ_from_robot_to_robot_and_change_at_a_reset(five_bar):
    env = made(five_bar, 4, parameters=lambda rng, k: rng.uniform(0.2, 0.8, (k, 1)))
    env.reset(seed=0)
    first = env.stepper.p.copy()
    env.step(np.ones((4, 2)))
    assert len(np.unique(first)) == 4 and len(np.unique(env.stepper.v[:, 0])) == 4
    mask = np.array([True, False, False, False])
    env.reset(options={"reset_mask": mask})
    assert ((env.stepper.p != first)[:, 0] == mask).all()


def test_limits_of_the_file_bound_the_actions():
    mech = lw.catalog.load("five-bar")
    from dataclasses import replace

    limited = replace(mech, actuators=tuple(replace(a, effort=3.0 + i) for i, a in enumerate(mech.actuators)))
    env = made(lw.build(limited), 2, efforts=None)
    assert env.single_action_space.high.tolist() == [3.0, 4.0]
    env.reset()
    env.step(np.full((2, 2), 100.0))
    robots = lw.Stepper(lw.build(limited), 1, 0.01, substeps=2)
    q, _ = robots.step([3.0, 4.0])
    assert np.array_equal(env.stepper.q[0], q[0])


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"efforts": None}, "no effort limit"),
        ({"efforts": {"motor3": 1.0}}, "motor3"),
        ({"efforts": [1.0, -1.0]}, "effort limit -1"),
        ({"efforts": [1.0, 1.0, 1.0]}, "shape"),
        ({"reward": None}, "reward is None"),
        ({"start": 3.0}, "start is 3.0"),
        ({"autoreset": "never"}, "autoreset"),
        ({"episode": 0}, "episode"),
        ({"observe": lambda b: b.q[0]}, "observe gave shape"),
    ],
)
def test_wrong_arguments_are_named(five_bar, more, message):
    with pytest.raises(ArgumentError, match=message):
        made(five_bar, **more)


def test_wrong_actions_and_rewards_are_named(five_bar):
    env = made(five_bar, 3)
    env.reset()
    with pytest.raises(ArgumentError, match=r"actions have shape \(2,\), expected \(3, 2\)"):
        env.step([0.0, 0.0])
    bad = made(five_bar, 3, reward=lambda b: b.v)
    bad.reset()
    with pytest.raises(ArgumentError, match="reward gave shape"):
        bad.step(np.zeros((3, 2)))


def test_a_missing_gymnasium_is_named(five_bar, monkeypatch):
    real = builtins.__import__

    def without(name, *rest):
        if name.startswith("gymnasium"):
            raise ImportError(name)
        return real(name, *rest)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(ArgumentError, match=r"gymnasium.*pip install .\.\[gym\]"):
        made(five_bar)


def test_the_page_on_learning_does_what_it_says():
    page = (Path(__file__).parents[2] / "docs" / "howto" / "learn.md").read_text(encoding="utf-8")
    names: dict = {}
    for code in re.findall(r"```python\n(.*?)```", page, re.DOTALL):
        exec(compile(code, "learn.md", "exec"), names)
    assert np.isfinite(names["rewards"]).all() and names["observations"].shape == (256, 8)
