"""Starts commands as children that end with this process's knowledge: orphans become children of this process."""

from __future__ import annotations

import ctypes
import importlib
import json
import os
import pkgutil
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, tzinfo
from pathlib import Path
from typing import Any, ClassVar

PR_SET_CHILD_SUBREAPER = 36
ORPHAN_SECONDS = 5.0
"""A process that outlives its command by more than this is an orphan."""
NOT_BEGUN = 99
"""The exit code of a child in which no command began."""
LIMIT_SECONDS = 1200.0
"""A command that takes longer never ends. On a busy machine, one that fetches 400 MB of jars again takes minutes."""


def adopt_orphans() -> None:
    """Makes this process the parent of every process below it whose own parent ends."""
    if ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0):
        raise OSError("orphans cannot be adopted here")


def below(root: int) -> list[int]:
    """The processes below one that have not ended."""
    parents: dict[int, int] = {}
    for entry in os.scandir("/proc"):
        if entry.name.isdigit():
            try:
                words = Path(entry.path, "stat").read_text("utf-8", "replace").rpartition(")")[2].split()
            except OSError:
                continue
            if words[0] not in "ZX":
                parents[int(entry.name)] = int(words[1])
    found: list[int] = []
    level = {root}
    while level:
        level = {process for process, parent in parents.items() if parent in level}
        found += sorted(level)
    return found


@dataclass(frozen=True, slots=True)
class Talk:
    """What a client says to a command. It leaves when the command has answered the last message."""

    lines: Sequence[str]
    last: int

    def is_over(self, output: Path) -> bool:
        """Whether the last answer is there."""
        return self.answer(output) is not None

    def answer(self, output: Path) -> dict[str, Any] | None:
        """The last answer; None if there is none yet."""
        for line in output.read_bytes().splitlines(keepends=True) if output.exists() else ():
            if line.endswith(b"\n") and (message := json.loads(line)).get("id") == self.last:
                assert isinstance(message, dict)
                return message
        return None


def _pipe_with(lines: Sequence[str]) -> tuple[int, int | None]:
    """A pipe that holds lines, which fit into it."""
    reading, writing = os.pipe()
    os.write(writing, "".join(f"{line}\n" for line in lines).encode())
    return reading, writing


class Child:
    """A command in a process of its own, with its output in files."""

    _open: ClassVar[set[int]] = set()
    """The ends of pipes on which clients speak. A child that kept one of another would keep that one from ending."""

    def __init__(
        self, start: Callable[[], int], folder: Path, environment: Mapping[str, str], talk: Talk | None = None
    ) -> None:
        self.output, self.errors = folder / "stdout", folder / "stderr"
        self.code: int | None = None
        self._talk = talk
        self._input = _pipe_with(talk.lines) if talk is not None else (os.open(os.devnull, os.O_RDONLY), None)
        if self._input[1] is not None:
            self._open.add(self._input[1])
        sys.stdout.flush()
        sys.stderr.flush()
        self.process = os.fork()
        if self.process == 0:
            self._become(start, environment)
        os.close(self._input[0])

    def _become(self, start: Callable[[], int], environment: Mapping[str, str]) -> None:
        """What the child does; it never returns."""
        code = NOT_BEGUN
        try:
            os.dup2(self._input[0], 0)
            for descriptor in self._open:
                os.close(descriptor)
            for number, path in ((1, self.output), (2, self.errors)):
                os.dup2(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), number)
            os.environ.clear()
            os.environ.update(environment)
            tempfile.tempdir = None  # Read from the new environment again.
            for signal_number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
                signal.signal(signal_number, signal.SIG_DFL)
            signal.signal(signal.SIGINT, signal.default_int_handler)
            os.chdir("/")
            code = start()
            sys.stdout.flush()
            sys.stderr.flush()
        finally:
            os._exit(code)

    def poll(self) -> int | None:
        """The exit code, negative for a signal; None while it runs."""
        if self._talk is not None and self._input[1] is not None and self._talk.is_over(self.output):
            self._hang_up()
        if self.code is None:
            done, status = os.waitpid(self.process, os.WNOHANG)
            if done:
                self.code = os.waitstatus_to_exitcode(status)
                self._hang_up()
        return self.code

    def _hang_up(self) -> None:
        """The client leaves."""
        if self._input[1] is not None:
            self._open.remove(self._input[1])
            os.close(self._input[1])
            self._input = self._input[0], None

    def wait(self, seconds: float = LIMIT_SECONDS) -> int | None:
        """The exit code, once it ended; None if it did not within the time."""
        deadline = time.monotonic() + seconds
        while self.poll() is None and time.monotonic() < deadline:
            time.sleep(0.004)
        return self.code

    def kill(self, number: int = signal.SIGKILL) -> None:
        """Sends a signal, unless it ended."""
        if self.poll() is None:
            os.kill(self.process, number)


def orphans_left(me: int, known: Callable[[], Iterable[int]] = tuple) -> list[str]:
    """The command lines of processes that still run some seconds after their command; they are killed.

    The `known` ones are no orphans: what belongs to the ground that a command stands on.
    """
    deadline = time.monotonic() + ORPHAN_SECONDS
    while (found := sorted({*below(me)} - {*known()})) and time.monotonic() < deadline:
        _reap()
        time.sleep(0.02)
    names = []
    for process in found:
        try:
            names.append(Path(f"/proc/{process}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace"))
            os.kill(process, signal.SIGKILL)
        except OSError:
            continue
    _reap()
    return [name[:200] for name in names]


def _reap() -> None:
    """Takes the exit codes of orphans that ended. Only called when no command of ours runs."""
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        pass


def in_this_python(arguments: Sequence[str], jump_seconds: float = 0.0, calls: int = 0) -> Callable[[], int]:
    """Runs a command in the forked process, which has its modules loaded already.

    After so many questions for the time of day, the clock jumps by so many seconds.
    """

    def start() -> int:
        from fewtaps.cli.main import main

        if jump_seconds:
            _let_the_clock_jump(jump_seconds, calls)
        return main(list(arguments))

    return start


def load_commands() -> None:
    """Loads what commands load when they are called, so that a forked process need not."""
    import fewtaps.cli
    import fewtaps.device.simulated
    import fewtaps.pipeline

    for package in (fewtaps.cli, fewtaps.pipeline, fewtaps.device.simulated):
        for module in pkgutil.iter_modules(package.__path__, f"{package.__name__}."):
            importlib.import_module(module.name)


def _let_the_clock_jump(seconds: float, calls: int) -> None:
    from fewtaps.store import runs, trials

    asked = 0
    true_time = time.time

    def offset() -> float:
        nonlocal asked
        asked += 1
        return seconds if asked > calls else 0.0

    class JumpingTime(datetime):
        @classmethod
        def now(cls, tz: tzinfo | None = None) -> JumpingTime:
            moment = datetime.now(tz or UTC) + timedelta(seconds=offset())
            return cls.fromtimestamp(moment.timestamp(), tz or UTC)

    time.time = lambda: true_time() + offset()
    for module in (runs, trials):
        module.datetime = JumpingTime  # type: ignore[attr-defined]


def in_a_new_python(arguments: Sequence[str], before: Sequence[str] = ()) -> Callable[[], int]:
    """Runs a command as a shell would, after the words of another that prepares the ground for it."""

    def start() -> int:
        os.execvp((before or [sys.executable])[0], [*before, sys.executable, "-m", "fewtaps", *arguments])

    return start
