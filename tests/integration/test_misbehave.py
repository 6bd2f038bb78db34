"""Every misbehaviour of the misbehave sample: each step says what happened, and the next launch works."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from integration.player import Player

from fewtaps.device.session import SessionSettings
from fewtaps.device.twin.device import TwinDevice, TwinSession
from fewtaps.model.app import App
from fewtaps.model.crash import CrashKind
from fewtaps.model.ending import Ending
from fewtaps.model.event import Swipe

pytestmark = pytest.mark.jvm

MAIN = "dev.fewtaps.samples.misbehave.MainActivity"


@pytest.fixture(scope="module")
def session(twin: TwinDevice, sample: Callable[[str], App]) -> Iterator[TwinSession]:
    with twin.open(sample("misbehave"), SessionSettings(launch_ms=500)) as opened:
        yield opened


@pytest.fixture
def player(session: TwinSession) -> Iterator[Player]:
    """A fresh run; after the test, whatever the app did to itself, the next launch works."""
    yield Player(session)
    after = Player(session)
    assert after.step.ending is Ending.RUNNING
    assert after.tap("tap_me").shows("after 1 taps")


def patiently(player: Player, button: str) -> Player:
    """Taps a button, wherever it is, and gives the background time to do its worst."""
    if not player.shows(button):
        player.do(Swipe(360, 1200, 360, 200))
    player.tap(button)
    return player if player.step.ending.is_final else player.wait(5000)


@pytest.mark.parametrize(
    ("button", "chain"),
    [
        ("Throw", ["java.lang.IllegalStateException"]),
        ("Null", ["java.lang.NullPointerException"]),
        ("Modify", ["java.util.ConcurrentModificationException"]),
        (
            "Cause chain",
            [
                "java.lang.RuntimeException",
                "java.lang.IllegalArgumentException",
                "java.lang.NumberFormatException",
            ],
        ),
        ("Stack", ["java.lang.StackOverflowError"]),
        ("Static init", ["java.lang.ExceptionInInitializerError", "java.lang.NumberFormatException"]),
        ("Missing class", ["java.lang.NoClassDefFoundError"]),
        ("Handler", ["java.lang.IllegalStateException"]),
        ("Draw", ["java.lang.IllegalStateException"]),
    ],
)
def test_an_exception_on_the_main_thread_is_a_crash(player: Player, button: str, chain: list[str]) -> None:
    step = player.tap(button).step
    assert step.ending is Ending.CRASHED
    assert step.crash is not None
    assert [exception.type for exception in step.crash.exceptions] == chain
    assert (step.crash.kind, step.crash.thread, step.crash.suspect) == (CrashKind.EXCEPTION, "main", None)
    top = step.crash.exceptions[0].frames
    assert any(frame.class_name.startswith("dev.fewtaps.samples.misbehave") for frame in top)
    shown = step.crash.render()
    assert "dev.fewtaps.twin" not in shown
    assert "robo" not in shown.lower()


def test_a_call_on_null_is_worded_as_on_a_phone(player: Player) -> None:
    crash = player.tap("Null").step.crash
    assert crash is not None
    assert crash.exceptions[0].message == (
        "Attempt to invoke virtual method 'void android.widget.TextView.setText(java.lang.CharSequence)'"
        " on a null object reference"
    )


def test_a_class_that_failed_once_stays_broken(player: Player) -> None:
    crash = player.tap("Static again").step.crash
    assert crash is not None
    assert crash.exceptions[0].type == "java.lang.NoClassDefFoundError"


@pytest.mark.parametrize(
    ("button", "root"),
    [
        ("Create", "java.lang.NullPointerException"),
        ("Service", "java.lang.UnsupportedOperationException"),
        ("Receiver", "java.lang.IllegalArgumentException"),
    ],
)
def test_a_component_that_throws_when_it_starts(player: Player, button: str, root: str) -> None:
    step = player.tap(button).step
    assert step.ending is Ending.CRASHED
    assert step.crash is not None and step.crash.root is not None
    assert (step.crash.root.type, step.crash.thread) == (root, "main")
    # As a phone says it: what the system was about, caused by what the app threw.
    assert step.crash.exceptions[0].type == "java.lang.RuntimeException"
    assert (step.crash.exceptions[0].message or "").startswith("Unable to start")


@pytest.mark.parametrize("button", ["Memory", "Big array"])
def test_memory_runs_out(player: Player, button: str) -> None:
    step = player.tap(button).step
    assert step.ending is Ending.CRASHED
    assert step.crash is not None
    assert step.crash.kind is CrashKind.MEMORY
    assert step.crash.root is not None and step.crash.root.type == "java.lang.OutOfMemoryError"


def test_an_activity_that_starts_itself_for_ever_leaves_room_in_memory(player: Player) -> None:
    """Hundreds of them, each covered by the next: what no user will see again must not fill the heap."""
    player.tap("Restless")
    for _ in range(6):
        player.wait(4000)
    assert (player.step.ending, player.step.crash) == (Ending.RUNNING, None)


@pytest.mark.parametrize(
    ("button", "note"),
    [
        ("Native", "native method dev.fewtaps.samples.misbehave.MissingLibrary.answer cannot run"),
        ("Load library", "native library libmissing.so cannot run"),
    ],
)
def test_native_code_does_nothing_and_is_told(player: Player, button: str, note: str) -> None:
    step = player.tap(button).step
    assert (step.ending, step.crash, step.notes) == (Ending.RUNNING, None, (note,))


def test_a_crash_after_native_code_is_suspect(player: Player) -> None:
    step = player.tap("Native", "Throw").step
    assert step.crash is not None
    assert step.crash.suspect is not None and "MissingLibrary.answer" in step.crash.suspect


@pytest.mark.parametrize("button", ["Exit", "Halt", "Kill"])
def test_an_app_that_ends_its_process(player: Player, button: str) -> None:
    step = player.tap(button).step
    assert (step.ending, step.crash) == (Ending.EXITED, None)


@pytest.mark.parametrize(
    ("button", "method"),
    [
        ("Loop", "loop"),
        ("Stubborn", "loop"),
        ("Sleep", "sleepLong"),
        ("Deadlock", "deadlock"),
        ("Wait", "waitForever"),
        ("Join", "joinForever"),
    ],
)
def test_a_main_thread_that_never_comes_back(player: Player, button: str, method: str) -> None:
    step = player.tap(button).step
    assert step.ending is Ending.ANR
    assert step.crash is not None
    assert (step.crash.kind, step.crash.thread) == (CrashKind.ANR, "main")
    frames = step.crash.exceptions[0].frames
    assert (MAIN, method) in {(frame.class_name, frame.method) for frame in frames}
    # Whoever looks at the stack is not part of it.
    assert frames[0].method != "getStackTrace"


def test_a_thread_that_throws_is_a_crash_of_that_thread(player: Player) -> None:
    step = patiently(player, "Thread throw").step
    assert step.ending is Ending.CRASHED
    assert step.crash is not None
    assert step.crash.thread == "thrower"
    assert [exception.type for exception in step.crash.exceptions] == ["java.lang.IllegalStateException"]


def test_a_task_that_throws(player: Player) -> None:
    step = patiently(player, "Task throw").step
    assert step.ending is Ending.CRASHED
    assert step.crash is not None
    assert step.crash.thread.startswith("AsyncTask #")
    assert [exception.type for exception in step.crash.exceptions] == [
        "java.lang.RuntimeException",
        "java.lang.IllegalStateException",
    ]


def test_a_view_touched_from_another_thread(player: Player) -> None:
    """A phone minds only if the layout changes: a line of text for another of the same height does no harm."""
    step = patiently(player, "Foreign view").step
    assert (step.ending, step.crash) == (Ending.RUNNING, None)
    assert player.shows("from another thread")


@pytest.mark.parametrize(
    "button",
    [
        *("Thread loop", "Threads", "Messages", "Delayed", "Invalidate", "Layout"),
        *("Restless", "Print", "Close output", "Interrupt"),
    ],
)
def test_the_app_lives_on(player: Player, button: str) -> None:
    step = patiently(player, button).step
    assert (step.ending, step.crash) == (Ending.RUNNING, None)
    if button == "Restless":
        assert player.activity == "RestlessActivity"
    else:
        player.do(Swipe(360, 300, 360, 1270)).tap("tap_me")
        assert player.shows("later" if button == "Delayed" else "after 1 taps")


def test_messages_that_never_end_leave_room_for_the_user(player: Player) -> None:
    player.tap("Messages", "tap_me", "tap_me")
    assert player.shows("after 2 taps")
