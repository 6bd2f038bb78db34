"""The rules by which a crash is suspect, and crashes that only another app can cause."""

from __future__ import annotations

import pytest

from fewtaps.model.crash import Crash, CrashKind, crash_from_json, crash_to_json
from fewtaps.model.event import Event, Key, Launch, StartIntent, SystemEvent, is_from_outside, needs_another_app
from fewtaps.model.suspicion import RULES, SuspectRule


def test_every_rule_has_words() -> None:
    assert set(RULES) == set(SuspectRule)


def test_a_crash_keeps_its_rule_in_json_and_one_without_a_rule_has_no_field() -> None:
    crash = Crash(CrashKind.EXCEPTION, "main", suspect="the JVM refused it", rule=SuspectRule.LINKAGE)
    assert crash_from_json(crash_to_json(crash)) == crash
    assert "rule" not in crash_to_json(Crash(CrashKind.EXCEPTION, "main"))
    assert crash_from_json({**crash_to_json(crash), "rule": "of a later version"}).rule is None


@pytest.mark.parametrize(
    ("event", "outside"),
    [
        (Launch(), False),
        (Key("BACK"), False),
        (SystemEvent("low_memory"), False),
        (SystemEvent("broadcast", (("action", "android.intent.action.TIME_TICK"),)), False),
        (SystemEvent("broadcast", (("action", "com.example.REFRESH"),)), True),
        (StartIntent(component="com.example/.Share"), True),
    ],
)
def test_an_intent_and_a_broadcast_that_is_not_the_systems_come_from_outside(event: Event, outside: bool) -> None:
    assert is_from_outside(event) is outside


def test_of_steps_that_were_not_reduced_only_the_last_tells_that_another_app_is_needed() -> None:
    intent, back = StartIntent(component="com.example.app/.Share"), Key("BACK")
    assert needs_another_app([Launch(), intent, back], is_reduced=True)
    assert not needs_another_app([Launch(), intent, back], is_reduced=False)
    assert needs_another_app([Launch(), back, intent], is_reduced=False)
    assert not needs_another_app([Launch(), back], is_reduced=True)
