"""Random runs, and the question whether two are the same to the last bit."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from linkwright.results.result import Result
from linkwright.results.series import Event, Series

FORMATS = (".npz", ".csv", ".mat", ".nc")
HOSTILE = [
    "../../x",
    "a,b",
    'say "x"',
    "line\nbreak",
    "effort(leg1)",
    "end",
    "__proto__",
    "θ₁",
    "\ud800",
    "\0",
    " ",
    "#",
]

texts = st.text(st.characters(codec=None), max_size=12)
names = st.one_of(st.sampled_from(HOSTILE), st.text(st.characters(codec=None), min_size=1, max_size=40))
numbers = st.one_of(st.floats(), st.integers(0, 2**64 - 1).map(lambda bits: float(np.uint64(bits).view(np.float64))))
plain_values = st.one_of(st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False), texts)
metas = st.dictionaries(texts, st.one_of(plain_values, st.lists(plain_values, max_size=3)), max_size=4)
events = st.lists(st.builds(Event, st.floats(allow_nan=False), texts, texts, texts), max_size=3)


@st.composite
def runs(draw: st.DrawFn) -> Result:
    """A run with 0 to 5 series of 0 to 6 rows, any bits, any names, any units."""
    n = draw(st.integers(0, 6))
    found = draw(st.lists(names.filter(lambda name: name != "t"), max_size=5, unique=True))
    columns = [np.array(draw(st.lists(numbers, min_size=n, max_size=n)), dtype=float) for _ in range(len(found) + 1)]
    series = [Series(name, x, draw(texts), draw(texts)) for name, x in zip(found, columns[1:], strict=True)]
    return Result(columns[0], tuple(series), draw(metas), tuple(draw(events)))


def example(n: int = 5, name: str = "theta1") -> Result:
    """A small ordinary run."""
    t = np.linspace(0.0, 1.0, n)
    series = (
        Series(name, np.sin(t), "rad", "q"),
        Series("theta1_dot", np.cos(t), "rad/s", "v"),
        Series("effort(motor)", 0.0 * t, "N m", "tau"),
        Series("kinetic energy", t, "J", "energy"),
        Series("potential energy", 1.0 - t, "J", "energy"),
        Series("work", t, "J", "energy"),
        Series("closure residual", 1e-16 * t, "m", "closure"),
    )
    return Result(t, series, {"stats": {"steps": 7}}, (Event(0.5, "limit", "theta1", "upper stop"),))


def bits(x: np.ndarray) -> list[int]:
    """The bit patterns of an array."""
    return np.ascontiguousarray(x).view(np.uint64).tolist()


def differences(a: Result, b: Result) -> list[str]:
    """Names of what differs between two runs; empty when nothing was lost."""
    pairs = {
        "t": (bits(a.t), bits(b.t)),
        "columns": ([(s.name, s.unit, s.group) for s in a.series], [(s.name, s.unit, s.group) for s in b.series]),
        "values": ([bits(s.values) for s in a.series], [bits(s.values) for s in b.series]),
        "meta": (a.meta, b.meta),
        "events": (a.events, b.events),
    }
    return [name for name, (x, y) in pairs.items() if x != y]
