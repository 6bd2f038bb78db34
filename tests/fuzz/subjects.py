"""The readers of files that somebody else may have written, each with files to begin from."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable
from contextlib import redirect_stdout
from dataclasses import dataclass, replace
from importlib.resources import files
from pathlib import Path

from apk_parts import write_zip
from formats import test_droidbot, test_monkeylog, test_simplydroid, test_uiautomator
from projects import make_project
from slicing.test_mapping import PROGUARD, R8
from suites import bill_suite

from fewtaps.apk.archive import open_archive
from fewtaps.apk.class_digests import class_digests
from fewtaps.apk.code import read_superclasses
from fewtaps.apk.xml import TASKS
from fewtaps.cli.main import main
from fewtaps.formats.droidbot import read_droidbot
from fewtaps.formats.monkeylog import read_monkey_log
from fewtaps.formats.monkeyscript import read_monkey_script
from fewtaps.formats.recording import Recording, recording_to_trace
from fewtaps.formats.simplydroid import EXECUTED, SCRIPT, read_simplydroid
from fewtaps.formats.stacks import crash_from_stack
from fewtaps.formats.uiautomator import read_uiautomator
from fewtaps.pipeline.findings import read_baseline, read_findings
from fewtaps.pipeline.scheduling import read_prior
from fewtaps.pipeline.slice_files import mapping_in, read_text
from fewtaps.pipeline.suite_player import JOURNAL, SuiteJournal
from fewtaps.reducing.nd3min.prior import Prior
from fewtaps.report.suite_results import RESULTS, read_results
from fewtaps.slicing.summaries import standard_summaries
from fewtaps.store.database import FILE, open_store
from fewtaps.suitefile import read_suite
from fewtaps.tracefile import read_trace, trace_to_bytes

SAMPLES = Path(__file__).resolve().parents[2] / "samples"


@dataclass(frozen=True)
class Subject:
    """A reader. `contents` makes the files to damage in a folder of its own; `read` reads a content in another folder.

    `limited` readers run in a child process with limits on time and memory: there it is no failure to need more.
    """

    name: str
    contents: Callable[[Path], list[bytes]]
    read: Callable[[bytes, Path], object]
    limited: bool = False


def _entry(name: str) -> Callable[[Path], list[bytes]]:
    def contents(folder: Path) -> list[bytes]:
        found = []
        for apk in ("calc", "tipsplit"):
            with zipfile.ZipFile(SAMPLES / f"{apk}.apk") as archive:
                found.append(archive.read(name))
        return found

    return contents


def _small_apks(folder: Path) -> list[bytes]:
    """Archives with a stored and a packed entry, small enough that damage hits their directories."""
    with zipfile.ZipFile(SAMPLES / "calc.apk") as archive:
        dex = archive.read("classes.dex")
    path = write_zip(folder / "a.apk", {"AndroidManifest.xml": b"x" * 100, "classes.dex": dex, "res/a.png": b""})
    comment = io.BytesIO()
    with zipfile.ZipFile(comment, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("AndroidManifest.xml", b"y" * 3000)
        archive.comment = b"comment"
    return [path.read_bytes(), comment.getvalue()]


def _read_archive(content: bytes, folder: Path) -> None:
    path = folder / "a.apk"
    path.write_bytes(content)
    with open_archive(path) as archive:
        for name in archive.names:
            if name in archive:
                archive.read(name, 1 << 20)


def _read_digests(content: bytes, folder: Path) -> None:
    path = write_zip(folder / "a.apk", {"AndroidManifest.xml": b"", "classes.dex": content})
    class_digests(path)


def _texts(*texts: str) -> Callable[[Path], list[bytes]]:
    return lambda folder: [text.encode() for text in texts]


def _traces(folder: Path) -> list[bytes]:
    paths = sorted(SAMPLES.glob("*/crash*.jsonl"))[:6]
    full = [trace_to_bytes(read_trace(path)) for path in paths]
    return full + [path.read_bytes() for path in bill_suite(folder).glob("*.jsonl")]


def _recorded(read: Callable[[Path], Recording], name: str) -> Callable[[bytes, Path], object]:
    def read_content(content: bytes, folder: Path) -> object:
        path = folder / name
        path.write_bytes(content)
        return recording_to_trace(read(path))

    return read_content


def _read_run(content: bytes, folder: Path) -> object:
    (folder / SCRIPT).write_text(test_simplydroid.SCRIPT)
    (folder / EXECUTED).write_bytes(content)
    return recording_to_trace(read_simplydroid(folder))


def _droidbot_event(folder: Path) -> list[bytes]:
    event = {"event_type": "touch", "view": {**test_droidbot.ROW, "view_str": "a"}}
    record = {"tag": "1", "event": event, "start_state": "a", "stop_state": "b", "event_str": ""}
    return [json.dumps(record).encode()]


def _read_droidbot(name: str) -> Callable[[bytes, Path], object]:
    def read(content: bytes, folder: Path) -> object:
        if not (folder / "events").exists():
            test_droidbot.folder(folder, test_droidbot.START, states=(test_droidbot.state("a"),))
        (folder / name).write_bytes(content)
        return recording_to_trace(read_droidbot(folder))

    return read


def _read_suite(content: bytes, folder: Path) -> object:
    if not (folder / "suite.json").exists():
        bill_suite(folder)
    (folder / "suite.json").write_bytes(content)
    return read_suite(folder)


def _read_stack(content: bytes, folder: Path) -> object:
    crash = crash_from_stack(content.decode(errors="replace").splitlines())
    return None if crash is None else (crash.render(), replace(crash).fingerprint)


def _stores(folder: Path) -> list[bytes]:
    return [(make_project(folder, pictures=False) / FILE).read_bytes()]


def _read_store(content: bytes, folder: Path) -> None:
    (folder / FILE).write_bytes(content)
    read_findings(folder)
    with open_store(folder) as store:
        store.runs.totals()
        for kind in ("explore", "run"):
            if (latest := store.runs.latest(kind)) is not None:
                list(store.runs.iter_episodes(latest.run_id, 0))


def _read_baseline(content: bytes, folder: Path) -> object:
    path = folder / "baseline.json"
    path.write_bytes(content)
    return read_baseline(path)


def _read_mapping(content: bytes, folder: Path) -> object:
    mapping = mapping_in(_written(folder, content))
    crash = crash_from_stack(STACK.splitlines())
    assert mapping is not None and crash is not None
    return mapping.crash(crash)


def _results(folder: Path) -> list[bytes]:
    suite = bill_suite(folder / "suite")
    with redirect_stdout(io.StringIO()):
        main(["test", str(suite), "sim:bill", "-o", str(folder / "results")])
    return [(folder / "results" / RESULTS).read_bytes()]


def _journals(folder: Path) -> list[bytes]:
    journal = SuiteJournal(folder / JOURNAL, {"app": "a"})
    for number in range(3):
        journal.put(f"key {number}", {"seconds": 0.1, "steps": [["state", {"lines": [1]}, None, False]]})
    journal.close()
    return [(folder / JOURNAL).read_bytes()]


def _read_journal(content: bytes, folder: Path) -> None:
    (folder / JOURNAL).write_bytes(content)
    journal = SuiteJournal(folder / JOURNAL, {"app": "a"})
    journal.put("another", 1)
    journal.close()


def _read_prior(content: bytes, folder: Path) -> object:
    return read_prior(_written(folder, content))


def _priors(folder: Path) -> list[bytes]:
    return [json.dumps(Prior.paper().to_json()).encode()]


def _summaries(folder: Path) -> list[bytes]:
    lines = files("fewtaps.slicing").joinpath("summaries.txt").read_bytes().splitlines(keepends=True)
    return [b"".join(lines[:80])]


def _read_summaries(content: bytes, folder: Path) -> object:
    text = read_text(_written(folder, content), 1 << 20, "a table of summaries")
    return standard_summaries().also(text, "summaries").find("java.util.ArrayList", "get", 1)


STACK = """\
java.lang.RuntimeException: Unable to start activity
\tat android.app.ActivityThread.performLaunchActivity(ActivityThread.java:2778)
Caused by: java.lang.ArithmeticException: divide by zero
\tat com.example.app.Main.split(Main.java:12)
\t... 3 more
"""
BASELINE = '[{"id": "0123456789ab", "signature": "A at b", "summary": "A: b", "steps": 3}]'

SUBJECTS = (
    Subject("archive", _small_apks, _read_archive),
    Subject(
        "manifest",
        _entry("AndroidManifest.xml"),
        lambda content, folder: TASKS["manifest"]({"manifest": content}),
        limited=True,
    ),
    Subject(
        "resources",
        _entry("resources.arsc"),
        lambda content, folder: TASKS["strings"]({"resources": content, "at_most": b"2000"}),
        limited=True,
    ),
    Subject("dex", _entry("classes.dex"), lambda content, folder: read_superclasses(content, "classes.dex")),
    Subject("class-digests", _entry("classes.dex"), _read_digests),
    Subject("trace", _traces, lambda content, folder: read_trace(_written(folder, content))),
    Subject("suite", lambda folder: [(bill_suite(folder) / "suite.json").read_bytes()], _read_suite),
    Subject("monkey-script", _texts(test_simplydroid.SCRIPT), _recorded(read_monkey_script, "a.monkey")),
    Subject("monkey-log", _texts(test_monkeylog.HEAD + test_monkeylog.CRASH), _recorded(read_monkey_log, "a.log")),
    Subject(
        "simplydroid",
        _texts(test_simplydroid.EXECUTED, test_simplydroid.EXECUTED + test_simplydroid.CRASH),
        _read_run,
    ),
    Subject("droidbot-event", _droidbot_event, _read_droidbot("events/event_2024-01-01_000001.json")),
    Subject("droidbot-state", _texts(json.dumps(test_droidbot.state("b"))), _read_droidbot("states/state_b.json")),
    Subject(
        "uiautomator", _texts(test_uiautomator.APPIUM, test_uiautomator.HEAD), _recorded(read_uiautomator, "steps.py")
    ),
    Subject("stack", _texts(STACK), _read_stack),
    Subject("baseline", _texts(BASELINE), _read_baseline),
    Subject("store", _stores, _read_store),
    Subject("mapping", _texts(R8, PROGUARD), _read_mapping),
    Subject("results", _results, lambda content, folder: read_results(_written(folder, content))),
    Subject("journal", _journals, _read_journal),
    Subject("prior", _priors, _read_prior),
    Subject("summaries", _summaries, _read_summaries),
)


def _written(folder: Path, content: bytes) -> Path:
    path = folder / "content"
    path.write_bytes(content)
    return path
