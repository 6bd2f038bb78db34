"""The charts of the benchmarks are readable."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

with pytest.MonkeyPatch.context() as path:
    path.syspath_prepend(str(Path(__file__).resolve().parent.parent.parent / "benchmarks"))
    charts: Any = import_module("charts")

Line, SVG = charts.Line, charts.SVG


def chart(*lines: Any) -> ET.Element:
    return ET.fromstring(charts.line_chart(lines, title="t", x_label="events", y_label="lines"))


def test_every_series_is_drawn_and_named() -> None:
    root = chart(Line("one", ((0, 0), (10, 5))), Line("two", ((0, 0), (10, 6))))
    assert len(root.findall(f"{{{SVG}}}polyline")) == 2
    assert {"one", "two"} <= {text.text for text in root.iter(f"{{{SVG}}}text")}


def test_names_do_not_cover_each_other() -> None:
    root = chart(*(Line(name, ((0, 0), (10, 5))) for name in "abc"))
    heights = sorted(float(text.get("y", "")) for text in root.iter(f"{{{SVG}}}text") if text.text in set("abc"))
    assert all(lower - upper >= 13.9 for upper, lower in zip(heights, heights[1:], strict=False))


@pytest.mark.parametrize("lines", [(), (Line("empty", ()),), (Line("flat", ((0, 0),)),)])
def test_nothing_to_show_is_a_chart_too(lines: tuple[Any, ...]) -> None:
    chart(*lines)


@given(st.floats(1e-3, 1e9))
def test_ticks_are_few_and_reach_near_the_top(top: float) -> None:
    found = charts.ticks(top)
    assert 3 <= len(found) <= 9
    assert found[0] == 0 and top * 0.6 <= found[-1] <= top * 1.0001
