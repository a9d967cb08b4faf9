"""Natural frequencies of beams against the textbook (Euler and Bernoulli), converging with the number of shapes."""

import numpy as np
import pytest

from linkwright.algebra.transforms import RigidTransform
from linkwright.joints import Fixed, Revolute
from linkwright.joints.beams import Beam, Clamped, Polynomial, Sine, clamped_roots
from linkwright.mechanism import Body, Inertia, Joint, Mechanism, flexible
from tests.flexible.beams import Plain

LENGTH, DENSITY, EI = 1.7, 0.6, 11.0
UNIT = np.sqrt(EI / (DENSITY * LENGTH**4))
CLAMPED = np.array([1.875104068711961, 4.694091132974175, 7.854757438237613])  # roots of cos z cosh z = -1
CLAMPED_PINNED = np.array([3.926602312047919, 7.068582745628732, 10.210176122813031])  # roots of tan z = tanh z
FIXED_FIXED = np.array([4.730040744862704, 7.853204624095838, 10.995607838001671])  # roots of cos z cosh z = 1


def frequencies(beam, tip_mass=0.0):
    """Angular frequencies of a beam held still at its frame, with an optional point mass at its tip."""
    bodies, joints = [Body("beam")], [Joint("hold", "ground", "beam", Fixed())]
    if tip_mass:
        bodies.append(Body("weight", Inertia(tip_mass)))
        joints.append(Joint("weld", "beam", "weight", Fixed(), RigidTransform((beam.length, 0.0, 0.0))))
    model = Plain(flexible(Mechanism("b", tuple(bodies), tuple(joints), gravity=(0, 0, 0)), {"beam": beam}))
    zero, n = np.zeros(model.nv), model.nv
    M = model.mass_matrix(zero)
    K = np.array([model.generalized_forces(e, zero, zero) for e in np.eye(n)]).T
    return np.sqrt(np.sort(np.linalg.eigvals(np.linalg.solve(M, K)).real))


def beam(shapes, **options):
    return Beam(LENGTH, DENSITY, EI, shapes, **options)


def test_sine_shapes_are_the_modes_of_a_pinned_beam():
    np.testing.assert_allclose(frequencies(beam(Sine(3))), (np.pi * np.arange(1, 4)) ** 2 * UNIT, rtol=1e-12)


def test_clamped_shapes_are_the_modes_of_a_cantilever():
    np.testing.assert_allclose(frequencies(beam(Clamped(3))), CLAMPED**2 * UNIT, rtol=1e-10)
    np.testing.assert_allclose(clamped_roots(3), CLAMPED, rtol=1e-14)


def test_both_planes_have_their_own_stiffness():
    both = Beam(LENGTH, DENSITY, (EI, 4.0 * EI), Sine(1), ("y", "z"))
    np.testing.assert_allclose(frequencies(both), np.pi**2 * UNIT * np.array([1.0, 2.0]), rtol=1e-12)


@pytest.mark.parametrize(
    ("root", "tip", "roots"),
    [
        ("clamped", "free", CLAMPED),
        ("pinned", "pinned", np.pi * np.arange(1, 4)),
        ("clamped", "pinned", CLAMPED_PINNED),
        ("clamped", "clamped", FIXED_FIXED),
    ],
)
def test_polynomials_converge_from_above(root, tip, roots):
    """Rayleigh and Ritz: more shapes lower every frequency, towards the exact one."""
    found = [frequencies(beam(Polynomial(n, root, tip)))[:3] / (roots**2 * UNIT) for n in (3, 5, 9)]
    assert np.all(found[0] >= found[1] - 1e-9)
    assert np.all(found[1] >= found[2] - 1e-9)
    assert np.all(np.abs(found[2] - 1.0) < 1e-5)
    assert found[0][2] > 1.001


def test_a_heavy_tip_makes_the_cantilever_a_spring():
    """k = 3 E I / l^3 with a third of the mass: Rayleigh's mass fraction 33/140 for a light beam."""
    heavy = 300.0
    expected = np.sqrt(3.0 * EI / LENGTH**3 / (heavy + 33.0 / 140.0 * DENSITY * LENGTH))
    assert frequencies(beam(Polynomial(4)), heavy)[0] == pytest.approx(expected, rel=1e-6)


def test_rotary_inertia_lowers_the_frequencies_as_rayleigh_says():
    """Pinned beam: w^2 falls by 1 / (1 + (j pi g / l)^2)."""
    g, j = 0.05, np.arange(1, 4)
    plain, rotary = frequencies(beam(Sine(3))), frequencies(beam(Sine(3), gyration=g))
    np.testing.assert_allclose((plain / rotary) ** 2, 1.0 + (j * np.pi * g / LENGTH) ** 2, rtol=1e-11)


def spinning(shortening, rate):
    """The first flapping frequency of a cantilever that turns about its root, deflection along the axis of turning."""
    turning = Mechanism("rotor", (Body("beam"),), (Joint("spin", "ground", "beam", Revolute()),), gravity=(0, 0, 0))
    rotor = Plain(flexible(turning, {"beam": beam(Polynomial(4), planes=("z",), shortening=shortening)}))
    n = rotor.nv
    v = np.eye(n)[0] * rate
    M, h = rotor.mass_matrix(np.zeros(n))[1:, 1:], 1e-4
    K = [
        (rotor.generalized_forces(h * e, v, np.zeros(n)) - rotor.generalized_forces(-h * e, v, np.zeros(n)))[1:]
        / (2 * h)
        for e in np.eye(n)[1:]
    ]
    return np.sqrt(np.sort(np.linalg.eigvals(np.linalg.solve(M, np.array(K).T)).real)[0])


def test_shortening_stiffens_a_spinning_beam():
    """Southwell: w^2 = w0^2 + s rate^2, s = 1.173 for the first flapping shape; without shortening it is not felt."""
    rate = 2.0 * UNIT
    still = CLAMPED[0] ** 2 * UNIT
    assert spinning(False, rate) == pytest.approx(still, rel=1e-5)
    assert (spinning(True, rate) ** 2 - still**2) / rate**2 == pytest.approx(1.173, abs=0.02)
