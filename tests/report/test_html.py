from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from projects import THE_APP, add, death, make_project, path

from fewtaps.model.exploration_end import EndKind, ExplorationEnd
from fewtaps.pipeline.reporting import write_report
from fewtaps.report.html import breakable, visible
from fewtaps.store.database import open_store

EVIL = "</script><script>alert(1)</script><img src=x onerror=alert(2)> \" ' \u202eabc \ud800 \x00 " + "x" * 10_000


class Page(HTMLParser):
    """Collects the elements, attributes and texts of a page."""

    def __init__(self, path: Path) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(path.read_text("utf-8"))
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text += data

    def values(self, tag: str, name: str) -> list[str]:
        return [value for each, attrs in self.elements if each == tag and (value := attrs.get(name)) is not None]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_report(make_project(tmp_path_factory.mktemp("project"), message=EVIL)).parent


def pages(folder: Path) -> list[Path]:
    return sorted(folder.glob("*.html"))


def test_there_is_a_page_for_each_crash_beside_the_three_others(folder: Path) -> None:
    assert len(pages(folder)) == 3 + 2


def test_every_link_and_every_picture_leads_to_a_file_of_the_report(folder: Path) -> None:
    for path_of_page in pages(folder):
        page = Page(path_of_page)
        ids = {value for _, attrs in page.elements if (value := attrs.get("id")) is not None}
        links = page.values("a", "href") + page.values("link", "href")
        sources = page.values("img", "src") + page.values("script", "src")
        sources += page.values("image", "data-src") + page.values("image", "href")
        assert sources
        for address in links + sources:
            name, _, place = address.partition("#")
            assert name == "" or (folder / name).is_file(), address
            assert name != "" or place in ids, address


def test_what_the_app_says_makes_no_element_and_no_handler(folder: Path) -> None:
    for path_of_page in pages(folder):
        page = Page(path_of_page)
        assert not [name for _, attrs in page.elements for name in attrs if name.startswith("on") or name == "style"]
        assert all(src.startswith("assets/") for src in page.values("script", "src"))
        inline = [attrs for tag, attrs in page.elements if tag == "script" and "src" not in attrs]
        assert all(attrs.get("type") == "application/json" for attrs in inline)


def test_what_the_app_says_can_be_read(folder: Path) -> None:
    crash = next(page for page in map(Page, folder.glob("crash-*.html")) if "alert(1)" in page.text)
    assert "<script>alert(1)</script><img src=x onerror=alert(2)>" in crash.text
    assert "\\u202eabc \\ud800" in crash.text and "x" * 10_000 in crash.text


def test_the_policy_allows_only_files_of_the_report(folder: Path) -> None:
    for path_of_page in pages(folder):
        (policy,) = [
            attrs["content"] or ""
            for tag, attrs in Page(path_of_page).elements
            if attrs.get("http-equiv") == "Content-Security-Policy"
        ]
        assert policy.startswith("default-src 'none'; script-src 'self'; style-src 'self'")
        assert "unsafe" not in policy and "*" not in policy and "connect-src" not in policy


def test_no_address_leads_to_the_network(folder: Path) -> None:
    text = "".join(each.read_text("utf-8") for each in folder.rglob("*") if each.suffix in (".css", ".js"))
    assert not re.search(r"https?://|@import|url\(", text)


def test_pictures_are_lazy_and_small(folder: Path) -> None:
    for path_of_page in pages(folder):
        for tag, attrs in Page(path_of_page).elements:
            if tag == "img":
                assert attrs["loading"] == "lazy" and attrs["width"] and attrs["height"]
    assert all(each.stat().st_size < 60_000 for each in (folder / "pictures").iterdir())


def test_every_picture_of_a_step_has_its_widget_outlined(folder: Path) -> None:
    crash = next(page for page in map(Page, folder.glob("crash-*.html")) if "alert(1)" in page.text)
    outlines = [attrs for tag, attrs in crash.elements if tag == "rect" and attrs.get("class") == "outline"]
    assert [(each["y"], each["height"]) for each in outlines] == [("0", "50"), ("50", "50")]


def test_an_app_without_crashes_gets_a_report_that_says_so(tmp_path: Path) -> None:
    with open_store(tmp_path, create=True) as store:
        add(store, path("Home", "List"))
    page = Page(write_report(tmp_path))
    text = " ".join(page.text.split())
    assert "No crash was found." in text and "20 % of the lines" in text


def test_an_exploration_that_has_only_begun_gets_a_report_too(tmp_path: Path) -> None:
    with open_store(tmp_path, create=True) as store:
        store.runs.start(THE_APP, "explore", {})
    text = Page(write_report(tmp_path)).text
    assert "Nothing has been explored yet." in text and "Not finished" in text


def test_a_live_report_shows_a_run_at_work_as_long_as_there_is_one(tmp_path: Path) -> None:
    with open_store(tmp_path, create=True) as store:
        run = store.runs.start(THE_APP, "explore", {})
        assert "Working now" in Page(write_report(tmp_path, live=True)).text
        store.runs.finish(run, ExplorationEnd(EndKind.TIME_UP))
        assert "Working now" in Page(write_report(tmp_path, live=True)).text
        assert "Working now" not in Page(write_report(tmp_path)).text
    assert "Working now" not in Page(write_report(tmp_path, live=True)).text


def test_a_crash_without_a_stack_is_shown_too(tmp_path: Path) -> None:
    from fewtaps.model.crash import Crash, CrashKind

    with open_store(tmp_path, create=True) as store:
        add(store, path("Home", crash=Crash(CrashKind.NATIVE, "main")))
    write_report(tmp_path)
    (page,) = (tmp_path / "report").glob("crash-*.html")
    assert "There is no stack." in Page(page).text and "Native crash" in Page(page).text


@given(st.text(st.characters(exclude_categories=())))
def test_whatever_an_app_says_can_be_written(text: str) -> None:
    shown = visible(text)
    shown.encode("utf-8")
    assert not re.search("[\x00-\x08\x0b-\x1f\u202a-\u202e\u2066-\u2069]", shown)


def test_a_page_says_what_is_missing_and_the_command_that_goes_on(tmp_path: Path) -> None:
    with open_store(tmp_path / "half", create=True) as store:
        add(store, path("Home", "Item", crash=death()))
    write_report(tmp_path / "half")
    (page,) = (tmp_path / "half" / "report").glob("crash-*.html")
    said = page.read_text("utf-8")
    assert "Not there yet: a reduction, a reproduction rate." in said and "fewtaps run APK -o half" in said


def test_names_break_before_capitals_and_stay_safe() -> None:
    assert breakable("IllegalStateException") == "Illegal<wbr>State<wbr>Exception"
    assert "<b>" not in breakable("a.<b>X")
