"""`python -m benchmarks.page_engines [names ...]`: pulls on the host and in pages, runs in pages, and what pages weigh.

Every mechanism (the whole catalog, and a humanoid's leg with rods) gets its page, which a headless Chromium opens from
disk. The last line is the page of the Delta robot from the start of a fresh browser's navigation to its first pull.
"""

from __future__ import annotations

import json
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

import linkwright as lw
from linkwright.kinematics.dragging.dragging import Dragging
from linkwright.viewer.page import bundle_file, mechanism_page
from linkwright.viewer.page_mechanism import engine_entries
from tests.loops.many_loops import leg
from tests.web.browser import browser, local, opened

PULLS, ROUNDS = 60, 7
SECONDS = 2.0
"""Motion of a run in a page."""

IN_PAGE = """
([home, body, point, targets, sight, rounds, seconds]) => {
  const engine = linkwright.viewer.play.engine, round = () => {
    engine.setState(home);
    const begin = performance.now();
    let met = 0;
    for (const x of targets) met += engine.pullBody(body, point, x, sight).reached;
    return [(performance.now() - begin) / targets.length, met];
  };
  let pull = Infinity, met = 0;
  for (let k = 0; k < rounds; k++) { const found = round(); pull = Math.min(pull, found[0]); met = found[1]; }
  let run = Infinity, end = 0, message = "";
  for (let k = 0; k < 3; k++) {
    engine.setState(home);
    engine.start({ gravity: true, stops: false, motors: "free" });
    const begin = performance.now();
    for (let i = 0; i < 60 * seconds; i++) message = engine.advance(1 / 60).message;
    run = Math.min(run, performance.now() - begin);
    end = engine.state.t;
  }
  return { pull: 1e3 * pull, met, run: (1e3 * end) / run, end, message };
}
"""

FIRST_PULL = """
(() => {
  const look = () => {
    const engine = window.linkwright?.viewer?.play?.engine;
    if (!engine) return setTimeout(look, 0);
    window.ready = performance.now();
    const x = engine.state.poses, n = x.length - 7, at = [x[n] + 0.01, x[n + 1], x[n + 2]];
    engine.pullBody(n / 7, [0, 0, 0], at, [0, 1, 0]);
    window.pulled = performance.now();
  };
  look();
})();
"""


def drag_targets(model: lw.Model, home: np.ndarray, body: int, point: np.ndarray) -> np.ndarray:
    """Positions of a point along a circle through where it is, (PULLS, 3)."""
    poses, length = model.body_poses(home), model.scales.length
    start = poses.position[body] + poses.rotation[body] @ point
    e1, e2 = np.linalg.qr(np.random.default_rng(0).normal(size=(3, 3)))[0][:2]
    angles = 2.0 * np.pi * np.arange(1, PULLS + 1)[:, None] / PULLS
    return start + 0.1 * length * ((1.0 - np.cos(angles)) * e1 + np.sin(angles) * e2)


def pulls_on_host(model: lw.Model, home: np.ndarray, job: list[Any]) -> tuple[float, float]:
    """Microseconds of a pull along a drag, the mean of all and the longest: least of several rounds."""
    d, (body, point, targets, sight) = Dragging(model.kinematics), job
    spent = np.full((ROUNDS, len(targets)), np.inf)
    for k in range(ROUNDS):
        q = home
        for i, target in enumerate(targets):
            began = time.perf_counter()
            pull = d.pull_body(q, body, point, target, sight)
            spent[k, i] = time.perf_counter() - began
            q = pull.q
    least = spent.min(axis=0)
    return 1e6 * least.mean(), 1e6 * least.max()


def line_of(name: str, mech: lw.Mechanism, running: Any, folder: Path) -> str:
    """All figures of one mechanism."""
    model = lw.build(mech)
    home, body, point = model.assemble().q, len(model.bodies) - 1, np.array([0.05, 0.02, 0.0])
    sight = np.array([0.1, 0.2, 1.0])
    targets = drag_targets(model, home, body, point)
    host, longest = pulls_on_host(model, home, [body, point, targets, sight])
    entries = engine_entries(model)
    if "engine" not in entries:
        return f"{name:22}{host:9.0f}{longest:9.0f}  {entries['engineReason']}"
    file = folder / f"{name}.html"
    file.write_text(mechanism_page(model), encoding="utf-8")
    with opened(running, local(file)) as (page, _):
        page.wait_for_function("() => linkwright.viewer.play")
        job = [home.tolist(), body, point.tolist(), targets.tolist(), sight.tolist(), ROUNDS, SECONDS]
        found = page.evaluate(IN_PAGE, job)
    kilobytes = (len(json.dumps(entries)) + len(bundle_file("engine.js"))) / 1e3
    ended = "" if found["end"] > SECONDS - 1e-9 else f"  ends at {found['end']:.2f} s: {found['message']}"
    return (
        f"{name:22}{host:9.0f}{longest:9.0f}{found['pull']:9.0f}{found['met']:6d}{found['run']:9.0f}{kilobytes:9.0f}"
        f"{file.stat().st_size / 1e3:9.0f}{ended}"
    )


def first_pull(file: Path) -> tuple[float, float]:
    """Milliseconds from the start of navigation in a fresh browser until the engine is there, and after a pull."""
    with browser() as running:
        page = running.new_page()
        page.add_init_script(FIRST_PULL)
        page.goto(local(file))
        page.wait_for_function("() => window.pulled")
        return page.evaluate("() => [window.ready, window.pulled]")


def main(names: list[str]) -> None:
    """Print the table."""
    print(f"{'':22}{'host us':>9}{'longest':>9}{'page us':>9}{'met':>6}{'x real':>9}{'kB':>9}{'page kB':>9}")
    with tempfile.TemporaryDirectory() as text:
        folder = Path(text)
        with browser() as running:
            for name in names or [*lw.catalog.names(), "leg"]:
                mech = leg() if name == "leg" else lw.catalog.load(name)
                print(line_of(name, mech, running, folder), flush=True)
        file = folder / "delta.html"
        if not file.exists():
            file.write_text(mechanism_page(lw.build(lw.catalog.load("delta"))), encoding="utf-8")
        found = np.array([first_pull(file) for _ in range(5)])
        ready, pulled = found[np.argmin(found[:, 1])]
        print(f"page of the Delta robot, fresh browser: engine after {ready:.0f} ms, first pull after {pulled:.0f} ms")


if __name__ == "__main__":
    main(sys.argv[1:])
