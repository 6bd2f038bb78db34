"""Reads HAR files, in which browsers and proxies record requests and answers.

Of a request its method and address are taken, of an answer its status, type and body and a few harmless headers:
cookies and keys of the recording are never handed on.
"""

from __future__ import annotations

import base64
import binascii
import logging
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from fewtaps.errors import UsageError
from fewtaps.formats.bounded import read_object
from fewtaps.model.served import ServedAnswer, is_status, literal

log = logging.getLogger(__name__)

MAX_ENTRIES = 5_000
"""Entries after this many are left out; each costs the bridge a comparison per request."""
MAX_BODY_BYTES = 4 * 1024 * 1024
"""A longer body is left out."""
MAX_BODIES_BYTES = 16 * 1024 * 1024
"""Bodies after this many bytes in all are left out, because a session holds them in memory."""
HARMLESS_HEADERS = frozenset({"cache-control", "etag", "expires", "last-modified", "link", "location", "retry-after"})
SECRET_HEADERS = frozenset(
    {"authorization", "cookie", "set-cookie", "proxy-authorization", "x-api-key", "x-auth-token"}
)


def read_har(path: Path) -> tuple[ServedAnswer, ...]:
    """The answers of a HAR file: first those to whole addresses, then the same to any query at their paths.

    Raises UsageError if it is no HAR file, or has no answer.
    """
    data = read_object(path, "--network")
    entries = _object(data.get("log")).get("entries")
    if not isinstance(entries, list):
        raise UsageError(f"--network: {path}: no HAR file, because it has no log with entries")
    exact: dict[tuple[str, str], ServedAnswer] = {}
    loose: dict[tuple[str, str], ServedAnswer] = {}
    secrets = left_out = total = 0
    for entry in entries[:MAX_ENTRIES]:
        request, response = _object(_object(entry).get("request")), _object(_object(entry).get("response"))
        method, url, status = request.get("method"), request.get("url"), response.get("status")
        if not isinstance(method, str) or not isinstance(url, str) or not is_status(status):
            left_out += 1
            continue
        secrets += any(name in SECRET_HEADERS for name, _ in (*_headers(request), *_headers(response)))
        content = _object(response.get("content"))
        body = _body(content)
        if len(body) > MAX_BODY_BYTES or total + len(body) > MAX_BODIES_BYTES:
            left_out += 1
            continue
        address = url.partition("#")[0]
        if (method, address) in exact:
            continue
        total += len(body)
        kept = tuple((name, value) for name, value in _headers(response) if name in HARMLESS_HEADERS)
        kind = content.get("mimeType")
        answer = ServedAnswer(
            method=method.upper(),
            address=literal(address),
            status=status,
            content_type=kind if isinstance(kind, str) and kind else "application/octet-stream",
            body=body,
            headers=kept,
        )
        exact[method, address] = answer
        at = address.partition("?")[0]
        anywhere = ServedAnswer(answer.method, literal(at) + r"(\?.*)?", status, answer.content_type, body, kept)
        loose.setdefault((method, at), anywhere)
    if not exact:
        raise UsageError(f"--network: {path}: no request with an answer in it")
    left_out += max(0, len(entries) - MAX_ENTRIES)
    log.info(
        "%s: %d answers, %d left out, %d with cookies or keys, which are not used", path, len(exact), left_out, secrets
    )
    return (*exact.values(), *loose.values())


def _object(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _headers(message: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    headers = message.get("headers")
    for each in headers if isinstance(headers, list) else ():
        name, value = _object(each).get("name"), _object(each).get("value")
        if isinstance(name, str) and isinstance(value, str) and "\n" not in value and "\r" not in value:
            yield name.lower(), value


def _body(content: Mapping[str, Any]) -> bytes:
    text = content.get("text")
    if not isinstance(text, str):
        return b""
    if content.get("encoding") == "base64":
        try:
            return base64.b64decode(text, validate=True)
        except (binascii.Error, ValueError):
            return b""
    return text.encode("utf-8", "replace")
