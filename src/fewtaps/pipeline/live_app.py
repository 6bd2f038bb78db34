"""An app that is used by hand: its steps so far, the numbered widgets of its screen, and the events they take."""

from __future__ import annotations

from collections.abc import Sequence

from fewtaps.device.capability import Capability
from fewtaps.device.session import screenshot_taker, unusual
from fewtaps.errors import Unsupported, UsageError
from fewtaps.explore.system import PROCESS_DEATH
from fewtaps.model.event import Event, Key, Rotate, Swipe, SystemEvent, Text, printable
from fewtaps.model.screen import Screen
from fewtaps.model.trace import Step, Trace
from fewtaps.pipeline.numbered import ListedWidget, number_screen
from fewtaps.pipeline.opening import OpenedApp

WAYS = {"up": (0, -1), "down": (0, 1), "left": (-1, 0), "right": (1, 0)}
"""The directions of a swipe: how far the finger goes across and down."""

_TURNS = {"portrait": "landscape", "landscape": "portrait"}


class LiveApp:
    """An open app with the steps since its last launch.

    `is_gone` says that the device failed and the app has to be launched anew.
    """

    def __init__(self, opened: OpenedApp, world: int) -> None:
        self.opened = opened
        self.world = world
        self.is_gone = False
        self.steps: tuple[Step, ...] = ()
        self.entries: tuple[ListedWidget, ...] = ()

    @property
    def trace(self) -> Trace:
        """The steps since the last launch."""
        profile = self.opened.profile
        session = unusual(self.opened.session.settings)
        return Trace(self.opened.app.ref, self.steps, self.world, profile.name, profile.screen, session)

    @property
    def screen(self) -> Screen:
        """The screen after the last step."""
        return self.steps[-1].after

    def restart(self) -> Step:
        """Launches the app without data of earlier runs, and drops the steps so far."""
        self._take([self._launch()])
        return self.steps[-1]

    def perform(self, event: Event) -> Step:
        """Makes an event happen. Raises UsageError if the app has ended."""
        if self.is_gone or self.steps[-1].ending.is_final:
            raise UsageError("the app is gone; undo, restart, save or quit")
        step = self.opened.session.perform(event)
        self._take([*self.steps, step])
        return step

    def undo(self) -> bool:
        """Takes back the last step; see `play_again`. Raises UsageError if only the launch is left."""
        if len(self.steps) < 2:
            raise UsageError("nothing to take back")
        return self.play_again(self.steps[:-1])

    def play_again(self, wanted: Sequence[Step]) -> bool:
        """Launches the app anew and performs the events of these steps; whether it came back to the same screen."""
        steps = [self._launch()]
        for step in wanted[1:]:
            if steps[-1].ending.is_final:
                break
            steps.append(self.opened.session.perform(step.event))
        self._take(steps)
        return steps[-1].after.digest() == wanted[-1].after.digest()

    def entry(self, number: int) -> ListedWidget:
        """The widget of this number. Raises UsageError."""
        for entry in self.entries:
            if entry.number == number:
                return entry
        raise self.no_entry(str(number))

    def no_entry(self, word: str) -> UsageError:
        """The error for something that is no number of a widget on this screen."""
        highest = max((entry.number or 0 for entry in self.entries), default=0)
        return UsageError(f"no number {printable(word)} on this screen; there are {highest}")

    def swipe(self, way: str, entry: ListedWidget | None = None) -> Swipe:
        """The event of a swipe across a widget, or across the screen. Raises UsageError for an unknown direction."""
        if way not in WAYS:
            raise UsageError("swipe: up, down, left or right?")
        across, down = WAYS[way]
        left, top, right, bottom = entry.widget.bounds if entry else (0, 0, self.screen.width, self.screen.height)
        x, y = (left + right) // 2, (top + bottom) // 2
        # A quarter of the length on each side of the centre: a swipe from an edge may be a system gesture.
        reach_x, reach_y = across * (right - left) // 4, down * (bottom - top) // 4
        selector = entry.selector if entry else None
        return Swipe(x - reach_x, y - reach_y, x + reach_x, y + reach_y, selector=selector)

    def turn(self, wanted: str | None = None) -> Rotate:
        """The event of turning the phone: to this orientation, or to the other one. Raises UsageError."""
        now = "landscape" if self.screen.width > self.screen.height else "portrait"
        try:
            return Rotate(wanted if wanted is not None else _TURNS[now])  # type: ignore[arg-type]
        except ValueError as error:
            raise UsageError(f"rotate: {error}") from error

    def process_death(self) -> SystemEvent:
        """The event of the system that kills the app's process and lets the user come back to it.

        Raises Unsupported without the capability.
        """
        if Capability.PROCESS_DEATH not in self.opened.session.capabilities:
            raise Unsupported("this device cannot kill the process and keep the app's saved state")
        return PROCESS_DEATH

    def log_lines(self) -> tuple[str, ...]:
        """What the app has logged since its launch."""
        return tuple(line for step in self.steps for line in step.log)

    def picture(self) -> bytes:
        """The screen as a PNG. Raises Unsupported without the capability."""
        taker = screenshot_taker(self.opened.session)
        if taker is None:
            raise Unsupported("this device takes no screenshots")
        return taker.screenshot()

    def _launch(self) -> Step:
        step = self.opened.session.launch(self.world)
        self.is_gone = False
        return step

    def _take(self, steps: Sequence[Step]) -> None:
        self.steps = tuple(steps)
        self.entries = () if steps[-1].ending.is_final else number_screen(steps[-1].after)


def key_event(name: str) -> Key:
    """The event of a key, named as by Android with or without `KEYCODE_`. Raises UsageError."""
    try:
        return Key(name.upper().removeprefix("KEYCODE_"))
    except ValueError as error:
        raise UsageError(f"key: {error}") from error


def text_event(text: str, entry: ListedWidget | None = None, *, replace: bool = False) -> Text:
    """The event of typing a text into a field, or into the one that has the focus."""
    return Text(text, replace=replace, selector=None if entry is None else entry.selector)
