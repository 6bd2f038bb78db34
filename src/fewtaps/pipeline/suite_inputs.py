"""What a suite is made from: the episodes of a project, trace files, recordings of other tools, tests of a suite."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from fewtaps.apk.pieces import BUNDLE_SUFFIXES
from fewtaps.config import DeviceSettings
from fewtaps.device.registry import owner_of
from fewtaps.errors import NotFound, StoreError, UsageError
from fewtaps.formats.registry import recognise
from fewtaps.model.app import AppRef
from fewtaps.model.event import Event, event_from_json, printable
from fewtaps.model.trace import Trace
from fewtaps.pipeline.resuming import kept_device
from fewtaps.pipeline.sources import find_trace
from fewtaps.store.database import FILE, Store, open_store
from fewtaps.store.rows import RunRow
from fewtaps.suitefile import INDEX, read_suite


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
        if found := project_in(path):
            projects.extend(found)
        elif owner_of(name) is not None or _is_app(path):
            apps.append(name)
        elif path.is_dir() and not (path / INDEX).exists() and recognise(path) is None:
            raise UsageError(f"{printable(name, 200)}: a folder without a project, suite, recording or app")
        elif path.exists():
            traces.append(path)
        else:
            raise UsageError(f"{printable(name, 200)}: there is no such project, trace or app")
    if len(apps) > 1:
        raise UsageError(f"{printable(' and '.join(apps), 200)}: a suite is for one app")
    if len(projects) > 1:
        raise UsageError(f"{' and '.join(map(str, projects))}: one project at a time")
    return SuiteSources(apps[0] if apps else None, tuple(projects), tuple(traces))


def project_in(folder: Path) -> tuple[Path, ...]:
    """The folder if it is a project, else nothing."""
    return (folder,) if (folder / FILE).exists() else ()


def _is_app(path: Path) -> bool:
    """Whether a path is that of an APK, of its pieces in one file, or of a folder with them."""
    if path.suffix.lower() in (".apk", *BUNDLE_SUFFIXES):
        return True
    return path.is_dir() and not (path / INDEX).exists() and any(path.glob("*.apk"))


@dataclass(frozen=True, slots=True)
class ProjectTraces:
    """The explorations of a project that count: those of the newest build, with the newest phone and prelude.

    `device` is what the newest exploration ran on; None if there is none.
    """

    app: AppRef
    path: str
    profile: str
    device: DeviceSettings | None
    prelude: tuple[Event, ...]
    runs: tuple[RunRow, ...]
    notes: tuple[str, ...]


def find_project_traces(store: Store, profile: str | None = None) -> ProjectTraces | None:
    """Which runs of a project a suite is made from; None if nothing was explored there.

    Of several kinds of phones the named `profile` counts if a run has it, else that of the newest run.
    """
    runs = [run for run in store.runs.all() if store.runs.totals(run.run_id).episodes]
    if not runs:
        return None
    newest = runs[-1].app
    of_build = [run for run in runs if run.app == newest]
    explored = [run for run in of_build if run.kind == "explore"]
    prelude = _prelude(explored[-1]) if explored else ()
    with_prelude = [run for run in of_build if run.kind != "explore" or _prelude(run) == prelude]
    profiles = {run.run_id: _profile(store, run) for run in with_prelude}
    newest_profile = profiles[with_prelude[-1].run_id]
    chosen = profile if profile is not None and profile in profiles.values() else newest_profile
    fitting = [run for run in with_prelude if profiles[run.run_id] == chosen]
    played_on = [kept_device(run) for run in fitting if run.kind == "explore"]
    notes: list[str] = []
    if len(of_build) < len(runs):
        notes.append(f"{_counted(len(runs) - len(of_build))} of another build left out; the newest build counts")
    if len(with_prelude) < len(of_build):
        left_out = len(of_build) - len(with_prelude)
        notes.append(f"{_counted(left_out)} with another prelude left out; the newest one counts")
    if len(fitting) < len(with_prelude):
        left_out = len(with_prelude) - len(fitting)
        notes.append(f"{_counted(left_out)} on another phone left out; --profile {printable(chosen, 80)} counts")
    return ProjectTraces(
        app=newest,
        path=store.runs.app(newest).path,
        profile=chosen,
        device=played_on[-1] if played_on else None,
        prelude=prelude,
        runs=tuple(fitting),
        notes=tuple(notes),
    )


def _profile(store: Store, run: RunRow) -> str:
    first = next(store.runs.iter_episodes(run.run_id), None)
    return first.trace.profile if first is not None else "default"


def _counted(runs: int) -> str:
    return "1 run is" if runs == 1 else f"{runs} runs are"


def _prelude(run: RunRow) -> tuple[Event, ...]:
    try:
        return tuple(event_from_json(record) for record in run.settings.get("prelude", ()))
    except (TypeError, ValueError) as error:
        raise StoreError(f"the prelude of the exploration cannot be read: {error}") from error


def iter_project_traces(store: Store, found: ProjectTraces) -> Iterator[Trace]:
    """The traces of the runs that count, one in memory at a time."""
    for run in found.runs:
        for episode in store.runs.iter_episodes(run.run_id):
            yield episode.trace


def read_traces(paths: Sequence[Path], profile: str | None) -> tuple[list[Trace], list[str]]:
    """The traces in files, recordings and suites, and notes on what recordings could not say."""
    traces: list[Trace] = []
    notes: list[str] = []
    for path in paths:
        if (path / INDEX).exists():
            traces.extend(test.trace for test in read_suite(path).tests)
            continue
        source = find_trace(str(path), None, DeviceSettings(profile=profile))
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
