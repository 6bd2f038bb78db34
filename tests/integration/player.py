"""A user of a sample app: finds widgets by what is written on them, and remembers what the app answered."""

from __future__ import annotations

from fewtaps.device.twin.device import TwinSession
from fewtaps.model.event import Event, Key, LongPress, Orientation, Rotate, StartIntent, Tap, Text, Wait
from fewtaps.model.phone import Differences
from fewtaps.model.screen import Screen, Widget
from fewtaps.model.trace import Step


class Player:
    """Plays one run of an app from its launch on; every verb returns the player, so that a test reads as a sentence."""

    def __init__(self, session: TwinSession, world: int = 0, phone: Differences | None = None) -> None:
        self.session = session
        self.step: Step = session.launch(world, phone)
        self.heard: list[str] = []
        self._listen()

    @property
    def screen(self) -> Screen:
        """What is shown now."""
        return self.step.after

    @property
    def activity(self) -> str:
        """The simple name of the activity in front, empty if the app is not in front."""
        return (self.screen.activity or "").rpartition(".")[2]

    @property
    def front(self) -> str:
        """What kind of window is topmost, empty if there is none."""
        return self.screen.windows[0].kind.value if self.screen.windows else ""

    @property
    def said(self) -> list[str]:
        """What the app said, under a log tag of its own, in the last step."""
        return [text for line in self.step.log if line.startswith("I/lab: ") for text in line[7:].splitlines() if text]

    @property
    def texts(self) -> list[str]:
        """Every text on the screen, topmost window first."""
        return [widget.text for widget in self.screen.iter_widgets() if widget.text]

    def do(self, event: Event) -> Player:
        """Performs an event."""
        self.step = self.session.perform(event)
        self._listen()
        return self

    def open(self, name: str) -> Player:
        """Starts an activity of the app by its simple name."""
        return self.do(StartIntent(component=f"{self.session.app.package}/.{name}"))

    def tap(self, *labels: str) -> Player:
        """Taps, one after the other, what is labelled, hinted or described so, or has such an id."""
        for label in labels:
            self.do(Tap(*self.widget(label).bounds.centre))
        return self

    def hold(self, label: str) -> Player:
        """Presses long."""
        return self.do(LongPress(*self.widget(label).bounds.centre))

    def type(self, text: str, *, into: str | None = None) -> Player:
        """Types into the focused field, or taps one first."""
        if into is not None:
            self.tap(into)
        return self.do(Text(text))

    def key(self, name: str) -> Player:
        """Presses a key."""
        return self.do(Key(name))

    def back(self) -> Player:
        """Presses Back."""
        return self.key("BACK")

    def rotate(self, to: Orientation) -> Player:
        """Turns the phone."""
        return self.do(Rotate(to))

    def wait(self, ms: int) -> Player:
        """Lets time go by."""
        return self.do(Wait(ms))

    def widget(self, label: str) -> Widget:
        """The widget with this label, description, hint or id, in front rather than behind."""
        front = [located.widget for located in self.screen.iter_touchable()]
        everything = list(self.screen.iter_widgets())
        for widgets in (front, everything):
            for widget in widgets:
                if label in (widget.text, widget.description):
                    return widget
            for widget in widgets:
                if label == widget.hint or (widget.resource_id or "").rpartition(":id/")[2] == label:
                    return widget
        raise AssertionError(f"no {label!r} on the screen of {self.activity}: {self.texts}, {self.step.crash}")

    def shows(self, text: str) -> bool:
        """Whether the text is on the screen."""
        return self.screen.shows(text)

    def _listen(self) -> None:
        self.heard += self.said
