"""Response times of the live page: `OPENBLAS_NUM_THREADS=1 python -m tests.web.live_speed [NAME ...]`."""

from __future__ import annotations

import http.client
import json
import sys
import time

import numpy as np

import linkwright as lw
from linkwright.viewer import live_requests
from linkwright.viewer.live_server import LiveServer

FRAMES, ROUNDS = 100, 7


def main(names: list[str]) -> None:
    print("mechanism: Python per frame [ms], responses per second over HTTP (best round), largest closure residual [m]")
    for name in names or ["gough-stewart", "delta", "3-rrr", "five-bar"]:
        server = LiveServer(lw.build(lw.catalog.load(name)), name)
        server.start()
        per_frame = min(_cpu(server) for _ in range(ROUNDS))
        seconds, gap = min(_over_http(server) for _ in range(ROUNDS))
        server.close()
        print(f"{name}: {1e3 * per_frame:.2f}, {1.0 / seconds:.0f}, {gap:.1e}")


def _poses(server: LiveServer) -> list[list[float]]:
    """A slow round of the platform about home, as a user drags it."""
    home, reach = np.array(server.session.home["platform"]), 0.04 * server.session.grip.size
    angles = np.linspace(0.0, 2.0 * np.pi, FRAMES)
    ways = np.stack([np.sin(angles), np.cos(angles) - 1.0, 0.0 * angles], axis=1)
    return [[*(home[:3] + reach * way), *home[3:]] for way in ways]


def _cpu(server: LiveServer) -> float:
    """Processor time of this thread per response, [s]."""
    state, start = server.session.home, time.thread_time()
    for pose in _poses(server):
        state = live_requests.respond_to_request(server.session.grip, {"q": state["q"], "pose": pose})
    return (time.thread_time() - start) / FRAMES


def _over_http(server: LiveServer) -> tuple[float, float]:
    """Time from request to response, [s], and the largest closure residual."""
    link = http.client.HTTPConnection("127.0.0.1", server.port)
    head = {"Origin": f"http://127.0.0.1:{server.port}", "X-Linkwright-Token": server.token}
    state, gap, start = server.session.home, 0.0, time.perf_counter()
    for pose in _poses(server):
        link.request("POST", "/solve", json.dumps({"q": state["q"], "pose": pose}), head)
        state = json.loads(link.getresponse().read())
        gap = max(gap, state["gap"])
    seconds = (time.perf_counter() - start) / FRAMES
    link.close()
    return seconds, gap


if __name__ == "__main__":
    main(sys.argv[1:])
