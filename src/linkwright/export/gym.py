"""A vector environment of Gymnasium over many robots stepped together (docs/howto/learn.md).

Gymnasium is imported when an environment is made: the class is then derived from its `VectorEnv`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from linkwright import checks
from linkwright.dataclass import dataclass
from linkwright.errors import ArgumentError, missing_package_text
from linkwright.mechanism.names import suggest_name
from linkwright.model import Model

if TYPE_CHECKING:
    from linkwright.simulation.problem.applied_loads import EndStops
    from linkwright.simulation.stepper import Stepper

Array = np.ndarray
Autoreset = Literal["next_step", "same_step", "disabled"]


@dataclass(frozen=True, eq=False)
class RobotBatch:
    """States of all robots of an environment, as functions of the user see them; copy what is to be kept.

    Attributes:
        model: the mechanism.
        t: time since the last reset, (n,) [s].
        q, v: states, (n, nq), (n, nv), read-only.
        tau: efforts of the last step, (n, na).
    """

    model: Model
    t: Array
    q: Array
    v: Array
    tau: Array


OfBatch = Callable[[RobotBatch], ArrayLike]
Drawn = Callable[[np.random.Generator, int], Any]


def gym_vector_env(
    model: Model,
    n: int,
    h: float,
    *,
    reward: OfBatch,
    terminated: OfBatch | None = None,
    observe: OfBatch | None = None,
    start: Drawn | None = None,
    parameters: Drawn | None = None,
    efforts: ArrayLike | Mapping[str, float] | None = None,
    episode: int = 1000,
    substeps: int = 1,
    stops: EndStops | None = None,
    failure: float = 0.0,
    autoreset: Autoreset = "next_step",
    threads: int | None = None,
) -> Any:
    """A `gymnasium.vector.VectorEnv` of n robots of one mechanism, stepped by `lw.Stepper`.

    Actions are the actuators' efforts, (n, na), within their limits; observations are coordinates and velocities
    unless `observe` makes others. Nothing but the mechanism is modeled: no contacts and no ground, only end stops. A
    robot that cannot be stepped (a singular position) ends its episode: it keeps its last observation and is
    `terminated`, and its reward is `failure`. `info["failed"]` of every step, (n,) of bool, shows which failed.

    Args:
        model: from `build`; with `inputs` its parameters may differ from robot to robot.
        n: number of robots.
        h: time of one step of the environment, [s].
        reward: of a `RobotBatch` after the step, (n,).
        terminated: of a `RobotBatch`, (n,) of bool: episodes that end there; None ends none.
        observe: of a `RobotBatch`, (n, k).
        start: of a random generator and a number of robots k: their coordinates (k, nq), or a pair with velocities
            (k, nv), closed as `Stepper.reset` closes them; the assembled home, at rest, when None.
        parameters: of a random generator and k: values of the model's inputs, (k, n_p), drawn at every reset.
        efforts: largest efforts, (na,), one for all, or by actuator; those of the file when None.
        episode: steps after which an episode is truncated.
        substeps, stops, threads: as in `Stepper`.
        failure: reward of the step in which a robot fails. An end is worth 0 from there on: where rewards are negative,
            give one below the sum of an episode, or policies learn to fail.
        autoreset: Gymnasium's modes: "next_step", "same_step", "disabled".

    >>> import linkwright as lw
    >>> robot = lw.build(lw.catalog.load("five-bar"))
    >>> def effort(batch): return -(batch.tau**2).sum(axis=1)
    >>> env = lw.export.gym_vector_env(robot, 4, h=0.01, reward=effort, efforts=2.0)  # doctest: +SKIP
    """
    try:
        import gymnasium  # noqa: F401
    except ImportError:
        raise ArgumentError(missing_package_text("environments", "gymnasium", "gym")) from None
    from linkwright.simulation.stepper import Stepper

    checks.require_instance("model", model, Model, "a Model; make one with linkwright.build")
    rules = EpisodeRules(reward, terminated, observe, start, parameters, episode, failure, autoreset)
    most = largest_efforts(model, efforts)
    stepper = Stepper(model, n, h, substeps=substeps, stops=stops, threads=threads)
    return environment_class()(stepper, most, rules)


def largest_efforts(model: Model, given: Any) -> Array:
    """Largest efforts of the actuators, (na,): those given, or the limits of joints and actuators."""
    if isinstance(given, Mapping):
        for name in given:
            if name not in model.actuated:
                raise ArgumentError(
                    f"efforts names '{name}', which is not an actuator{suggest_name(str(name), model.actuated)}"
                )
        found = np.array(
            [
                checks.require_finite_array(f"efforts['{name}']", given[name]) if name in given else np.nan
                for name in model.actuated
            ]
        )
    elif given is not None:
        every = checks.require_real_array("efforts", given)
        found = checks.require_vector("efforts", np.full(model.na, every) if every.ndim == 0 else every, model.na)
    else:
        found = np.array([each.effort for each in model.actuators])
        found[np.isinf(found)] = np.nan
    for name, x in zip(model.actuated, found, strict=True):
        if not x > 0.0:
            what = "has no effort limit" if np.isnan(x) else f"has the effort limit {x:g}"
            raise ArgumentError(f"actuator '{name}' {what}; give efforts=... above zero, one or by actuator")
    return np.array(found, dtype=float)


@dataclass(frozen=True)
class EpisodeRules:
    """Functions and numbers of the user that make episodes, as in `gym_vector_env`."""

    reward: OfBatch
    terminated: OfBatch | None
    observe: OfBatch | None
    start: Drawn | None
    parameters: Drawn | None
    episode: int
    failure: float
    autoreset: Autoreset

    def __post_init__(self) -> None:
        for name in ("reward", "terminated", "observe"):
            if getattr(self, name) is not None or name == "reward":
                checks.require_callable(name, getattr(self, name), "a function of a RobotBatch")
        for name in ("start", "parameters"):
            if getattr(self, name) is not None:
                checks.require_callable(
                    name, getattr(self, name), "a function of a random generator and a number of robots"
                )
        checks.require_choice("autoreset", self.autoreset, _MODES)
        checks.require_integer("episode", self.episode)
        checks.require_number("failure", self.failure)


_MODES = ("next_step", "same_step", "disabled")
Step = tuple[Array, Array, Array, Array, dict[str, Any]]


class Episodes:
    """Episodes of many robots: efforts go in; observations, rewards and ends come out.

    Attributes:
        stepper: the robots. rules: what makes their episodes.
        observations: the last ones, (n, k).
    """

    def __init__(self, stepper: Stepper, rules: EpisodeRules) -> None:
        n = stepper.n
        self.stepper, self.rules = stepper, rules
        self._tau, self._p = np.zeros((n, stepper.model.na)), stepper.p.copy()
        self._q, self._v = stepper.q.copy(), stepper.v.copy()
        self._steps, self._over = np.zeros(n, dtype=np.int64), np.zeros(n, dtype=bool)
        self._shape: tuple[int, ...] | None = None
        self.observations = self._observe_states(self._batch())
        self._shape = self.observations.shape

    def begin(self, rows: Array, rng: np.random.Generator) -> None:
        """Put some robots, (n,) of bool, at a new start, with new parameters."""
        rows, k = rows.copy(), int(rows.sum())
        if self.rules.parameters is not None:
            self._p[rows] = checks.result_of("parameters", self.rules.parameters, rng, k)
            self.stepper.set_parameters(self._p)
        q, v = None, None
        if self.rules.start is not None:
            found = checks.result_of("start", self.rules.start, rng, k)
            q, v = found if isinstance(found, tuple) else (found, None)
        self.stepper.reset(rows, q, v)
        self._steps[rows], self._over[rows], self._tau[rows] = 0, False, 0.0
        self.observations[rows] = self._observe_states(self._batch())[rows]

    def step(self, efforts: Array, rng: np.random.Generator) -> Step:
        """Advance all robots; observations, rewards, terminated, truncated and info."""
        mode, n = self.rules.autoreset, self.stepper.n
        if mode == "disabled" and self._over.any():
            raise ArgumentError(
                f"robot {int(np.argmax(self._over))} has ended its episode; reset it with "
                "options={'reset_mask': mask}, or use autoreset"
            )
        again = self._over.copy() if mode == "next_step" else np.zeros(n, dtype=bool)
        self._tau[:] = np.where(again[:, None], 0.0, efforts)
        self.stepper.step(self._tau)
        self._steps += 1
        failed = self.stepper.failed & ~again
        batch = self._batch(failed)
        self.observations = self._observe_states(batch)
        rewards, ends, truncated = (np.where(again, 0, x) for x in self._judge_step(batch, failed))
        ends, truncated = ends.astype(bool), truncated.astype(bool)
        self._over = ends | truncated
        if again.any():
            self.begin(again, rng)
        info: dict[str, Any] = {"failed": failed}
        if mode == "same_step" and self._over.any():
            info |= {"final_obs": self.observations.copy(), "_final_obs": self._over.copy()}
            info |= {"final_info": {"failed": failed}, "_final_info": self._over.copy()}
            self.begin(self._over, rng)
        return self.observations.copy(), rewards, ends, truncated, info

    def _judge_step(self, batch: RobotBatch, failed: Array) -> tuple[Array, Array, Array]:
        """Rewards, ends by the rules or by failure, ends by time."""
        rules, n = self.rules, self.stepper.n
        rewards = np.where(failed, rules.failure, _results_for_robots("reward", rules.reward, batch, n, float))
        ends = failed.copy()
        if rules.terminated is not None:
            ends |= _results_for_robots("terminated", rules.terminated, batch, n, bool)
        return rewards, ends, (self._steps >= rules.episode) & ~ends

    def _batch(self, failed: Array | None = None) -> RobotBatch:
        robots = self.stepper
        q, v = robots.q, robots.v
        if failed is not None and failed.any():  # these are shown where they were; `observe` may still give NaN
            q, v = np.where(failed[:, None], self._q, q), np.where(failed[:, None], self._v, v)
        self._q, self._v = q.copy(), v.copy()
        return RobotBatch(robots.model, robots.t, q, v, self._tau.copy())

    def _observe_states(self, batch: RobotBatch) -> Array:
        """Observations (n, k), of the same shape at every step."""
        observe, n = self.rules.observe, self.stepper.n
        found = (
            np.concatenate([batch.q, batch.v], axis=1)
            if observe is None
            else checks.result_of("observe", observe, batch)
        )
        found = np.array(checks.require_real_array("observe", found), dtype=np.float64)
        if found.ndim != 2 or len(found) != n or found.shape != (self._shape or found.shape):
            raise ArgumentError(f"observe gave shape {found.shape}, expected ({n}, k), always the same")
        return found


@cache
def environment_class() -> type:
    """The class of environments, derived from Gymnasium's."""
    import gymnasium
    from gymnasium.vector import AutoresetMode, VectorEnv
    from gymnasium.vector.utils import batch_space

    from linkwright.simulation.running.row_layout import velocity_name

    class RobotVectorEnv(VectorEnv):
        """Many robots of one mechanism as one environment; made by `gym_vector_env`.

        Attributes:
            stepper: the robots.
            action_names, observation_names: what the columns are; () for observations of the user.
        """

        def __init__(self, stepper: Stepper, efforts: Array, rules: EpisodeRules) -> None:
            model, n = stepper.model, stepper.n
            self.stepper, self._episodes, self.num_envs = stepper, Episodes(stepper, rules), n
            self.metadata = {"autoreset_mode": AutoresetMode[rules.autoreset.upper()], "render_modes": []}
            self.action_names = model.actuated
            rates = (velocity_name(name, name in model.q_names) for name in model.v_names)
            self.observation_names = () if rules.observe is not None else (*model.q_names, *rates)
            shape = self._episodes.observations.shape[1:]
            self.single_action_space = gymnasium.spaces.Box(-efforts, efforts, dtype=np.float64)
            self.single_observation_space = gymnasium.spaces.Box(-np.inf, np.inf, shape, dtype=np.float64)
            self.action_space = batch_space(self.single_action_space, n)
            self.observation_space = batch_space(self.single_observation_space, n)

        def reset(
            self, *, seed: int | None = None, options: dict[str, Any] | None = None
        ) -> tuple[Array, dict[str, Any]]:
            """Begin all episodes, or those of `options["reset_mask"]`; return the observations."""
            super().reset(seed=seed)
            mask = (options or {}).get("reset_mask")
            rows = np.ones(self.num_envs, dtype=bool) if mask is None else np.asarray(mask)
            if rows.dtype != bool or rows.shape != (self.num_envs,):
                checks.refuse_argument("options['reset_mask']", mask, f"{self.num_envs} bools")
            self._episodes.begin(rows, self.np_random)
            return self._episodes.observations.copy(), {}

        def step(self, actions: ArrayLike) -> Step:
            """Advance all robots; observations, rewards, terminated, truncated and info."""
            efforts = _clip_actions(actions, self.single_action_space, (self.num_envs, len(self.action_names)))
            return self._episodes.step(efforts, self.np_random)

    return RobotVectorEnv


def _clip_actions(actions: Any, space: Any, shape: tuple[int, ...]) -> Array:
    """Efforts within their limits; numbers that are not finite stay, and spoil their own row only."""
    found = np.asarray(checks.require_real_array("actions", actions), dtype=float)
    if found.shape != shape:
        raise ArgumentError(f"actions have shape {found.shape}, expected {shape}")
    return np.clip(found, space.low, space.high)


def _results_for_robots(title: str, function: Callable[..., Any], batch: RobotBatch, n: int, kind: type) -> Array:
    """What a function of the user gives for all robots, (n,)."""
    found = np.asarray(checks.result_of(title, function, batch))
    if found.shape != (n,) or (kind is float and found.dtype.kind not in "fiub"):
        raise ArgumentError(f"{title} gave shape {found.shape} of {found.dtype}, expected ({n},) of {kind.__name__}")
    return found.astype(kind)
