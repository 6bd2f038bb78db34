"""What the bridge sends becomes values, and what makes no sense is refused."""

from __future__ import annotations

import logging
from typing import Any

import pytest

from fewtaps.device.twin.protocol import SeenScreens, parse_played, raise_error
from fewtaps.errors import BridgeError, Unsupported, UnsupportedApp, UsageError
from fewtaps.model.event import Tap
from fewtaps.model.screen import UNSEEN, Screen


def screen(title: str) -> dict[str, Any]:
    root = {"class": "android.widget.FrameLayout", "bounds": [0, 0, 720, 1280]}
    window = {"title": title, "kind": "activity", "root": root}
    return {"package": "com.a", "activity": "com.a.Main", "width": 720, "height": 1280, "windows": [window]}


def played(seen: SeenScreens, **fields: Any) -> Screen:
    return parse_played({"ending": "running", **fields}, Tap(1, 2), UNSEEN, seen).step.after


def test_a_screen_that_comes_again_is_the_same_object() -> None:
    seen = SeenScreens()
    first = played(seen, screen=screen("A"), number=0)
    second = played(seen, screen=screen("B"), number=1)
    assert len(seen) == 2
    assert first != second
    assert played(seen, number=0) is first
    assert played(seen, number=1) is second


def test_a_screen_without_a_number_is_not_remembered() -> None:
    seen = SeenScreens()
    assert played(seen, screen=screen("A")).windows[0].title == "A"
    assert len(seen) == 0


def test_number_zero_given_anew_forgets_all_others() -> None:
    seen = SeenScreens()
    played(seen, screen=screen("A"), number=0)
    played(seen, screen=screen("B"), number=1)
    third = played(seen, screen=screen("C"), number=0)
    assert len(seen) == 1
    assert played(seen, number=0) is third


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"number": 1},
        {"number": -1},
        {"number": "0"},
        {"number": True},
        {"number": 2, "screen": screen("C")},
        {"number": None, "screen": None},
    ],
)
def test_a_step_that_does_not_tell_its_screen_is_refused(fields: dict[str, Any]) -> None:
    seen = SeenScreens()
    played(seen, screen=screen("A"), number=0)
    with pytest.raises(BridgeError, match="malformed step"):
        played(seen, **fields)
    assert len(seen) == 1


def test_the_java_stack_of_a_failure_is_kept() -> None:
    error = {"kind": "internal", "message": "NullPointerException", "stack": "java.lang.NullPointerException\n\tat x.y"}
    with pytest.raises(BridgeError, match="the bridge failed: NullPointerException") as caught:
        raise_error(error, opening=False)
    assert caught.value.stack == "java.lang.NullPointerException\n\tat x.y"


@pytest.mark.parametrize(
    ("kind", "opening", "expected"),
    [("usage", False, UsageError), ("unsupported", False, Unsupported), ("unsupported", True, UnsupportedApp)],
)
def test_the_java_stack_of_a_refusal_is_logged(
    kind: str, opening: bool, expected: type[Exception], caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "fewtaps.device.twin.protocol")
    with pytest.raises(expected, match="not this"):
        raise_error({"kind": kind, "message": "not this", "stack": "java.lang.Some\n\tat x.y\n"}, opening=opening)
    assert "java.lang.Some\n\tat x.y" in caplog.text
