"""Lines between states of the map."""

from __future__ import annotations

import re

from fewtaps.report.drawing import curve, elbow
from fewtaps.report.layout import HEIGHT, WIDTH


def points(path: str) -> list[tuple[float, float]]:
    return [(float(x), float(y)) for x, y in re.findall(r"(-?\d+) (-?\d+)", path)]


def test_a_line_to_a_child_at_the_same_height_is_straight() -> None:
    assert elbow(10, 20, 100, 20) == "M10 20H100"


def test_lines_to_all_lower_children_share_one_vertical_line() -> None:
    near, far = elbow(10, 20, 110, 100), elbow(10, 20, 110, 300)
    assert {x for x, _ in points(near)[1:3]} == {x for x, _ in points(far)[1:3]} == {60}
    assert near.startswith("M10 20") and near.endswith("H110") and far.endswith("H110")


def test_a_forward_curve_goes_from_side_to_side() -> None:
    path = points(curve((0, 0), (400, 100)))
    assert path[0] == (WIDTH, HEIGHT / 2)
    assert path[-1] == (400, 100 + HEIGHT / 2)


def test_a_backward_curve_goes_below_both_states() -> None:
    path = points(curve((400, 0), (0, 100)))
    assert path[0] == (400 + WIDTH / 2, HEIGHT)
    assert path[-1] == (WIDTH / 2, 100 + HEIGHT)
    assert all(y > 100 + HEIGHT for _, y in path[1:-1])
