"""Sentences for people, made from values of the model. The command line, its JSON and the report use them.

fewtaps never parses these sentences: its decisions use the enums.
"""

from __future__ import annotations

from collections.abc import Iterable

from fewtaps.model.episode import EpisodeEnd
from fewtaps.model.exploration_end import EndKind, ExplorationEnd
from fewtaps.model.goal import GoalKind, GoalSpec
from fewtaps.model.slice import DependenceKind


def steps(numbers: Iterable[int]) -> str:
    """Numbers of steps for a person: "step 3", "steps 0–4, 7"."""
    different = set(numbers)
    return f"{'step' if len(different) == 1 else 'steps'} {ranges(different)}"


def ranges(numbers: Iterable[int]) -> str:
    """Numbers in short: "3", "0–4, 7"."""
    stretches: list[tuple[int, int]] = []
    for number in sorted(set(numbers)):
        if stretches and number == stretches[-1][1] + 1:
            stretches[-1] = stretches[-1][0], number
        else:
            stretches.append((number, number))
    return ", ".join(str(first) if first == last else f"{first}–{last}" for first, last in stretches)


DEPENDENCES: dict[DependenceKind, str] = {
    DependenceKind.CRITERION: "failed here",
    DependenceKind.DATA: "value",
    DependenceKind.BASE: "object or index",
    DependenceKind.CONTROL: "condition",
    DependenceKind.CALL: "call",
    DependenceKind.HANDED: "started or posted",
    DependenceKind.REGISTERED: "registered",
    DependenceKind.LIFECYCLE: "lifecycle",
    DependenceKind.GUESSED: "guess",
}
"""Why a line is in a slice, in a word or two."""

EPISODE_ENDS: dict[EpisodeEnd, str] = {
    EpisodeEnd.STOPPED: "stopped",
    EpisodeEnd.EVENT_LIMIT: "limit of events",
    EpisodeEnd.RETURN_FAILED: "the way back led elsewhere",
    EpisodeEnd.APP_LEFT: "the app left",
    EpisodeEnd.OTHER_APP: "another app stayed in front",
    EpisodeEnd.NO_WINDOW: "no window",
    EpisodeEnd.BLOCKED_ACTIVITY: "no way out of a blocked activity",
    EpisodeEnd.CRASHED: "crash",
    EpisodeEnd.NOT_RESPONDING: "no answer",
    EpisodeEnd.EXITED: "the app ended itself",
    EpisodeEnd.DEVICE_DIED: "the device died",
    EpisodeEnd.DEVICE_FAILED: "the device failed",
    EpisodeEnd.DEAD_END: "no way out of one state",
    EpisodeEnd.LOOP: "going round in a loop",
    EpisodeEnd.NOTHING_NEW: "nothing new for a while",
    EpisodeEnd.MORE_ELSEWHERE: "more to try elsewhere",
    EpisodeEnd.OTHER_CRASH: "another crash than the one that was reduced",
    EpisodeEnd.UNKNOWN: "",
}

EXPLORATION_ENDS: dict[EndKind, str] = {
    EndKind.EVENTS_USED: "all {number:.0f} events are used",
    EndKind.CRASHES_FOUND: "{number:.0f} crashes are found",
    EndKind.COVERAGE_REACHED: "{number:.1f} % of the lines are covered",
    EndKind.TIME_UP: "the time is up",
    EndKind.NOTHING_NEW: "nothing new in the last {number:.0f} events",
    EndKind.CRASHES_AT_LAUNCH: "the app crashes at launch",
    EndKind.NOT_RESPONDING_AT_LAUNCH: "the app does not answer at launch",
    EndKind.EXITS_AT_LAUNCH: "the app ends itself at launch",
    EndKind.DEVICE_DIES_AT_LAUNCH: "the device dies when the app is launched",
    EndKind.NEVER_A_WINDOW: "the app never shows a window",
    EndKind.ONLY_OTHER_APPS: "the app shows only screens of other apps",
    EndKind.INTERRUPTED: "interrupted",
    EndKind.REDUCED: "reduced",
    EndKind.UNKNOWN: "",
}


def episode_end(end: EpisodeEnd, detail: str = "") -> str:
    """Why an episode ended, with its detail if there is one."""
    return ": ".join(filter(None, (EPISODE_ENDS[end], detail)))


def exploration_end(end: ExplorationEnd) -> str:
    """Why a run ended, with its detail if there is one."""
    if end.kind is EndKind.CRASHES_FOUND and end.number == 1:
        return "a crash is found"
    return ": ".join(filter(None, (EXPLORATION_ENDS[end.kind].format(number=end.number), end.detail)))


def goal(spec: GoalSpec) -> str:
    """What a trace must do."""
    match spec.kind:
        case GoalKind.CRASH | GoalKind.OTHER:
            return spec.value
        case GoalKind.ANY_CRASH:
            return "crashes"
        case GoalKind.ACTIVITY:
            return f"reaches {spec.value}"
        case GoalKind.STATE:
            return f"reaches the state {spec.value}"
        case GoalKind.TEXT:
            return f"shows {spec.value!r}"
        case GoalKind.LINE:
            return f"covers {spec.value}"
        case GoalKind.COMMAND:
            return f"satisfies {spec.value}"
