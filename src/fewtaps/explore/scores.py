"""What trying an action promises, given what came of it before: here, in like places, and elsewhere."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import NamedTuple

LEAST = 0.02
"""The app may count in secret: nothing is ever worth nothing, and where all was tried chance decides, as for a user."""
NEWS_AT_LEAST = 0.3
"""Where new code ran on arrival, all that did nothing in like places may do something."""
BUTTON = 0.4
"""A button acts on what its page holds, which is not the same in any two places: it takes more tries to know it."""
KEY_AT_LEAST = 0.25
"""What others of a key did says little of the next one, if it stands elsewhere."""


class Score(NamedTuple):
    """What came of the tries of an action: how often it reached new code or a new state, left the app, crashed it."""

    tries: int = 0
    news: float = 0.0
    idle: int = 0
    """How often nothing was seen to change."""
    exits: int = 0
    crashes: int = 0
    same: int = 0
    """How often it led to the same place as the time before."""
    shapes: int = 0
    """In how many shapes of places it was tried."""


class Target(NamedTuple):
    """A place that tries of an action led to, perhaps the same, and how many did."""

    place: str
    times: int = 1


class Try(NamedTuple):
    """The tries of an action in one place: how many, to which places they led, last first, how many crashed."""

    times: int = 0
    targets: tuple[Target, ...] = ()
    crashes: int = 0


class Offer(NamedTuple):
    """An action that a place offers; `acts` says that it is a button, which acts on what its page holds."""

    name: str
    key: str
    chance: float
    acts: bool = False


_ALIKE_AT_LEAST = 4 * LEAST
UNTRIED = Score()
NEVER = Try()


def scores_of(
    offers: Iterable[Offer],
    tried: Mapping[str, Try],
    shaped: Mapping[str, tuple[int, float]],
    names: Mapping[str, Score],
    keys: Mapping[str, Score],
    *,
    is_news: bool = False,
) -> list[float]:
    """What trying each of the actions promises, between 0 and 1.

    `tried` and `shaped` hold what came of actions in this place and in all of its shape, `names` and `keys` what came
    of them anywhere; `is_news` says that new code ran when the place was first come to. All at once, because this is
    asked for every place after every event.
    """
    found: list[float] = []
    at_least = NEWS_AT_LEAST if is_news else _ALIKE_AT_LEAST
    for name, key_name, _, acts in offers:
        score = names.get(name)
        if score is None:
            # Never tried anywhere: as good as others of its key turned out; a new key is as good as can be.
            key = keys.get(key_name)
            found.append(1.0 if key is None else min(1.0, max(KEY_AT_LEAST, (key.news + 2.0) / (key.tries + 2.0))))
            continue
        here = tried.get(name)
        total, news, idle, exits, crashes, same, shapes = score
        if here is not None:
            # Tried here: a known crash is not worth repeating.
            promise = 0.4 * ((news + 0.5) / (total + 1.0)) / (1.0 + here[0])
            if promise < LEAST:
                promise = LEAST
        else:
            # As `open_end` has it, without a call: this line runs a dozen times for every event.
            promise = 1.0 - 0.8 * (idle if idle > same else same) / (total + 1.0)
            alike = shaped.get(name)
            if alike is not None:
                # Tried in like places: here it may meet other data.
                hope = 0.4 * (alike[1] + 0.5) / (0.6 * alike[0] + 1.0)
                if acts:
                    hope = max(hope, BUTTON / math.sqrt(1.0 + alike[0]))
                promise *= hope if hope > at_least else at_least
            else:
                # Tried where things were different. In how many ways they were counts, not how often.
                promise *= 0.35 / (1.0 + 0.1 * shapes) + 0.5 * ((news + 0.5) / (total + 1.0))
        if crashes:
            promise *= 0.05 if here is not None and here.crashes else (1.0 - crashes / (total + 0.3)) ** 2
        if exits:
            promise *= 1.0 - 0.9 * exits / (total + 1.0)
        found.append(promise)
    return found


def open_end(score: Score) -> float:
    """How likely it does something else the next time: what does nothing, or always the same, will do so again."""
    tries, _, idle, _, _, same, _ = score
    return 1.0 - 0.8 * (idle if idle > same else same) / (tries + 1.0)


def sum_of(score: Score, change: Score) -> Score:
    """Both together."""
    return Score(
        score.tries + change.tries,
        score.news + change.news,
        score.idle + change.idle,
        score.exits + change.exits,
        score.crashes + change.crashes,
        score.same + change.same,
        score.shapes + change.shapes,
    )
