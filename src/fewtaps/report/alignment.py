"""Matches the events of a reduced trace with those of the original, as rows of the tree of its screens."""

from __future__ import annotations

from collections.abc import Sequence

from fewtaps.model.event import Event, Selector
from fewtaps.model.trace import Trace
from fewtaps.reducing.hierarchy import hierarchy_of
from fewtaps.report.filmstrip import words_of
from fewtaps.report.views import TreeRow

_SAME, _SAME_TARGET, _SAME_KIND = 4, 3, 2
"""Likeness. The selectors of a reduced trace name the widgets as its own screens show them."""


def tree_rows(original: Trace, reduced: Trace) -> tuple[TreeRow, ...]:
    """Every event of the original after its launch, with its depth in the tree and the reduced step it became."""
    events, kept = original.events[1:], reduced.events[1:]
    matches = align(events, kept)
    depths: list[int] = []
    rows = []
    for node, parent in enumerate(hierarchy_of(original).parents):
        depths.append(0 if parent is None else depths[parent] + 1)
        match = matches.get(node)
        words = words_of(events[node], original.steps[node].after)
        became = "" if match is None else words_of(kept[match], reduced.steps[match].after)
        rows.append(
            TreeRow(
                number=node + 1,
                depth=depths[node],
                words=words,
                activity=(original.steps[node].after.activity or "").rpartition(".")[2],
                kept_as=None if match is None else match + 1,
                became="" if became == words else became,
            )
        )
    return tuple(rows)


def align(original: Sequence[Event], reduced: Sequence[Event]) -> dict[int, int]:
    """Maps indices of the original to indices of the reduced trace: the alignment with the highest total likeness.

    Events keep their order. A reduction may replace an event by a simpler one, so events that are only alike can match.
    """
    # best[i][j] is the score of the first i events against the first j.
    best = [[0] * (len(reduced) + 1) for _ in range(len(original) + 1)]
    for i, event in enumerate(original, 1):
        for j, other in enumerate(reduced, 1):
            likeness = _likeness(event, other)
            both = best[i - 1][j - 1] + likeness if likeness else 0
            best[i][j] = max(best[i - 1][j], best[i][j - 1], both)
    matches: dict[int, int] = {}
    i, j = len(original), len(reduced)
    while i and j:
        likeness = _likeness(original[i - 1], reduced[j - 1])
        # From the end: of several equally good matches the last is chosen, because later events matter more often.
        if likeness and best[i][j] == best[i - 1][j - 1] + likeness:
            i, j = i - 1, j - 1
            matches[i] = j
        elif best[i][j] == best[i - 1][j]:
            i -= 1
        else:
            j -= 1
    return matches


def _likeness(event: Event, other: Event) -> int:
    if event == other:
        return _SAME
    mine, its = getattr(event, "selector", None), getattr(other, "selector", None)
    if mine is None or its is None:
        return _SAME_KIND if event.kind == other.kind and mine is its else 0
    if mine == its:
        return _SAME_TARGET
    return _SAME_KIND if event.kind == other.kind and _may_be_same(mine, its) else 0


def _may_be_same(one: Selector, other: Selector) -> bool:
    """Whether two selectors may name one widget that moved or shows another text."""
    if one.class_name != other.class_name or one.resource_id != other.resource_id:
        return False
    return bool(one.resource_id) or one.path == other.path or one.text == other.text
