#!/usr/bin/env python3
"""Measures the twin on APKs of your own in processor time: the first launch, relaunches, and what users do.

Run: python benchmarks/real_apps.py [--rounds N] [--write] APK …

A first launch is measured twice, each time in a fresh process: *anew*, and with the classes that the first process has
translated. Events are played in turns through the bridge and in a bare loop inside the JVM, which reads no screens.
Processor time of the twin's processes is what is counted, so that other work on the machine has less part in it.
`--write` writes benchmarks/results/real_apps.json; apps are named by their numbers there.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from jail import processor_seconds
from results import Cell, Table, load_average, measured, save, shown, table, this_machine
from twin import Place, Plan, Watched, leads_away, taps_on

from fewtaps.apk.reader import read_apk
from fewtaps.device.twin.device import TwinSession
from fewtaps.device.twin.jail import jail_problem
from fewtaps.device.twin.runtime import find_java
from fewtaps.errors import FewtapsError
from fewtaps.model.app import App
from fewtaps.model.ending import Ending
from fewtaps.model.event import Key, Rotate, Swipe, Tap, Text, event_to_json
from fewtaps.model.screen import Screen, WidgetFlags

REPEAT_SECONDS = 300.0
BEATS = 8
STEP_SECONDS = 45
RELAUNCHES = 7
KINDS = ("rotation", "opening an activity", "scrolling", "typing")


@dataclass(frozen=True, slots=True)
class Costs:
    """Seconds of processor time of one app: first launches, a relaunch, and an event of each kind by both ways."""

    megabytes: float
    is_composed: bool
    first: float
    handed: float
    relaunch: float
    events: dict[str, tuple[float, float]]


class Clock:
    """The processor time of the present process of a twin."""

    def __init__(self, watched: Watched) -> None:
        self._watched = watched

    def seconds(self, work: Callable[[], object]) -> float:
        """What the work took."""
        assert self._watched.process is not None
        before = processor_seconds(self._watched.process.pid)
        work()
        return processor_seconds(self._watched.process.pid) - before


def measure(path: Path, rounds: int, *, jailed: bool) -> Costs:
    """All figures of one app. Raises FewtapsError if it does not come up."""
    app = read_apk(path)
    first = first_launch(app, jailed=jailed)
    watched = Watched(jailed, Plan(step_seconds=STEP_SECONDS))
    try:
        with watched.device.open(app) as session:
            assert watched.process is not None
            step = session.launch()
            # From the start of the process: what came before this line is part of a first launch.
            handed = processor_seconds(watched.process.pid)
            if step.ending is not Ending.RUNNING:
                raise FewtapsError(f"{path.name}: {step.ending.value} at launch")
            clock = Clock(watched)
            for _ in range(RELAUNCHES):
                session.launch()
            relaunch = statistics.median(clock.seconds(session.launch) for _ in range(2 * RELAUNCHES))
            events = {}
            for kind, place in places(session, step.after):
                pairs = [both_ways(session, watched, clock, place) for _ in range(rounds)]
                events[kind] = statistics.median(one for one, _ in pairs), statistics.median(two for _, two in pairs)
    finally:
        watched.device.close()
    with zipfile.ZipFile(path) as archive:
        composed = any("androidx.compose" in name for name in archive.namelist())
    return Costs(path.stat().st_size / 1e6, composed, first, handed, relaunch, events)


def first_launch(app: App, *, jailed: bool) -> float:
    """Processor time of a fresh process until the app is up, all classes translated anew."""
    from fewtaps.device.twin import translated

    translated._kept.clear()
    watched = Watched(jailed, Plan(step_seconds=STEP_SECONDS))
    try:
        with watched.device.open(app) as session:
            session.launch()
            assert watched.process is not None
            return processor_seconds(watched.process.pid)
    finally:
        watched.device.close()


def places(session: TwinSession, first: Screen) -> Iterator[tuple[str, Place]]:
    """Where each kind of event can be played on the first screen, again and again."""
    yield "rotation", Place((), (Rotate("landscape"), Rotate("portrait")), lively=True)
    for tap in taps_on(first):
        if leads_away(session, tap, first):
            place = Place((), (tap, Key("BACK")), lively=True)
            place.enter(session)
            if session.perform(tap).after.activity != first.activity:
                yield "opening an activity", place
                break
    for each in first.iter_widgets():
        flags, bounds = each.flags, each.bounds
        if WidgetFlags.SCROLLABLE in flags and bounds.height > 200:
            x, low, high = bounds.centre[0], bounds.bottom - 40, bounds.top + 40
            yield "scrolling", Place((), (Swipe(x, low, x, high), Swipe(x, high, x, low)), lively=True)
            break
    for each in first.iter_widgets():
        if WidgetFlags.EDITABLE in each.flags:
            session.launch()
            texts = Text("fewtaps", replace=True), Text("12", replace=True)
            yield "typing", Place((Tap(*each.bounds.centre),), texts, lively=True)
            break


def both_ways(session: TwinSession, watched: Watched, clock: Clock, place: Place) -> tuple[float, float]:
    """Seconds of an event through the bridge, and in a bare loop."""
    place.enter(session)
    count = BEATS * len(place.beat)
    bridge = clock.seconds(lambda: [session.perform(event) for event in place.beat * BEATS]) / count
    place.enter(session)
    assert watched.process is not None
    process, fields = watched.process, {"events": [event_to_json(each) for each in place.beat], "times": BEATS}
    bare = clock.seconds(
        lambda: process.request("repeat", fields, timeout_seconds=REPEAT_SECONDS, condition="a bare loop to end")
    )
    return bridge, bare / count


def tables(found: list[Costs]) -> dict[str, Table]:
    """A row for each app, and the medians."""
    rows: list[list[Cell]] = []
    for number, each in enumerate(found, 1):
        ratios = [_ratio(each.events.get(kind)) for kind in KINDS]
        kind = "Compose" if each.is_composed else "views"
        milliseconds = [1000 * each.events[name][0] if name in each.events else None for name in KINDS]
        rows.append(
            [str(number), kind, each.megabytes, each.first, each.handed, 1000 * each.relaunch, *milliseconds, *ratios]
        )
    medians = [_median([row[column] for row in rows]) for column in range(3, len(rows[0]))] if rows else []
    if rows:
        rows.append(["**median**", "", _median([row[2] for row in rows]), *medians])
    heads: list[str | tuple[str, str]] = [
        "app",
        "",
        ("MB", "{:.1f}"),
        ("first launch s", "{:.1f}"),
        ("handed on s", "{:.1f}"),
        ("relaunch ms", "{:.0f}"),
        *((f"{kind} ms", "{:.1f}") for kind in KINDS),
        *((f"{kind}, bare / bridge", "{:.2f}") for kind in KINDS),
    ]
    return {"apps": table(heads, rows)}


def _ratio(pair: tuple[float, float] | None) -> float | None:
    return None if pair is None or not pair[0] else pair[1] / pair[0]


def _median(cells: list[Cell]) -> Cell:
    known = [cell for cell in cells if isinstance(cell, int | float)]
    return statistics.median(known) if known else None


def main() -> int:
    """Measures the APKs one after the other; one that does not come up is told and left out."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("apks", type=Path, nargs="+")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    load, jailed, found = load_average(), jail_problem() is None, []
    for path in options.apks:
        try:
            found.append(measure(path, options.rounds, jailed=jailed))
            print(path.name, found[-1], flush=True)
            if options.write:
                keep(found, options.rounds, load)
        except FewtapsError as error:
            print(f"{path.name}: {error}", flush=True)
    print(shown(tables(found)["apps"]))
    return 0 if found else 1


def keep(found: list[Costs], rounds: int, load: float | None) -> None:
    """Writes the result file, after each app: a long measurement may be ended. The names of the APKs are left out."""
    values: dict[str, Cell] = {"apps": len(found), "rounds": rounds}
    given, sys.argv = sys.argv, [sys.argv[0], "--rounds", str(rounds), "--write", "APK", "…"]
    save("real_apps", measured(this_machine(str(find_java().version), load=load), tables(found), values))
    sys.argv = given


if __name__ == "__main__":
    sys.exit(main())
