"""`fewtaps campaign`: every app gets a folder and a row, and the same command again does nothing twice."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from fewtaps.cli.main import main
from fewtaps.cli.options import FarmDeviceOptions
from fewtaps.errors import UsageError
from fewtaps.pipeline.campaign import NO_RESULT, folders_of, read_apps
from fewtaps.store.database import open_store


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


def test_options_of_the_device_are_written_as_a_user_writes_them() -> None:
    assert FarmDeviceOptions().arguments == []
    options = FarmDeviceOptions(device="adb:one", phone="browser=absent", no_jail=True, farm="tcp://127.0.0.1:1")
    assert options.arguments == [
        *("--device", "adb:one", "--phone", "browser=absent", "--no-jail", "--farm", "tcp://127.0.0.1:1"),
    ]


@pytest.mark.slow
def test_every_run_of_a_campaign_has_its_device_options(tmp_path: Path) -> None:
    listed, output = tmp_path / "apps.txt", tmp_path / "night"
    listed.write_text("sim:kiosk\n", "utf-8")
    device = ["--device", "simulated", "--coverage", "off", "--no-jail", "--phone", "locale=ar"]
    assert main(["campaign", str(listed), "-o", str(output), "--events", "20", *device, "--json"]) == 0
    with open_store(output / "kiosk") as store:
        kept = store.runs.all()[0].settings["device"]
    assert (kept["backend"], kept["coverage"], kept["jail"], kept["phone"]) == ("simulated", "off", False, "locale=ar")


@pytest.mark.parametrize("wrong", [["--device", "nothing"], ["--jail", "paper"], ["--phone", "colour=red"]])
def test_a_campaign_with_a_device_that_is_none_starts_nothing(tmp_path: Path, wrong: list[str]) -> None:
    (tmp_path / "apps.txt").write_text("sim:kiosk\n", "utf-8")
    assert main(["campaign", str(tmp_path / "apps.txt"), "-o", str(tmp_path / "night"), *wrong]) == 2
    assert not (tmp_path / "night").exists()


def test_the_folder_of_an_app_is_one_part_of_a_path_and_no_two_runs_share_a_file(tmp_path: Path) -> None:
    apps = (
        "sim:../../../x",
        "a/...apk",
        "..apk",
        "-h",
        "sim:/",
        "a\0b",
        "campaign.apk",
        "x.json.apk",
        "x.apk",
        "é" * 300,
    )
    names = list(folders_of(apps))
    assert names[:5] == ["_.._.._x", "app", "app-2", "h", "_"]
    files = [each for name in names for each in (name, f"{name}.json")]
    assert len(set(files)) == len(files) and "campaign.json" not in files
    for name in files:
        assert (tmp_path / name).parent == tmp_path and not name.startswith((".", "-"))
        (tmp_path / name).touch()


@pytest.mark.slow
def test_names_of_apps_lead_nowhere_and_stop_no_other_app(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    outside, inside = tmp_path / "outside.json", tmp_path / "a" / "b"
    outside.write_text("kept", "utf-8")
    inside.mkdir(parents=True)
    monkeypatch.chdir(inside)
    wrong = ["...apk", "sim:../../../outside", "..apk", "-h", "a\0b"]
    Path("apps.txt").write_text("\n".join([*wrong, "sim:kiosk"]), "utf-8")
    Path("night").mkdir()
    Path("night/h.json").symlink_to(outside)
    assert main(["campaign", "apps.txt", "-o", "night", "--events", "20", "--at-once", "2"]) == 3
    rows = json.loads(Path("night/campaign.json").read_text("utf-8"))["apps"]
    assert [row["code"] for row in rows] == [2, 2, 2, 2, 2, 0]
    assert outside.read_text("utf-8") == "kept"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a", "outside.json"]
    assert sorted(path.name for path in inside.iterdir()) == ["apps.txt", "night"]


@pytest.mark.slow
@pytest.mark.parametrize("told", ["", "[]", '{"summary": {"folder": "elsewhere"}}', '{"error": {"message": "no"}}'])
def test_an_end_without_a_result_of_the_run_is_no_success(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, told: str
) -> None:
    (tmp_path / "apps.txt").write_text("sim:kiosk\n", "utf-8")
    command = ["campaign", str(tmp_path / "apps.txt"), "-o", str(tmp_path / "night")]
    monkeypatch.setattr("fewtaps.pipeline.campaign.python_command", lambda *_: ["printf", "%s", told])
    assert main(command) == 3
    (row,) = json.loads((tmp_path / "night" / "campaign.json").read_text("utf-8"))["apps"]
    assert row["code"] == NO_RESULT and "told no result" in row["message"]
