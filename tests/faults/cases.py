"""One fault: a command is begun, something happens to it, and the same command follows; what went wrong is counted."""

from __future__ import annotations

import json
import os
import shutil
import signal
import time
import urllib.request
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any
from urllib.error import URLError

from faults.children import LIMIT_SECONDS, NOT_BEGUN, Child, Talk, below, in_a_new_python, in_this_python, orphans_left
from faults.commands import COMMANDS, LAST_MESSAGE, TWIN_COMMANDS, Projects, damage_of, results_in, stores_in, told_in
from faults.farms import MEMBERS, Farm

from fewtaps.store.database import FILE

ENDING_SECONDS = 5.0
"""A command that is asked to end has so much time, on a machine that does nothing else."""
SLOWER = 6.0
"""So much longer may everything take on a busy machine."""

KINDS = ("lost", "damaged", "orphans", "left", "codes")
"""What is counted: results lost, stores damaged, orphans, temporary files left, wrong exit codes."""


@dataclass
class Outcome:
    """What a fault did: by kind, what went wrong. Nothing in it: everything held."""

    case: int
    command: str
    fault: str
    moment: float
    codes: list[int | None] = field(default_factory=list)
    wrong: dict[str, list[str]] = field(default_factory=dict)

    def add(self, kind: str, what: str) -> None:
        """Notes something that went wrong."""
        self.wrong.setdefault(kind, []).append(what[:500])


class Case:
    """A folder with a project, a temporary folder and a cache of its own, in which one fault happens."""

    def __init__(self, number: int, seed: int, place: Path, projects: Projects, twin: bool, cache: Path | None) -> None:
        self.random = Random(f"{seed} {number} {twin}")
        self.place = place
        commands = TWIN_COMMANDS if twin else COMMANDS
        (self.command,) = self.random.choices(commands, weights=[command.weight for command in commands])
        self.farm: Farm | None = None
        usable = TWIN_FAULTS if twin else FARM_FAULTS if self.command.farm else FAULTS
        (self.fault,) = self.random.choices(list(usable), weights=[weight for _, weight in usable.values()])
        self.act = usable[self.fault][0]
        self.project, self.temporary, self.cache = place / "project", place / "tmp", place / "cache"
        place.mkdir(parents=True)
        self.temporary.mkdir()
        if cache is None:
            self.cache.mkdir()
        else:
            # The files of the true cache under new names: the case may remove them.
            shutil.copytree(cache, self.cache, copy_function=_linked, ignore=shutil.ignore_patterns("partial"))
        projects.copy(self.command.project, self.project)
        span = SPANS[self.command.name] * (14 if twin else 1.5)
        self.outcome = Outcome(number, self.command.name, self.fault, round(self.random.uniform(0, span), 3))
        self.environment = {
            **os.environ, "TMPDIR": str(self.temporary), "FEWTAPS_CACHE": str(self.cache), "COLUMNS": "200",
        }  # fmt: skip

    def start(self, words: Sequence[str], name: str = "", jump: tuple[float, int] = (0.0, 0)) -> Child:
        """Starts a command; one in eight as a shell would, the others in a process that has the modules loaded."""
        folder = self.place / f"out{name}"
        folder.mkdir(exist_ok=True)
        is_new = self.random.random() < 1 / 8 and not jump[0]
        start = in_a_new_python(words) if is_new else in_this_python(words, *jump)
        return Child(start, folder, self.environment, self._talk())

    def words(self, *, again: bool = False) -> list[str]:
        """The arguments of the command, or of the one that follows; a farm is there by then."""
        words = list(self.command.words_again(self.project) if again else self.command.words(self.project))
        if self.command.farm:
            self.farm = self.farm or Farm(self.place)
            self.farm.complete()
            words.append(self.farm.address)
        return words

    def _talk(self) -> Talk | None:
        return Talk(self.command.messages, LAST_MESSAGE) if self.command.messages else None

    def wait(self, child: Child, until: float) -> None:
        """Waits for a moment, or for the command's end."""
        while child.poll() is None and time.monotonic() < until:
            time.sleep(0.002)

    def check_output(self, child: Child, allowed: Sequence[int | None]) -> None:
        """Notes a wrong exit code, and lines on the error stream that are not ours."""
        self.outcome.codes.append(child.code)
        # One that was killed at its very beginning has no such file.
        errors = child.errors.read_text("utf-8", "replace") if child.errors.exists() else ""
        if "KeyboardInterrupt" in errors and "/fewtaps/" not in errors:
            # Python itself was interrupted while it started, before a line of ours ran.
            return
        if child.code not in allowed:
            self.outcome.add("codes", f"{child.code}, not {allowed}: {errors[-300:]}")
        elif "Traceback" in errors:
            self.outcome.add("codes", f"a traceback: {errors[-400:]}")

    def check_left(self) -> None:
        """Notes temporary files and folders that are still there."""
        found = sorted(self.temporary.iterdir())
        found += [path for path in self.project.rglob(".*") if path.suffix in (".part", ".old")]
        partial = self.cache / "partial"
        found += sorted(partial.iterdir()) if partial.is_dir() else []
        for path in found:
            self.outcome.add("left", str(path.relative_to(self.place)))

    def check_store(self, when: str) -> None:
        """Notes a damaged store."""
        if damage := damage_of(self.project):
            self.outcome.add("damaged", f"{when}: {damage}")

    def check_orphans(self) -> None:
        """Notes processes that the command left."""
        farm = self.farm
        for name in orphans_left(os.getpid(), tuple if farm is None else farm.processes):
            self.outcome.add("orphans", name)

    def follow(self) -> None:
        """Runs the same command again, undisturbed, and compares what there was with what there is."""
        self.check_store("after the fault")
        before = results_in(self.project)
        child = self.start(self.words(again=True), "-again")
        if self.command.name == "serve":
            self._ask_server(child)
        if child.wait() is None:
            child.kill()
            child.wait()
            self.outcome.add("codes", "the command after it did not end")
        else:
            self.check_output(child, self.command.codes)
        if (talk := self._talk()) is not None and ((answer := talk.answer(child.output)) is None or _failed(answer)):
            self.outcome.add("codes", f"the answer after it: {answer}")
        if self.farm is not None:
            for what in self.farm.close():
                self.outcome.add("codes", what)
            self.farm = None
        self.check_orphans()
        self.check_store("at the end")
        for lost in sorted(before - results_in(self.project), key=repr):
            self.outcome.add("lost", repr(lost))
        self.check_left()

    def _ask_server(self, child: Child) -> None:
        """Asks a server for its first page and ends it."""
        address = address_of(child, LIMIT_SECONDS)
        try:
            with urllib.request.urlopen(address, timeout=60) as answer:
                if b"<html" not in answer.read():
                    self.outcome.add("lost", "the server's page")
        except (URLError, OSError, ValueError) as error:
            self.outcome.add("lost", f"the server's page: {error}")
        child.kill(signal.SIGTERM)


def _failed(answer: Mapping[str, Any]) -> bool:
    """Whether a tool could not do what it was asked."""
    return bool(answer.get("result", {"isError": True}).get("isError"))


def _linked(source: str, target: str) -> None:
    """A second name for a file; a copy where that is on another disk."""
    try:
        os.link(source, target)
    except OSError:
        shutil.copyfile(source, target)


def address_of(child: Child, seconds: float) -> str:
    """The address that a server told; empty if it did not."""
    deadline = time.monotonic() + seconds
    while child.poll() is None and time.monotonic() < deadline:
        for line in child.output.read_text("utf-8").splitlines() if child.output.exists() else ():
            if "address" in line:
                return str(json.loads(line)["address"])
        time.sleep(0.02)
    return ""


def run_case(
    number: int, seed: int, place: Path, projects: Projects, *, twin: bool = False, cache: Path | None = None
) -> Outcome:
    """One fault and what it did; seed and number decide it. The folder is removed if everything held."""
    case = Case(number, seed, place, projects, twin, cache)
    case.act(case)
    case.follow()
    if not case.outcome.wrong:
        shutil.rmtree(place)
    return case.outcome


def _killed(case: Case) -> None:
    """The command is killed; processes that it started have to end by themselves."""
    child = case.start(case.words())
    case.wait(child, time.monotonic() + case.outcome.moment)
    child.kill()
    child.wait()
    case.check_output(child, (-signal.SIGKILL, *case.command.codes))
    case.check_orphans()
    _check_told(case, child)


def _check_told(case: Case, child: Child) -> None:
    for lost in told_in(child.output) - {(row[0], row[2]) for row in results_in(case.project)}:
        case.outcome.add("lost", f"told, not kept: {lost}")


def _asked_to_end(number: int, code: int) -> Callable[[Case], None]:
    """A signal that can be handled: everything is closed and removed, within a time."""

    def act(case: Case) -> None:
        child = case.start(case.words())
        # The signals are handled from the first line of the command on; before that, Python itself ends.
        case.wait(child, time.monotonic() + case.outcome.moment)
        child.kill(number)
        began = time.monotonic()
        if child.wait(ENDING_SECONDS * SLOWER) is None:
            case.outcome.add("codes", f"signal {number} did not end it within {time.monotonic() - began:.0f} s")
            child.kill()
            child.wait()
        # NOT_BEGUN: the signal came before the first line of the command.
        early = (-number, NOT_BEGUN, 0) if case.command.name == "serve" else (-number, NOT_BEGUN)
        case.check_output(child, (code, *early, *case.command.codes))
        case.check_orphans()
        _check_told(case, child)
        if child.code not in (-number, NOT_BEGUN):
            case.check_left()

    return act


def _java_killed(case: Case) -> None:
    """The Java process of a twin is killed; the command starts another, or says that it cannot."""
    child = case.start(case.words())
    case.wait(child, time.monotonic() + case.outcome.moment)
    processes = [each for each in below(child.process) if _name(each) == "java"] if child.poll() is None else []
    for process in processes:
        os.kill(process, signal.SIGKILL)
    child.wait()
    case.check_output(child, (*case.command.codes, 3) if processes else case.command.codes)
    case.check_orphans()
    _check_told(case, child)
    case.check_left()


def _name(process: int) -> str:
    try:
        return Path(f"/proc/{process}/comm").read_text().strip()
    except OSError:
        return ""


def _power_lost(case: Case) -> None:
    """The files are what was on the disk at one moment: the end of what was not synced may be missing."""
    unchanged = {folder.relative_to(case.project): (folder / FILE).read_bytes() for folder in stores_in(case.project)}
    files = set(case.project.rglob("*")) if case.project.exists() else set()
    child = case.start(case.words())
    case.wait(child, time.monotonic() + case.outcome.moment)
    child.kill(signal.SIGSTOP)
    image = case.place / "image"
    if case.project.exists():
        shutil.copytree(case.project, image)
    child.kill()
    child.wait()
    case.check_orphans()
    shutil.rmtree(case.project, ignore_errors=True)
    if image.exists():
        _lose_unsynced(case, image, unchanged, files)
        image.rename(case.project)
    # The memory of the machine is gone, and with it the file that only processes share.
    for folder in stores_in(case.project):
        (folder / f"{FILE}-shm").unlink(missing_ok=True)


def _lose_unsynced(case: Case, image: Path, unchanged: Mapping[Path, bytes], files: set[Path]) -> None:
    for folder in stores_in(image):
        wal, before = folder / f"{FILE}-wal", unchanged.get(folder.relative_to(image), b"")
        # Before pages go from the log to the database, the log is synced: then nothing of it can be missing.
        if wal.exists() and (folder / FILE).read_bytes() == before:
            os.truncate(wal, case.random.randint(0, wal.stat().st_size))
    for picture in image.rglob("pictures/*.png"):
        if case.project / picture.relative_to(image) not in files and case.random.random() < 0.3:
            os.truncate(picture, 0)


def _disk_full(case: Case) -> None:
    """Project, temporary files and cache lie on a disk with room for a part of what the command writes.

    The cache of a twin stays where it is: it holds 400 MB of jars, to which a command adds little.
    """
    moved = [case.project, case.temporary, *(() if case.command.starts_java else (case.cache,))]
    paths = [path for folder in moved for path in folder.rglob("*") if not path.is_symlink()]
    held = sum(path.stat().st_size + 4096 for path in paths)
    growth = (TWIN_GROWTH_KB if case.command.starts_java else GROWTH_KB)[case.command.name]
    kilobytes = 16 + held // 1024 + case.random.randint(0, growth)
    disk, copy = case.place / "disk", case.place / "copy"
    disk.mkdir()
    script = (
        f'mount -t tmpfs -o size={kilobytes}k none "{disk}" || exit 98; '
        + "".join(f'if [ -e "{path}" ]; then cp -a "{path}" "{disk}/" || exit 97; fi; ' for path in moved)
        + '"$@"; status=$?; '
        + f'mkdir "{copy}"; cp -a "{disk}/." "{copy}/"; exit $status'
    )
    case.environment |= {"TMPDIR": str(disk / "tmp")}
    if case.cache in moved:
        case.environment |= {"FEWTAPS_CACHE": str(disk / "cache")}
    before: tuple[str, ...] = ("unshare", "--mount", "--map-root-user", "--kill-child", "sh", "-c", script, "sh")
    folder = case.place / "out"
    folder.mkdir()
    if case.command.name == "serve":
        before = (*before, "timeout", "-s", "TERM", "--preserve-status", str(round(4 + case.outcome.moment)))
    words = [word.replace(str(case.project), str(disk / "project")) for word in case.words()]
    child = Child(in_a_new_python(words, before), folder, case.environment, case._talk())
    child.wait()
    case.check_orphans()
    for path in moved:
        shutil.rmtree(path, ignore_errors=True)
        if (copy / path.name).exists():
            (copy / path.name).rename(path)
        elif path is not case.project:
            path.mkdir()
    case.environment |= {"TMPDIR": str(case.temporary), "FEWTAPS_CACHE": str(case.cache)}
    if child.code not in (97, 98):
        case.check_output(child, (3, *case.command.codes))
        _check_told(case, child)
        case.check_left()


def _cache_gone(case: Case) -> None:
    """The cache folder vanishes; what it held is made again, fetched again, or named in one line."""
    child = case.start(case.words())
    case.wait(child, time.monotonic() + case.outcome.moment)
    shutil.rmtree(case.cache, ignore_errors=True)
    child_ended = child.poll() is not None
    if case.command.name == "serve" and not child_ended:
        address_of(child, 30)
        child.kill(signal.SIGTERM)
    child.wait()
    case.check_output(child, (*case.command.codes, *((3,) if case.command.starts_java else ())))
    case.check_orphans()
    case.check_left()


def _two_at_once(case: Case) -> None:
    """The same command begins a second time while the first is at work: one of them may be told to wait."""
    words = case.words()
    first = case.start(words)
    case.wait(first, time.monotonic() + case.outcome.moment)
    second = case.start(case.words(again=True), "-second")
    for child in (first, second):
        if case.command.name == "serve":
            address_of(child, 30)
            child.kill(signal.SIGTERM)
    for child in (first, second):
        child.wait()
        case.check_output(child, (*case.command.codes, 3, *REFUSED.get(case.command.name, ())))
    if not set(case.command.codes) & {first.code, second.code}:
        case.outcome.add("codes", f"neither of two ended well: {first.code}, {second.code}")
    case.check_orphans()
    case.check_left()


def _clock_jumps(case: Case) -> None:
    """The time of day jumps by years, forward or back."""
    seconds = case.random.choice((-1, 1)) * case.random.uniform(3600, 20 * 365 * 86400)
    child = case.start(case.words(), jump=(seconds, case.random.randint(0, 4)))
    if case.command.name == "serve":
        address_of(child, 30)
        child.kill(signal.SIGTERM)
    child.wait()
    case.check_output(child, case.command.codes)
    case.check_orphans()
    case.check_left()


REFUSED: Mapping[str, tuple[int, ...]] = {"explore": (2,), "suite": (2,), "instrument": (2,)}
"""What else the second of two may exit with: the folder has an exploration, a suite or a copy of the app by then."""
SPANS = {
    "run": 1.6, "explore": 0.8, "reduce": 0.7, "suite": 0.8, "test": 0.5, "export": 0.4, "report": 0.6, "serve": 0.8,
    "slice": 1.0, "campaign": 5.0, "merge": 0.5, "mutate": 0.8, "mcp": 2.0, "farm": 4.0, "coverage": 0.8,
    "instrument": 0.4,
}  # fmt: skip
"""Seconds that a command takes on simulated apps, about."""
GROWTH_KB = {
    "run": 900, "explore": 500, "reduce": 300, "suite": 200, "test": 300, "export": 200, "report": 500, "serve": 500,
    "campaign": 1500, "merge": 400, "mutate": 300, "mcp": 900, "farm": 900,
}  # fmt: skip
TWIN_GROWTH_KB = {
    "run": 4000, "explore": 3000, "slice": 20_000, "mutate": 3000, "coverage": 6000, "campaign": 6000,
    "instrument": 4000,
}  # fmt: skip
"""What a command writes at most, about."""


def _member_killed(case: Case) -> None:
    """A part of the farm is killed: the hub, a worker or one device. A lost device is replaced, a lost hub is told."""
    child = case.start(case.words())
    case.wait(child, time.monotonic() + case.outcome.moment)
    assert case.farm is not None
    member = case.random.choice(MEMBERS)
    case.farm.kill(member)
    child.wait()
    case.check_output(child, (0,) if member == "device" else (0, 3))
    case.check_orphans()
    _check_told(case, child)
    case.check_left()


Act = Callable[[Case], None]
FAULTS: dict[str, tuple[Act, float]] = {
    "kill": (_killed, 30),
    "sigterm": (_asked_to_end(signal.SIGTERM, 143), 8),
    "ctrl-c": (_asked_to_end(signal.SIGINT, 130), 8),
    "power loss": (_power_lost, 18),
    "disk full": (_disk_full, 12),
    "cache gone": (_cache_gone, 6),
    "two at once": (_two_at_once, 12),
    "clock jump": (_clock_jumps, 6),
}
FARM_FAULTS: dict[str, tuple[Act, float]] = {**FAULTS, "farm member killed": (_member_killed, 60)}
TWIN_FAULTS: dict[str, tuple[Act, float]] = {
    "kill": (_killed, 25),
    "java killed": (_java_killed, 30),
    "sigterm": (_asked_to_end(signal.SIGTERM, 143), 8),
    "ctrl-c": (_asked_to_end(signal.SIGINT, 130), 8),
    "power loss": (_power_lost, 10),
    "disk full": (_disk_full, 8),
    "cache gone": (_cache_gone, 3),
    "two at once": (_two_at_once, 8),
}
