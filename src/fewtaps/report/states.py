"""The state graph as a picture (SVG) and for other tools (GraphML)."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections import defaultdict, deque
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from itertools import islice
from typing import NamedTuple

from fewtaps.model.event import printable
from fewtaps.model.screen import Screen
from fewtaps.model.state import StateId

SVG = "http://www.w3.org/2000/svg"
XLINK = "http://www.w3.org/1999/xlink"
GRAPHML = "http://graphml.graphdrawing.org/xmlns"

WIDTH, HEIGHT = 150, 56
PICTURE_HEIGHT = 200
GAP_X, GAP_Y = 70, 26
MARGIN = 20


@dataclass(frozen=True, slots=True)
class StateNode:
    """One state: the activity it belongs to, how often it was seen, which crashes happened in it.

    `title` is the text in its box; `picture` is the path of its picture, None if it has none.
    """

    state: StateId
    activity: str
    visits: int
    title: str = ""
    crashes: tuple[str, ...] = ()
    picture: str | None = None


@dataclass(frozen=True, slots=True)
class StateEdge:
    """A transition that was seen `count` times; `label` describes the event that first made it."""

    source: StateId
    target: StateId
    count: int
    label: str = ""


@dataclass(frozen=True, slots=True)
class DrawnGraph:
    """States in the order they were found, the one after launch first, and the transitions between them."""

    nodes: tuple[StateNode, ...]
    edges: tuple[StateEdge, ...]


def graphml(graph: DrawnGraph) -> bytes:
    """The graph in the format that Gephi, yEd, Cytoscape and networkx read."""
    root = ET.Element("graphml", xmlns=GRAPHML)
    keys = (
        ("activity", "node", "string"),
        ("title", "node", "string"),
        ("visits", "node", "int"),
        ("crashes", "node", "string"),
        ("picture", "node", "string"),
        ("count", "edge", "int"),
        ("event", "edge", "string"),
    )
    for name, place, kind in keys:
        ET.SubElement(root, "key", {"id": name, "for": place, "attr.name": name, "attr.type": kind})
    body = ET.SubElement(root, "graph", id="states", edgedefault="directed")
    for node in graph.nodes:
        element = ET.SubElement(body, "node", id=node.state)
        _data(element, activity=node.activity, title=node.title, visits=str(node.visits))
        _data(element, crashes=", ".join(node.crashes), picture=node.picture or "")
    for edge in graph.edges:
        element = ET.SubElement(body, "edge", source=edge.source, target=edge.target)
        _data(element, count=str(edge.count), event=edge.label)
    return _document(root)


def svg(graph: DrawnGraph) -> bytes:
    """The graph as a picture: from left to right by the fewest events from launch, crashes in red."""
    heights = {node.state: HEIGHT if node.picture is None else PICTURE_HEIGHT for node in graph.nodes}
    places = _places(_columns(graph), heights)
    width = max((place.x for place in places.values()), default=0) + WIDTH + MARGIN
    height = max((place.y + place.height for place in places.values()), default=0) + MARGIN
    root = ET.Element(
        "svg",
        {
            "xmlns": SVG,
            "xmlns:xlink": XLINK,
            "viewBox": f"0 0 {width} {height}",
            "width": str(width),
            "height": str(height),
            "font-family": "sans-serif",
            "font-size": "11",
        },
    )
    _arrowhead(root)
    lines = ET.SubElement(root, "g", fill="none", stroke="#99a")
    for edge in graph.edges:
        if edge.source != edge.target and edge.source in places and edge.target in places:
            _draw_edge(lines, edge, places[edge.source], places[edge.target])
    for node in graph.nodes:
        _draw_node(root, node, places[node.state])
    return _document(root)


def _columns(graph: DrawnGraph) -> list[list[StateId]]:
    """States by their distance from the first one; those that cannot be reached from it come last."""
    known = {node.state for node in graph.nodes}
    successors: defaultdict[StateId, list[StateId]] = defaultdict(list)
    for edge in graph.edges:
        if edge.source in known and edge.target in known:
            successors[edge.source].append(edge.target)
    distance: dict[StateId, int] = {}
    order = [node.state for node in graph.nodes]
    if order:
        distance = _distances(order[0], successors)
    last = max(distance.values(), default=-1) + 1
    columns: list[list[StateId]] = [[] for _ in range(last + 1)]
    for state in order:
        columns[distance.get(state, last)].append(state)
    return [column for column in columns if column]


def _distances(start: StateId, successors: Mapping[StateId, Sequence[StateId]]) -> dict[StateId, int]:
    distance = {start: 0}
    queue = deque([start])
    while queue:
        state = queue.popleft()
        for following in successors.get(state, ()):
            if following not in distance:
                distance[following] = distance[state] + 1
                queue.append(following)
    return distance


def shows_app(screen: Screen, packages: Set[str]) -> bool:
    """Whether the screen is one of the app; screens of the launcher and of other apps are not states."""
    return bool(screen.windows) and screen.package in packages


def state_name(screen: Screen) -> str:
    """The first texts on a screen, topmost window first; without texts, its descriptions, ids or activity."""
    widgets = tuple(screen.iter_widgets())
    for words in (
        (widget.text for widget in widgets),
        (widget.description or widget.hint for widget in widgets),
        (f"#{widget.resource_id.rpartition('/')[2]}" for widget in widgets if widget.resource_id and widget.is_target),
    ):
        if name := " · ".join(islice((printable(each) for each in words if each and each.strip()), 3)):
            return name
    activity = (screen.activity or "").rpartition(".")[2]
    return f"{printable(activity)}, without any text" if activity else "a screen without any text"


class _NodePlace(NamedTuple):
    """The upper left corner and the height of a drawn state."""

    x: int
    y: int
    height: int


def _places(columns: Sequence[Sequence[StateId]], heights: Mapping[StateId, int]) -> dict[StateId, _NodePlace]:
    places: dict[StateId, _NodePlace] = {}
    for number, column in enumerate(columns):
        y = MARGIN
        for state in column:
            places[state] = _NodePlace(MARGIN + number * (WIDTH + GAP_X), y, heights[state])
            y += heights[state] + GAP_Y
    return places


def _arrowhead(root: ET.Element) -> None:
    marker = ET.SubElement(
        ET.SubElement(root, "defs"),
        "marker",
        {"id": "to", "viewBox": "0 0 8 8", "refX": "8", "refY": "4", "markerWidth": "7", "markerHeight": "7"},
        orient="auto-start-reverse",
    )
    ET.SubElement(marker, "path", d="M0 0 8 4 0 8z", fill="#99a", stroke="none")


def _draw_edge(parent: ET.Element, edge: StateEdge, source: _NodePlace, target: _NodePlace) -> None:
    if target.x <= source.x:
        # Backward edges go from and to the lower edges of the boxes, so that they do not cover forward edges.
        start = (source.x + WIDTH // 2, source.y + source.height)
        end = (target.x + WIDTH // 2, target.y + target.height)
        bend = f"C{start[0]} {start[1] + GAP_Y * 2} {end[0]} {end[1] + GAP_Y * 2} {end[0]} {end[1]}"
    else:
        start = (source.x + WIDTH, source.y + source.height // 2)
        end = (target.x, target.y + target.height // 2)
        middle = (start[0] + end[0]) // 2
        bend = f"C{middle} {start[1]} {middle} {end[1]} {end[0]} {end[1]}"
    path = ET.SubElement(parent, "path", {"d": f"M{start[0]} {start[1]}{bend}", "marker-end": "url(#to)"})
    path.set("stroke-width", f"{min(1 + edge.count**0.5 / 4, 4):.1f}")
    ET.SubElement(path, "title").text = _visible(f"{edge.label} ({edge.count} times)")


def _draw_node(root: ET.Element, node: StateNode, place: _NodePlace) -> None:
    x, y, tall = place
    group = ET.SubElement(root, "g", transform=f"translate({x} {y})")
    ET.SubElement(group, "title").text = _visible(
        f"{node.activity}\n{node.title}\nseen {node.visits} time{'' if node.visits == 1 else 's'}"
    )
    ET.SubElement(
        group,
        "rect",
        {"width": str(WIDTH), "height": str(tall), "rx": "6", "fill": "#fff", "stroke-width": "2"},
        stroke="#c22" if node.crashes else "#446",
    )
    if node.picture is not None:
        ET.SubElement(
            group,
            "image",
            {"href": node.picture, "x": "4", "y": "22", "width": str(WIDTH - 8), "height": str(tall - 44)},
        )
    _write(group, 16, node.activity.rpartition(".")[2], "bold")
    _write(group, tall - 24, node.title if node.picture is None else "", "normal")
    crashes = len(node.crashes)
    seen = f"{node.visits} visit{'' if node.visits == 1 else 's'}"
    seen += f", {crashes} crash{'' if crashes == 1 else 'es'}" if crashes else ""
    _write(group, tall - 8, seen, "normal")


def _write(group: ET.Element, y: int, words: str, weight: str) -> None:
    if words:
        text = ET.SubElement(group, "text", {"x": "8", "y": str(y), "font-weight": weight, "fill": "#223"})
        text.text = _visible(printable(words, 24))


def _data(element: ET.Element, **values: str) -> None:
    for key, value in values.items():
        if value:
            ET.SubElement(element, "data", key=key).text = _visible(value)


def _document(root: ET.Element) -> bytes:
    ET.indent(root)
    content: bytes = ET.tostring(root, encoding="utf-8", xml_declaration=True)
    return content + b"\n"


def _visible(text: str) -> str:
    """The text without characters that XML forbids or that change the direction of writing."""
    return "".join(char if char.isprintable() or char == "\n" else f"\\u{ord(char):04x}" for char in text)
