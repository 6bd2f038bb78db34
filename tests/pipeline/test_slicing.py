"""How recordings are asked for: windows, worlds, time, and what is kept of a slice that could not be made.

The recordings here are made up, so that a run can be longer than any sample's, and crash where a test wants it to.
`tests/integration/test_slicing.py` slices real ones.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest
from projects import THE_APP, death, make_project, path
from slices import bill_slice

from fewtaps.config import DeviceSettings, SliceSettings
from fewtaps.device.pool import SessionPool
from fewtaps.device.session import SessionSettings
from fewtaps.errors import DeviceLost, FewtapsError, NothingToSlice, NotReproduced, UsageError
from fewtaps.model.crash import Crash, CrashKind
from fewtaps.model.recorded_code import Code
from fewtaps.model.run_record import KIND_SHIFT, RecordedRun, RunRecord, Word
from fewtaps.model.slice import Slice
from fewtaps.model.trace import Trace
from fewtaps.pipeline import slicing
from fewtaps.pipeline.cases import read_cases
from fewtaps.pipeline.opening import Plan
from fewtaps.pipeline.slicing import OutOfTime, Slicing, first_difference, slice_case
from fewtaps.replay import Played, PlayEvents, PlayRecorded
from fewtaps.store.database import open_store

CRASHING = path("Home", "List", "Item", "About", crash=death())
PLAN = Plan(THE_APP, DeviceSettings(), "twin", SessionSettings())
ROOM = 10
"""Events that fit into a recording, unless a test says another number."""


@dataclass
class Recorder:
    """Stands in for a pool: each event is one word, and a recording has room for so many of them."""

    trace: Trace = CRASHING
    room: int = ROOM
    crashing: frozenset[int] = frozenset(range(100))
    windows: list[tuple[int, int | None]] = field(default_factory=list)
    worlds: list[int] = field(default_factory=list)
    loses: bool = False
    numbered: bool = True

    def ask(self, job: Any) -> RecordedRun:
        assert isinstance(job, PlayRecorded) and job.world is not None
        if self.loses:
            raise DeviceLost("the device died")
        self.windows.append((job.wish.first_event, job.wish.last_event))
        self.worlds.append(job.world)
        played = self.played(job.world)
        last = len(played.steps) - 1 if job.wish.last_event is None else job.wish.last_event
        events = range(job.wish.first_event, last + 1)
        words = [(int(Word.EVENT) << KIND_SHIFT) | event for event in events[: self.room]]
        record = RunRecord(
            np.array(words, dtype=np.uint32), Code(), first_event=events[0], complete=len(events) <= self.room,
            numbered=self.numbered,
        )  # fmt: skip
        return RecordedRun(played, record)

    def stream(self, jobs: Iterator[PlayEvents], **_: object) -> Iterator[Played]:
        for job in jobs:
            assert job.world is not None
            self.worlds.append(job.world)
            yield Played(self.played(job.world), 1)

    size = 1

    def played(self, world: int) -> Trace:
        if world in self.crashing:
            return replace(self.trace, world=world)
        *steps, last = self.trace.steps
        return replace(self.trace, world=world, steps=(*steps, replace(last, crash=None)))


class FakeSlicer:
    """Stands in for `Slicer`: its slice needs the events from `needed` on."""

    needed = 0
    records: list[RunRecord]

    def __init__(self, record: RunRecord, *_: object) -> None:
        self.record = record
        FakeSlicer.records.append(record)

    def criterion_of_crash(self, crash: Crash) -> str:
        return crash.signature

    def needs_earlier_events(self, criterion: str) -> bool:
        return self.record.first_event > self.needed

    def instructions_to_watch(self, criterion: str) -> dict[str, dict[str, list[int]]]:
        return {"a.B": {"m()V": [3, 4]}}

    def as_passing(self, world: int) -> int:
        return world

    def slice(self, criterion: str, *, passing: int | None = None, **_: object) -> Slice:
        return replace(bill_slice(), notes=() if passing is None else (f"compared with world {passing}",))


@pytest.fixture(autouse=True)
def fake(monkeypatch: pytest.MonkeyPatch) -> None:
    FakeSlicer.needed, FakeSlicer.records = 0, []
    monkeypatch.setattr(slicing, "Slicer", FakeSlicer)


def slicing_with(recorder: Recorder, until: float | None = None) -> Slicing:
    return Slicing(PLAN, cast("SessionPool", recorder), SliceSettings(), until)


def events_of(record: RunRecord) -> list[int]:
    return [int(word) & ((1 << KIND_SHIFT) - 1) for word in record.words]


def test_a_run_that_fits_is_recorded_once_and_played_once_more_for_its_values() -> None:
    recorder = Recorder()
    made = slicing_with(recorder).make(CRASHING, death())
    assert recorder.windows == [(0, None), (0, None)]
    assert made.slice.crash == death().summary
    assert made.slice.step_texts[0] == "Launch" and len(made.slice.step_texts) == len(CRASHING.steps)


def test_a_run_that_does_not_fit_is_recorded_in_windows_from_the_last_event_back() -> None:
    recorder = Recorder(room=2)
    made = slicing_with(recorder).make(CRASHING, death())
    last = len(CRASHING.steps) - 1
    assert recorder.windows[:3] == [(0, None), (last, last), (last - 1, last - 1)]
    assert FakeSlicer.records[-1].first_event == 0
    assert events_of(FakeSlicer.records[-1]) == list(range(last + 1))
    assert any("several parts" in note for note in made.slice.notes)


def test_no_earlier_window_is_recorded_than_the_slice_needs() -> None:
    FakeSlicer.needed = 3
    recorder = Recorder(room=2)
    slicing_with(recorder).make(CRASHING, death())
    assert events_of(FakeSlicer.records[-1]) == [3, 4]


def test_windows_whose_objects_have_other_numbers_are_not_joined() -> None:
    with pytest.raises(UsageError, match="leads back to steps before 4"):
        slicing_with(Recorder(room=2, numbered=False)).make(CRASHING, death())


def test_the_values_are_those_of_the_events_that_were_recorded() -> None:
    FakeSlicer.needed = 3
    recorder = Recorder(room=2)
    slicing_with(recorder).make(CRASHING, death())
    assert recorder.windows[-1] == (3, None)


def test_one_event_that_fills_the_limit_is_named_with_the_options_that_help() -> None:
    with pytest.raises(UsageError, match=r"step 4 alone needs .* 512 MB; --record-mb .* --record app"):
        slicing_with(Recorder(room=0)).make(CRASHING, death())


def test_a_crash_of_some_worlds_is_recorded_in_one_of_them_which_is_named() -> None:
    recorder = Recorder(crashing=frozenset({4, 7}))
    made = slicing_with(recorder).make(CRASHING, death())
    assert made.trace.world == made.slice.world == 4
    (note,) = (note for note in made.slice.notes if "world" in note and "recorded" in note)
    assert note.startswith("recorded in world 4: in world 0 step 4 (") and note.endswith("does not crash")


def test_a_world_that_is_known_to_crash_is_taken_at_once() -> None:
    recorder = Recorder(crashing=frozenset({7}))
    made = slicing_with(recorder).make(CRASHING, death(), worlds={0: False, 1: False, 7: True})
    # World 0 is recorded to be compared with.
    assert recorder.worlds == [7, 7, 0] and made.slice.world == 7


def test_a_flaky_crash_is_compared_with_a_world_that_passes() -> None:
    known = slicing_with(Recorder(crashing=frozenset({0}))).make(CRASHING, death(), worlds={0: True, 3: False})
    assert "compared with world 3" in known.slice.notes
    other = slicing_with(Recorder(crashing=frozenset({4}))).make(CRASHING, death())
    assert "compared with world 0" in other.slice.notes


@pytest.mark.parametrize("worlds", [{0: True, 3: False}, {0: True, 3: True}])
def test_a_run_in_parts_that_is_compared_with_no_passing_world_says_so(worlds: dict[int, bool]) -> None:
    FakeSlicer.needed = 3
    recorder = Recorder(room=2, crashing=frozenset({0}))
    made = slicing_with(recorder).make(CRASHING, death(), worlds=worlds)
    assert set(recorder.worlds) == {0}
    assert any(note.startswith("not compared with a world") for note in made.slice.notes) == (not worlds[3])
    assert made.notes == made.slice.notes[: len(made.notes)]


@pytest.mark.parametrize("asked", [True, False])
def test_a_passing_world_is_looked_for_only_if_the_run_depends_on_its_world(asked: bool) -> None:
    *steps, last = CRASHING.steps
    trace = replace(CRASHING, steps=(*steps, replace(last, asked_world=asked)))
    recorder = Recorder(trace=trace, crashing=frozenset({0, 1, 2}))
    made = slicing_with(recorder).make(trace, death())
    assert ("compared with world 3" in made.slice.notes) == asked
    assert (set(recorder.worlds) == {0}) == (not asked)


def test_a_crash_of_all_known_worlds_is_compared_with_none() -> None:
    recorder = Recorder()
    made = slicing_with(recorder).make(CRASHING, death(), worlds={0: True, 1: True})
    assert recorder.worlds == [0, 0] and not any("compared" in note for note in made.slice.notes)


def test_a_crash_that_no_longer_happens_names_the_step_that_differs() -> None:
    with pytest.raises(NotReproduced, match=r"in 20 worlds: step 4 \(.*\) does not crash"):
        slicing_with(Recorder(crashing=frozenset())).make(CRASHING, death())


def test_another_crash_is_not_sliced_in_the_place_of_the_wanted_one() -> None:
    other = path("Home", "List", "Item", "About", crash=death(method="onStop"))
    with pytest.raises(NotReproduced, match="ends in another crash"):
        slicing_with(Recorder(trace=other)).make(CRASHING, death())


def test_the_first_difference_is_the_first_screen_that_is_another() -> None:
    played = path("Home", "List", "Other", "About", crash=death())
    assert first_difference(CRASHING, played).startswith("step 2 (")
    assert first_difference(CRASHING, played).endswith("leads to another screen")


def test_a_native_crash_is_not_even_recorded() -> None:
    recorder = Recorder()
    with pytest.raises(NothingToSlice, match="native"):
        slicing_with(recorder).make(CRASHING, Crash(CrashKind.NATIVE, "main"))
    assert recorder.windows == []


def test_a_suspect_crash_is_sliced_with_a_note() -> None:
    suspect = death(suspect="a library for phones is missing")
    made = slicing_with(Recorder(trace=path("Home", crash=suspect))).make(path("Home", crash=suspect), suspect)
    assert any("suspect" in note and "a library for phones is missing" in note for note in made.slice.notes)


def test_no_replay_is_begun_after_the_time() -> None:
    recorder = Recorder()
    with pytest.raises(OutOfTime):
        slicing_with(recorder, until=time.monotonic() - 1).make(CRASHING, death())
    assert recorder.windows == []


def keep_first(folder: Path, recorder: Recorder, until: float | None = None) -> tuple[FewtapsError | None, object]:
    """Slices the first crash of a project; the failure, and what the store has of it."""
    make_project(folder)
    with open_store(folder, write=True) as store:
        case = read_cases(store, store.runs.all()[-1].app)[0]
        recorder.trace = case.trace
        sliced = slice_case(store, slicing_with(recorder, until), case)
        found = store.slices.find(case.trace.app, case.row.crash.signature, case.trace.events_digest)
        assert read_cases(store, store.runs.all()[-1].app)[0].is_sliced == (found is not None)
        return sliced.failure, found


def test_a_slice_is_kept_and_the_case_is_sliced(tmp_path: Path) -> None:
    failure, found = keep_first(tmp_path, Recorder())
    assert failure is None and found is not None


def test_the_reason_of_a_crash_that_cannot_be_sliced_is_kept(tmp_path: Path) -> None:
    failure, found = keep_first(tmp_path, Recorder(crashing=frozenset()))
    assert isinstance(failure, NotReproduced) and getattr(found, "failure", "") == str(failure)


@pytest.mark.parametrize("recorder", [Recorder(loses=True), Recorder()])
def test_what_may_go_better_the_next_time_is_not_kept(tmp_path: Path, recorder: Recorder) -> None:
    until = None if recorder.loses else time.monotonic() - 1
    failure, found = keep_first(tmp_path, recorder, until)
    assert failure is not None and found is None
