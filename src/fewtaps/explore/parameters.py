"""Every number of the exploration that `--set NAME=VALUE` can set, with its default, its sentence and its bounds."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import Any, NamedTuple

from fewtaps.errors import UsageError
from fewtaps.explore.frontier_parameters import (
    ACTION_DEFAULTS,
    EPISODE_DEFAULTS,
    FORM_DEFAULTS,
    GESTURE_DEFAULTS,
    GRAPH_DEFAULTS,
    HINT_DEFAULTS,
    PLACE_DEFAULTS,
    SCORE_DEFAULTS,
    SYSTEM_DEFAULTS,
    TEXT_DEFAULTS,
    VARY_DEFAULTS,
    ActionParameters,
    EpisodeParameters,
    FormParameters,
    GestureParameters,
    GraphParameters,
    HintParameters,
    PlaceParameters,
    ScoreParameters,
    SystemParameters,
    TextParameters,
    VaryParameters,
    chance,
    number,
)


@dataclass(frozen=True, slots=True)
class ExploreParameters:
    """The numbers of TimeMachine (letters and sections are the paper's), and those of the frontier strategy in groups.

    Raises UsageError for a number outside its bounds.
    """

    queue_length: int = number(10, "l, section 5.1 and algorithm 2: transitions that are searched for loops.", least=1)
    max_no_progress: int = number(
        200, "maxNoProgress, section 5.1 and algorithm 2: more events in one state are a dead end.", most=1_000_000
    )
    frequent_share: float = chance(
        0.2, "alpha, section 5.1 and algorithm 2: the share of states, most visited first, that counts as frequent."
    )
    easy_share: float = chance(
        0.8, "beta, section 5.1 and algorithm 2: a larger share of easy states among the last transitions is a loop."
    )
    path_length: int = number(
        3, "k, section 3.3 and algorithm 3: transitions that the neighbourhood of a state reaches.", most=100
    )
    reward: float = number(
        0.1, "r, section 3.3, equation 1: gained for each interesting state generated from a state.", most=1_000_000
    )
    penalty: float = number(
        0.1, "p, section 3.3, equation 1: lost by each visit of a state that generated none.", most=0.999
    )
    interesting_factor: float = number(
        6.0, "f0, section 3.3: of an interesting state, relative to one that is not.", most=1_000_000
    )
    system_share: float = chance(
        0.02,
        "Share of system events, for the strategies but `frontier`. Section 4 names no number; the authors' program"
        " makes one in 60 to 90 seconds.",
    )
    max_idle_returns: int = number(10, "Returns in a row without new code after which a state is given up.", least=1)
    loop_free_paths: int = chance(
        1, "1: a state is first returned to without the events that seemed to make no difference. 0: exactly as seen."
    )
    max_away: int = number(
        5, "Events in a row that may fail to bring the app back to the front; then the episode ends.", least=1
    )
    max_refusals: int = number(
        20, "Draws of an event that `--block` may refuse in a row; then the episode presses Back.", least=1
    )
    max_failed_starts: int = number(
        3, "Failed starts, each in another world, after which the exploration ends if the app never started.", least=1
    )
    wide: int = number(8, "Width above which episodes are kept short: they are learned in order.", least=1)
    wide_events: int = number(60, "New events after which an episode ends if the exploration is so wide.", least=1)
    pause_ms: int = number(3_000, "Length of a wait for a window of the app in milliseconds.", least=1)
    long_way: int = number(
        5, "The state after a way of more events is kept by a device that can take snapshots, and loaded from it."
    )
    episode: EpisodeParameters = EPISODE_DEFAULTS
    places: PlaceParameters = PLACE_DEFAULTS
    scores: ScoreParameters = SCORE_DEFAULTS
    forms: FormParameters = FORM_DEFAULTS
    actions: ActionParameters = ACTION_DEFAULTS
    gestures: GestureParameters = GESTURE_DEFAULTS
    texts: TextParameters = TEXT_DEFAULTS
    hints: HintParameters = HINT_DEFAULTS
    system: SystemParameters = SYSTEM_DEFAULTS
    graph: GraphParameters = GRAPH_DEFAULTS
    vary: VaryParameters = VARY_DEFAULTS

    def __post_init__(self) -> None:
        for each in parameters_in(self):
            for value in each.value if isinstance(each.value, tuple) else (each.value,):
                if not each.least <= value <= each.most:
                    bounds = f"between {each.least:g} and {each.most:g}"
                    if each.most == math.inf:
                        bounds = f"at least {each.least:g}"
                    raise UsageError(f"{each.name}: {bounds}, not {value:g}")


class Parameter(NamedTuple):
    """One number, or several of a kind, with its name as `--set` takes it."""

    name: str
    value: Any
    about: str
    least: float
    most: float

    @property
    def text(self) -> str:
        """The value as `--set` takes it."""
        values = self.value if isinstance(self.value, tuple) else (self.value,)
        return ",".join(f"{each:g}" for each in values)


def parameters_in(value: Any, prefix: str = "") -> Iterator[Parameter]:
    """All numbers of a parameters value; those of a group have its name and a dot before their own."""
    for each in fields(value):
        held = getattr(value, each.name)
        if is_dataclass(held):
            yield from parameters_in(held, f"{each.name}.")
        else:
            meta = each.metadata
            yield Parameter(prefix + each.name, held, meta["about"], meta["least"], meta["most"])


DEFAULT_PARAMETERS = ExploreParameters()


class Idea(NamedTuple):
    """A part of the frontier strategy that can be switched off: its name, what it does, and the values without it."""

    name: str
    about: str
    off: Mapping[str, str]


IDEAS: tuple[Idea, ...] = (
    Idea(
        "scores",
        "prefers actions that were tried less often and brought more, instead of drawing by weight alone",
        {"episode.greed": "0"},
    ),
    Idea(
        "untried",
        "raises the weight of rare actions that were never tried",
        {"episode.lift_untried": "0"},
    ),
    Idea(
        "random",
        "draws some events of every episode by weight alone",
        {"episode.random_chances": "0,0,0,0.6"},
    ),
    Idea(
        "random-episodes",
        "makes one episode in four a long one of mostly random events",
        {
            "episode.random_chances": "0.05,0.05,0.2",
            "episode.random_patience": "10",
            "episode.leave_factor_random": "2",
        },
    ),
    Idea(
        "bursts",
        "repeats a random action several times",
        {"episode.burst": "0"},
    ),
    Idea(
        "repeats",
        "repeats an action that led to another place",
        {"episode.repeat": "0"},
    ),
    Idea(
        "hints",
        "does what a text on the screen mentions",
        {"episode.hint": "0", "episode.hint_on_arrival": "0"},
    ),
    Idea(
        "rotation",
        "rotates the screen and then presses a button",
        {"episode.rotate": "0"},
    ),
    Idea(
        "process-death",
        "ends the process of the app in the background and comes back to it",
        {"episode.process_death": "0"},
    ),
    Idea(
        "confirm",
        "presses a button of the page after an action on it",
        {"episode.confirm": "0", "episode.confirm_closed": "0"},
    ),
    Idea(
        "same-thing",
        "acts in another way on a row that was acted on before",
        {"episode.same_thing": "0"},
    ),
    Idea(
        "forms",
        "fills in forms as a whole",
        {"episode.form": "0", "episode.form_least": "0", "episode.form_only": "0"},
    ),
    Idea(
        "form-hints",
        "types words into forms that the screen mentions",
        {"forms.hinted": "0", "forms.one_word": "0"},
    ),
    Idea(
        "accepted",
        "types values again with which a form was left",
        {"forms.accepted": "0", "episode.reuse_texts": "0"},
    ),
    Idea(
        "limits",
        "types values at and beyond limits",
        {"actions.limit": "0", "forms.one_limit": "0", "forms.accepted_but_one": "0"},
    ),
    Idea(
        "seen-words",
        "types words of the screen and of the app's resources",
        {"actions.seen": "0"},
    ),
    Idea(
        "submit-unchanged",
        "submits a form of boxes on arrival",
        {"episode.submit_unchanged": "0"},
    ),
    Idea(
        "system",
        "sends events of the system and of other apps",
        {"episode.system": "0"},
    ),
    Idea(
        "gestures",
        "performs strokes, pinches, double taps and swipes from the edge",
        {"actions.double_tap": "0", "actions.stroke": "0", "actions.pinch": "0", "actions.edge": "0"},
    ),
    Idea(
        "waits",
        "waits for three seconds up to five minutes",
        {"actions.wait": "0"},
    ),
    Idea(
        "walks",
        "walks to a better place nearby when little is left to try",
        {"episode.walk_below": "0"},
    ),
    Idea(
        "set-out",
        "starts an episode by walking to the best known place",
        {"episode.set_out": "0"},
    ),
    Idea(
        "detours",
        "looks for another path when a known one breaks",
        {"episode.detours": "0"},
    ),
    Idea(
        "leaving",
        "ends an episode when other starts have more potential",
        {"episode.leave_factor": "inf", "episode.leave_factor_random": "inf"},
    ),
    Idea(
        "returns",
        "starts episodes at known states",
        {"episode.fresh": "1"},
    ),
    Idea(
        "loop-free-paths",
        "returns to a state without the events that seemed to make no difference",
        {"loop_free_paths": "0"},
    ),
    Idea(
        "varied-patience",
        "lets some episodes go on for longer without new code",
        {"episode.patience_range": "1"},
    ),
    Idea(
        "seldom",
        "prefers shapes of places in which few events were spent",
        {"places.seldom": "0"},
    ),
    Idea(
        "stale-pages",
        "avoids pages on which no new code ran for long",
        {"places.stale_page": "inf"},
    ),
    Idea(
        "behind-buttons",
        "prefers places with a submitting button that never led on",
        {"places.behind": "0"},
    ),
    Idea(
        "new-places",
        "counts a place of a new shape as a gain",
        {"places.new_place": "0"},
    ),
    Idea(
        "new-code-places",
        "tries known actions again where new code ran on arrival",
        {"scores.least_new_code": "0.08"},
    ),
    Idea(
        "phones",
        "plays some episodes on phones that differ from the ordinary one",
        {"vary.share": "0"},
    ),
    Idea(
        "buttons",
        "tries a button in more places than another widget before it counts as known",
        {"scores.button": "0"},
    ),
)
"""The parts of the frontier strategy that can be switched off by `--set ideas=-NAME,-NAME`.

Switching an idea off sets numbers to values at which it has no effect, and changes nothing else.
"""


def read_parameters(assignments: Iterable[str]) -> ExploreParameters:
    """The parameters that NAME=VALUE texts give, in their order; the others keep their defaults.

    `ideas=-NAME,…` switches ideas off. Raises UsageError for a text that is no assignment of a parameter.
    """
    values: dict[str, Any] = {}
    for assignment in assignments:
        name, _, text = assignment.partition("=")
        name = name.strip().replace("-", "_")
        if name == "ideas":
            for idea in _switched_off(text):
                values.update((each, _read(each, off)) for each, off in idea.off.items())
        else:
            values[name] = _read(name, text)
    return _with(DEFAULT_PARAMETERS, values)


def without(*ideas: str) -> ExploreParameters:
    """The default parameters with these ideas switched off. Raises UsageError for a name that is no idea's."""
    return read_parameters([f"ideas={','.join(f'-{name}' for name in ideas)}"] if ideas else [])


def _switched_off(text: str) -> Iterator[Idea]:
    by_name = {idea.name: idea for idea in IDEAS}
    for word in filter(None, map(str.strip, text.split(","))):
        if not word.startswith("-") or word[1:] not in by_name:
            raise UsageError(f"ideas: '{word}' switches none off; write -NAME with one of: {', '.join(by_name)}")
        yield by_name[word[1:]]


_DEFAULTS = {each.name: each.value for each in parameters_in(DEFAULT_PARAMETERS)}


def _read(name: str, text: str) -> Any:
    if name not in _DEFAULTS:
        raise UsageError(f"there is no parameter '{name}'; there are: ideas, {', '.join(_DEFAULTS)}")
    default = _DEFAULTS[name]
    kind = type(default[0]) if isinstance(default, tuple) else type(default)
    try:
        values = tuple(map(kind, text.split(","))) if isinstance(default, tuple) else kind(text)
    except ValueError:
        what = "a whole number" if kind is int else "a number"
        raise UsageError(f"{name}: not {what}: '{text}'") from None
    return values


def _with(parameters: ExploreParameters, values: Mapping[str, Any]) -> ExploreParameters:
    own = {name: value for name, value in values.items() if "." not in name}
    for group in {name.partition(".")[0] for name in values if "." in name}:
        inner = {name.partition(".")[2]: value for name, value in values.items() if name.startswith(f"{group}.")}
        own[group] = replace(getattr(parameters, group), **inner)
    return replace(parameters, **own)
