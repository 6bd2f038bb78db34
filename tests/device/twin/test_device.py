"""The twin's client, against a fake bridge that speaks the real protocol."""

from __future__ import annotations

import errno
import math
import os
import signal
import sys
import threading
import time
from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from fewtaps.device.session import SessionSettings
from fewtaps.device.twin import device as device_module
from fewtaps.device.twin import translated
from fewtaps.device.twin.device import TwinDevice, TwinSession, choose_api, extra_seconds
from fewtaps.device.twin.jail import JailLimits, make_place
from fewtaps.device.twin.process import BridgeDied, BridgeProcess
from fewtaps.errors import (
    ApkError,
    BridgeError,
    DeviceLost,
    DeviceTimeout,
    DeviceUnavailable,
    NotViable,
    StoreError,
    TimeUp,
    Unsupported,
    UnsupportedApp,
    UsageError,
)
from fewtaps.model.app import App
from fewtaps.model.crash import CrashKind
from fewtaps.model.decision import Decision
from fewtaps.model.ending import Ending
from fewtaps.model.event import Launch, Swipe, Tap, Text, Wait
from fewtaps.model.mutant import LoopTurns, Mutant
from fewtaps.model.screen import UNSEEN

FAKE = Path(__file__).with_name("fake_bridge.py")


class Starter:
    """Starts fake bridges and remembers them."""

    def __init__(self, how: str = "") -> None:
        self.how = how
        self.started: list[BridgeProcess] = []

    def __call__(self, api: int) -> BridgeProcess:
        command = [sys.executable, str(FAKE), str(api), self.how]
        process = BridgeProcess(command, make_place(jailed=False), start_seconds=10)
        self.started.append(process)
        return process


@pytest.fixture
def starter() -> Starter:
    return Starter()


@pytest.fixture
def device(starter: Starter) -> Iterator[TwinDevice]:
    with TwinDevice(start=starter, step_seconds=5) as device:
        yield device


@pytest.fixture
def app(tmp_path: Path) -> App:
    path = tmp_path / "a.apk"
    path.write_bytes(b"an apk")
    return App("com.a", path=str(path), digest="0123456789abcdef0123")


@pytest.fixture
def session(device: TwinDevice, app: App) -> Iterator[TwinSession]:
    with device.open(app) as session:
        yield session


def test_launch_and_perform_return_complete_steps(session: TwinSession) -> None:
    first = session.launch()
    assert (first.event, first.before, first.ending) == (Launch(), UNSEEN, Ending.RUNNING)
    assert first.after.activity == "com.a.Main"
    second = session.perform(Tap(1, 2))
    assert second.before == first.after
    assert list(second.covered.lines) == [1, 2]
    assert session.notes == ("a note",)


def test_perform_before_launch_and_after_the_end_is_refused(session: TwinSession) -> None:
    with pytest.raises(UsageError, match="launch"):
        session.perform(Tap(1, 2))
    session.launch()
    step = session.perform(Text("crash"))
    assert step.ending is Ending.CRASHED and step.crash is not None
    with pytest.raises(UsageError, match="over"):
        session.perform(Tap(1, 2))
    assert session.launch().ending is Ending.RUNNING


def test_what_is_no_event_is_refused_before_it_is_sent(session: TwinSession) -> None:
    session.launch()
    with pytest.raises(UsageError):
        session.perform("tap")  # type: ignore[arg-type]
    assert session.perform(Tap(1, 2)).ending is Ending.RUNNING


@pytest.mark.slow
@pytest.mark.parametrize(
    ("how", "kind", "ending"),
    [
        ("kill", CrashKind.MEMORY, Ending.LOST),
        ("segfault", CrashKind.NATIVE, Ending.CRASHED),
        ("forbidden", CrashKind.NATIVE, Ending.CRASHED),
        ("newlines", CrashKind.NATIVE, Ending.CRASHED),
        ("endless line", CrashKind.NATIVE, Ending.CRASHED),
        ("brackets", CrashKind.NATIVE, Ending.CRASHED),
        ("numbers", CrashKind.NATIVE, Ending.CRASHED),
        ("texts", CrashKind.NATIVE, Ending.CRASHED),
        ("exit", CrashKind.EXIT, Ending.EXITED),
        ("full", CrashKind.MEMORY, Ending.CRASHED),
        ("no addresses", CrashKind.MEMORY, Ending.CRASHED),
    ],
)
def test_the_death_of_the_process_is_a_step_and_the_next_launch_works(
    session: TwinSession, starter: Starter, how: str, kind: CrashKind, ending: Ending
) -> None:
    session.launch()
    step = session.perform(Text(how))
    assert step.crash is not None
    assert (step.crash.kind, step.ending) == (kind, ending)
    # A flood is the app's doing for certain.
    assert (step.crash.suspect is None) is (how in ("newlines", "endless line", "brackets", "numbers", "texts"))
    assert step.before.is_seen and not step.after.is_seen
    assert session.launch().ending is Ending.RUNNING
    assert len(starter.started) == 2


def test_death_during_launch_is_a_step_too(session: TwinSession) -> None:
    assert session.launch(world=666).ending is Ending.LOST
    assert session.launch().ending is Ending.RUNNING


def test_a_process_that_died_between_runs_is_replaced_unnoticed(session: TwinSession, starter: Starter) -> None:
    session.launch()
    starter.started[0].kill()
    assert session.launch().ending is Ending.RUNNING
    assert len(starter.started) == 2


def test_the_bridges_own_verdict_of_a_hang_is_an_anr_and_its_process_is_replaced(
    session: TwinSession, starter: Starter
) -> None:
    session.launch()
    step = session.perform(Text("hang"))
    assert step.ending is Ending.ANR
    assert not starter.started[0].is_alive
    assert session.launch().ending is Ending.RUNNING


@pytest.mark.slow
@pytest.mark.parametrize("how", ["silence", "drops"])
def test_silence_past_the_deadline_names_what_was_waited_for(
    session: TwinSession, device: TwinDevice, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    session.launch()
    monkeypatch.setattr(device_module, "STEP_GRACE_SECONDS", 0.0)
    device.step_seconds = 1
    with pytest.raises(DeviceTimeout, match="com.a to get quiet after an event"):
        session.perform(Text(how))
    with pytest.raises((DeviceLost, UsageError)):
        session.perform(Tap(1, 1))
    with pytest.raises(DeviceLost, match="com.a is gone"):
        session.screenshot()
    device.step_seconds = 5
    assert session.launch().ending is Ending.RUNNING


def test_a_second_ctrl_c_leaves_nothing_behind(starter: Starter, monkeypatch: pytest.MonkeyPatch) -> None:
    process = starter(28)

    def interrupt(*arguments: object, **options: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(process, "request", interrupt)
    with pytest.raises(KeyboardInterrupt):
        process.quit()
    assert not process.is_alive
    assert not process.place.host.exists()


def test_death_while_a_picture_is_taken_ends_the_run(session: TwinSession, starter: Starter) -> None:
    session.launch()
    os.kill(starter.started[0].pid, signal.SIGKILL)
    with pytest.raises(DeviceLost, match="asked for screenshot"):
        session.screenshot()
    with pytest.raises(UsageError, match="launch the app again"):
        session.perform(Tap(1, 1))
    assert session.launch().ending is Ending.RUNNING


def test_a_picture_of_a_dead_app_is_refused_with_the_reason(session: TwinSession) -> None:
    session.launch()
    session.perform(Text("hang"))
    with pytest.raises(DeviceLost, match="com.a is gone"):
        session.screenshot()


def test_a_world_that_java_cannot_count_to_is_refused(session: TwinSession) -> None:
    with pytest.raises(UsageError, match="64 bits"):
        session.launch(1 << 63)


def test_long_waits_get_more_time_than_other_events() -> None:
    assert extra_seconds(Tap(1, 1)) == extra_seconds(Wait(1000)) == 0
    assert extra_seconds(Wait(3600 * 1000)) == 72
    assert extra_seconds(Wait(24 * 3600 * 1000)) == 600
    assert extra_seconds(Swipe(0, 0, 1, 1, hold_ms=100_000)) == 2


@pytest.mark.parametrize("how", ["noise", "stranger", "chatter"])
def test_what_others_print_does_not_confuse_the_conversation(session: TwinSession, starter: Starter, how: str) -> None:
    session.launch()
    assert session.perform(Text(how)).ending is Ending.RUNNING
    assert session.perform(Tap(1, 1)).ending is Ending.RUNNING
    if how == "chatter":
        assert starter.started[0].tail.endswith("the end\n")
        assert len(starter.started[0].tail) <= 64 << 10


def test_a_long_request_does_not_block(session: TwinSession) -> None:
    session.launch()
    assert session.perform(Text("y" * (1 << 20))).ending is Ending.RUNNING


def test_a_java_exception_becomes_a_bridge_error_with_its_stack(session: TwinSession) -> None:
    session.launch()
    with pytest.raises(BridgeError, match="NullPointerException") as caught:
        session.perform(Text("fail"))
    assert caught.value.stack == "at x.y"


def test_the_java_stack_of_a_failure_is_in_the_log(session: TwinSession, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO", logger="fewtaps")
    session.launch()
    session.perform(Text("chatter"))
    with pytest.raises(BridgeError):
        session.perform(Text("fail"))
    (record,) = [each for each in caplog.records if "with an error" in each.getMessage()]
    assert "(internal): NullPointerException\nat x.y\n" in record.getMessage()
    assert "last printed by its process:\n(2 other lines are left out)" in record.getMessage()
    assert record.__dict__["texts"].endswith("the end\n")


def test_the_end_of_a_process_is_in_the_log(session: TwinSession, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO", logger="fewtaps")
    session.launch()
    session.perform(Text("exit"))
    (record,) = [each for each in caplog.records if "has ended" in each.getMessage()]
    assert "ended with status" in record.getMessage()
    assert "going" not in record.getMessage() and "going" in record.__dict__["texts"]


def test_the_log_says_what_runs(session: TwinSession, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO", logger="fewtaps")
    session.launch()
    session.close()
    with session._device.open(session.app):
        assert any("is open in process" in record.getMessage() for record in caplog.records)


def test_a_malformed_step_is_a_bridge_error(session: TwinSession) -> None:
    session.launch()
    with pytest.raises(BridgeError, match="malformed"):
        session.perform(Text("malformed"))


def test_one_device_serves_many_apps_with_one_process(device: TwinDevice, app: App, starter: Starter) -> None:
    for _ in range(3):
        with device.open(app) as session:
            session.launch()
    assert len(starter.started) == 1
    assert list(starter.started[0].place.host_inbox.iterdir()) == []


def test_a_session_whose_device_went_on_to_another_app_is_lost_until_launched_again(
    device: TwinDevice, app: App
) -> None:
    with device.open(app) as one:
        one.launch()
        with device.open(app) as other:
            other.launch()
            with pytest.raises(DeviceLost):
                one.perform(Tap(1, 1))
        assert one.launch().ending is Ending.RUNNING
        assert one.perform(Tap(1, 1)).ending is Ending.RUNNING


def test_another_api_level_gets_another_process(device: TwinDevice, app: App, starter: Starter) -> None:
    with device.open(app) as session:
        session.launch()
    with device.open(app, SessionSettings(api=34)) as session:
        session.launch()
    assert [process.hello.api for process in starter.started] == [28, 34]
    assert not starter.started[0].is_alive


def test_a_process_is_not_looked_at_before_it_is_up(
    device: TwinDevice, app: App, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before its mounts are made, the disks that it sees are those of the machine."""
    monkeypatch.setattr("fewtaps.device.twin.process.LOOK_SECONDS", 0.0)
    monkeypatch.setattr("fewtaps.device.twin.process.excess", lambda *arguments: "the app made many files")
    process = BridgeProcess(
        [sys.executable, str(FAKE), "28", ""], make_place(jailed=False), limits=JailLimits(), start_seconds=10
    )
    try:
        with pytest.raises(BridgeDied, match="the app made many files"):
            process.request("memory", {}, timeout_seconds=10, condition="an answer")
    finally:
        process.kill()


@pytest.mark.slow
def test_an_app_that_asks_for_a_large_heap_gets_a_process_with_one(
    device: TwinDevice, app: App, starter: Starter, monkeypatch: pytest.MonkeyPatch
) -> None:
    for each in (app, replace(app, large_heap=True), replace(app, large_heap=True), app):
        with device.open(each) as session:
            session.launch()
    assert len(starter.started) == 3
    given: list[JailLimits] = []

    def start(runtime: object, limits: JailLimits, **options: object) -> BridgeProcess:
        given.append(limits)
        return starter(28)

    monkeypatch.setattr("fewtaps.device.twin.device.start_bridge", start)
    monkeypatch.setattr("fewtaps.device.twin.device.prepare", lambda api, progress: None)
    with TwinDevice(jail=False) as real:
        for each in (app, replace(app, large_heap=True)):
            with real.open(each) as session:
                session.launch()
    usual = JailLimits()
    assert [each.heap_mb for each in given] == [usual.heap_mb, 2 * usual.heap_mb]


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="the system does not tell how large a process is")
def test_a_process_that_grew_too_large_is_replaced_between_runs_only(
    device: TwinDevice, session: TwinSession, starter: Starter
) -> None:
    session.launch(world=1)
    device.rss_limit_mb = 150
    session.launch(world=200)
    session.perform(Tap(1, 1))
    assert len(starter.started) == 1
    session.launch(world=1)
    assert len(starter.started) == 2
    session.launch(world=1)
    assert len(starter.started) == 2


def test_screenshot_and_probes(session: TwinSession) -> None:
    session.launch()
    assert session.screenshot().startswith(b"\x89PNG")
    assert session.probe_map().totals.methods == 1


def test_a_run_tells_what_it_listens_to_and_what_it_executed(session: TwinSession) -> None:
    for question in (session.listening, session.execution_data):
        with pytest.raises(UsageError, match="launch"):
            question()
    session.launch()
    assert session.listening() == {"com.a.PING", "android.intent.action.SCREEN_OFF"}
    assert session.execution_data() == b"\x01\xc0\xc0"


def test_a_crashed_run_listens_no_more_but_tells_what_it_executed(session: TwinSession) -> None:
    session.launch()
    assert session.perform(Text("crash")).ending is Ending.CRASHED
    assert session.listening() == frozenset()
    assert session.execution_data() == b"\x01\xc0\xc0"


def test_what_a_process_executed_is_lost_with_it(session: TwinSession) -> None:
    session.launch()
    session.perform(Text("segfault"))
    with pytest.raises(DeviceLost):
        session.execution_data()
    session.launch()
    assert session.execution_data()


def test_without_coverage_there_is_no_execution_data(device: TwinDevice, app: App) -> None:
    with device.open(app, SessionSettings(coverage="off")) as session:
        session.launch()
        with pytest.raises(Unsupported, match="coverage is off"):
            session.execution_data()


def test_an_unsupported_app_is_told_apart(app: App, monkeypatch: pytest.MonkeyPatch) -> None:
    def start(api: int) -> BridgeProcess:
        command = ["/usr/bin/env", "FAKE_OPEN=unsupported", sys.executable, str(FAKE), str(api)]
        return BridgeProcess(command, make_place(jailed=False), start_seconds=10)

    with TwinDevice(start=start) as device, pytest.raises(UnsupportedApp, match="only native code"), device.open(app):
        pass


def test_an_app_that_is_gone_is_an_apk_error(device: TwinDevice) -> None:
    with pytest.raises(ApkError, match="cannot read"), device.open(App("com.a", path="/nowhere/a.apk")):
        pass


def test_a_full_disk_is_not_the_apps_fault(device: TwinDevice, app: App, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(source: Path, target: Path) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr("fewtaps.device.twin.process.shutil.copyfile", full)
    with pytest.raises(StoreError, match="the disk is full"), device.open(app):
        pass


def test_closing_ends_the_process_and_removes_its_folder(device: TwinDevice, app: App, starter: Starter) -> None:
    with device.open(app) as session:
        session.launch()
    device.close()
    device.close()
    assert not starter.started[0].is_alive
    assert not starter.started[0].place.host.exists()
    with pytest.raises(UsageError, match="closed"):
        session.launch()


@pytest.mark.parametrize(
    ("how", "message"), [("stillborn", "could not find or load main class"), ("newer", "another protocol")]
)
def test_a_bridge_that_does_not_come_up_says_why(how: str, message: str) -> None:
    with pytest.raises(BridgeError, match=message):
        Starter(how)(28)


@pytest.mark.slow
def test_a_bridge_that_never_greets_runs_into_a_deadline() -> None:
    with pytest.raises(DeviceTimeout, match="come up"):
        BridgeProcess([sys.executable, str(FAKE), "28", "mute"], make_place(jailed=False), start_seconds=0.5)


def test_a_command_that_is_not_there_is_unavailable() -> None:
    place = make_place(jailed=False)
    with pytest.raises(DeviceUnavailable):
        BridgeProcess(["/nowhere/java"], place)
    assert not place.host.exists()


def test_the_process_sees_none_of_our_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRET_TOKEN", "hush")
    script = (
        "import os, json; print(json.dumps({'hello': {'protocol': 1, 'java': ','.join(os.environ), 'api': 28}}),"
        " flush=True); input()"
    )
    # The wire form has no spaces after colons.
    script = script.replace("json.dumps(", "json.dumps(separators=(',', ':'), obj=")
    process = BridgeProcess([sys.executable, "-c", script], make_place(jailed=False), start_seconds=10)
    try:
        assert "SECRET_TOKEN" not in process.hello.java
        assert "HOME" in process.hello.java
    finally:
        process.kill()


def test_without_a_jail_starting_is_refused_unless_said_aloud(monkeypatch: pytest.MonkeyPatch, app: App) -> None:
    monkeypatch.setattr(device_module, "jail_problem", lambda: "no jail: install bubblewrap")
    with TwinDevice() as device, pytest.raises(DeviceUnavailable, match="install bubblewrap"), device.open(app):
        pass


@pytest.mark.parametrize(("minimum", "asked", "chosen"), [(8, None, 28), (28, None, 28), (32, None, 33), (8, 34, 34)])
def test_the_api_level_suits_the_app(minimum: int, asked: int | None, chosen: int) -> None:
    assert choose_api(App("com.a", min_sdk=minimum), SessionSettings(api=asked)) == chosen


def test_an_api_level_below_the_apps_minimum_is_refused() -> None:
    with pytest.raises(UsageError, match="com.a needs API level 30 or newer, not 28"):
        choose_api(App("com.a", min_sdk=30), SessionSettings(api=28))


def test_an_app_from_the_future_is_unsupported() -> None:
    with pytest.raises(UnsupportedApp, match="needs API level 99"):
        choose_api(App("com.a", min_sdk=99), SessionSettings())


def test_processes_outlive_the_thread_that_asked_for_them(starter: Starter) -> None:
    from threading import Thread

    thread = Thread(target=starter, args=(28,))
    thread.start()
    thread.join()
    (process,) = starter.started
    try:
        assert process.is_alive
        assert os.getpid() != process.pid
    finally:
        process.kill()


def test_a_run_tells_what_its_world_decided_and_one_that_is_gone_tells_nothing(session: TwinSession) -> None:
    assert session.decisions() == ()
    session.launch()
    assert session.decisions() == (Decision("work begun at Main.load (Main.java:7)", 3000, 3340),)
    session.perform(Text("segfault"))
    assert session.decisions() == ()


MUTANT = Mutant(
    "a.B", "m", "()I", 7, "MATH", 3, "B.java", 0, None, "replaced integer addition with subtraction", "iadd"
)


def test_mutants_are_listed_and_only_the_launch_that_names_one_has_it(session: TwinSession) -> None:
    assert session.mutants() == (MUTANT,)
    launched = session.launch_mutant(MUTANT, 1, turns_limit=500)
    asked = {"class": "a.B", "method": "m", "desc": "()I", "index": 7, "operator": "MATH"}
    assert launched.log[1:] == (str({"mutant": asked, "turns_limit": 500}),)
    assert session.loop_turns() == LoopTurns(12)
    assert session.launch(1).log[1:] == ()
    with pytest.raises(BridgeError, match="list of mutants"):
        session.mutants(["BROKEN"])


def test_after_a_mutant_that_cannot_run_the_app_is_not_launched(session: TwinSession) -> None:
    session.launch()
    with pytest.raises(NotViable, match="MATH at instruction 13 cannot run"):
        session.launch_mutant(replace(MUTANT, index=13))
    with pytest.raises(UsageError, match="launch the app first"):
        session.perform(Tap(1, 1))
    assert session.launch().ending is Ending.RUNNING


@pytest.mark.slow
def test_a_copy_of_this_process_starts_processes_too(session: TwinSession, starter: Starter) -> None:
    """The thread that starts processes is not in it."""
    session.launch()
    child = os.fork()
    if not child:
        signal.alarm(60)
        process = starter(28)
        process.kill()
        os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_an_answer_is_not_waited_for_after_the_cut_off(session: TwinSession, device: TwinDevice) -> None:
    session.launch()
    began = time.monotonic()
    device.cut_off.set(began + 0.5)
    with pytest.raises(TimeUp):
        session.perform(Text("silence"))
    assert device.cut_off.left == 0.0
    with pytest.raises(TimeUp):
        session.launch()
    device.cut_off.set(math.inf)
    assert session.launch().ending is Ending.RUNNING


def test_what_a_process_has_translated_is_handed_to_the_next_one(
    app: App, starter: Starter, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(translated, "_kept", OrderedDict())
    for notes in (("a note",), ("a note", "3 bytes of translated classes")):
        with TwinDevice(start=starter) as device, device.open(app) as session:
            assert session.notes == notes
            session.launch()
    # Another build of the app gets none.
    with TwinDevice(start=starter) as device, device.open(replace(app, digest="f" * 64)) as session:
        assert session.notes == ("a note",)


def test_of_a_few_apps_at_most_classes_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(translated, "_kept", OrderedDict())
    apps = [translated.TranslatedClasses(f"{number:064}") for number in range(translated.MOST_APPS + 1)]
    for each in apps:
        each.keep(b"classes")
    assert [each.is_known for each in apps] == [False] + [True] * translated.MOST_APPS
    apps[0].keep(b"")
    assert not apps[0].is_known, "they were too many to be handed on"


def test_a_cut_off_that_comes_while_an_answer_is_awaited_ends_the_wait(
    session: TwinSession, device: TwinDevice
) -> None:
    session.launch()
    ctrl_c = threading.Timer(0.3, device.cut_off.set, [-math.inf])
    ctrl_c.start()
    with pytest.raises(TimeUp):
        session.perform(Text("silence"))
    ctrl_c.join()
