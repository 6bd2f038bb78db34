"""Runs many apps: a process and a project folder for each, some at once, and a row of a table for each that has ended.

On a farm the hub shares the slots among the runs, so the share of a run grows when others end.
"""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from fewtaps.device.registry import short_name
from fewtaps.errors import UsageError
from fewtaps.farm.worker import die_with_parent
from fewtaps.files import refusal, write_whole
from fewtaps.model.event import printable
from fewtaps.store.lock import locked

TABLE = "campaign.json"
ENDED = (0, 1)
"""Exit codes of a run that came to its end; after others, the same command goes on with it."""
STOP_SECONDS = 20.0


@dataclass(frozen=True, slots=True)
class CampaignRow:
    """One app of a campaign: where it is kept, and how its run ended. `message` is its error, empty without one."""

    app: str
    folder: str
    code: int
    events: int = 0
    crashes: int = 0
    seconds: float = 0.0
    message: str = ""


OnRow = Callable[[CampaignRow], None]


def read_apps(path: Path) -> tuple[str, ...]:
    """The apps that a file names, one in each line; empty lines and those that begin with # are left out.

    Raises UsageError if there is none, or if the file cannot be read.
    """
    try:
        lines = path.read_text("utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{path}: cannot be read ({getattr(error, 'strerror', None) or error})") from error
    apps = [line.strip() for line in lines if line.strip() and not line.lstrip().startswith("#")]
    if not apps:
        raise UsageError(f"{path}: names no app")
    # A file is looked for beside the list.
    return tuple(app if short_name(app) is not None else str(path.parent / app) for app in dict.fromkeys(apps))


def folders_of(apps: Sequence[str]) -> Iterator[str]:
    """A folder's name for each app, no two alike."""
    used: set[str] = set()
    for app in apps:
        name = base = short_name(app) or Path(app).stem or "app"
        number = 2
        while name in used:
            name, number = f"{base}-{number}", number + 1
        used.add(name)
        yield name


def run_campaign(
    apps: Sequence[str], output: Path, options: Sequence[str], *, at_once: int, on_row: OnRow
) -> tuple[CampaignRow, ...]:
    """Runs every app with these options of `fewtaps run`; those that ended in an earlier part are left as they are.

    Raises StoreError if another campaign is at work in the folder, or if the disk is full.
    """
    try:
        output.mkdir(parents=True, exist_ok=True)
        with locked(output, "campaign"):
            return _run_all(apps, output, options, at_once, on_row)
    except OSError as error:
        raise refusal(output, error) from error


def _run_all(
    apps: Sequence[str], output: Path, options: Sequence[str], at_once: int, on_row: OnRow
) -> tuple[CampaignRow, ...]:
    rows = {row.app: row for row in read_table(output / TABLE)}
    waiting = [(app, name) for app, name in zip(apps, folders_of(apps), strict=True)]
    for app, _ in waiting:
        if app in rows and rows[app].code in ENDED:
            on_row(rows[app])
    waiting = [(app, name) for app, name in waiting if app not in rows or rows[app].code not in ENDED]
    running: dict[str, tuple[subprocess.Popen[bytes], Path, float]] = {}
    try:
        while waiting or running:
            while waiting and len(running) < at_once:
                app, name = waiting.pop(0)
                folder = output / name
                running[app] = (_start(app, folder, output / f"{name}.json", options), folder, time.monotonic())
            for app, (process, folder, began) in list(running.items()):
                if (code := process.poll()) is not None:
                    del running[app]
                    rows[app] = _row(app, folder, code, time.monotonic() - began)
                    write_whole(output / TABLE, _table(rows[each] for each in apps if each in rows))
                    on_row(rows[app])
            time.sleep(0.1)
    finally:
        _stop([process for process, _, _ in running.values()])
    return tuple(rows[app] for app in apps if app in rows)


def _start(app: str, folder: Path, told: Path, options: Sequence[str]) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "fewtaps", "run", app, "-o", str(folder), "--json", *options]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    with told.open("wb") as stream:
        return subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=stream,
            stderr=subprocess.DEVNULL,
            env=environment,
            preexec_fn=die_with_parent,
        )


def _row(app: str, folder: Path, code: int, seconds: float) -> CampaignRow:
    """Reads the summary or the error, which is the last line that the run printed."""
    told = folder.with_name(f"{folder.name}.json")
    last: dict[str, Any] = {}
    for line in told.read_text("utf-8", "replace").splitlines():
        try:
            document = json.loads(line)
        except ValueError:
            continue
        last |= {key: value for key, value in document.items() if key in ("summary", "error")}
    summary, error = last.get("summary", {}), last.get("error", {})
    return CampaignRow(
        app=app,
        folder=str(folder),
        code=code,
        events=summary.get("progress", {}).get("events", 0),
        crashes=len(summary.get("crashes", ())),
        seconds=round(seconds, 1),
        message=str(error.get("message", "")),
    )


def read_table(path: Path) -> list[CampaignRow]:
    """The rows of a table, none if there is no such file. Raises UsageError if it is damaged."""
    if not path.exists():
        return []
    try:
        return [_checked(row) for row in json.loads(path.read_text("utf-8"))["apps"]]
    except (OSError, ValueError, TypeError, KeyError, RecursionError) as error:
        raise UsageError(f"{path}: not the table of a campaign ({printable(str(error), 200)})") from error


def _checked(record: Any) -> CampaignRow:
    row = CampaignRow(**record)
    texts, numbers = (row.app, row.folder, row.message), (row.code, row.events, row.crashes)
    if not all(isinstance(text, str) for text in texts) or not all(type(number) is int for number in numbers):
        raise ValueError("a field of the wrong kind")
    if not isinstance(row.seconds, int | float) or not 0 <= row.seconds < math.inf:
        raise ValueError("not a time")
    return row


def _table(rows: Iterator[CampaignRow]) -> bytes:
    return (json.dumps({"apps": [asdict(row) for row in rows]}, indent=1) + "\n").encode()


def _stop(processes: Sequence[subprocess.Popen[bytes]]) -> None:
    for process in processes:
        process.terminate()
    end = time.monotonic() + STOP_SECONDS
    for process in processes:
        try:
            process.wait(max(0.1, end - time.monotonic()))
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
