"""The section "Why it happened": complete, small, safe, and readable without scripts."""

from __future__ import annotations

import re
import sqlite3
from contextlib import closing
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest
from projects import make_project
from slices import bill_slice, hostile_slice, long_slice

from fewtaps.model.slice import EventEdge, EventEdgeKind, Slice
from fewtaps.pipeline.reporting import write_report
from fewtaps.report.slice_view import MOST_LINES, MOST_STEP_EDGES, slice_drawing, slice_view
from fewtaps.store.database import FILE, open_store

LARGEST_BYTES = 200_000
"""Most that a slice may add to the page of its crash."""


def keep(folder: Path, made: Slice | str) -> str:
    """Keeps a slice, or a reason, of the first crash of the project; returns the name of the crash's page."""
    with open_store(folder, write=True) as store:
        row = store.runs.crashes()[0]
        for trace in store.runs.every_trace(row.fingerprint):
            if isinstance(made, str):
                store.slices.save_failure(trace.app, row.crash.signature, trace.events_digest, made)
            else:
                store.slices.save(trace.app, row.crash.signature, trace.events_digest, made)
    return f"crash-{row.fingerprint}.html"


def section(page: Path) -> str:
    """The HTML of the section; empty if the page has none."""
    text = page.read_text("utf-8")
    found = re.search(r'<section aria-labelledby="slice">.*?</section>', text, re.DOTALL)
    return found[0] if found else ""


class Words(HTMLParser):
    """The text of some HTML."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.text = ""
        self.tags: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        assert not any(name.startswith("on") or name == "style" for name, _ in attrs)

    def handle_data(self, data: str) -> None:
        self.text += data


def test_the_page_of_a_crash_says_why_it_happened(tmp_path: Path) -> None:
    folder = make_project(tmp_path)
    name = keep(folder, bill_slice())
    words = Words(section(write_report(folder).parent / name)).text
    parts = (
        *("the divisor at Bill.java:19", "people = people - 1", "writes `people` = 0", "Where the value came from"),
        *("What did not happen", "was not taken in step 2", "1 more line of libraries", "android.view.View.getTag"),
    )
    for part in parts:
        assert part in words, part


def test_without_a_slice_the_page_has_no_such_section(tmp_path: Path) -> None:
    report = write_report(make_project(tmp_path)).parent
    for page in report.glob("crash-*.html"):
        assert not section(page) and "slice.js" not in page.read_text("utf-8")


def test_the_reason_why_there_is_no_slice_is_said(tmp_path: Path) -> None:
    folder = make_project(tmp_path)
    name = keep(folder, "this device cannot <record>")
    assert "this device cannot <record>" in Words(section(write_report(folder).parent / name)).text


def test_a_damaged_slice_does_not_stop_the_report(tmp_path: Path) -> None:
    folder = make_project(tmp_path)
    name = keep(folder, bill_slice())
    with closing(sqlite3.connect(folder / FILE)) as connection:
        connection.execute("UPDATE slice SET content = '{'")
        connection.commit()
    assert "damaged" in section(write_report(folder).parent / name)


def test_hostile_texts_stay_texts(tmp_path: Path) -> None:
    folder = make_project(tmp_path)
    name = keep(folder, hostile_slice())
    html = section(write_report(folder).parent / name)
    words = Words(html)
    assert "img" not in words.tags and "script" not in words.tags
    assert "onerror=alert(1)" in words.text


def bloated() -> Slice:
    """As many lines as fit on a page and more, each text as long as it is shown, of characters that need escapes."""
    made = long_slice(600)
    text = "\x00\"<&>'" * 200
    lines = [
        replace(line, expression=text, value=text, reason=text, steps=tuple(range(50)),
                place=replace(line.place, class_name=text, method=text, file=text))
        for line in made.lines
    ]  # fmt: skip
    edges = tuple(
        EventEdge(step, each, EventEdgeKind.DATA, text) for step in range(100) for each in range(min(step, 10))
    )
    return replace(
        made, lines=tuple(lines), criterion=text, step_texts=(text,) * 500, steps=tuple(range(500)), event_edges=edges
    )


@pytest.mark.slow
@pytest.mark.parametrize("made", [long_slice(3000), bloated()], ids=["long", "bloated"])
def test_a_slice_adds_at_most_200_kb_to_a_page(tmp_path: Path, made: Slice) -> None:
    folder = make_project(tmp_path)
    name = keep(folder, made)
    html = section(write_report(folder).parent / name)
    assert 10_000 < len(html.encode()) <= LARGEST_BYTES


def test_lines_beyond_the_limit_are_folded_by_method_and_none_is_lost() -> None:
    view = slice_view(long_slice(500))
    assert len(view.lines) == MOST_LINES
    assert len(view.lines) + sum(each.lines for each in view.folded) == 500


def test_every_step_number_of_a_line_leads_to_a_step() -> None:
    view = slice_view(bill_slice())
    assert {step for line in view.lines for step in line.steps} <= {step.number for step in view.steps}


def test_each_step_says_on_which_others_it_depends_and_how(tmp_path: Path) -> None:
    step = slice_view(bill_slice()).steps[2]
    assert [(edge.target, edge.kind, edge.names) for edge in step.edges] == [
        (0, "control", ("setOnClickListener",)),
        (1, "lifecycle", ("onPause before onCreate",)),
    ]
    folder = make_project(tmp_path)
    name = keep(folder, bill_slice())
    html = section(write_report(folder).parent / name)
    words = " ".join(Words(html).text.split())
    for said in ("data step 2 by people", "control step 0 by setOnClickListener", "lifecycle step 1 by onPause before"):
        assert said in words
    assert 'href="#slice-step-2"' in html


def test_dependences_between_steps_beyond_the_limit_are_counted() -> None:
    made = replace(
        bill_slice(),
        step_texts=("tap",) * 30,
        event_edges=tuple(
            EventEdge(source, target, EventEdgeKind.DATA, f"field{name}")
            for source in range(30)
            for target in range(source)
            for name in range(5)
        ),
    )
    steps = slice_view(made).steps
    assert all(len(step.edges) + step.edges_left_out == step.number for step in steps)
    assert sum(len(step.edges) for step in steps) == MOST_STEP_EDGES
    assert steps[1].edges[0].names_left_out == 2


def test_boxes_of_the_graph_do_not_overlap_and_lie_inside() -> None:
    graph = slice_drawing(long_slice(60))
    assert graph is not None
    places = [(node.x, node.y) for node in graph.nodes]
    assert len(set(places)) == len(places)
    assert all(0 <= x <= graph.width - 210 and 0 <= y <= graph.height - 46 for x, y in places)


def test_a_slice_of_one_line_has_no_graph() -> None:
    made = bill_slice()
    assert slice_drawing(replace(made, lines=made.lines[:1], edges=())) is None
