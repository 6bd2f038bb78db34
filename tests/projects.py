"""Project folders for tests of the report: made by hand, so that what they hold is known, and one that a run filled."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from builders import APP, screen, widget

from fewtaps.device.simulated.picture import draw_png
from fewtaps.model.app import App, Component
from fewtaps.model.coverage import BranchProbe, ClassProbes, Coverage, LineProbe, MethodProbe, ProbeMap, ProbeSet
from fewtaps.model.crash import Crash, CrashKind, ExceptionInfo, Frame
from fewtaps.model.ending import Ending
from fewtaps.model.episode import Episode
from fewtaps.model.event import Launch, Tap
from fewtaps.model.exploration_end import EndKind, ExplorationEnd
from fewtaps.model.goal import GoalKind, GoalSpec
from fewtaps.model.result import ReductionState
from fewtaps.model.screen import UNSEEN, Screen
from fewtaps.model.trace import Step, Trace
from fewtaps.store.database import Store, open_store
from fewtaps.store.rows import ReductionRow, RunPart
from fewtaps.tracefile import trace_to_bytes

THE_APP = App(
    APP.package,
    version_name=APP.version,
    digest=APP.digest,
    label="Example",
    activities=(Component("com.example.app.Main"), Component("com.example.app.Unseen")),
)
PROBES = ProbeMap(
    (
        ClassProbes(
            "com.example.app.Main",
            "Main.java",
            (MethodProbe(0, "onCreate", "()V", 1),),
            tuple(LineProbe(number, number) for number in range(1, 11)),
            (BranchProbe(1, 3, 0), BranchProbe(2, 3, 0)),
        ),
    )
)


def page(name: str) -> Screen:
    """A screen with a button of this name, and one that is always there."""
    return screen(widget(name), widget("Always"))


def path(*names: str, crash: Crash | None = None, world: int = 0) -> Trace:
    """A trace through the pages of these names: each but the last is left by a tap on its button."""
    shown = page(names[0])
    steps = [Step(Launch(), UNSEEN, shown, Coverage(lines=ProbeSet.of((1, 2))))]
    for name in names[1:]:
        after = page(name)
        steps.append(Step(Tap(50, 25, shown.selector_at(50, 25)), shown, after))
        shown = after
    if crash is not None:
        steps.append(Step(Tap(50, 75, shown.selector_at(50, 75)), shown, UNSEEN, crash=crash, ending=Ending.CRASHED))
    return Trace(APP, tuple(steps), world=world, screen=(100, 200, 160))


def death(message: str = "boom", method: str = "onClick", suspect: str | None = None) -> Crash:
    """A crash in the app's own code, wrapped by the platform."""
    frames = (
        Frame("java.util.ArrayList", "get", "ArrayList.java", 437),
        Frame("com.example.app.Main", method, "Main.java", 42),
        Frame("android.view.View", "performClick", "View.java", 7448),
    )
    root = ExceptionInfo("java.lang.IllegalStateException", message, frames)
    outer = ExceptionInfo("java.lang.RuntimeException", "outer", frames[2:])
    return Crash(CrashKind.EXCEPTION, "main", (outer, root), suspect)


def add(
    store: Store,
    *traces: Trace,
    pictures: bool = True,
    app: App = THE_APP,
    parts: Sequence[RunPart] = (),
    **settings: object,
) -> None:
    """Stores the traces as the episodes of one finished exploration; it was resumed for each part after the first."""
    usual = {"seed": 1, "strategy": "frontier", "device": {"coverage": "app"}}
    run = store.runs.start(app, "explore", {**usual, **settings}, next(iter(parts), None))
    for part in parts[1:]:
        store.runs.resume(run, part)
    store.runs.save_probe_map(app.ref, "app", PROBES)
    for number, trace in enumerate(traces):
        shots = [(place, draw_png(step.after)) for place, step in enumerate(trace.steps) if step.after.is_seen]
        store.runs.add_episode(
            run, Episode(number, trace, pictures=tuple(shots) if pictures else ()), seconds=number + 1
        )
    store.runs.finish(run, ExplorationEnd(EndKind.TIME_UP))


def add_reduction(store: Store, original: Trace, reduced: Trace, sizes: Sequence[int] = ()) -> None:
    """Keeps a reduction that passed through traces of these sizes."""
    crash = next(step.crash for step in original.steps if step.crash is not None)
    row = ReductionRow(
        question=f"{crash.fingerprint} of {original.app.version}",
        original=original.events_digest,
        goal=GoalSpec(GoalKind.CRASH, crash.signature),
        strategy="auto",
        before=len(original.steps) - 1,
        after=len(reduced.steps) - 1,
        runs=30,
        events=90,
        is_minimal=True,
        state=ReductionState.FINISHED,
        content=trace_to_bytes(reduced),
    )
    for number, size in enumerate(sizes):
        store.results.save_reduction(
            original.app, replace(row, after=size, runs=10 * number, state=ReductionState.RUNNING)
        )
    store.results.save_reduction(original.app, row)


def make_project(folder: Path, *, message: str = "boom", pictures: bool = True) -> Path:
    """A project with one crash, reduced from four steps to two and replayed in five worlds, and one suspect crash."""
    crash = death(message)
    long, short = path("Home", "List", "Home", "Item", crash=crash), path("Home", "Item", crash=crash)
    suspect = path("Home", crash=death("native", "load", suspect="a library for phones is missing"))
    with open_store(folder, create=True) as store:
        add(store, path("Home", "List", "About"), long, suspect, pictures=pictures)
        add_reduction(store, long, short, sizes=(4, 3))
        store.results.save_replays(crash.signature, short.events_digest, {0: True, 1: True, 2: False, 3: True, 4: True})
    return folder
