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
LAST_MESSAGE = 2
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
    messages: tuple[str, ...] = ()
    """The lines that a client sends to it; the client leaves when the last of them was answered."""
    weight: float = 1.0
    """How often it is chosen, beside the others."""
    farm: bool = False
    """Whether the words are completed by the address of a farm with two devices."""

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


def _merge(project: Path) -> list[str]:
    return ["merge", str(project / "all"), str(project / "shard-1"), str(project / "shard-2"), "--json"]


def _campaign(name: str, events: int) -> Callable[[Path], list[str]]:
    limits = ["--events", str(events), "--minutes", "20"]
    return lambda project: ["campaign", str(project / name), "-o", str(project / "night"), *limits, "--json"]


def _mutate(app: str, mutants: int) -> Callable[[Path], list[str]]:
    def words(project: Path) -> list[str]:
        return ["mutate", str(project / "suite"), app, "-o", str(project / "mutants"), "--mutants", str(mutants)]

    return words


def _coverage(project: Path) -> list[str]:
    return ["coverage", str(project), "--xml", str(project / "jacoco.xml"), "--html", str(project / "html")]


def _coverage_again(project: Path) -> list[str]:
    # A folder that was written is not written over.
    return _coverage(project)[: -2 if (project / "html").exists() else None]


def _instrument(project: Path) -> list[str]:
    # A file that was written is not written over.
    name = "again.apk" if (project / "probes.apk").exists() else "probes.apk"
    return ["instrument", TWIN, "-o", str(project / name), "--json"]


def _conversation(app: str, **arguments: object) -> tuple[str, ...]:
    """What an agent says that has an app run."""
    about = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "faults", "version": "1"}}
    run = {"name": "run", "arguments": {"app": app, **arguments}}
    return (
        json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": about}),
        json.dumps({"jsonrpc": "2.0", "method": "notifications/initialized"}),
        json.dumps({"jsonrpc": "2.0", "id": LAST_MESSAGE, "method": "tools/call", "params": run}),
    )


def first_crash(project: Path) -> str:
    """The id of a crash in a store."""
    return str(_rows(project, "SELECT fingerprint FROM crash ORDER BY fingerprint LIMIT 1")[0][2])


COMMANDS = (
    Command("run", "empty", _run(APP, 70)),
    Command("explore", "empty", _explore(APP, 150), _resume(APP, 150)),
    Command("reduce", "explored", _reduce),
    Command("suite", "explored", _suite),
    Command("test", "tested", _test),
    Command("export", "explored", _export),
    Command("report", "explored", lambda project: ["report", str(project), "--json"]),
    Command("serve", "explored", lambda project: ["serve", str(project), "--json"], codes=(143,)),
    Command("campaign", "apps", _campaign("apps.txt", 40), weight=0.3),
    Command("merge", "shards", _merge),
    Command("mutate", "tested", _mutate(APP, 20)),
    Command(
        "mcp",
        "apps",
        lambda project: ["mcp", "--allow", str(project), "--device", "simulated"],
        messages=_conversation(APP, events=70, minutes=1),
    ),
    Command("farm", "apps", lambda project: [*_run(APP, 70)(project)[:-1], "--farm"], farm=True, weight=0.3),
)
TWIN_COMMANDS = (
    Command("run", "empty", _run(TWIN, 40), starts_java=True),
    Command("explore", "empty", _explore(TWIN, 60), _resume(TWIN, 60), starts_java=True),
    # No other command uses recordings.
    Command("slice", "twin", lambda project: ["slice", str(project), "--json"], starts_java=True, weight=2),
    Command("mutate", "twin", _mutate(TWIN, 10), starts_java=True),
    Command("coverage", "twin", _coverage, _coverage_again, starts_java=True),
    Command("campaign", "twin_apps", _campaign("apps.txt", 30), starts_java=True),
    Command("instrument", "twin_apps", _instrument, starts_java=True),
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

    def _make_apps(self, project: Path) -> None:
        project.mkdir()
        (project / "apps.txt").write_text(f"{APP}\nsim:bill\n")

    def _make_shards(self, project: Path) -> None:
        project.mkdir()
        for seed in (1, 2):
            _require(main([*_explore(APP, 150)(project / f"shard-{seed}"), "--seed", str(seed)]))

    def _make_twin(self, project: Path) -> None:
        _require(main([*_run(TWIN, 300)(project), "--no-slice"]))

    def _make_twin_apps(self, project: Path) -> None:
        project.mkdir()
        (project / "apps.txt").write_text(f"{TWIN}\n{SAMPLES / 'calc.apk'}\n")


def _require(code: int) -> None:
    if code:
        raise RuntimeError(f"a project to begin with could not be made: exit code {code}")


def stores_in(project: Path) -> list[Path]:
    """The folders below a project that have a store: one, but for campaigns, merges and agents."""
    return sorted(path.parent for path in project.rglob(FILE))


@contextmanager
def _opened(folder: Path) -> Iterator[sqlite3.Connection]:
    """A connection to a copy of a store, so that the store is as the fault left it."""
    with tempfile.TemporaryDirectory() as place:
        for name in (FILE, f"{FILE}-wal"):
            if (folder / name).exists():
                shutil.copyfile(folder / name, Path(place) / name)
        with closing(sqlite3.connect(Path(place) / FILE)) as connection:
            yield connection


def _rows(project: Path, *queries: str) -> list[tuple[object, ...]]:
    """Rows of the stores, each after the number of its query and the store; none of a table that is not there yet."""
    found: list[tuple[object, ...]] = []
    for folder in stores_in(project):
        name = str(folder.relative_to(project))
        with _opened(folder) as connection:
            for number, query in enumerate(queries):
                try:
                    found += [(number, name, *row) for row in connection.execute(query)]
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
    """What a project holds that a user would miss: rows of stores, runs of journals, apps of campaigns."""
    found: set[tuple[object, ...]] = set()
    kinds = tuple(_KEPT)
    found |= {(kinds[row[0]], *row[1:]) for row in _rows(project, *_KEPT.values()) if isinstance(row[0], int)}
    for name in ("suite-runs.jsonl", "mutants/results-*.jsonl"):
        for journal in project.rglob(name):
            where = str(journal.relative_to(project))
            found |= {("journal", where, line) for line in journal.read_bytes().split(b"\n")[1:-1]}
    return found


def damage_of(project: Path) -> str:
    """What SQLite finds wrong with the stores; empty for sound ones, and for none."""
    for folder in stores_in(project):
        try:
            with _opened(folder) as connection:
                checked = connection.execute("PRAGMA integrity_check").fetchall()
                keys = connection.execute("PRAGMA foreign_key_check").fetchall()
        except sqlite3.Error as error:
            return f"{folder.name}: {error}"
        if checked != [("ok",)] or keys:
            return f"{folder.name}: {checked[:3]} {keys[:3]}"
    return ""


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
