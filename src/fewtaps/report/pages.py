"""Reads the store of a project into the values that the pages show."""

from __future__ import annotations

import logging
import shlex
from collections import Counter
from collections.abc import Mapping, Sequence, Set
from dataclasses import replace
from datetime import UTC
from itertools import groupby
from pathlib import Path
from typing import Any, TypeAlias

from fewtaps.errors import NotFound, UsageError
from fewtaps.model import words
from fewtaps.model.app import App, AppRef
from fewtaps.model.screen import Screen
from fewtaps.model.state import page_state
from fewtaps.model.summary import CoverageSummary, summarize
from fewtaps.model.trace import Trace
from fewtaps.report.crashpage import CrashReader
from fewtaps.report.filmstrip import picture_of
from fewtaps.report.layout import place_states
from fewtaps.report.mutant_html import FIRST_PAGE, MUTANT_PAGES, MUTANTS
from fewtaps.report.states import shows_app, state_name
from fewtaps.report.views import (
    BudgetView,
    CrashLink,
    CrashPath,
    CrashView,
    Facts,
    GrowthPoint,
    Picture,
    ProjectSuite,
    Report,
    StatesView,
    StateView,
    SuiteRow,
)
from fewtaps.store.database import Store
from fewtaps.store.rows import RunRow, StateRow, Totals, TransitionRow
from fewtaps.suitefile import INDEX, SUITE, read_suite

log = logging.getLogger(__name__)

MAX_STATES = 1200
"""Most states on the map, in the order they were found; browsers are slow with more."""
MAX_TRANSITIONS = 12
"""Most transitions that are listed for a state, the most frequent ones."""
LONGEST_PATH = 30
"""Loops are cut out of a crash path with more states."""
SETTINGS = (
    ("strategy", "Strategy"),
    ("seed", "Seed"),
    ("worlds", "Worlds"),
    ("backend", "Device"),
    ("profile", "Phone"),
    ("api", "Android API"),
    ("permissions", "Permissions"),
    ("content", "Content"),
    ("network", "Network"),
    ("coverage", "Code observed"),
)


Found: TypeAlias = list[tuple[CrashView, tuple[Trace, ...]]]
"""Crashes, each with the traces to it."""


def read_report(store: Store, version: str, *, has_worlds: bool = True, links_mutants: bool = False) -> Report:
    """The report of a store; `version` is that of this program. Raises NotFound if nothing was explored.

    Without `has_worlds`, the pages tell of runs instead of worlds. A report that lies in the project `links_mutants`:
    the page of faults, if the project has one.
    """
    runs = store.runs.all()
    if not runs:
        raise NotFound(f"{store.folder}: nothing has been explored here")
    newest = runs[-1].app
    reader = CrashReader(
        *(store, newest, _first_seen(store, runs)),
        project=store.folder.name,
        version=version,
        has_worlds=has_worlds,
    )
    found = [reader.read(row) for row in store.runs.crashes()]
    crashes = tuple(view for view, _ in found)
    states = _states(store, found, {run.app.package for run in runs})
    summary = _coverage(store, runs[-1])
    growth = tuple(GrowthPoint(each.seconds, each.events, each.lines, each.crashes) for each in store.runs.growth())
    suite = _suite(store.folder, newest)
    if suite is not None and links_mutants:
        suite = replace(suite, mutants=(store.folder / MUTANTS / MUTANT_PAGES / FIRST_PAGE).is_file())
    return Report(_facts(store, runs, states), crashes, states, growth, summary, version, store.folder.name, suite)


def _suite(project: Path, app: AppRef) -> ProjectSuite | None:
    """The suite in the project; None if there is none for this app, or it cannot be read."""
    folder = project / SUITE
    if not (folder / INDEX).is_file():
        return None
    try:
        suite = read_suite(folder)
    except UsageError as error:
        log.warning("the suite is not shown: %s", error)
        return None
    if suite.app.package != app.package or not suite.tests:
        return None
    tests = tuple(SuiteRow(each.name, len(each.trace.steps) - 1, each.seconds, each.adds) for each in suite.tests)
    return ProjectSuite(tests, f"fewtaps test {shlex.quote(f'{project.name}/{SUITE}')} app.apk")


def _first_seen(store: Store, runs: tuple[RunRow, ...]) -> dict[str, float]:
    """Seconds of work on the newest build before each of its crashes was first seen, by fingerprint.

    As in `Runs.growth`, the times of several runs are added up, without the pauses in between.
    """
    seen: dict[str, float] = {}
    before = 0.0
    for run in runs:
        if run.app == runs[-1].app:
            for row in store.runs.crashes(run.run_id):
                seen.setdefault(row.fingerprint, before + row.first.seconds)
            before += store.runs.totals(run.run_id).seconds
    return seen


def _facts(store: Store, runs: tuple[RunRow, ...], states: StatesView) -> Facts:
    run, totals = runs[-1], store.runs.totals()
    began = runs[0].started.astimezone(UTC)
    app = _app(store, run.app)
    declared = {component.name for component in app.activities}
    seen = {state.activity for state in states.states} & declared
    return Facts(
        package=app.package,
        label=app.label,
        version=app.version if app.version != "0" else run.app.version,
        digest=app.digest,
        started=f"{began.day} {began:%B %Y, %H:%M} UTC",
        is_running=not run.is_finished,
        reason="" if run.end is None else words.exploration_end(run.end),
        runs=len(runs),
        events=totals.events,
        replayed=totals.replayed,
        episodes=totals.episodes,
        seconds=totals.seconds,
        states=len(states.states) + states.left_out,
        activities_seen=len(seen),
        activities_declared=len(declared),
        settings=_settings(run.settings),
        budget=_budget(store, runs, totals),
        builds=len({each.app for each in runs}),
    )


def _budget(store: Store, runs: tuple[RunRow, ...], totals: Totals) -> BudgetView:
    """The limits and the usage of all runs, as far as the store has them."""
    parts = [store.runs.parts(run.run_id) for run in runs]
    times = [part.seconds_given for each in parts for part in each]
    # The limit on events is for a run as a whole: each time the run is continued, the new limit replaces the old one.
    events = [each[-1].events_given if each else None for each in parts]
    used = sum(part.seconds_used or 0.0 for each in parts for part in each)
    return BudgetView(
        seconds=max(used, totals.seconds),
        exploring=totals.seconds,
        events=totals.events,
        jobs=int(_number(runs[-1].settings.get("jobs")) or 1),
        seconds_given=_sum(times),
        events_given=None if (given := _sum(events)) is None else int(given),
    )


def _number(value: object) -> float | None:
    return float(value) if isinstance(value, int | float) else None


def _sum(values: Sequence[float | None]) -> float | None:
    """The sum; None if there are no values or one is None."""
    known = [value for value in values if value is not None]
    return sum(known) if known and len(known) == len(values) else None


def _app(store: Store, ref: AppRef) -> App:
    try:
        return store.runs.app(ref)
    except NotFound:
        return App(ref.package, version_name=ref.version, digest=ref.digest)


def _settings(settings: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    device = settings.get("device")
    flat = {**(device if isinstance(device, Mapping) else {}), **settings}
    return tuple((title, str(flat[name])) for name, title in SETTINGS if flat.get(name) is not None)


def _coverage(store: Store, run: RunRow) -> CoverageSummary | None:
    device = run.settings.get("device")
    scope = device.get("coverage") if isinstance(device, Mapping) else None
    probes = store.runs.load_probe_map(run.app, str(scope or "app"))
    return summarize(probes, store.runs.coverage()) if probes is not None else None


def _states(store: Store, found: Found, packages: Set[str]) -> StatesView:
    graph = store.runs.graph()
    screens = {row.state: store.runs.screen(row.screen) for row in graph.states}
    all_rows = [row for row in graph.states if shows_app(screens[row.state], packages)]
    rows = all_rows[:MAX_STATES]
    numbers: dict[str, int] = {row.state: number for number, row in enumerate(rows)}
    transitions = _transitions(graph.transitions, numbers)
    names = _names([view for view, _ in found])
    paths = tuple(path for view, traces in found if (path := _path(names[view.page], traces, numbers)) is not None)
    on_paths = frozenset(number for path in paths for number in path.states)
    successors = {number: [target for target, _, _ in each] for number, each in transitions.items()}
    layout = place_states(len(rows), successors, on_paths)
    ends: dict[int, list[CrashLink]] = {}
    for path in paths:
        ends.setdefault(path.states[-1], []).append(path.link)
    views = []
    for number, row in enumerate(rows):
        screen = screens[row.state]
        x, y = layout.places[number]
        views.append(
            StateView(
                number=number,
                title=state_name(screen),
                activity=row.activity or "",
                visits=row.visits,
                picture=_picture(store, row, screen),
                x=x,
                y=y,
                transitions=tuple(sorted(transitions.get(number, ()), key=lambda each: -each[2])[:MAX_TRANSITIONS]),
                parent=layout.parents[number],
                crashes=tuple(ends.get(number, ())),
            )
        )
    return StatesView(
        states=tuple(views),
        paths=paths,
        width=layout.width,
        height=layout.height,
        blocks=layout.blocks,
        links=layout.links,
        left_out=len(all_rows) - len(rows),
    )


def _transitions(rows: tuple[TransitionRow, ...], numbers: Mapping[str, int]) -> dict[int, list[tuple[int, str, int]]]:
    """The transitions by source state, in the order they were found: target state, event in words, count."""
    found: dict[int, list[tuple[int, str, int]]] = {}
    for row in rows:
        source, target = numbers.get(row.source), numbers.get(row.target) if row.target is not None else None
        if source is not None and target is not None and source != target:
            found.setdefault(source, []).append((target, row.event, row.count))
    return found


def _names(views: Sequence[CrashView]) -> dict[str, CrashLink]:
    """The links to the crashes by page, named by title and place; equal names also get a part of the fingerprint."""
    names = {view.page: f"{view.title} in {view.place}" if view.place else view.title for view in views}
    times = Counter(names.values())
    return {
        view.page: CrashLink(view.fingerprint, name if times[name] == 1 else f"{name} ({view.fingerprint[:6]})")
        for view in views
        for name in [names[view.page]]
    }


def _path(link: CrashLink, traces: Sequence[Trace], numbers: Mapping[str, int]) -> CrashPath | None:
    """The states before the crash: of the shortest trace if all its states are on the map, else of the explored one."""
    path, is_whole = _places(traces[0], numbers)
    if not is_whole:
        path, _ = _places(traces[-1], numbers)
    if not is_whole or len(path) > LONGEST_PATH:
        path = _without_loops(path)
    return CrashPath(link, tuple(path)) if path else None


def _places(trace: Trace, numbers: Mapping[str, int]) -> tuple[list[int], bool]:
    """The states of a trace that are on the map, and whether all of them are."""
    screens = [step.after for step in trace.steps[:-1] if step.after.is_seen]
    places = [numbers.get(page_state(screen)) for screen in screens]
    known = [number for number in places if number is not None]
    return [number for number, _ in groupby(known)], len(known) == len(places)


def _without_loops(path: list[int]) -> list[int]:
    """The path without the states between two visits of the same state."""
    kept: list[int] = []
    for number in path:
        if number in kept:
            del kept[kept.index(number) :]
        kept.append(number)
    return kept


def _picture(store: Store, row: StateRow, screen: Screen) -> Picture | None:
    if row.picture is not None and screen.width and screen.height:
        return Picture(row.picture, screen)
    return picture_of(screen, store.screen_pictures)
