"""The report of a project: built, built again, refused; and shown while it grows."""

from __future__ import annotations

import json
import os
import signal
import sys
from contextlib import closing
from pathlib import Path
from urllib.request import urlopen

import pytest
from old_stores import make_store
from processes import started
from projects import add, death, make_project, path

from fewtaps.cli.main import main
from fewtaps.config import DeviceSettings
from fewtaps.device.pool import open_pool
from fewtaps.errors import FewtapsError, NotFound, SchemaTooNew, StoreError, UsageError
from fewtaps.pipeline import serving
from fewtaps.pipeline.opening import open_session, plan_app
from fewtaps.pipeline.reporting import picture_steps, write_report
from fewtaps.replay import PlayEvents
from fewtaps.report import html
from fewtaps.report.folder import MARK
from fewtaps.store.database import FILE, open_store


def test_the_command_says_where_the_report_is(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    make_project(tmp_path / "project")
    assert main(["report", str(tmp_path / "project"), "-o", str(tmp_path / "out"), "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {"report": str(tmp_path / "out" / "index.html"), "pictures": True}
    assert (tmp_path / "out" / "index.html").is_file() and not (tmp_path / "project" / "report").exists()


def test_it_can_be_built_while_another_process_writes(tmp_path: Path) -> None:
    with open_store(make_project(tmp_path), write=True) as store:
        add(store, path("Home", "Other", crash=death("late", "late")))
        assert len(json.loads((write_report(tmp_path).parent / MARK).read_text())["crashes"]) == 3


def test_a_folder_without_a_store_is_told(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match="nothing has been explored here"):
        write_report(tmp_path)
    with pytest.raises(NotFound, match="there is no such folder"):
        write_report(tmp_path / "nowhere")
    assert list(tmp_path.iterdir()) == []


def test_a_store_of_a_newer_version_is_told_and_the_old_report_stays(tmp_path: Path) -> None:
    import sqlite3

    page = write_report(make_project(tmp_path))
    with closing(sqlite3.connect(tmp_path / FILE)) as connection:
        connection.execute("PRAGMA user_version = 99")
    with pytest.raises(SchemaTooNew, match="written by a newer fewtaps"):
        write_report(tmp_path)
    assert page.is_file()


def test_a_store_that_was_cut_short_is_told_and_the_old_report_stays(tmp_path: Path) -> None:
    page = write_report(make_project(tmp_path))
    whole = (tmp_path / FILE).read_bytes()
    (tmp_path / FILE).write_bytes(whole[: len(whole) // 3])
    with pytest.raises(StoreError, match="damaged; put a copy of it back, or begin anew in another folder"):
        write_report(tmp_path)
    assert page.is_file()


def test_an_older_store_that_may_not_be_written_is_refused_with_the_command_that_migrates_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_store(tmp_path, 1)
    monkeypatch.setattr(os, "access", lambda *_: False)
    with pytest.raises(StoreError, match=f"older fewtaps.*`fewtaps run APK -o {tmp_path}` brings it up to date"):
        write_report(tmp_path)


def test_a_full_disk_leaves_the_old_report_and_is_told_by_the_exit_code(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    page = write_report(make_project(tmp_path))
    before = page.read_text("utf-8")

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(html, "write_assets", full)
    assert main(["report", str(tmp_path)]) == 3
    assert "the disk is full; the earlier report stays" in capsys.readouterr().err
    assert page.read_text("utf-8") == before
    assert not list(tmp_path.glob(".report*"))


def test_pictures_of_the_steps_are_taken_once(tmp_path: Path) -> None:
    plan = plan_app("sim:bill", DeviceSettings())
    with (
        open_store(tmp_path, create=True) as store,
        open_pool(lambda: open_session(plan, None), size=2) as pool,
    ):
        trace = pool.ask(PlayEvents((), 0)).trace
        assert store.screen_pictures.find(trace.steps[0].after) is None
        picture_steps(store, pool, trace)
        name = store.screen_pictures.find(trace.steps[0].after)
        assert name is not None and store.pictures.load(name).startswith(b"\x89PNG")
        store.pictures.path(name).unlink()
        picture_steps(store, pool, trace)
        assert not store.pictures.path(name).exists()


def test_a_live_report_is_built_again_when_there_is_more(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(serving, "PAUSE_SECONDS", 0.0)
    project = make_project(tmp_path / "project")
    live = serving.LiveReport(project, tmp_path)
    first = live.version()
    assert live.version() == first
    with open_store(project, write=True) as store:
        add(store, path("Home", "Other", crash=death("late", "late")))
    assert live.version() != first
    assert len(list(live.folder().glob("crash-*.html"))) == 3
    assert not (project / "report").exists()


def test_a_live_report_is_built_again_when_work_begins_and_ends(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(serving, "PAUSE_SECONDS", 0.0)
    project = make_project(tmp_path / "project")
    live = serving.LiveReport(project, tmp_path)
    versions = [live.version()]
    with open_store(project, write=True):
        versions.append(live.version())
    versions.append(live.version())
    assert versions == ["1", "2", "3"]


def test_a_live_report_stays_when_the_store_cannot_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(serving, "PAUSE_SECONDS", 0.0)
    live = serving.LiveReport(make_project(tmp_path / "project"), tmp_path)

    def broken(*_: object, **__: object) -> Path:
        raise FewtapsError("it is damaged")

    monkeypatch.setattr(serving, "write_report", broken)
    (tmp_path / "project" / FILE).touch()
    assert live.version() == "1"
    assert (live.folder() / "index.html").is_file()


def test_a_port_that_is_taken_is_told(tmp_path: Path) -> None:
    project = make_project(tmp_path)
    with (
        serving.open_server(project) as server,
        pytest.raises(UsageError, match="--port"),
        serving.open_server(project, server.server_port),
    ):
        pass


@pytest.mark.slow
def test_ctrl_c_ends_the_server_and_leaves_nothing_behind(tmp_path: Path) -> None:
    project = make_project(tmp_path / "project")
    temporary = tmp_path / "tmp"
    temporary.mkdir()
    command = [sys.executable, "-m", "fewtaps", "serve", str(project), "--json"]
    with started(command, env={**os.environ, "TMPDIR": str(temporary)}) as process:
        assert process.stdout is not None
        address = json.loads(process.stdout.readline())["address"]
        with urlopen(address, timeout=60) as answer:
            assert b"<title>Overview" in answer.read()
        process.send_signal(signal.SIGINT)
        _, complaints = process.communicate(timeout=120)
    assert process.returncode == 0 and complaints == ""
    assert list(temporary.iterdir()) == []
    assert not (project / "report").exists()
