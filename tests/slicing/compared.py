"""Slices of the sample apps' crashes, and how they differ from what was written down."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from types import TracebackType

import numpy as np
from sample_settings import settings_of
from slicing.demanded import SAMPLES, SourceLine
from slicing.written_truth import SOURCES, WrittenTruth

from fewtaps.apk.reader import read_apk
from fewtaps.device.jobs import JobContext
from fewtaps.device.twin.device import TwinDevice, TwinSession
from fewtaps.model.crash import Crash, CrashKind
from fewtaps.model.ending import Ending
from fewtaps.model.mapping import read_mapping
from fewtaps.model.recorded_code import ClassCode, Instruction
from fewtaps.model.run_record import KIND_SHIFT, PAYLOAD, RecordedRun, RecordWish, RunRecord, SeenValue, Word
from fewtaps.model.slice import Slice
from fewtaps.model.trace import Trace
from fewtaps.replay import PlayRecorded
from fewtaps.slicing.checking import SelfCheck, instructions_to_check
from fewtaps.slicing.slicer import Slicer

# No loop of a sample that ends takes so many turns.
WISH = RecordWish(turns_limit=300_000)


@dataclass(frozen=True)
class SlicedCrash:
    """A recorded crash and its slice, under the names of the sources."""

    run: RecordedRun
    crash: Crash
    slicer: Slicer
    slice: Slice

    @property
    def lines(self) -> tuple[SourceLine, ...]:
        """The lines of the full slice that have a number, nearest first."""
        return tuple(source_lines((line.place.file, line.place.line) for line in self.slice.lines))

    @property
    def thin_lines(self) -> frozenset[SourceLine]:
        """Those of the thin slice."""
        places = ((line.place.file, line.place.line) for line in self.slice.lines if line.thin)
        return frozenset(source_lines(places))

    def ran(self) -> frozenset[SourceLine]:
        """The lines of the blocks that were entered; the last of them may have been cut short by an exception."""
        return _lines_that_ran(self.slicer.index.record)

    def code_lines(self) -> frozenset[SourceLine]:
        """The lines of which the build has code, in the classes that were loaded."""
        return frozenset(
            source_lines(
                (file_of(owner, instruction), instruction.line)
                for owner in self.slicer.index.record.code.classes.values()
                for method in owner.methods
                for instruction in method.instructions
            )
        )


def _lines_that_ran(record: RunRecord) -> frozenset[SourceLine]:
    kinds = record.words >> KIND_SHIFT
    begun = {int(number) for number in np.unique(record.words[kinds == Word.BLOCK] & PAYLOAD)}
    return frozenset(
        source_lines(
            (file_of(owner, instruction), instruction.line)
            for owner in record.code.classes.values()
            for method in owner.methods
            for number, block in enumerate(method.blocks)
            if method.first_block + number in begun
            for instruction in method.instructions[block.first : block.last + 1]
        )
    )


def file_of(owner: ClassCode, instruction: Instruction) -> str | None:
    """The source file of an instruction: the one it was inlined from, if it was."""
    return owner.file if instruction.inlined is None else instruction.inlined.file


def source_lines(places: Iterable[tuple[str | None, int]]) -> Iterable[SourceLine]:
    """The places that are lines of a source file, each once, in their order."""
    return dict.fromkeys(SourceLine(file, line) for file, line in places if file is not None and line > 0)


class SliceLab:
    """Records and slices, each trace once; all apps stay open on one device."""

    def __init__(self, device: TwinDevice) -> None:
        self._device = device
        self._stack = ExitStack()
        self._sessions: dict[Path, TwinSession] = {}
        self._sliced: dict[tuple[Path, str], SlicedCrash] = {}

    def __enter__(self) -> SliceLab:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        self._stack.close()

    def session(self, apk: Path) -> TwinSession:
        """The open session of an APK; only one at a time, as in one JVM."""
        if apk not in self._sessions:
            self._stack.close()
            opened = self._device.open(read_apk(apk), settings_of(apk.stem))
            self._sessions = {apk: self._stack.enter_context(opened)}
        return self._sessions[apk]

    def sliced(self, apk: Path, trace: Trace, world: int | None = None, wish: RecordWish = WISH) -> SlicedCrash:
        """Plays the trace with a recording and slices its crash; a mapping beside the APK is applied."""
        key = (apk, f"{trace.events_digest}-{world}")
        if key not in self._sliced:
            self._sliced[key] = self._slice(apk, trace, world, wish)
        return self._sliced[key]

    def values(self, apk: Path, sliced: SlicedCrash) -> tuple[SeenValue, ...]:
        """The values of the slice's instructions, from one more replay; for builds without a mapping."""
        wanted = sliced.slicer.instructions_to_watch(sliced.slicer.criterion_of_crash(sliced.crash))
        watched = tuple(
            (owner, method, tuple(numbers)) for owner, methods in wanted.items() for method, numbers in methods.items()
        )
        job = PlayRecorded(sliced.run.trace.events, sliced.run.trace.world, wish=RecordWish(values=watched))
        return job.run(self.session(apk), JobContext()).values

    def checked(self, apk: Path, sliced: SlicedCrash) -> SelfCheck:
        """The self-check of the whole run, from one more replay; for builds without a mapping."""
        wish = replace(WISH, values=instructions_to_check(sliced.slicer.index.record.code))
        job = PlayRecorded(sliced.run.trace.events, sliced.run.trace.world, wish=wish)
        return sliced.slicer.check(job.run(self.session(apk), JobContext()).values)

    def _slice(self, apk: Path, trace: Trace, world: int | None, wish: RecordWish) -> SlicedCrash:
        chosen = trace.world if world is None else world
        run = PlayRecorded(trace.events, chosen, wish=wish).run(self.session(apk), JobContext())
        crash = run.trace.crash
        if crash is None and run.trace.ending is Ending.EXITED:
            crash = Crash(CrashKind.EXIT, "main")
        assert crash is not None, "it does not crash"
        record = run.record
        mapping_file = apk.with_name(f"{apk.stem}-mapping.txt")
        if mapping_file.is_file():
            mapping = read_mapping(mapping_file.read_text(encoding="utf-8"), mapping_file.name)
            record = replace(record, code=mapping.code(record.code))
            crash = mapping.crash(crash)
        slicer = Slicer(record)
        return SlicedCrash(run, crash, slicer, slicer.slice(slicer.criterion_of_crash(crash)))


def build_of(name: str) -> Path:
    """The APK of the programs' build of this name."""
    return SAMPLES / "programs.apk" if name == "debug" else SAMPLES / "programs" / f"{name}.apk"


@dataclass(frozen=True, slots=True)
class BuildLines:
    """How the lines of a build differ from the source: see `samples/programs/left-out.toml`."""

    without_code: frozenset[int] = frozenset()
    instead: frozenset[int] = frozenset()


def read_left_out() -> dict[str, dict[str, BuildLines]]:
    """What the builds of the programs leave out, by build and program."""
    tables = tomllib.loads((SAMPLES / "programs" / "left-out.toml").read_text(encoding="utf-8"))
    return {
        build: {
            name: BuildLines(frozenset(lines["without_code"]), frozenset(lines.get("instead", ())))
            for name, lines in table.items()
        }
        for build, table in tables.items()
    }


def difference(program: WrittenTruth, sliced: SlicedCrash, build: BuildLines) -> list[str]:
    """How a slice differs from the truth, a sentence for each line and step."""
    source = (SOURCES / program.file).read_text(encoding="utf-8").splitlines()
    said = []
    for kind, written, found in (
        ("full", program.full, frozenset(sliced.lines)),
        ("thin", program.thin, sliced.thin_lines),
    ):
        allowed = written | build.instead
        own = {line.number for line in found if line.file == program.file}
        said += [f"{kind}: too much: {line}" for line in sorted(found) if line.file != program.file]
        said += [f"{kind}: too much: {number} {source[number - 1].strip()}" for number in sorted(own - allowed)]
        missing = sorted(written - build.without_code - own)
        said += [f"{kind}: missing: {number} {source[number - 1].strip()}" for number in missing]
    if tuple(sorted(sliced.slice.steps)) != program.steps:
        said.append(f"steps: {sliced.slice.steps} instead of {program.steps}")
    return said
