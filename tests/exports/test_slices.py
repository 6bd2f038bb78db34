"""Slices for other tools: the formats are well-formed, complete, and safe with hostile texts."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from slices import HOSTILE, bill_slice, hostile_slice, long_slice

from fewtaps.exports.slices import (
    GRAPHML,
    SLICE_EXPORTS,
    line_in_words,
    slice_as_dot,
    slice_as_graphml,
    slice_as_json,
    slice_as_sarif,
    source_path,
)
from fewtaps.model.slice import CodePlace, Slice, first_lines, slice_from_json

SLICES = pytest.mark.parametrize(
    "made", [bill_slice(), hostile_slice(), long_slice(30)], ids=["bill", "hostile", "long"]
)

SCHEMA = Path(__file__).resolve().parents[2] / "build" / "sarif-schema-2.1.0.json"

# Of the schema of SARIF 2.1.0: the properties that each object here must have, and all that it may have of those that
# are used. The schema allows no others.
SARIF: dict[str, tuple[set[str], set[str]]] = {
    "log": ({"version", "runs"}, {"$schema"}),
    "run": ({"tool"}, {"columnKind", "originalUriBaseIds", "results"}),
    "tool": ({"driver"}, set()),
    "driver": ({"name"}, {"rules", "version"}),
    "rule": ({"id"}, {"shortDescription"}),
    "result": ({"message"}, {"ruleId", "level", "locations", "codeFlows", "relatedLocations", "graphs"}),
    "message": ({"text"}, set()),
    "location": (set(), {"id", "physicalLocation", "logicalLocations", "message"}),
    "physicalLocation": ({"artifactLocation"}, {"region"}),
    "artifactLocation": (set(), {"uri", "uriBaseId"}),
    "region": (set(), {"startLine"}),
    "logicalLocation": (set(), {"fullyQualifiedName", "kind"}),
    "codeFlow": ({"threadFlows"}, {"message"}),
    "threadFlow": ({"locations"}, set()),
    "graph": (set(), {"description", "nodes", "edges"}),
    "node": ({"id"}, {"label"}),
    "edge": ({"id", "sourceNodeId", "targetNodeId"}, {"label", "properties"}),
    "threadFlowLocation": (set(), {"location", "importance", "executionOrder", "kinds"}),
}


def objects(log: Any) -> Iterator[tuple[str, dict[str, Any]]]:
    """Every object of a SARIF log with the name of its kind."""
    yield "log", log
    for run in log["runs"]:
        yield "run", run
        yield "tool", run["tool"]
        yield "driver", run["tool"]["driver"]
        for rule in run["tool"]["driver"]["rules"]:
            yield "rule", rule
            yield "message", rule["shortDescription"]
        for result in run["results"]:
            yield "result", result
            yield "message", result["message"]
            for each in (*result["locations"], *result["relatedLocations"]):
                yield from of_location(each)
            for graph in result.get("graphs", ()):
                yield "graph", graph
                yield "message", graph["description"]
                for kind in ("node", "edge"):
                    for each in graph[f"{kind}s"]:
                        yield kind, each
                        yield "message", each["label"]
            for flow in result["codeFlows"]:
                yield "codeFlow", flow
                for thread in flow["threadFlows"]:
                    yield "threadFlow", thread
                    for step in thread["locations"]:
                        yield "threadFlowLocation", step
                        yield from of_location(step["location"])


def of_location(location: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    yield "location", location
    yield from (("logicalLocation", each) for each in location["logicalLocations"])
    if "message" in location:
        yield "message", location["message"]
    if "physicalLocation" in location:
        yield "physicalLocation", location["physicalLocation"]
        yield "artifactLocation", location["physicalLocation"]["artifactLocation"]
        yield "region", location["physicalLocation"]["region"]


@SLICES
def test_sarif_has_the_properties_that_its_schema_demands_and_no_others(made: Slice) -> None:
    for kind, each in objects(json.loads(slice_as_sarif(made, "fewtaps 1.2.3"))):
        needed, allowed = SARIF[kind]
        assert needed <= set(each) <= needed | allowed, (kind, each)


@SLICES
def test_values_in_sarif_are_those_that_its_schema_allows(made: Slice) -> None:
    log = json.loads(slice_as_sarif(made))
    assert log["version"] == "2.1.0"
    for kind, each in objects(log):
        match kind:
            case "message":
                assert each["text"]
            case "region":
                assert each["startLine"] >= 1
            case "threadFlow":
                assert each["locations"]
            case "threadFlowLocation":
                assert each["importance"] in ("important", "essential", "unimportant")
                assert each.get("executionOrder", 1) >= -1
            case "artifactLocation":
                assert re.fullmatch(r"(?:[A-Za-z0-9._~/-]|%[0-9A-F]{2})+", each["uri"])
            case "run":
                assert each["columnKind"] in ("utf16CodeUnits", "unicodeCodePoints")


@pytest.mark.skipif(not SCHEMA.is_file(), reason="`make sarif-schema` writes the schema")
@SLICES
def test_sarif_is_valid_by_the_whole_schema(made: Slice) -> None:
    """For a copy of the schema that OASIS publishes, which `make sarif-schema` writes."""
    jsonschema = pytest.importorskip("jsonschema")
    schema = json.loads(SCHEMA.read_text("utf-8"))
    validator = jsonschema.validators.validator_for(schema)
    validator.check_schema(schema)
    checks = validator(schema, format_checker=validator.FORMAT_CHECKER)
    assert [error.message for error in checks.iter_errors(json.loads(slice_as_sarif(made, "fewtaps 1.2.3")))] == []


def test_the_first_code_flow_of_sarif_is_the_life_of_the_value() -> None:
    (result,) = json.loads(slice_as_sarif(bill_slice()))["runs"][0]["results"]
    life, whole = (flow["threadFlows"][0]["locations"] for flow in result["codeFlows"])
    assert [each["location"]["physicalLocation"]["region"]["startLine"] for each in life] == [8, 31, 19]
    assert [each["location"]["physicalLocation"]["region"]["startLine"] for each in whole] == [8, 44, 31, 19]
    assert result["ruleId"] == "ArithmeticException"


@SLICES
def test_json_reads_back_as_the_same_slice(made: Slice) -> None:
    assert slice_from_json(json.loads(slice_as_json(made))) == made


@SLICES
def test_graphml_has_a_node_for_each_line_and_an_edge_for_each_dependence(made: Slice) -> None:
    root = ET.fromstring(slice_as_graphml(made).encode())
    assert len(graphml(root, "node", level="line")) == len(made.lines)
    assert len(graphml(root, "edge", between="lines")) == len(made.edges)


@SLICES
def test_dot_has_a_line_for_each_node_and_edge_and_closes_every_string(made: Slice) -> None:
    lines = slice_as_dot(made).splitlines()
    bare = [re.sub(r'"(?:[^"\\]|\\.)*"', "", line) for line in lines]
    assert sum(re.match(r" +n\d+ -> n\d+ ", line) is not None for line in bare) == len(made.edges)
    assert sum(re.match(r" +s\d+ -> s\d+ ", line) is not None for line in bare) == len(made.event_edges)
    nodes = [line for line in lines if re.match(r"  n\d+ \[", line)]
    assert len(nodes) == len(made.lines)
    for line in lines:
        assert '"' not in re.sub(r'"(?:[^"\\]|\\.)*"', "", line)


@pytest.mark.parametrize("name", SLICE_EXPORTS)
def test_no_export_holds_control_characters_or_half_characters(name: str) -> None:
    text = SLICE_EXPORTS[name](hostile_slice(), "fewtaps")
    assert text.encode("utf-8")
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f\u202a-\u202e]", text)


EVENT_EDGES = [
    (3, 2, "data", "people"), (2, 0, "control", "setOnClickListener"), (2, 1, "lifecycle", "onPause before onCreate"),
]  # fmt: skip


def graphml(root: ET.Element, name: str, **wanted: str) -> list[dict[str, str]]:
    """The nodes or edges whose data are these, each with its attributes and all of its data."""
    found = [
        {**element.attrib, **{data.get("key", ""): data.text or "" for data in element}}
        for element in root.findall(f".//{{{GRAPHML}}}{name}")
    ]
    return [each for each in found if wanted.items() <= each.items()]


def test_sarif_has_a_graph_of_the_steps_with_the_kind_of_each_edge() -> None:
    (result,) = json.loads(slice_as_sarif(bill_slice()))["runs"][0]["results"]
    (graph,) = result["graphs"]
    assert [each["label"]["text"] for each in graph["nodes"]] == [
        "0: launch",
        "1: tap Less",
        "2: tap Less",
        "3: tap Split",
    ]
    ids = {each["id"] for each in graph["nodes"]}
    assert {each[end] for each in graph["edges"] for end in ("sourceNodeId", "targetNodeId")} <= ids
    assert [
        (each["sourceNodeId"], each["targetNodeId"], each["properties"]["kind"], each["label"]["text"])
        for each in graph["edges"]
    ] == [(f"step {source}", f"step {target}", kind, f"{what} ({kind})") for source, target, kind, what in EVENT_EDGES]


def test_sarif_without_edges_between_steps_has_no_graph() -> None:
    (result,) = json.loads(slice_as_sarif(replace(bill_slice(), event_edges=())))["runs"][0]["results"]
    assert "graphs" not in result


def test_graphml_has_the_steps_and_the_kind_of_each_edge_between_them() -> None:
    root = ET.fromstring(slice_as_graphml(bill_slice()).encode())
    steps = graphml(root, "node", level="step")
    assert [(each["id"], each["code"]) for each in steps[:2]] == [("s0", "launch"), ("s1", "tap Less")]
    assert [
        (each["source"], each["target"], each["dependence"], each["what"])
        for each in graphml(root, "edge", between="steps")
    ] == [(f"s{source}", f"s{target}", kind, what) for source, target, kind, what in EVENT_EDGES]
    declared = {each.get("id") for each in root.findall(f"{{{GRAPHML}}}key")}
    assert {each.get("key") for each in root.iter(f"{{{GRAPHML}}}data")} <= declared


def test_dot_draws_the_kinds_of_edges_between_steps_in_different_ways() -> None:
    drawn = re.findall(r"s(\d) -> s(\d) \[label=\"(.*?)\", (.*)\];", slice_as_dot(bill_slice()))
    assert [(int(source), int(target), label) for source, target, label, _ in drawn] == [
        (source, target, f"{what} ({kind})") for source, target, kind, what in EVENT_EDGES
    ]
    assert len({style for *_, style in drawn}) == 3


def test_the_path_of_a_source_stays_in_its_folder() -> None:
    assert source_path(CodePlace("a.b.C", "m", "", "C.java", 1)) == "a/b/C.java"
    assert ".." not in source_path(CodePlace("..x", "m", "", "..", 1)).split("/")
    assert "/" not in source_path(CodePlace("C", "m", "", "../../etc/passwd", 1))


def test_the_first_lines_are_the_app_s_own() -> None:
    assert [line.place.line for line in first_lines(bill_slice())] == [19, 31, 8]
    assert len(first_lines(long_slice(50))) == 10


def test_a_line_in_words_has_place_code_value_and_reason() -> None:
    assert line_in_words(bill_slice().lines[1]) == (
        "Bill.java:31: people = people - 1 [0] (writes `people` = 0, read at Bill.java:19 in step 3)"
    )


def test_the_hostile_text_is_what_these_tests_need() -> None:
    assert "\x1b" in HOSTILE and "\ud800" in HOSTILE and "\u202e" in HOSTILE and '"' in HOSTILE
