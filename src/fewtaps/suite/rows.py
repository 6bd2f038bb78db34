"""Rows of a list in a build that has more of them: equal rows in new places, and rows that no longer fit on the screen.

A list that has so many additional rows shows each expected row at most so many places further. Rows that are pushed
beyond the end of a list that can be scrolled are not on the screen.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from fewtaps.model.event import Selector
from fewtaps.model.screen import Located, Screen, Widget, WidgetFlags
from fewtaps.model.shape import names_of

Path = tuple[int, ...]


class AddedRows:
    """How far the rows of a screen may have moved: by the widgets that the build has beyond the expected."""

    def __init__(self, screen: Screen, additions: Counter[str]) -> None:
        self._screen = screen
        self._additions = additions

    def counterparts(self, expected: Sequence[Selector], alike: Sequence[Located]) -> list[Located | None] | None:
        """The widgets that stand for equal expected rows, in order; None for a row beyond the end of the list.

        None if one of them is neither in its place, nor as many places further as there may be additional rows, nor
        beyond the end; or if it cannot be said which is which.
        """
        wanted = sorted(expected, key=lambda each: each.path)
        if len(alike) > len(wanted):
            alike = [each for each in alike if any(self._may_be_at(row.path, each.path) for row in wanted)]
        shown = sorted(alike, key=lambda each: each.path)
        cut = wanted[len(shown) :]
        if len(shown) > len(wanted) or not all(map(self._is_beyond_end, cut)):
            return None
        pairs = list(zip(wanted, shown, strict=False))
        if not all(self._may_be_at(row.path, each.path) for row, each in pairs):
            return None
        found: dict[Path, Located] = {row.path: each for row, each in pairs}
        return [found.get(row.path) for row in expected]

    def hides(self, names: Counter[str]) -> bool:
        """Whether all widgets of these names are in several rows of a full list, and no more than were added."""
        rows: Counter[str] = Counter()
        for widget in self._screen.iter_widgets():
            if _is_full(widget):
                rows |= Counter(name for row in _list_in(widget).children for name in set(names_of(row)))
        return bool(names) and all(rows[name] > 1 and count <= self._additions[name] for name, count in names.items())

    def _is_beyond_end(self, row: Selector) -> bool:
        """Whether the additional rows may have pushed a row out of a full list, in which there are others like it."""
        for depth in range(len(row.path) - 1, 0, -1):
            container = self._screen.widget(row.path[:depth])
            if container is None or not _is_full(container):
                continue
            if len(container.children) == 1:
                container, depth = container.children[0], depth + 1
            if depth == len(row.path):
                return False
            moved = row.path[depth] + self._more_in(container)
            places = [(*row.path[:depth], number, *row.path[depth + 1 :]) for number in range(len(container.children))]
            is_last_or_beyond = moved > row.path[depth] and moved >= len(places) - 1
            return (
                is_last_or_beyond
                and not any(self._is_like(row, place) for place in places[moved:])
                and any(self._is_like(row, place) for place in places)
            )
        return False

    def _is_like(self, row: Selector, place: Path) -> bool:
        """Whether the widget at a place is the same part of another row."""
        widget = self._screen.widget(place)
        return widget is not None and (widget.class_name, widget.resource_id or None) == (
            row.class_name,
            row.resource_id or None,
        )

    def _may_be_at(self, old: Path, new: Path) -> bool:
        """Whether a widget may have moved here: by as many places in one container as that may have additional rows."""
        if len(old) != len(new):
            return False
        differing = [depth for depth, (mine, theirs) in enumerate(zip(old, new, strict=True)) if mine != theirs]
        if not differing:
            return True
        depth = differing[0]
        container = self._screen.widget(old[:depth])
        if len(differing) > 1 or container is None:
            return False
        return 0 < new[depth] - old[depth] <= self._more_in(container)

    def _more_in(self, container: Widget) -> int:
        """How many rows the container may have beyond the expected."""
        names = {name for row in container.children for name in names_of(row)}
        return max((self._additions[name] for name in names), default=0)


def _is_full(container: Widget) -> bool:
    """Whether a container can be scrolled and what it shows reaches its end."""
    rows = _list_in(container).children
    if not container.flags & WidgetFlags.SCROLLABLE or len(rows) < 2:
        return False
    space = max(0, rows[-1].bounds.top - rows[-2].bounds.bottom)
    return rows[-1].bounds.bottom + space >= container.bounds.bottom


def _list_in(container: Widget) -> Widget:
    """The widget that holds the rows: the container, or its only child as in a scroll view."""
    return container.children[0] if len(container.children) == 1 else container
