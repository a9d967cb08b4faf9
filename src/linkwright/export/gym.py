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
from linkwright.errors import ArgumentError
from linkwright.kernels.stepping.limits import bounds_of
from linkwright.mechanism.names import suggestion
from linkwright.model import Model

if TYPE_CHECKING:
    from linkwright.simulation.problem.stops import EndStops

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
    `terminated`, and `info["failed"]` shows it.

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
        failure: reward of a step that fails.
        autoreset: Gymnasium's modes: "next_step", "same_step", "disabled".

    >>> import linkwright as lw
    >>> robot = lw.build(lw.catalog.load("five-bar"))
    >>> def effort(batch): return -(batch.tau**2).sum(axis=1)
    >>> env = lw.export.gym_vector_env(robot, 4, h=0.01, reward=effort, efforts=2.0)  # doctest: +SKIP
    """
    try:
        import gymnasium  # noqa: F401
    except ImportError:
        raise ArgumentError(
            "an environment needs gymnasium, which is not installed; install it with: pip install 'linkwright[gym]'"
        ) from None
    return environment_class()(
        model, n, h, reward=reward, terminated=terminated, observe=observe, start=start, parameters=parameters,
        efforts=efforts, episode=episode, substeps=substeps, stops=stops, failure=failure, autoreset=autoreset,
        threads=threads,
    )  # fmt: skip


def largest_efforts(model: Model, given: Any) -> Array:
    """Largest efforts of the actuators, (na,): those given, or the limits of joints and actuators."""
    if isinstance(given, Mapping):
        for name in given:
            if name not in model.actuated:
                raise ArgumentError(
                    f"efforts names '{name}', which is not an actuator{suggestion(str(name), model.actuated)}"
                )
        found = np.array([given.get(name, np.nan) for name in model.actuated], dtype=float)
    elif given is not None:
        every = np.full(model.na, checks.finite("efforts", given)) if np.ndim(given) == 0 else given
        found = checks.vector("efforts", every, model.na)
    else:
        bounds = bounds_of(model.mechanism, "effort")
        drives = model.kernels.setup.drives
        found = np.array([min((b.bound for b in bounds if b.drive == d), default=np.nan) for d in drives])
    for name, x in zip(model.actuated, found, strict=True):
        if not x > 0.0:
            what = "has no effort limit" if np.isnan(x) else f"has the effort limit {x:g}"
            raise ArgumentError(f"actuator '{name}' {what}; give efforts=... above zero, one or by actuator")
    return np.array(found, dtype=float)


@cache
def environment_class() -> type:
    """The class of environments, derived from Gymnasium's."""
    import gymnasium
    from gymnasium.vector import AutoresetMode, VectorEnv
    from gymnasium.vector.utils import batch_space

    from linkwright.simulation.stepper.api import Stepper

    modes = {
        "next_step": AutoresetMode.NEXT_STEP,
        "same_step": AutoresetMode.SAME_STEP,
        "disabled": AutoresetMode.DISABLED,
    }

    class RobotVectorEnv(VectorEnv):
        """Many robots of one mechanism as one environment; made by `gym_vector_env`.

        Attributes:
            stepper: the robots.
            action_names, observation_names: what the columns are; () for observations of the user.
        """

        def __init__(self, model: Model, n: int, h: float, **given: Any) -> None:
            checks.instance("model", model, Model, "a Model; make one with linkwright.build")
            for name in ("reward", "terminated", "observe"):
                if given[name] is not None or name == "reward":
                    checks.function(name, given[name], "a function of a RobotBatch")
            for name in ("start", "parameters"):
                if given[name] is not None:
                    checks.function(name, given[name], "a function of a random generator and a number of robots")
            self._given = given
            self._mode = checks.choice("autoreset", given["autoreset"], modes)
            self._episode = checks.whole("episode", given["episode"])
            self._failure = checks.number("failure", given["failure"])
            most = largest_efforts(model, given["efforts"])
            self.stepper = Stepper(
                model, n, h, substeps=given["substeps"], stops=given["stops"], threads=given["threads"]
            )
            self.num_envs = self.stepper.n
            self.metadata = {"autoreset_mode": modes[self._mode], "render_modes": []}
            self.action_names, self.observation_names = model.actuated, (*model.q_names, *model.v_names)
            self.single_action_space = gymnasium.spaces.Box(-most, most, dtype=np.float64)
            self._tau = np.zeros((n, model.na))
            self._p = self.stepper.p.copy()
            self._q, self._v = self.stepper.q.copy(), self.stepper.v.copy()
            self._steps, self._over = np.zeros(n, dtype=np.int64), np.zeros(n, dtype=bool)
            self._last = self._observed(np.zeros(0))
            if given["observe"] is not None:
                self.observation_names = ()
            self.single_observation_space = gymnasium.spaces.Box(
                -np.inf, np.inf, self._last.shape[1:], dtype=np.float64
            )
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
                checks.refuse("options['reset_mask']", mask, f"{self.num_envs} bools")
            self._begin(rows)
            return self._last.copy(), {}

        def step(self, actions: ArrayLike) -> tuple[Array, Array, Array, Array, dict[str, Any]]:
            """Advance all robots; observations, rewards, terminated, truncated and info."""
            again = self._over.copy() if self._mode == "next_step" else np.zeros(self.num_envs, dtype=bool)
            if self._mode == "disabled" and self._over.any():
                raise ArgumentError(
                    f"robot {int(np.argmax(self._over))} has ended its episode; reset it with "
                    "options={'reset_mask': mask}, or use autoreset"
                )
            self._tau[:] = _clipped(actions, self.single_action_space, self._tau.shape)
            self._tau[again] = 0.0
            self.stepper.step(self._tau)
            failed = self.stepper.failed & ~again
            self._steps += 1
            self._last = self._observed(self._last, failed)
            batch = self._batch(failed)
            rewards = _rows("reward", self._given["reward"](batch), self.num_envs, float)
            rewards = np.where(failed, self._failure, rewards)
            ends = failed.copy()
            if self._given["terminated"] is not None:
                ends |= _rows("terminated", self._given["terminated"](batch), self.num_envs, bool)
            truncated = (self._steps >= self._episode) & ~ends
            rewards, ends, truncated = np.where(again, 0.0, rewards), ends & ~again, truncated & ~again
            info: dict[str, Any] = {"failed": failed} if failed.any() else {}
            self._over = ends | truncated
            if again.any():
                self._begin(again)
            if self._mode == "same_step" and self._over.any():
                info |= {"final_obs": self._last.copy(), "_final_obs": self._over.copy()}
                info |= {"final_info": {"failed": failed}, "_final_info": self._over.copy()}
                self._begin(self._over)
            return self._last.copy(), rewards, ends, truncated, info

        def _begin(self, rows: Array) -> None:
            """Put some robots at a new start, with new parameters."""
            rows, k, rng = rows.copy(), int(rows.sum()), self.np_random
            if self._given["parameters"] is not None:
                self._p[rows] = self._given["parameters"](rng, k)
                self.stepper.set_parameters(self._p)
            q, v = None, None
            if self._given["start"] is not None:
                found = self._given["start"](rng, k)
                q, v = found if isinstance(found, tuple) else (found, None)
            self.stepper.reset(rows, q, v)
            self._steps[rows], self._over[rows], self._tau[rows] = 0, False, 0.0
            self._last[rows] = self._observed(self._last)[rows]

        def _batch(self, failed: Array | None = None) -> RobotBatch:
            robots = self.stepper
            q, v = robots.q, robots.v
            if failed is not None and failed.any():  # these are shown where they were; `observe` may still give NaN
                q, v = np.where(failed[:, None], self._q, q), np.where(failed[:, None], self._v, v)
            self._q, self._v = q.copy(), v.copy()
            return RobotBatch(robots.model, robots.t, q, v, self._tau.copy())

        def _observed(self, last: Array, failed: Array | None = None) -> Array:
            """Observations (n, k); robots that failed keep their last ones."""
            batch = self._batch(failed)
            observe = self._given["observe"]
            found = np.concatenate([batch.q, batch.v], axis=1) if observe is None else observe(batch)
            found = np.array(checks.real("observe", found), dtype=np.float64)
            if found.ndim != 2 or len(found) != self.num_envs or (last.ndim == 2 and found.shape != last.shape):
                raise ArgumentError(f"observe gave shape {found.shape}, expected ({self.num_envs}, k), always the same")
            return found

    return RobotVectorEnv


def _clipped(actions: Any, space: Any, shape: tuple[int, ...]) -> Array:
    """Efforts within their limits; numbers that are not finite stay, and spoil their own row only."""
    found = np.asarray(checks.real("actions", actions), dtype=float)
    if found.shape != shape:
        raise ArgumentError(f"actions have shape {found.shape}, expected {shape}")
    return np.clip(found, space.low, space.high)


def _rows(title: str, given: Any, n: int, kind: type) -> Array:
    found = np.asarray(given)
    if found.shape != (n,) or (kind is float and found.dtype.kind not in "fiub"):
        raise ArgumentError(f"{title} gave shape {found.shape} of {found.dtype}, expected ({n},) of {kind.__name__}")
    return found.astype(kind)
