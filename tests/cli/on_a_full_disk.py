"""Runs commands in a folder whose disk has room for a part of what they write; a program for test_full_disk.py.

on_a_full_disk.py DISK PROJECT sim|twin ROOM…: the project is copied to the disk, a file fills it but for
ROOM kilobytes, and a command runs. Writes a line of JSON for each command and room.
"""

from __future__ import annotations

import io
import json
import os
import shutil
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import redirect_stderr, redirect_stdout, suppress
from pathlib import Path

from fewtaps.adbd.packets import CNXN, OPEN, VERSION, Packet
from fewtaps.cli.main import main

APP = "sim:notes"
CALC = Path(__file__).resolve().parents[2] / "samples" / "calc.apk"
BLOCK = 4096
CLIENT_SECONDS = 60.0

Words = Callable[[Path], Sequence[str | Path]]
COMMANDS: dict[str, Words] = {
    "run": lambda p: ["run", APP, "-o", p / "new", "--events", "60", "-j", "1", "--worlds", "2"],
    "explore": lambda p: ["explore", APP, "-o", p / "new", "--events", "60"],
    "explore again": lambda p: ["explore", APP, "-o", p, "--events", "500", "--resume"],
    "reduce": lambda p: ["reduce", APP, p / "steps.jsonl", "--dir", p, "-o", p / "short.jsonl"],
    "suite": lambda p: ["suite", p, APP],
    "suite --onto": lambda p: ["suite", p, APP, "--onto", p / "small"],
    "test --update": lambda p: ["test", p / "broken", "sim:bill", "--update", "--yes"],
    "report --merge": lambda p: ["report", "--merge", p / "shard", "-o", p / "merged"],
    "tap, save": lambda p: ["tap", APP, "<", f"back\nsave {p / 'taps.jsonl'}\n"],
    "tap, test": lambda p: ["tap", APP, "<", f"back\ntest {p / 'tests'} going-back\n"],
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
    "mutate": lambda p: ["mutate", p / "tests", APP, "-o", p / "mutants"],
    "mutate --keep-kills": lambda p: ["mutate", p / "tests", APP, "--keep-kills", "-o", p / "mutants"],
    "merge": lambda p: ["merge", p / "all", p],
    "campaign": lambda p: ["campaign", p / "apps.txt", "-o", p / "night", "--events", "30"],
    "prior learn": lambda p: ["prior", "learn", "--dir", p],
    "device serve --record": lambda p: [
        "device", "serve", "sim:bill", "--port", _begin_client(), "--record", p / "served"
    ],
}  # fmt: skip
TWIN_COMMANDS: dict[str, Words] = {
    "coverage --xml": lambda p: ["coverage", p, "--xml", p / "jacoco.xml"],
    "coverage --html": lambda p: ["coverage", p, "--html", p / "html"],
    "instrument": lambda p: ["instrument", CALC, "-o", p / "out.apk"],
    "slice": lambda p: ["slice", p],
    "slice -o": lambda p: ["slice", p, "--format", "sarif", "-o", p / "a.sarif"],
}


def _begin_client() -> str:
    """Starts a client of a served device, which makes a run and ends it; the port on which it will look for it."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = int(free.getsockname()[1])
    threading.Thread(target=_use_device, args=(port,), daemon=True).start()
    return str(port)


def _use_device(port: int) -> None:
    end = time.monotonic() + CLIENT_SECONDS
    line = "input tap 100 300; input keyevent 4; am force-stop com.example.bill; echo made"
    while time.monotonic() < end:
        with suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=CLIENT_SECONDS) as client:
            client.sendall(Packet(CNXN, VERSION, 4096, b"host::\0").encode())
            client.sendall(Packet(OPEN, 1, 0, f"shell:{line}\0".encode()).encode())
            while b"made" not in (heard := client.recv(1 << 16)) and heard:
                pass
            break
        time.sleep(0.05)
    # The server ends by itself if the run could not be kept.
    time.sleep(0.3)
    os.kill(os.getpid(), signal.SIGINT)


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
    errors, output = io.StringIO(), io.StringIO()
    given = [str(word) for word in words]
    if "<" in given:
        sys.stdin = io.StringIO(given[-1])
        given = given[: given.index("<")]
    with redirect_stderr(errors), redirect_stdout(output):
        code = main(given)
    if words[:2] == ["device", "serve"]:
        # Its client ends it, late or in time.
        with suppress(KeyboardInterrupt):
            for thread in threading.enumerate():
                if thread.daemon:
                    thread.join(CLIENT_SECONDS)
            time.sleep(1)
    if words[0] == "campaign" and code == 3 and not errors.getvalue():
        # Each of its apps has a line of its own.
        return code, output.getvalue().partition("\n")[0] + "\n"
    return code, errors.getvalue()


def run_all(disk: Path, project: Path, rooms: Sequence[int], *, twin: bool) -> None:
    """Runs each command with each room; those of twins with the machine's own cache, which has their jars."""
    os.environ["TMPDIR"] = str(disk)
    # `test --update` is refused on CI.
    os.environ.pop("CI", None)
    if not twin:
        os.environ["FEWTAPS_CACHE"] = str(disk)
    os.chdir(disk)
    for name, words in (TWIN_COMMANDS if twin else COMMANDS).items():
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
    run_all(Path(sys.argv[1]), Path(sys.argv[2]), [int(word) for word in sys.argv[4:]], twin=sys.argv[3] == "twin")
