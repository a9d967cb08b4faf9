"""What Wang et al. 2001 claim about the rigid four-bar linkage."""

from __future__ import annotations

import numpy as np

from linkwright.gallery import wang
from linkwright.gallery.machines import model
from linkwright.gallery.records import REFERENCE, AtLeast, AtMost, Between, Claim, Difference, Near

CLAIMS = (
    Claim(
        "wang/W1-start",
        "Sec 3.1",
        "alpha = 0.353281, phi = 1.26486 close the linkage at theta = pi/2",
        Near((0.353281, 1.26486), 5.01e-6),
        lambda: wang.absolute(model("four-bar").from_actuators(np.array([np.pi / 2]))[0])[1:],
        "rad",
    ),
    Claim(
        "wang/W1-equations",
        "Eqs 12-19",
        "equations on springs (links along local x, m3 restored in 8)",
        Near((0.0,), 1e-11),
        lambda: wang.equations(1e4),
        "relative",
    ),
    Claim(
        "wang/W1-accelerations",
        "Eqs 15-19",
        "accelerations of theta, alpha, phi at the start, k to infinity",
        Near((1.25888277, 0.11991612, 0.59768827), 1e-8),
        lambda: wang.absolute(wang.moved(wang.DAE).a[0]),
        "rad/s^2",
        REFERENCE,
    ),
    Claim(
        "wang/W2-printed",
        "Eq 20",
        "the eliminated spring forces give the torque, 6 N m, as printed",
        Near((0.0,), 1e-9),
        lambda: wang.eliminated(True),
        "N m",
        because=Difference(
            "equation 20 as printed is {ours} N m off on this motion: the last sign must be + and f_Bx "
            "lacks + m3 g r3 l2 cos(alpha) cos(phi)",
            Near((669.958,), 0.01),
        ),
    ),
    Claim(
        "wang/W2-corrected",
        "Eq 20",
        "with sign and term restored it gives 6 N m",
        Near((0.0,), 1e-8),
        lambda: wang.eliminated(False),
        "N m",
    ),
    Claim(
        "wang/W2-inverse",
        "Eq 20",
        "our inverse dynamics by eliminated spring forces gives 6 N m",
        Near((0.0,), 1e-9),
        wang.our_elimination,
        "N m",
    ),
    Claim(
        "wang/W3-error",
        "Eq 44, Fig 6",
        "e is around 10^-5.5 at 0.1 s for k = 1e6",
        Between(10**-5.75, 10**-5.25, "10^-5.5"),
        lambda: wang.spring_gap(1e6)[-1],
        "m",
        because=Difference(
            "e oscillates between 0 and 16.1 N / k, and at this instant it is {ours} m, near its crest; "
            "the envelope is what a stiffness can be chosen by",
            Near((1.582e-5,), 1e-7),
        ),
    ),
    Claim(
        "wang/W3-envelope",
        "Fig 6",
        "e falls with k: k times the largest e in 0.1 s, for k = 1e4 to 1e7",
        Near((16.13,) * 4, 0.01),
        lambda: [wang.envelope(10.0**n) for n in (4, 5, 6, 7)],
        "N",
        REFERENCE,
    ),
    Claim(
        "wang/W3-motion",
        "Fig 7",
        "theta after 2 s, by the exact linkage",
        Near((10.38654795,), 1e-8),
        lambda: wang.moved(wang.DAE).q[-1, 0],
        "rad",
        REFERENCE,
    ),
    Claim(
        "wang/W3-spring-motion",
        "Fig 7",
        "largest deviation of theta, alpha, phi on springs k = 1e6 in 2 s",
        Near((0.0023464449790235875, 0.0005901747568114457, 0.0004838218097216185), 1e-6),
        lambda: np.abs(wang.differences(wang.SPRINGS)).max(axis=0),
        "rad",
        REFERENCE,
    ),
    Claim(
        "wang/W3-three-ways",
        "Sec 3.1.2",
        "DAE and closed-form kinematics lead to almost identical results",
        Between(0.0, 1e-8, "almost identical"),
        lambda: np.abs(wang.differences(wang.CLOSED_FORM)).max(),
        "rad",
    ),
    Claim(
        "wang/W3-small",
        "Fig 8",
        "the difference of the virtual springs is very small",
        Between(0.0, 3e-3, "very small"),
        lambda: np.abs(wang.differences(wang.SPRINGS)).max(),
        "rad",
    ),
    Claim(
        "wang/W3-speed",
        "Sec 3.1.1",
        "at k = 1e6 the computational speed is ideal beside the other approaches",
        AtMost(1.0),
        wang.spring_work,
        "times the DAE's operations",
        because=Difference(
            "at equal tolerance (1e-11) the springs take {ours} times the operations of the multipliers, "
            "because the oscillation of the joint on its spring has to be followed",
            AtLeast(5.0),
        ),
    ),
    Claim(
        "wang/W3-times",
        "Sec 3.1.1",
        "the same by CPU time: springs over multipliers, springs over closed-form kinematics",
        AtMost(1.0),
        lambda: wang.cpu_times()[0] / wang.cpu_times()[1:],
        "times",
        because=Difference(
            "2 s of motion on springs took {ours} times the CPU time of the other two at equal tolerance (1e-8), "
            "for the same reason",
            AtLeast(1.5),
        ),
    ),
    Claim(
        "wang/W6-cheaper",
        "Eq 17",
        "no global linear system: a slope on springs costs less than one with multipliers",
        AtMost(1.0),
        wang.cheaper_slope,
        "of the operations",
    ),
    Claim(
        "wang/W6-blocks",
        "Eq 17",
        "the mass matrix is block diagonal: the output link is uncoupled",
        Near((0.0,), 0.0),
        wang.off_diagonal,
        "elements",
    ),
    Claim(
        "wang/W7-methods",
        "Sec 3",
        "explicit and stiff (gear) integrators serve: their difference at 0.1 s",
        Near((0.0, 0.0), 1e-6),
        wang.gear,
        "rad",
    ),
)
