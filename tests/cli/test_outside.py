"""Crashes from outside: their place in lists, what fails a command, and what a baseline knows."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from builders import APP

from fewtaps.cli.crashes import rule_text
from fewtaps.cli.explore import fails
from fewtaps.config import FailOn
from fewtaps.model.crash import Crash, CrashKind, ExceptionInfo
from fewtaps.model.event import Event, Key, Launch, StartIntent, needs_another_app
from fewtaps.model.suspicion import SuspectRule
from fewtaps.model.trace import Step, Trace
from fewtaps.pipeline.findings import CrashFinding, by_weight, read_baseline
from fewtaps.store.rows import CrashRow, RunId, Sighting


def finding(event: Event, *, suspect: str | None = None, is_known: bool = False) -> CrashFinding:
    crash = Crash(CrashKind.EXCEPTION, "main", (ExceptionInfo("java.lang.Error"),), suspect)
    row = CrashRow(crash, crash.fingerprint, 1, 1, 2, Sighting(RunId(1), 0, 1, 1, 0.0), suspect)
    trace = Trace(APP, (Step(Launch()), Step(event)))
    return CrashFinding(row, trace, is_known, is_from_outside=needs_another_app(trace.events, is_reduced=False))


INTENT, BACK = StartIntent(component="com.example.app/.Share"), Key("BACK")


def test_crashes_of_the_screen_come_first_and_suspect_ones_last() -> None:
    suspect, outside, screen = finding(BACK, suspect="x"), finding(INTENT), finding(BACK)
    assert sorted([suspect, outside, screen], key=by_weight) == [screen, outside, suspect]
    assert (outside.to_json()["outside"], screen.to_json()["outside"]) == (True, False)


@pytest.mark.parametrize(
    ("fail_on", "event", "is_known", "expected"),
    [
        ("crash", INTENT, False, True),
        ("screen-crash", INTENT, False, False),
        ("screen-crash", BACK, True, True),
        ("new-screen-crash", BACK, True, False),
        ("new-screen-crash", BACK, False, True),
        ("new-crash", INTENT, False, True),
        ("never", BACK, False, False),
    ],
)
def test_a_command_can_fail_on_crashes_of_the_screen_alone(
    fail_on: str, event: Event, is_known: bool, expected: bool
) -> None:
    assert fails(finding(event, is_known=is_known), FailOn(fail_on)) is expected


def test_a_crash_that_is_known_from_outside_only_is_new_on_the_screen(tmp_path: Path) -> None:
    path = tmp_path / "known.json"
    path.write_text(json.dumps({"crashes": [{"id": "aa", "outside": True}, {"id": "bb"}]}), encoding="utf-8")
    known = read_baseline(path)
    assert known.knows("aa", is_from_outside=True) and not known.knows("aa", is_from_outside=False)
    assert known.knows("bb", is_from_outside=True) and known.knows("bb", is_from_outside=False)


def test_the_rule_of_a_suspect_crash_is_told() -> None:
    crash = Crash(CrashKind.EXCEPTION, "main", suspect="x", rule=SuspectRule.HOST_LIMIT)
    assert rule_text(crash).startswith("rule host_limit: the machine")
    assert "not known" in rule_text(Crash(CrashKind.EXCEPTION, "main", suspect="x"))
