"""Attacks past the hooks of the twin: what each reached, and that the next launch works."""

from __future__ import annotations

import resource
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from fewtaps.device.session import SessionSettings
from fewtaps.device.twin.device import TwinDevice, TwinSession
from fewtaps.device.twin.jail import JailLimits, jail_problem
from fewtaps.device.twin.process import start_bridge
from fewtaps.device.twin.runtime import prepare
from fewtaps.errors import BridgeError
from fewtaps.model.app import App
from fewtaps.model.crash import CrashKind
from fewtaps.model.ending import Ending
from fewtaps.model.event import StartIntent
from fewtaps.model.trace import Step

pytestmark = [pytest.mark.jvm, pytest.mark.skipif(jail_problem() is not None, reason=str(jail_problem()))]

PACKAGE = "dev.fewtaps.samples.hostile"
SCREEN = '{"package":"a","activity":"a.B","width":9,"height":9,"rotation":0,"windows":[]}'
INVENTED = '{"kind":"exception","thread":"main","exceptions":[{"type":"x.Invented","message":"m","frames":[]}]}'


@pytest.fixture(scope="module")
def device() -> Iterator[TwinDevice]:
    # Smaller than usual, because to fill a disk takes time.
    with TwinDevice(jail=True, limits=JailLimits(disk_mb=192, files=20_000)) as opened:
        yield opened


@pytest.fixture(scope="module")
def session(device: TwinDevice, sample: Callable[[str], App]) -> Iterator[TwinSession]:
    with device.open(sample("hostile"), SessionSettings(launch_ms=500)) as opened:
        yield opened
        # Whatever the last attack was.
        assert opened.launch().ending is Ending.RUNNING


def attack(session: TwinSession, name: str, target: str = "0") -> Step:
    """Launches the app, after whatever was done to its process before, and makes the attack."""
    assert session.launch().ending is Ending.RUNNING
    extras = (("attack", name), ("target", target))
    return session.perform(StartIntent(component=f"{PACKAGE}/.BombActivity", extras=extras))


def outcomes(step: Step, kind: str) -> list[str]:
    """What was blocked, or allowed, in a step."""
    start = f"W/hostile: {kind}: "
    return [line.removeprefix(start) for line in step.log if line.startswith(start)]


def test_no_setting_of_the_kernel_can_be_opened(session: TwinSession) -> None:
    step = attack(session, "settings")
    assert outcomes(step, "ALLOWED") == []
    assert "open the name of core dumps (FileNotFoundException)" in outcomes(step, "blocked")


def test_files_of_the_user_and_names_of_folders_stay_hidden(session: TwinSession, tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("hush")
    step = attack(session, "read", str(secret))
    allowed = outcomes(step, "ALLOWED")
    assert [line for line in allowed if line.startswith("read ")] == []
    assert f"read {secret} (FileNotFoundException)" in outcomes(step, "blocked")
    told = {line.split(" (", 1)[0]: line for line in allowed}
    # The kernel's list of mounts names the folders of this machine from which files are shown.
    told.pop("see /proc/self/mountinfo")
    assert set(told) == {
        "see /proc/self/environ",
        "see /proc/self/cmdline",
        "see /proc/1/cmdline",
        "see the class path",
    }
    private = {str(Path.home()), str(tmp_path), str(Path(sys.prefix).resolve())}
    assert [(name, text) for name, line in told.items() for text in private if text in line] == []


def test_no_port_of_the_machine_can_be_reached(session: TwinSession) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(0.2)
        step = attack(session, "connect", str(server.getsockname()[1]))
        assert len(outcomes(step, "blocked")) == 4 and outcomes(step, "ALLOWED") == []
        with pytest.raises(TimeoutError):
            server.accept()


def test_no_program_starts_and_none_but_java_is_there(session: TwinSession) -> None:
    step = attack(session, "programs")
    assert outcomes(step, "ALLOWED") == ["find the launcher (4096 bytes)"]
    assert "start /opt/twin/java/bin/java (IOException)" in outcomes(step, "blocked")
    assert outcomes(attack(session, "processes"), "blocked") == ["start 600 processes (IllegalStateException)"]


def test_signals_reach_no_process_outside(session: TwinSession) -> None:
    with subprocess.Popen(["sleep", "60"]) as victim:
        try:
            step = attack(session, "signals", str(victim.pid))
            # The app ended its own process, as it may.
            assert step.ending is Ending.LOST
            assert victim.poll() is None
        finally:
            victim.kill()


def test_files_shared_with_the_machine_stay_empty_and_files(session: TwinSession, device: TwinDevice) -> None:
    step = attack(session, "handover")
    assert step.ending is Ending.RUNNING
    assert device._process is not None
    place = device._process.place
    for file in (place.host_report, place.host_record):
        assert file.is_file() and not file.is_symlink() and file.stat().st_size == 0
    # What is handed in is the APK and, for a process that is not the first, the classes that another has translated.
    handed_in = {".apk", ".translated"}
    assert [path.name for path in place.host_inbox.iterdir() if path.suffix not in handed_in] == []


def test_memory_beside_the_heap_ends_in_a_crash_of_the_app(session: TwinSession) -> None:
    assert outcomes(attack(session, "shared"), "ALLOWED") == []
    step = attack(session, "offheap")
    assert step.ending is Ending.CRASHED
    assert step.crash is not None and step.crash.suspect is None
    assert (step.crash.kind, step.crash.exceptions[0].type) == (CrashKind.MEMORY, "java.lang.OutOfMemoryError")


def test_full_disks_and_too_many_open_files_are_refused(session: TwinSession) -> None:
    assert outcomes(attack(session, "descriptors"), "blocked") == ["open 100000 files (FileNotFoundException)"]
    step = attack(session, "disks")
    assert step.ending is Ending.RUNNING
    assert outcomes(step, "ALLOWED") == [] and len(outcomes(step, "blocked")) == 10


@pytest.mark.parametrize(
    ("name", "kind", "words"),
    [
        ("threads", CrashKind.MEMORY, "the app started more than 1000 threads"),
        ("inodes", CrashKind.MEMORY, "the app made more than 20000 files"),
        ("newlines", CrashKind.NATIVE, "the app flooded the output of the twin's process"),
        ("endless", CrashKind.NATIVE, "the app flooded the output of the twin's process"),
        ("huge", CrashKind.NATIVE, "the app flooded the output of the twin's process"),
    ],
)
def test_a_bomb_ends_the_process_and_is_a_finding(session: TwinSession, name: str, kind: CrashKind, words: str) -> None:
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    step = attack(session, name)
    assert step.crash is not None
    if name == "threads" and step.crash.exceptions[0].type == "java.lang.OutOfMemoryError":
        # Where the kernel limits threads too, it may be the first to refuse one.
        assert step.crash.suspect is not None and "unable to create native thread" in step.crash.suspect
    else:
        assert step.crash.suspect is None
        assert step.crash.exceptions[0].message == words
    assert (step.ending, step.crash.kind) == (Ending.CRASHED, kind)
    # In kilobytes: a reply of 200 MB is refused before it is read.
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 160 << 10


def test_a_forged_reply_is_the_apps_word_and_the_next_launch_is_true(session: TwinSession) -> None:
    step = f'{{"screen":{SCREEN},"log":[],"crash":{INVENTED},"ending":"crashed","notes":[],"clock_ms":5}}'
    forged = attack(session, "forged", step)
    assert forged.crash is not None and forged.crash.exceptions[0].type == "x.Invented"
    with pytest.raises(BridgeError, match="malformed"):
        attack(session, "forged", '{"ending":["crashed"],"crash":7}')
    lines = '"",' * 1000 + '""'
    crowded = f'{{"screen":{SCREEN},"log":[{lines}],"ending":"running"}}'
    with pytest.raises(BridgeError, match="malformed step: log: 1001 texts"):
        attack(session, "forged", crowded)
    assert session.launch().after.activity == f"{PACKAGE}.MainActivity"


def test_a_java_runtime_without_room_for_itself_is_told_as_one() -> None:
    """It ends with status 1, as it does for other reasons too."""
    with pytest.raises(BridgeError, match="the twin did not come up, the twin's process ran out of memory"):
        start_bridge(prepare(), JailLimits(addresses_mb=2500), jailed=True)
