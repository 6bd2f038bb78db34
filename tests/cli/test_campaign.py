"""`fewtaps campaign`: every app gets a folder and a row, and the same command again does nothing twice."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from fewtaps.cli.main import main
from fewtaps.errors import UsageError
from fewtaps.pipeline.campaign import folders_of, read_apps


def test_a_list_of_apps_is_read(tmp_path: Path) -> None:
    listed = tmp_path / "apps.txt"
    listed.write_text("# two apps\nsim:bill\n\nb/app.apk\nsim:bill\n", "utf-8")
    assert read_apps(listed) == ("sim:bill", str(tmp_path / "b/app.apk"))
    assert list(folders_of(("sim:bill", "a/app.apk", "b/app.apk"))) == ["bill", "app", "app-2"]


@pytest.mark.parametrize("content", [b"", b"# nothing\n", b"\xff\xfe"])
def test_a_list_without_apps_is_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "apps.txt").write_bytes(content)
    with pytest.raises(UsageError):
        read_apps(tmp_path / "apps.txt")


@pytest.mark.slow
def test_every_app_gets_a_row_and_a_second_time_none_is_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    listed, output = tmp_path / "apps.txt", tmp_path / "night"
    listed.write_text("sim:kiosk\nmissing.apk\n", "utf-8")
    command = ["campaign", str(listed), "-o", str(output), "--events", "60", "--at-once", "2", "--json"]
    assert main(command) == 3, "one app could not be run"
    rows = {row["app"]: row for row in json.loads((output / "campaign.json").read_text("utf-8"))["apps"]}
    assert rows["sim:kiosk"]["code"] == 0 and rows["sim:kiosk"]["events"] >= 60
    assert (output / "kiosk" / "fewtaps.db").exists()
    missing = rows[str(tmp_path / "missing.apk")]
    assert missing["code"] == 2 and "missing.apk" in missing["message"]
    kept = (output / "kiosk" / "fewtaps.db").stat().st_mtime_ns
    capsys.readouterr()
    assert main(command) == 3
    assert (output / "kiosk" / "fewtaps.db").stat().st_mtime_ns == kept
    assert "sim:kiosk" in capsys.readouterr().out
