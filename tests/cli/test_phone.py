"""Phones that differ from the ordinary one, through the command."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from kept import episodes_in

from fewtaps.cli.main import main
from fewtaps.model.event import Launch
from fewtaps.tracefile import read_trace

Capture = pytest.CaptureFixture[str]
KIOSK = "sim:kiosk"


def run(folder: Path, phone: str, *options: str) -> int:
    return main(
        ["run", KIOSK, "-o", str(folder), "--phone", phone, "--events", "200", "--no-suite", "-j", "1", *options]
    )


@pytest.mark.slow
def test_a_crash_keeps_the_differences_that_it_needs_and_no_others(tmp_path: Path, capsys: Capture) -> None:
    assert run(tmp_path, "browser=absent,theme=dark,locale=de-DE", "--json") == 0
    summary = json.loads(capsys.readouterr().out.splitlines()[-1])["summary"]
    steps = sorted(crash["steps"] for crash in summary["crashes"])
    assert steps == [
        ["Launch on a phone in the language de-DE", "Tap 'Total'"],
        ["Launch on a phone without a browser", "Tap 'Help'", "Tap 'Website'"],
    ]


@pytest.mark.slow
def test_the_steps_are_told_with_their_phone_wherever_they_are_shown(tmp_path: Path, capsys: Capture) -> None:
    run(tmp_path / "project", "browser=absent,theme=dark")
    assert "only on phones without a browser" in capsys.readouterr().out
    (reduced,) = (tmp_path / "project").glob("*.reduced.jsonl")
    assert read_trace(reduced).events[0] == Launch((("browser", "absent"),))
    assert json.loads(reduced.read_text().splitlines()[0])["version"] == 3
    (page,) = (tmp_path / "project" / "report").glob("crash-*.html")
    assert "Only on phones without a browser." in page.read_text()
    crash = reduced.name.partition(".")[0]
    for form, words in {
        "issue": "1. Launch the app on a phone without a browser.",
        "espresso-java": "after the launch on a phone without a browser",
        "adb": "on a phone without a browser",
    }.items():
        main(["export", form, str(tmp_path / "project"), crash])
        assert words in capsys.readouterr().out


@pytest.mark.slow
def test_a_trace_is_played_on_its_own_phone_unless_another_is_named(tmp_path: Path, capsys: Capture) -> None:
    run(tmp_path, "browser=absent")
    (reduced,) = tmp_path.glob("*.reduced.jsonl")
    for phone, crashes in {
        "": True,
        "ordinary": False,
        "locale=de-DE": False,
        "browser=absent,locale=de-DE": True,
    }.items():
        capsys.readouterr()
        main(["play", KIOSK, str(reduced), "--phone", phone])
        assert ("CRASH" in capsys.readouterr().out) == crashes


def test_an_unknown_phone_is_one_line(tmp_path: Path, capsys: Capture) -> None:
    assert run(tmp_path, "browser=maybe") == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line == "fewtaps: --phone: browser: not 'maybe'; for instance absent"


@pytest.mark.slow
def test_an_exploration_goes_on_only_on_its_own_phone(tmp_path: Path, capsys: Capture) -> None:
    assert main(["explore", KIOSK, "-o", str(tmp_path), "--phone", "theme=dark", "--events", "30"]) == 0
    again = ["explore", KIOSK, "-o", str(tmp_path), "--resume", "--events", "60"]
    assert main(again) == 0
    capsys.readouterr()
    assert main([*again, "--phone", "theme=dark,browser=absent"]) == 2
    assert "--phone" in capsys.readouterr().err


@pytest.mark.slow
def test_without_any_option_phones_vary_and_each_crash_tells_what_it_needs(tmp_path: Path, capsys: Capture) -> None:
    junit = tmp_path / "junit.xml"
    project = str(tmp_path / "project")
    assert main(["run", KIOSK, "-o", project, "--events", "5000", "--no-suite", "-j", "1", "--junit", str(junit)]) == 0
    out = capsys.readouterr().out
    assert "only on phones without a browser" in out
    assert "only in German" in out
    assert "only on phones without a browser" in junit.read_text() and "only in German" in junit.read_text()
    main(["crashes", project])
    assert "only on phones without a browser" in capsys.readouterr().out
    main(["crashes", project, "--json"])
    crashes = json.loads(capsys.readouterr().out)["crashes"]
    assert sorted(list(each["phone"].items()) for each in crashes) == [[("browser", "absent")], [("locale", "de-DE")]]


@pytest.mark.slow
def test_an_exploration_that_is_cut_short_goes_on_with_the_same_phones(tmp_path: Path) -> None:
    explore = ["explore", KIOSK, "--seed", "4", "-o"]
    main([*explore, str(tmp_path / "whole"), "--events", "2000"])
    main([*explore, str(tmp_path / "parts"), "--events", "1200"])
    main([*explore, str(tmp_path / "parts"), "--events", "2000", "--resume"])
    whole, parts = episodes_in(tmp_path / "whole"), episodes_in(tmp_path / "parts")
    phones = [(one.trace.phone, other.trace.phone) for one, other in zip(whole, parts, strict=False)]
    assert len(set(phones)) > 4 and all(one == other for one, other in phones)


@pytest.mark.slow
def test_with_one_phone_every_episode_is_on_it(tmp_path: Path) -> None:
    for number, option in enumerate((["--no-vary"], ["--phone", "ordinary"], ["--strategy", "mr"])):
        main(["explore", KIOSK, "-o", str(tmp_path / str(number)), "--events", "1500", *option])
        episodes = episodes_in(tmp_path / str(number))
        assert len(episodes) > 8 or "mr" in option
        assert {each.trace.phone for each in episodes} == {()}
    main(["explore", KIOSK, "-o", str(tmp_path / "theme"), "--events", "1500", "--vary", "theme"])
    assert {each.trace.phone for each in episodes_in(tmp_path / "theme")} == {(), (("theme", "dark"),)}


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--vary", "weather"], "--vary: weather: phones have no such setting; there are neighbours, permissions,"),
        (["--vary", "locale", "--no-vary"], "--vary and --no-vary: one of them"),
        (["--vary", "locale", "--phone", "theme=dark"], "--vary and --phone theme=dark: one of them"),
        (["--vary", "neighbours", "--neighbours", "absent"], "--vary neighbours and --neighbours absent: one of them"),
        (["--vary", "android", "--api", "30"], "--vary android and --api 30: one of them"),
        (["--phone", "network=slow", "--network", "online"], "--network online and --phone network=slow: one of them"),
        (["--phone", "theme=dark,theme=dark"], "--phone: theme: given twice"),
        (["--phone", "permissions=asked", "--permissions", "denied"], "--permissions denied and --phone permissions="),
        (["--phone", "permissions=denied", "--api", "22"], "--api 22: permissions: Android has it since API level 23,"),
    ],
)
def test_conditions_that_cannot_be_are_one_line(tmp_path: Path, capsys: Capture, options: list[str], said: str) -> None:
    assert main(["explore", KIOSK, "-o", str(tmp_path / "project"), *options]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith(f"fewtaps: {said}")
    assert not (tmp_path / "project").exists()
