"""The metadata of a run, as plain JSON data.

Keys every simulation writes: `format` (1), `linkwright` (version), `mechanism` (`name`, `yaml`, `hash`),
`formulation`, `method`, `tolerances`, `closure` (largest residual), `energy balance`, `agreement` (of the second
method), `stats`, `complete` (False for a run that was interrupted).
"""

from __future__ import annotations

import hashlib
import json
from typing import Any

import numpy as np

from linkwright.errors import ArgumentError
from linkwright.version import __version__

FORMAT = 1
_PLAIN = frozenset((str, int, float, bool, type(None)))
_TEXT = {str}


def run_provenance(name: str, yaml: str) -> dict[str, Any]:
    """The first keys of a run's meta: format, version, and the mechanism as its YAML text with a hash.

    >>> sorted(run_provenance("pendulum", "format: 1"))
    ['format', 'linkwright', 'mechanism']
    """
    digest = hashlib.blake2b(yaml.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
    return {"format": FORMAT, "linkwright": __version__, "mechanism": {"name": name, "yaml": yaml, "hash": digest}}


def hash_parts(*parts: Any) -> str:
    """Hash of arrays, texts or bytes."""
    h = hashlib.blake2b(digest_size=12)
    for each in parts:
        data = each.encode() if isinstance(each, str) else each
        data = np.ascontiguousarray(data, dtype="<f8").tobytes() if isinstance(data, np.ndarray) else data
        h.update(len(data).to_bytes(8, "little") + data)
    return h.hexdigest()


def plain_meta(meta: Any) -> dict[str, Any]:
    """A copy of the meta as JSON data: tuples become lists, NumPy numbers and arrays plain ones.

    >>> plain_meta({"steps": np.int64(3), "rtol": (1e-9,)})
    {'steps': 3, 'rtol': [1e-09]}
    """
    if not isinstance(meta, dict):
        raise ArgumentError(f"the meta of a run is {type(meta).__name__}, expected a dict")
    try:
        return _copy_plain(meta)
    except RecursionError:
        raise ArgumentError("the meta of a run must be JSON data: it holds itself, or is nested too deeply") from None


def _copy_plain(x: Any) -> Any:
    """Plain data item by item, which is quicker than JSON; anything else as JSON would have it."""
    if type(x) in _PLAIN:
        return x
    if type(x) in (list, tuple):
        return [_copy_plain(each) for each in x]
    if type(x) is dict and {*map(type, x)} <= _TEXT:
        return {key: each if type(each) in _PLAIN else _copy_plain(each) for key, each in x.items()}
    return json.loads(ascii_json(x))


def ascii_json(data: Any) -> str:
    """JSON in plain ASCII, which every file format carries unchanged."""
    try:
        return json.dumps(data, ensure_ascii=True, default=_plain_number, separators=(",", ":"))
    except (TypeError, ValueError, RecursionError) as error:
        raise ArgumentError(f"the meta of a run must be JSON data: {error}") from None


def _plain_number(x: Any) -> Any:
    if isinstance(x, np.ndarray | np.generic):
        return x.tolist()
    raise TypeError(f"a {type(x).__name__} cannot be written; use numbers, text, lists and dicts")
