"""The bound of a workspace's error, against areas of five-bars in closed form."""

import warnings

import numpy as np
from scipy.ndimage import label

import linkwright as lw

LENGTHS = (
    "base",  # half the distance of the motors
    "joints.psi1.at.x",
    "joints.psi2.at.x",
    "joints.tip.at.x",
    "joints.tip.child_at.x",
    "frames.platform.at.x",
)


def common_area(R, r, d):
    """Area that two disks share whose centers are d apart."""
    if min(R, r) <= 0.0 or d >= R + r:
        return 0.0
    if d <= abs(R - r):
        return np.pi * min(R, r) ** 2
    a, b = (x * x * np.arccos((d * d + x * x - y * y) / (2.0 * d * x)) for x, y in ((R, r), (r, R)))
    return a + b - 0.5 * np.sqrt((-d + r + R) * (d + r - R) * (d - r + R) * (d + r + R))


def reach(d, l1, m1, l2, m2, point):
    """Area that both legs reach, which is common to two rings: all of it, or the half on the point's side of the base.

    None where it has other parts; a raster decides.
    """
    (R1, r1), (R2, r2) = ((l1 + m1, abs(l1 - m1)), (l2 + m2, abs(l2 - m2)))
    total = common_area(R1, R2, d) - common_area(R1, r2, d) - common_area(r1, R2, d) + common_area(r1, r2, d)
    x = np.linspace(-1.0, 1.0, 400) * (max(R1, R2) + d)
    X, Y = np.meshgrid(x, x, indexing="ij")
    first, second = np.hypot(X + d / 2, Y), np.hypot(X - d / 2, Y)
    inside = (first < R1) & (first > r1) & (second < R2) & (second > r2)
    parts, _ = label(inside)
    own = parts[np.abs(x - point[0]).argmin(), np.abs(x - point[1]).argmin()]
    share = (parts == own).sum() / inside.sum() if own else 0.0
    return next((c * total for c in (1.0, 0.5) if abs(share - c) < 0.02), None)


def errors_and_bounds(n, count, seed):
    """Errors of areas of random five-bars on grids that lie by chance, and their bounds, (n, 2)."""
    model, rng, rows = lw.build(lw.catalog.load("five-bar"), inputs=LENGTHS), np.random.default_rng(seed), []
    while len(rows) < n:
        b, (l1, l2, m1, m2) = rng.uniform(0.02, 0.3), rng.uniform(0.1, 0.6, 4)
        beyond, half = rng.uniform(0.01, 0.2, 4), max(l1 + m1, l2 + m2)
        one = model.with_parameters(dict(zip(LENGTHS, (b, l1, l2, m1, m2, m1), strict=True)))
        try:
            point = one.frame_pose(one.assemble().q, "platform").position
        except lw.errors.AssemblyError:
            continue
        area = reach(2.0 * b, l1, m1, l2, m2, point)
        if area is None:
            continue
        ranges = {name: (-half - beyond[i], half + beyond[i + 1], count) for i, name in ((0, "x"), (2, "y"))}
        found = lw.analysis.workspace(one, ranges)
        rows.append((abs(found.volume - area), found.error))
    return np.array(rows)


def test_the_bound_of_the_error_holds_for_95_percent_of_random_five_bars():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", lw.errors.ParameterWarning)  # lengths far from those of the file
        error, bound = errors_and_bounds(40, 41, 12).T
    known = np.isfinite(bound)
    assert known.mean() > 0.9  # few regions are thin on such grids
    error, bound = error[known], bound[known]
    assert np.mean(error <= bound) >= 0.95
    assert np.median(bound / error) < 15.0  # and says something


def test_what_a_coarse_grid_does_not_see_has_no_bound():
    """On few values the bound holds where there is one, and where there is none a note says why."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", lw.errors.ParameterWarning)
        error, bound = errors_and_bounds(40, 21, 101).T
    known = np.isfinite(bound)
    assert 0.4 < known.mean() < 0.9
    assert np.mean(error[known] <= bound[known]) >= 0.9
    model = lw.build(lw.catalog.load("five-bar"))
    thin = lw.analysis.workspace(model, {"x": (-0.7, 0.7, 9), "y": (-0.7, 0.7, 9)})
    assert np.isnan(thin.error) and any("no bound of the error" in note for note in thin.notes)
