"""The commands that faults meet, each with the project it begins with and what it leaves there."""

from __future__ import annotations

import json
import shutil
import sqlite3
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

from fewtaps.cli.main import main
from fewtaps.store.database import FILE, open_store
from fewtaps.tracefile import write_trace

SAMPLES = Path(__file__).resolve().parents[2] / "samples"
STEPS = "steps.jsonl"
APP = "sim:notes"
TWIN = str(SAMPLES / "tipsplit.apk")


@dataclass(frozen=True)
class Command:
    """One command. `words` makes its arguments from the project; `again` those of the command that follows a fault."""

    name: str
    project: str
    words: Callable[[Path], Sequence[str]]
    again: Callable[[Path], Sequence[str]] | None = None
    codes: tuple[int, ...] = (0,)
    """What it exits with where nothing is wrong."""
    starts_java: bool = False

    def words_again(self, project: Path) -> Sequence[str]:
        """The arguments after a fault."""
        return (self.again or self.words)(project)


def _explore(app: str, events: int) -> Callable[[Path], list[str]]:
    return lambda project: ["explore", app, "-o", str(project), "--events", str(events), "--json"]


def _resume(app: str, events: int) -> Callable[[Path], list[str]]:
    def words(project: Path) -> list[str]:
        begun = _rows(project, "SELECT 1 FROM run")
        return [*_explore(app, events)(project), *(["--resume"] if begun else [])]

    return words


def _run(app: str, events: int) -> Callable[[Path], list[str]]:
    limits = ["--events", str(events), "--worlds", "2", "-j", "1", "--minutes", "20"]
    return lambda project: ["run", app, "-o", str(project), *limits, "--json"]


def _reduce(project: Path) -> list[str]:
    short = str(project / "short.jsonl")
    return ["reduce", APP, str(project / STEPS), "--dir", str(project), "--worlds", "3", "-o", short, "--json"]


def _export(project: Path) -> list[str]:
    return ["export", "all", str(project), first_crash(project), "-o", str(project / "exports"), "--json"]


def _suite(project: Path) -> list[str]:
    # A finished suite is only ever added to: the same words would be refused.
    made = (project / "suite" / "suite.json").exists()
    where = ["--onto", str(project / "suite")] if made else []
    return ["suite", str(project), APP, "--launch-cost", "5", *where, "--json"]


def _test(project: Path) -> list[str]:
    results = str(project / "results")
    return ["test", str(project / "suite"), APP, "-o", results, "--junit", f"{results}.xml", "--json"]


def first_crash(project: Path) -> str:
    """The id of a crash in a store."""
    return str(_rows(project, "SELECT fingerprint FROM crash ORDER BY fingerprint LIMIT 1")[0][1])


COMMANDS = (
    Command("run", "empty", _run(APP, 70)),
    Command("explore", "empty", _explore(APP, 150), _resume(APP, 150)),
    Command("reduce", "explored", _reduce),
    Command("suite", "explored", _suite),
    Command("test", "tested", _test),
    Command("export", "explored", _export),
    Command("report", "explored", lambda project: ["report", str(project), "--json"]),
    Command("serve", "explored", lambda project: ["serve", str(project), "--json"], codes=(143,)),
)
TWIN_COMMANDS = (
    Command("run", "empty", _run(TWIN, 40), starts_java=True),
    Command("explore", "empty", _explore(TWIN, 60), _resume(TWIN, 60), starts_java=True),
    Command("slice", "twin", lambda project: ["slice", str(project), "--json"], starts_java=True),
)


class Projects:
    """The projects that commands begin with, each made once in a folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def copy(self, name: str, target: Path) -> None:
        """Makes a copy of a project; of the empty one there is nothing."""
        if name != "empty":
            shutil.copytree(self._made(name), target)

    def make(self, name: str) -> None:
        """Makes a project, unless it is there."""
        if name != "empty":
            self._made(name)

    def _made(self, name: str) -> Path:
        place = self._folder / name
        if not place.exists():
            part = self._folder / f"{name}.part"
            shutil.rmtree(part, ignore_errors=True)
            getattr(self, f"_make_{name}")(part)
            part.rename(place)
        return place

    def _make_explored(self, project: Path) -> None:
        _require(main(_explore(APP, 150)(project)))
        with open_store(project) as store:
            latest = store.runs.latest("explore")
            assert latest is not None
            crashed = [e.trace for e in store.runs.iter_episodes(latest.run_id) if e.trace.crash is not None]
        write_trace(project / STEPS, max(crashed, key=lambda trace: len(trace.steps)))

    def _make_tested(self, project: Path) -> None:
        shutil.copytree(self._made("explored"), project)
        _require(main(_suite(project)))

    def _make_twin(self, project: Path) -> None:
        _require(main([*_run(TWIN, 300)(project), "--no-slice", "--no-suite"]))


def _require(code: int) -> None:
    if code:
        raise RuntimeError(f"a project to begin with could not be made: exit code {code}")


@contextmanager
def _opened(project: Path) -> Iterator[sqlite3.Connection | None]:
    """A connection to a copy of a store, so that the store is as the fault left it; None if there is no store."""
    if not (project / FILE).exists():
        yield None
        return
    with tempfile.TemporaryDirectory() as place:
        for name in (FILE, f"{FILE}-wal"):
            if (project / name).exists():
                shutil.copyfile(project / name, Path(place) / name)
        with closing(sqlite3.connect(Path(place) / FILE)) as connection:
            yield connection


def _rows(project: Path, *queries: str) -> list[tuple[object, ...]]:
    """Rows of a store, each after the number of its query; none of a table that is not there yet."""
    found: list[tuple[object, ...]] = []
    with _opened(project) as connection:
        for number, query in enumerate(queries if connection is not None else ()):
            assert connection is not None
            try:
                found += [(number, *row) for row in connection.execute(query)]
            except sqlite3.OperationalError as error:
                if "no such table" not in str(error):
                    raise
    return found


_KEPT = {
    "episode": "SELECT run_id, number, events, end_kind FROM episode",
    "step": "SELECT episode_id, number, event_id, after_id FROM step",
    "crash": "SELECT signature FROM crash",
    "sighting": "SELECT episode_id, number, crash_id FROM crash_sighting",
    "verdict": "SELECT question, candidate, content FROM verdict",
    "replay": "SELECT crash, trace, world, met FROM replay",
    "improvement": "SELECT question, original, strategy, size FROM improvement",
    "slice": "SELECT crash, trace FROM slice WHERE content IS NOT NULL",
    "picture": "SELECT sha256 FROM picture",
}


def results_in(project: Path) -> set[tuple[object, ...]]:
    """What a project holds that a user would miss: rows of the store, runs of the suite's journal, its tests."""
    found: set[tuple[object, ...]] = set()
    kinds = tuple(_KEPT)
    found |= {(kinds[row[0]], *row[1:]) for row in _rows(project, *_KEPT.values()) if isinstance(row[0], int)}
    journal = project / "suite-runs.jsonl"
    if journal.exists():
        found |= {("journal", line) for line in journal.read_bytes().split(b"\n")[1:-1]}
    return found


def damage_of(project: Path) -> str:
    """What SQLite finds wrong with a store; empty for a sound one, and for none."""
    try:
        with _opened(project) as connection:
            if connection is None:
                return ""
            checked = connection.execute("PRAGMA integrity_check").fetchall()
            keys = connection.execute("PRAGMA foreign_key_check").fetchall()
    except sqlite3.Error as error:
        return str(error)
    return "" if checked == [("ok",)] and not keys else f"{checked[:3]} {keys[:3]}"


def told_in(output: Path) -> set[tuple[object, ...]]:
    """The crashes that a command told of, each of which is kept before."""
    told: set[tuple[object, ...]] = set()
    for line in output.read_text("utf-8", "replace").splitlines() if output.exists() else ():
        try:
            document = json.loads(line)
        except ValueError:
            continue
        crash = document.get("crash") if isinstance(document, dict) else None
        if isinstance(crash, dict) and isinstance(crash.get("signature"), str):
            told.add(("crash", crash["signature"]))
    return told
