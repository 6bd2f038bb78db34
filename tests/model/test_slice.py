"""The JSON form of a slice: nothing is lost, and nothing malformed gets in."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from slices import bill_slice, hostile_slice, long_slice

from fewtaps.model.slice import CodePlace, Slice, slice_from_json, slice_to_json


@pytest.mark.parametrize("made", [bill_slice(), hostile_slice(), long_slice(50)], ids=["bill", "hostile", "long"])
def test_a_slice_comes_back_from_json_as_it_was(made: Slice) -> None:
    assert slice_from_json(json.loads(json.dumps(slice_to_json(made)))) == made


def test_the_thin_slice_has_the_thin_lines_and_the_edges_between_them() -> None:
    thin = bill_slice().thinned()
    assert [line.place.source_name for line in thin.lines] == ["Bill.java:19", "Bill.java:31", "Bill.java:8"]
    assert [(edge.source, edge.target) for edge in thin.edges] == [(0, 1), (1, 1), (1, 2)]


def test_the_thin_slice_keeps_its_criterion() -> None:
    made = bill_slice()
    assert made.thinned().lines[0] == made.lines[0]


def test_a_place_without_lines_is_named_by_method_and_instruction() -> None:
    assert CodePlace("a.b.C", "m", "()V", None, 0, 7).source_name == "C.m, instruction 7"


def damaged(change: Callable[[dict[str, Any]], None]) -> dict[str, Any]:
    data = slice_to_json(bill_slice())
    change(data)
    return data


@pytest.mark.parametrize(
    ("change", "field"),
    [
        (lambda data: data.update(version=2), "version"),
        (lambda data: data.update(fewtaps="trace"), "fewtaps"),
        (lambda data: data.update(lines=[]), "lines"),
        (lambda data: data.update(criterion=None), "criterion"),
        (lambda data: data.update(steps=[-1]), "steps"),
        (lambda data: data.update(steps=["1"]), "steps"),
        (lambda data: data["edges"][0].update(target=99), "edges"),
        (lambda data: data["edges"][0].update(source=-1), "source"),
        (lambda data: data["lines"][0].update(kind="magic"), "kind"),
        (lambda data: data["lines"][0].update(thin=1), "thin"),
        (lambda data: data["lines"][0].update(count=True), "count"),
        (lambda data: data["lines"][0]["place"].update(line=1 << 70), "line"),
        (lambda data: data["lines"][0]["place"].update({"class": None}), "class"),
        (lambda data: data["event_edges"][0].update(kind="base"), "kind"),
        (lambda data: data["life"][0].update(sentence=3), "sentence"),
        (lambda data: data["guesses"][0].update(lines=-4), "lines"),
        (lambda data: data["size"].update(methods="many"), "methods"),
        (lambda data: data.update(notes=[{}]), "notes"),
    ],
)
def test_a_damaged_slice_is_refused_with_the_name_of_the_field(
    change: Callable[[dict[str, Any]], None], field: str
) -> None:
    with pytest.raises(ValueError, match=f"^{field}"):
        slice_from_json(damaged(change))


@pytest.mark.parametrize("record", [None, [], "slice", 7, {}])
def test_anything_else_is_no_slice(record: object) -> None:
    with pytest.raises(ValueError):
        slice_from_json(record)
