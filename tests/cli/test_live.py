"""What a person sees of an exploration while it goes on: on terminals wide and narrow, on none, and of hostile apps."""

from __future__ import annotations

import fcntl
import io
import os
import re
import struct
import subprocess
import sys
import termios
from pathlib import Path

import pytest
from builders import crash, row_of, screen, trace, widget
from rich.cells import cell_len
from rich.console import Console

from fewtaps.cli import live
from fewtaps.cli.live import (
    CRASH_LINES,
    SCREEN_LINES,
    LiveRunView,
    LiveView,
    PlainView,
    clock,
    exploring_view,
    run_view,
)
from fewtaps.cli.terminal import Terminal
from fewtaps.config import ExploreLimits, ExploreSettings
from fewtaps.model.coverage import ProbeTotals
from fewtaps.model.crash import Crash
from fewtaps.model.episode import Episode, EpisodeEnd
from fewtaps.model.event import Key, Selector, Tap
from fewtaps.model.screen import Screen, Window, WindowKind
from fewtaps.model.trace import Step
from fewtaps.pipeline.exploring import explore_app
from fewtaps.pipeline.news import (
    AppOpened,
    CrashFound,
    EpisodeFailed,
    EpisodeKept,
    ExplorationProgress,
    ExploringStarted,
    StepSeen,
)

Capture = pytest.CaptureFixture[str]

EPISODE = Episode(7, trace(Key("BACK"), Key("BACK")), end=EpisodeEnd.CRASHED)
COMMANDS = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2060-\u2069]")
"""What could command a terminal, or turn the order of what is read on it."""
HOSTILE = "[red]\x1b[2J\x07\r\u202egnp.exe\u2066[/red]\x9b31m\n:smile:"


def progress(**changes: object) -> ExplorationProgress:
    values: dict[str, object] = {
        "seconds": 75.0,
        "events": 1234,
        "events_now": 750,
        "episodes": 40,
        "states": 56,
        "activities": 3,
        "activities_declared": 5,
        "branches": 120,
        "lines": 240,
        "totals": ProbeTotals(branches=480, lines=600, methods=90),
        "crashes": 2,
        "suspects": 1,
        **changes,
    }
    return ExplorationProgress(**values)  # type: ignore[arg-type]


def step(shown: Screen) -> Step:
    return Step(Tap(1, 2, selector=Selector(text="Split bill")), after=shown)


def drawn(watcher: LiveView, width: int) -> list[str]:
    """The lines of the view on a terminal of this width."""
    console = Console(file=io.StringIO(), width=width, markup=False, highlight=False, emoji=False)
    console.print(watcher.draw())
    assert isinstance(console.file, io.StringIO)
    return [line.rstrip() for line in console.file.getvalue().splitlines()]


def view(shown: Screen, *crashes: Crash) -> LiveView:
    """A view of two steps, the figures of above, and crashes."""
    watcher = LiveView(Terminal(as_json=True))
    for each in crashes:
        watcher(CrashFound(each, EPISODE))
    watcher(EpisodeKept(EPISODE, progress()))
    watcher(StepSeen(step(screen(widget("Earlier")))))
    watcher(StepSeen(step(shown)))
    return watcher


@pytest.fixture
def hostile() -> LiveView:
    """The view of an app whose every text is an attack, with a name longer than any line."""
    label = widget(HOSTILE, description=HOSTILE, hint=HOSTILE, resource_id=f"com.example:id/{HOSTILE}")
    other = widget(None, description=HOSTILE)
    shown = screen(label, other, widget("x" * 5000), activity=f"com.{'long' * 100}.{HOSTILE}Main{'n' * 300}")
    event = Tap(1, 2, selector=Selector(text=HOSTILE))
    watcher = view(shown, crash(f"a.B.{HOSTILE}", type=f"java.lang.{HOSTILE}Exception"))
    watcher(StepSeen(Step(event, after=shown)))
    return watcher


@pytest.mark.parametrize("width", [80, 120])
def test_shows_time_events_what_was_found_the_crashes_and_the_last_screen(width: int) -> None:
    lines = drawn(view(screen(widget("Split bill"), widget("About")), crash("a.B.c")), width)
    assert re.fullmatch(r"\d+:\d\d   2 events \(\d+/s\)", lines[0])
    text = " ".join(" ".join(lines).split())
    assert "3 of 5 activities, 120 of 480 branches (25%), 240 of 600 lines (40%), 56 states" in text
    assert "2 crashes and 1 suspect" in text
    assert any(line.startswith("  crash: java.lang.IllegalStateException") for line in lines)
    assert "Tap 'Split bill'  → Main" in lines
    assert lines[-2:] == ["     button  'Split bill'", "     button  'About'"]
    assert "Earlier" not in text


@pytest.mark.parametrize("width", [20, 40, 80, 120])
def test_no_line_is_wider_than_the_terminal(hostile: LiveView, width: int) -> None:
    assert all(cell_len(line) <= width for line in drawn(hostile, width))


def test_on_a_narrow_terminal_figures_are_wrapped_and_all_else_is_cut_off() -> None:
    shown = screen(widget("A button with a label that is longer than the line has room for"))
    lines = drawn(view(shown, crash("a.very.long.name.of.a.Class.withALongMethod")), 40)
    figures = lines[1 : next(number for number, line in enumerate(lines) if "crash:" in line)]
    assert len(figures) > 1
    assert "1 suspect" in " ".join(figures), "nothing of what was found is lost"
    (crashed,) = (line for line in lines if "crash:" in line)
    (label,) = (line for line in lines if "A button" in line)
    assert crashed.endswith("…")
    assert label.endswith("…")
    assert len(lines) == 1 + len(figures) + 3


@pytest.mark.parametrize("width", [40, 80, 120])
def test_nothing_of_a_hostile_app_commands_the_terminal(hostile: LiveView, width: int) -> None:
    for line in drawn(hostile, width):
        assert not COMMANDS.search(line), ascii(line)


def test_what_looks_like_markup_is_shown_as_it_is(hostile: LiveView) -> None:
    text = "\n".join(drawn(hostile, 120))
    assert "[red]" in text
    assert ":smile:" in text


def test_a_screen_of_many_widgets_is_cut_off() -> None:
    lines = drawn(view(screen(*(widget(f"Row {number}") for number in range(200)))), 80)
    assert sum("Row" in line for line in lines) == SCREEN_LINES
    assert lines[-1].strip() == "…"


def test_only_the_last_crashes_have_a_line_each() -> None:
    lines = drawn(view(screen(), *(crash(f"a.B.method{number}") for number in range(CRASH_LINES + 3))), 120)
    shown = [line for line in lines if "crash:" in line]
    assert len(shown) == CRASH_LINES
    assert f"method{CRASH_LINES + 2}" in shown[-1]


@pytest.mark.parametrize(
    "shown",
    [
        Screen("com.example.app", None, 0, 0),
        Screen("com.example.app", "com.example.app.Main", 720, 1280),
        screen(widget(""), above=[Window("", WindowKind.TOAST, row_of(widget("Saved")), touchable=False)]),
    ],
    ids=["nothing", "no window", "a toast"],
)
def test_any_screen_can_be_shown(shown: Screen) -> None:
    assert "Tap 'Split bill'" in "\n".join(drawn(view(shown), 80))


def test_before_anything_has_happened_there_is_a_clock() -> None:
    (line,) = drawn(LiveView(Terminal()), 80)
    assert line == "0:00   0 events (0/s)"


def test_without_coverage_no_shares_are_shown() -> None:
    watcher = LiveView(Terminal())
    watcher(EpisodeKept(EPISODE, progress(totals=None, crashes=1, suspects=0, states=1)))
    assert drawn(watcher, 80)[1] == "3 of 5 activities, 1 state, 1 crash"


@pytest.mark.parametrize(("seconds", "words"), [(0, "0:00"), (75.9, "1:15"), (3600, "1:00:00"), (36_000, "10:00:00")])
def test_the_clock_has_hours_only_where_there_are_some(seconds: float, words: str) -> None:
    assert clock(seconds) == words


def test_elsewhere_than_on_a_terminal_there_are_plain_lines(capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    watcher = exploring_view(Terminal())
    assert type(watcher) is PlainView
    with watcher:
        watcher(AppOpened((f"a note {HOSTILE}",), progress(episodes=3)))
        watcher(StepSeen(step(screen())))
        monkeypatch.setattr(live, "LINE_SECONDS", 0.0)
        watcher(StepSeen(step(screen())))
        watcher(CrashFound(crash("a.B.c", type=f"java.lang.{HOSTILE}"), EPISODE))
        watcher(CrashFound(crash("a.B.c", suspect="a shadow of the device"), EPISODE))
        watcher(EpisodeFailed(8, HOSTILE))
    out, error = capsys.readouterr()
    assert not any(COMMANDS.search(line) for line in (*out.split("\n"), *error.split("\n")))
    lines = out.splitlines()
    assert lines[0].startswith("note: a note [red]")
    assert lines[1] == "going on after 3 episodes"
    assert lines[2].startswith("0:00  1236 events (10/s), 3 of 5 activities, "), "those of earlier parts count"
    assert lines[3].startswith("crash: ") and lines[3].endswith("(2 steps, episode 7)")
    assert lines[4].startswith("suspect crash: ")
    assert len(lines) == 5, "the first step came too early for a line"
    assert error.startswith("fewtaps: the device failed: [red]")


def test_a_terminal_that_cannot_move_its_cursor_gets_plain_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("TTY_COMPATIBLE", "1")
    assert type(exploring_view(Terminal())) is LiveView
    assert type(run_view(Terminal())) is LiveRunView
    monkeypatch.setenv("TERM", "dumb")
    for make in (exploring_view, run_view):
        assert type(make(Terminal())) is PlainView
    assert not Terminal().can_redraw


def test_the_clock_of_a_run_goes_on_between_two_pieces_of_news(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 1000.0
    monkeypatch.setattr("time.monotonic", lambda: now)
    watcher = LiveRunView(Terminal())
    watcher(ExploringStarted(30.0, 300.0))
    now += 45
    assert "1:15 of 5:00  exploring" in drawn(watcher, 120)[0]


def test_a_run_counts_its_events_before_the_first_episode_ends() -> None:
    view = LiveRunView(Terminal())
    view(AppOpened((), progress(events=0, events_now=0, episodes=0, seconds=0.0)))
    for _ in range(12):
        view(StepSeen(trace(Key("BACK")).steps[0]))
    assert any("12 events" in line.plain for line in view.head())


@pytest.mark.slow
def test_crashes_stay_above_the_view_and_the_view_goes_away(tmp_path: Path) -> None:
    terminal = Terminal()
    shown = io.StringIO()
    terminal._console = Console(file=shown, force_terminal=True, width=80, height=25, markup=False, highlight=False)
    with LiveView(terminal) as watcher:
        settings = ExploreSettings(tmp_path / "out", seed=1, limits=ExploreLimits(events=300))
        explored = explore_app("sim:bill", settings, watcher)
    text = shown.getvalue()
    assert watcher.events == explored.progress.events
    assert watcher.progress is not None
    assert "crash: " in text
    assert text.count("\x1b[?25l") == text.count("\x1b[?25h") == 1, "the cursor is hidden, and shown again"


def on_a_terminal(columns: int, lines: int, *arguments: str) -> tuple[int, str]:
    """Runs the program on a pseudo-terminal of this size; its status and all it wrote."""
    ours, its = os.openpty()
    fcntl.ioctl(its, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))
    environment = {**os.environ, "TERM": "xterm-256color", "COLUMNS": "", "LINES": "", "NO_COLOR": "1"}
    command = [sys.executable, "-m", "fewtaps", *arguments]
    with subprocess.Popen(command, stdin=its, stdout=its, stderr=its, env=environment) as process:
        os.close(its)
        written = bytearray()
        try:
            while chunk := os.read(ours, 65536):
                written += chunk
        except OSError:
            # Linux says so when the other side is closed.
            pass
        finally:
            os.close(ours)
    return process.returncode, written.decode("utf-8", "replace")


@pytest.mark.slow
@pytest.mark.parametrize("columns", [40, pytest.param(120, marks=pytest.mark.slow)])
def test_a_real_terminal_is_left_as_it_was(tmp_path: Path, columns: int) -> None:
    folder = str(tmp_path / "out")
    status, text = on_a_terminal(columns, 24, "explore", "sim:bill", "-o", folder, "--events", "300", "--seed", "1")
    assert status == 0, text
    assert "Traceback" not in text
    assert "\x1b[?25l" in text
    assert text.rindex("\x1b[?25h") > text.rindex("\x1b[?25l"), "the cursor is there again"
    assert text.rindex("Ended: ") > text.rindex("\x1b[?25h"), "and the end is said below, in plain lines"


@pytest.mark.slow
def test_json_is_not_drawn_on_a_terminal(tmp_path: Path) -> None:
    folder = str(tmp_path / "out")
    status, text = on_a_terminal(80, 24, "explore", "sim:bill", "-o", folder, "--events", "50", "--json")
    assert status == 0, text
    assert "\x1b" not in text
    assert all(line.startswith("{") for line in text.splitlines())
