"""Runs commands in a folder whose disk has room for a part of what they write; a program for test_full_disk.py.

on_a_full_disk.py DISK PROJECT ROOM…: the project is copied to the disk, a file fills it but for ROOM kilobytes, and a
command runs. Writes a line of JSON for each command and room.
"""

from __future__ import annotations

import io
import json
import os
import shutil
import sys
from collections.abc import Callable, Sequence
from contextlib import redirect_stderr, redirect_stdout, suppress
from pathlib import Path

from fewtaps.cli.main import main

APP = "sim:notes"
BLOCK = 4096

Words = Callable[[Path], Sequence[str | Path]]
COMMANDS: dict[str, Words] = {
    "run": lambda p: ["run", APP, "-o", p / "new", "--events", "60", "-j", "1", "--worlds", "2"],
    "explore": lambda p: ["explore", APP, "-o", p / "new", "--events", "60"],
    "explore again": lambda p: ["explore", APP, "-o", p, "--events", "500", "--resume"],
    "reduce": lambda p: ["reduce", APP, p / "steps.jsonl", "--dir", p, "-o", p / "short.jsonl"],
    "suite": lambda p: ["suite", p, APP],
    "test -o": lambda p: ["test", p / "tests", APP, "-o", p / "results"],
    "test --junit": lambda p: ["test", p / "tests", APP, "--junit", p / "results.xml"],
    "report": lambda p: ["report", p],
    # Where there is room for the report, the port is refused: otherwise it would not end.
    "serve": lambda p: ["serve", p, "--port", "1"],
    "export -o": lambda p: ["export", "all", p, (p / "crash.txt").read_text(), "-o", p / "exports"],
    "export suite": lambda p: ["export", "espresso-java", p / "tests", "-o", p / "exports"],
    "convert": lambda p: ["convert", p / "steps.jsonl", p / "steps.sh"],
    "crashes --save": lambda p: [
        "crashes", p, "--show", (p / "crash.txt").read_text(), "--save", p / "a.jsonl"
    ],
    "states --svg": lambda p: ["states", p, "--svg", p / "a.svg"],
    "states --graphml": lambda p: ["states", p, "--graphml", p / "a.graphml"],
    "play --screenshots": lambda p: ["play", APP, p / "steps.jsonl", "--screenshots", p / "shots"],
    "replay --screenshots": lambda p: ["replay", APP, p / "steps.jsonl", "--screenshots", p / "shots"],
    "scrub": lambda p: ["scrub", p, "--yes"],
    "doctor --bundle": lambda p: ["doctor", "--bundle", p / "bundle.zip"],
}  # fmt: skip


def fill(disk: Path, room: int) -> None:
    """Leaves so many kilobytes of the disk."""
    with suppress(OSError), open(disk / "ballast", "wb", buffering=0) as stream:
        while stream.write(bytes(1 << 16)):
            pass
    with suppress(OSError), open(disk / "ballast", "ab", buffering=0) as stream:
        while stream.write(bytes(BLOCK)):
            pass
    os.truncate(disk / "ballast", max(0, (disk / "ballast").stat().st_size - room * 1024))


def run(words: Sequence[str | Path]) -> tuple[int, str]:
    """Runs a command here; its exit code and its lines on the error stream."""
    errors = io.StringIO()
    with redirect_stderr(errors), redirect_stdout(io.StringIO()):
        code = main([str(word) for word in words])
    return code, errors.getvalue()


def run_all(disk: Path, project: Path, rooms: Sequence[int]) -> None:
    """Runs each command with each room."""
    os.environ["TMPDIR"] = os.environ["FEWTAPS_CACHE"] = str(disk)
    os.chdir(disk)
    for name, words in COMMANDS.items():
        for room in rooms:
            for path in disk.iterdir():
                shutil.rmtree(path) if path.is_dir() else path.unlink()
            copy = Path(shutil.copytree(project, disk / "p"))
            arguments = words(copy)
            fill(disk, room)
            code, errors = run(arguments)
            record = {"command": name, "room": room, "code": code, "errors": errors}
            sys.stdout.write(json.dumps(record) + "\n")


if __name__ == "__main__":
    run_all(Path(sys.argv[1]), Path(sys.argv[2]), [int(word) for word in sys.argv[3:]])
