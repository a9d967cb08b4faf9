"""The live page's server: this computer only, with a token, and no request from other pages."""

from __future__ import annotations

import hmac
import json
import logging
import os
import secrets
import socket
import tempfile
import threading
from contextlib import suppress
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

from linkwright.generated_text import html_text
from linkwright.model import Model
from linkwright.viewer.session import LiveSession

_log = logging.getLogger("linkwright.viewer")
_REDIRECT = '<!doctype html><meta http-equiv="refresh" content="0;url={address}"><a href="{address}">The live page</a>'
_LARGEST = 8_000_000  # bytes of a request
_LONGEST = 25  # digits of a whole number in it
_SAFE = {
    "Cache-Control": "no-store",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}


MOST_CONNECTIONS = 64  # open at a time; more are closed at once
_FIRST_WAIT, _WAIT = 10.0, 60.0  # seconds for the first request of a connection, and between later ones


class _Server(ThreadingHTTPServer):
    """Threads for a bounded number of connections; faults of a connection end that connection and nothing else."""

    daemon_threads = True
    request_queue_size = 128

    def __init__(self, port: int, live: LiveServer) -> None:
        self.live = live
        self._free = threading.BoundedSemaphore(MOST_CONNECTIONS)
        self._open: set[Any] = set()
        super().__init__(("127.0.0.1", port), _Handler)

    def process_request(self, request: Any, client_address: Any) -> None:
        if not self._free.acquire(blocking=False):
            self.shutdown_request(request)
            return
        self._open.add(request)
        super().process_request(request, client_address)

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        try:
            super().process_request_thread(request, client_address)
        finally:
            self._open.discard(request)
            self._free.release()

    def server_close(self) -> None:
        """Close the connections that wait for another request, too."""
        super().server_close()
        for request in list(self._open):
            with suppress(OSError):
                request.shutdown(socket.SHUT_RDWR)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Log a fault of a connection, such as a reset by the other side."""
        _log.debug("a connection of the live page ended with a fault", exc_info=True)


class LiveServer:
    """Serves one mechanism on 127.0.0.1 until it is closed.

    Attributes:
        address: what to open in a browser, the token included.
        port: the port it listens on.
    """

    def __init__(self, model: Model, name: str = "", port: int = 0) -> None:
        self.session = LiveSession(model, name)
        self.token = secrets.token_urlsafe(24)
        self._files: list[Path] = []
        self._server = _Server(port, self)
        self.port = self._server.server_address[1]
        self.address = f"http://127.0.0.1:{self.port}/?token={self.token}"

    def run(self) -> None:
        """Serve until `close` is called or the program is interrupted."""
        self._server.serve_forever(poll_interval=0.1)

    def start(self) -> threading.Thread:
        """Serve in the background."""
        thread = threading.Thread(target=self.run, name="linkwright live page", daemon=True)
        thread.start()
        return thread

    def redirect_file(self) -> str:
        """The address of a file of this user alone that leads to the page: a browser's command line shows no token."""
        handle, path = tempfile.mkstemp(prefix="linkwright-", suffix=".html")
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(_REDIRECT.format(address=html_text(self.address)))
        self._files.append(Path(path))
        return Path(path).as_uri()

    def remove_files(self) -> None:
        """Remove the files that lead to the page."""
        for path in self._files:
            path.unlink(missing_ok=True)

    def close(self) -> None:
        """Stop serving and give the port back."""
        self.remove_files()
        self._server.shutdown()
        self._server.server_close()

    @property
    def hosts(self) -> tuple[str, ...]:
        """The names under which requests may address this server."""
        return f"127.0.0.1:{self.port}", f"localhost:{self.port}"

    def html(self) -> str:
        """The page, with the home configuration."""
        return self.session.html(self.token, "'self'")

    def reply(self, path: str, request: Any) -> tuple[HTTPStatus, Any]:
        """The response to a request of the page; what is wrong with it is reported in a message."""
        return self.session.reply(path, request)


class _Handler(BaseHTTPRequestHandler):
    """Responds to the page of its server and to nobody else."""

    server: _Server
    protocol_version = "HTTP/1.1"
    wbufsize = 1 << 16  # head and body leave together, at once: half a packet would wait for the other side
    disable_nagle_algorithm = True

    def setup(self) -> None:
        super().setup()
        self.connection.settimeout(_FIRST_WAIT)

    def do_GET(self) -> None:
        try:
            url = urlsplit(self.path)
            token = parse_qs(url.query).get("token", [""])[0]
        except ValueError:  # an address in brackets that is none, very many fields
            return self._refuse_request()
        if not self._ours() or url.path != "/" or not _is_same_token(token, self.server.live.token):
            return self._refuse_request()
        self._admit_connection()
        self._send(HTTPStatus.OK, "text/html; charset=utf-8", self.server.live.html().encode())

    def do_POST(self) -> None:
        origin = self.headers.get("Origin", "")
        allowed = origin in [f"http://{host}" for host in self.server.live.hosts]
        token = self.headers.get("X-Linkwright-Token", "")
        if not self._ours() or not allowed or not _is_same_token(token, self.server.live.token):
            return self._refuse_request()
        self._admit_connection()
        request = self._request()
        status, data = self.server.live.reply(self.path, request)
        self._send(status, "application/json", json.dumps(data).encode())

    def _admit_connection(self) -> None:
        """Let a connection that knows the token wait longer for its next request."""
        self.connection.settimeout(_WAIT)

    def _ours(self) -> bool:
        return self.headers.get("Host", "") in self.server.live.hosts

    def _refuse_request(self) -> None:
        self.close_connection = True
        text = "This page is refused: open the address that linkwright printed, with its token.\n"
        self._send(HTTPStatus.FORBIDDEN, "text/plain; charset=utf-8", text.encode())

    def _request(self) -> Any:
        try:
            size = int(self.headers.get("Content-Length", ""))
            if not 0 <= size <= _LARGEST:
                raise ValueError
            return json.loads(self.rfile.read(size), parse_int=_whole_number)
        except (ValueError, RecursionError):
            self.close_connection = True
            return None

    def _send(self, status: HTTPStatus, kind: str, body: bytes) -> None:
        self.send_response(status)
        for name, value in (_SAFE | {"Content-Type": kind, "Content-Length": str(len(body))}).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        """Log nothing: the address in a log would hold the token."""


def _is_same_token(given: str, token: str) -> bool:
    return hmac.compare_digest(given.encode("utf-8", "replace"), token.encode())


def _whole_number(digits: str) -> int:
    """A whole number of a request; one that no coordinate can be is refused."""
    if len(digits) > _LONGEST:
        raise ValueError(f"a number has {len(digits)} digits")
    return int(digits)
