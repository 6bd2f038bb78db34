"""Coverage reports: what goes in, what comes out, and what is refused; against a fake bridge."""

from __future__ import annotations

import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from fewtaps.device.session import SessionSettings
from fewtaps.device.twin import reports
from fewtaps.device.twin.device import TwinDevice
from fewtaps.device.twin.jail import make_place
from fewtaps.device.twin.process import BridgeProcess
from fewtaps.device.twin.reports import pack_sources
from fewtaps.errors import ApkError, BridgeError, DeviceLost, UsageError
from fewtaps.model.app import App

FAKE = Path(__file__).with_name("fake_bridge.py")
SETTINGS = SessionSettings()
STARTED: list[BridgeProcess] = []


def start(api: int) -> BridgeProcess:
    STARTED.append(BridgeProcess([sys.executable, str(FAKE), str(api)], make_place(jailed=False), start_seconds=10))
    return STARTED[-1]


@pytest.fixture
def device() -> Iterator[TwinDevice]:
    STARTED.clear()
    with TwinDevice(start=start) as device:
        yield device


@pytest.fixture
def app(tmp_path: Path) -> App:
    return named("com.a", tmp_path)


def named(package: str, folder: Path) -> App:
    path = folder / "a.apk"
    path.write_bytes(b"apk")
    return App(package, path=str(path))


@pytest.fixture
def out(tmp_path: Path) -> Path:
    folder = tmp_path / "out"
    folder.mkdir()
    return folder


def names(folder: Path) -> list[str]:
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())


def test_data_of_all_runs_become_one_report(device: TwinDevice, app: App, out: Path) -> None:
    notes = device.coverage_report(app, SETTINGS, iter([b"\x01", b"\x02\x03"]), xml=out / "c.xml")
    assert notes == ()
    assert (out / "c.xml").read_text() == "<report>010203</report>"
    assert names(out) == ["c.xml"]


def test_pages_and_file_come_together(device: TwinDevice, app: App, out: Path, tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    notes = device.coverage_report(app, SETTINGS, [], xml=out / "c.xml", html=out / "pages", sources=[tmp_path / "src"])
    assert notes == ("3 of 4 source files were found",)
    assert names(out) == ["c.xml", "pages/a.b/C.java.html", "pages/index.html", "pages/jacoco-resources/report.css"]
    assert (out / "pages/a.b/C.java.html").read_text() == "1"


def test_nothing_stays_in_the_inbox(device: TwinDevice, app: App, out: Path) -> None:
    device.coverage_report(app, SETTINGS, [], xml=out / "c.xml")
    assert list(STARTED[0].place.host_inbox.iterdir()) == []


def test_an_earlier_report_is_replaced(device: TwinDevice, app: App, out: Path) -> None:
    pages = out / "pages"
    pages.mkdir()
    device.coverage_report(app, SETTINGS, [], html=pages)
    (pages / "a.b" / "Gone.html").write_text("of a class that is no more")
    device.coverage_report(app, SETTINGS, [], html=pages)
    assert names(pages) == ["a.b/C.java.html", "index.html", "jacoco-resources/report.css"]
    assert names(out) == [f"pages/{name}" for name in names(pages)]


@pytest.mark.parametrize("what", ["file", "folder", "link"])
def test_what_is_no_report_is_never_replaced(device: TwinDevice, app: App, out: Path, what: str) -> None:
    target = out / "mine"
    if what == "file":
        target.write_text("precious")
    elif what == "folder":
        target.mkdir()
        (target / "precious").touch()
    else:
        target.symlink_to(out)
    with pytest.raises(UsageError, match="something else than a coverage report"):
        device.coverage_report(app, SETTINGS, [], html=target)
    assert STARTED == []


def test_data_of_another_build_are_noted(device: TwinDevice, out: Path, tmp_path: Path) -> None:
    notes = device.coverage_report(named("other.build", tmp_path), SETTINGS, [], xml=out / "c.xml")
    assert notes == ("2 of 5 executed classes are not those of this build; they are left out",)


def test_what_is_no_execution_data_is_refused(device: TwinDevice, out: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="not JaCoCo's"):
        device.coverage_report(named("not.data", tmp_path), SETTINGS, [b"?"], xml=out / "c.xml")


@pytest.mark.parametrize(
    ("package", "message"), [("leading.elsewhere", "leads elsewhere"), ("broken", "malformed report")]
)
def test_a_report_that_is_not_sound_leaves_nothing(
    device: TwinDevice, out: Path, tmp_path: Path, package: str, message: str
) -> None:
    with pytest.raises(BridgeError, match=message):
        device.coverage_report(named(package, tmp_path), SETTINGS, [], xml=out / "c.xml", html=out / "pages")
    assert list(out.iterdir()) == []
    assert not (tmp_path / "stolen").exists()


@pytest.mark.parametrize(("limit", "value"), [("MAX_PAGES", 2), ("MAX_PAGE_BYTES", 9)])
def test_a_report_that_is_too_large_leaves_nothing(
    device: TwinDevice, app: App, out: Path, limit: str, value: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reports, limit, value)
    with pytest.raises(BridgeError, match="too large"):
        device.coverage_report(app, SETTINGS, [], html=out / "pages")
    assert list(out.iterdir()) == []


def test_a_process_that_dies_is_lost_and_replaced(device: TwinDevice, app: App, out: Path, tmp_path: Path) -> None:
    with pytest.raises(DeviceLost, match="while making a coverage report"):
        device.coverage_report(named("dying", tmp_path), SETTINGS, [], xml=out / "c.xml")
    device.coverage_report(app, SETTINGS, [], xml=out / "c.xml")
    assert names(out) == ["c.xml"]


@pytest.mark.slow
def test_no_process_that_had_an_app_makes_a_report(device: TwinDevice, app: App, out: Path) -> None:
    with device.open(app) as session:
        session.launch()
        device.coverage_report(app, SETTINGS, [session.execution_data()], xml=out / "c.xml")
        assert len(STARTED) == 2
        device.coverage_report(app, SETTINGS, [], xml=out / "c.xml")
        assert len(STARTED) == 2
        with pytest.raises(DeviceLost):
            session.execution_data()
        session.launch()
        assert session.execution_data()
    device.coverage_report(app, SETTINGS, [], xml=out / "c.xml")
    assert len(STARTED) == 3


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({}, "name a file or a folder"),
        ({"xml": "missing/c.xml"}, "there is no folder"),
        ({"html": "missing/pages"}, "there is no folder"),
        ({"html": "pages", "sources": ["missing"]}, "no such folder of sources"),
    ],
)
def test_orders_that_make_no_sense_are_refused_at_once(
    device: TwinDevice, app: App, out: Path, changes: dict[str, object], message: str
) -> None:
    paths = {name: out / value for name, value in changes.items() if isinstance(value, str)}
    sources = [out / name for name in changes.get("sources", [])]  # type: ignore[attr-defined]
    with pytest.raises(UsageError, match=message):
        device.coverage_report(app, SETTINGS, [], sources=sources, **paths)
    assert STARTED == []


def test_without_coverage_there_is_no_report(device: TwinDevice, app: App, out: Path) -> None:
    with pytest.raises(UsageError, match="coverage is off"):
        device.coverage_report(app, SessionSettings(coverage="off"), [], xml=out / "c.xml")


def test_an_apk_that_is_gone_is_an_apk_error(device: TwinDevice, out: Path) -> None:
    with pytest.raises(ApkError, match="cannot read"):
        device.coverage_report(App("com.a", path="/nowhere/a.apk"), SETTINGS, [], xml=out / "c.xml")


def packed(*folders: Path) -> dict[str, bytes]:
    target = folders[0].parent / "sources.zip"
    pack_sources(folders, target)
    with zipfile.ZipFile(target) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def lay(folder: Path, name: str, content: str) -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content, encoding="utf-8")
    return path


def test_sources_go_by_their_package_not_by_their_folder(tmp_path: Path) -> None:
    src = tmp_path / "src"
    lay(src, "main/java/a/b/C.java", "/* package wrong of me */\npackage a.b; // so\nclass C {}")
    lay(src, "kotlin/Flat.kt", '@file:JvmName("x")\n\npackage `in`.d\n')
    lay(src, "Bare.java", "class Bare {}")
    lay(src, "README.md", "package a.b;")
    assert sorted(packed(src)) == ["Bare.java", "a/b/C.java", "in/d/Flat.kt"]


@pytest.mark.timeout(20)
def test_white_space_in_front_of_a_package_ends(tmp_path: Path) -> None:
    lay(tmp_path, "a/Lines.java", "\n" * 60_000 + "package a.b;\r\nclass Lines {}")
    lay(tmp_path, "Blanks.java", ("package c" + " " * 30_000 + "x\n") * 2)
    for number in range(20):
        lay(tmp_path, f"b/None{number}.java", "\n" * 65_000 + "x")
    assert {"a/b/Lines.java", "Blanks.java", "None7.java"} <= set(packed(tmp_path))


def test_of_two_sources_with_one_name_the_first_is_taken(tmp_path: Path) -> None:
    lay(tmp_path / "one", "z/C.java", "package a;\n// one")
    lay(tmp_path / "two", "C.java", "package a;\n// two")
    assert packed(tmp_path / "one", tmp_path / "two") == {"a/C.java": b"package a;\n// one"}


def test_links_are_not_followed(tmp_path: Path) -> None:
    secret = lay(tmp_path / "elsewhere", "S.java", "class S {}")
    src = tmp_path / "src"
    src.mkdir()
    (src / "L.java").symlink_to(secret)
    (src / "folder").symlink_to(secret.parent)
    assert packed(src) == {}


@pytest.mark.parametrize(("limit", "value"), [("MAX_SOURCE_FILES", 1), ("MAX_SOURCE_BYTES", 30)])
def test_more_sources_than_anybody_has_are_refused(
    tmp_path: Path, limit: str, value: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reports, limit, value)
    src = tmp_path / "src"
    for name in "AB":
        lay(src, f"{name}.java", f"package a; class {name} {{}}")
    with pytest.raises(UsageError, match="too many sources"):
        packed(src)


def test_a_huge_file_is_no_source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reports, "MAX_SOURCE_FILE_BYTES", 20)
    src = tmp_path / "src"
    lay(src, "Small.java", "package a;")
    lay(src, "Huge.java", "package a;" + " " * 20)
    assert list(packed(src)) == ["a/Small.java"]
