"""Joins the project folders of one build of an app: shards of a CI matrix, or machines that do not see each other.

What is the same in two folders is kept once: runs by their settings and episodes, reductions by their question, replays
by trace and world. Verdicts, trials and suites are not joined: they only save time, and are made again where needed.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from fewtaps.config import COVERAGES
from fewtaps.errors import FewtapsError, NotFound, StoreError, UsageError
from fewtaps.files import real_path
from fewtaps.model.app import AppRef
from fewtaps.model.episode import Episode
from fewtaps.model.trace import Trace
from fewtaps.store.database import Store, open_store
from fewtaps.store.rows import ReductionRow, RunId, RunRow
from fewtaps.tracefile import trace_from_lines, trace_to_bytes


@dataclass(frozen=True, slots=True)
class MergedFolder:
    """What became of one folder: what it added to the project, or the reason why nothing could be joined."""

    folder: Path
    runs: int = 0
    episodes: int = 0
    reductions: int = 0
    replays: int = 0
    slices: int = 0
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Merged:
    """A project made of others: its build, its crashes, and what became of each folder."""

    folder: Path
    app: AppRef
    crashes: int
    parts: tuple[MergedFolder, ...]


def merge_projects(target: Path, folders: Sequence[Path]) -> Merged:
    """Adds to a project what others have and it has not; the project is made if it is not there.

    Raises UsageError if no folder could be joined, with the reason of the first.
    """
    if any(real_path(folder) == real_path(target) for folder in folders):
        raise UsageError(f"{target}: cannot be joined with itself")
    build = _build_of(target) or next(filter(None, map(_build_of, folders)), None)
    if build is None:
        raise UsageError(f"{folders[0]}: {_reason(folders[0])}")
    parts = []
    with open_store(target, create=True, write=True) as store:
        for folder in folders:
            parts.append(_join(store, folder, build))
        crashes = len(store.runs.crashes())
    if all(part.reason for part in parts):
        raise UsageError(f"{parts[0].folder}: {parts[0].reason}")
    return Merged(target, build, crashes, tuple(parts))


def _build_of(folder: Path) -> AppRef | None:
    """The build that a project explored last; None if it is none, or empty."""
    try:
        with open_store(folder) as store:
            runs = store.runs.all()
            return runs[-1].app if runs else None
    except FewtapsError as error:
        _raise_if_full(error)
        return None


def _raise_if_full(error: FewtapsError) -> None:
    """A full disk is the fault of no folder, and ends the command."""
    if getattr(error, "no_room", False):
        raise error


def _reason(folder: Path) -> str:
    try:
        with open_store(folder):
            return "nothing has been explored here"
    except FewtapsError as error:
        return _told(error)


def _told(error: FewtapsError) -> str:
    """Why a folder cannot be read. The folder is named beside the reason, so an error about it need not repeat that."""
    return (error.reason if isinstance(error, StoreError) else "") or str(error)


def _join(target: Store, folder: Path, build: AppRef) -> MergedFolder:
    try:
        with open_store(folder) as source:
            return _Joining(target, source, folder, build).join()
    except (StoreError, NotFound) as error:
        _raise_if_full(error)
        return MergedFolder(folder, reason=_told(error))


class _Joining:
    """One folder and the project that it is joined to."""

    def __init__(self, target: Store, source: Store, folder: Path, build: AppRef) -> None:
        self._target = target
        self._source = source
        self._folder = folder
        self._build = build

    def join(self) -> MergedFolder:
        """Adds what is new."""
        runs = self._source.runs.all()
        ours = [run for run in runs if run.app == self._build]
        if not ours:
            other = f"{runs[-1].app.package} {runs[-1].app.version}".strip() if runs else ""
            return MergedFolder(self._folder, reason=f"another build ({other})" if other else "nothing was explored")
        added = [self._join_run(run) for run in ours]
        self._join_probes()
        merged = MergedFolder(self._folder, runs=sum(count > 0 for count in added), episodes=sum(added))
        reductions = [row for row in self._source.results.reductions() if self._save_reduction(row)]
        replays, slices = self._join_traces()
        return replace(merged, reductions=len(reductions), replays=replays, slices=slices)

    def _join_run(self, run: RunRow) -> int:
        """Adds the episodes of a run that are new, to the same run if the project has its beginning; their number."""
        source = list(_digests(self._source, run.run_id))
        same = self._same_run(run, source)
        runs = self._target.runs
        if same is None:
            known = 0
            goal = runs.start(self._source.runs.app(run.app), run.kind, run.settings)
        else:
            known = runs.next_number(same)
            if known >= len(source):
                return 0
            goal = same
        total = self._source.runs.totals(run.run_id)
        for episode in self._source.runs.iter_episodes(run.run_id, known):
            # The time of each episode is not told by the store: the time of the run is shared out evenly.
            seconds = total.seconds * (episode.number + 1) / max(1, len(source))
            runs.add_episode(goal, self._with_pictures(run.run_id, episode), seconds=seconds)
        if run.end is not None:
            runs.finish(goal, run.end)
        return len(source) - known

    def _same_run(self, run: RunRow, digests: Sequence[str]) -> RunId | None:
        """The project's run with the same settings, one of the two being the beginning of the other."""
        for other in self._target.runs.all():
            if other.app == run.app and other.kind == run.kind and _settings(other) == _settings(run):
                known = list(_digests(self._target, other.run_id))
                shorter = min(len(known), len(digests))
                if known[:shorter] == list(digests[:shorter]):
                    return other.run_id
        return None

    def _with_pictures(self, run: RunId, episode: Episode) -> Episode:
        pictures: tuple[tuple[int, bytes], ...] = ()
        with suppress(StoreError):
            pictures = self._source.runs.pictures(run, episode.number)
        return replace(episode, pictures=pictures)

    def _join_probes(self) -> None:
        for scope in COVERAGES:
            probes = self._source.runs.load_probe_map(self._build, scope)
            if probes is not None and self._target.runs.load_probe_map(self._build, scope) is None:
                self._target.runs.save_probe_map(self._build, scope, probes)

    def _save_reduction(self, row: ReductionRow) -> bool:
        """Keeps a reduction unless the project has one of the same question that is as good."""
        for known in self._target.results.reductions():
            same = (known.question, known.original, known.strategy, known.is_repeated, known.is_by_intent)
            wanted = (row.question, row.original, row.strategy, row.is_repeated, row.is_by_intent)
            if same == wanted and known.rank <= row.rank:
                return False
        self._target.results.save_reduction(self._build, row)
        return True

    def _join_traces(self) -> tuple[int, int]:
        """Adds replays and slices of the traces of each crash; their numbers."""
        replays = slices = 0
        for crash in self._source.runs.crashes():
            signature = crash.crash.signature
            for trace in {trace.events_digest: trace for trace in self._traces(signature, crash.fingerprint)}:
                met = self._source.results.replays(signature, trace)
                new = {
                    world: shown
                    for world, shown in met.items()
                    if world not in self._target.results.replays(signature, trace)
                }
                if new:
                    self._target.results.save_replays(signature, trace, new)
                    replays += len(new)
                slices += self._join_slice(signature, trace)
        return replays, slices

    def _join_slice(self, signature: str, trace: str) -> bool:
        kept = self._source.slices.find(self._build, signature, trace)
        if kept is None or self._target.slices.has(self._build, signature, trace):
            return False
        if kept.slice is not None:
            self._target.slices.save(self._build, signature, trace, kept.slice)
        else:
            self._target.slices.save_failure(self._build, signature, trace, kept.failure)
        return True

    def _traces(self, signature: str, fingerprint: str) -> Iterator[Trace]:
        with suppress(NotFound):
            yield self._source.runs.shortest_trace(fingerprint)
        for row in self._source.results.reductions():
            if row.crash == signature:
                yield trace_from_lines(enumerate(row.content.splitlines(), 1))


def _settings(run: RunRow) -> str:
    return json.dumps({name: value for name, value in run.settings.items() if name != "jobs"}, sort_keys=True)


def _digests(store: Store, run: RunId) -> Iterator[str]:
    for episode in store.runs.iter_episodes(run):
        told = (episode.number, episode.replayed, episode.reached, episode.end.value)
        yield hashlib.sha256(trace_to_bytes(episode.trace) + repr(told).encode()).hexdigest()
