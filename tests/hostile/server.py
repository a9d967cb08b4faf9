"""Malformed requests to the live page's server on this computer: it answers or closes, and goes on serving."""

from __future__ import annotations

import json
import logging
import random
import socket
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, ClassVar

import linkwright as lw
from linkwright.viewer.live_server import LiveServer
from tests.hostile.cases import Case, Wrong
from tests.hostile.mutations import NUMBERS, damaged, mutated

_WAIT = 20.0  # s for an answer; the computer may be busy
_EVERY = 25  # cases between two checks that a good request is still answered
_HEADS = (
    "GET / HTTP/1.1", "GET / HTTP/1.0", "GET /", "POST /solve HTTP/1.1", "HEAD / HTTP/1.1", "PUT / HTTP/1.1", "G", "",
    "GET /%00 HTTP/9.9", "GET http://[::1 HTTP/1.1", "POST /study HTTP/1.1", "OPTIONS * HTTP/1.1", "\0\0\0",
    "GET / HTTP/1.1.1", "GET //@[ HTTP/1.1", "GET /?token=%ff%fe HTTP/1.1", f"GET /{'a' * 70000} HTTP/1.1",
)  # fmt: skip


def cases(folder: Path, seed: int) -> Callable[[int], Case]:
    """Cases of malformed requests to one server."""
    server = LiveServer(lw.build(lw.catalog.load("four-bar")))
    server.start()
    log = logging.getLogger("linkwright.viewer")
    log.setLevel(logging.DEBUG)
    log.addHandler(_Faults())
    return partial(case, server, seed)


class _Faults(logging.Handler):
    """Keeps the errors that the server logs, other than lost connections and waits that are over."""

    found: ClassVar[list[str]] = []

    def emit(self, record: logging.LogRecord) -> None:
        if record.exc_info and not isinstance(record.exc_info[1], OSError):
            self.found.append(repr(record.exc_info[1]))


def case(server: LiveServer, seed: int, index: int) -> Case:
    """One malformed request; now and then a good one follows, which has to be answered."""
    rng = random.Random(f"server {seed} {index}")
    kind = rng.choice(("head", "bytes", "body", "body", "numbers", "numbers", "reset"))
    request = _REQUESTS[kind](server, rng)
    title = f"{kind}: {request[:60]!r}"
    return Case(f"server/{kind}", title, lambda: _sent(server, request, kind == "reset", index % _EVERY == 0), (), 5.0)


def _sent(server: LiveServer, request: bytes, reset: bool, check: bool) -> None:
    answer = exchange(server.port, request, reset)
    if b" 500 " in answer[:20] or b"Traceback" in answer:
        raise Wrong(f"the server answers {answer[:200]!r}")
    if _Faults.found:
        raise Wrong(f"an error in the server: {_Faults.found.pop()}")
    if check:
        good = exchange(server.port, _post(server, b"{}"))
        if not good.startswith(b"HTTP/1.1 200 "):
            raise Wrong(f"a good request is answered {good[:200]!r}")


def exchange(port: int, request: bytes, reset: bool = False) -> bytes:
    """What the server answers, until it closes; b"" where it closes at once."""
    with socket.create_connection(("127.0.0.1", port), timeout=_WAIT) as connection:
        try:
            connection.sendall(request)
            if reset:
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
                return b""
            connection.shutdown(socket.SHUT_WR)
            found = b""
            while part := connection.recv(1 << 16):
                found += part
        except OSError as error:
            if isinstance(error, TimeoutError):
                raise
            return b""  # the server closed it
    return found


def _post(server: LiveServer, body: bytes, length: str | None = None, path: str = "/solve") -> bytes:
    host = f"127.0.0.1:{server.port}"
    head = f"POST {path} HTTP/1.1\r\nHost: {host}\r\nOrigin: http://{host}\r\nX-Linkwright-Token: {server.token}\r\n"
    return f"{head}Content-Length: {len(body) if length is None else length}\r\n\r\n".encode() + body


def _head(server: LiveServer, rng: random.Random) -> bytes:
    lines = [rng.choice(_HEADS), *(mutated("Host: 127.0.0.1", rng) for _ in range(rng.choice((0, 1, 3, 200))))]
    return "\r\n".join(lines).encode("utf-8", "replace") + b"\r\n\r\n"


def _bytes(server: LiveServer, rng: random.Random) -> bytes:
    return damaged(_post(server, b'{"q": [1, 2, 3, 4]}'), rng)


def _body(server: LiveServer, rng: random.Random) -> bytes:
    """A body that is not what the page sends, perhaps with a length that is not its own."""
    good = {
        "q": server.session.home["q"],
        "actuators": [0.1],
        "body": 0,
        "point": [0, 0, 0],
        "target": [0, 0, 0],
        "sight": [0, 0, 1],
    }
    body = mutated(json.dumps(good), rng) if rng.random() < 0.6 else rng.choice(_BODIES)
    length = rng.choice(NUMBERS) if rng.random() < 0.1 else None
    return _post(server, body.encode("utf-8", "replace"), length, rng.choice(("/solve", "/solve", "/study", "/x")))


_BODIES = ("", "[", "{", "null", "[" * 100000, '{"q": ' * 1000, "1" * 400, '{"mode": 1e999}', '{"scene": {}}', "\xff")


def _numbers(server: LiveServer, rng: random.Random) -> bytes:
    """A request of the right form with strange numbers."""
    values: list[Any] = [
        0.0,
        1e308,
        -1e308,
        1e-308,
        10**20,
        10**30,
        True,
        None,
        "1",
        [],
        {},
        float("nan"),
        float("inf"),
    ]
    q = [x if rng.random() < 0.6 else rng.choice(values) for x in server.session.home["q"]]
    wanted: dict[str, Any] = {"q": q, "scene": rng.choice((True, False, None))}
    match rng.randrange(4):
        case 0:
            wanted["actuators"] = [rng.choice(values)]
        case 1:
            wanted |= {"body": rng.choice((0, 1, -1, 99, *values)), "point": [rng.choice(values)] * 3}
            wanted |= {"target": [rng.choice(values) for _ in range(3)], "sight": [0, 0, rng.choice(values)]}
        case 2:
            wanted |= {"mode": rng.choice(values), "parameters": rng.choice(([], [1.0], *values))}
        case _:
            wanted |= {"t": [0, 1, rng.choice(values)], "q": [q, q, q], "pose": [rng.choice(values)] * 7}
    return _post(server, json.dumps(wanted).encode(), None, rng.choice(("/solve", "/solve", "/study")))


def _reset(server: LiveServer, rng: random.Random) -> bytes:
    request = _body(server, rng)
    return request[: rng.randrange(len(request))]


_REQUESTS = {"head": _head, "bytes": _bytes, "body": _body, "numbers": _numbers, "reset": _reset}
