"""Boundary of a region on a grid, surfaces of one index inside, and planes that end where the region does.

Every cell is divided into simplices (Kuhn): two triangles of a rectangle, six tetrahedra of a box. An edge between a
pose inside and one outside crosses the boundary at a share of its length; shares give the part of each simplex that is
inside, and the points a mesh.
"""

from __future__ import annotations

import itertools

import numpy as np

from linkwright.analysis.region.grid import PoseGrid
from linkwright.analysis.region.grid_exploration import INSIDE, Region, Solver
from linkwright.dataclass import dataclass

# --- boundary of a region on a grid -----------------------------------------------------------------------------------

Array = np.ndarray


@dataclass(frozen=True, eq=False)
class Boundary:
    """Points on the boundary, (n, k) components, with triangles (m, 3) or segments (m, 2) between them.

    Attributes:
        volume: length, area or volume enclosed, in the grid's unit.
        inner, outer: of all cells that are whole inside, and of all that are inside at a corner.
        cells: volume inside of every cell, one less along each axis than the grid has values.
        indices: of the mechanism at the points, by name.
    """

    points: Array
    faces: Array
    volume: float
    inner: float
    outer: float
    cells: Array
    indices: dict[str, Array]


def cell_simplices(shape: tuple[int, ...], cells: Array) -> Array:
    """Corners of the simplices of numbered cells, (cells * k!, k + 1), as numbers of poses."""
    k = len(shape)
    strides = np.array([int(np.prod(shape[i + 1 :])) for i in range(k)])
    found = []
    for order in itertools.permutations(range(k)):
        corners = np.concatenate([[0], np.cumsum(strides[list(order)])])
        found.append(cells[:, None] + corners)
    return np.concatenate(found)


def all_cells(shape: tuple[int, ...]) -> Array:
    """Numbers of the first corners of all cells."""
    return np.arange(int(np.prod(shape))).reshape(shape)[tuple(slice(0, -1) for _ in shape)].ravel()


def corner_counts(inside: Array) -> Array:
    """How many corners of every cell are inside, in the order of `all_cells`."""
    total = np.zeros([n - 1 for n in inside.shape], dtype=np.int8)
    for corner in itertools.product((slice(0, -1), slice(1, None)), repeat=inside.ndim):
        total += inside[corner]
    return total.ravel()


def mixed_cells(inside: Array) -> Array:
    """Numbers of the first corners of cells that are inside at some corners only."""
    counts = corner_counts(inside)
    return all_cells(inside.shape)[(counts > 0) & (counts < 2**inside.ndim)]


def corners_inside_first(S: Array, inside: Array) -> tuple[Array, Array]:
    """Simplices with their corners inside (by numbers of poses) in front, and how many these are."""
    within = inside[S]
    return np.take_along_axis(S, np.argsort(~within, axis=1, kind="stable"), axis=1), np.count_nonzero(within, axis=1)


def region_boundary(grid: PoseGrid, region: Region, solver: Solver, halvings: int) -> Boundary:
    """The boundary of the region inside a grid."""
    inside = region.code == INSIDE
    counts = corner_counts(inside.reshape(grid.shape))
    full = 2 ** len(grid.shape)
    whole = grid.cell * np.count_nonzero(counts == full)
    mixed = (counts > 0) & (counts < full)
    S, m = corners_inside_first(cell_simplices(grid.shape, all_cells(grid.shape)[mixed]), inside)
    points, shares, crossing = _boundary_crossings(grid, region, solver, S, m, halvings)
    part = _volume_shares(S, m, crossing, shares)
    size = grid.cell / _factorial(len(grid.shape))
    outer = grid.cell * np.count_nonzero(counts > 0)
    found = {}
    if region.values:
        found = _at_points(region, crossing, shares)
    volume = float(whole + size * part.sum())
    cells = np.where(counts == full, grid.cell, 0.0)
    cells[mixed] = size * part.reshape(_factorial(len(grid.shape)), np.count_nonzero(mixed)).sum(axis=0)
    cells = cells.reshape([n - 1 for n in grid.shape])
    return Boundary(points, faces_of(S, m, crossing), volume, float(whole), float(outer), cells, found)


@dataclass(frozen=True, eq=False)
class Edges:
    """Edges that cross the boundary: numbers of the poses inside and outside, (n,), and where a pair stands."""

    first: Array
    last: Array
    keys: Array
    n: int

    def of(self, a: Array, b: Array) -> Array:
        """Numbers of the edges between poses a inside and b outside."""
        return np.searchsorted(self.keys, a.astype(np.int64) * self.n + b)


def crossing_edges(S: Array, m: Array, n: int) -> Edges:
    """Edges of simplices (corners inside first, of which there are m) between poses inside and outside; n poses."""
    k = S.shape[1]
    pairs = [np.zeros((0, 2), dtype=np.int64)]
    for count in range(1, k):
        rows = S[m == count].astype(np.int64)
        pairs += [rows[:, [i, j]] for i in range(count) for j in range(count, k)]
    keys = np.unique(np.concatenate(pairs) @ np.array([n, 1]))
    return Edges(keys // n, keys % n, keys, n)


def _boundary_crossings(
    grid: PoseGrid, region: Region, solver: Solver, S: Array, m: Array, halvings: int
) -> tuple[Array, Array, Edges]:
    edges = crossing_edges(S, m, grid.count)
    a, b = grid.coordinates(edges.first), grid.coordinates(edges.last)
    shares = _bisect_edges(grid, solver, a, b, region.q[edges.first], halvings)
    return a + shares[:, None] * (b - a), shares, edges


def _bisect_edges(grid: PoseGrid, solver: Solver, a: Array, b: Array, start: Array, halvings: int) -> Array:
    """Shares of the way from poses inside to poses outside at which the boundary lies."""
    low, high = np.zeros(len(a)), np.ones(len(a))
    q = start.astype(float)
    for _ in range(halvings if len(a) else 0):
        middle = 0.5 * (low + high)
        found = solver.coordinates_at(grid.targets(a + middle[:, None] * (b - a)), q)
        inside = solver.judge_coordinates(found)[0] == INSIDE
        low, high = np.where(inside, middle, low), np.where(inside, high, middle)
        q = np.where(inside[:, None], found, q)
    return 0.5 * (low + high)


def _volume_shares(S: Array, m: Array, edges: Edges, t: Array) -> Array:
    """Part of every simplex that is inside, (n,)."""
    k = S.shape[1]
    part = np.where(m == k, 1.0, 0.0)
    one = m == 1
    part[one] = np.prod([t[edges.of(S[one, 0], S[one, j])] for j in range(1, k)], axis=0)
    most = (m == k - 1) & ~one
    part[most] = 1.0 - np.prod([1.0 - t[edges.of(S[most, i], S[most, k - 1])] for i in range(k - 1)], axis=0)
    if k == 4:
        two = m == 2
        a, b, c, d = S[two].T
        ac, ad, bc, bd = (t[edges.of(*pair)] for pair in ((a, c), (a, d), (b, c), (b, d)))
        part[two] = ac * ad + bc * bd * (1.0 - ad) + bc * ad * (1.0 - ac)
    return part


def faces_of(S: Array, m: Array, edges: Edges) -> Array:
    """Segments of a plane region or triangles of a spatial one, as numbers of crossing points."""
    k = S.shape[1]
    found = [np.zeros((0, max(k - 1, 1)), dtype=np.int64)]
    one, most = S[m == 1], S[(m == k - 1) & (m > 1)]
    found.append(np.stack([edges.of(one[:, 0], one[:, j]) for j in range(1, k)], axis=1))
    if k > 2:
        found.append(np.stack([edges.of(most[:, i], most[:, k - 1]) for i in range(k - 1)], axis=1))
    if k == 4:
        a, b, c, d = S[m == 2].T
        ac, ad, bc, bd = (edges.of(*pair) for pair in ((a, c), (a, d), (b, c), (b, d)))
        found += [np.stack([ac, ad, bc], axis=1), np.stack([ad, bd, bc], axis=1)]
    return np.concatenate(found)


def _at_points(region: Region, edges: Edges, t: Array) -> dict[str, Array]:
    """Indices at the crossing points: those of the pose inside, and in between where both are known."""
    found = {}
    for name, x in region.values.items():
        a, b = x[edges.first], x[edges.last]
        found[name] = np.where(np.isfinite(b), a + t * (b - a), a)
    return found


def _factorial(k: int) -> int:
    return int(np.prod(np.arange(1, k + 1)))


def sum_cell_pairs(cells: Array) -> Array:
    """Sums of two cells along each axis.

    >>> sum_cell_pairs(np.ones((4, 6))).tolist()
    [[4.0, 4.0, 4.0], [4.0, 4.0, 4.0]]
    """
    pairs = cells.reshape([x for n in cells.shape for x in (n // 2, 2)])
    return np.asarray(pairs.sum(axis=tuple(range(1, 2 * cells.ndim, 2))))


def thin_region(grid: PoseGrid, region: Region) -> tuple[PoseGrid, Region] | None:
    """Every second pose along each axis, for an estimate of the error; None where the last ones would be left out."""
    if any(n % 2 == 0 or n < 5 for n in grid.shape):
        return None
    pick = tuple(slice(None, None, 2) for _ in grid.shape)

    def some(x: Array) -> Array:
        return x.reshape(*grid.shape, *x.shape[1:])[pick].reshape(-1, *x.shape[1:])

    coarse = PoseGrid(grid.names, tuple(axis[::2] for axis in grid.axes), grid.position, grid.quaternion_wxyz)
    return coarse, Region(some(region.code), {name: some(x) for name, x in region.values.items()}, some(region.q))


# --- surfaces and lines inside a workspace on which an index has one value --------------------------------------------


@dataclass(frozen=True, eq=False)
class LevelSet:
    """Points (n, k) where an index has a value, with triangles (m, 3) or segments (m, 2) between them."""

    points: Array
    faces: Array


def level_set(axes: tuple[Array, ...], values: Array, level: float) -> LevelSet:
    """Where values over a grid cross a level, straight between neighbors; simplices with a NaN are left out.

    >>> x = np.linspace(0.0, 1.0, 3)
    >>> found = level_set((x, x), x[:, None] + 0.0 * x, 0.25)
    >>> sorted(set(found.points[:, 0].tolist())), found.faces.shape
    ([0.25], (4, 2))
    """
    shape, flat = values.shape, values.ravel()
    S = cell_simplices(shape, all_cells(shape))
    S = S[np.isfinite(flat[S]).all(axis=1)]
    high = flat[S] >= level
    mixed = high.any(axis=1) & ~high.all(axis=1)
    S, high = S[mixed], high[mixed]
    S = np.take_along_axis(S, np.argsort(~high, axis=1, kind="stable"), axis=1)
    m = np.count_nonzero(high, axis=1)
    edges = crossing_edges(S, m, flat.size)
    a, b = (np.stack([axis[i] for axis, i in zip(axes, np.unravel_index(x, shape), strict=True)], axis=-1)
            for x in (edges.first, edges.last))  # fmt: skip
    share = (flat[edges.first] - level) / (flat[edges.first] - flat[edges.last])
    return LevelSet(a + share[:, None] * (b - a), faces_of(S, m, edges))


# --- A plane of a workspace as triangles that end where the region does -----------------------------------------------


@dataclass(frozen=True, eq=False)
class PlaneMesh:
    """Triangles (m, 3) between points (n, 2) of a plane, and a quantity at the points, (n,)."""

    points: Array
    triangles: Array
    values: Array


def plane_mesh(
    axes: tuple[Array, ...], inside: Array, crossings: Array, values: Array, held: tuple[int, int] | None = None
) -> PlaneMesh | None:
    """The part of a plane of a grid that is inside; None where the crossings are not those of the grid.

    Args:
        axes: values of the two or three axes. inside: poses inside. values: a quantity there, NaN where unknown.
        crossings: points of the refined boundary, (n, k), in the order of `boundary`.
        held: number of the axis and of its value that the plane has; None for a grid of two axes.

    Points of the boundary have the quantity of the pose inside next to them.
    """
    n, flat = inside.size, inside.ravel()
    edges = crossing_edges(*corners_inside_first(cell_simplices(inside.shape, mixed_cells(inside)), flat), n)
    if len(edges.keys) != len(crossings):
        return None
    plane = tuple(i for i in range(inside.ndim) if held is None or i != held[0])
    numbers = np.arange(n).reshape(inside.shape)
    numbers = numbers if held is None else np.take(numbers, held[1], axis=held[0])
    corners = numbers.ravel()[cell_simplices(numbers.shape, all_cells(numbers.shape))]
    S, m = corners_inside_first(corners, flat)
    a, b, c = S[m == 1].T
    one = np.stack([a, n + edges.of(a, b), n + edges.of(a, c)], axis=1)
    a, b, c = S[m == 2].T
    ac, bc = n + edges.of(a, c), n + edges.of(b, c)
    triangles = np.concatenate([S[m == 3], one, np.stack([a, b, bc], axis=1), np.stack([a, bc, ac], axis=1)])
    used, triangles = np.unique(triangles, return_inverse=True)
    at = np.stack([x.ravel() for x in np.meshgrid(*axes, indexing="ij")], axis=1)
    points = np.concatenate([at, crossings])[used][:, list(plane)]
    every = np.concatenate([values.ravel(), values.ravel()[edges.first]])
    return PlaneMesh(points, triangles.reshape(-1, 3), every[used])
