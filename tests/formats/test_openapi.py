"""OpenAPI descriptions become answers; their references may form loops."""

from __future__ import annotations

import json
import re
import tracemalloc
from pathlib import Path
from typing import Any

import pytest

from fewtaps.errors import UsageError
from fewtaps.formats.openapi import MAX_OPERATIONS, MAX_VALUES, _Description, read_openapi
from fewtaps.model.served import ServedAnswer


def described(folder: Path, paths: dict[str, Any], **more: Any) -> tuple[ServedAnswer, ...]:
    path = folder / "api.json"
    path.write_text(json.dumps({"openapi": "3.1.0", "paths": paths} | more), encoding="utf-8")
    return read_openapi(path)


def get(schema: Any = None, **media: Any) -> dict[str, Any]:
    return {"get": {"responses": {"200": {"content": {"application/json": {"schema": schema} | media}}}}}


USER = {
    "type": "object",
    "properties": {
        "id": {"type": "integer"},
        "mail": {"type": "string", "format": "email"},
        "born": {"type": ["string", "null"], "format": "date"},
        "tags": {"type": "array", "items": {"enum": ["a", "b"]}},
    },
}


def test_an_answer_is_made_of_the_schema_or_is_the_example(tmp_path: Path) -> None:
    answers = described(tmp_path, {"/users/{id}": get(USER), "/users/me": get(USER, example={"id": 7})})

    def body(url: str) -> Any:
        return next(json.loads(each.body) for each in answers if re.fullmatch(each.address, url))

    assert body("https://any.org/users/5?x=1") == {
        "id": 1,
        "mail": "sam@example.com",
        "born": "2026-01-05",
        "tags": ["a", "a"],
    }
    assert body("http://any.org/users/me") == {"id": 7}


def test_only_the_servers_that_are_named_are_answered_for(tmp_path: Path) -> None:
    (answer,) = described(tmp_path, {"/x": get(True)}, servers=[{"url": "https://{region}.a.org/v1/"}])
    assert re.fullmatch(answer.address, "https://eu.a.org/v1/x")
    assert not re.fullmatch(answer.address, "https://b.org/v1/x")


def test_loops_of_references_end(tmp_path: Path) -> None:
    node = {"type": "object", "properties": {name: {"$ref": "#/components/schemas/Node"} for name in "abcdef"}}
    schemas = {
        "Node": node,
        "Itself": {"$ref": "#/components/schemas/Itself"},
        "There": {"$ref": "#/components/schemas/Back"},
        "Back": {"$ref": "#/components/schemas/There"},
    }
    paths = {f"/{name}": get({"$ref": f"#/components/schemas/{name}"}) for name in schemas}
    paths["/gone"] = get({"$ref": "#/nowhere/1"})
    paths["/far"] = get({"$ref": "https://a.org/x.json"})
    answers = described(tmp_path, paths, components={"schemas": schemas})
    bodies = {each.address: each.body for each in answers}
    assert len(bodies) == len(paths)
    assert max(map(len, bodies.values())) < 20 * MAX_VALUES
    assert sum(body == b"null" for body in bodies.values()) == 5


def test_swagger_2_is_read(tmp_path: Path) -> None:
    path = tmp_path / "api.json"
    operation = {"responses": {"201": {"schema": {"$ref": "#/definitions/U"}}, "404": {}}}
    document = {
        "swagger": "2.0",
        "host": "a.org",
        "basePath": "/v2",
        "paths": {"/u": {"post": operation}},
        "definitions": {"U": USER},
    }
    path.write_text(json.dumps(document), encoding="utf-8")
    (answer,) = read_openapi(path)
    assert (answer.method, answer.status) == ("POST", 201)
    assert re.fullmatch(answer.address, "https://a.org/v2/u")
    assert json.loads(answer.body)["id"] == 1


@pytest.mark.parametrize(
    ("name", "text", "reason"),
    [
        ("api.yaml", "openapi: 3.0.0", "YAML is not read; convert it to JSON"),
        ("api.json", "{}", "no OpenAPI description"),
        ("api.json", '{"openapi": "3.0.0", "paths": {"/x": 5, "/y": {"get": null}}}', "no operation"),
    ],
)
def test_a_file_that_cannot_be_used_is_one_line(tmp_path: Path, name: str, text: str, reason: str) -> None:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    with pytest.raises(UsageError, match=reason):
        read_openapi(path)


def reference(name: str, kind: str = "schemas") -> dict[str, str]:
    return {"$ref": f"#/components/{kind}/{name}"}


LARGE = "x" * 1_000_000
BOMBS: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "one example of many operations": (
        {f"/{number}": get(reference("s")) for number in range(5000)},
        {"components": {"schemas": {"s": {"example": LARGE}}}},
    ),
    "one example of many fields": (
        {"/a": get({"properties": {f"f{number}": reference("s") for number in range(1000)}})},
        {"components": {"schemas": {"s": {"default": LARGE}}}},
    ),
    "fields without end": (
        {f"/{number}": get(reference("s")) for number in range(5000)},
        {"components": {"schemas": {"s": {"properties": {f"field{number}": {} for number in range(100_000)}}}}},
    ),
    "one long path at many servers": (
        {f"/{LARGE}": get()},
        {"servers": [{"url": f"https://s{number}.example"} for number in range(5000)]},
    ),
}


@pytest.mark.parametrize(("paths", "more"), BOMBS.values(), ids=BOMBS)
def test_a_description_that_multiplies_what_it_holds_is_refused(
    tmp_path: Path, paths: dict[str, Any], more: dict[str, Any]
) -> None:
    tracemalloc.start()
    try:
        with pytest.raises(UsageError, match="its answers are larger than 16 MB together"):
            described(tmp_path, paths, **more)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 300 << 20


def test_servers_do_not_multiply_operations_beyond_the_limit(tmp_path: Path) -> None:
    servers = [{"url": f"https://s{number}.example"} for number in range(200)]
    answers = described(tmp_path, {f"/{number}": get() for number in range(200)}, servers=servers)
    assert len(answers) == MAX_OPERATIONS


def test_a_path_item_that_many_paths_share_is_read_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[object] = []
    body = _Description._body

    def counting(self: _Description, *given: Any) -> tuple[str, bytes]:
        made.append(given)
        return body(self, *given)

    monkeypatch.setattr(_Description, "_body", counting)
    item = {"get": get({"type": "string"})["get"]}
    paths = {f"/{number}": reference("item", "pathItems") for number in range(100)}
    answers = described(tmp_path, paths, components={"pathItems": {"item": item}})
    assert (len(answers), len(made)) == (100, 1)
    assert len({id(answer.body) for answer in answers}) == 1


def test_a_reference_that_is_too_long_leads_nowhere(tmp_path: Path) -> None:
    (answer,) = described(tmp_path, {"/a": get({"$ref": "#/" + "a/" * 5000})})
    assert answer.body == b"null"


@pytest.mark.timeout(20)
@pytest.mark.parametrize("between", ["", "a", "aa"])
def test_an_address_that_fits_no_path_of_many_names_is_refused_soon(tmp_path: Path, between: str) -> None:
    template = "/" + between.join(f"{{n{number}}}" for number in range(40)) + "Z"
    (answer,) = described(tmp_path, {template: get(USER)})
    assert re.fullmatch(answer.address, "https://any.org/" + "a" * 3_000) is None
    assert re.fullmatch(answer.address, "https://any.org/" + "a" * 3_000 + "Z?x=1") is not None


def test_names_with_text_between_them_take_what_they_can(tmp_path: Path) -> None:
    (answer,) = described(tmp_path, {"/{a}-{b}-{c}.json/{d}": get(USER)})
    for path, fits in (("x-y-z.json/1", True), ("x--y-z-.json/1", True), ("x-y.json/1", False), ("x-y-z.json/", False)):
        assert bool(re.fullmatch(answer.address, f"https://any.org/{path}")) is fits
