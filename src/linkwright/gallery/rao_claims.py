"""What Koteswara Rao et al. 2006 claim about HexaM."""

from __future__ import annotations

from linkwright.gallery import rao
from linkwright.gallery.records import REFERENCE, AtLeast, Between, Claim, Difference, Near

CLAIMS = (
    Claim(
        "rao/R1-roots",
        "Eqs 4-5",
        "both roots of slider 1 at the start",
        Near((0.48477931373998073, 1.8152008863810294), 1e-11),
        rao.roots,
        "m",
        REFERENCE,
    ),
    Claim(
        "rao/R1-stroke",
        "Eq 5",
        "the second root lies beyond the stroke, for every leg all along the circle",
        Near((0.0,), 0.0),
        rao.beyond,
        "roots within",
    ),
    Claim("rao/R1-jacobians", "Eqs 8-11", "J_a d_dot = J_t t_P", Near((0.0,), 1e-12), rao.rates, "m/s"),
    Claim(
        "rao/R1-reach",
        "Sec 5",
        "the circle at p_Z = -0.11 m is within the strokes: least slider position",
        AtLeast(0.0),
        lambda: rao.least_slide(-0.11),
        "m",
        because=Difference(
            "at p_Z = -0.11 m sliders would have to stand at {ours} m, before their rails begin; -1.1 m agrees "
            "with Table I and Fig 9 (next claim)",
            Near((-0.2094,), 1e-3),
        ),
    ),
    Claim("rao/R1-reach-corrected", "Sec 5", "at p_Z = -1.1 m it is", AtLeast(0.0), lambda: rao.least_slide(-1.1), "m"),
    Claim(
        "rao/R2-spin",
        "Eqs 13-23",
        "rods may be taken not to spin: change of the slider forces (inertia 0 about the rod)",
        Near((0.0,), 1e-11),
        rao.spin,
        "N",
    ),
    Claim(
        "rao/R2-spin-rate",
        "Eqs 13-18",
        "with the universal joint they do spin, a little",
        Between(1e-3, 0.1, "a little"),
        rao.spin_rate,
        "rad/s",
    ),
    Claim(
        "rao/R3-complement",
        "Eqs 26-31, 38-39",
        "T_h T_d and the two-stage product are one matrix",
        Near((0.0,), 1e-12),
        rao.two_stages,
    ),
    Claim("rao/R3-inertia", "Eqs 35-36", "explicit inertia elements", Near((0.0,), 1e-10), rao.inertia, "kg"),
    Claim(
        "rao/R4-algorithm", "Eqs 37-42", "steps S-1 to S-8 give the slider forces", Near((0.0,), 1e-10), rao.road, "N"
    ),
    Claim(
        "rao/R4-processors",
        "Fig 4",
        "legs on six processors: the work shortens (bound by operations)",
        AtLeast(1.0),
        rao.parallel_bound,
        "times",
    ),
    Claim(
        "rao/R5-forces",
        "Fig 7",
        "slider forces at 0 deg",
        Near((-23.523494, -46.595753, -32.918558, -32.918558, -46.595753, -23.523494), 1e-6),
        lambda: rao.forces()[0],
        "N",
        REFERENCE,
    ),
    Claim(
        "rao/R6-deviation",
        "Sec 5",
        "DeNOC and numerical NOC deviate by the order of 1e-12 N",
        Between(0.0, 9.9e-12, "order of 1e-12"),
        rao.deviation,
        "N",
    ),
    Claim(
        "rao/R6-time", "Sec 5", "DeNOC is faster: 4 s against 6.8 s, 1.7 times", AtLeast(1.7), rao.times, "times (CPU)"
    ),
    Claim(
        "rao/R6-operations",
        "Sec 5",
        "numerical NOC takes more operations: its decomposition alone against all DeNOC",
        AtLeast(1.7),
        rao.operations,
        "times",
    ),
    Claim(
        "rao/R7-neglect",
        "Fig 8",
        "largest differences at 40 rpm without sliders, legs, both",
        Near((5.571340371996207, 17.887493270074312, 23.426900550283946), 1e-8),
        lambda: list(rao.neglected().values()),
        "N",
        REFERENCE,
    ),
    Claim(
        "rao/R7-legs-more",
        "Fig 8",
        "legs influence the forces more than sliders",
        AtLeast(1.0),
        lambda: rao.neglected()["legs"] / rao.neglected()["sliders"],
        "times",
    ),
    Claim(
        "rao/R7-study",
        "Fig 9",
        "largest differences at 120 rpm",
        Near((11.046391233718055, 96.31509340421141, 106.70042843744784), 1e-7),
        lambda: list(rao.study()[-1].largest.values()),
        "N",
        REFERENCE,
    ),
    Claim(
        "rao/R7-speed",
        "Fig 9",
        "the largest difference grows with speed in all three cases",
        AtLeast(1.0),
        rao.growth,
        "times per 10 rpm",
        because=Difference(
            "gravity makes most of it at low speed (20.1 N without legs at 10 rpm), and it falls by the "
            "factor {ours} from 20 to 30 rpm before it grows in all cases (next claim)",
            Near((0.866,), 1e-3),
        ),
    ),
    Claim(
        "rao/R7-fast",
        "Fig 9",
        "it grows in all three cases from 40 rpm on",
        AtLeast(1.05),
        rao.fast_growth,
        "times per 10 rpm",
    ),
    Claim(
        "rao/R7-wrench",
        "Eq 37",
        "a wrench on the tool enters as (J_t^-1 J_a)^T w",
        Near((0.0,), 1e-10),
        rao.wrench,
        "N",
    ),
    Claim(
        "rao/R7-gravity",
        "Eq 37",
        "gravity enters: forces that hold the weight do the work that the potential energy takes",
        Near((0.0,), 1e-8),
        rao.weight_power,
        "W",
    ),
    Claim(
        "rao/R7-dissipation",
        "Eq 37",
        "dissipation enters: viscous friction c at the sliders costs c d_dot",
        Near((0.0,), 1e-10),
        rao.dissipation,
        "N",
    ),
)
