"""Makes the slice of a crash: plays its steps with a recording, slices it, and plays them once more for the values.

A replay is certain, so whatever one recording cannot answer is answered by another. A run that does not fit into one
recording is recorded in windows of events, the last one first, and an earlier one only if the slice needs it.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path

from fewtaps.config import SliceSettings, parse_line
from fewtaps.device.pool import SessionPool, open_pool
from fewtaps.device.registry import DEFAULT_BACKEND, has_apk
from fewtaps.device.session import Capability
from fewtaps.errors import (
    DeviceError,
    FewtapsError,
    NotFound,
    NothingToSlice,
    NotReproduced,
    TimeUp,
    Unsupported,
    UsageError,
)
from fewtaps.explore.system import PROCESS_DEATH
from fewtaps.exports.slices import SLICE_EXPORTS
from fewtaps.files import write_whole
from fewtaps.model.app import App
from fewtaps.model.crash import Crash, CrashKind
from fewtaps.model.ending import Ending
from fewtaps.model.event import describe, printable
from fewtaps.model.goal import Goal, SameCrash
from fewtaps.model.mapping import ObfuscationMap
from fewtaps.model.recorded_code import Code
from fewtaps.model.run_record import KIND_SHIFT, PAYLOAD, RecordedRun, RecordWish, RunRecord, SeenValue, Word
from fewtaps.model.screen import UNSEEN
from fewtaps.model.slice import Slice
from fewtaps.model.step_state import step_state
from fewtaps.model.told import describe_steps
from fewtaps.model.trace import Aim, Trace
from fewtaps.pipeline.cases import Case, kept_slice, read_cases
from fewtaps.pipeline.exporting import tool_name
from fewtaps.pipeline.goals import remembered_crash
from fewtaps.pipeline.opening import OnDownload, Plan, open_session, plan_app, require_worlds
from fewtaps.pipeline.replaying import replay_in_worlds
from fewtaps.pipeline.resuming import kept_device
from fewtaps.pipeline.slice_files import summaries_in, with_sources
from fewtaps.pipeline.sources import differences, find_trace
from fewtaps.replay import PlayRecorded, finds_widget
from fewtaps.slicing.checking import SelfCheck, instructions_to_check
from fewtaps.slicing.criteria import Criterion
from fewtaps.slicing.passing import PassingRun
from fewtaps.slicing.recompute import Recomputed
from fewtaps.slicing.slicer import Slicer, Values
from fewtaps.slicing.windows import joined
from fewtaps.stopping import check_stop
from fewtaps.store.database import FILE, Store, open_store

TRIES = 3

WORLDS_TRIED = 20
"""Worlds in which the crash is looked for, if it does not happen in the trace's own."""

PASSING_TRIED = 5
"""Worlds in which a run without a crash is looked for, if none is known and the run depends on its world."""

HANG_MEGABYTES = 4
"""The largest recording of a hang: an endless loop fills any, and its first hundred thousand turns tell all of it."""

HANG_TURNS = 2_000_000
"""Jumps back after which a run counts as hung that is known to hang; the device alone would wait for seconds."""

STATES = "page"
"""The abstraction by which two screens count as the same."""

MOST_WRONG = 50
"""Wrong reads that the self-check lists."""

NO_RECORDING = f"this device cannot record what the app's code does, so there is no slice; the {DEFAULT_BACKEND} can"


@dataclass(frozen=True, slots=True)
class MadeSlice:
    """A slice, and what was asked about it.

    `why` answers the question about a line, `log` has every executed instruction if it was asked for, `check` the
    sentences of the self-check, and `mistakes` how many values were not as the slice says. `notes` are about the run.
    """

    app: App
    trace: Trace
    slice: Slice
    crash: Crash | None = None
    why: tuple[str, ...] = ()
    log: Iterator[str] = iter(())
    check: tuple[str, ...] = ()
    mistakes: int = 0
    notes: tuple[str, ...] = ()


def slice_file(name: str, path: str, settings: SliceSettings, progress: OnDownload | None = None) -> MadeSlice:
    """Slices the trace in a file or a recording of another tool; see `fewtaps slice`."""
    source = find_trace(path, None, settings.device)
    plan = plan_app(name, settings.device, trace=source.trace)
    require_worlds(plan.capabilities, settings.world)
    require_recording(plan)
    trace = source.trace if settings.world is None else replace(source.trace, world=settings.world)
    with open_pool(lambda: open_session(plan, progress), tries=TRIES) as pool:
        made = Slicing(plan, pool, settings).make(trace, remembered_crash(trace), Aim(settings.by))
    return replace(made, notes=(*source.losses, *differences(source.trace, plan.app), *made.notes))


@dataclass(frozen=True, slots=True)
class SlicedCrash:
    """A crash of a project with its slice, or with the reason why there is none; `is_kept` if it was made before."""

    case: Case
    slice: Slice | None = None
    made: MadeSlice | None = None
    failure: FewtapsError | None = None
    is_kept: bool = False


def slice_project(
    folder: Path,
    name: str | None,
    settings: SliceSettings,
    progress: OnDownload | None = None,
) -> Iterator[SlicedCrash]:
    """The slices of a project's crashes, or of the one that is named; see `fewtaps slice`.

    A slice that is kept is not made again, unless the settings ask for another one than `fewtaps run` makes. Raises
    NotFound for a name that is no crash, UsageError if the app is not where it was, or not the build that crashed.
    """
    with open_store(folder, write=True) as store, ExitStack() as stack:
        slicing: Slicing | None = None
        for case in _cases(store, folder, name):
            kept = kept_slice(store, case) if settings.is_usual else None
            if kept is not None:
                yield SlicedCrash(case, with_sources(kept, settings.sources), is_kept=True)
                continue
            slicing = slicing or _slicing_of(store, case, settings, stack, progress)
            yield slice_case(store, slicing, case, keeps=settings.is_usual)


def slice_case(store: Store, slicing: Slicing, case: Case, *, keeps: bool = True) -> SlicedCrash:
    """Makes the slice of one crash and keeps it, or keeps the reason why none could be made.

    What may go otherwise the next time is not kept: a lost device, no more time.
    """
    signature, digest = case.row.crash.signature, case.trace.events_digest
    try:
        made = slicing.make(case.trace, case.row.crash, case.aim, case.replays)
    except (NothingToSlice, NotReproduced, UsageError, Unsupported) as error:
        if keeps:
            store.slices.save_failure(case.trace.app, signature, digest, str(error))
        return SlicedCrash(case, failure=error)
    except (DeviceError, OutOfTime, TimeUp) as error:
        return SlicedCrash(case, failure=error)
    if keeps:
        store.slices.save(case.trace.app, signature, digest, slicing.without_sources(made.slice))
    return SlicedCrash(case, made.slice, made)


def _cases(store: Store, folder: Path, name: str | None) -> tuple[Case, ...]:
    runs = store.runs.all()
    if not runs:
        raise NotFound(f"{folder}: nothing has been explored here")
    app = runs[-1].app
    cases = read_cases(store, app)
    if name is None:
        if not cases:
            raise NotFound(f"{folder}: no crash was found, so there is nothing to slice")
        return cases
    trace = store.runs.shortest_trace(name)
    signatures = {step.crash.signature for step in trace.steps if step.crash is not None}
    found = tuple(case for case in cases if case.row.crash.signature in signatures)
    if not found:
        raise UsageError(f"{printable(name, 80)}: only an earlier build of the app showed this crash")
    return found


def _slicing_of(
    store: Store,
    case: Case,
    settings: SliceSettings,
    stack: ExitStack,
    progress: OnDownload | None,
) -> Slicing:
    app = store.runs.app(case.trace.app)
    if app.path and not has_apk(app):
        raise Unsupported(NO_RECORDING)
    kept = kept_device(store.runs.all()[-1])
    given = settings.device
    device = replace(kept, jail=given.jail, anyway=True, mapping=given.mapping or kept.mapping)
    plan = plan_app(app.path or app.package, device, trace=case.trace)
    if plan.app.ref != case.trace.app:
        raise UsageError(
            f"{app.path}: not the build of {app.package} that crashed; `fewtaps slice APK TRACE` takes any"
        )
    require_recording(plan)
    pool = stack.enter_context(open_pool(lambda: open_session(plan, progress), tries=TRIES))
    return Slicing(plan, pool, settings)


def is_project(folder: Path) -> bool:
    """Whether a folder holds a project."""
    return (folder / FILE).is_file()


def write_slice(made: Slice, name: str, output: Path | None) -> str:
    """The slice in a format of `SLICE_EXPORTS`, written to a file, whole or not at all, if one is given."""
    text = SLICE_EXPORTS[name](made, tool_name())
    if output is not None:
        write_whole(output, text.encode("utf-8", "backslashreplace"))
    return text


def require_recording(plan: Plan) -> None:
    """Raises Unsupported, in one line, for a device that cannot record."""
    if not can_record(plan):
        raise Unsupported(NO_RECORDING)


def can_record(plan: Plan) -> bool:
    """Whether slices can be made on the device of a plan."""
    return Capability.RECORDING in plan.capabilities


class OutOfTime(FewtapsError):
    """The time for a slice is up; nothing is wrong with it, so it can be made later."""


class Slicing:
    """Makes slices of one app, on the devices of a pool.

    `until` is the moment, by `time.monotonic`, after which no further replay is begun; None without a limit.
    """

    def __init__(
        self,
        plan: Plan,
        pool: SessionPool,
        settings: SliceSettings,
        until: float | None = None,
    ) -> None:
        self._plan = plan
        self._pool = pool
        self._settings = settings
        self._until = until
        self._mapping = plan.session.names
        self._summaries = summaries_in(settings.summaries)

    def make(
        self, trace: Trace, crash: Crash | None, aim: Aim = Aim.SELECTOR, worlds: Mapping[int, bool] | None = None
    ) -> MadeSlice:
        """The slice of a trace. `crash` is what it should end in, None if that is not known.

        `worlds` says where the trace was seen to crash and where not. Raises NotReproduced if the crash does not happen
        any more, NothingToSlice if no line of the app has a part in it, CriterionError for a line that never ran, and
        OutOfTime.
        """
        _require_code(crash)
        if crash is not None and self._mapping is not None:
            crash = self._mapping.source_crash(crash)
        recording = _Recording(self, trace, crash, aim, worlds or {})
        record, played, notes = recording.first()
        if crash is None or self._mapping is not None:
            # The lines of a crash that was kept may be those of the build.
            crash = _crash_of(played) or crash
        _require_code(crash)
        slicer, criterion = self._slicer(record, crash)
        while record.first_event > 0 and slicer.needs_earlier_events(criterion):
            record = recording.with_earlier(record)
            slicer, criterion = self._slicer(record, crash)
        values = recording.values(record, self._watched(record, slicer, criterion))
        as_paper = self._settings.as_paper
        passing = None if as_paper else self._passing(recording, record)
        if passing is None and not as_paper:
            notes = (*notes, *recording.uncompared())
        made = slicer.slice(criterion, as_paper=as_paper, values=self._renamed(record, values), passing=passing)
        mapped = () if self._mapping is None else self._mapping.notes
        made = replace(
            made,
            notes=(*notes, *made.notes, *_doubts(crash, record, played), *mapped),
            crash="" if self._settings.at is not None or crash is None else crash.summary,
            crash_type="" if self._settings.at is not None or crash is None or crash.root is None else crash.root.type,
            world=played.world,
            step_texts=tuple(describe_steps(played)),
            is_as_paper=as_paper,
        )
        made = with_sources(made, self._settings.sources)
        why = () if self._settings.why is None else slicer.why(criterion, *parse_line(self._settings.why)[:2])
        log = slicer.log_lines() if self._settings.log else iter(())
        result = MadeSlice(self._plan.app, played, made, crash, why=why, log=log, notes=notes)
        if not self._settings.check:
            return result
        check = slicer.check(self._with_names(record, recording.values(record, instructions_to_check(record.code))))
        recomputed = slicer.recompute(criterion, self._with_names(record, values))
        mistakes = check.mistakes + len(recomputed.wrong) + len(recomputed.missing)
        return replace(result, check=(*_check_lines(check), *_recomputed_lines(recomputed)), mistakes=mistakes)

    def _passing(self, recording: _Recording, record: RunRecord) -> PassingRun | None:
        """The same steps, recorded in a world in which they are known not to crash; None without one, or time."""
        if self.has_line or not record.complete or record.first_event:
            return None
        try:
            run = recording.passing()
        except (OutOfTime, TimeUp):
            return None
        if run is None or not run.record.complete:
            return None
        code = run.record.code if self._mapping is None else self._mapping.code(run.record.code)
        slicer = Slicer(replace(run.record, code=code), self._summaries, str(self._settings.summaries))
        return slicer.as_passing(run.trace.world)

    def _slicer(self, record: RunRecord, crash: Crash | None) -> tuple[Slicer, Criterion]:
        check_stop()
        if self._mapping is not None:
            self._mapping.require_fits(record.code)
            record = replace(record, code=self._mapping.code(record.code))
        slicer = Slicer(record, self._summaries, str(self._settings.summaries))
        return slicer, self._criterion(slicer, crash)

    def _criterion(self, slicer: Slicer, crash: Crash | None) -> Criterion:
        settings = self._settings
        if settings.at is not None:
            file, line, execution = parse_line(settings.at)
            return slicer.criterion_at(file, line, execution=execution or None, of=settings.of, event=settings.event)
        assert crash is not None
        if settings.of is not None:
            place = next((frame for each in reversed(crash.exceptions) for frame in each.frames if frame.is_app), None)
            if place is None or place.file is None or not place.line or place.line < 0:
                raise UsageError(f"--of {printable(settings.of, 80)}: the crash has no line of the app; name one")
            return slicer.criterion_at(place.file, place.line, of=settings.of)
        return slicer.criterion_of_crash(crash)

    def _watched(self, record: RunRecord, slicer: Slicer, criterion: Criterion) -> _Watched:
        """The instructions whose values are asked for, by the names of the build."""
        names = _build_names(record.code, self._mapping)
        return tuple(
            (*names.get((class_name, method), (class_name, method)), tuple(numbers))
            for class_name, methods in slicer.instructions_to_watch(criterion).items()
            for method, numbers in methods.items()
        )

    def _with_names(self, record: RunRecord, values: Sequence[SeenValue]) -> Sequence[SeenValue]:
        """The values with the names that the slicer knows."""
        names = {old: new for new, old in _build_names(record.code, self._mapping).items()}
        if not names:
            return values
        found = (names.get((value.class_name, value.method), (value.class_name, value.method)) for value in values)
        pairs = zip(values, found, strict=True)
        return tuple(replace(value, class_name=owner, method=method) for value, (owner, method) in pairs)

    def _renamed(self, record: RunRecord, values: Sequence[SeenValue]) -> Values:
        """The values by class, method and instruction, with the names that the slicer knows."""
        found: dict[tuple[str, str, int], list[str]] = {}
        for value in self._with_names(record, values):
            found.setdefault((value.class_name, value.method, value.instruction), []).append(value.text)
        return found

    def record(self, trace: Trace, world: int, aim: Aim, wish: RecordWish) -> RecordedRun:
        """Plays the trace once, with a recording. Raises OutOfTime if the time is up."""
        self._require_time()
        return self._pool.ask(PlayRecorded(trace.events, world, aim, wish))

    def worlds_meeting(self, trace: Trace, goal: Goal, aim: Aim, worlds: Sequence[int]) -> Iterator[int]:
        """Those of the worlds in which the trace meets the goal; each is played when it is asked for."""
        for play in replay_in_worlds(self._pool, trace.events, worlds, aim):
            if goal.met_by(play.trace):
                yield play.world
            self._require_time()

    def wish(self, first: int = 0, last: int | None = None, values: _Watched | None = None) -> RecordWish:
        """What to record: these events, as the settings say."""
        return RecordWish(first, last, self._settings.record, self._settings.megabytes, values)

    def hang_wish(self, turns: int | None) -> RecordWish:
        """What to record of a run that may hang: all events, in a small file, with a limit on the turns of loops."""
        return replace(self.wish(), megabytes=min(self.megabytes, HANG_MEGABYTES), turns_limit=turns)

    def without_sources(self, made: Slice) -> Slice:
        """The slice without the texts of the sources, which may be those of another day."""
        return made.with_lines(lambda line: replace(line, source=None)) if self._settings.sources else made

    @property
    def has_line(self) -> bool:
        """Whether a line is sliced from and not the crash."""
        return self._settings.at is not None

    @property
    def megabytes(self) -> int:
        """The largest recording."""
        return self._settings.megabytes

    @property
    def has_worlds(self) -> bool:
        """Whether a world can be chosen."""
        return self._plan.has_worlds

    def _require_time(self) -> None:
        check_stop()
        if self._until is not None and time.monotonic() >= self._until:
            raise OutOfTime("the time is up")


_Watched = tuple[tuple[str, str, tuple[int, ...]], ...]
"""Classes, methods with their descriptors, and the numbers of instructions whose values are recorded."""


@dataclass(frozen=True, slots=True)
class _AnyCrash:
    """Met by a trace that crashes, in whatever way."""

    def met_by(self, trace: Trace) -> bool:
        """Whether the trace crashes."""
        return _crash_of(trace) is not None


@dataclass(frozen=True, slots=True)
class _NoCrash:
    """Met by a trace that does not crash."""

    def met_by(self, trace: Trace) -> bool:
        """Whether the trace ends without a crash."""
        return _crash_of(trace) is None


@dataclass(frozen=True, slots=True)
class _AnyEnding:
    """Met by every trace: a line is sliced, wherever the run ends."""

    def met_by(self, trace: Trace) -> bool:
        """Always."""
        return True


class _Recording:
    """The recordings of one trace: the first, earlier windows, and the values."""

    def __init__(
        self, slicing: Slicing, trace: Trace, crash: Crash | None, aim: Aim, worlds: Mapping[int, bool]
    ) -> None:
        self._slicing = slicing
        self._trace = trace
        self._goal: Goal = _AnyEnding() if slicing.has_line else _AnyCrash()
        if crash is not None and not slicing.has_line:
            self._goal = SameCrash(crash.signature)
        self._aim = aim
        self._known = worlds
        self._world = trace.world
        self._last = len(trace.events) - 1
        self._window = 1
        self._asked_world = False
        self._in_parts = False
        self._may_hang = crash is None or crash.kind is CrashKind.ANR
        self._hang: RecordWish | None = None
        if crash is not None and crash.kind is CrashKind.ANR:
            self._hang = slicing.hang_wish(HANG_TURNS)

    def first(self) -> tuple[RunRecord, Trace, tuple[str, ...]]:
        """The recording to begin with: the whole run or, if that is too large, its last event; with notes on it."""
        notes: list[str] = []
        goal = self._goal
        if self._known.get(self._world) is False and any(self._known.values()):
            self._world = next(world for world, met in self._known.items() if met)
            notes.append(f"recorded in world {self._world}: in world {self._trace.world} the crash does not happen")
        hung = self._hung(goal) if self._may_hang else None
        if hung is not None:
            self._last = len(hung.trace.steps) - 1
            if not hung.record.complete:
                notes.append(f"of the hang, the first {HANG_MEGABYTES} MB are recorded")
            return replace(hung.record, complete=True), hung.trace, tuple(notes)
        run = self._record(self._slicing.wish())
        if not goal.met_by(run.trace):
            difference = first_difference(self._trace, run.trace, self._aim)
            self._world = self._other_world(goal, difference)
            notes.append(f"recorded in world {self._world}: in world {self._trace.world} {difference}")
            run = self._record(self._slicing.wish())
        self._last = len(run.trace.steps) - 1
        self._asked_world = self._slicing.has_worlds and any(step.asked_world for step in run.trace.steps)
        record = run.record
        self._in_parts = not record.complete
        if self._in_parts:
            notes.append(f"recorded in several parts, because all of it needs more than {self._slicing.megabytes} MB")
            record = self._part(self._last, self._last)
        return record, run.trace, tuple(notes)

    def passing(self) -> RecordedRun | None:
        """A recording in a world in which the steps do not crash; None if none is known or found."""
        world = next((world for world, met in self._known.items() if not met), None)
        if world is None and self._world != self._trace.world:
            world = self._trace.world
        if world is None and not self._known and self._asked_world:
            worlds = [each for each in range(PASSING_TRIED + 1) if each != self._world]
            found = self._slicing.worlds_meeting(self._trace, _NoCrash(), self._aim, worlds)
            world = next(found, None)
        if world is None:
            return None
        run = self._slicing.record(self._trace, world, self._aim, self._slicing.wish())
        return run if _crash_of(run.trace) is None else None

    def uncompared(self) -> Iterator[str]:
        """Says that a run recorded in parts is compared with no passing world, if there may be one."""
        may_pass = not all(self._known.values()) or self._world != self._trace.world
        if self._in_parts and (may_pass or (not self._known and self._asked_world)):
            yield "not compared with a world in which the steps do not crash, because the run is recorded in parts"

    def _hung(self, goal: Goal) -> RecordedRun | None:
        """A short recording that tells enough: a whole run, or one that hangs in the last of its steps."""
        run = self._record(self._hang or self._slicing.hang_wish(None))
        if not goal.met_by(run.trace):
            return None
        crash = _crash_of(run.trace)
        if crash is not None and crash.kind is CrashKind.ANR:
            self._hang = self._hang or self._slicing.hang_wish(HANG_TURNS)
            return run if run.record.complete or _last_event(run.record) == len(run.trace.steps) - 1 else None
        return run if run.record.complete else None

    def with_earlier(self, record: RunRecord) -> RunRecord:
        """The recording with one more window before it: twice as many events each time, fewer if they do not fit."""
        last = record.first_event - 1
        if not record.numbered:
            raise UsageError(
                f"the slice leads back to steps before {record.first_event}, and all of them do not fit into"
                f" {self._slicing.megabytes} MB; --record-mb allows a larger recording, --record app a narrower one"
            )
        while True:
            first = max(0, last - self._window + 1)
            run = self._record(self._slicing.wish(first, last))
            if run.record.complete:
                self._window *= 2
                return joined(run.record, record)
            if first == last:
                raise self._too_large(first)
            self._window = max(1, self._window // 2)

    def values(self, record: RunRecord, watched: _Watched) -> Sequence[SeenValue]:
        """The values of these instructions, in the order of execution, from a replay of the events of the recording."""
        if not watched:
            return ()
        if self._hang is not None and record.first_event == 0:
            return self._record(replace(self._hang, values=watched)).values
        return self._record(self._slicing.wish(record.first_event, None, watched)).values

    def _part(self, first: int, last: int) -> RunRecord:
        record = self._record(self._slicing.wish(first, last)).record
        if not record.complete:
            raise self._too_large(first)
        return record

    def _too_large(self, event: int) -> FewtapsError:
        megabytes = self._slicing.megabytes
        return UsageError(
            f"step {event} alone needs a recording of more than {megabytes} MB; --record-mb allows a larger one,"
            " --record app a narrower one"
        )

    def _record(self, wish: RecordWish) -> RecordedRun:
        return self._slicing.record(self._trace, self._world, self._aim, wish)

    def _other_world(self, goal: Goal, difference: str) -> int:
        """Another world in which the crash happens; those that are known to come first."""
        start = self._trace.world
        if self._slicing.has_worlds:
            known = [world for world, met in self._known.items() if met and world != start]
            tried = [world for world in range(start + 1, start + WORLDS_TRIED) if world not in self._known]
            found = self._slicing.worlds_meeting(self._trace, goal, self._aim, [*known, *tried])
            for world in islice(found, 1):
                return world
        where = f"in {WORLDS_TRIED} worlds" if self._slicing.has_worlds else "again"
        raise NotReproduced(
            f"the crash does not happen {where}: {difference}; a line can be sliced from too: FILE:LINE"
        )


def first_difference(expected: Trace, played: Trace, by: Aim = Aim.SELECTOR) -> str:
    """Which step of a run was the first that differs from the trace, in words; a trace may remember no screens."""
    for number, (wanted, seen) in enumerate(zip(expected.steps, played.steps, strict=False)):
        text = f"step {number} ({printable(describe(wanted.event), 80)})"
        if seen.crash is not None and (wanted.crash is None or wanted.crash.signature != seen.crash.signature):
            return f"{text} ends in another crash, {printable(seen.crash.summary, 120)}"
        if by is Aim.SELECTOR and not finds_widget(wanted.event, seen.before):
            return f"{text} does not find its widget"
        if wanted.crash is not None and seen.crash is None:
            return f"{text} does not crash"
        if wanted.after != UNSEEN and step_state(wanted, STATES) != step_state(seen, STATES):
            return f"{text} leads to another screen"
    last = len(played.steps) - 1
    if len(played.steps) < len(expected.steps):
        return f"the app ends after step {last}"
    return f"step {last} ({printable(describe(played.steps[last].event), 80)}) does not crash"


def _crash_of(trace: Trace) -> Crash | None:
    """The crash of a trace; an app that ended itself counts as one."""
    found = next((step.crash for step in reversed(trace.steps) if step.crash is not None), None)
    return Crash(CrashKind.EXIT, "main") if found is None and trace.ending is Ending.EXITED else found


def _last_event(record: RunRecord) -> int:
    """The last event of which the recording has words."""
    events = record.words[record.words >> KIND_SHIFT == Word.EVENT]
    return int(events[-1]) & PAYLOAD if len(events) else record.first_event


def _require_code(crash: Crash | None) -> None:
    """Raises NothingToSlice for a crash in native code, of which there are no instructions here."""
    if crash is not None and crash.kind is CrashKind.NATIVE:
        raise NothingToSlice("the crash is in native code, of which no instructions are recorded")


def _doubts(crash: Crash | None, record: RunRecord, played: Trace) -> Iterator[str]:
    """What a reader has to know before trusting the slice."""
    if crash is not None and crash.suspect is not None:
        yield f"the crash is suspect, the device may be at fault: {printable(crash.suspect, 200)}"
    if not record.ordered:
        yield "a thread ran out of turn, so the order of what it did is not certain"
    deaths = [number for number, event in enumerate(played.events) if event == PROCESS_DEATH]
    if deaths:
        yield f"the process ended in step {deaths[-1]}: what static fields held before is gone after it"
    opaque = [
        (f"{each.name}.{method.name}", method.opaque)
        for each in record.code.classes.values()
        for method in each.methods
        if method.opaque is not None
    ]
    if opaque:
        name, reason = opaque[0]
        more = f" and {len(opaque) - 1} more methods" if len(opaque) > 1 else ""
        yield f"without instructions here: {printable(name, 120)} ({printable(reason, 80)}){more}"


def _check_lines(check: SelfCheck) -> Iterator[str]:
    """The self-check in words: how many reads agree, and those that do not by method."""
    wrong = sum(each.count for each in check.wrong)
    yield f"Checked: {check.reads - wrong} of {check.reads} reads show the value that the slice says was written."
    if check.broken_flow:
        yield f"{check.broken_flow} blocks do not follow the one before in the flow graph."
    for each in check.wrong[:MOST_WRONG]:
        times = f", {each.count} times" if each.count > 1 else ""
        yield f"  {each.method}: {each.read} does not show what {each.written} wrote{times}"
    if len(check.wrong) > MOST_WRONG:
        yield f"  … {len(check.wrong) - MOST_WRONG} more"


def _recomputed_lines(recomputed: Recomputed) -> Iterator[str]:
    """In words: how many values came out as recorded when they were computed from the slice alone."""
    right = recomputed.values - len(recomputed.wrong)
    yield (
        f"Recomputed: {right} of {recomputed.values} values, {recomputed.criterion} of them at the criterion, follow"
        f" from the slice alone; {recomputed.given} are results of calls without code here."
    )
    for each in recomputed.wrong[:MOST_WRONG]:
        yield f"  {each.place}: {each.computed} instead of {each.recorded}"
    for place in recomputed.missing[:MOST_WRONG]:
        yield f"  {place}: needed, and not in the slice"


def _build_names(code: Code, mapping: ObfuscationMap | None) -> dict[tuple[str, str], tuple[str, str]]:
    """By class and method with descriptor in the sources, their names in the build."""
    if mapping is None:
        return {}
    names: dict[tuple[str, str], tuple[str, str]] = {}
    for old, new in zip(code.classes.values(), mapping.code(code).classes.values(), strict=True):
        for before, after in zip(old.methods, new.methods, strict=True):
            names[new.name, after.name + after.descriptor] = (old.name, before.name + before.descriptor)
    return names
