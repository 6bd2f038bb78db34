"""A slice for other tools: JSON, SARIF 2.1 with code flows, GraphML and DOT."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from collections.abc import Callable, Iterable
from typing import Any
from urllib.parse import quote

from fewtaps.model.event import printable
from fewtaps.model.slice import CodePlace, DependenceKind, EventEdgeKind, Slice, SlicedLine, slice_to_json

SARIF_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
GRAPHML = "http://graphml.graphdrawing.org/xmlns"

LONGEST_TEXT = 400
"""Characters of one text of the app in an export."""

_COLOURS = {
    DependenceKind.CRITERION: "red",
    DependenceKind.DATA: "blue",
    DependenceKind.BASE: "steelblue",
    DependenceKind.CONTROL: "darkgreen",
    DependenceKind.CALL: "gray40",
    DependenceKind.HANDED: "purple",
    DependenceKind.REGISTERED: "purple",
    DependenceKind.LIFECYCLE: "orange",
    DependenceKind.GUESSED: "gray60",
}

_EVENT_STYLES = {
    EventEdgeKind.DATA: "color=blue, style=solid",
    EventEdgeKind.CONTROL: "color=darkgreen, style=dashed",
    EventEdgeKind.LIFECYCLE: "color=orange, style=dotted",
}


def slice_as_json(made: Slice, tool: str = "fewtaps") -> str:
    """The documented JSON form, indented, in ASCII."""
    return json.dumps({**slice_to_json(made), "tool": tool}, indent=1) + "\n"


def line_in_words(line: SlicedLine) -> str:
    """One line of a slice in one line of text: where, what, the value and the reason."""
    parts = [line.place.source_name, f": {line.code}" if line.code else ""]
    if line.value is not None:
        parts.append(f" [{line.value}]")
    if line.reason:
        parts.append(f" ({line.reason})")
    return "".join(parts)


def slice_as_sarif(made: Slice, tool: str = "fewtaps") -> str:
    """SARIF 2.1.0: one result with two code flows, the value's life and the whole slice in the order of execution.

    Which step depends on which is a graph of the result; the property `kind` of its edges keeps their kinds apart.
    Files are named relative to the root of the sources, `SRCROOT`. Texts of the app are on one line and have no
    markup, because `message.text` is plain text.
    """
    name, _, version = tool.partition(" ")
    rule = _rule(made)
    result: dict[str, Any] = {
        "ruleId": rule,
        "level": "error",
        "message": {"text": _text(f"{made.crash or 'Sliced'}; sliced from {made.criterion}")},
        "locations": [_location(made.lines[0].place)],
        "codeFlows": [_flow(flow) for flow in _flows(made)],
        "relatedLocations": [
            {**_location(each.place), "id": number, "message": {"text": _text(f"Did not happen: {each.sentence}")}}
            for number, each in enumerate(made.omissions)
        ],
    }
    if made.event_edges:
        result["graphs"] = [_step_graph(made)]
    driver: dict[str, Any] = {
        "name": name,
        "rules": [{"id": rule, "shortDescription": {"text": _text(made.crash or made.criterion)}}],
    }
    if version:
        driver["version"] = version
    run = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "originalUriBaseIds": {"SRCROOT": {"description": {"text": "The folder with the app's sources."}}},
        "results": [result],
    }
    return json.dumps({"$schema": SARIF_SCHEMA, "version": "2.1.0", "runs": [run]}, indent=1) + "\n"


def _rule(made: Slice) -> str:
    """The class of the exception, which names the kind of defect."""
    return printable(made.crash_type, 200).rpartition(".")[2] or "slice"


def _flows(made: Slice) -> Iterable[tuple[str, list[dict[str, Any]]]]:
    if made.life:
        yield (
            "The value's life",
            [
                {
                    "location": {
                        **_location(each.place),
                        "message": {"text": _text(f"{each.station}: {each.sentence}")},
                    },
                    "importance": "essential",
                    "executionOrder": number,
                }
                for number, each in enumerate(made.life, 1)
            ],
        )
    ordered = sorted(enumerate(made.lines), key=lambda pair: (-pair[1].distance, -pair[0]))
    yield "All lines of the slice, the farthest from the crash first", [_flow_location(line) for _, line in ordered]


def _flow_location(line: SlicedLine) -> dict[str, Any]:
    value = f" = {line.value}" if line.value is not None else ""
    reason = f": {line.reason}" if line.reason else ""
    message = _text(f"{line.code}{value}{reason}") or line.kind.value
    importance = "essential" if line.thin else "important" if line.place.is_app else "unimportant"
    return {
        "location": {**_location(line.place), "message": {"text": message}},
        "importance": importance,
        "kinds": [line.kind.value],
    }


def _step_graph(made: Slice) -> dict[str, Any]:
    """The steps and their dependences; each edge leads from a step to the one that it depends on."""
    return {
        "description": {"text": "Which step depends on which."},
        "nodes": [
            {"id": f"step {number}", "label": {"text": _text(f"{number}: {made.step_text(number)}")}}
            for number in _joined_steps(made)
        ],
        "edges": [
            {
                "id": f"dependence {number}",
                "label": {"text": _text(f"{edge.what} ({edge.kind.value})" if edge.what else edge.kind.value)},
                "sourceNodeId": f"step {edge.source}",
                "targetNodeId": f"step {edge.target}",
                "properties": {"kind": edge.kind.value},
            }
            for number, edge in enumerate(made.event_edges)
        ],
    }


def _joined_steps(made: Slice) -> list[int]:
    """The steps that matter, and those that an edge between steps names."""
    return sorted({*made.steps, *(step for edge in made.event_edges for step in (edge.source, edge.target))})


def _flow(flow: tuple[str, list[dict[str, Any]]]) -> dict[str, Any]:
    name, locations = flow
    return {"message": {"text": name}, "threadFlows": [{"locations": locations}]}


def _location(place: CodePlace) -> dict[str, Any]:
    location: dict[str, Any] = {
        "logicalLocations": [{"fullyQualifiedName": _text(f"{place.class_name}.{place.method}"), "kind": "function"}]
    }
    if place.file is not None and place.line > 0:
        location["physicalLocation"] = {
            "artifactLocation": {"uri": source_path(place), "uriBaseId": "SRCROOT"},
            "region": {"startLine": place.line},
        }
    return location


def source_path(place: CodePlace) -> str:
    """The path of the source file below the root of the sources, as part of an address: `com/example/Bill.java`.

    Names of the app can hold anything, so all but letters, digits and `._-~` is percent-encoded.
    """
    folders = place.class_name.split(".")[:-1]
    parts = [*folders, place.file or ""]
    # An encoded dot stays a dot: a name of dots alone would be a step out of the folder.
    return "/".join(quote(part, safe="", errors="backslashreplace") for part in parts if part.strip("."))


def _text(text: str) -> str:
    return printable(text, LONGEST_TEXT)


def slice_as_graphml(made: Slice, tool: str = "fewtaps") -> str:
    """The lines and the dependences between them, in the format that Gephi, yEd, Cytoscape and networkx read.

    The steps and their dependences are in the same graph, because these tools read one; `level` and `between` tell
    them apart.
    """
    root = ET.Element("graphml", xmlns=GRAPHML)
    keys = (
        *(
            (name, "node", "string")
            for name in ("level", "place", "class", "method", "code", "value", "kind", "reason", "steps")
        ),
        *((name, "node", "int") for name in ("distance", "count")),
        ("thin", "node", "boolean"),
        *((name, "edge", "string") for name in ("between", "dependence", "what")),
        ("step", "edge", "int"),
    )
    for name, place, kind in keys:
        ET.SubElement(root, "key", {"id": name, "for": place, "attr.name": name, "attr.type": kind})
    root.append(ET.Comment(f" {_text(tool).replace('--', '- -')} "))
    body = ET.SubElement(root, "graph", id="slice", edgedefault="directed")
    for number, line in enumerate(made.lines):
        node = ET.SubElement(body, "node", id=f"n{number}")
        _data(
            node,
            level="line",
            place=line.place.source_name,
            method=line.place.method,
            code=line.code,
            value=line.value or "",
        )
        _data(node, kind=line.kind.value, reason=line.reason, steps=" ".join(map(str, line.steps)))
        _data(node, distance=str(line.distance), count=str(line.count), thin="true" if line.thin else "false")
        _data(node, **{"class": line.place.class_name})
    for edge in made.edges:
        element = ET.SubElement(body, "edge", source=f"n{edge.source}", target=f"n{edge.target}")
        _data(element, between="lines", dependence=edge.kind.value, what=edge.what, step=str(edge.step))
    for number in _joined_steps(made):
        node = ET.SubElement(body, "node", id=f"s{number}")
        _data(node, level="step", place=f"step {number}", code=made.step_text(number))
    for each in made.event_edges:
        element = ET.SubElement(body, "edge", source=f"s{each.source}", target=f"s{each.target}")
        _data(element, between="steps", dependence=each.kind.value, what=each.what)
    ET.indent(root)
    return ET.tostring(root, encoding="unicode", xml_declaration=True) + "\n"


def _data(element: ET.Element, **values: str) -> None:
    for name, value in values.items():
        # `printable` leaves no character that XML forbids.
        ET.SubElement(element, "data", key=name).text = _text(value)


def slice_as_dot(made: Slice, tool: str = "fewtaps") -> str:
    """The same graph for Graphviz: the criterion at the top, lines of one distance side by side; the steps in a box."""
    out = [f"// {_text(tool)}", "digraph slice {", '  node [shape=box, fontname="monospace"];']
    for number, line in enumerate(made.lines):
        value = f" = {line.value}" if line.value is not None else ""
        label = f"{line.place.source_name}\n{printable(line.code + value, 100)}"
        style = "solid" if line.thin else "dashed"
        out.append(f"  n{number} [label={_dot(label)}, style={style}, color={_COLOURS[line.kind]}];")
    for edge in made.edges:
        label = _dot(edge.what or edge.kind.value)
        out.append(f"  n{edge.source} -> n{edge.target} [label={label}, color={_COLOURS[edge.kind]}];")
    out += ["  subgraph cluster_steps {", "    label=steps;"]
    for number in _joined_steps(made):
        label = _dot(f"{number}: {printable(made.step_text(number), 100)}")
        out.append(f"    s{number} [label={label}, shape=ellipse];")
    for each in made.event_edges:
        label = _dot(f"{each.what} ({each.kind.value})" if each.what else each.kind.value)
        out.append(f"    s{each.source} -> s{each.target} [label={label}, {_EVENT_STYLES[each.kind]}];")
    out.append("  }")
    return "\n".join((*out, "}")) + "\n"


def _dot(text: str) -> str:
    """A quoted string of DOT: a backslash would begin an escape, which only stands for itself if it is doubled."""
    lines = (_text(line).replace("\\", "\\\\").replace('"', '\\"') for line in text.split("\n"))
    return '"' + "\\n".join(lines) + '"'


SLICE_EXPORTS: dict[str, Callable[[Slice, str], str]] = {
    "json": slice_as_json,
    "sarif": slice_as_sarif,
    "graphml": slice_as_graphml,
    "dot": slice_as_dot,
}
"""The formats of `fewtaps slice --format`, each a function of a slice and of the name of this program."""
