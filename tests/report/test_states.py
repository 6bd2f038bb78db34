from __future__ import annotations

import xml.etree.ElementTree as ET

from hypothesis import given
from hypothesis import strategies as st

from fewtaps.model.state import StateId
from fewtaps.report.states import GRAPHML, SVG, DrawnGraph, StateEdge, StateNode, graphml, svg


def graph(*ways: str, text: str = "") -> DrawnGraph:
    """A graph from edges like "ab"."""
    names = list(dict.fromkeys("".join(ways)))
    return DrawnGraph(
        tuple(StateNode(StateId(name), "app.Main", 1, title=text) for name in names),
        tuple(StateEdge(StateId(way[0]), StateId(way[1]), 2, text) for way in ways),
    )


def places(picture: bytes) -> list[tuple[int, int]]:
    found = ET.fromstring(picture).findall(f"{{{SVG}}}g[@transform]")
    numbers = [each.get("transform", "").removeprefix("translate(").removesuffix(")").split() for each in found]
    return [(int(x), int(y)) for x, y in numbers]


def test_graphml_holds_every_state_and_transition() -> None:
    root = ET.fromstring(graphml(graph("ab", "bc", "ca", "aa")))
    assert len(root.findall(f".//{{{GRAPHML}}}node")) == 3
    edges = root.findall(f".//{{{GRAPHML}}}edge")
    assert {(edge.get("source"), edge.get("target")) for edge in edges} == {
        ("a", "b"),
        ("b", "c"),
        ("c", "a"),
        ("a", "a"),
    }


def test_states_stand_further_right_the_more_events_they_need() -> None:
    a, b, c, d = places(svg(graph("ab", "bc", "ad", "ca")))
    assert a[0] < b[0] < c[0]
    assert b[0] == d[0] and b[1] != d[1]


def test_no_two_states_share_a_place() -> None:
    found = places(svg(graph(*(f"a{name}" for name in "bcdefgh"), "xy")))
    assert len(set(found)) == len(found) == 10


@given(st.text())
def test_whatever_an_app_says_both_can_be_parsed(text: str) -> None:
    for content in (svg(graph("ab", text=text)), graphml(graph("ab", text=text))):
        ET.fromstring(content)


def test_an_empty_graph_is_drawn_too() -> None:
    ET.fromstring(svg(DrawnGraph((), ())))


def test_one_visit_and_one_crash_are_told_in_the_singular() -> None:
    nodes = (
        StateNode(StateId("a"), "A", 1, crashes=("Tap",)),
        StateNode(StateId("b"), "B", 2, crashes=("Tap", "Back")),
    )
    words = [each.text for each in ET.fromstring(svg(DrawnGraph(nodes, ()))).iter(f"{{{SVG}}}text")]
    assert "1 visit, 1 crash" in words and "2 visits, 2 crashes" in words
