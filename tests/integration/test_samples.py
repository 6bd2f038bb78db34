"""The samples do what their notes say: each `crash.jsonl` ends in the crash it is known for."""

from __future__ import annotations

from pathlib import Path

import pytest
from integration.conftest import SAMPLES, OpenSample

from fewtaps.device.session import SessionSettings
from fewtaps.model.ending import Ending
from fewtaps.model.event import Selector, StartIntent, Wait
from fewtaps.model.goal import SameCrash
from fewtaps.replay import play, reproduce
from fewtaps.tracefile import read_trace, write_trace

pytestmark = pytest.mark.jvm

PACKAGE = "dev.fewtaps.samples"


@pytest.mark.parametrize(
    ("trace", "exception", "place"),
    [
        ("calc/crash", "java.lang.ArithmeticException", "MainActivity.java"),
        ("calc/crash-long", "java.lang.ArithmeticException", "MainActivity.java"),
        ("labels/crash", "java.lang.IllegalStateException", "LabelActivity.java"),
        ("luggage/crash", "java.lang.NullPointerException", "TravellerActivity.java"),
        ("luggage/crash-dialog", "java.lang.NullPointerException", "WeightDialog.java"),
        ("luggage/crash-fragment", "java.lang.NullPointerException", "ItemsFragment.java"),
        ("luggage/crash-result", "java.lang.NullPointerException", "LabelActivity.java"),
        ("misbehave/crash", "java.lang.NumberFormatException", "MainActivity.java"),
        ("museum/crash", "java.lang.ArrayIndexOutOfBoundsException", "PrizeActivity.java"),
        ("museum/crash-audio", "java.lang.NullPointerException", "AudioActivity.java"),
        ("museum/crash-cafe", "java.lang.ArrayIndexOutOfBoundsException", "CafeActivity.java"),
        ("museum/crash-cite", "java.lang.NumberFormatException", "ArchiveActivity.java"),
        ("museum/crash-copy", "java.lang.NullPointerException", "ArchiveActivity.java"),
        ("museum/crash-survey", "java.lang.ArithmeticException", "SurveyActivity.java"),
        ("museum/crash-undo", "java.util.NoSuchElementException", "ColouringActivity.java"),
        ("notes/crash", "java.lang.NullPointerException", "RenameDialog.java"),
        ("shop/crash", "android.database.CursorIndexOutOfBoundsException", "CartService.java"),
        ("tipsplit/crash", "java.lang.ArithmeticException", "Bill.java"),
        ("vault/crash", "java.util.IllegalFormatConversionException", "BoxActivity.java"),
        ("vault/crash-call", "java.lang.NullPointerException", "AirlockStage.java"),
        ("vault/crash-dial", "java.lang.ArrayIndexOutOfBoundsException", "DialStage.java"),
        ("vault/crash-partner", "java.lang.NumberFormatException", "PartnerStage.java"),
        ("vault/crash-row", "java.lang.StringIndexOutOfBoundsException", "RowStage.java"),
        ("wizard/crash", "java.lang.NullPointerException", "SendActivity.java"),
        ("zones/crash", "android.content.ActivityNotFoundException", "ZoneActivity.java"),
    ],
)
def test_a_sample_crashes_as_its_notes_say(open_sample: OpenSample, trace: str, exception: str, place: str) -> None:
    name = trace.partition("/")[0]
    # Only with nobody to show a map does the zones' intent go astray; the others do not mind.
    session = open_sample(name, SessionSettings(neighbours="absent"))
    played = play(session, read_trace(SAMPLES / f"{trace}.jsonl").events)
    notes = [note for step in played.steps for note in step.notes if "not found" in note]
    assert not notes
    assert played.ending is Ending.CRASHED
    assert played.crash is not None and played.crash.root is not None
    assert (played.crash.root.type, played.crash.thread) == (exception, "main")
    assert played.crash.suspect is None
    own = next(frame for frame in played.crash.root.frames if frame.class_name.startswith(PACKAGE))
    assert own.file == place
    # The line is the one that the notes quote.
    assert f"`{own.file}:{own.line}`" in (SAMPLES / name / "NOTES.md").read_text(encoding="utf-8")
    # No step before the last is to blame.
    assert all(step.crash is None for step in played.steps[:-1])


def test_a_map_keeps_zones_alive(open_sample: OpenSample) -> None:
    session = open_sample("zones", SessionSettings(neighbours="present"))
    played = play(session, read_trace(SAMPLES / "zones/crash.jsonl").events)
    assert (played.ending, played.crash) == (Ending.RUNNING, None)


@pytest.mark.parametrize("trace", ["crash", "crash-clear"])
def test_feed_crashes_in_some_worlds_only(open_sample: OpenSample, trace: str) -> None:
    session = open_sample("feed")
    events = read_trace(SAMPLES / f"feed/{trace}.jsonl").events
    crashes = [played.crash for world in range(12) if (played := play(session, events, world=world)).crash]
    assert 0 < len(crashes) < 12
    roots = {crash.root.type for crash in crashes if crash is not None and crash.root is not None}
    assert roots == {"java.lang.IndexOutOfBoundsException"}
    signatures = {crash.signature for crash in crashes if crash is not None}
    assert len(signatures) == 1
    again = reproduce(session, events, SameCrash(signatures.pop()), range(12))
    assert again.met == len(crashes)


@pytest.mark.parametrize(("name", "place"), [("timer", "TimerActivity.java"), ("orders", "TableActivity.java")])
def test_a_race_is_lost_in_some_worlds_only_and_always_in_the_same(
    open_sample: OpenSample, name: str, place: str
) -> None:
    session = open_sample(name)
    events = read_trace(SAMPLES / name / "crash.jsonl").events
    crashes = {world: played.crash for world in range(12) if (played := play(session, events, world=world)).crash}
    assert 0 < len(crashes) < 12
    (signature,) = {crash.signature for crash in crashes.values() if crash is not None}
    root = next(crash.root for crash in crashes.values() if crash is not None)
    assert root is not None and root.type == "java.lang.NullPointerException"
    own = next(frame for frame in root.frames if frame.class_name.startswith(PACKAGE))
    assert own.file == place
    assert f"`{own.file}:{own.line}`" in (SAMPLES / name / "NOTES.md").read_text(encoding="utf-8")
    again = reproduce(session, events, SameCrash(signature), range(12))
    assert again.met == len(crashes)


def test_the_timer_needs_its_time(open_sample: OpenSample) -> None:
    session = open_sample("timer")
    events = [event for event in read_trace(SAMPLES / "timer/crash.jsonl").events if not isinstance(event, Wait)]
    assert all(play(session, events, world=world).crash is None for world in range(12))


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (3, "]]> <![CDATA[ --> <!-- ?> &lt; &#60; &nbsp;"),
        (9, "%s %d %n %1$s %% %(name)s {0} {} {name!r}"),
        (16, "first line\nsecond line\r\nthird line\ttab\x0bvertical\u2028line\u2029paragraph\x85next"),
        (17, "\0zero \1\2 \abell \bback \x1b[31mred\x1b[0m \x1b]0;title\a \x7f \x9b31m"),
        (18, "\u202egnp.elpmas\u202c \u2066isolate\u2069 \u200fmark \u202b"),
        (26, "x" * 9975 + "<script>alert(6)</script>"),
    ],
    ids=["markup", "formats", "lines", "controls", "bidi", "long"],
)
def test_hostile_texts_arrive_as_they_are_and_survive_a_trace_file(
    open_sample: OpenSample, tmp_path: Path, number: int, text: str
) -> None:
    opened = StartIntent(component=f"{PACKAGE}.labels/.LabelActivity", extras=(("number", str(number)),))
    played = play(open_sample("labels"), [opened])
    label = played.steps[-1].after.find(Selector(resource_id=f"{PACKAGE}.labels:id/label"))
    assert label is not None and (label.widget.text, label.widget.description) == (text, text)
    write_trace(tmp_path / "trace.jsonl", played)
    assert read_trace(tmp_path / "trace.jsonl").steps == played.steps


def test_hostile_says_what_it_tried(open_sample: OpenSample) -> None:
    step = open_sample("hostile").launch()
    assert step.ending is Ending.RUNNING
    assert any("hostile" in line for line in step.log)
