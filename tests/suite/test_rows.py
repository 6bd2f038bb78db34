"""Which rows may have moved, and which may be beyond the end of a list, by the rows that a build added."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest
from builders import row_of, screen, widget

from fewtaps.model.event import Selector
from fewtaps.model.screen import Located, Screen, WidgetFlags
from fewtaps.suite.rows import AddedRows

ROW, TITLE = "Row", "Title"
ADDED_ROW = Counter({f"{ROW}#": 1})


def listed(*titles: str, scrolls: bool = True, room: int = 0, inside: bool = False) -> Screen:
    """A list with a row for each title, without one where that is empty; `inside` puts the rows into one child.

    `room` is its free height.
    """
    parts = ((widget(text, class_name=TITLE, flags=WidgetFlags.ENABLED),) if text else () for text in titles)
    rows = row_of(*(widget(class_name=ROW, children=children) for children in parts))
    end = rows.bounds._replace(bottom=rows.bounds.bottom + room)
    flags = WidgetFlags.ENABLED | (WidgetFlags.SCROLLABLE if scrolls else WidgetFlags(0))
    container = replace(rows, class_name="List", bounds=end, flags=flags)
    shown = screen(container)
    # `screen` places widgets of 50 pixels.
    root = replace(shown.windows[0].root, children=(replace(container, children=(rows,)) if inside else container,))
    return replace(shown, windows=(replace(shown.windows[0], root=root),))


def title(row: int, class_name: str = TITLE, *, inside: bool = False) -> Selector:
    return Selector(class_name=class_name, path=(0, 0, 0, row, 0) if inside else (0, 0, row, 0))


def found(seen: Screen, added: Counter[str], *rows: Selector) -> list[int | None] | None:
    """The rows in which the title `x` is found for these."""
    alike = [each for each in seen.iter_located() if each.widget.text == "x"]
    places = AddedRows(seen, added).counterparts(rows, alike)
    return None if places is None else [None if each is None else _row(each) for each in places]


def _row(located: Located) -> int:
    return located.path[-2]


@pytest.mark.parametrize(
    ("titles", "added", "rows", "expected"),
    [
        ("abx", 1, [2], [2]),
        ("abnx", 1, [2], [3]),
        ("abnmx", 2, [2], [4]),
        ("abnmx", 1, [2], None),
        ("abnx", 0, [2], None),
        ("axb", 1, [2], None),
        ("anxx", 1, [1, 2], [2, 3]),
        ("anxx", 1, [2, 1], [3, 2]),
        ("xanx", 1, [2], [3]),
        ("axxx", 1, [1], None),
    ],
)
def test_equal_rows_move_at_most_as_far_as_rows_were_added(
    titles: str, added: int, rows: list[int], expected: list[int] | None
) -> None:
    seen = listed(*titles, scrolls=False)
    assert found(seen, Counter({f"{ROW}#": added}), *map(title, rows)) == expected


@pytest.mark.parametrize("inside", [False, True])
def test_a_row_that_was_pushed_out_of_a_full_list_is_beyond_its_end(inside: bool) -> None:
    row = title(2, inside=inside)
    assert found(listed("a", "b", "n", inside=inside), ADDED_ROW, row) == [None]
    assert found(listed("a", "n", "x", inside=inside), ADDED_ROW, title(1, inside=inside), row) == [2, None]


def test_no_row_is_beyond_the_end_of_a_list_that_is_not_full() -> None:
    assert found(listed("a", "b", "n", scrolls=False), ADDED_ROW, title(2)) is None
    assert found(listed("a", "b", "n", room=50), ADDED_ROW, title(2)) is None


def test_no_row_is_beyond_the_end_if_none_was_added_to_its_list() -> None:
    assert found(listed("a", "b"), Counter({"Other#": 1}), title(2)) is None
    assert found(listed("a", "b", "c"), Counter({"Other#": 1}), title(2)) is None


def test_a_row_that_the_added_ones_do_not_push_so_far_is_missing() -> None:
    assert found(listed("a", "b", "n"), ADDED_ROW, title(1)) is None
    assert found(listed("a", "b", "n"), ADDED_ROW, title(0)) is None
    assert found(listed("a", "n", "", ""), ADDED_ROW, title(1)) is None


def test_a_part_that_no_other_row_has_is_missing() -> None:
    assert found(listed("a", "b", "n"), ADDED_ROW, title(2, "Total")) is None


def test_a_list_hides_as_many_rows_as_were_added() -> None:
    full = AddedRows(listed("a", "b", "n"), ADDED_ROW)
    assert full.hides(Counter({f"{ROW}#": 1}))
    assert not full.hides(Counter({f"{ROW}#": 2}))
    assert not full.hides(Counter({"Other#": 1}))
    assert not full.hides(Counter())
    assert not AddedRows(listed("a", "b"), ADDED_ROW + Counter({"Other#": 1})).hides(Counter({"Other#": 1}))
    assert not AddedRows(listed("a", "b", "n", scrolls=False), ADDED_ROW).hides(Counter({f"{ROW}#": 1}))
    assert not AddedRows(listed("a", "b", "n", room=50), ADDED_ROW).hides(Counter({f"{ROW}#": 1}))
