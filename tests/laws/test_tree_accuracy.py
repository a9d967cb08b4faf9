"""Accelerations of trees with light or short links: right, or reported; references in 60 digits."""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np
import pytest

import linkwright as lw
from linkwright import catalog
from linkwright.dynamics.tree_dynamics import tree_solver
from linkwright.errors import AccuracyWarning, BatchWarning, SingularityError
from linkwright.formats import from_yaml
from linkwright.functions.tree import tree_functions
from tests.sampling import sample

mp = pytest.importorskip("mpmath")


@dataclass(frozen=True)
class Plane:
    """A tree of links that turn in the plane: parents, where each joint sits on its parent, mass, center, spread."""

    parent: tuple[int, ...]
    at: tuple[float, ...]
    mass: tuple[float, ...]
    center: tuple[float, ...]
    spread: tuple[float, ...]

    @property
    def model(self) -> lw.Model:
        lines = ["format: 1", "name: plane", "gravity: [0, -9.81, 0]", "bodies:"]
        for i, (m, c, J) in enumerate(zip(self.mass, self.center, self.spread, strict=True)):
            lines.append(f"  b{i}: {{mass: {m!r}, com: [{c!r}, 0, 0], inertia: [0.0, {J!r}, {J!r}]}}")
        lines.append("joints:")
        for i, (k, x) in enumerate(zip(self.parent, self.at, strict=True)):
            parent = "ground" if k < 0 else f"b{k}"
            lines.append(f"  j{i}: {{type: revolute, axis: z, parent: {parent}, child: b{i}, at: [{x!r}, 0, 0]}}")
        return lw.build(from_yaml("\n".join(lines) + "\n"))

    def accelerations(self, q, v, tau) -> np.ndarray:
        """By Lagrange's equations in 60 digits, from the file's numbers taken as exact."""
        with mp.workdps(60):
            n, zero = len(self.parent), mp.mpf(0)
            M, f = np.full((n, n), zero), np.array([mp.mpf(float(x)) for x in tau])
            for i in range(n):
                chain = [i]
                while self.parent[chain[-1]] >= 0:
                    chain.append(self.parent[chain[-1]])
                chain.reverse()
                angle = rate = zero
                J, b = np.full((3, len(chain)), zero), np.array([zero, mp.mpf(9.81), zero])
                for place, j in enumerate(chain):
                    angle, rate = angle + mp.mpf(float(q[j])), rate + mp.mpf(float(v[j]))
                    r = mp.mpf(self.at[chain[place + 1]] if place + 1 < len(chain) else self.center[i])
                    arm = np.array([r * mp.cos(angle), r * mp.sin(angle)])
                    J[0, : place + 1] -= arm[1]
                    J[1, : place + 1] += arm[0]
                    J[2, place] = mp.mpf(1)
                    b[:2] -= arm * rate**2
                W = np.array([[mp.mpf(self.mass[i])], [mp.mpf(self.mass[i])], [mp.mpf(self.spread[i])]])
                M[np.ix_(chain, chain)] += J.T @ (W * J)
                f[chain] -= (W * J).T @ b
            return np.array([float(x) for x in mp.lu_solve(mp.matrix(M.tolist()), mp.matrix(f.tolist()))])


def chain(lengths, masses, spreads=None) -> Plane:
    """Links in a row, each with its mass in the middle of its length."""
    n = len(lengths)
    spreads = [m * x * x / 12 for m, x in zip(masses, lengths, strict=True)] if spreads is None else spreads
    centers = tuple(0.5 * x for x in lengths)
    return Plane(tuple(range(-1, n - 1)), (0.0, *lengths[:-1]), tuple(masses), centers, tuple(spreads))


ELBOW = Plane((-1, 0), (0.0, 1.0), (0.0, 1.0), (0.0, 1.0), (0.0, 0.0))
SHORT = chain([1.0, 1e-6, 1.0], [1.0, 1.0, 1.0])
WIDE = chain([1.0] * 8, np.logspace(-9, 3, 8).tolist())


def off(found, expected) -> float:
    return float(np.max(np.abs(found - expected)) / np.max(np.abs(expected)))


def judged(plane: Plane, model: lw.Model, q, v, tau) -> None:
    """The result is right to 1e-9, or few digits are reported, or none."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            a = model.forward_dynamics(q, v, tau)
        except SingularityError:
            return
    error, reported = off(a, plane.accelerations(q, v, tau)), any(w.category is AccuracyWarning for w in caught)
    assert error < (1e-2 if reported else 1e-9), (error, reported)


@pytest.mark.parametrize("q2", [1e-2, 1e-3, 1e-4, 1e-6, 1e-8, 1e-10])
def test_a_massless_upper_arm_near_the_stretched_position(q2):
    q, v, tau = np.array([0.3, q2]), np.array([0.5, -0.4]), np.array([1.0, -0.7])
    assert off(ELBOW.model.forward_dynamics(q, v, tau), ELBOW.accelerations(q, v, tau)) < 1e-11


def test_where_a_motion_moves_no_mass_there_is_no_answer():
    model, still = ELBOW.model, np.zeros(2)
    with pytest.raises(SingularityError, match="moves no mass at this position"):
        model.forward_dynamics(still, still, np.ones(2))
    with pytest.warns(BatchWarning, match="some rows of the batch"):
        rows = model.forward_dynamics(np.array([[0.0, 0.0], [0.0, 1.0]]), still, np.ones(2))
    assert np.isnan(rows[0]).all() and np.isfinite(rows[1]).all()


@pytest.mark.parametrize("plane", [SHORT, WIDE], ids=["short", "wide"])
@pytest.mark.parametrize("driven", [False, True])
def test_a_short_link_and_masses_of_twelve_decades(plane, driven):
    model, rng = plane.model, np.random.default_rng(0)
    q, v = rng.uniform(-2.0, 2.0, size=(2, model.nv))
    judged(plane, model, q, v, rng.normal(size=model.nv) if driven else np.zeros(model.nv))


def random_plane(rng: np.random.Generator, least: int = 2, below: int = 8) -> Plane:
    n = int(rng.integers(least, below))
    parent = tuple(int(rng.integers(max(-1, i - 2), i)) for i in range(n))
    lengths = 10.0 ** rng.choice([0.0, -2.0, -6.0], size=n, p=[0.7, 0.15, 0.15]) * rng.uniform(0.5, 1.5, size=n)
    mass = 10.0 ** rng.uniform(-9.0, 3.0, size=n) * (rng.random(n) > 0.15)
    mass[-1] = max(mass[-1], 1.0)
    spread = mass * lengths**2 * rng.choice([0.0, 0.1], size=n)
    center = lengths * rng.uniform(0.2, 1.0, size=n)
    at = [0.0 if k < 0 else float(lengths[k]) for k in parent]
    return Plane(parent, tuple(at), *(tuple(x.tolist()) for x in (mass, center, spread)))


@pytest.mark.parametrize("seed", sample(range(24), 12))
def test_random_trees_of_light_and_short_links(seed):
    rng = np.random.default_rng(seed)
    plane = random_plane(rng)
    try:
        model = plane.model
        model.operation_count("forward_dynamics")
    except lw.errors.MechanismError as error:
        assert "without moving any mass" in str(error)
        return
    for _ in range(6):
        q, v = rng.uniform(-np.pi, np.pi, size=model.nv), rng.normal(size=model.nv)
        q *= 10.0 ** rng.choice([0.0, -3.0, -6.0], size=model.nv, p=[0.6, 0.2, 0.2])
        judged(plane, model, q, v, rng.normal(size=model.nv) * rng.choice([0.0, 1.0]))


def ordinary(n: int, light: dict[int, float] | None = None) -> Plane:
    """A chain of rods of 1 m and about 1 kg, but for some light ones."""
    masses = np.random.default_rng(n).uniform(0.7, 1.3, size=n)
    for i, m in (light or {}).items():
        masses[i] = m
    return chain([1.0] * n, masses.tolist())


@pytest.mark.parametrize("n", [20, 50])
@pytest.mark.parametrize("spread", [np.pi, 1e-3, 0.0])
def test_long_chains_of_ordinary_links_are_exact_without_a_check(n, spread):
    plane = ordinary(n)
    model, rng = plane.model, np.random.default_rng(n)
    assert tree_solver(model.kinematics)[1] is tree_functions.forward_dynamics
    q, v = rng.uniform(-spread, spread, size=n), rng.normal(size=n)
    assert off(model.forward_dynamics(q, v, np.zeros(n)), plane.accelerations(q, v, np.zeros(n))) < 1e-12


@pytest.mark.parametrize("light", [{9: 1e-9}, {4: 1e-5, 5: 1e-5, 11: 1e-7}], ids=["one", "three"])
@pytest.mark.parametrize("n", [18, 52])
def test_light_links_in_long_chains_are_checked(n, light):
    plane = ordinary(n, light)
    model, rng = plane.model, np.random.default_rng(n)
    assert tree_solver(model.kinematics)[1] is tree_functions.checked_tree_dynamics
    for scale in (np.pi, 1e-4):
        judged(plane, model, rng.uniform(-scale, scale, size=n), rng.normal(size=n), np.zeros(n))


def test_chains_too_long_for_repairs_report_light_links():
    assert tree_solver(ordinary(230).model.kinematics)[1] is tree_functions.forward_dynamics
    with pytest.warns(AccuracyWarning, match="230 velocities, too many to repair"):
        tree_solver(ordinary(230, {100: 1e-12}).model.kinematics)


@pytest.mark.usefixtures("batches_in_lanes")
def test_rows_of_a_batch_are_those_of_single_states():
    model, v, tau = ELBOW.model, np.array([0.5, -0.4]), np.array([1.0, -0.7])
    q = np.array([[0.3, x] for x in (1.0, 1e-1, 1e-3, 1e-5, 1e-7)])
    rows = model.forward_dynamics(q, v, tau)
    assert all(np.array_equal(row, model.forward_dynamics(x, v, tau)) for row, x in zip(rows, q, strict=True))


def test_derivatives_come_from_the_same_factors():
    model, v, tau, h = ELBOW.model, np.array([0.5, -0.4]), np.array([1.0, -0.7]), 1e-10
    q = np.array([0.3, 1e-5])
    dq, _, dtau = model.forward_dynamics_derivatives(q, v, tau)
    sides = [[ELBOW.accelerations(q + x * e, v, tau) for e in np.eye(2)] for x in (h, -h)]
    assert off(dq, (np.array(sides[0]) - np.array(sides[1])).T / (2 * h)) < 1e-8
    change = [ELBOW.accelerations(q, v, tau + e) - ELBOW.accelerations(q, v, tau) for e in np.eye(2)]
    assert off(dtau, np.array(change).T) < 1e-11
    A, B = model.linearize(q, v, tau)
    assert np.array_equal(A[2:, :2], dq) and np.array_equal(B[2:], dtau)


def test_runs_and_ensembles_step_over_motion_and_not_over_rounding():
    """Before the pivots were checked 2 ms took 4 million steps: the integrator followed rounding."""
    model = SHORT.model
    q, v = np.array([0.3, -0.5, 0.7]), np.zeros(3)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", AccuracyWarning)
        run = lw.simulate(model, q, v, 5e-4)
        many = lw.simulate_many(model, np.array([q, q]), np.array([v, v]), 5e-4)
    assert run.meta["ended"]["kind"] == "done" and run.stats["steps"] < 500 and run.stats["fallbacks"]
    energy = sum(model.energy(run.q, run.v))
    assert np.ptp(energy) < 1e-9 * abs(energy[0])
    assert many.q[0, -1] == pytest.approx(run.q[-1], rel=1e-9)


@pytest.mark.parametrize("name", ["stanford-arm", "puma-560", "three-link-arm"])
def test_ordinary_arms_need_no_check(name):
    """Every link contributes enough of its own: no configuration can bring a pivot near zero."""
    loops = lw.build(catalog.load(name)).kinematics
    assert tree_solver(loops) == (loops.all_rows, tree_functions.forward_dynamics)


def test_a_balanced_wheel_needs_no_check():
    """Its accelerations without effort are rounding and nothing else: no measure of an error."""
    loops = Plane((-1,), (0.0,), (2.0,), (1e-17,), (0.3,)).model.kinematics
    assert tree_solver(loops)[1] is tree_functions.forward_dynamics


@pytest.mark.parametrize("plane", [ELBOW, SHORT, WIDE], ids=["elbow", "short", "wide"])
def test_trees_at_risk_are_checked(plane):
    assert tree_solver(plane.model.kinematics)[1] is tree_functions.checked_tree_dynamics
