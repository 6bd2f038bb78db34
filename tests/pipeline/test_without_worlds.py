"""What becomes of worlds on a device that has none: runs are repeated, and no number of a world reaches the device."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from kept import episodes_in

from fewtaps.cli.live import LiveRunView, PlainView
from fewtaps.cli.main import main
from fewtaps.cli.terminal import Terminal
from fewtaps.config import (
    DeviceSettings,
    ExploreLimits,
    ExploreSettings,
    FlakySettings,
    ReduceSettings,
    ReplaySettings,
    RunSettings,
)
from fewtaps.device import registry
from fewtaps.device.registry import BACKENDS
from fewtaps.device.session import Capability
from fewtaps.device.simulated.device import SimulatedDevice, SimulatedSession
from fewtaps.errors import UsageError
from fewtaps.model.event import Event, Launch, Selector, Tap, Wait
from fewtaps.model.phone import Differences
from fewtaps.model.trace import Step, Trace
from fewtaps.pipeline.exploring import explore_app
from fewtaps.pipeline.news import CrashReplayed, News, OtherWorldsTried, Tell
from fewtaps.pipeline.opening import open_app
from fewtaps.pipeline.reducing import reduce_file
from fewtaps.pipeline.replaying import replay_file
from fewtaps.pipeline.running import run_app
from fewtaps.replay import play
from fewtaps.tracefile import write_trace


@pytest.fixture(autouse=True)
def phone(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Makes the simulated device one without worlds; the worlds that it is launched in."""
    known = BACKENDS["simulated"]
    entry = replace(
        known,
        capabilities=known.capabilities - {Capability.WORLDS, Capability.DECISIONS},
        make=lambda argument="", **options: SimulatedDevice(worlds=False, **options),
    )
    monkeypatch.setattr(registry, "BACKENDS", {**BACKENDS, "simulated": entry})
    launched: list[int] = []
    launch = SimulatedSession.launch

    def noted(session: SimulatedSession, world: int = 0, phone: Differences | None = None) -> Step:
        launched.append(world)
        return launch(session, world, phone)

    monkeypatch.setattr(SimulatedSession, "launch", noted)
    return launched


@pytest.fixture
def race(tmp_path: Path) -> Path:
    """Steps to the crash of the feed, which chance decides about, recorded in a world of another device."""
    events: tuple[Event, ...] = (
        Launch(),
        *[Wait(20)] * 3,
        Tap(0, 0, Selector(text="Refresh")),
        Tap(0, 0, Selector(text="First post")),
    )
    with open_app("sim:feed", DeviceSettings()) as opened:
        found = (play(opened.session, events) for _ in range(40))
        trace: Trace = next(trace for trace in found if trace.crash is not None)
    write_trace(tmp_path / "race.jsonl", replace(trace, world=3))
    return tmp_path / "race.jsonl"


def test_a_replay_in_many_worlds_repeats_the_run(race: Path, tmp_path: Path, phone: list[int]) -> None:
    replay = replay_file("sim:feed", str(race), ReplaySettings(tmp_path / "p", worlds=30))
    assert {each.trace.world for each in replay.plays} == {0}
    assert 0 < replay.reproduction.met < replay.reproduction.runs == 30
    assert set(phone) == {0}


@pytest.mark.slow
def test_an_exploration_starts_in_no_world(tmp_path: Path, phone: list[int]) -> None:
    limits = ExploreLimits(events=120)
    explore_app("sim:bill", ExploreSettings(tmp_path, limits=limits, worlds=4))
    assert len(phone) > 4 and set(phone) == {0}
    assert {episode.trace.world for episode in episodes_in(tmp_path)} == {0}


def test_a_flaky_reduction_repeats_runs(race: Path, tmp_path: Path, phone: list[int]) -> None:
    settings = ReduceSettings(tmp_path / "p", output=tmp_path / "short.jsonl", flaky=FlakySettings(needed=2))
    result = reduce_file("sim:feed", str(race), settings)
    assert result.repeated is not None
    assert result.repeated.worlds is None and result.repeated.cause is None
    assert result.reduction.size < 5
    assert set(phone) == {0}


@pytest.mark.slow
def test_a_whole_run_needs_no_worlds(tmp_path: Path, phone: list[int]) -> None:
    ran = run_app("sim:bill", RunSettings(tmp_path, events=100, minutes=60, jobs=1, worlds=5))
    assert ran.cases
    assert all(case.reproduction is not None and case.reproduction.runs == 5 for case in ran.cases)
    assert set(phone) == {0}


@pytest.mark.slow
@pytest.mark.parametrize("is_live", [False, True])
def test_a_whole_run_is_told_in_runs(
    is_live: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    view = LiveRunView(Terminal()) if is_live else PlainView(Terminal())
    heads: list[str] = []

    def tell(news: News) -> None:
        view(news)
        if isinstance(view, LiveRunView) and isinstance(news, CrashReplayed):
            heads.extend(line.plain for line in view.head())

    run_app("sim:bill", RunSettings(tmp_path / "p", events=100, minutes=60, jobs=1, worlds=5), tell)
    out = capsys.readouterr().out
    assert "replays in 5 of 5 runs" in out
    assert any("crashed in 5 of 5 runs, 5 to be tried" in head for head in heads) is is_live
    assert "world" not in out and not any("world" in head for head in heads)


@pytest.mark.slow
def test_a_table_of_a_whole_run_names_no_worlds(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    options = ["--events", "100", "--worlds", "5", "-j", "1"]
    assert main(["run", "sim:bill", "-o", str(tmp_path / "p"), *options]) == 0
    out = capsys.readouterr().out
    assert "5 of 5" in out and "world" not in out


@pytest.mark.slow
def test_so_do_the_page_of_a_crash_and_its_exports(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "p"
    options = ["--device", "simulated", "--events", "100", "--worlds", "5", "-j", "1"]
    assert main(["run", "sim:bill", "-o", str(folder), *options]) == 0
    pages = [path.read_text("utf-8") for path in (folder / "report").rglob("*.html") if "crash" in str(path)]
    page = next(text for text in pages if "How often it replays" in text)
    text = " ".join(re.sub("<[^>]+>", " ", page).split())
    assert "5 of 5 runs" in text and "run 0: crashed" in text
    assert not re.search(r"\bworlds?\b", text)
    capsys.readouterr()
    assert main(["export", "issue", str(folder), "2f201145"]) == 0
    out = capsys.readouterr().out
    assert "5 of 5 runs (" in out and "worlds" not in out


@pytest.mark.parametrize("view", [PlainView, LiveRunView])
def test_an_original_that_fails_is_told_to_be_run_again(
    view: Callable[[Terminal], Tell], capsys: pytest.CaptureFixture[str]
) -> None:
    view(Terminal())(OtherWorldsTried(19, has_worlds=False))
    out = capsys.readouterr().out
    assert "19 other runs" in out and "world" not in out


@pytest.mark.parametrize("command", ["play", "replay", "reduce"])
def test_a_world_cannot_be_chosen(
    command: str, race: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main([command, "sim:feed", str(race), "--world", "3"]) == 2
    assert "--world 3: this device has no worlds to choose from" in capsys.readouterr().err


def test_an_app_can_be_used_without_worlds(phone: list[int]) -> None:
    with open_app("sim:bill", DeviceSettings()) as opened:
        assert play(opened.session, (), world=9).world == 0
    assert phone == [0]
    with open_app("sim:bill", DeviceSettings()) as opened:
        assert opened.choose_world(0) == 0
        with pytest.raises(UsageError, match="no worlds to choose from"):
            opened.choose_world(9)


@pytest.mark.parametrize("command", ["replay", "play", "reduce"])
def test_rates_are_told_in_runs(
    command: str, race: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main([command, "sim:feed", str(race), "--worlds", "30"]) == 0
    out = capsys.readouterr().out
    assert " of 30 runs (" in out
    assert " worlds" not in out


def test_a_trace_that_fails_is_tried_in_more_runs(
    race: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["reduce", "sim:feed", str(race), "--shows", "never shown"]) == 3
    captured = capsys.readouterr()
    assert "other runs)" in captured.err and "other runs …" in captured.out
    assert "world" not in captured.out + captured.err
