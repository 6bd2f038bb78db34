"""The tree of GUI states: SimplyDroid's definition and its own example."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from recordings import RECORDINGS
from reducing.recordings import EXAMPLE, Recording, read_recording

from fewtaps.model.event import describe
from fewtaps.reducing.hierarchy import Hierarchy, build_hierarchy, hierarchy_of


def numbered(tree: Hierarchy, shift: int) -> list[list[int]]:
    return [[node + shift for node in level] for level in tree.levels()]


def test_the_papers_example_has_the_papers_tree() -> None:
    tree = build_hierarchy(EXAMPLE.activities)
    assert numbered(tree, 2) == [
        [2, 7, 17, 18, 21, 22],
        [*range(3, 7), *range(8, 17), 19, 20, 23],
        list(range(24, 37)),
    ]
    assert [tree.sizes[node - 2] for node in (2, 7, 17, 18, 21, 22)] == [5, 10, 1, 3, 1, 15]


@pytest.mark.skipif(not RECORDINGS.is_dir(), reason="the published recordings are not here")
def test_the_example_is_what_was_recorded() -> None:
    recorded = read_recording(RECORDINGS / "Dalvik" / "1")
    assert build_hierarchy(recorded.activities) == build_hierarchy(EXAMPLE.activities)


@pytest.mark.skipif(not RECORDINGS.is_dir(), reason="the published recordings are not here")
def test_in_every_recording_the_crash_hangs_below_the_last_node_of_each_level() -> None:
    for folder in sorted(RECORDINGS.glob("*/*")):
        tree = build_hierarchy(read_recording(folder).activities)
        levels = tree.levels()
        node: int | None = len(tree.sizes) - 1
        ancestors = []
        while node is not None:
            ancestors.append(node)
            node = tree.parents[node]
        assert [level[-1] for level in levels[: len(ancestors)]] == ancestors[::-1]


def test_a_state_on_the_path_makes_a_sibling_and_any_other_a_child() -> None:
    assert build_hierarchy("abcbda").parents == (None, 0, 1, 0, 3, None)


def test_a_state_that_was_left_for_good_is_new_again() -> None:
    assert build_hierarchy("abac").parents == (None, 0, None, 2)
    assert build_hierarchy("abacb").parents == (None, 0, None, 2, 3)


def test_nothing_is_an_empty_tree() -> None:
    tree = build_hierarchy("")
    assert (tree.parents, tree.levels(), tree.draw()) == ((), [], "")


@given(st.lists(st.sampled_from("abcde"), max_size=40))
def test_the_tree_is_the_one_that_table_1_builds(states: list[str]) -> None:
    parents: list[int | None] = []
    for node, state in enumerate(states):
        walk: int | None = node - 1 if node else None
        while walk is not None and states[walk] != state:
            walk = parents[walk]
        above = parents[walk] if walk is not None else (node - 1 if node else None)
        parents.append(above)
    assert build_hierarchy(states).parents == tuple(parents)


@given(st.lists(st.sampled_from("abcde"), max_size=40))
def test_children_and_subtrees_agree_with_parents(states: list[str]) -> None:
    tree = build_hierarchy(states)
    for node in [None, *range(len(states))]:
        assert list(tree.children(node)) == [child for child, parent in enumerate(tree.parents) if parent == node]
    for node in range(len(states)):
        below = {node}
        for child in range(node + 1, len(states)):
            if tree.parents[child] in below:
                below.add(child)
        assert set(tree.subtree(node)) == below


def test_the_drawing_shows_who_hangs_below_whom() -> None:
    assert build_hierarchy("abcbad").draw() == "\n".join(
        ["├─ 1", "│  ├─ 2", "│  │  └─ 3", "│  └─ 4", "└─ 5", "   └─ 6"]
    )
    assert build_hierarchy("ab").draw(lambda node: "xy"[node]) == "└─ x\n   └─ y"


def test_the_tree_of_a_trace_holds_its_events_after_the_launch() -> None:
    recording = Recording(("A", "B", "B", "A"))
    tree = hierarchy_of(recording.trace)
    assert tree == build_hierarchy("ABBA")
    assert tree.draw(lambda node: describe(recording.trace.events[node + 1])).splitlines() == [
        "├─ Tap (2, 0)",
        "│  ├─ Tap (3, 0)",
        "│  └─ Tap (4, 0)",
        "└─ Tap (5, 0)",
    ]
