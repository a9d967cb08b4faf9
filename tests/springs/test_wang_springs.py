"""Wang, Gosselin, Cheng 2001 on virtual springs: four-bar linkage and Gough-Stewart platform in time."""

import numpy as np
import pytest

import linkwright as lw
from linkwright.algebra.transforms import RigidTransform
from tests.loops.cases import case
from tests.loops.test_wang import legs_and_platform
from tests.springs.motions import Sine, absolute, motion


@pytest.fixture(scope="module")
def four_bar():
    return lw.build(lw.catalog.load("four-bar"))


@pytest.mark.parametrize(
    ("key", "damping", "position", "speed"),
    [("solution_k1e6_b0_exact_ic", 0.0, 1e-7, 2e-5), ("solution_k1e6_b44p72_exact_ic", 44.721359549995796, 1e-8, 1e-7)],
)
def test_the_four_bar_moves_as_published_for_k_1e6(four_bar, key, damping, position, speed):
    data = case("fourbar_rigid_virtual_spring")
    rows, t = np.array(data[key]), np.array(data["t"])
    springs = lw.VirtualSprings(1e6, damping)
    q, v = motion(four_bar, absolute(rows[0]), np.zeros(3), [6.0], t, springs)
    assert np.abs(q - absolute(rows)).max() < position
    assert np.abs(v - absolute(rows[:, 3:])).max() < speed


def wang_matrices(data, q, v, k):
    """M, c and f of equations 17-19 in the absolute angles, with the print corrected, spring force included."""
    (l1, l2, l3), (m1, m2, m3), (r1, r2, r3), I = (data["model"][n] for n in ("l", "m", "r", "I_com"))
    (th, al, ph), (w1, w2, _), g = q, v, data["model"]["g"]
    M = np.diag([I[0] + m1 * r1**2 + m2 * l1**2, I[1] + m2 * r2**2, I[2] + m3 * r3**2])
    M[0, 1] = M[1, 0] = m2 * l1 * r2 * np.cos(th - al)
    c = np.array(
        [
            m2 * l1 * r2 * np.sin(th - al) * w2**2 + (m1 * r1 + m2 * l1) * g * np.cos(th),
            -m2 * l1 * r2 * np.sin(th - al) * w1**2 + m2 * g * r2 * np.cos(al),
            m3 * g * r3 * np.cos(ph),
        ]
    )
    x = l1 * np.cos(th) + l2 * np.cos(al) - 3.0 - l3 * np.cos(ph)
    y = l1 * np.sin(th) + l2 * np.sin(al) - l3 * np.sin(ph)
    J = np.array(
        [[-l1 * np.sin(th), -l2 * np.sin(al), l3 * np.sin(ph)], [l1 * np.cos(th), l2 * np.cos(al), -l3 * np.cos(ph)]]
    )
    return M, c, -J.T @ (k * np.array([x, y])), np.hypot(x, y)


def test_accelerations_energy_and_gap_are_those_of_equations_12_to_19(four_bar):
    data, rng, k = case("fourbar_rigid_virtual_spring"), np.random.default_rng(0), 1e4
    for _ in range(10):
        q, v = rng.uniform(-3, 3, 3), rng.normal(size=3)
        M, c, f, gap = wang_matrices(data, q, v, k)
        expected = np.linalg.solve(M, f - c + np.array([2.0, 0, 0]))
        a = four_bar.forward_dynamics(absolute(q), absolute(v), [2.0], formulation=lw.VirtualSprings(k))
        np.testing.assert_allclose(a, absolute(expected), rtol=1e-9, atol=1e-9 * np.abs(expected).max())
        stored = four_bar.energy(absolute(q), absolute(v), formulation=lw.VirtualSprings(k))[1]
        plain = four_bar.energy(absolute(q), absolute(v))[1]
        assert stored - plain == pytest.approx(0.5 * k * gap**2, rel=1e-12)


def test_eliminated_spring_forces_give_the_torque_of_equation_20(four_bar):
    data, rng = case("fourbar_rigid_exact"), np.random.default_rng(1)
    l1, l2, l3 = data["model"]["l"]
    rows = np.array(data["expected"])[::40]
    for row in rows:
        (th, al, ph), w = row[:3], row[3:6]
        acc = rng.normal(size=3)
        M, c, _, _ = wang_matrices(data, row[:3], w, 0.0)
        # Equation 20: the forces at B from the coupler's and the rocker's own equations, then the crank's.
        own = M @ acc + c
        A = np.array([[l2 * np.sin(al), -l2 * np.cos(al)], [-l3 * np.sin(ph), l3 * np.cos(ph)]])
        fx, fy = np.linalg.solve(A, own[1:])
        tau = own[0] - l1 * np.sin(th) * fx + l1 * np.cos(th) * fy
        found = four_bar.inverse_dynamics(
            absolute(row[:3]), absolute(w), absolute(acc), formulation=lw.VirtualSprings(1e6)
        )
        assert found[0] == pytest.approx(tau, rel=1e-10, abs=1e-9)


@pytest.fixture(scope="module")
def platform_run():
    """The Gough-Stewart platform on springs k = 5e4, b = 50 under the printed forces, until 1 s."""
    data, model = case("stewart_forward_g98"), lw.build(lw.catalog.load("gough-stewart"))
    first = np.array(data["expected"][0])
    R = RigidTransform.from_quaternion((0, 0, 0), first[3:7]).R[None]
    q = legs_and_platform(first[None, :3], R, data)[0][0]
    t, springs = np.array(data["t"]), lw.VirtualSprings(data["virtual_spring"]["k"], data["virtual_spring"]["b"])
    q, v = motion(model, q, np.zeros(24), Sine(9.0, 6), t, springs)
    return data, model, q, v


def test_the_platform_on_springs_moves_as_computed_elsewhere(platform_run):
    data, _, q, v = platform_run
    rows = np.array(data["virtual_spring"]["platform_state"])[: len(q)]
    R = np.array([RigidTransform.from_quaternion((0, 0, 0), x).R for x in q[:, 3:7]])
    assert np.abs(q[:, :7] - rows[:, :7]).max() < data["tolerances"]["pos"]
    world = np.hstack([(R @ v[:, 3:6, None])[:, :, 0], (R @ v[:, :3, None])[:, :, 0]])
    assert np.abs(world - rows[:, 7:]).max() < data["tolerances"]["vel"]


def test_the_platforms_gaps_are_those_of_the_paper(platform_run):
    data, model, q, _ = platform_run
    gaps = np.linalg.norm(model.closure_residual(q).reshape(len(q), 6, 3), axis=2)
    assert gaps[:30].max() == pytest.approx(data["virtual_spring"]["max_norm_Delta_0_0p3s"], rel=1e-4)
    assert gaps.max() == pytest.approx(data["virtual_spring"]["max_norm_Delta"], rel=1e-4)  # the paper: around 1e-4
