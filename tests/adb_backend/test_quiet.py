"""When a screen counts as at rest, with an agent and screens that a test makes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import chain, count, repeat
from typing import Any

import pytest

from fewtaps.device.adb import quiet as quiet_module
from fewtaps.device.adb.quiet import IDLE_MS, KNOWN_IDLE_MS, Quiet
from fewtaps.device.simulated.device import SimulatedDevice
from fewtaps.model.screen import Screen, Widget


@dataclass
class Agent:
    """Counts how long it was asked to wait."""

    waits: list[int] = field(default_factory=list)

    def wait_for_idle(self, milliseconds: int) -> None:
        self.waits.append(milliseconds)


@dataclass
class Phone:
    """Shows one screen after the other; `activity` is what the log has told."""

    screens: Iterator[Screen]
    activity: str

    def look(self) -> Screen:
        screen = next(self.screens)
        self.activity = screen.activity or ""
        return screen


@pytest.fixture
def still() -> Screen:
    device = SimulatedDevice()
    with device.open(device.apps[0]) as session:
        return replace(session.launch().after, activity="Still")


def with_text(screen: Screen, text: str, activity: str) -> Screen:
    """The same screen with another text in its first widget, in another activity."""
    window = screen.windows[0]

    def changed(widget: Widget) -> Widget:
        return replace(widget, text=text, children=())

    return replace(screen, activity=activity, windows=(replace(window, root=changed(window.root)),))


def test_only_the_activity_that_never_rests_is_waited_for_more_briefly(
    still: Screen, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(quiet_module, "BETWEEN_SECONDS", 0.0)
    monkeypatch.setattr(quiet_module, "LONGEST_SECONDS", 0.01)
    agent: Any = Agent()
    phone = Phone((with_text(still, str(number), "Clock") for number in count()), "Clock")
    quiet = Quiet(agent, lambda: phone.look(), lambda: False, lambda: phone.activity)
    assert quiet.wait().restless == 1
    assert agent.waits == [IDLE_MS]
    assert quiet.wait().restless == 0
    assert agent.waits == [IDLE_MS, KNOWN_IDLE_MS]

    # Another activity rests, and gets the whole time also when the event led to it.
    agent.waits.clear()
    phone.screens = repeat(still)
    phone.activity = "Still"
    assert quiet.wait().screen == still
    assert agent.waits == [IDLE_MS]
    phone.activity = "Clock"
    agent.waits.clear()
    assert quiet.wait().screen == still
    assert agent.waits == [KNOWN_IDLE_MS, IDLE_MS - KNOWN_IDLE_MS]

    # What the clock's mask covers counts elsewhere.
    phone.screens = chain([with_text(still, "a", "Still")], repeat(still))
    assert quiet.wait().screen == still
