from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from fewtaps.report.layout import HEIGHT, WIDTH, place_states

graphs = st.integers(0, 40).flatmap(
    lambda count: st.tuples(
        st.just(count),
        st.dictionaries(st.integers(0, max(0, count - 1)), st.lists(st.integers(0, max(0, count - 1)))),
    )
)


def test_a_state_stands_right_of_the_one_it_is_first_reached_from() -> None:
    layout = place_states(4, {0: [1, 2], 1: [3], 3: [0]})
    assert layout.parents == {0: None, 1: 0, 2: 0, 3: 1}
    assert layout.places[0][0] < layout.places[1][0] < layout.places[3][0]


def test_what_matters_comes_first() -> None:
    ways = {0: [1, 2, 3], 1: [4, 5], 2: [6]}
    assert place_states(7, ways).places[1][1] < place_states(7, ways).places[2][1]
    layout = place_states(7, ways, important={3})
    assert layout.places[3][1] < layout.places[1][1]


def test_five_hundred_states_make_a_sheet_and_not_a_ribbon() -> None:
    ways = {
        0: list(range(1, 21)),
        **{number: range(20 + 24 * (number - 1), 20 + 24 * number) for number in range(1, 21)},
    }
    layout = place_states(500, ways)
    assert layout.height < 6 * layout.width


def test_a_chain_of_thousands_needs_no_deep_recursion() -> None:
    assert len(place_states(2000, {number: [number + 1] for number in range(1999)}).places) == 2000


@given(graphs)
def test_no_two_states_overlap_and_all_are_inside(graph: tuple[int, dict[int, list[int]]]) -> None:
    count, ways = graph
    layout = place_states(count, ways)
    assert set(layout.places) == set(range(count))
    places = list(layout.places.values())
    for number, (x, y) in enumerate(places):
        assert x >= 0 and x + WIDTH <= layout.width and y >= 0 and y + HEIGHT <= layout.height
        for other_x, other_y in places[:number]:
            assert abs(x - other_x) >= WIDTH or abs(y - other_y) >= HEIGHT
