"""What Khan et al. 2005 claim about kinematics and dynamics of the 3-RRR."""

from __future__ import annotations

import numpy as np

from linkwright.gallery import khan
from linkwright.gallery.khan_topology import TOPOLOGY
from linkwright.gallery.machines import khan_pose
from linkwright.gallery.records import REFERENCE, AtLeast, AtMost, Claim, Near

_NULL = Near((0.0,), 1e-11)

CLAIMS = (
    Claim(
        "khan/K1-alternatives",
        "Eqs 3-7",
        "multipliers, projection and the recursive road give one acceleration",
        Near((0.0,), 1e-9),
        khan.roads_agree,
        "relative",
    ),
    Claim(
        "khan/K1-penalty",
        "Sec 1",
        "penalty formulation: its error falls as 1/k (ratio for ten times k)",
        Near((10.0,), 0.5),
        khan.penalty,
    ),
    Claim(
        "khan/K2-planar",
        "Eqs 24-25",
        "planar machines need twists of three numbers",
        Near((3.0,), 0.0),
        lambda: khan.quantities(0.0).K.shape[0],
        "numbers",
    ),
    Claim(
        "khan/K2-spatial",
        "Eqs 14-23, App. A",
        "of the spatial hybrid twist they are the three that are not zero: the platform's rates (by differences)",
        Near((0.0,) * 6, 1e-8),
        khan.spatial_rest,
        "rad/s, m/s",
    ),
    Claim(
        "khan/K3-annihilators",
        "Eqs 69-70",
        "geometric and numeric annihilators remove the joint's twist",
        Near((0.0,), 1e-14),
        khan.annihilators,
    ),
    Claim("khan/K3-projection", "Eqs 26-31", "Phi_i is a projection", Near((0.0,), 1e-12), khan.projections),
    Claim(
        "khan/K4-K",
        "Eqs 31-32",
        "K at the start",
        Near(
            (
                0.1103394309131899,
                -0.10123425053000325,
                -0.07507292763301249,
                -0.10123425053000325,
                1.1641203518671026,
                -0.307565774633247,
                -0.07507292763301249,
                -0.307565774633247,
                1.7255402172197076,
            ),
            1e-10,
        ),
        lambda: khan.quantities(0.0).K,
        "",
        REFERENCE,
    ),
    Claim(
        "khan/K4-determinant",
        "Eq 32",
        "det K = (det [n1 n2 n3])^2, so it has no sign to watch",
        _NULL,
        khan.det_K_is_a_square,
    ),
    Claim(
        "khan/K4-range",
        "Eq 32",
        "K stays regular on the path: least and largest det K",
        Near((0.17724967342038922, 0.25706571105891446), 1e-9),
        khan.det_K_range,
        "",
        REFERENCE,
    ),
    Claim("khan/K4-J", "Eqs 33-36, 54", "J = P L B P keeps the loops closed (A J = 0)", _NULL, khan.closure_of_J),
    Claim(
        "khan/K5-accelerations",
        "Eqs 37-46",
        "platform acceleration x, y, angle at 1.5 s",
        Near((-0.03502056145135992, 0.04559439790845533, 0.5517263595110707), 1e-9),
        khan.accelerations,
        "m/s^2, rad/s^2",
        REFERENCE,
    ),
    Claim(
        "khan/K6-division",
        "Eqs 47-52, 57",
        "platform divided among the legs: J^T I_bar J is the whole inertia",
        _NULL,
        khan.inertia,
        "kg m^2",
    ),
    Claim(
        "khan/K7-modular",
        "Eqs 53-56",
        "per chain, then one central sum: J^T tau_tilde = tau",
        _NULL,
        khan.three_steps,
        "N m",
    ),
    Claim(
        "khan/K7-torques",
        "Fig 5",
        "driving torques at 0, 1.5 and 3 s",
        Near(
            (
                -1.418616587869925,
                -20.70723274096183,
                44.27619218764257,
                -4.94615293924553,
                -38.970584406580095,
                46.61033092460557,
                -10.899992188405278,
                -35.20348484709403,
                44.62799770026933,
            ),
            1e-9,
        ),
        lambda: khan.torques(np.array([0.0, 1.5, 3.0])),
        "N m",
        REFERENCE,
    ),
    Claim(
        "khan/K9-start",
        "Sec 5.1",
        "theta4-6 = -0.865, -2.102, -0.976 and pose 0.728, 0.233, 3.916 at the start",
        Near((-0.865, -2.102, -0.976, 0.728, 0.233, 3.916), 5.01e-4),
        khan.printed_start,
        "rad, m",
    ),
    Claim(
        "khan/K9-table",
        "Table I",
        "the links' inertias, 0.04 and 0.12, are those of rods with mass centres at mid-length",
        Near((0.04, 0.12), 1e-12),
        lambda: [3.0 * 0.4**2 / 12.0, 4.0 * 0.6**2 / 12.0],
        "kg m^2",
    ),
    Claim(
        "khan/K9-base",
        "Sec 5.1",
        "the printed digits close with l0 = 1 m (not printed) within half a last digit of each",
        AtMost(1.1e-3),
        khan.printed_gap,
        "m",
    ),
    Claim(
        "khan/K9-pose",
        "Fig 4",
        "platform pose at 3 s",
        Near((0.2976746964553159, 0.49561560640534497, 4.326430284553184), 1e-9),
        lambda: khan_pose(khan.at(3.0)[0]),
        "m, rad",
        REFERENCE,
    ),
    Claim(
        "khan/K10-friction", "Sec 6", "Rayleigh friction at every joint enters as R^T c v", _NULL, khan.friction, "N m"
    ),
    Claim(
        "khan/K10-cut-motors",
        "Sec 6",
        "torques at cut joints are allowed",
        Near((0.0,), 1e-9),
        khan.motors_elsewhere,
        "rad/s^2",
    ),
    Claim(
        "khan/K10-redundant", "Sec 6", "redundant actuation is allowed", Near((0.0,), 1e-9), khan.redundant, "rad/s^2"
    ),
    Claim(
        "khan/K10-processors",
        "Sec 6",
        "most work belongs to one leg (inverse dynamics of six legs)",
        AtLeast(0.5),
        khan.independent_share,
        "of operations",
    ),
    *TOPOLOGY,
    Claim(
        "khan/K11-modes",
        "[28]",
        "the displacement analysis has two real solutions at the start",
        Near((2.0,), 0.0),
        khan.modes,
        "modes",
        REFERENCE,
    ),
    Claim(
        "khan/K11-second-mode",
        "[28]",
        "pose of the other assembly mode",
        Near((0.6096371316490533, 0.13847553453913378, 1.0450126872611203), 1e-9),
        khan.second_mode,
        "m, rad",
        REFERENCE,
    ),
)
