"""Damage and forge entries of the cache: `python -m tests.hostile.cache [damages] [forgeries] [seed]`.

After every damage the functions are requested again: each must give its own results, whatever the entry says; the entry
is made again, and nobody waits. A forgery is a whole, well-formed entry whose code computes something else, signed with
another key or not at all, under the right name.
"""

from __future__ import annotations

import hashlib
import os
import random
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np

from linkwright.compiler import cache, cached_kernel, trace
from linkwright.compiler.cache import VARIABLE, warn_once

FACTORS = (2.0, 3.0, 5.0)
LONGEST = 5.0
Damage = Callable[[Path, random.Random], None]


def computed(factor: float) -> list[float]:
    """Result of one of the functions, from the cache or compiled."""
    return cached_kernel(f"times {factor}", lambda: trace(lambda x: factor * x, {"x": 3}))(np.ones(3)).tolist()


def require_right() -> None:
    """Every function gives its own results, soon."""
    began = time.monotonic()
    for factor in FACTORS:
        assert computed(factor) == [factor] * 3, f"the function times {factor} gave other numbers"
    assert time.monotonic() - began < LONGEST, "the cache made the library wait"


def _changed(path: Path, rng: random.Random) -> None:
    data = bytearray(path.read_bytes())
    for _ in range(rng.choice((1, 1, 1, 8, 100))):
        data[rng.randrange(len(data))] ^= rng.randrange(1, 256)
    path.write_bytes(data)


def _cut(path: Path, rng: random.Random) -> None:
    os.truncate(path, rng.randrange(path.stat().st_size))


def _longer(path: Path, rng: random.Random) -> None:
    path.write_bytes(path.read_bytes() + rng.randbytes(rng.randrange(1, 5000)))


def _exchanged(path: Path, rng: random.Random) -> None:
    other = rng.choice(_files(path.parent))
    one, two = path.read_bytes(), other.read_bytes()
    path.write_bytes(two)
    other.write_bytes(one)


def _part_of_another(path: Path, rng: random.Random) -> None:
    one, two = path.read_bytes(), rng.choice(_files(path.parent)).read_bytes()
    at = rng.randrange(min(len(one), len(two)))
    path.write_bytes(one[:at] + two[at:])


def _random(path: Path, rng: random.Random) -> None:
    path.write_bytes(rng.choice((b"", b"\x7fELF", cache._MAGIC)) + rng.randbytes(rng.randrange(5000)))


def _recursive(path: Path, rng: random.Random) -> None:
    description = b"[" * rng.randrange(1000, 200_000)
    body = len(description).to_bytes(4, "little") + description
    path.write_bytes(cache._MAGIC + cache.sign_bytes(body, rng.randbytes(32)) + body)


def _huge(path: Path, rng: random.Random) -> None:
    os.truncate(path, 2 ** rng.randrange(29, 41))


def _pipe(path: Path, rng: random.Random) -> None:
    path.unlink()
    os.mkfifo(path, 0o600)


def _link(path: Path, rng: random.Random) -> None:
    path.unlink()
    path.symlink_to(rng.choice(("/dev/zero", "/dev/random", "/nowhere", str(path), str(path.parent))))


def _mode(path: Path, rng: random.Random) -> None:
    path.chmod(rng.choice((0o644, 0o666, 0o000, 0o777)))


def _odd_count(path: Path, rng: random.Random) -> None:
    count = path.parent / ".count"
    count.unlink(missing_ok=True)
    rng.choice((lambda: os.mkfifo(count), lambda: count.write_bytes(rng.randbytes(16)), lambda: None))()


DAMAGES: tuple[Damage, ...] = (
    _changed, _changed, _changed, _cut, _longer, _exchanged, _part_of_another, _random, _recursive, _huge, _pipe, _link,
    _mode, _odd_count,
)  # fmt: skip


def _forged(path: Path, rng: random.Random) -> None:
    """The entry of a function with the code of another, signed in some way without the key."""
    secret = cache.user_key(path.parent)
    own = cache._decode_entry(path.read_bytes(), path.stem, secret)
    others = [cache._decode_entry(p.read_bytes(), p.stem, secret) for p in _files(path.parent) if p != path]
    code = rng.choice([other.code for other in others if other.code] or [b"evil"])
    data = cache._encode_entry(replace(own, code=code, shared=""), path.stem, rng.randbytes(32))
    body = data[len(cache._MAGIC) + cache.SIGNATURE :]
    signatures = (
        rng.randbytes(32),
        bytes(32),
        hashlib.blake2b(body, digest_size=32).digest(),
        hashlib.sha256(body).digest(),
        cache.sign_bytes(body, bytes(32)),
        path.read_bytes()[len(cache._MAGIC) : len(cache._MAGIC) + cache.SIGNATURE],
    )
    path.write_bytes(cache._MAGIC + rng.choice(signatures) + body)


def _files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.glob("*.lwk") if path.is_file() and not path.is_symlink())


def fresh(folder: Path) -> None:
    """A cache with the entries of all functions, all sound."""
    for path in folder.iterdir():
        path.unlink()
    for factor in FACTORS:
        computed(factor)


def attack(folder: Path, rng: random.Random, ways: tuple[Damage, ...]) -> str:
    """Damage one entry in one way, and use the cache; return the name of the way."""
    if rng.random() < 0.2 or len(_files(folder)) < 4:
        fresh(folder)
    way, path = rng.choice(ways), rng.choice(_files(folder))
    way(path, rng)
    warn_once.cache_clear()
    require_right()
    require_right()
    return way.__name__.strip("_").replace("_", " ")


def main(damages: int, forgeries: int, seed: int) -> None:
    """Print how often each way was tried; a wrong result or a wait is an error."""
    rng, tried = random.Random(seed), Counter[str]()
    with tempfile.TemporaryDirectory() as folder:
        os.environ[VARIABLE] = str(Path(folder) / "cache")
        computed(2.0)
        for ways, times in ((DAMAGES, damages), ((_forged,), forgeries)):
            for _ in range(times):
                tried[attack(Path(folder) / "cache", rng, ways)] += 1
    for name, times in sorted(tried.items()):
        print(f"{name:18} {times:5d}")
    print(f"seed {seed}: {damages} damages, {forgeries} forgeries, none run, no wrong number, nobody waited")


if __name__ == "__main__":
    given = [int(x) for x in sys.argv[1:]]
    main(*(given + [1000, 100, 0][len(given) :]))
