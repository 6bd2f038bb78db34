#!/usr/bin/env python3
"""Every strategy under a doubtful oracle: a crash that happens in some worlds only, behind 500 events of a pretend app.

Run: python benchmarks/flaky_strategies.py [--events 500] [--traces 5] [--write]

`--write` writes benchmarks/results/flaky_strategies.json.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path
from random import Random
from statistics import mean

from results import Cell, load_average, measured, save, shown, table, this_machine

from fewtaps.config import DeviceSettings, FlakySettings, ReduceSettings
from fewtaps.device.pool import open_pool
from fewtaps.device.session import DEFAULT_SETTINGS
from fewtaps.device.simulated.device import SimulatedSession
from fewtaps.device.simulated.program import Handler, Phone, Program, Throw, View, button
from fewtaps.errors import FewtapsError
from fewtaps.model.app import App
from fewtaps.model.event import Event, Key, Launch, Tap
from fewtaps.model.trace import Trace
from fewtaps.pipeline.opening import Plan, plan_app
from fewtaps.pipeline.reducing import reduce_with
from fewtaps.pipeline.reduction_job import Reduced, ReductionContext, ReductionJob
from fewtaps.replay import play
from fewtaps.store.database import open_store

PAGES = 5
RATE = 0.6
STRATEGIES = ("auto", "bhdd", "lhdd", "segments", "ddmin")


def pages() -> Program:
    """Pages one behind the other, with much to tap on each; the last one loads, and crashes if one taps too early."""

    def load(phone: Phone) -> None:
        phone.state["ready"] = False
        phone.later(100, lambda phone: phone.state.update(ready=True), jitter_ms=int(400 / (1 - RATE)), thread="loader")

    def use(phone: Phone) -> None:
        if not phone.state.get("ready", True):
            raise Throw("java.lang.IllegalStateException", "not loaded")

    def view(number: int) -> View:
        onward: Handler = lambda phone: phone.go(f"Page{number + 1}")  # noqa: E731
        items = [button(f"Toy {toy}", lambda phone: phone.state.update(toy=True)) for toy in range(4)]
        items.append(button("Next", onward) if number < PAGES else button("Load", load))
        return View(f"Page{number}", items if number < PAGES else [*items, button("Use", use)])

    return Program("com.example.pages", [view(number) for number in range(1, PAGES + 1)], label="Pages")


def long_trace(session: SimulatedSession, random: Random, events: int) -> Trace:
    """A random walk that ends in the crash, in some world."""
    while True:
        step, done = session.launch(0), list[Event]()
        while not step.ending.is_final and len(done) < 4 * events:
            done.append(_choose(session, step.after.activity, random, events - len(done)))
            step = session.perform(done[-1])
        if step.crash is not None and len(done) >= events:
            return play(session, [Launch(), *done], world=0)


def _choose(session: SimulatedSession, activity: str | None, random: Random, left: int) -> Event:
    run = session._run
    assert run is not None
    if run.is_left:
        return Launch()
    rows = [each.widget for each in run.screen.iter_touchable() if each.widget.is_target]
    wanted = [row for row in rows if (row.text != "Use" or left <= 1) and (row.text != "Load" or random.random() < 0.3)]
    if not wanted or random.random() < 0.15:
        return Key("BACK")
    return Tap(*random.choice(wanted).bounds.centre)


def reduced(app: App, trace: Trace, strategy: str) -> Reduced | str:
    """What a strategy makes of a trace; what stood in its way, if it did not come to an end."""
    with tempfile.TemporaryDirectory() as folder:
        settings = ReduceSettings(
            Path(folder), output=Path(folder) / "short.jsonl", strategy=strategy, plainer=False, flaky=FlakySettings()
        )
        session = SimulatedSession(pages(), DEFAULT_SETTINGS)
        usual = plan_app("sim:feed", DeviceSettings())
        plan = Plan(app, usual.device, usual.backend, usual.session)
        with (
            open_store(settings.folder, create=True, write=True) as store,
            open_pool(lambda: nullcontext(session)) as pool,
        ):
            try:
                return reduce_with(ReductionJob("long.jsonl", trace, settings), ReductionContext(plan, store, pool))
            except FewtapsError as error:
                return str(error)


def rows(traces: list[Trace]) -> Iterator[tuple[Cell, ...]]:
    """One row per strategy."""
    app = pages().app
    for strategy in STRATEGIES:
        found = [reduced(app, trace, strategy) for trace in traces]
        good = [each for each in found if isinstance(each, Reduced)]
        sizes = mean(each.reduction.size for each in good)
        rates = mean(each.reproduction.rate for each in good if each.reproduction)
        runs, events = mean(each.reduction.runs for each in good), mean(each.reduction.events for each in good)
        yield strategy, sizes, rates, runs, events


def main() -> None:
    """Prints a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--events", type=int, default=500)
    parser.add_argument("--traces", type=int, default=5)
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    load = load_average()
    session = SimulatedSession(pages(), DEFAULT_SETTINGS)
    traces = [long_trace(session, Random(seed), options.events) for seed in range(options.traces)]
    print(f"{len(traces)} traces of {mean(len(trace.steps) - 1 for trace in traces):.0f} events; shortest steps: 6")
    columns = ("strategy", ("steps left", "{:.1f}"), ("final rate", "{:.0%}"), ("runs", "{:.0f}"))
    found = table([*columns, ("events played", "{:,.0f}")], list(rows(traces)))
    print(shown(found))
    if options.write:
        save("flaky_strategies", measured(this_machine(load=load), {"strategies": found}, {"traces": options.traces}))


if __name__ == "__main__":
    main()
