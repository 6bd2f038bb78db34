"""Reads OpenAPI descriptions (3.x and Swagger 2, as JSON) and makes an answer for each operation.

An answer is the example of the description, or else made of its schema. References may form loops: a schema is followed
to a depth of eight, and is null below.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from fewtaps.errors import UsageError
from fewtaps.formats.bounded import read_object
from fewtaps.model.served import ServedAnswer, literal

METHODS = ("get", "post", "put", "patch", "delete", "head", "options")
MAX_OPERATIONS = 5_000
MAX_DEPTH = 8
"""How deep a schema is followed."""
MAX_VALUES = 2_000
"""Values in one answer; a schema whose branches multiply ends there with nulls."""
MAX_REFERENCE = 1_000
"""Characters of a reference; a longer one leads nowhere."""
MAX_ANSWERS_BYTES = 16 * 1024 * 1024
"""Addresses and bodies of all answers together; a session holds them in memory, each answer its own."""
TEXTS = {
    "date": "2026-01-05",
    "date-time": "2026-01-05T12:00:00Z",
    "uuid": "00000000-0000-4000-8000-000000000001",
    "uri": "https://example.com/",
    "email": "sam@example.com",
    "byte": "AA==",
}


def read_openapi(path: Path) -> tuple[ServedAnswer, ...]:
    """An answer for each operation. Addresses without parameters come first, so that /users/me is not /users/{id}.

    Operations after `MAX_OPERATIONS` are left out. Raises UsageError if the file is too large, no JSON, or describes no
    operation, or answers that are too large together.
    """
    if path.suffix.lower() in (".yaml", ".yml"):
        raise UsageError(f"--network: {path}: YAML is not read; convert it to JSON")
    document = read_object(path, "--network")
    paths = document.get("paths")
    if not isinstance(paths, dict) or not ("openapi" in document or "swagger" in document):
        raise UsageError(f"--network: {path}: no OpenAPI description, because it has no version or no paths")
    try:
        found = list(islice(_answers(document, paths), MAX_OPERATIONS))
    except _TooLarge as error:
        limit = MAX_ANSWERS_BYTES // 2**20
        raise UsageError(f"--network: {path}: its answers are larger than {limit} MB together") from error
    except RecursionError as error:
        raise UsageError(f"--network: {path}: nested too deeply") from error
    if not found:
        raise UsageError(f"--network: {path}: no operation in it")
    return tuple(answer for _, answer in sorted(found, key=lambda each: each[0]))


class _TooLarge(Exception):
    """The answers have more than `MAX_ANSWERS_BYTES`."""


def _answers(document: Mapping[str, Any], paths: Mapping[str, Any]) -> Iterator[tuple[int, ServedAnswer]]:
    """The answers, each with the number of parameters in its address."""
    reader = _Description(document)
    total = 0
    for template, item in paths.items():
        methods = _object(reader.resolved(item))
        end = _template(template) + r"(\?.*)?" if methods else ""
        for method in METHODS:
            operation = methods.get(method)
            if not isinstance(operation, dict):
                continue
            for base in reader.bases:
                answer = reader.answer(method, base + end, operation)
                total += len(answer.address) + len(answer.content_type) + len(answer.body)
                if total > MAX_ANSWERS_BYTES:
                    raise _TooLarge
                yield template.count("{"), answer


class _Description:
    def __init__(self, document: Mapping[str, Any]) -> None:
        self.document = document
        self.bases = tuple(dict.fromkeys(_bases(document)))
        self._values = 0
        self._made_answers: dict[int, tuple[int, str, bytes]] = {}
        """Status, type and body by the identity of the operation, which several addresses may refer to."""
        self._made_bodies: dict[int, tuple[str, bytes]] = {}
        """Type and body by the identity of the response, which several operations may refer to."""

    def resolved(self, value: Any) -> Any:
        """The value that a reference leads to; an empty object if it leads nowhere, elsewhere, or in a circle."""
        for _ in range(MAX_DEPTH):
            target = value.get("$ref") if isinstance(value, dict) else None
            if not isinstance(target, str):
                return value
            if len(target) > MAX_REFERENCE:
                return {}
            value = self._at(target)
        return {}

    def _at(self, reference: str) -> Any:
        here: Any = self.document
        if not reference.startswith("#/"):
            return {}
        for part in reference[2:].split("/"):
            here = _object(here).get(part.replace("~1", "/").replace("~0", "~"))
        return here

    def answer(self, method: str, address: str, operation: Mapping[str, Any]) -> ServedAnswer:
        made = self._made_answers.get(id(operation))
        if made is None:
            made = self._made_answers[id(operation)] = self._answer(operation)
        return ServedAnswer(method.upper(), address, *made)

    def _answer(self, operation: Mapping[str, Any]) -> tuple[int, str, bytes]:
        responses = _object(operation.get("responses"))
        code = min((each for each in responses if re.fullmatch(r"2\d\d|2XX", str(each))), default="default")
        response = _object(self.resolved(responses.get(code)))
        status = int(code) if str(code).isdigit() else 200
        if status == 204:
            return status, "application/json", b""
        if "content" not in response:
            return status, *self._body(response, operation)
        made = self._made_bodies.get(id(response))
        if made is None:
            made = self._made_bodies[id(response)] = self._body(response, operation)
        return status, *made

    def _body(self, response: Mapping[str, Any], operation: Mapping[str, Any]) -> tuple[str, bytes]:
        content = _object(response.get("content"))
        if not content and "schema" in response:
            produced = operation.get("produces") or self.document.get("produces") or ["application/json"]
            kind = produced[0] if isinstance(produced, list) and isinstance(produced[0], str) else "application/json"
            content = {kind: {"schema": response["schema"], "example": _first(response.get("examples"))}}
        if not content:
            return "application/json", b""
        kind = next((each for each in content if "json" in str(each)), next(iter(content)))
        media = _object(self.resolved(content[kind]))
        self._values = 0
        example = media.get("example")
        if example is None:
            example = _object(self.resolved(_first(media.get("examples")))).get("value")
        value = self._made(media.get("schema"), 0) if example is None else example
        if isinstance(value, str) and "json" not in kind:
            return kind, value.encode("utf-8", "replace")
        return kind, "".join(_limited(json.JSONEncoder(ensure_ascii=False).iterencode(value))).encode(
            "utf-8", "replace"
        )

    def _made(self, schema: Any, depth: int) -> Any:
        """A value that fits the schema."""
        self._values += 1
        schema = _object(self.resolved(schema))
        if depth > MAX_DEPTH or self._values > MAX_VALUES or not schema:
            return None
        for given in ("example", "default", "const"):
            if schema.get(given) is not None:
                return schema[given]
        for name in ("examples", "enum"):
            if isinstance(schema.get(name), list) and schema[name]:
                return schema[name][0]
        for name in ("oneOf", "anyOf"):
            if isinstance(schema.get(name), list) and schema[name]:
                return self._made(schema[name][0], depth + 1)
        parts = schema.get("allOf")
        if isinstance(parts, list):
            values = [self._made(part, depth + 1) for part in parts[:MAX_VALUES]]
            merged = {name: value for each in values if isinstance(each, dict) for name, value in each.items()}
            return merged | self._object_of(schema, depth)
        return self._of_type(schema, depth)

    def _of_type(self, schema: Mapping[str, Any], depth: int) -> Any:
        kind = schema.get("type")
        kind = kind[0] if isinstance(kind, list) and kind else kind
        match kind:
            case "string":
                return TEXTS.get(str(schema.get("format")), "text")
            case "integer" | "number":
                least = schema.get("minimum")
                return least if isinstance(least, int | float) and not isinstance(least, bool) else 1
            case "boolean":
                return True
            case "array":
                return [self._made(schema.get("items"), depth + 1) for _ in range(2)]
            case _:
                return self._object_of(schema, depth) if "properties" in schema or kind == "object" else None

    def _object_of(self, schema: Mapping[str, Any], depth: int) -> dict[str, Any]:
        properties = islice(_object(schema.get("properties")).items(), MAX_VALUES)
        return {name: self._made(each, depth + 1) for name, each in properties}


def _limited(parts: Iterable[str]) -> Iterator[str]:
    """The parts of a text. Raises _TooLarge: a small description can be made to repeat a large example."""
    left = MAX_ANSWERS_BYTES
    for part in parts:
        left -= len(part)
        if left < 0:
            raise _TooLarge
        yield part


def _bases(document: Mapping[str, Any]) -> Iterator[str]:
    """Expressions for where the paths begin; at any host if the description names none."""
    servers = document.get("servers")
    urls = [_object(each).get("url") for each in servers] if isinstance(servers, list) else []
    if isinstance(document.get("host"), str):
        base = document.get("basePath")
        urls.append(f"https://{document['host']}{base if isinstance(base, str) else ''}")
    elif isinstance(document.get("basePath"), str):
        urls.append(document["basePath"])
    for url in urls or [""]:
        if not isinstance(url, str):
            continue
        try:
            parts = urlsplit(url)
        except ValueError:
            continue
        host = _template(parts.netloc) if parts.netloc else "[^/]+"
        yield "https?://" + host + _template(parts.path.rstrip("/"))
    if urls and not any(isinstance(url, str) for url in urls):
        yield "https?://[^/]+"


def _template(text: str) -> str:
    """An expression for a path in which names in braces stand for anything but a slash.

    Names without text between them are one. Each but the last takes as little as it can, and the search for the rest
    does not come back to it: an address that does not match would take exponential time otherwise.
    """
    first, *parts = map(literal, re.split(r"(?:\{[^{}]*\})+", text))
    if not parts:
        return first
    return first + "".join(f"(?>[^/?]+?{part})" for part in parts[:-1]) + "[^/?]+" + parts[-1]


def _object(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _first(value: Any) -> Any:
    return next(iter(value.values()), None) if isinstance(value, dict) else None
