"""The report in a real browser: Chromium from the system, driven by Playwright; opened from disk, as a reader does."""

from __future__ import annotations

import io
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from PIL import Image
from projects import add, add_reduction, death, make_project, path
from projects import page as page_named

from fewtaps.device.twin.device import TwinSession
from fewtaps.model.episode import Episode
from fewtaps.model.trace import Step
from fewtaps.pipeline.reporting import write_report
from fewtaps.pipeline.serving import open_server
from fewtaps.replay import play
from fewtaps.store.database import open_store
from fewtaps.store.rows import RunPart
from fewtaps.tracefile import read_trace

pytestmark = pytest.mark.slow

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Dialog, Page, Request

SAMPLES = Path(__file__).resolve().parents[2] / "samples"
OpenSample = Callable[..., TwinSession]
NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
WIDTHS = {"desktop": 1280, "phone": 390}
EVIL = (
    "</script><script>document.title='run'</script><img src=x onerror=\"document.title='run'\"> ' \" "
    + "\u05d0\u05d1\u05d2 \u202eabc "
    + "long" * 2500
)


VIEW = "document.getElementById('graph').getAttribute('viewBox').split(' ').map(Number)"
PICTURES_IN_SIGHT = "() => document.querySelector('image[href]') !== null"
"""Since when the map shows its beginning: a slow machine draws it some time after the page was loaded."""


def find_chromium() -> str | None:
    """A Chromium of the system, or the one that FEWTAPS_CHROMIUM names."""
    return os.environ.get("FEWTAPS_CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    playwright = pytest.importorskip("playwright.sync_api", reason="Playwright's Python package is not installed")
    executable = find_chromium()
    if executable is None:
        pytest.skip("there is no Chromium on this machine (set FEWTAPS_CHROMIUM to its path)")
    with playwright.sync_playwright() as tools:
        # Chromium's own sandbox does not work for root, nor inside most containers; the pages are our own.
        opened = tools.chromium.launch(executable_path=executable, args=["--no-sandbox"], timeout=180_000)
        yield opened
        opened.close()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A report on an app whose texts try everything, with a long trace that was reduced."""
    project = make_project(tmp_path_factory.mktemp("project"), message=EVIL)
    crash = death("long", "other")
    long = path(*(f"Page {number % 7}" for number in range(60)), crash=crash)
    short = path("Page 0", EVIL, crash=crash)
    with open_store(project, write=True) as store:
        add(store, long, short)
        add_reduction(store, long, short, sizes=(60, 31, 16, 4))
    return write_report(project).parent


CRASHES, STATES, STEPS = 100, 500, 5


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A report on 500 states, and on 100 crashes with five steps each on screens of their own: 1,000 screenshots."""
    project = tmp_path_factory.mktemp("large")
    traces = []
    for number in range(STATES):
        way = [number]
        while way[-1]:
            way.append((way[-1] - 1) // 3)
        crash = death("boom", f"crash{number}") if number >= STATES - CRASHES else None
        traces.append(path(*(f"Page {each}" for each in reversed(way)), crash=crash))
    with open_store(project, create=True) as store:
        add(store, *traces, pictures=False)
        screens = [page_named(f"Page {number}") for number in range(STATES)]
        for number, trace in enumerate(traces[-CRASHES:]):
            steps = path(*(f"Step {number}-{each}" for each in range(STEPS)), crash=trace.crash)
            add_reduction(store, trace, steps)
            screens += [step.after for step in steps.steps[:-1]]
        for number, screen in enumerate(screens):
            store.screen_pictures.save(screen, plain_png(number))
    return write_report(project).parent


def plain_png(number: int) -> bytes:
    """A picture of a colour that no other number has."""
    target = io.BytesIO()
    Image.new("RGB", (100, 200), (number % 256, number // 256 * 50, 128)).save(target, "PNG")
    return target.getvalue()


class Watched:
    """A page of the report, and all that the browser had to complain of."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.complaints: list[str] = []
        page.on("console", lambda message: self.complaints.append(message.text))
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("requestfailed", self._failed)
        page.set_default_timeout(120_000)

    def _failed(self, request: Request) -> None:
        # What a page no longer wants because it is being left has not failed.
        if "ERR_ABORTED" not in (request.failure or ""):
            self.complaints.append(request.url)

    def open(self, path_of_page: Path) -> Page:
        self.page.goto(path_of_page.as_uri(), timeout=120_000)
        return self.page


@pytest.fixture(params=WIDTHS, ids=str)
def watched(browser: Browser, request: pytest.FixtureRequest) -> Iterator[Watched]:
    viewport = {"width": WIDTHS[request.param], "height": 800}
    context = browser.new_context(viewport=viewport, has_touch=request.param == "phone")  # type: ignore[arg-type]
    yield Watched(context.new_page())
    context.close()


@pytest.fixture
def desktop(browser: Browser) -> Iterator[Watched]:
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    yield Watched(context.new_page())
    context.close()


def crash_page(folder: Path, word: str) -> Path:
    return next(each for each in folder.glob("crash-*.html") if f"Main.{word} (" in each.read_text("utf-8"))


def test_every_page_opens_from_disk_without_a_complaint_and_fits(watched: Watched, folder: Path) -> None:
    for path_of_page in sorted(folder.glob("*.html")):
        page = watched.open(path_of_page)
        assert page.locator("h1").count() == 1
        overflow = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        assert overflow <= 0, path_of_page.name
    assert watched.complaints == []


def test_a_colour_of_a_legend_stays_beside_its_words(watched: Watched, tmp_path: Path) -> None:
    project = make_project(tmp_path)
    with open_store(project, write=True) as store:
        add(store, path("Home"), parts=[RunPart(600.0, 10, 400.0)])
    page = watched.open(write_report(project))
    beside = page.locator(".budget .key").evaluate_all(
        "(keys) => keys.map((key) => { const range = document.createRange(); range.selectNode(key.nextSibling);"
        "const [at, to] = [key.getBoundingClientRect(), range.getBoundingClientRect()];"
        "return to.left > at.right && to.left < at.right + 20 && at.top > to.top && at.bottom < to.bottom; })"
    )
    assert beside == [True, True]


def test_nothing_that_the_app_says_is_run(desktop: Watched, folder: Path) -> None:
    for path_of_page in sorted(folder.glob("*.html")):
        page = desktop.open(path_of_page)
        page.wait_for_load_state("networkidle")
        assert page.title() != "run"
        assert page.locator("img[src=x]").count() == 0
        assert page.locator("script:not([src]):not([type='application/json'])").count() == 0


def test_the_policy_forbids_what_would_slip_through(desktop: Watched, folder: Path) -> None:
    page = desktop.open(folder / "index.html")
    page.evaluate(
        "const one = document.createElement('script'); one.textContent = \"document.title = 'run'\";"
        "document.body.append(one); document.body.insertAdjacentHTML('beforeend',"
        "\"<p id='trap' onclick=\\\"document.title = 'run'\\\">x</p>\"); document.getElementById('trap').click();"
    )
    assert page.title() != "run"
    assert any("Content Security Policy" in words for words in desktop.complaints)


def test_pictures_are_loaded_and_what_is_touched_is_outlined_where_it_is(desktop: Watched, folder: Path) -> None:
    page = desktop.open(crash_page(folder, "other"))
    picture = page.locator(".frame .phone img").first
    picture.scroll_into_view_if_needed()
    page.wait_for_function("[...document.images].some((image) => image.complete && image.naturalWidth > 0)")
    frame, outline = picture.bounding_box(), page.locator(".frame .outline").first.bounding_box()
    assert frame is not None and outline is not None
    # The first widget is the upper quarter of the screen.
    assert abs(outline["y"] - frame["y"]) < 6 and abs(outline["height"] - frame["height"] / 4) < 12


def test_what_was_cut_is_told_from_what_was_kept(desktop: Watched, folder: Path) -> None:
    page = desktop.open(crash_page(folder, "other"))
    assert page.locator(".tree .cut").count() == 60 - 2
    assert page.locator(".tree .cut .n").first.inner_text() == "1"


def test_tabs_and_copying_work_by_keyboard(desktop: Watched, folder: Path) -> None:
    desktop.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page = desktop.open(crash_page(folder, "onClick"))
    tabs = page.get_by_role("tab")
    assert tabs.count() >= 2
    tabs.first.focus()
    page.keyboard.press("End")
    assert tabs.last.get_attribute("aria-selected") == "true"
    panel = page.locator(".export:visible")
    assert panel.count() == 1
    panel.get_by_role("button", name="Copy").press("Enter")
    panel.get_by_role("button", name="Copied").wait_for()
    assert page.evaluate("navigator.clipboard.readText()").strip() == panel.locator("pre").inner_text().strip()


def test_the_map_can_be_moved_zoomed_and_read_by_keyboard(desktop: Watched, folder: Path) -> None:
    page = desktop.open(folder / "states.html")
    graph = page.locator("#graph")

    def view() -> list[float]:
        return [float(number) for number in (graph.get_attribute("viewBox") or "").split()]

    assert page.locator(".keys").is_visible() and page.locator(".stills").count() == 0
    page.get_by_role("button", name="Whole map").click()
    whole = page.evaluate(
        "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(" + VIEW + "))))"
    )
    page.get_by_role("button", name="Zoom in").click()
    page.wait_for_function(f"() => {VIEW}[2] < {whole[2]}")
    before = view()
    page.locator(".state").first.focus()
    page.keyboard.press("ArrowRight")
    page.wait_for_function(f"() => {VIEW}[0] > {before[0]}")
    page.keyboard.press("Enter")
    assert "State 1" in page.locator("#panel").inner_text()
    page.keyboard.press("Escape")
    assert page.locator("#panel").is_hidden()
    assert page.locator(".path").count() >= 2
    page.wait_for_function(PICTURES_IN_SIGHT)


def test_a_large_report_fetches_only_the_pictures_in_sight_and_all_are_small(desktop: Watched, large: Path) -> None:
    pictures = list((large / "pictures").iterdir())
    assert len(pictures) >= STATES + CRASHES * STEPS
    assert max(each.stat().st_size for each in pictures) < 60_000
    fetched: list[str] = []
    desktop.page.on("request", lambda request: fetched.append(request.url) if "/pictures/" in request.url else None)
    page = desktop.open(large / "index.html")
    page.wait_for_load_state("networkidle")
    assert page.locator(".crash-card").count() == CRASHES == page.locator(".crash-card img[loading=lazy]").count()
    # Chromium fetches what is in sight and some screens ahead.
    assert 0 < len(fetched) < CRASHES
    fetched.clear()
    page = desktop.open(large / "states.html")
    page.wait_for_function(PICTURES_IN_SIGHT)
    page.wait_for_load_state("networkidle")
    assert 0 < len(fetched) < STATES / 2
    assert desktop.complaints == []


def test_the_map_of_five_hundred_states_can_be_zoomed_moved_and_walked_by_keyboard(
    desktop: Watched, large: Path
) -> None:
    page = desktop.open(large / "states.html")
    assert page.locator(".state").count() == STATES
    page.wait_for_function(PICTURES_IN_SIGHT)
    in_sight = page.locator("image[href]").count()
    page.locator(".state").first.focus()
    before = page.evaluate(VIEW)
    page.keyboard.press("-")
    page.wait_for_function(f"() => {VIEW}[2] > {before[2]}")
    page.keyboard.press("0")
    # The map is higher than wide: whole it is only when its height fits.
    page.wait_for_function(f"() => {VIEW}[3] >= Number(document.getElementById('graph').dataset.height)")
    page.wait_for_function(f"() => document.querySelectorAll('image[href]').length > {in_sight}")
    far = page.evaluate(VIEW)
    page.keyboard.press("+")
    page.wait_for_function(f"() => {VIEW}[2] < {far[2]}")
    near = page.evaluate(VIEW)
    page.keyboard.press("ArrowDown")
    page.wait_for_function(f"() => {VIEW}[1] > {near[1]}")
    # A state far away comes into sight when it gets the focus, and says what it is.
    last = page.locator(".state").last
    page.evaluate("() => [...document.querySelectorAll('.state')].at(-2).focus()")
    page.keyboard.press("Tab")
    page.wait_for_function(
        f"() => {{ const [x, y, w, h] = {VIEW}; const at = [...document.querySelectorAll('.state')].at(-1)"
        ".transform.baseVal.getItem(0).matrix; return at.e > x && at.e < x + w && at.f > y && at.f < y + h; }"
    )
    assert "crashes here: IllegalStateException in Main.crash499" in (last.get_attribute("aria-label") or "")
    page.keyboard.press("Enter")
    assert f"State {STATES}" in page.locator("#panel").inner_text()
    page.locator("#panel").get_by_role("link", name="IllegalStateException in Main.crash499").click()
    page.locator("h1").wait_for()
    assert "crash499" in page.locator(".hero .where").inner_text()
    assert desktop.complaints == []


def test_choosing_a_crash_shows_its_path_alone_and_whole(desktop: Watched, large: Path) -> None:
    page = desktop.open(large / "states.html")
    page.get_by_label("Crash path").select_option(label="IllegalStateException in Main.crash450")
    assert page.locator(".path:visible").count() == 1 and page.locator("#graph.many").count() == 0
    page.wait_for_function(
        f"() => {{ const [x, y, w, h] = {VIEW}; const nodes = document.querySelectorAll('.state');"
        "const numbers = document.querySelector('.path:not(.off)').dataset.states.split(' ');"
        "return numbers.every((number) => { const at = nodes[number].transform.baseVal.getItem(0).matrix;"
        "return at.e > x && at.e < x + w && at.f > y && at.f < y + h; }); }"
    )
    page.get_by_label("Crash path").select_option(label="All crash paths")
    assert page.locator("#graph.many").count() == 1 and page.locator(".path.off").count() == 0


def test_a_map_of_many_states_can_be_skipped_by_keyboard(desktop: Watched, large: Path) -> None:
    page = desktop.open(large / "states.html")
    link = page.get_by_role("link", name="Skip the map")
    link.focus()
    page.keyboard.press("Enter")
    page.wait_for_function("() => document.activeElement.id === 'list'")


def test_the_reader_decides_between_light_and_dark(browser: Browser, folder: Path) -> None:
    colours = []
    for scheme in ("light", "dark"):
        context = browser.new_context(color_scheme=scheme)
        page = Watched(context.new_page()).open(folder / "index.html")
        colours.append(page.evaluate("getComputedStyle(document.body).backgroundColor"))
        context.close()
    assert colours[0] != colours[1]


def test_without_scripts_everything_can_still_be_read(browser: Browser, folder: Path) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = Watched(context.new_page()).open(crash_page(folder, "onClick"))
    assert page.locator(".export:visible").count() == page.locator(".export").count() >= 2
    assert page.locator(".copy:visible").count() == 0
    context.close()


def test_without_scripts_the_map_is_a_still_picture(browser: Browser, folder: Path) -> None:
    context = browser.new_context(java_script_enabled=False)
    watched = Watched(context.new_page())
    page = watched.open(folder / "states.html")
    page.wait_for_load_state("networkidle")
    papers, pictures = page.locator(".state .paper"), page.locator(".stills image:visible")
    assert papers.count() == pictures.count() > 7
    for number in range(papers.count()):
        paper, picture = papers.nth(number).bounding_box(), pictures.nth(number).bounding_box()
        assert paper is not None and picture is not None
        assert paper["x"] < picture["x"] < picture["x"] + picture["width"] < paper["x"] + paper["width"]
        assert paper["y"] < picture["y"] < picture["y"] + picture["height"] < paper["y"] + paper["height"]
        # It is scrolled, not shrunk until nothing can be read.
        assert paper["width"] >= 120
    # What needs a script is not offered, and what is under the pictures can be clicked.
    assert page.locator(".tools:visible, .keys:visible").count() == 0
    page.locator(".state").last.click()
    assert page.url.endswith(f"#state-{papers.count() - 1}")
    assert watched.complaints == []
    context.close()


def test_every_control_and_picture_has_a_name(desktop: Watched, folder: Path) -> None:
    for path_of_page in sorted(folder.glob("*.html")):
        page = desktop.open(path_of_page)
        nameless = page.evaluate(
            "[...document.querySelectorAll('button, a[href], select, input')].filter((each) =>"
            " !(each.textContent.trim() || each.getAttribute('aria-label') || each.labels?.length)).length"
        )
        assert nameless == 0 and page.locator("img:not([alt])").count() == 0
        levels = page.evaluate("[...document.querySelectorAll('h1, h2, h3')].map((each) => Number(each.tagName[1]))")
        assert levels[0] == 1 and all(after - before <= 1 for before, after in zip(levels, levels[1:], strict=False))


def test_printing_shows_every_step_and_the_chosen_export_without_anything_to_click(
    desktop: Watched, folder: Path
) -> None:
    page = desktop.open(crash_page(folder, "onClick"))
    page.emulate_media(media="print")
    assert page.locator(".export:visible").count() == page.locator(".export:visible h3").count() == 1
    assert page.locator("button:visible, select:visible").count() == 0
    # Three hundred lines of a test are for copying, not for paper; how to get them is.
    box = page.locator(".export:visible pre").bounding_box()
    assert box is not None and box["height"] < 500
    assert "fewtaps export robolectric-java" in page.locator(".export:visible .on-paper").inner_text()
    assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
    assert page.pdf(format="A4").startswith(b"%PDF")


def test_on_paper_the_map_is_whole_and_has_all_its_pictures(desktop: Watched, large: Path) -> None:
    page = desktop.open(large / "states.html")
    page.wait_for_function(PICTURES_IN_SIGHT)
    before = page.evaluate(VIEW)
    page.emulate_media(media="print")
    page.wait_for_function(f"() => {VIEW}[2] === Number(document.getElementById('graph').dataset.width)")
    assert page.locator("image[href]").count() == STATES
    page.emulate_media(media="screen")
    page.wait_for_function(f"() => {VIEW}[2] === {before[2]}")
    # As it is printed: nobody has asked for the pictures before, and nobody waits for them.
    page.emulate_media(media="null")
    page.reload()
    page.wait_for_function(PICTURES_IN_SIGHT)
    assert page.locator("image[href]").count() < STATES
    assert page.pdf(format="A4").count(b"/Subtype /Image") >= STATES
    assert desktop.complaints == []


@pytest.mark.jvm
def test_an_app_whose_labels_are_hostile_is_shown_and_not_obeyed(
    desktop: Watched, open_sample: OpenSample, tmp_path: Path
) -> None:
    session = open_sample("labels")
    shots: list[tuple[int, bytes]] = []

    def seen(number: int, step: Step) -> None:
        if not step.ending.is_final:
            shots.append((number, session.screenshot()))

    trace = play(session, read_trace(SAMPLES / "labels" / "crash.jsonl").events, on_step=seen)
    assert trace.crash is not None
    with open_store(tmp_path, create=True) as store:
        run = store.runs.start(session.app, "explore", {})
        store.runs.add_episode(run, Episode(0, trace, pictures=tuple(shots)))
    folder = write_report(tmp_path).parent
    said: list[str] = []

    def heard(dialog: Dialog) -> None:
        said.append(dialog.message)
        dialog.dismiss()

    desktop.page.on("dialog", heard)
    for path_of_page in sorted(folder.glob("*.html")):
        page = desktop.open(path_of_page)
        page.wait_for_load_state("networkidle")
        assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
    log = desktop.open(next(folder.glob("crash-*.html"))).locator("#log").text_content()
    assert log is not None and "<script>alert(1)</script>" in log
    assert said == [] and desktop.complaints == []


def test_a_live_page_shows_what_is_new(desktop: Watched, tmp_path: Path) -> None:
    import threading

    project = make_project(tmp_path)
    with open_server(project) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        try:
            page = desktop.page
            page.goto(server.address, timeout=120_000)
            assert page.locator(".crash-card").count() == 2
            subprocess.run(
                [sys.executable, "-c", GROW, str(project)],
                check=True,
                env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
            )
            page.locator(".crash-card").nth(2).wait_for()
            page.goto("about:blank")
        finally:
            server.shutdown()
            thread.join()
    assert desktop.complaints == []


GROW = """
import sys
from projects import add, death, path
from fewtaps.replay import play
from fewtaps.store.database import open_store
from fewtaps.tracefile import read_trace
with open_store(sys.argv[1], write=True) as store:
    add(store, path("Home", "Other", crash=death("late", "late")))
"""
