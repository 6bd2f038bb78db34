"""`fewtaps show` and `fewtaps doctor`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from apk_parts import LAUNCHER, Tag, activity, dex, manifest, write_apk

from fewtaps.cli.main import main
from fewtaps.cli.show import size_text
from fewtaps.device.twin import jail, runtime
from fewtaps.errors import DeviceUnavailable


@pytest.fixture
def apk(tmp_path: Path) -> str:
    content = manifest(
        activity(".Main", LAUNCHER),
        *(activity(f".Screen{number}") for number in range(20)),
        root={"versionName": "1.2"},
        application={"label": "Bill [bold]\x1b[31m"},
        extra=[Tag("uses-permission", {"name": "android.permission.CAMERA"})],
    )
    return str(write_apk(tmp_path / "app.apk", content, {"lib/x86/libfoo.so": b""}))


@pytest.mark.slow
def test_shows_what_a_person_wants_to_know(apk: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", apk]) == 0
    out = capsys.readouterr().out
    for wanted in ("(com.example)", "version 1.2", "com.example.Main", "21, 1 exported", "CAMERA", "libfoo.so for x86"):
        assert wanted in out
    assert "The twin can run it, with the Android of API level 28." in out
    assert "1 native library cannot run" in out


@pytest.mark.slow
def test_the_apps_own_words_cannot_command_the_terminal(apk: str, capsys: pytest.CaptureFixture[str]) -> None:
    main(["show", apk])
    out = capsys.readouterr().out
    assert "\x1b" not in out
    assert "[bold]" in out


@pytest.mark.slow
def test_json_is_one_document_with_everything(apk: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", apk, "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["package"] == "com.example"
    assert len(document["activities"]) == 21
    notes = ["1 native library cannot run: libfoo.so", "the camera has no picture"]
    assert document["twin"] == {"runs": True, "api": 28, "obstacles": [], "notes": notes}


@pytest.mark.slow
def test_an_app_that_cannot_run_is_shown_with_the_reason(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    classes = {"com.example.Main": "android.app.NativeActivity"}
    apk = write_apk(tmp_path / "game.apk", None, {"classes.dex": dex(classes)})
    assert main(["show", str(apk)]) == 0
    out = capsys.readouterr().out
    assert "The twin cannot run it." in out
    assert "native-only" in out


def test_doctor_says_what_is_there(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(jail, "jail_problem", lambda: None)
    assert main(["doctor"]) == 0
    out = capsys.readouterr().out
    for name in ("Java", "jars", "bridge", "jail", "adb"):
        assert name in out


def test_doctor_says_what_to_do(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def no_java(minimum: int = 17) -> runtime.Java:
        raise DeviceUnavailable("no Java 17 or newer: install one")

    monkeypatch.setattr(runtime, "find_java", no_java)
    monkeypatch.setattr(jail, "jail_problem", lambda: "no jail: install bubblewrap")
    assert main(["doctor", "--json"]) == 3
    document = json.loads(capsys.readouterr().out)
    bad = {check["name"]: check["advice"] for check in document["checks"] if check["health"] == "bad"}
    assert bad == {"Java": "no Java 17 or newer: install one", "jail": "no jail: install bubblewrap"}


def test_doctor_names_the_walls_of_the_jail_that_stand_and_those_that_do_not(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    walls = (jail.Protection("a filter", False, "there is none"), jail.Protection("no rights", True))
    monkeypatch.setattr(jail, "jail_problem", lambda: None)
    monkeypatch.setattr(jail, "protections", lambda: walls)
    main(["doctor", "--json"])
    (check,) = (each for each in json.loads(capsys.readouterr().out)["checks"] if each["name"] == "jail")
    assert (check["health"], check["advice"]) == ("good", "holds: no rights; missing: a filter (there is none)")


@pytest.mark.parametrize(
    ("walls", "words"),
    [
        ((), "what protects in it cannot be found out"),
        (
            (jail.Protection("a filter", True), jail.Protection("no rights", False)),
            "holds: a filter; missing: no rights",
        ),
    ],
)
def test_doctor_finds_a_jail_bad_that_lacks_what_it_cannot_do_without(
    walls: tuple[jail.Protection, ...], words: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(jail, "jail_problem", lambda: None)
    monkeypatch.setattr(jail, "protections", lambda: walls)
    assert main(["doctor", "--json"]) == 3
    (check,) = (each for each in json.loads(capsys.readouterr().out)["checks"] if each["name"] == "jail")
    assert (check["health"], check["advice"]) == ("bad", words)


def test_doctor_without_a_jail_says_what_is_left(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(jail, "jail_problem", lambda: "no jail: install bubblewrap")
    assert main(["doctor"]) == 3
    out = capsys.readouterr().out
    assert "install bubblewrap" in out
    assert "The twin runs here only with --no-jail, which is for apps you trust" in " ".join(out.split())


def test_doctor_counts_the_jars_of_an_empty_cache(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setenv("FEWTAPS_CACHE", str(tmp_path))
    main(["doctor", "--json"])
    checks = {check["name"]: check for check in json.loads(capsys.readouterr().out)["checks"]}
    assert checks["jars"]["health"] == "later"
    assert checks["bridge"]["health"] == "later"
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("count", "text"), [(1, "1 kB"), (11_740, "12 kB"), (999_999, "1000 kB"), (3_420_000, "3.4 MB")]
)
def test_sizes_are_told_in_units_that_fit(count: int, text: str) -> None:
    assert size_text(count) == text
