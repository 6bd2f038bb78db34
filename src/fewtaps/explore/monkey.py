"""The blind Monkey: random events as Android's own Monkey makes them, which use nothing but the screen's size.

The effect and the frequency of each kind of event follow `MonkeySourceRandom` of the Android Open Source Project. Its
defaults are TimeMachine's (section 5.1: all tools use their default configuration). Where a phone of today lacks the
hardware, the nearest event is made: a trackball's move is one of the directional pad, a slide of the keyboard, which
changes the configuration, is a rotation of the screen.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import accumulate
from random import Random

from fewtaps.explore.strategy import Situation
from fewtaps.model.event import Event, Key, Launch, Pinch, Rotate, Swipe, Tap
from fewtaps.model.screen import Screen

FACTORS: dict[str, float] = {
    "touch": 15,
    "motion": 10,
    "pinchzoom": 2,
    "trackball": 15,
    "nav": 25,
    "majornav": 15,
    "syskeys": 2,
    "appswitch": 2,
    "flip": 1,
    "anyevent": 13,
}
"""Monkey's kinds of events with their default percentages."""

NAV_KEYS = ("DPAD_UP", "DPAD_DOWN", "DPAD_LEFT", "DPAD_RIGHT")
MAJOR_NAV_KEYS = ("MENU", "DPAD_CENTER")
SYSTEM_KEYS = ("HOME", "BACK", "CALL", "VOLUME_UP", "VOLUME_DOWN", "VOLUME_MUTE", "MUTE")
"""Without ENDCALL and POWER, which Monkey does not send because they turn the device off."""

_ANY_KEYS = """
    SOFT_LEFT SOFT_RIGHT HOME BACK CALL 0 1 2 3 4 5 6 7 8 9 STAR POUND DPAD_UP DPAD_DOWN DPAD_LEFT DPAD_RIGHT
    DPAD_CENTER VOLUME_UP VOLUME_DOWN CAMERA CLEAR A B C D E F G H I J K L M N O P Q R S T U V W X Y Z COMMA
    PERIOD ALT_LEFT ALT_RIGHT SHIFT_LEFT SHIFT_RIGHT TAB SPACE SYM EXPLORER ENVELOPE ENTER DEL GRAVE MINUS
    EQUALS LEFT_BRACKET RIGHT_BRACKET BACKSLASH SEMICOLON APOSTROPHE SLASH AT NUM HEADSETHOOK FOCUS PLUS MENU
    NOTIFICATION SEARCH MEDIA_PLAY_PAUSE MEDIA_STOP MEDIA_NEXT MEDIA_PREVIOUS MEDIA_REWIND MEDIA_FAST_FORWARD
    MUTE PAGE_UP PAGE_DOWN PICTSYMBOLS SWITCH_CHARSET BUTTON_A BUTTON_B BUTTON_C BUTTON_X BUTTON_Y BUTTON_Z
    BUTTON_L1 BUTTON_R1 BUTTON_L2 BUTTON_R2 BUTTON_THUMBL BUTTON_THUMBR BUTTON_START BUTTON_SELECT BUTTON_MODE
    ESCAPE FORWARD_DEL CTRL_LEFT CTRL_RIGHT CAPS_LOCK SCROLL_LOCK META_LEFT META_RIGHT FUNCTION SYSRQ BREAK
    MOVE_HOME MOVE_END INSERT FORWARD MEDIA_PLAY MEDIA_PAUSE MEDIA_CLOSE MEDIA_EJECT MEDIA_RECORD F1 F2 F3 F4 F5
    F6 F7 F8 F9 F10 F11 F12 NUM_LOCK NUMPAD_0 NUMPAD_1 NUMPAD_2 NUMPAD_3 NUMPAD_4 NUMPAD_5 NUMPAD_6 NUMPAD_7
    NUMPAD_8 NUMPAD_9 NUMPAD_DIVIDE NUMPAD_MULTIPLY NUMPAD_SUBTRACT NUMPAD_ADD NUMPAD_DOT NUMPAD_COMMA
    NUMPAD_ENTER NUMPAD_EQUALS NUMPAD_LEFT_PAREN NUMPAD_RIGHT_PAREN VOLUME_MUTE INFO CHANNEL_UP CHANNEL_DOWN
    ZOOM_IN ZOOM_OUT TV WINDOW GUIDE DVR BOOKMARK CAPTIONS SETTINGS TV_POWER TV_INPUT STB_POWER STB_INPUT
    AVR_POWER AVR_INPUT PROG_RED PROG_GREEN PROG_YELLOW PROG_BLUE APP_SWITCH BUTTON_1 BUTTON_2 BUTTON_3 BUTTON_4
    BUTTON_5 BUTTON_6 BUTTON_7 BUTTON_8 BUTTON_9 BUTTON_10 BUTTON_11 BUTTON_12 BUTTON_13 BUTTON_14 BUTTON_15
    BUTTON_16 LANGUAGE_SWITCH MANNER_MODE 3D_MODE CONTACTS CALENDAR MUSIC CALCULATOR ZENKAKU_HANKAKU EISU
    MUHENKAN HENKAN KATAKANA_HIRAGANA YEN RO KANA ASSIST
"""
ANY_KEYS = tuple(_ANY_KEYS.split())
"""The keys 1 to 219, which every Android from 4.1 on has, without those that turn the device off."""

_WALK = 50
"""Monkey's fingers move by up to half so many pixels per step."""
_MOST_MOVES = 10


class Monkey:
    """Draws events of the kinds and shares of Android's Monkey."""

    def __init__(self) -> None:
        self._kinds = tuple(_KINDS[name] for name in FACTORS)
        self._bounds = tuple(accumulate(FACTORS.values()))

    def draw(self, situation: Situation) -> Event:
        """One event. A touch has the selector of the widget it hits, so that the trace can be replayed."""
        return self.event(situation.screen, situation.random)

    def event(self, screen: Screen, random: Random) -> Event:
        """As `draw`, from all that the Monkey uses of a situation."""
        kind = random.choices(self._kinds, cum_weights=self._bounds)[0]
        return kind(screen, random)


def _touch(screen: Screen, random: Random) -> Event:
    x, y = _point(screen, random)
    return Tap(x, y, screen.selector_at(x, y))


def _motion(screen: Screen, random: Random) -> Event:
    x, y = start = _point(screen, random)
    x2, y2 = _walk(start, _vector(random), 1 + random.randrange(_MOST_MOVES), screen, random)
    return Swipe(x, y, x2, y2, selector=screen.selector_at(x, y))


def _pinch(screen: Screen, random: Random) -> Event:
    first, second = _point(screen, random), _point(screen, random)
    moves = 2 + random.randrange(_MOST_MOVES)
    ends = [_walk(finger, _vector(random), moves, screen, random) for finger in (first, second)]
    x, y = (first[0] + second[0]) // 2, (first[1] + second[1]) // 2
    return Pinch(x, y, round(math.dist(first, second)), round(math.dist(*ends)), screen.selector_at(x, y))


def _trackball(screen: Screen, random: Random) -> Event:
    # One in ten of Monkey's trackball moves ends with a click.
    return Key("DPAD_CENTER") if random.randrange(10) == 0 else Key(random.choice(NAV_KEYS))


def _flip(screen: Screen, random: Random) -> Event:
    return Rotate("landscape" if screen.width < screen.height else "portrait")


def _one_of(keys: tuple[str, ...]) -> Callable[[Screen, Random], Event]:
    return lambda screen, random: Key(random.choice(keys))


def _point(screen: Screen, random: Random) -> tuple[int, int]:
    return random.randrange(max(1, screen.width)), random.randrange(max(1, screen.height))


def _vector(random: Random) -> tuple[float, float]:
    return (random.random() - 0.5) * _WALK, (random.random() - 0.5) * _WALK


def _walk(
    start: tuple[float, float], vector: tuple[float, float], moves: int, screen: Screen, random: Random
) -> tuple[int, int]:
    x, y = start
    for _ in range(moves):
        x = max(0, min(screen.width - 1, x + random.random() * vector[0]))
        y = max(0, min(screen.height - 1, y + random.random() * vector[1]))
    return int(x), int(y)


_KINDS: dict[str, Callable[[Screen, Random], Event]] = {
    "touch": _touch,
    "motion": _motion,
    "pinchzoom": _pinch,
    "trackball": _trackball,
    "nav": _one_of(NAV_KEYS),
    "majornav": _one_of(MAJOR_NAV_KEYS),
    "syskeys": _one_of(SYSTEM_KEYS),
    "appswitch": lambda screen, random: Launch(),
    "flip": _flip,
    "anyevent": _one_of(ANY_KEYS),
}
