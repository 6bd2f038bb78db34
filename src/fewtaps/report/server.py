"""Serves a folder on this machine: loopback only, read-only, behind a token in the address.

Requests without the token get no content. Requests whose `Host` is not the server's own address get none either, so
that a web page cannot read the report through the user's browser by DNS rebinding.
"""

from __future__ import annotations

import hmac
import logging
import sys
from collections.abc import Callable
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, ClassVar
from urllib.parse import unquote, urlsplit

from fewtaps.files import read_inside, real_path

log = logging.getLogger(__name__)

HOST = "127.0.0.1"
TIMEOUT_SECONDS = 30
"""A connection that is silent for longer is closed."""
TYPES = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
}
TYPES |= {".svg": "image/svg+xml", ".webp": "image/webp", ".json": "application/json"}


class ReportServer(ThreadingHTTPServer):
    """Serves the folder that `folder()` returns at each request; `version()` changes whenever the report does."""

    daemon_threads = True

    def __init__(self, token: str, folder: Callable[[], Path], version: Callable[[], str], port: int = 0) -> None:
        self.token = token
        self.folder = folder
        self.version = version
        super().__init__((HOST, port), _Handler)

    @property
    def address(self) -> str:
        """The URL of the first page."""
        return f"http://{HOST}:{self.server_port}/{self.token}/index.html"

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Ignores connections that the browser closed or that timed out; logs all other errors."""
        error = sys.exception()
        if not isinstance(error, ConnectionError | TimeoutError):
            log.warning("a request to the server failed: %s", type(error).__name__, exc_info=error)


class _Handler(BaseHTTPRequestHandler):
    server: ReportServer
    server_version = "fewtaps"
    sys_version = ""
    timeout = TIMEOUT_SECONDS
    protocol_version = "HTTP/1.1"
    headers_of_all: ClassVar[dict[str, str]] = {
        "Cache-Control": "no-store",
        "Content-Security-Policy": "frame-ancestors 'none'",
        "Cross-Origin-Opener-Policy": "same-origin",
        "Cross-Origin-Resource-Policy": "same-origin",
        "Referrer-Policy": "no-referrer",
        "X-Content-Type-Options": "nosniff",
    }

    def do_GET(self) -> None:
        """Answers with one file of the report, or with the version."""
        if self.headers.get("Host") not in {f"{name}:{self.server.server_port}" for name in (HOST, "localhost")}:
            self._refuse(HTTPStatus.FORBIDDEN)
            return
        try:
            parts = unquote(urlsplit(self.path).path).split("/")[1:]
        except ValueError:
            # Such as `http://[`, which is no address.
            self._refuse(HTTPStatus.BAD_REQUEST)
            return
        if not parts or not hmac.compare_digest(parts[0].encode(), self.server.token.encode()):
            self._refuse(HTTPStatus.FORBIDDEN)
        elif parts[1:] == ["version"]:
            self._answer(self.server.version().encode(), "text/plain; charset=utf-8")
        else:
            self._send_file([part for part in parts[1:] if part] or ["index.html"])

    do_HEAD = do_GET

    def _send_file(self, parts: list[str]) -> None:
        path = file_inside(self.server.folder(), parts)
        try:
            content = read_inside(path) if path is not None else None
        except OSError:
            content = None
        if path is None or content is None:
            self._refuse(HTTPStatus.NOT_FOUND)
        else:
            self._answer(content, TYPES.get(path.suffix, "application/octet-stream"))

    def _refuse(self, status: HTTPStatus) -> None:
        self._answer(f"{status.value} {status.phrase}\n".encode(), "text/plain; charset=utf-8", status)

    def _answer(self, content: bytes, kind: str, status: HTTPStatus = HTTPStatus.OK) -> None:
        self.send_response(status)
        for name, value in self.headers_of_all.items():
            self.send_header(name, value)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(content)

    def log_message(self, format: str, *args: Any) -> None:
        """Logs nothing, because addresses contain the token."""


def file_inside(folder: Path, parts: list[str]) -> Path | None:
    """The file of this name below the folder; None if there is none, or if the path leads out of the folder."""
    if any(part in ("", ".", "..") or "\\" in part or "\0" in part for part in parts):
        return None
    try:
        root = real_path(folder)
        path = real_path(root.joinpath(*parts))
        return path if path.is_relative_to(root) and path.is_file() else None
    except (OSError, RuntimeError, ValueError):
        # A name that is longer than the file system allows, links in a cycle.
        return None
