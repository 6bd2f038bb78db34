"""What is expected of trying an action, given what came of it before: in this place, in similar ones, and elsewhere."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from fewtaps.explore.frontier_parameters import PLACE_DEFAULTS, SCORE_DEFAULTS, PlaceParameters, ScoreParameters
from fewtaps.explore.ids import ActionGroup, ActionName, PlaceId, ShapeId
from fewtaps.explore.tables import Table, drop_oldest


class Score(NamedTuple):
    """What came of the tries of an action, or of all actions of a group."""

    tries: int = 0
    gain: float = 0.0
    """1 for each try that ran new code, less for each that reached a new place."""
    idle: int = 0
    """Tries after which nothing was seen to change."""
    exits: int = 0
    """Tries that left the app."""
    crashes: int = 0
    same: int = 0
    """Tries with the same result as the try before."""
    shapes: int = 0
    """Shapes of places in which it was tried."""


class Target(NamedTuple):
    """A place that tries of an action led to, and how many of them did."""

    place: PlaceId
    times: int = 1


class Try(NamedTuple):
    """The tries of an action in one place: how many, to which places they led, last first, how many crashed."""

    times: int = 0
    targets: tuple[Target, ...] = ()
    crashes: int = 0


class OfferedAction(NamedTuple):
    """What is kept of an action that a place offers."""

    name: ActionName
    group: ActionGroup
    chance: float
    is_button: bool = False


UNTRIED = Score()
NEVER = Try()


class ActionScores:
    """What came of actions: by name, by group, and by name in each shape of places. Forks learn apart."""

    def __init__(self, numbers: ScoreParameters = SCORE_DEFAULTS, caps: PlaceParameters = PLACE_DEFAULTS) -> None:
        self._numbers = numbers
        self._caps = caps
        self.by_name: dict[ActionName, Score] = {}
        self.by_group: dict[ActionGroup, Score] = {}
        self.in_shape: Table[ShapeId, ActionName, tuple[int, float]] = Table()
        """How often an action was tried in places of a shape, and its gain there."""
        self._last_result: dict[ActionName, str | None] = {}

    def fork(self) -> ActionScores:
        """Scores that are the same now and learn on their own."""
        fork = ActionScores(self._numbers, self._caps)
        fork.by_name = self.by_name.copy()
        fork.by_group = self.by_group.copy()
        fork.in_shape = self.in_shape.fork()
        fork._last_result = self._last_result.copy()
        return fork

    def count(self, name: ActionName, group: ActionGroup, shape: ShapeId, change: Score, result: str | None) -> None:
        """Adds one try, all of whose counts but `same` and `shapes` are known, with its result."""
        in_shape = self.in_shape.to_change(shape)
        tries, so_far = in_shape.get(name, (0, 0.0))
        in_shape[name] = (tries + 1, so_far + change.gain)
        drop_oldest(in_shape, self._caps.max_names_of_shape)
        is_same = self._last_result.get(name) == result
        change = change._replace(same=int(is_same), shapes=int(tries == 0))
        # Taken out and put in again, so that the names not tried for longest come first, and are dropped first.
        self.by_name[name] = sum_of(self.by_name.pop(name, UNTRIED), change)
        self.by_group[group] = sum_of(self.by_group.pop(group, UNTRIED), change)
        for oldest in drop_oldest(self.by_name, self._caps.max_names):
            self._last_result.pop(oldest, None)
        drop_oldest(self.by_group, self._caps.max_names)
        self._last_result[name] = result

    def scores(
        self,
        offered: Iterable[OfferedAction],
        tried: Mapping[ActionName, Try],
        shape: ShapeId,
        *,
        is_new_code: bool,
    ) -> list[float]:
        """The score of each of the actions; `tried` is what was tried in the place."""
        return scores_of(
            offered,
            tried,
            self.in_shape[shape],
            self.by_name,
            self.by_group,
            is_new_code=is_new_code,
            numbers=self._numbers,
        )

    def form_left(self, shape: ShapeId, entries: Sequence[ActionName]) -> float:
        """How much of a form with these actions is unknown, between 0 and 1; it falls with each try."""
        in_shape, numbers = self.in_shape[shape], self._numbers
        anywhere = sum(self.by_name.get(name, UNTRIED).tries for name in entries)
        tries = sum(in_shape.get(name, (0, 0.0))[0] for name in entries) + numbers.form_elsewhere * anywhere
        return 1.0 / math.sqrt(1.0 + tries / (numbers.form_tries * len(entries)))

    def open_end(self, name: ActionName) -> float:
        """How likely an action does something else the next time; it falls if it did nothing, or always the same."""
        tries, _, idle, _, _, same, _ = self.by_name.get(name, UNTRIED)
        return 1.0 - self._numbers.same_result * (idle if idle > same else same) / (tries + 1.0)


def scores_of(
    offered: Iterable[OfferedAction],
    tried: Mapping[ActionName, Try],
    in_shape: Mapping[ActionName, tuple[int, float]],
    by_name: Mapping[ActionName, Score],
    by_group: Mapping[ActionGroup, Score],
    *,
    is_new_code: bool = False,
    numbers: ScoreParameters = SCORE_DEFAULTS,
) -> list[float]:
    """The score of each of the actions, between 0 and 1.

    `tried` and `in_shape` hold what came of actions in this place and in all places of its shape, `by_name` and
    `by_group` what came of them anywhere; `is_new_code` says that new code ran when the place was first reached. All
    actions in one call, because this runs for several places after every event.
    """
    found: list[float] = []
    at_least = numbers.least_new_code if is_new_code else numbers.least_alike
    gain_prior, same_result = numbers.gain_prior, numbers.same_result
    for name, group_name, _, is_button in offered:
        score = by_name.get(name)
        if score is None:
            # Never tried: scored like others of its group; the first one of a group has the highest score.
            group = by_group.get(group_name)
            if group is None:
                found.append(1.0)
                continue
            prior = numbers.group_prior
            found.append(min(1.0, max(numbers.group_least, (group.gain + prior) / (group.tries + prior))))
            continue
        here = tried.get(name)
        total, gain, idle, exits, crashes, same, shapes = score
        if here is not None:
            value = numbers.here * ((gain + gain_prior) / (total + 1.0)) / (1.0 + here[0])
            if value < numbers.least:
                value = numbers.least
        else:
            # As in `open_end`, without a call: this line runs a dozen times for every event.
            value = 1.0 - same_result * (idle if idle > same else same) / (total + 1.0)
            alike = in_shape.get(name)
            if alike is not None:
                # Tried in places of this shape: here it may meet other data.
                factor = numbers.alike * (alike[1] + gain_prior) / (numbers.alike_tries * alike[0] + 1.0)
                if is_button:
                    factor = max(factor, numbers.button / math.sqrt(1.0 + alike[0]))
                value *= factor if factor > at_least else at_least
            else:
                # Tried in other shapes: their number counts, not the number of tries.
                mean_gain = (gain + gain_prior) / (total + 1.0)
                value *= (
                    numbers.elsewhere / (1.0 + numbers.elsewhere_shapes * shapes) + numbers.elsewhere_gain * mean_gain
                )
        if crashes:
            has_crashed_here = here is not None and here.crashes
            whole = 1.0 - crashes / (total + numbers.crash_prior)
            value *= numbers.crashed_here if has_crashed_here else whole**numbers.crash_power
        if exits:
            value *= 1.0 - numbers.exits * exits / (total + 1.0)
        found.append(value)
    return found


def sum_of(score: Score, change: Score) -> Score:
    """The sum of two scores, field by field."""
    return Score(
        score.tries + change.tries,
        score.gain + change.gain,
        score.idle + change.idle,
        score.exits + change.exits,
        score.crashes + change.crashes,
        score.same + change.same,
        score.shapes + change.shapes,
    )
