"""What a suite is made from: the episodes of a project, trace files, recordings of other tools, tests of a suite."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from fewtaps.device.registry import owner_of
from fewtaps.errors import NotFound, StoreError, UsageError
from fewtaps.model.app import AppRef
from fewtaps.model.event import Event, event_from_json, printable
from fewtaps.model.trace import Aim, Trace
from fewtaps.pipeline.sources import find_trace
from fewtaps.store.database import FILE, Store, open_store
from fewtaps.store.rows import RunRow
from fewtaps.suitefile import INDEX, read_suite
from fewtaps.tracefile import trace_from_lines


@dataclass(frozen=True, slots=True)
class SuiteSources:
    """What the arguments of `fewtaps suite` name: an app, projects, and files or folders with traces."""

    app: str | None
    projects: tuple[Path, ...]
    traces: tuple[Path, ...]


def sort_sources(names: Sequence[str]) -> SuiteSources:
    """Tells projects, traces and the app apart. Raises UsageError for two apps, two projects or nothing at all."""
    apps: list[str] = []
    projects: list[Path] = []
    traces: list[Path] = []
    for name in names:
        path = Path(name)
        if (path / FILE).exists():
            projects.append(path)
        elif owner_of(name) is not None or path.suffix.lower() == ".apk":
            apps.append(name)
        elif path.exists():
            traces.append(path)
        else:
            raise UsageError(f"{printable(name, 200)}: there is no such project, trace or app")
    if len(apps) > 1:
        raise UsageError(f"{printable(' and '.join(apps), 200)}: a suite is for one app")
    if len(projects) > 1:
        raise UsageError(f"{' and '.join(map(str, projects))}: one project at a time")
    return SuiteSources(apps[0] if apps else None, tuple(projects), tuple(traces))


@dataclass(frozen=True, slots=True)
class ProjectTraces:
    """The explorations of a project that count: those of the newest build, with the newest phone and prelude."""

    app: AppRef
    path: str
    profile: str
    prelude: tuple[Event, ...]
    runs: tuple[RunRow, ...]
    notes: tuple[str, ...]


def find_project_traces(store: Store) -> ProjectTraces | None:
    """Which runs of a project a suite is made from; None if nothing was explored there."""
    runs = [run for run in store.runs.all() if store.runs.totals(run.run_id).episodes]
    if not runs:
        return None
    newest = runs[-1].app
    of_build = [run for run in runs if run.app == newest]
    explored = [run for run in of_build if run.kind == "explore"]
    prelude = _prelude(explored[-1]) if explored else ()
    fitting = [run for run in of_build if run.kind != "explore" or _prelude(run) == prelude]
    first = next(store.runs.iter_episodes(fitting[-1].run_id), None)
    notes: list[str] = []
    if len(of_build) < len(runs):
        notes.append(f"{_counted(len(runs) - len(of_build))} of another build left out; the newest build counts")
    if len(fitting) < len(of_build):
        notes.append(f"{_counted(len(of_build) - len(fitting))} with another prelude left out; the newest one counts")
    profile = first.trace.profile if first is not None else "default"
    return ProjectTraces(newest, store.runs.app(newest).path, profile, prelude, tuple(fitting), tuple(notes))


def _counted(runs: int) -> str:
    return "1 run is" if runs == 1 else f"{runs} runs are"


def _prelude(run: RunRow) -> tuple[Event, ...]:
    try:
        return tuple(event_from_json(record) for record in run.settings.get("prelude", ()))
    except (TypeError, ValueError) as error:
        raise StoreError(f"the prelude of the exploration cannot be read: {error}") from error


def iter_project_traces(store: Store, found: ProjectTraces) -> Iterator[Trace]:
    """The traces of the runs that count, one in memory at a time, and then the reduced traces of crashes."""
    for run in found.runs:
        for episode in store.runs.iter_episodes(run.run_id):
            yield episode.trace
    yield from _iter_reduced(store, found)


def _iter_reduced(store: Store, found: ProjectTraces) -> Iterator[Trace]:
    """The traces of crashes that were reduced: they replay where the long traces that they come from do not.

    A trace that begins with an intent for an inner activity is left out, because a user cannot begin there.
    """
    for row in store.results.reductions():
        if row.crash is None or row.is_by_intent or row.aim is not Aim.SELECTOR:
            continue
        trace = trace_from_lines(enumerate(row.content.splitlines(), 1), "a reduction")
        if trace.app.package == found.app.package and trace.events[1 : 1 + len(found.prelude)] == found.prelude:
            yield trace


def read_traces(paths: Sequence[Path], profile: str | None) -> tuple[list[Trace], list[str]]:
    """The traces in files, recordings and suites, and notes on what recordings could not say."""
    traces: list[Trace] = []
    notes: list[str] = []
    for path in paths:
        if (path / INDEX).exists():
            traces.extend(test.trace for test in read_suite(path).tests)
            continue
        source = find_trace(str(path), None, profile)
        traces.append(source.trace)
        notes.extend(f"{path}: {loss}" for loss in source.losses)
    return traces, notes


def app_of(sources: SuiteSources) -> str:
    """The app to be opened: the one that is named, or that of the project. Raises UsageError if there is none."""
    if sources.app is not None:
        return sources.app
    for project in sources.projects:
        try:
            with open_store(project) as store:
                found = find_project_traces(store)
        except NotFound:
            found = None
        if found is not None and found.path:
            return found.path
    raise UsageError("name the app too: fewtaps suite TRACE… APK")
