from __future__ import annotations

import errno
import json
import os
from dataclasses import fields, replace
from pathlib import Path

import pytest
from builders import APP, crash, screen, trace, traces, widget
from hypothesis import given

from fewtaps.errors import StoreError, UsageError
from fewtaps.model.app import AppRef
from fewtaps.model.coverage import Coverage, ProbeSet
from fewtaps.model.ending import Ending
from fewtaps.model.event import EVENT_TYPES, KINDS, Launch, Selector, Tap
from fewtaps.model.expectation import Expectation, ExpectedWidget
from fewtaps.model.state import StateId
from fewtaps.model.trace import Step, Trace
from fewtaps.tracefile import read_trace, trace_from_lines, trace_to_records, write_trace

HEADER = '{"fewtaps":"trace","version":1,"app":{"package":"com.example.app"}}'
LAUNCH = '{"event":{"kind":"launch"}}'


def written(folder: Path, *lines: str) -> Path:
    path = folder / "trace.jsonl"
    path.write_text("\n".join(lines) + "\n")
    return path


@pytest.mark.slow
@given(traces)
def test_every_trace_survives_its_lines(value: Trace) -> None:
    lines = [json.dumps(record) for record in trace_to_records(value)]
    assert trace_from_lines(enumerate(lines, 1)) == value


@pytest.mark.slow
@given(traces)
def test_a_trace_without_observations_keeps_what_was_done(value: Trace) -> None:
    lines = [json.dumps(record) for record in trace_to_records(value, observations=False)]
    again = trace_from_lines(enumerate(lines, 1))
    assert (again.app, again.world, again.profile, again.screen) == (
        value.app,
        value.world,
        value.profile,
        value.screen,
    )
    assert again.events == value.events


def test_a_trace_survives_its_file(tmp_path: Path) -> None:
    value = trace(
        Step(Tap(1, 2), screen(), screen(widget("é\ud800\u2028\n")), crash=crash("a.B.m"), ending=Ending.CRASHED)
    )
    write_trace(tmp_path / "t.jsonl", value)
    assert read_trace(tmp_path / "t.jsonl") == value


def test_text_stays_readable_in_the_file(tmp_path: Path) -> None:
    write_trace(tmp_path / "t.jsonl", trace(Step(Tap(1, 2), after=screen(widget("Grüße")))))
    assert "Grüße" in (tmp_path / "t.jsonl").read_text("utf-8")


def test_the_smallest_trace_is_a_header_and_a_launch(tmp_path: Path) -> None:
    value = read_trace(written(tmp_path, HEADER, LAUNCH))
    assert value.app.package == "com.example.app"
    assert value.events == (Launch(),)
    assert (value.world, value.profile, value.screen) == (0, "default", None)


def test_empty_lines_and_windows_ends_of_line_are_no_trouble(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    path.write_bytes(f"{HEADER}\r\n\r\n{LAUNCH}\r\n\r\n".encode())
    assert read_trace(path).events == (Launch(),)


@pytest.mark.parametrize(
    ("lines", "number", "reason"),
    [
        ([""], 1, "empty"),
        ([HEADER, LAUNCH, '{"event":{"kind":"tap","x":1\n'], 3, "at column 29"),
        ([HEADER, LAUNCH, '{"event":{"kind":"tap","x":' + "9" * 5000 + ',"y":1}}'], 3, "thousands of digits"),
        ([HEADER, LAUNCH, '{"event":{"kind":"tap","x":99999999999,"y":1}}'], 3, "event.x: too large"),
        ([HEADER, LAUNCH, '{"event":{"kind":"wait","ms":99999999999}}'], 3, "event.ms: too large"),
        (["<xml/>"], 1, "not JSON"),
        (["[]"], 1, "not an object"),
        (['{"a":1}'], 1, "not a trace"),
        (['{"fewtaps":"trace","app":{"package":"a"}}'], 1, "version"),
        (['{"fewtaps":"trace","version":5,"app":{"package":"a"}}'], 1, "reads versions 1 to 4, not 5"),
        (['{"fewtaps":"trace","version":4,"app":{"package":"a"},"session":[]}'], 1, "session"),
        (['{"fewtaps":"trace","version":4,"app":{"package":"a"},"session":{"sound":"loud"}}'], 1, "session.sound"),
        (['{"fewtaps":"trace","version":4,"app":{"package":"a"},"session":{"network":"x"}}'], 1, "session.network"),
        (['{"fewtaps":"trace","version":true,"app":{"package":"a"}}'], 1, "version"),
        (['{"fewtaps":"trace","version":1}'], 1, "app"),
        (['{"fewtaps":"trace","version":1,"app":{"package":5}}'], 1, "app.package"),
        (['{"fewtaps":"trace","version":1,"app":{"package":"a"},"screen":[1,2]}'], 1, "screen"),
        (['{"fewtaps":"trace","version":1,"app":{"package":"a"},"world":"x"}'], 1, "world"),
        ([HEADER], 2, "no steps"),
        ([HEADER, '{"event":{"kind":"wait","ms":1}}'], 2, "starts with a launch"),
        ([HEADER, LAUNCH, '{"event":{"kind":"tap","x":1'], 3, "not JSON"),
        ([HEADER, LAUNCH, '{"event":{"kind":"tap","x":1}}'], 3, "event.y"),
        ([HEADER, LAUNCH, '{"event":{"kind":"knock"}}'], 3, "event.kind"),
        ([HEADER, LAUNCH, '{"event":{"kind":"key","name":"BAKC"}}'], 3, "event.name: Android has no key 'BAKC'"),
        ([HEADER, LAUNCH, '{"event":{"kind":"system","name":"rain"}}'], 3, "event.name: not a system event: 'rain'"),
        ([HEADER, LAUNCH, "{}"], 3, "event"),
        ([HEADER, LAUNCH, '{"event":{"kind":"wait","ms":1},"surprise":1}'], 3, "surprise"),
        ([HEADER, LAUNCH, '{"event":{"kind":"wait","ms":1},"ending":"bored"}'], 3, "ending"),
        ([HEADER, LAUNCH, '{"event":{"kind":"wait","ms":1},"ending":[]}'], 3, "ending"),
        ([HEADER, LAUNCH, '{"event":{"kind":"wait","ms":1},"after":{"width":"a"}}'], 3, "after.width"),
        ([HEADER, LAUNCH, '{"event":{"kind":"wait","ms":1},"crash":{"kind":"cold"}}'], 3, "crash.kind"),
        ([HEADER, LAUNCH, '{"event":{"kind":"wait","ms":1},"covered":{"lines":[-1]}}'], 3, "covered.lines"),
        ([HEADER, LAUNCH, '{"event":{"kind":"wait","ms":1},"clock_ms":NaN}'], 3, "NaN"),
        ([HEADER, LAUNCH, '{"event":{"kind":"wait","ms":1},"log":[1]}'], 3, "log"),
        ([HEADER, LAUNCH, "[" * 100_000], 3, "nested too deeply"),
    ],
)
def test_a_broken_line_is_refused_by_its_number(tmp_path: Path, lines: list[str], number: int, reason: str) -> None:
    path = written(tmp_path, *lines)
    with pytest.raises(UsageError) as refused:
        read_trace(path)
    message = str(refused.value)
    assert f"{path}, line {number}: " in message
    assert reason in message
    assert "\n" not in message


def test_what_is_not_text_is_refused_by_its_number(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    path.write_bytes(HEADER.encode() + b"\n\x80\x81\n")
    with pytest.raises(UsageError, match=r"line 2: not text in UTF-8"):
        read_trace(path)


def test_a_file_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="No such file"):
        read_trace(tmp_path / "none.jsonl")


def test_a_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot be read"):
        read_trace(tmp_path)


DOCUMENT = Path(__file__).parents[1] / "docs" / "trace-format.md"


def test_the_example_in_the_docs_is_a_trace(tmp_path: Path) -> None:
    example = DOCUMENT.read_text("utf-8").partition("```json\n")[2].partition("```")[0]
    (tmp_path / "t.jsonl").write_text(example)
    assert len(read_trace(tmp_path / "t.jsonl").steps) == 2


def test_the_docs_name_every_kind_and_field() -> None:
    document = DOCUMENT.read_text("utf-8")
    words = [*KINDS, *(field.name for kind in EVENT_TYPES for field in fields(kind)), *(end.value for end in Ending)]
    assert [word for word in words if f"`{word}`" not in document] == []


def test_a_trace_cannot_be_written_where_there_is_no_folder(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot be written"):
        write_trace(tmp_path / "none" / "t.jsonl", trace())


def test_a_full_disk_leaves_the_old_file_and_no_half_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "t.jsonl"
    write_trace(path, trace())
    before = path.read_bytes()

    def full(source: str, target: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(StoreError, match="the disk is full"):
        write_trace(path, trace(Tap(1, 2)))
    assert path.read_bytes() == before
    assert [each.name for each in tmp_path.iterdir()] == ["t.jsonl"]


def test_the_screen_before_is_written_only_where_it_is_a_surprise() -> None:
    first, second = screen(widget("1")), screen(widget("2"))
    steps = (Step(Launch(), after=first), Step(Tap(1, 2), first, second), Step(Tap(1, 2), first, first))
    records = list(trace_to_records(Trace(APP, steps)))
    assert ["before" in record for record in records] == [False, False, False, True]


EXPECTING = Step(
    Tap(1, 2),
    ran=Coverage(branches=ProbeSet.of([3, 4])),
    asked_world=False,
    expect=Expectation(
        activity="a.Main",
        state=StateId("s1"),
        widgets=(ExpectedWidget(Selector(resource_id="a:id/sum"), text="12"), ExpectedWidget(Selector(), checked=True)),
        masked=(Selector(resource_id="a:id/now"),),
    ),
)


def test_the_settings_of_the_session_survive_a_file_and_make_it_one_of_version_4(tmp_path: Path) -> None:
    played = replace(trace(), session=(("content", "empty"), ("network", "online")))
    write_trace(tmp_path / "t.jsonl", played)
    header = json.loads((tmp_path / "t.jsonl").read_text().splitlines()[0])
    assert (header["version"], header["session"]) == (4, {"content": "empty", "network": "online"})
    assert read_trace(tmp_path / "t.jsonl") == played


def test_the_fields_of_version_2_survive_a_file(tmp_path: Path) -> None:
    trace = Trace(AppRef("a"), (Step(Launch()), EXPECTING))
    write_trace(tmp_path / "t.jsonl", trace)
    assert read_trace(tmp_path / "t.jsonl") == trace
    assert json.loads((tmp_path / "t.jsonl").read_text().splitlines()[0])["version"] == 2


def test_a_trace_without_the_new_fields_is_written_as_version_1(tmp_path: Path) -> None:
    write_trace(tmp_path / "t.jsonl", Trace(AppRef("a"), (Step(Launch()),)))
    assert json.loads((tmp_path / "t.jsonl").read_text().splitlines()[0])["version"] == 1


def test_expectations_are_written_without_the_observations() -> None:
    trace = Trace(AppRef("a"), (Step(Launch()), EXPECTING))
    records = list(trace_to_records(trace, observations=False))
    assert set(records[2]) == {"event", "expect"}
    assert records[0]["version"] == 2


def test_a_field_of_version_2_is_refused_in_version_1(tmp_path: Path) -> None:
    (tmp_path / "t.jsonl").write_text(f'{HEADER}\n{{"event":{{"kind":"launch"}},"expect":{{}}}}\n')
    with pytest.raises(UsageError, match="line 2: expect: a step has no such field in version 1"):
        read_trace(tmp_path / "t.jsonl")


@pytest.mark.parametrize(
    ("expect", "field"),
    [
        ('{"stat":"x"}', "expect.stat"),
        ('{"ending":"asleep"}', "expect.ending"),
        ('{"widgets":[{"text":"x"}]}', "expect.widgets.selector"),
        ('{"widgets":[{"selector":{},"colour":1}]}', "expect.widgets.colour"),
        ('{"masked":{}}', "expect.masked"),
        ("[]", "expect.expect"),
    ],
)
def test_a_wrong_expectation_is_refused_by_its_line_and_field(tmp_path: Path, expect: str, field: str) -> None:
    header = HEADER.replace('"version":1', '"version":2')
    (tmp_path / "t.jsonl").write_text(f'{header}\n{{"event":{{"kind":"launch"}},"expect":{expect}}}\n')
    with pytest.raises(UsageError, match=f"line 2: {field}"):
        read_trace(tmp_path / "t.jsonl")
