"""Every number of the default strategy, in groups; each field carries a sentence with its unit and its effect.

A chance is a probability between 0 and 1. A weight is relative to the weight of a tap on one widget, which is 1. A
score or a potential is relative to the score of an action that was never tried, which is 1.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any


def number(default: float | tuple[float, ...], about: str, *, least: float = 0, most: float = math.inf) -> Any:
    """A field with its default, the sentence for the documentation, and the bounds of valid values, both included."""
    return field(default=default, metadata={"about": about, "least": least, "most": most})


def chance(default: float | tuple[float, ...], about: str) -> Any:
    """A field that holds a probability."""
    return number(default, about, most=1)


@dataclass(frozen=True, slots=True)
class EpisodeParameters:
    """How one episode chooses its events, when it ends, and where it begins (`frontier.py`)."""

    events: int = number(400, "New events after which an episode ends.", least=1)
    patience: int = number(10, "Events without new code after which an episode ends, times a Luby number.", least=1)
    patience_range: int = number(
        31, "The Luby number is drawn from the first so many of the sequence 1 1 2 1 1 2 4 …", least=1
    )
    random_chances: tuple[float, ...] = chance(
        (0.05, 0.05, 0.2, 0.6),
        "Chance that an event is drawn by weight alone. Each episode draws one; the last makes it a random episode.",
    )
    random_patience: int = number(40, "As `patience`, for random episodes.", least=1)
    burst: float = chance(0.03, "Chance of repeating a random action several times: counters may be hidden.")
    burst_lengths: tuple[int, ...] = number((2, 3, 4, 6, 8), "Repetitions of a burst; one of these is drawn.", least=1)
    repeat: float = chance(0.15, "Chance of repeating an action that led to another place.")
    hint: float = chance(0.3, "Chance of doing what a text on the screen mentions and was not yet done there.")
    hint_on_arrival: float = chance(0.6, "As `hint`, for the first event on a page.")
    rotate: float = chance(0.05, "Chance of rotating the screen and then pressing a button.")
    rotate_again: float = number(
        4.0, "`rotate` is divided by this in places of a shape in which the screen was rotated.", least=1
    )
    process_death_episodes: float = chance(0.3, "Share of the episodes in which the process of the app may end.")
    process_death: float = chance(
        0.1, "Chance that the process ends in the background and the user comes back, on a page of such an episode."
    )
    process_death_stale: int = number(
        10, "The process ends only after so many events of an episode that found nothing new: it forgets much.", least=0
    )
    process_death_again: float = number(
        4.0, "`process_death` is divided by this in places of a shape in which the process has ended.", least=1
    )
    confirm: float = chance(0.25, "Chance of pressing an untried button after an action on the same activity.")
    confirm_closed: float = chance(0.4, "As `confirm`, on a page whose submitting button never led on.")
    same_thing: float = chance(0.1, "Chance of another action on a row that the episode acted on before.")
    form: float = chance(0.4, "Chance of filling in a form as a whole; it falls with the number of tries.")
    form_least: float = chance(0.05, "Lower bound of the chance of filling in a form.")
    form_only: float = chance(0.35, "As `form_least`, where no action has a score above `form_only_below`.")
    form_only_below: float = number(0.25, "Score of the best action below which `form_only` holds.")
    submit_unchanged: float = chance(
        0.15, "Chance of pressing the submitting button on arrival at a form of boxes without fields."
    )
    system: float = chance(0.04, "Chance of an event of the system or of another app.")
    rich: float = number(0.4, "Score of the best action from which `rich_factor` holds.")
    rich_factor: float = number(0.3, "Factor of the chances of random, repeated and burst actions from there on.")
    walk_below: float = number(0.25, "Score of the best action below which the episode walks to a better place.")
    greed: float = number(2.0, "Power of an action's score in its weight; 0 ignores scores.", most=100)
    lift_untried: int = chance(1, "1: the weight of an untried action counts by its square root; 0: as it is.")
    reuse_texts: int = chance(1, "1: on a known path, fields get the values that led there before; 0: new ones.")
    set_out: float = chance(0.8, "Chance that an episode from a launch starts by walking to the best known place.")
    detours: int = number(4, "Broken paths per episode after which no other path to the best place is looked for.")
    leave_factor: float = number(
        2.0, "An episode ends when starting elsewhere has this many times the potential of all places nearby.", least=1
    )
    leave_factor_random: float = number(8.0, "As `leave_factor`, for random episodes.", least=1)
    leave_at_once: float = number(
        8.0, "On arrival, places elsewhere are compared at once if they have this many times the potential.", least=1
    )
    leave_after: int = number(5, "Otherwise, events without new code between two such comparisons.", least=1)
    stay_factor: float = number(1.3, "Another place is walked to if it has this many times the potential.", least=1)
    path_cost: float = number(25.0, "Events on the path to a place that halve its potential.", least=0.001)
    max_path: int = number(40, "Longest path to a place that is looked at, in events.", least=1, most=10_000)
    max_reached: int = number(1000, "Most places that are looked at when the best one is searched.", least=1)
    fresh: float = chance(0.08, "Chance that an episode starts at the launch, whatever potential other states have.")
    neighbour: float = chance(0.8, "Factor of the potential of a place one step behind the state returned to.")
    idle_return: float = chance(0.8, "Factor of a state's potential for each return in a row without new code.")
    return_power: float = number(4.0, "Power of a state's potential in its weight among states to return to.", most=100)


@dataclass(frozen=True, slots=True)
class PlaceParameters:
    """What is remembered of places, and how their potential is computed (`places.py`)."""

    max_places: int = number(4_000, "Places that are remembered; those not seen for longest go first.", least=4)
    max_names: int = number(10_000, "Names of actions, groups, shapes, pages and fields that are remembered.", least=4)
    max_names_of_shape: int = number(1_000, "Names of actions that are remembered for one shape.", least=4)
    max_targets: int = number(4, "Places that are remembered for one action in one place.", least=1)
    max_cached_screens: int = number(256, "Screens whose actions are cached.", least=1)
    max_fields: int = number(12, "Fields whose kinds of text tell places apart.")
    prior_tries: float = number(0.25, "Tries added when the probability of a known step is estimated.")
    last_target: float = chance(0.5, "Least probability that an action leads where it led the last time.")
    new_place: float = number(0.25, "Gain of reaching a place of a new shape; the gain of new code is 1.")
    least_weight: float = number(0.1, "Actions with a smaller weight add nothing to the potential of a place.")
    rotated: float = number(0.25, "Factor of the weights of actions on a rotated screen in the potential of a place.")
    visit: int = number(6, "Best actions whose scores are added up to the potential of a place.", least=1)
    seldom: float = number(4.0, "Bonus of a shape in which no event was spent; it falls with their square root.")
    stale_page: float = number(50.0, "Events without new code on a page that halve its potential.", least=0.001)
    behind: float = number(1.5, "Potential added for a submitting button that never led on.")
    behind_events: float = number(20.0, "Events on a page after which `behind` counts by 0.7.", least=0.001)
    refresh_every: int = number(3, "Events after which the potential of one more place is computed again.", least=1)


@dataclass(frozen=True, slots=True)
class ScoreParameters:
    """What is expected of trying an action, given what came of it before (`scores.py`)."""

    least: float = number(0.02, "Least score of an action that was tried in the place.")
    least_alike: float = number(0.08, "Least score factor of an action that was tried in places of this shape.")
    least_new_code: float = number(0.3, "As `least_alike`, in places where new code ran on arrival.")
    button: float = number(0.4, "Score factor of a button tried in places of this shape; falls with their square root.")
    group_least: float = number(0.25, "Least score of an untried action of a known group.")
    group_prior: float = number(2.0, "Successful tries added to those of a group when an untried action is scored.")
    gain_prior: float = number(0.5, "Gain added to that of an action when its mean gain is estimated.")
    here: float = number(0.4, "Factor of the mean gain of an action that was tried in the place.")
    same_result: float = chance(0.8, "Score lost by an action that always did nothing, or always the same.")
    alike: float = number(0.4, "Factor of the mean gain of an action that was tried in places of this shape.")
    alike_tries: float = number(0.6, "Weight of one try in places of this shape.")
    elsewhere: float = number(0.35, "Score of an action that was tried in other shapes only, apart from its gain.")
    elsewhere_shapes: float = number(0.1, "Weight of one shape in which it was tried; lowers `elsewhere`.")
    elsewhere_gain: float = number(0.5, "Factor of the mean gain of an action that was tried in other shapes only.")
    crashed_here: float = number(0.05, "Score factor of an action that crashed the app in the place.")
    crash_prior: float = number(0.3, "Tries without a crash added when an action that crashed elsewhere is scored.")
    crash_power: float = number(2.0, "Power of the share of tries without a crash in that score.", most=100)
    exits: float = chance(0.9, "Score lost by an action that always left the app.")
    form_elsewhere: float = number(0.1, "Weight of tries in other shapes when the tries of a form are counted.")
    form_tries: float = number(2.0, "Tries per field that lower the chance of filling in a form to 0.7.", least=0.001)


@dataclass(frozen=True, slots=True)
class FormParameters:
    """What is typed into a form, what is ticked, and which button is pressed (`forms.py`, `buttons.py`)."""

    accepted: float = chance(0.7, "Chance of the values with which the form was left before.")
    accepted_but_one: float = chance(0.3, "Chance that one of these values is replaced by a limit value.")
    hinted: float = chance(0.3, "Chance of the words that the screen seems to ask for.")
    one_word: float = chance(0.15, "Chance of one word of the screen in all fields.")
    untouched: float = chance(0.1, "Chance that all fields stay as they are.")
    one_limit: float = chance(0.15, "Chance of fitting values with one limit value.")
    other_words: float = chance(0.3, "Chance that `one_word` takes a word from elsewhere.")
    other_words_drawn: int = number(4, "Words that are drawn from elsewhere; the least typed is taken.", least=1)
    pointed_tries: int = number(4, "Additional tries of a word that stands right after the name of its field.")
    all_boxes: float = chance(0.65, "Chance of ticking all boxes.")
    some_boxes: float = chance(0.2, "Chance of tapping some boxes.")
    some_box: float = chance(0.5, "Chance of tapping one box when some are tapped.")
    other_choice: float = chance(0.3, "Chance of another choice in a group that has one already.")
    by_enter: float = chance(0.1, "Chance of submitting by the keyboard's Enter.")
    says_submit: float = number(8.0, "Weight of a button whose words submit a form; other words have 1.")
    says_cancel: float = number(0.4, "As `says_submit`, for words that give a form up.")
    below_fields: float = number(3.0, "Weight factor of a button below the fields.")
    not_a_button: float = number(0.2, "Weight factor of a row or another widget that can be tapped.")
    value_length: int = number(80, "Characters by which typed values are told apart when they are counted.", least=1)
    max_accepted: int = number(6, "Accepted values that are remembered for one field.", least=1)


@dataclass(frozen=True, slots=True)
class ActionParameters:
    """The weights of the actions that a screen offers, and how many there are (`targets.py`, `naming.py`)."""

    tap: float = number(1.0, "Weight of a tap.")
    long_press: float = number(0.25, "Weight of a long press.")
    double_tap: float = number(0.04, "Weight of a double tap.")
    text: float = number(0.5, "Weight of typing.")
    scroll: float = number(0.6, "Weight of scrolling.")
    slide: float = number(0.6, "Weight of a touch on a slider.")
    point: float = number(0.6, "Weight of a touch inside a view that draws itself.")
    stroke: float = number(0.2, "Weight of a finger drawn across a view.")
    pinch: float = number(0.1, "Weight of a pinch.")
    edge: float = number(0.2, "Weight of a swipe from the edge of the screen.")
    back: float = number(0.6, "Weight of Back.")
    menu: float = number(0.3, "Weight of the menu key.")
    enter: float = number(0.3, "Weight of Enter while the keyboard is shown.")
    key: float = number(0.05, "Weight of another key.")
    rotate: float = number(0.15, "Weight of rotating the screen.")
    home: float = number(0.08, "Weight of Home.")
    wait: float = number(0.15, "Weight of a short wait.")
    fitting: float = number(1.0, "Weight factor of typing what a field seems to ask for.")
    seen: float = number(0.5, "Weight factor of typing a word of the app.")
    limit: float = number(0.5, "Weight factor of typing a value at a limit.")
    field_tap: float = number(0.15, "Weight factor of a tap on a text field: typing taps it too.")
    field_long_press: float = number(0.2, "Weight factor of a long press on a text field.")
    row_stroke: float = number(0.3, "Weight factor of a finger drawn across a row.")
    drawer_edge: float = number(2.0, "Weight factor of a swipe from the left edge where there is a drawer.")
    drawer_other_edge: float = number(0.3, "As `drawer_edge`, from the right edge.")
    drawing_point: float = number(4.0, "Weight factor of a touch inside a drawing, which has no widgets.")
    drawing_long_press: float = number(0.5, "Weight factor of a long press on a drawing.")
    drawing_stroke: float = number(3.0, "Weight factor of a stroke on a drawing.")
    scroll_back: float = number(0.4, "Weight factor of scrolling back.")
    scroll_sideways: float = number(0.4, "Weight factor of scrolling sideways where the direction is unknown.")
    scroll_sideways_back: float = number(0.2, "As `scroll_sideways`, back.")
    rotate_back: float = number(4.0, "Weight factor of rotating the screen back.")
    long_wait: float = number(0.4, "Weight factor of a long wait.")
    very_long_wait: float = number(0.1, "Weight factor of a very long wait.")
    anywhere: float = number(0.2, "Weight factor of a touch anywhere on the screen.")
    screen_edge: float = number(0.15, "Weight factor of a swipe from the edge where no drawer is known.")
    wait_ms: int = number(3_000, "Length of a short wait in milliseconds.", least=1)
    long_wait_ms: int = number(20_000, "Length of a long wait in milliseconds.", least=1)
    very_long_wait_ms: int = number(300_000, "Length of a very long wait in milliseconds.", least=1)
    max_targets: int = number(120, "Widgets of a screen that get actions; of more, an evenly spread part.", least=1)
    max_widgets: int = number(20_000, "Widgets of a window that are looked at.", least=1)
    first_rows: int = number(3, "Rows of a list that have groups of their own; the later rows share one.")
    list_of_equals: int = number(5, "Children of one class and id from which a widget counts as a list.", least=2)
    drawing_share: int = number(12, "A view may draw its content if it covers at least one part in so many.", least=1)
    name_length: int = number(60, "Characters of a widget's text in the name of an action.")
    group_length: int = number(40, "Characters of a widget's text in the group of an action.")


@dataclass(frozen=True, slots=True)
class GestureParameters:
    """Where fingers go and for how long (`gestures.py`)."""

    pinch_least: int = number(40, "Smallest distance of two fingers in pixels.", least=1)
    pinch_out: float = chance(0.5, "Chance that a pinch moves the fingers apart.")
    wobble: float = number(0.2, "Largest offset of a swipe from the middle, in widths or heights.", most=0.5)
    swipe_tenths: int = number(
        3, "Tenths of the width or height on each side of the middle that a swipe goes over.", most=5
    )
    edge_tenths: int = number(7, "Tenths of the width at which a swipe from the edge ends.", most=9)
    stroke_margin_tenths: int = number(1, "Tenths of the width at both ends that a stroke across leaves out.", most=4)
    edge_from: float = chance(0.3, "Topmost height of a swipe from the edge, in heights.")
    edge_to: float = chance(0.7, "Lowest height of a swipe from the edge, in heights.")
    hold: float = chance(0.3, "Chance that a stroke begins with a long press.")
    hold_ms: int = number(700, "Length of that press in milliseconds.")


@dataclass(frozen=True, slots=True)
class TextParameters:
    """Values for text fields (`texts.py`)."""

    long: int = number(500, "Characters of a long value.", least=1)
    very_long: int = number(10_000, "Characters of a very long value.", least=1)
    long_chance: float = chance(0.06, "Chance that a limit value is a long one.")
    very_long_chance: float = chance(0.01, "Chance that a limit value is a very long one.")
    other_field: float = chance(0.45, "Chance that a word of the app is what stands in a field of the screen.")
    screen_word: float = chance(0.85, "Chance of that or a word of the screen; else a string of the app's resources.")
    max_strings: int = number(2_000, "Strings of the app's resources that are used.")
    max_words: int = number(200, "Words of a screen that are used.")
    longest: int = number(60, "Longest word that is typed, in characters.")
    longest_line: int = number(200, "Characters of a text that are split into words.")
    long_text: int = number(100, "Characters from which a text is a kind of its own.", least=1)


@dataclass(frozen=True, slots=True)
class HintParameters:
    """What the texts of a screen mention (`hints.py`)."""

    max_lines: int = number(30, "Texts of a screen that are read.")
    longest_line: int = number(200, "Characters of a text that are read.")
    longest_word: int = number(60, "Longest word that is typed, in characters.")
    longest_sequence: int = number(12, "Most buttons of one sequence.")
    fewest_words: int = number(3, "Words from which a text may mention a sequence of buttons.")
    longest_label: int = number(40, "Longest text of a button that is looked for, in characters.")
    quoted: float = number(3.0, "Rank of a quoted word; words of a higher rank are typed first.")
    of_length: float = number(2.5, "Rank of a made word of the length that a text asks for.")
    with_digit: float = number(2.0, "Rank of a word with a digit or an @.")
    plain: float = number(1.0, "Rank of another word.")
    whole_line: float = number(0.7, "Rank of a whole line.")
    common: float = number(0.5, "Rank of words such as 'the'.")
    own_name: float = number(0.4, "Rank of the name of the field and of single letters.")


@dataclass(frozen=True, slots=True)
class SystemParameters:
    """Events of the system and of other apps (`system.py`)."""

    intent: float = chance(0.2, "Chance of an intent of another app, if the app exports activities.")
    intent_action: float = chance(0.85, "Chance that such an intent has an action.")
    intent_data: float = chance(0.5, "Chance that such an intent has data.")
    intent_mime: float = chance(0.3, "Chance that such an intent has a type.")
    intent_extras: tuple[int, ...] = number((0, 0, 1, 2), "Extras of such an intent; one of these is drawn.", most=8)
    received: float = number(2.0, "Weight of a broadcast that the app listens to.")
    other_language: float = number(0.05, "Weight of a change to another language; there are two.")
    own_language: float = number(0.1, "Weight of a change back to English.")
    low_memory: float = number(0.5, "Weight of low memory.")
    no_connection: float = number(0.4, "Weight of a lost connection.")
    airplane_on: float = number(0.3, "Weight of airplane mode switched on.")
    airplane_off: float = number(0.2, "Weight of airplane mode switched off.")
    screen: float = number(0.2, "Weight of the screen switched off, and of on.")
    time_changed: float = number(0.0, "Weight of the news that the clock was changed, without a change.")
    clock_set: float = number(0.2, "Weight of a clock that is set an hour back or a day forward.")
    permission: float = number(0.1, "Weight of the withdrawal of one permission.")


@dataclass(frozen=True, slots=True)
class GraphParameters:
    """The size of the graph of states (`model/graph.py`)."""

    max_states: int = number(4_000, "States that are kept; uninteresting ones not seen for longest go first.", least=4)
    max_transitions: int = number(20_000, "Transitions that are kept; the rarest go first.", least=4)
    max_interesting: int = number(2_000, "Interesting states that are kept; the least fit go first.", least=4)


@dataclass(frozen=True, slots=True)
class VaryParameters:
    """Episodes on phones that differ from the ordinary one (`phones.py`, `exploration.py`)."""

    share: float = number(0.25, "Share of the episodes that are played on other phones; 0: none.", most=0.5)
    after: int = number(8, "Episodes on the ordinary phone before the first one on another phone.", least=1)
    two: float = chance(0.5, "Chance that such a phone differs in two settings instead of one.")
    cared: float = number(4.0, "Weight of a setting that the app shows to care about; that of another one is 1.")
    neighbour: float = number(0.25, "Weight of the absence of an app that no code of the explored app asks for.")
    network: float = number(8.0, "Weight of a phone whose network answers, for an app that may use the internet.")
    android: int = number(
        48, "Every so many-th of these phones has the newest Android instead, because its device starts anew; 0: none."
    )
    uneven: float = number(0.5, "Largest share by which a weight is drawn higher or lower at each turn.", most=1)
    episodes: int = number(60, "Episodes with new code whose events are kept, to be played on other phones.", least=1)
    way: int = number(80, "Events of such an episode that are played first on another phone, at most.")
    events: int = number(40, "New events of an episode on another phone, after those that are played first.", least=1)


EPISODE_DEFAULTS = EpisodeParameters()
PLACE_DEFAULTS = PlaceParameters()
SCORE_DEFAULTS = ScoreParameters()
FORM_DEFAULTS = FormParameters()
ACTION_DEFAULTS = ActionParameters()
GESTURE_DEFAULTS = GestureParameters()
TEXT_DEFAULTS = TextParameters()
HINT_DEFAULTS = HintParameters()
SYSTEM_DEFAULTS = SystemParameters()
GRAPH_DEFAULTS = GraphParameters()
VARY_DEFAULTS = VaryParameters()
