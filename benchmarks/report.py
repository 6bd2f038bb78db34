"""How long a large report takes to build and to open: 100 crashes, 1,000 screenshots, 500 states, in Chromium.

    python benchmarks/report.py [FOLDER] [--crashes 100] [--states 500] [--pictures 1000] [--write]

A folder that holds such a project already is used as it is; --write writes benchmarks/results/report.json. The
project is made up: screens with lists of rows, a picture of each, and for each crash a few steps on screens of its own.
Times to open are those the browser itself tells (Navigation Timing and Paint Timing), from disk, each page in a fresh
browser context; the middle one of five.
"""

from __future__ import annotations

import argparse
import io
import shutil
import statistics
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

from PIL import Image, ImageDraw
from results import Cell, Table, load_average, measured, save, shown, table, this_machine

from fewtaps.model.app import App
from fewtaps.model.coverage import ClassProbes, Coverage, LineProbe, ProbeMap, ProbeSet
from fewtaps.model.crash import Crash, CrashKind, ExceptionInfo, Frame
from fewtaps.model.ending import Ending
from fewtaps.model.episode import Episode
from fewtaps.model.event import Launch, Tap
from fewtaps.model.exploration_end import EndKind, ExplorationEnd
from fewtaps.model.goal import GoalKind, GoalSpec
from fewtaps.model.result import ReductionState
from fewtaps.model.screen import UNSEEN, Bounds, Screen, Widget, WidgetFlags, Window, WindowKind
from fewtaps.model.trace import Step, Trace
from fewtaps.pipeline.reporting import write_report
from fewtaps.store.database import FILE, Store, open_store
from fewtaps.store.rows import ReductionRow
from fewtaps.tracefile import trace_to_bytes

APP = App("com.example.large", version_name="1.0", digest="ab" * 32, label="A large app")
WIDTH, HEIGHT, ROWS = 720, 1280, 12
TIMES = 5
TITLES = {
    "index.html": "overview, 100 cards",
    "crash": "a crash, with its exports",
    "states.html": "map of 500 states",
    "coverage.html": "coverage of 600 classes",
}
TIMING = """() => {
  const [page] = performance.getEntriesByType('navigation');
  const paint = performance.getEntriesByName('first-contentful-paint')[0];
  return [page.domContentLoadedEventEnd, page.loadEventEnd, paint ? paint.startTime : 0];
}"""


def screen(number: int) -> Screen:
    """A screen with a list whose rows can be tapped."""
    rows = tuple(
        Widget(
            "android.widget.TextView",
            f"com.example.large:id/row{row}",
            f"Screen {number}, row {row}",
            bounds=Bounds(0, 100 + row * 96, WIDTH, 196 + row * 96),
            flags=WidgetFlags.CLICKABLE | WidgetFlags.ENABLED,
        )
        for row in range(ROWS)
    )
    root = Widget("android.widget.LinearLayout", bounds=Bounds(0, 0, WIDTH, HEIGHT), children=rows)
    activity = f"com.example.large.Activity{number % 20}"
    return Screen(APP.package, activity, WIDTH, HEIGHT, windows=(Window("", WindowKind.ACTIVITY, root, True),))


def picture(number: int, shade: int = 0) -> bytes:
    """A picture of the screen, about as rich as one of a real app."""
    random = Random(number * 31 + shade)
    image = Image.new("RGB", (WIDTH, HEIGHT), "#fafafa")
    draw = ImageDraw.Draw(image)
    draw.rectangle((0, 0, WIDTH, 96), fill=random.choice(("#2e7d32", "#1565c0", "#6a1b9a", "#37474f")))
    for row in range(ROWS):
        top = 100 + row * 96
        draw.line((0, top, WIDTH, top), fill="#dddddd")
        draw.ellipse((24, top + 16, 88, top + 80), fill=tuple(random.randrange(80, 220) for _ in range(3)))
        draw.text((120, top + 24), f"Screen {number}, row {row}: {random.random():.9f}", fill="#222222", font_size=26)
    target = io.BytesIO()
    image.save(target, "PNG", compress_level=1)
    return target.getvalue()


def crash(number: int) -> Crash:
    """One of many crashes, with a stack of usual length."""
    part = f"Part{number}"
    own = [Frame(f"com.example.large.{part}", f"step{depth}", f"{part}.java", 10 + depth) for depth in range(4)]
    platform = [Frame("android.view.View", f"call{depth}", "View.java", depth) for depth in range(30)]
    info = ExceptionInfo("java.lang.IllegalStateException", f"Part {number} is not ready", (*own, *platform))
    return Crash(CrashKind.EXCEPTION, "main", (info,))


def walk(numbers: list[int], screens: list[Screen], end: Crash | None, covered: Coverage) -> Trace:
    """A trace through these screens."""
    steps = [Step(Launch(), UNSEEN, screens[numbers[0]], covered)]
    for before, after in zip(numbers, numbers[1:], strict=False):
        shown = screens[before]
        event = Tap(360, 148 + 96 * (after % ROWS), shown.selector_at(360, 148 + 96 * (after % ROWS)))
        steps.append(Step(event, shown, screens[after]))
    if end is not None:
        shown = screens[numbers[-1]]
        steps.append(Step(Tap(360, 148, shown.selector_at(360, 148)), shown, crash=end, ending=Ending.CRASHED))
    return Trace(APP.ref, tuple(steps), screen=(WIDTH, HEIGHT, 320))


def class_probes(number: int) -> ClassProbes:
    """A class with twenty lines, in one of thirty packages."""
    lines = tuple(LineProbe(number * 20 + line, line) for line in range(20))
    return ClassProbes(f"com.example.large.p{number % 30}.C{number}", lines=lines)


def fill(store: Store, crashes: int, states: int, pictures: int) -> None:
    """A project of the given size: a picture of each state, the others of the steps of the crashes."""
    random = Random(1)
    screens = [screen(number) for number in range(states)]
    parents = [0, *(random.randrange(max(0, number - 40), number) for number in range(1, states))]
    run = store.runs.start(APP, "explore", {"strategy": "made up", "device": {"coverage": "app"}})
    store.runs.save_probe_map(APP.ref, "app", ProbeMap(tuple(map(class_probes, range(600)))))
    steps = max(1, (pictures - states) // crashes)
    for number in range(states):
        way = [number]
        while way[-1]:
            way.append(parents[way[-1]])
        which = number * crashes // states
        end = crash(which) if number == 0 or which != (number - 1) * crashes // states else None
        trace = walk(way[::-1], screens, end, Coverage(lines=ProbeSet.of(random.sample(range(12_000), 60))))
        shots = ((len(way) - 1, picture(number)),)
        store.runs.add_episode(run, Episode(number, trace, pictures=shots), seconds=number * 1.5)
        if end is not None:
            reduce_to(store, trace, [screen(states + which * steps + step) for step in range(steps)], end)
    store.runs.finish(run, ExplorationEnd(EndKind.TIME_UP))


def reduce_to(store: Store, original: Trace, screens: list[Screen], end: Crash) -> None:
    """Keeps a reduction of a crash that leads through these screens, with a picture of each."""
    index = int(end.fingerprint[:6], 16)
    for number, each in enumerate(screens):
        store.screen_pictures.save(each, picture(number, shade=index))
    short = walk(list(range(len(screens))), screens, end, Coverage())
    row = ReductionRow(
        question=end.fingerprint, original=original.events_digest, strategy="auto",
        goal=GoalSpec(GoalKind.CRASH, end.signature), before=len(original.steps) - 1, after=len(screens),
        runs=40, events=300, is_minimal=True,
        state=ReductionState.FINISHED, content=trace_to_bytes(short),
    )  # fmt: skip
    store.results.save_reduction(APP.ref, row)


def open_pages(folder: Path, executable: str) -> tuple[dict[str, list[float]], str]:
    """For each page, the middle times of DOM, load and first paint, in milliseconds; and the browser's version."""
    from playwright.sync_api import sync_playwright

    a_crash = next(iter(sorted(folder.glob("crash-*.html"))))
    results: dict[str, list[float]] = {}
    with sync_playwright() as tools:
        browser = tools.chromium.launch(executable_path=executable, args=["--no-sandbox"], timeout=180_000)
        for page_path in (folder / "index.html", a_crash, folder / "states.html", folder / "coverage.html"):
            times = []
            for _ in range(TIMES):
                context = browser.new_context(viewport={"width": 1280, "height": 900})
                page = context.new_page()
                page.goto(page_path.as_uri(), wait_until="load")
                page.wait_for_timeout(300)
                times.append(page.evaluate(TIMING))
                context.close()
            results[page_path.name] = [statistics.median(column) for column in zip(*times, strict=True)]
        version = browser.version.partition(".")[0]
        browser.close()
    return results, version


@dataclass(frozen=True, slots=True)
class Built:
    """A report that was built: seconds of processor time for the first time and again, files and megabytes."""

    first: float
    again: float
    files: int
    megabytes: float


def build(folder: Path) -> tuple[Path, Built]:
    """Builds the report twice; its folder and what it took."""
    seconds = []
    for _ in range(2):
        began = time.process_time()
        page = write_report(folder.resolve())
        seconds.append(time.process_time() - began)
    sizes = [path.stat().st_size for path in page.parent.rglob("*") if path.is_file()]
    return page.parent, Built(seconds[0], seconds[1], len(sizes), sum(sizes) / 1e6)


def pages_table(pages: dict[str, list[float]]) -> Table:
    """How long each page takes to open."""
    columns = ("page", ("ready", "{:.0f} ms"), ("loaded", "{:.0f} ms"), ("first paint", "{:.0f} ms"))
    return table(columns, [(TITLES.get(name, TITLES["crash"]), *times) for name, times in pages.items()])


def report_values(built: Built, version: str) -> dict[str, Cell]:
    """The browser, and what building took."""
    sizes: dict[str, Cell] = {"files": built.files, "megabytes": round(built.megabytes)}
    times: dict[str, Cell] = {"first_seconds": round(built.first), "again_seconds": round(built.again, 1)}
    return {"browser": int(version), "times": TIMES, **sizes, **times}


def main() -> int:
    """Builds, opens, tells; 1 if a page takes a second or more."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folder", nargs="?", type=Path)
    parser.add_argument("--crashes", type=int, default=100)
    parser.add_argument("--states", type=int, default=500)
    parser.add_argument("--pictures", type=int, default=1000)
    parser.add_argument("--write", action="store_true")
    options: Any = parser.parse_args()
    load = load_average()
    executable = shutil.which("chromium") or shutil.which("google-chrome")
    if executable is None:
        print("no Chromium here: nothing can be opened")
        return 3
    folder = options.folder or Path(tempfile.mkdtemp(prefix="fewtaps-report-"))
    try:
        if not (folder / FILE).exists():
            with open_store(folder, create=True) as store:
                fill(store, options.crashes, options.states, options.pictures)
        report, built = build(folder)
        pages, version = open_pages(report, executable)
    finally:
        if options.folder is None:
            shutil.rmtree(folder, ignore_errors=True)
    found, values = pages_table(pages), report_values(built, version)
    print(shown(found), values, sep="\n\n")
    if options.write:
        save("report", measured(this_machine(load=load), {"pages": found}, values))
    return 0 if all(loaded < 1000 and painted < 1000 for _, loaded, painted in pages.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
