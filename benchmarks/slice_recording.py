"""Recordings of runs on the twin: how much time and room they take, and whether they change anything."""

from __future__ import annotations

import os
import statistics
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random

import numpy as np
from random_events import play_random
from recorded import SAMPLES
from sample_settings import settings_of

from fewtaps.apk.reader import read_apk
from fewtaps.device.jobs import JobContext
from fewtaps.device.recorded import RecordedSession
from fewtaps.device.session import Session, SessionSettings
from fewtaps.device.twin.device import TwinDevice
from fewtaps.model.event import Swipe, Tap
from fewtaps.model.run_record import KIND_SHIFT, RECORD_ALL, RecordWish, RunRecord, Word
from fewtaps.model.screen import Screen
from fewtaps.model.trace import Trace
from fewtaps.replay import PlayEvents, PlayRecorded, play
from fewtaps.tracefile import read_trace, trace_to_bytes

NOT_REPEATABLE = frozenset({"hostile", "misbehave"})
"""One must not run without a jail; real time ends the other, with all its endless loops, somewhere."""
RANDOM_EVENTS = 40
LOOP_APP = "misbehave"
LOOP_BUTTON = "Loop"
LOOP_MB = 1800
"""The loop turns 105 million times until the app counts as hung, and writes 12 bytes each time."""


@dataclass(frozen=True, slots=True)
class RecordingCost:
    """What the recording of one trace takes. `words` are 4 bytes each; instructions are those of the code model."""

    name: str
    plain_seconds: float
    recorded_seconds: float
    words: int
    instructions: int

    @property
    def ratio(self) -> float:
        return self.recorded_seconds / self.plain_seconds

    @property
    def bytes_per_instruction(self) -> float:
        return 4 * self.words / self.instructions if self.instructions else 0.0


def sample_traces() -> Iterator[tuple[Path, Path]]:
    """The APK and the trace of every known crash of every sample."""
    for path in sorted(SAMPLES.glob("*/crash*.jsonl")):
        yield SAMPLES / f"{path.parent.name}.apk", path


def settings_for(apk: Path) -> SessionSettings:
    return replace(settings_of(apk.stem), coverage="off")


def executed(record: RunRecord) -> int:
    """The instructions of all blocks that ran; the last block of a run that crashed counts as a whole."""
    blocks = record.words[record.words >> KIND_SHIFT == Word.BLOCK]
    if not len(blocks):
        return 0
    lengths = np.zeros(int(blocks.max()) + 1, dtype=np.int64)
    for each in record.code.classes.values():
        for method in each.methods:
            for number, block in enumerate(method.blocks):
                if method.first_block + number < len(lengths):
                    lengths[method.first_block + number] = max(0, block.last - block.first + 1)
    return int(lengths[blocks].sum())


def cost_of_trace(device: TwinDevice, apk: Path, path: Path, runs: int) -> RecordingCost:
    """Plays the trace with and without a recording in turns, after a run of each that loads the classes."""
    trace = read_trace(path)
    with device.open(read_apk(apk), settings_for(apk)) as session:
        plain: list[float] = []
        recorded: list[float] = []
        for _ in range(runs + 1):
            plain.append(seconds_of(session, trace))
            recording = RecordedSession(session)
            recorded.append(seconds_of(recording, trace))
        record = recording.record()
    name = apk.stem if path.stem == "crash" else f"{apk.stem} {path.stem.removeprefix('crash-')}"
    return RecordingCost(
        name, statistics.median(plain[1:]), statistics.median(recorded[1:]), len(record.words), executed(record)
    )


def seconds_of(session: Session, trace: Trace) -> float:
    """The time of one run as `fewtaps replay` plays it; the answer to `record` is not part of it."""
    began = time.monotonic()
    play(session, trace.events, world=trace.world)
    return time.monotonic() - began


def cost_of_loop(device: TwinDevice) -> RecordingCost:
    """The cost of a loop that computes: the same number of turns with and without a recording."""
    with device.open(read_apk(SAMPLES / f"{LOOP_APP}.apk"), SessionSettings(coverage="off", launch_ms=500)) as session:
        seconds: list[float] = []
        for is_recorded in (False, True):
            step = session.launch_recorded(0, RecordWish(megabytes=LOOP_MB)) if is_recorded else session.launch()
            while (target := _button(step.after, LOOP_BUTTON)) is None:
                step = session.perform(Swipe(360, 1200, 360, 200))
            began = time.monotonic()
            session.perform(target)
            seconds.append(time.monotonic() - began)
        record = session.record()
    plain, recorded = seconds
    return RecordingCost("a computing loop", plain, recorded, len(record.words), executed(record))


def _button(screen: Screen, text: str) -> Tap | None:
    found = [located.widget for located in screen.iter_touchable() if located.widget.text == text]
    return Tap(*found[0].bounds.centre) if found else None


def differences(device: TwinDevice, apk: Path, worlds: Sequence[int]) -> Iterator[str]:
    """Plays the sample's crashes and random events in all these worlds, with and without a recording.

    Names each run in which a step, the clock, a decision or the crash differs, and says whether a second run without a
    recording differs from the first as well.
    """
    with device.open(read_apk(apk), settings_for(apk)) as session:
        for world in worlds:
            steps = play_random(session, Random(world), RANDOM_EVENTS, world)
            runs = {"random events": tuple(step.event for step in steps)}
            runs |= {path.name: read_trace(path).events for path in sorted((SAMPLES / apk.stem).glob("crash*.jsonl"))}
            for name, events in runs.items():
                plain = PlayEvents(events, world, keeps_decisions=True).run(session, JobContext())
                run = PlayRecorded(events, world, wish=RECORD_ALL).run(session, JobContext())
                what = first_difference(plain.trace, run.trace)
                if what is None and session.decisions() != plain.decisions:
                    what = "another decision"
                if what is not None:
                    again = PlayEvents(events, world, keeps_decisions=True).run(session, JobContext())
                    same = again.decisions == plain.decisions and first_difference(plain.trace, again.trace) is None
                    cause = "" if same else " (a second run without a recording differs too)"
                    yield f"{apk.stem}, world {world}, {name}: {what}{cause}"


def first_difference(plain: Trace, recorded: Trace) -> str | None:
    """Where the bytes of two traces begin to differ: the line of the file, and some of both; None if they do not."""
    ours, theirs = (trace_to_bytes(each).splitlines() for each in (plain, recorded))
    for number, (one, other) in enumerate(zip(ours, theirs, strict=False)):
        if one != other:
            at = len(os.path.commonprefix([one, other]))
            start = max(0, at - 40)
            return f"step {number - 1}: {one[start : at + 60]!r}, with a recording {other[start : at + 60]!r}"
    return None if len(ours) == len(theirs) else f"{len(ours) - 1} steps, with a recording {len(theirs) - 1}"
