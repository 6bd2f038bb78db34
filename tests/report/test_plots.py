from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fewtaps.report.drawing import reduction_plot
from fewtaps.report.plots import HEIGHT, WIDTH, nice_top, plot, thinned, time_label
from fewtaps.report.views import ReductionView


def drawn(*points: tuple[float, float]) -> str:
    return plot(points, far=10, high=10, x_labels=(), y_labels=()).line


def test_a_curve_stays_until_it_changes_and_ends_at_the_right_edge() -> None:
    assert drawn((0, 0), (5, 10)) == "M0.0 300.0H500.0V0.0H1000"


def test_a_dot_stands_on_the_curve() -> None:
    found = plot([(0, 0), (5, 10)], far=10, high=10, x_labels=(), y_labels=(), dots=[(7, "crash", "a.html")])
    assert [(dot.x, dot.y) for dot in found.dots] == [(700.0, 0.0)]
    assert found.dots[0].x <= WIDTH and found.dots[0].y <= HEIGHT


@pytest.mark.parametrize(
    ("seconds", "said"), [(0, "0 s"), (0.44, "0.4 s"), (45, "45 s"), (200, "3:20 min"), (7500, "2:05 h")]
)
def test_times_are_said_as_people_do(seconds: float, said: str) -> None:
    assert time_label(seconds) == said


@given(st.floats(0, 1e9))
def test_the_top_of_an_axis_is_not_below_the_curve(value: float) -> None:
    assert value <= nice_top(value) <= max(4, 2 * value)


@given(st.lists(st.tuples(st.floats(0, 100), st.integers(0, 5).map(float)), min_size=1))
def test_thinning_keeps_the_first_and_the_last_point(points: list[tuple[float, float]]) -> None:
    kept = thinned(points, most=10)
    assert kept[0] == points[0] and kept[-1] == points[-1]
    assert len(kept) <= 11


@pytest.mark.parametrize("value", [*range(1, 200), 999, 1000, 1001, 12345])
def test_an_axis_ends_at_a_number_whose_quarters_are_whole(value: int) -> None:
    top = nice_top(value)
    assert value <= top <= max(4, value * 2) and (top / 4).is_integer()


def test_a_reduction_is_drawn_from_what_was_found_on() -> None:
    whole = ReductionView(24, 3, 30, 90, "auto", True, True, ((20, 6), (25, 3)), ())
    drawing = reduction_plot(whole)
    assert drawing is not None and drawing.y_labels[0] == "24" and drawing.x_labels[-1] == "32"
    assert drawing.line.startswith("M0.0 0.0H625.0V225.0")
    assert reduction_plot(replace(whole, before=3, history=((1, 3),))) is None


def test_many_points_are_thinned_to_about_the_number_asked_for() -> None:
    kept = thinned([(float(number), float(number)) for number in range(10_000)], most=100)
    assert len(kept) == 101
    assert (kept[0], kept[-1]) == ((0.0, 0.0), (9999.0, 9999.0))
    assert kept == sorted(kept)


def test_points_that_repeat_the_height_are_left_out() -> None:
    assert thinned([(0, 1), (1, 1), (2, 3), (3, 3), (4, 3)]) == [(0, 1), (2, 3), (4, 3)]
