from __future__ import annotations

import http.client
import socket
import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from random import Random

import pytest
from fuzz.damage import damaged

from fewtaps.report.server import ReportServer, file_inside

TOKEN = "secret-token"


@pytest.fixture
def server(tmp_path: Path) -> Iterator[ReportServer]:
    """Serves a folder with one page; a file beside the folder must not be served."""
    folder = tmp_path / "report"
    (folder / "assets").mkdir(parents=True)
    (folder / "index.html").write_text("<!doctype html>the page")
    (folder / "assets" / "report.js").write_text("1")
    (tmp_path / "private.txt").write_text("private")
    (folder / "link.txt").symlink_to(tmp_path / "private.txt")
    with ReportServer(TOKEN, lambda: folder, lambda: "7") as opened:
        thread = threading.Thread(target=opened.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield opened
        opened.shutdown()
        thread.join()


def ask(server: ReportServer, path: str, host: str | None = None, method: str = "GET") -> tuple[int, bytes, str]:
    connection = http.client.HTTPConnection("127.0.0.1", server.server_port, timeout=30)
    try:
        connection.putrequest(method, path, skip_host=True)
        connection.putheader("Host", host if host is not None else f"127.0.0.1:{server.server_port}")
        connection.endheaders()
        answer = connection.getresponse()
        return answer.status, answer.read(), answer.getheader("Content-Type") or ""
    finally:
        connection.close()


def test_the_address_opens_the_report(server: ReportServer) -> None:
    path = server.address.partition(str(server.server_port))[2]
    assert ask(server, path) == (200, b"<!doctype html>the page", "text/html; charset=utf-8")
    assert ask(server, f"/{TOKEN}/assets/report.js")[0] == 200
    assert ask(server, f"/{TOKEN}/version") == (200, b"7", "text/plain; charset=utf-8")


def test_it_listens_on_this_machine_only(server: ReportServer) -> None:
    assert server.server_address[0] == "127.0.0.1"
    assert server.server_port > 0


@pytest.mark.parametrize("path", ["/", "/index.html", "/wrong/index.html", f"/{TOKEN}x/index.html", "//", "/%00/"])
def test_without_the_token_nothing_is_told(server: ReportServer, path: str) -> None:
    assert ask(server, path)[:2] == (403, b"403 Forbidden\n")


@pytest.mark.parametrize("host", ["evil.example", "evil.example:80", "", "127.0.0.1", "127.0.0.1:1"])
def test_another_name_for_the_server_is_refused(server: ReportServer, host: str) -> None:
    assert ask(server, f"/{TOKEN}/index.html", host)[0] == 403


@pytest.mark.parametrize(
    "way",
    ["../private.txt", "%2e%2e/private.txt", "assets/../../private.txt", "..%2fprivate.txt", "..%5cprivate.txt"]
    + ["link.txt", "%00", "/etc/passwd", "assets", "missing.html"],
)
def test_no_way_leads_out_of_the_folder(server: ReportServer, way: str) -> None:
    status, content, _ = ask(server, f"/{TOKEN}/{way}")
    assert status == 404 and b"private" not in content


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "OPTIONS"])
def test_nothing_can_be_changed(server: ReportServer, method: str) -> None:
    assert ask(server, f"/{TOKEN}/index.html", method=method)[0] == 501


def test_a_question_for_the_head_gets_no_body(server: ReportServer) -> None:
    assert ask(server, f"/{TOKEN}/index.html", method="HEAD")[:2] == (200, b"")


def test_a_way_with_dots_names_no_file(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "b.txt").write_text("b")
    assert file_inside(tmp_path, ["b.txt"]) == (tmp_path / "b.txt").resolve()
    assert file_inside(tmp_path / "a", ["..", "b.txt"]) is None


def raw(server: ReportServer, request: bytes) -> bytes:
    """The answer to a request as it is, which no library would send."""
    with socket.create_connection(("127.0.0.1", server.server_port), timeout=30) as connection:
        host = f"\r\nHost: 127.0.0.1:{server.server_port}\r\nConnection: close\r\n\r\n".encode()
        connection.sendall(request + host)
        answer = b""
        while received := connection.recv(1 << 16):
            answer += received
    return answer


@pytest.mark.parametrize(
    ("request_line", "status"),
    [
        (b"GET http://[ HTTP/1.1", b"400"),
        (b"GET http://[::1/ HTTP/1.1", b"400"),
        (b"GET /secret-token/" + b"n" * 5000 + b" HTTP/1.1", b"404"),
        (b"GET /secret-token/" + b"a/" * 2500 + b" HTTP/1.1", b"404"),
        (b"GET /" + b"t" * 5000 + b" HTTP/1.1", b"403"),
        (b"GET /secret-token/%00%ff%fe HTTP/1.1", b"404"),
        (b"GET /secret-token/assets HTTP/1.1", b"404"),
        (b"GET /" + b"x" * 70_000 + b" HTTP/1.1", b"414"),
    ],
)
def test_a_strange_request_is_refused_without_a_traceback(
    request_line: bytes, status: bytes, server: ReportServer, capfd: pytest.CaptureFixture[str]
) -> None:
    assert raw(server, request_line).startswith(b"HTTP/1.1 " + status)
    assert ask(server, f"/{TOKEN}/index.html")[0] == 200
    assert capfd.readouterr().err == ""


@pytest.mark.slow
def test_damaged_requests_by_the_hundred_end_in_no_traceback(
    server: ReportServer, caplog: pytest.LogCaptureFixture
) -> None:
    whole = f"GET /{TOKEN}/index.html HTTP/1.1".encode()
    for number in range(300):
        request = damaged(whole, Random(number))[:3000]
        with suppress(ConnectionError):
            raw(server, request)
    assert ask(server, f"/{TOKEN}/index.html")[0] == 200
    assert not [record for record in caplog.records if record.exc_info]
