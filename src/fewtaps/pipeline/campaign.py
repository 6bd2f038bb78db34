"""Runs many apps: a process and a project folder for each, some at once, and a row of a table for each that has ended.

On a farm the hub shares the slots among the runs, so the share of a run grows when others end.
"""

from __future__ import annotations

import json
import math
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from fewtaps.device.registry import short_name
from fewtaps.errors import UsageError
from fewtaps.farm.worker import die_with_parent
from fewtaps.files import lack_of_room, open_here, read_inside, read_named_text, refusal, write_inside
from fewtaps.model.event import printable
from fewtaps.python_child import python_command, python_environment
from fewtaps.store.lock import locked

TABLE = "campaign.json"
ENDED = (0, 1)
"""Exit codes of a run that came to its end; after others, the same command goes on with it."""
STOP_SECONDS = 20.0
LONGEST_NAME = 200
LARGEST_LIST = 16 << 20
"""Bytes of a folder's name at most: with a number and an ending it fits into every file system."""
NOT_STARTED = 2
"""The code of a row whose run could not be started."""
NO_RESULT = 70
"""The code of a row whose run says that it came to its end, but told no result of its own."""


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
    lines = read_named_text(path, LARGEST_LIST, "a list of apps").splitlines()
    apps = [line.strip() for line in lines if line.strip() and not line.lstrip().startswith("#")]
    if not apps:
        raise UsageError(f"{path}: names no app")
    # A file is looked for beside the list.
    return tuple(app if short_name(app) is not None else str(path.parent / app) for app in dict.fromkeys(apps))


def folders_of(apps: Sequence[str]) -> Iterator[str]:
    """A folder's name for each app, no two alike."""
    used = {TABLE}
    for app in apps:
        name = base = _base_name(short_name(app) or Path(app).stem)
        number = 2
        # Beside its folder an app has a file of what its run told.
        while not used.isdisjoint((name, _told(name))):
            name, number = f"{base}-{number}", number + 1
        used |= {name, _told(name)}
        yield name


def _base_name(name: str) -> str:
    """A name that is one part of a path, not hidden and not an option."""
    plain = "".join(char if char.isprintable() and char not in "/\\" else "_" for char in name)
    return plain.encode()[:LONGEST_NAME].decode(errors="ignore").strip().lstrip(".-") or "app"


def _told(name: str) -> str:
    """The name of the file of what a run told."""
    return f"{name}.json"


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

    def add(row: CampaignRow) -> None:
        rows[row.app] = row
        write_inside(output / TABLE, _table(rows[each] for each in apps if each in rows))
        on_row(row)

    try:
        while waiting or running:
            while waiting and len(running) < at_once:
                app, name = waiting.pop(0)
                folder = output / name
                try:
                    running[app] = (_start(app, folder, options), folder, time.monotonic())
                except (OSError, ValueError) as error:
                    add(_refused(app, folder, error))
            for app, (process, folder, began) in list(running.items()):
                if (code := process.poll()) is not None:
                    del running[app]
                    try:
                        row = _row(app, folder, code, time.monotonic() - began)
                    except OSError as error:
                        row = _refused(app, folder, error)
                    add(row)
            time.sleep(0.1)
    finally:
        _stop([process for process, _, _ in running.values()])
    return tuple(rows[app] for app in apps if app in rows)


def _refused(app: str, folder: Path, error: OSError | ValueError) -> CampaignRow:
    """The row of an app whose run cannot be started, or read. Raises StoreError if the disk is full."""
    if isinstance(error, OSError) and lack_of_room(error):
        raise refusal(folder, error) from error
    return CampaignRow(app, str(folder), NOT_STARTED, message=f"cannot be run: {printable(str(error), 200)}")


def _start(app: str, folder: Path, options: Sequence[str]) -> subprocess.Popen[bytes]:
    # The name of an app may begin like an option.
    command = python_command("fewtaps", "run", "-o", str(folder), "--json", *options, "--", app)
    with open(folder.with_name(_told(folder.name)), "wb", opener=open_here) as stream:
        return subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=stream,
            stderr=subprocess.DEVNULL,
            env=python_environment(),
            preexec_fn=die_with_parent,
        )


def _row(app: str, folder: Path, code: int, seconds: float) -> CampaignRow:
    """Reads the summary or the error, which is the last line that the run printed."""
    told = folder.with_name(_told(folder.name))
    last: dict[str, Any] = {}
    for line in read_inside(told).decode("utf-8", "replace").splitlines():
        try:
            document = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(document, dict):
            last |= {key: value for key, value in document.items() if key in ("summary", "error")}
    row = CampaignRow(app, str(folder), code, seconds=round(seconds, 1))
    own = ""
    match last.get("summary"):
        case {"folder": str(own), "progress": {"events": int(events)}, "crashes": list(crashes)}:
            row = replace(row, events=events, crashes=len(crashes))
    if code in ENDED and own != str(folder):
        # Something else than the run ended: its code says nothing about the app.
        return replace(row, code=NO_RESULT, message=f"its process ended with {code} and told no result")
    match last.get("error"):
        case {"message": str(message)}:
            row = replace(row, message=message)
    return row


def read_table(path: Path) -> list[CampaignRow]:
    """The rows of a table, none if there is no such file. Raises UsageError if it is damaged."""
    if not path.exists():
        return []
    try:
        return [_checked(row) for row in json.loads(read_inside(path))["apps"]]
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
