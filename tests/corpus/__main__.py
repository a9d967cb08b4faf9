"""`python -m tests.corpus FOLDER`: try a collection of models, each in a process of its own, and print a table."""

from __future__ import annotations

import argparse
import fnmatch
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML

from tests.corpus.records import HEADER, Row, from_data, line

EXPECTED = ("nv", "mobility", "idle", "actuators", "closes", "agrees")
ENDINGS = (".urdf", ".xml", ".mjcf", ".sdf")
_MODEL = re.compile(rb"<body|<include")
_SCENE = re.compile(r"scene", re.IGNORECASE)


def models(folder: Path) -> Iterator[Path]:
    """Files that describe a robot: fragments, and scenes that only put a robot on a floor, are left out."""
    for path in sorted(folder.rglob("*")):
        if path.suffix not in ENDINGS or not path.is_file() or _SCENE.search(path.name):
            continue
        if path.suffix in (".xml", ".mjcf") and not _is_mjcf(path):
            continue
        yield path


def _is_mjcf(path: Path) -> bool:
    """Whether a file is a whole model: others are parts that a model includes."""
    text = path.read_bytes()
    return b"<mujoco" in text and bool(_MODEL.search(text)) and "assets" not in path.parts


def tried(path: Path, folder: Path, limit: float, plain: bool) -> Row:
    """One model in a child process that ends after `limit` seconds of CPU, whatever else runs on the computer."""
    name, late = str(path.relative_to(folder)), f"no more within {limit:g} s of CPU"
    command = [sys.executable, "-m", "tests.corpus.examine", str(path), name, str(limit)]
    try:
        done = subprocess.run(
            [*command, *(["--plain"] if plain else [])], capture_output=True, timeout=20.0 * limit, check=False
        )
        output, stopped = done.stdout, done.returncode in (-24, -9)  # SIGXCPU, SIGKILL
        reason = late if stopped else f"ended with code {done.returncode}: {done.stderr[-200:]!r}"
    except subprocess.TimeoutExpired as waited:
        output, stopped, reason = waited.stdout or b"", True, late
    rows = [text[4:] for text in output.decode().splitlines() if text.startswith("ROW ")]
    row = from_data(json.loads(rows[-1])) if rows else Row(name)
    return row if rows and not stopped else replace(row, reason=reason)


def summary(rows: list[Row]) -> str:
    """Counts of the table."""
    loops = [row for row in rows if row.closes is not None]
    compared = [row for row in rows if row.forward is not None or row.inverse is not None]
    counts = [
        f"{len(rows)} models",
        f"{sum(row.loads for row in rows)} load",
        f"{sum(row.agrees for row in rows)} agree of {len(compared)} compared"
        f" ({sum(row.close for row in rows)} by the plain difference)",
        f"forward {sum(row.forward is not None and row.forward < 1e-9 for row in compared)}",
        f"inverse {sum(row.inverse is not None and row.inverse < 1e-9 for row in compared)}",
        f"{sum(bool(row.closes) for row in loops)} with loops close",
    ]
    return ", ".join(counts)


def listed() -> list[dict[str, Any]]:
    """The public models of the list, with what is expected of them."""
    found: list[dict[str, Any]] = YAML(typ="safe").load(Path(__file__).with_name("models.yaml"))
    return found


def surprises(rows: list[Row]) -> Iterator[str]:
    """Results that differ from the list; a row belongs to a model whose path there ends as its own does."""
    for row in rows:
        for model in (model for model in listed() if f"/{model['file']}".endswith(f"/{row.file}")):
            found = {name: getattr(row, name) for name in EXPECTED} | {"loads": row.loads}
            wanted = {"loads": True, "agrees": True} | {name: model[name] for name in found if name in model}
            wrong = [
                f"{name} {found[name]}, expected {value}" for name, value in wanted.items() if found[name] != value
            ]
            if wrong:
                yield f"{row.file}: {'; '.join(wrong)}"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.corpus", description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--jobs", type=int, default=1, help="processes at a time")
    parser.add_argument("--limit", type=float, default=120.0, help="seconds of CPU for each model")
    parser.add_argument("--only", default="*", help="pattern of paths below the folder")
    parser.add_argument("--plain", action="store_true", help="compile nothing: quicker for a few states")
    parser.add_argument("--json", type=Path, help="write the rows to this file too")
    requested = parser.parse_args()
    wanted = [
        p for p in models(requested.folder) if fnmatch.fnmatch(str(p.relative_to(requested.folder)), requested.only)
    ]
    print(HEADER, flush=True)
    rows = []
    with ThreadPoolExecutor(requested.jobs) as pool:
        for row in pool.map(lambda path: tried(path, requested.folder, requested.limit, requested.plain), wanted):
            rows.append(row)
            print(line(row), flush=True)
    print(summary(rows))
    for text in surprises(rows):
        print(f"other than expected: {text}")
    if requested.json:
        requested.json.write_text(json.dumps([row.as_data() for row in rows], indent=1))


if __name__ == "__main__":
    main()
