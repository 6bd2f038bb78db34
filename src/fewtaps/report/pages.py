"""Reads the store of a project into the values that the pages show."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC
from itertools import groupby, islice
from typing import Any

from fewtaps.errors import NotFound
from fewtaps.model.app import App, AppRef
from fewtaps.model.event import printable
from fewtaps.model.screen import Screen
from fewtaps.model.state import page_state
from fewtaps.model.summary import CoverageSummary, summarize
from fewtaps.model.trace import Trace
from fewtaps.report.crashpage import CrashReader
from fewtaps.report.filmstrip import picture_of
from fewtaps.report.layout import place_states
from fewtaps.report.views import (
    CrashPath,
    CrashView,
    Facts,
    GrowthPoint,
    Picture,
    Report,
    StatesView,
    StateView,
)
from fewtaps.store.database import Store
from fewtaps.store.rows import Run, RunId, StateRow, TransitionRow

MAX_STATES = 1200
"""So many states are drawn, the first ones; beyond that a browser takes its time."""
MAX_WAYS = 12
LONGEST_PATH = 30
SETTINGS = (
    ("strategy", "Strategy"),
    ("seed", "Seed"),
    ("worlds", "Worlds"),
    ("jobs", "Devices at once"),
    ("backend", "Device"),
    ("profile", "Phone"),
    ("api", "Android API"),
    ("permissions", "Permissions"),
    ("network", "Network"),
    ("coverage", "Code observed"),
)


def read_report(store: Store, version: str) -> Report:
    """All that the store has to show; `version` is that of this program. Raises NotFound if nothing was explored."""
    runs = store.runs.all()
    if not runs:
        raise NotFound(f"{store.folder}: nothing has been explored here")
    reader = CrashReader(store, store.folder.name, version, _beginnings(store, runs))
    rows = store.runs.crashes()
    found = [reader.read(row) for row in rows]
    crashes = tuple(view for view, _ in found)
    states = _states(store, found)
    summary = _coverage(store, runs[-1])
    growth = tuple(GrowthPoint(each.seconds, each.events, each.lines, each.crashes) for each in store.runs.growth())
    return Report(_facts(store, runs, states), crashes, states, growth, summary, version)


def _beginnings(store: Store, runs: tuple[Run, ...]) -> dict[RunId, float]:
    """When each run began, if one had followed right after the other; as in `Runs.growth`, those of the last app."""
    beginnings: dict[RunId, float] = {}
    seconds = 0.0
    for run in runs:
        if run.app == runs[-1].app:
            beginnings[run.run_id] = seconds
            seconds += store.runs.totals(run.run_id).seconds
    return beginnings


def _facts(store: Store, runs: tuple[Run, ...], states: StatesView) -> Facts:
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
        reason=run.reason or "",
        runs=len(runs),
        events=totals.events,
        replayed=totals.replayed,
        outings=totals.outings,
        seconds=totals.seconds,
        states=len(states.states) + states.left_out,
        activities_seen=len(seen),
        activities_declared=len(declared),
        settings=_settings(run.settings),
    )


def _app(store: Store, ref: AppRef) -> App:
    try:
        return store.runs.app(ref)
    except NotFound:
        return App(ref.package, version_name=ref.version, digest=ref.digest)


def _settings(settings: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    device = settings.get("device")
    flat = {**(device if isinstance(device, Mapping) else {}), **settings}
    return tuple((title, str(flat[name])) for name, title in SETTINGS if flat.get(name) is not None)


def _coverage(store: Store, run: Run) -> CoverageSummary | None:
    device = run.settings.get("device")
    scope = device.get("coverage") if isinstance(device, Mapping) else None
    probes = store.runs.load_probe_map(run.app, str(scope or "app"))
    return summarize(probes, store.runs.coverage()) if probes is not None else None


def _states(store: Store, found: list[tuple[CrashView, tuple[Trace, ...]]]) -> StatesView:
    graph = store.runs.graph()
    rows = graph.states[:MAX_STATES]
    numbers: dict[str, int] = {row.state: number for number, row in enumerate(rows)}
    ways = _ways(graph.transitions, numbers)
    paths = tuple(path for view, traces in found if (path := _path(view, traces, numbers)) is not None)
    on_paths = frozenset(number for path in paths for number in path.states)
    layout = place_states(len(rows), {number: [way[0] for way in each] for number, each in ways.items()}, on_paths)
    ends: dict[int, list[str]] = {}
    for path in paths:
        ends.setdefault(path.states[-1], []).append(path.fingerprint)
    views = []
    for number, row in enumerate(rows):
        screen = store.runs.screen(row.screen)
        x, y = layout.places[number]
        views.append(
            StateView(
                number=number,
                title=_title(screen),
                activity=row.activity or "",
                visits=row.visits,
                picture=_picture(store, row, screen),
                x=x,
                y=y,
                ways=tuple(sorted(ways.get(number, ()), key=lambda way: -way[2])[:MAX_WAYS]),
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
        left_out=len(graph.states) - len(rows),
    )


def _ways(transitions: tuple[TransitionRow, ...], numbers: Mapping[str, int]) -> dict[int, list[tuple[int, str, int]]]:
    """By state, where one can go from there, in the order in which it was found."""
    ways: dict[int, list[tuple[int, str, int]]] = {}
    for row in transitions:
        source, target = numbers.get(row.source), numbers.get(row.target) if row.target is not None else None
        if source is not None and target is not None and source != target:
            ways.setdefault(source, []).append((target, row.event, row.count))
    return ways


def _path(view: CrashView, traces: Sequence[Trace], numbers: Mapping[str, int]) -> CrashPath | None:
    """The states before the crash: by the shortest trace if all its states are on the map, else by the explored one."""
    path, is_whole = _places(traces[0], numbers)
    if not is_whole:
        path, _ = _places(traces[-1], numbers)
    if not is_whole or len(path) > LONGEST_PATH:
        path = _without_loops(path)
    return CrashPath(view.fingerprint, view.title, tuple(path)) if path else None


def _places(trace: Trace, numbers: Mapping[str, int]) -> tuple[list[int], bool]:
    """The states that a trace led through, as far as they are on the map, and whether all of them are."""
    screens = [step.after for step in trace.steps[:-1] if step.after.is_seen]
    places = [numbers.get(page_state(screen)) for screen in screens]
    known = [number for number in places if number is not None]
    return [number for number, _ in groupby(known)], len(known) == len(places)


def _without_loops(path: list[int]) -> list[int]:
    """The path without what it did between two visits of one state: long ones would cover the map."""
    kept: list[int] = []
    for number in path:
        if number in kept:
            del kept[kept.index(number) :]
        kept.append(number)
    return kept


def _picture(store: Store, row: StateRow, screen: Screen) -> Picture | None:
    if row.picture is not None and screen.width and screen.height:
        return Picture(row.picture, screen)
    return picture_of(screen, store.gallery)


def _title(screen: Screen) -> str:
    """The first texts on a screen, topmost window first."""
    texts = (widget.text for widget in screen.iter_widgets())
    return " · ".join(islice((printable(text) for text in texts if text and text.strip()), 3))
