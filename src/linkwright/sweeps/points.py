"""The points of a sweep: grids, random samples, Latin hypercubes, Sobol sequences, lists.

Any range of points is made alone, from the description and the numbers of the points, so that processes and computers
share no state: point 123 456 is the same bits whoever evaluates it.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

import numpy as np

from linkwright import checks
from linkwright.checks import require_integer
from linkwright.errors import ArgumentError, LinkwrightError, ResultError
from linkwright.files import require_regular
from linkwright.readable_text import WIDTH, cut_text
from linkwright.results.archives import open_archive, read_array

if TYPE_CHECKING:
    from linkwright.formats.tables import TitledTable

Array = np.ndarray
MOST = 10**12  # points of a sweep
_LARGEST_FILE = 1 << 30  # bytes of a file of points
_BLOCK = 4096  # random points that are drawn together


class Points(Protocol):
    """Points of a sweep, numbered from 0."""

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the quantities that are varied."""

    def __len__(self) -> int: ...

    def rows(self, start: int, stop: int) -> dict[str, Array]:
        """The quantities at points `start` to `stop`, (stop - start,) each."""

    @property
    def description(self) -> dict[str, Any]:
        """What defines the points, as plain JSON data; equal descriptions are equal points."""


class _NamedPoints:
    """Points that show how many they are and what varies."""

    def __len__(self) -> int:
        return 0

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the quantities that are varied."""
        return ()

    def __repr__(self) -> str:
        return cut_text(f"{type(self).__name__}({len(self)} points of {', '.join(self.names)})", WIDTH)


class Grid(_NamedPoints):
    """All combinations of values; the last name varies fastest.

    >>> Grid(a=[1.0, 2.0], b=[10.0, 20.0, 30.0]).rows(2, 4)
    {'a': array([1., 2.]), 'b': array([30., 10.])}
    """

    def __init__(self, **axes: Any) -> None:
        self.axes = {name: _axis_values(name, values) for name, values in _require_axes(axes).items()}
        self._size = _point_count("Grid", int(np.prod([len(x) for x in self.axes.values()], dtype=object)))

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the axes."""
        return tuple(self.axes)

    @property
    def shape(self) -> tuple[int, ...]:
        """Numbers of values along the axes."""
        return tuple(len(x) for x in self.axes.values())

    def __len__(self) -> int:
        return self._size

    def rows(self, start: int, stop: int) -> dict[str, Array]:
        """The quantities at points `start` to `stop`."""
        start, stop = _range_of_points(self, start, stop)
        indices = np.unravel_index(np.arange(start, stop), self.shape)
        return {name: x[i] for (name, x), i in zip(self.axes.items(), indices, strict=True)}

    @property
    def description(self) -> dict[str, Any]:
        """Kind, names, and a digest of each axis."""
        return {"kind": "grid", "axes": {name: [len(x), _array_digest(x)] for name, x in self.axes.items()}}


class _Within(_NamedPoints):
    """Points within bounds, from numbers between 0 and 1."""

    kind = ""

    def __init__(self, *count: int, seed: int = 0, **bounds: Any) -> None:
        kind = type(self).__name__
        given = (*count, bounds.pop("count")) if "count" in bounds else count
        if len(given) != 1 or isinstance(given[0], Mapping):
            raise ArgumentError(
                f"{kind} takes the number of points, and bounds by name: {kind}(1000, length=(0.2, 0.4)), or "
                f"{kind}(1000, **bounds) with a dictionary of them"
            )
        self.count = _point_count(kind, given[0])
        self.seed = checks.require_seed("seed", seed)
        self.bounds = {name: _axis_bounds(name, pair) for name, pair in _require_axes(bounds).items()}

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the quantities."""
        return tuple(self.bounds)

    def __len__(self) -> int:
        return self.count

    def rows(self, start: int, stop: int) -> dict[str, Array]:
        """The quantities at points `start` to `stop`."""
        start, stop = _range_of_points(self, start, stop)
        unit = self._unit(start, stop)
        return {name: low + (high - low) * unit[:, k] for k, (name, (low, high)) in enumerate(self.bounds.items())}

    def _unit(self, start: int, stop: int) -> Array:
        raise NotImplementedError

    @property
    def description(self) -> dict[str, Any]:
        """Kind, number, seed and bounds."""
        bounds = {name: [low.hex(), high.hex()] for name, (low, high) in self.bounds.items()}
        return {"kind": self.kind, "count": self.count, "seed": self.seed, "bounds": bounds}


class Uniform(_Within):
    """Independent random points, uniform within bounds.

    >>> points = Uniform(1000, seed=3, length=(0.2, 0.4))
    >>> bool((points.rows(10, 12)["length"] == points.rows(0, 1000)["length"][10:12]).all())
    True
    """

    kind = "uniform"

    def _unit(self, start: int, stop: int) -> Array:
        blocks = range(start // _BLOCK, -(-stop // _BLOCK))
        drawn = [_random_generator(self.seed, k).random((_BLOCK, len(self.bounds))) for k in blocks]
        first = start - blocks.start * _BLOCK
        return np.concatenate([*drawn, np.empty((0, len(self.bounds)))])[first : first + stop - start]


class LatinHypercube(_Within):
    """Random points of which each of `count` equal slices of each quantity's range holds exactly one.

    >>> x = LatinHypercube(5, a=(0.0, 5.0)).rows(0, 5)["a"]
    >>> sorted(np.floor(x).astype(int).tolist())
    [0, 1, 2, 3, 4]
    """

    kind = "latin-hypercube"

    def _unit(self, start: int, stop: int) -> Array:
        offsets = Uniform(self.count, seed=self.seed, **self.bounds)._unit(start, stop)
        slices = np.stack(
            [_permuted_order(self.count, self.seed, k)[start:stop] for k in range(len(self.bounds))], axis=1
        )
        return (slices + offsets) / self.count


class Sobol(_Within):
    """A scrambled Sobol sequence: points that fill the bounds more evenly than random ones; best with powers of 2."""

    kind = "sobol"

    def _unit(self, start: int, stop: int) -> Array:
        from scipy.stats import qmc

        sequence = qmc.Sobol(len(self.bounds), scramble=True, rng=np.random.default_rng(self.seed))
        if start:
            sequence.fast_forward(start)
        return sequence.random(stop - start)


class TabulatedPoints(_NamedPoints):
    """Given points: one array per name, all of one length.

    >>> len(TabulatedPoints(a=[1.0, 2.0], b=[0.5, 0.25]))
    2
    """

    def __init__(self, **columns: Any) -> None:
        self.columns = {name: _axis_values(name, values) for name, values in _require_axes(columns).items()}
        sizes = {name: len(x) for name, x in self.columns.items()}
        if len(set(sizes.values())) > 1:
            raise ArgumentError(f"the columns have different lengths, {sizes}; give every column one value per point")

    @staticmethod
    def read(path: str | os.PathLike[str]) -> TabulatedPoints:
        """Points of a `.csv` with a line of titles, or of a `.npz` with one array per title, in SI.

        A title may name a unit, `length [mm]`, and is converted by it.
        """
        return listed_points(read_points(path))

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the columns."""
        return tuple(self.columns)

    def __len__(self) -> int:
        return len(next(iter(self.columns.values())))

    def rows(self, start: int, stop: int) -> dict[str, Array]:
        """The quantities at points `start` to `stop`."""
        start, stop = _range_of_points(self, start, stop)
        return {name: x[start:stop] for name, x in self.columns.items()}

    @property
    def description(self) -> dict[str, Any]:
        """Kind, names, and a digest of each column."""
        return {"kind": "listed", "columns": {name: [len(x), _array_digest(x)] for name, x in self.columns.items()}}


def listed_points(table: TitledTable, unit_of: Callable[[str], str] | None = None) -> TabulatedPoints:
    """Points of a table; with `unit_of`, units in titles must have the dimension of that of their name."""
    units: dict[str, tuple[str, ...]] = {x: () if unit_of is None else (unit_of(x),) for x in table.names}
    return TabulatedPoints(**{name: table.numbers(name, *wanted) for name, wanted in units.items()})


def points_of(over: Any) -> Points:
    """The points as given, or a mapping of names to values as a grid."""
    if isinstance(over, Mapping):
        return Grid(**{str(name): values for name, values in over.items()})
    if isinstance(over, Grid | TabulatedPoints | _Within):
        return over
    raise ArgumentError(
        f"over is {type(over).__name__}, expected a Grid, Uniform, LatinHypercube, Sobol or TabulatedPoints of "
        "lw.sweeps, or a mapping of names to values, which is a grid"
    )


@lru_cache(maxsize=16)
def _permuted_order(count: int, seed: int, dimension: int) -> Array:
    return _random_generator(seed, 2**63 + dimension).permutation(count)


def _random_generator(seed: int, stream: int) -> np.random.Generator:
    return np.random.Generator(np.random.Philox(key=np.array([seed, stream], dtype=np.uint64)))


_T = TypeVar("_T")


def _require_axes(given: dict[str, _T]) -> dict[str, _T]:
    if not given:
        raise ArgumentError("the sweep varies nothing; name at least one quantity, such as Grid(length=[0.2, 0.3])")
    return given


def _axis_values(name: str, values: Any) -> Array:
    try:
        x = np.array(values, dtype=float)
    except (TypeError, ValueError, OverflowError, RecursionError):
        raise ArgumentError(f"the values of '{name}' are not numbers: {values!r}"[:300], name=name) from None
    if x.ndim != 1 or not len(x) or not np.isfinite(x).all():
        raise ArgumentError(
            f"the values of '{name}' have shape {x.shape}, expected a list of at least one finite number", name=name
        )
    x.setflags(write=False)
    return x


def _axis_bounds(name: str, pair: Any) -> tuple[float, float]:
    try:
        low, high = (float(x) for x in pair)
    except (TypeError, ValueError, OverflowError):
        raise ArgumentError(f"the bounds of '{name}' are {pair!r}, expected two numbers", name=name) from None
    if not (np.isfinite(low) and np.isfinite(high) and low <= high):
        raise ArgumentError(
            f"the bounds of '{name}' are {low:g} to {high:g}: an empty range; give low <= high", name=name
        )
    return low, high


def _range_of_points(points: Points, start: Any, stop: Any) -> tuple[int, int]:
    """First point of a range and the one after its last, among those that there are."""
    last = require_integer("stop", stop, 0, len(points))
    return require_integer("start", start, 0, last), last


def _point_count(kind: str, count: Any) -> int:
    return require_integer(f"the number of points of {kind}", count, 1, MOST)


def _array_digest(x: Array) -> str:
    return hashlib.blake2b(np.ascontiguousarray(x).tobytes(), digest_size=16).hexdigest()


def read_points(path: str | os.PathLike[str]) -> TitledTable:
    """The table of a `.csv` with a line of titles, or of a `.npz` with one array per title."""
    from linkwright.formats.tables import read_table, table_of_columns

    file = checks.require_path("path", path)
    if file.suffix.lower() not in (".csv", ".npz"):
        raise ResultError(f"{file}: points are read from .csv or .npz; end the name with one", file=str(file))
    try:
        if not file.exists():
            raise FileNotFoundError
        require_regular(file, _LARGEST_FILE)
        if file.suffix.lower() == ".csv":
            return read_table(file, "table")
        with open_archive(file) as archive:
            names = [each.removesuffix(".npy") for each in archive.namelist() if each.endswith(".npy")]
            return table_of_columns({name: read_array(archive, name) for name in names}, str(file))
    except FileNotFoundError:
        raise ResultError(f"{file}: there is no such file; check the name and the folder", file=str(file)) from None
    except LinkwrightError:
        raise
    except Exception as error:  # damaged archives fail in many ways
        raise ResultError(
            f"{file}: its points cannot be read ({error}); see docs/howto/sweep.md", file=str(file)
        ) from None
