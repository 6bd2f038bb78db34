"""A recording changes nothing of the run, and says the same each time."""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from elsewhere import played_elsewhere
from integration.conftest import SAMPLES, OpenSample
from sample_settings import settings_of

from fewtaps.config import DeviceSettings
from fewtaps.device.jobs import JobContext
from fewtaps.device.twin.device import TwinSession
from fewtaps.device.twin.usage import family
from fewtaps.errors import UsageError
from fewtaps.model.event import Swipe, Tap
from fewtaps.model.run_record import KIND_SHIFT, PAYLOAD, RECORD_ALL, RecordedRun, RecordWish, RunRecord, Word
from fewtaps.model.trace import Step
from fewtaps.pipeline.opening import plan_app
from fewtaps.replay import PlayEvents, PlayRecorded
from fewtaps.tracefile import read_trace, trace_to_bytes

pytestmark = pytest.mark.jvm

TRACES = sorted(path.relative_to(SAMPLES).as_posix() for path in SAMPLES.glob("*/crash*.jsonl"))


def opened(open_sample: OpenSample, trace: str) -> TwinSession:
    name = trace.partition("/")[0]
    return open_sample(name, replace(settings_of(name), coverage="off"))


def recorded(session: TwinSession, trace: str, world: int | None = None, wish: RecordWish = RECORD_ALL) -> RecordedRun:
    return PlayRecorded(read_trace(SAMPLES / trace).events, world, wish=wish).run(session, JobContext())


def normal(record: RunRecord) -> list[tuple[Word, object]]:
    """The words with values in place of their numbers, and with objects numbered in the order of their first use."""
    objects: dict[int, int] = {0: 0}
    told: list[tuple[Word, object]] = []
    for word in record.words.tolist():
        kind, payload = Word(word >> KIND_SHIFT), word & PAYLOAD
        if kind in (Word.OBJECT, Word.UNWOUND, Word.INPUT):
            told.append((kind, objects.setdefault(payload, len(objects))))
        elif kind in (Word.VALUE, Word.NOTE):
            told.append((kind, record.values[payload]))
        else:
            told.append((kind, payload))
    return told


def payloads(record: RunRecord, kind: Word) -> list[int]:
    return [int(word) & PAYLOAD for word in record.words if int(word) >> KIND_SHIFT == kind]


@pytest.mark.parametrize("trace", TRACES)
def test_a_recording_changes_nothing(open_sample: OpenSample, trace: str) -> None:
    session = opened(open_sample, trace)
    events = read_trace(SAMPLES / trace).events
    for world in (0, 3):
        plain = PlayEvents(events, world, keeps_decisions=True).run(session, JobContext())
        run = recorded(session, trace, world)
        assert trace_to_bytes(run.trace) == trace_to_bytes(plain.trace)
        assert session.decisions() == plain.decisions
        assert len(run.record.words) > 0
        assert run.record.complete


def test_a_recording_is_a_value_that_another_process_makes_too(open_sample: OpenSample) -> None:
    session = opened(open_sample, "feed/crash.jsonl")
    job = PlayRecorded(read_trace(SAMPLES / "feed/crash.jsonl").events, 3)
    here = pickle.loads(pickle.dumps(job.run(session, JobContext())))
    plan = replace(plan_app(str(SAMPLES / "feed.apk"), DeviceSettings()), session=session.settings)
    (there,) = played_elsewhere(plan, [(0, job)])
    assert trace_to_bytes(there.trace) == trace_to_bytes(here.trace)
    assert normal(there.record) == normal(here.record)
    assert there.record.threads == here.record.threads


def test_the_same_run_is_recorded_in_the_same_words(open_sample: OpenSample) -> None:
    session = opened(open_sample, "feed/crash.jsonl")
    first, second = (recorded(session, "feed/crash.jsonl", 3).record for _ in range(2))
    assert normal(first) == normal(second)
    assert first.threads == second.threads
    assert len(first.threads) > 1


def test_a_window_of_events_has_the_words_of_the_whole_recording(open_sample: OpenSample) -> None:
    session = opened(open_sample, "tipsplit/crash.jsonl")
    whole = recorded(session, "tipsplit/crash.jsonl").record
    last = payloads(whole, Word.EVENT)[-1]
    assert last > 2
    window = recorded(session, "tipsplit/crash.jsonl", wish=RecordWish(last)).record
    (start,) = np.flatnonzero(whole.words == Word.EVENT << KIND_SHIFT | last)
    tail = RunRecord(whole.words[start:], whole.code, whole.values)
    # The window says first which thread has its turn.
    assert normal(window)[1:] == normal(tail)
    assert window.first_event == last
    middle = recorded(session, "tipsplit/crash.jsonl", wish=RecordWish(1, 2)).record
    assert payloads(middle, Word.EVENT) == [1, 2]
    assert not whole.numbered and middle.numbered


def test_objects_have_the_same_numbers_in_all_windows_of_a_run(open_sample: OpenSample) -> None:
    session = opened(open_sample, "tipsplit/crash.jsonl")
    last = payloads(recorded(session, "tipsplit/crash.jsonl").record, Word.EVENT)[-1]
    both = recorded(session, "tipsplit/crash.jsonl", wish=RecordWish(0, last)).record
    early = recorded(session, "tipsplit/crash.jsonl", wish=RecordWish(0, 1)).record
    late = recorded(session, "tipsplit/crash.jsonl", wish=RecordWish(2)).record
    objects = payloads(both, Word.OBJECT)
    assert objects == payloads(early, Word.OBJECT) + payloads(late, Word.OBJECT)
    assert len(set(objects)) > 10


def test_all_work_that_begins_was_handed_on(open_sample: OpenSample) -> None:
    session = opened(open_sample, "feed/crash.jsonl")
    record = recorded(session, "feed/crash.jsonl", 3).record
    handed: set[int] = set()
    for word in record.words.tolist():
        kind, payload = word >> KIND_SHIFT, word & PAYLOAD
        if kind == Word.HAND:
            handed.add(payload)
        elif kind in (Word.TASK, Word.WOKE):
            assert payload == 0 or payload in handed
    assert {"#AsyncTask.execute", "#Executor.execute", "#Thread.start"} <= set(record.values)


def threads_writing(record: RunRecord) -> Iterator[int]:
    for word in record.words.tolist():
        if word >> KIND_SHIFT == Word.TURN:
            yield word & PAYLOAD


def test_background_threads_write_under_their_own_numbers(open_sample: OpenSample) -> None:
    session = opened(open_sample, "feed/crash.jsonl")
    record = recorded(session, "feed/crash.jsonl", 3).record
    assert set(threads_writing(record)) == set(range(len(record.threads)))
    assert record.threads[0] == "main"


def tap_button(session: TwinSession, step: Step, text: str) -> Step:
    """Scrolls to a button of misbehave and taps it."""
    for _ in range(5):
        found = [located.widget for located in step.after.iter_touchable() if located.widget.text == text]
        if found:
            return session.perform(Tap(*found[0].bounds.centre))
        step = session.perform(Swipe(360, 1200, 360, 200))
    raise AssertionError(f"no button {text}")


def test_a_recording_that_is_full_says_so_and_the_run_goes_on(open_sample: OpenSample) -> None:
    session = opened(open_sample, "misbehave/crash.jsonl")
    plain = tap_button(session, session.launch(), "Loop")
    recorded_step = tap_button(session, session.launch_recorded(0, RecordWish(megabytes=1)), "Loop")
    assert recorded_step == plain
    record = session.record()
    assert not record.complete
    # All of the file but its header and its table of values.
    assert 240_000 < len(record.words) < (1 << 20) // 4


def test_an_overflow_of_the_stack_is_recorded_frame_by_frame(open_sample: OpenSample) -> None:
    session = opened(open_sample, "misbehave/crash.jsonl")
    plain = tap_button(session, session.launch(), "Stack")
    assert tap_button(session, session.launch_recorded(), "Stack") == plain
    record = session.record()
    entered = [
        method.first_block
        for each in record.code.classes.values()
        for method in each.methods
        if method.name == "overflow"
    ]
    blocks = payloads(record, Word.BLOCK)
    assert len(entered) == 1
    assert len(payloads(record, Word.UNWOUND)) >= blocks.count(entered[0]) > 100


def test_values_of_chosen_instructions_are_recorded(open_sample: OpenSample) -> None:
    session = opened(open_sample, "calc/crash.jsonl")
    record = recorded(session, "calc/crash.jsonl").record
    (main,) = (each for name, each in record.code.classes.items() if name.endswith(".MainActivity"))
    wanted = tuple(
        (main.name, method.name + method.descriptor, (number,))
        for method in main.methods
        for number, instruction in enumerate(method.instructions)
        if instruction.field is not None and instruction.field.name == "height"
    )
    plain = PlayEvents(read_trace(SAMPLES / "calc/crash.jsonl").events).run(session, JobContext())
    run = recorded(session, "calc/crash.jsonl", wish=RecordWish(values=wanted))
    assert {value.text for value in run.values} >= {"0", "1"}
    assert trace_to_bytes(run.trace) == trace_to_bytes(plain.trace)


def test_a_run_without_a_recording_has_no_record(open_sample: OpenSample) -> None:
    session = opened(open_sample, "calc/crash.jsonl")
    session.launch()
    with pytest.raises(UsageError, match="with a recording first"):
        session.record()


def test_files_of_earlier_recordings_do_not_stay_mapped(open_sample: OpenSample) -> None:
    session = opened(open_sample, "tipsplit/crash.jsonl")
    for _ in range(5):
        recorded(session, "tipsplit/crash.jsonl")
    assert session._process is not None
    name = session._process.place.host_record.name
    lines = [
        line
        for pid in family(session._process.pid)
        for line in Path(f"/proc/{pid}/maps").read_text("utf-8").splitlines()
    ]
    # The present one, and the last: a thread may have been about to write a word.
    assert 1 <= sum(Path(line.partition("/")[2].removesuffix(" (deleted)")).name == name for line in lines) <= 2
