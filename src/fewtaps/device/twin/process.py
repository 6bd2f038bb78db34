"""One bridge process: started inside its jail, spoken to line by line with deadlines, stopped for good.

No wait here is without a deadline, and nothing the process does makes us wait longer: pipes are read and written only
when they are ready, and what it prints for people is kept as a short tail.
"""

from __future__ import annotations

import logging
import math
import os
import resource
import secrets
import selectors
import shutil
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from enum import Enum
from functools import cache
from pathlib import Path
from typing import Any, NoReturn

from fewtaps.apk.entry_names import mark_names_as_utf8
from fewtaps.budget import CutOff
from fewtaps.device.twin.bounds import parts_of
from fewtaps.device.twin.jail import (
    RUNTIME_INSIDE,
    Handover,
    JailLimits,
    Place,
    environment,
    jailed_command,
    limited_command,
    make_place,
)
from fewtaps.device.twin.libraries import needed_libraries
from fewtaps.device.twin.printed import runtime_lines
from fewtaps.device.twin.protocol import Hello, Reply, encode_request, parse_hello, parse_reply
from fewtaps.device.twin.runtime import TwinRuntime
from fewtaps.device.twin.usage import excess, family
from fewtaps.errors import BridgeError, DeviceTimeout, DeviceUnavailable
from fewtaps.stopping import check_stop

log = logging.getLogger(__name__)

START_SECONDS = 90.0
QUIT_SECONDS = 2.0
RECORDINGS_VARIABLE = "FEWTAPS_FLIGHT_RECORDINGS"
RECORDING_SECONDS = 30.0
"""How long a process may take to write its flight recording."""
KILL_SECONDS = 10.0
LOOK_SECONDS = 1.0
"""How often it is looked whether a process keeps the limits of its jail, and whether its answer is still awaited."""
TAIL_BYTES = 64 << 10
_STACK_BYTES = 4096
FOREIGN_LIMIT_BYTES = 64 << 20
"""Output of the app on the bridge's own stream while one answer is awaited; with more the process is killed."""
_FOREIGN_LINE_BYTES = 256
_SHORT_LINE_MB = 8
_FEW_PARTS = 2_000_000
_MANY_PARTS = 20_000_000
_LIMITS = {
    "launch": (16, _FEW_PARTS),
    "perform": (16, _FEW_PARTS),
    "screenshot": (32, _FEW_PARTS),
    "execution": (64, _FEW_PARTS),
    "translated": (96, _FEW_PARTS),
    "probes": (128, _MANY_PARTS),
    "mutants": (128, _MANY_PARTS),
    "code": (256, _MANY_PARTS),
}
"""The longest line in megabytes, and the most parts of it, while the answer to a request is awaited; see `parts_of`.

Other requests have short answers.
"""
_CHUNK = 1 << 16
# The exit status of a bridge in which the app has left no room to answer.
_OUT_OF_MEMORY = 5
# What Java prints before it ends with status 1, or by SIGABRT, because the machine gives it no more memory.
_NO_MEMORY_FOR_JAVA = "There is insufficient memory for the Java Runtime Environment to continue"


class EndCause(Enum):
    """How a process came to its end, as far as its exit status tells."""

    KILLED = "killed"
    FAULT = "fault"
    CPU_LIMIT = "cpu limit"
    FULL = "full memory"
    EXITED = "exited"
    FLOOD = "flood"
    FORBIDDEN = "forbidden call"
    EXCESS = "excess"


_FAULTS = {signal.SIGSEGV, signal.SIGABRT, signal.SIGBUS, signal.SIGILL, signal.SIGFPE, signal.SIGTRAP}


@dataclass(frozen=True, slots=True)
class ProcessEnd:
    """The end of a bridge process: its kind, a line that says it, and the last it printed."""

    cause: EndCause
    status: int
    tail: str
    detail: str = ""
    """Which limit was exceeded."""

    def __str__(self) -> str:
        if self.cause is EndCause.EXCESS:
            return self.detail
        if self.cause is EndCause.FULL:
            return "the twin's process ran out of memory"
        if self.cause is EndCause.FLOOD:
            return "the app flooded the output of the twin's process"
        if self.cause is EndCause.FORBIDDEN:
            return "the app made a system call that the jail forbids"
        if self.cause is EndCause.EXITED:
            return f"the twin's process ended with status {self.status}"
        name = signal.Signals(self.status).name if self.status in list(signal.Signals) else f"signal {self.status}"
        return f"the twin's process was ended by {name}"


class BridgeDied(Exception):
    """The process ended while an answer was awaited. Never leaves this room: the device makes a step of it."""

    def __init__(self, end: ProcessEnd) -> None:
        super().__init__(str(end))
        self.end = end


class BridgeProcess:
    """A running bridge. Not for use by several threads at once."""

    def __init__(
        self,
        command: Sequence[str],
        place: Place,
        *,
        limits: JailLimits | None = None,
        start_seconds: float = START_SECONDS,
    ) -> None:
        self.place = place
        self._limits = limits
        # Until the process is up it is not looked at: its disks and network may still be those of the machine.
        self._looked = math.inf
        self._tail = bytearray()
        self._received = bytearray()
        try:
            self._process = _spawner().submit(_start, list(command), environment(place)).result()
        except OSError as error:
            place.remove()
            raise DeviceUnavailable(f"cannot start the twin's process: {error}") from error
        except BaseException:
            place.remove()
            raise
        assert self._process.stdin and self._process.stdout and self._process.stderr
        self._stdin, self._stdout, self._stderr = self._process.stdin, self._process.stdout, self._process.stderr
        for stream in (self._stdin, self._stdout, self._stderr):
            os.set_blocking(stream.fileno(), False)
        # Kept, because to make one for each of many small exchanges takes longer than they do.
        self._selector = selectors.DefaultSelector()
        self._selector.register(self._stdout, selectors.EVENT_READ)
        self._selector.register(self._stderr, selectors.EVENT_READ)
        began = time.monotonic()
        try:
            self.hello = self._await_hello(start_seconds)
            self._looked = time.monotonic()
            self._limit_further()
            log.info(
                "process %d of the twin is up after %.1f s: Java %s, API level %d",
                self.pid, time.monotonic() - began, self.hello.java, self.hello.api,
            )  # fmt: skip
        except BaseException:
            self.kill()
            raise

    @property
    def pid(self) -> int:
        """The process's number on this machine: of the jail's keeper, if there is a jail."""
        return self._process.pid

    @property
    def is_alive(self) -> bool:
        """Whether it has not ended yet."""
        return self._process.poll() is None

    @property
    def tail(self) -> str:
        """The last that it printed for people."""
        return self._tail.decode("utf-8", "replace")

    def request(
        self,
        verb: str,
        fields: Mapping[str, Any],
        *,
        timeout_seconds: float,
        condition: str,
        cut_off: CutOff | None = None,
    ) -> Reply:
        """Send a request and return its answer.

        Raises BridgeDied if the process ends first. At the deadline, or at the cut-off, the process is killed, because
        its state is unknown, and DeviceTimeout names the condition.
        """
        log.debug("asking process %d: %s", self.pid, verb)
        # Random, so that what an app prints by accident is not taken for a reply; see `parse_reply`.
        number = secrets.randbits(52)
        outgoing = bytearray(encode_request(number, verb, fields))
        deadline = _Deadline(timeout_seconds, condition, cut_off)
        megabytes, most_parts = _LIMITS.get(verb, (_SHORT_LINE_MB, _FEW_PARTS))
        foreign = 0
        self._look()
        while True:
            line = self._next_line(deadline, outgoing, megabytes << 20)
            if parts_of(line) > most_parts:
                self._flooded()
            if (reply := parse_reply(line, number)) is not None:
                return reply
            # A short line counts for more than its bytes, because reading it costs as much as reading a longer one.
            foreign += max(len(line), _FOREIGN_LINE_BYTES)
            if foreign > FOREIGN_LIMIT_BYTES:
                self._flooded()
            self._check_time(deadline, 0)
            log.debug("passed over a line that is not the bridge's", extra={"texts": repr(line[:100])})

    def quit(self) -> None:
        """End the process, politely if it listens."""
        try:
            if self.is_alive:
                self.request("quit", {}, timeout_seconds=QUIT_SECONDS, condition="the twin to quit")
                self._process.wait(RECORDING_SECONDS if os.environ.get(RECORDINGS_VARIABLE) else QUIT_SECONDS)
        except (BridgeDied, DeviceTimeout, BridgeError, subprocess.TimeoutExpired):
            log.debug("the twin's process did not quit by itself")
        finally:
            # Also after a second Ctrl-C.
            self.kill()

    def kill(self) -> None:
        """End the process at once and remove its place; harmless if called twice."""
        if self._process.poll() is None:
            self._process.kill()
        try:
            self._process.wait(KILL_SECONDS)
        except subprocess.TimeoutExpired as error:
            raise DeviceTimeout("a killed process to end", KILL_SECONDS) from error
        self._selector.close()
        for stream in (self._stdin, self._stdout, self._stderr):
            try:
                stream.close()
            except OSError:
                # What was still buffered for a process that is gone.
                continue
        self.place.remove()

    def rss_mb(self) -> int | None:
        """The memory that the process and its children use, None where the system does not tell."""
        total, found = 0, False
        for pid in family(self.pid):
            resident = _resident_pages(pid)
            if resident is not None:
                total, found = total + resident, True
        return total * os.sysconf("SC_PAGE_SIZE") >> 20 if found else None

    def hand_in(self, apk: Path, name: str) -> Path:
        """Give the process a file to read, and return its name as the process sees it."""
        target = self.place.host_inbox / name
        if not target.exists():
            part = target.with_suffix(".part")
            shutil.copyfile(apk, part)
            mark_names_as_utf8(part)
            os.replace(part, target)
        return self.place.inbox / name

    def _await_hello(self, start_seconds: float) -> Hello:
        deadline = _Deadline(start_seconds, "the twin's process to come up")
        try:
            while True:
                if (hello := parse_hello(self._next_line(deadline, bytearray(), _SHORT_LINE_MB << 20))) is not None:
                    return hello
        except BridgeDied as death:
            last = [line for line in death.end.tail.splitlines() if line.strip() and not line.startswith("#")]
            why = f": {last[-1].strip()[:200]}" if last else ""
            raise BridgeError(f"the twin did not come up, {death.end}{why}", death.end.tail) from death

    def _next_line(self, deadline: _Deadline, outgoing: bytearray, limit: int) -> bytes:
        searched = 0
        while (end := self._received.find(b"\n", searched)) < 0:
            searched = len(self._received)
            if searched > limit:
                self._flooded()
            self._send(outgoing)
            self._await(deadline, outgoing)
            self._check_time(deadline, searched)
        line = bytes(self._received[:end])
        del self._received[: end + 1]
        if line.startswith(b"#"):
            # Java tells why it ends on standard output, whatever it is told.
            self._keep(line + b"\n")
        return line

    def _await(self, deadline: _Deadline, outgoing: bytearray) -> None:
        """Wait until some pipe is ready, and take what came. Raises KeyboardInterrupt if the work was called off."""
        if outgoing:
            # The pipe is full: rare, since requests are short.
            self._selector.register(self._stdin, selectors.EVENT_WRITE)
        try:
            ready = self._selector.select(min(deadline.left(), LOOK_SECONDS))
        finally:
            if outgoing:
                self._selector.unregister(self._stdin)
        check_stop()
        self._look()
        for key, _ in ready:
            if key.fileobj is self._stderr:
                self._listen()
            elif key.fileobj is self._stdout:
                self._receive()

    def _check_time(self, deadline: _Deadline, searched: int) -> None:
        """Gives up after the deadline, unless a whole line has come: a process that never stops writing is ready."""
        if deadline.left() == 0.0 and self._received.find(b"\n", searched) < 0:
            self._give_up(deadline)

    def _look(self) -> None:
        """Ends a process that uses more than its jail allows; looks at most once in `LOOK_SECONDS`."""
        now = time.monotonic()
        if self._limits is None or now - self._looked < LOOK_SECONDS:
            return
        self._looked = now
        found = excess(family(self.pid), self.place, self._limits)
        if found is None:
            return
        self._note(f"is killed: {found}")
        self.kill()
        raise BridgeDied(ProcessEnd(EndCause.EXCESS, 0, self.tail, found))

    def _limit_further(self) -> None:
        """Limits what a jailed process needed to start and needs no more.

        Threads: it has a count of its own, from which the kernel exempts root. The first thread's stack: what it has
        stays, but any other program that the process replaces itself by, Java among them, ends as it begins. Signals
        that wait: the user's other programs share their number.
        """
        if self._limits is None or not self.place.is_jailed:
            return
        process = family(self.pid)[-1]
        wanted = {resource.RLIMIT_NPROC: self._limits.threads, resource.RLIMIT_STACK: _STACK_BYTES}
        wanted[resource.RLIMIT_SIGPENDING] = self._limits.waiting_signals
        for name, most in wanted.items():
            try:
                resource.prlimit(process, name, (most, most))
            except (OSError, ValueError) as error:
                log.debug("limit %d is not set by the kernel: %s", name, error)

    def _give_up(self, deadline: _Deadline) -> NoReturn:
        self._note(f"did not answer within {deadline.timeout_seconds:g} s and is killed")
        self.kill()
        raise DeviceTimeout(deadline.condition, deadline.timeout_seconds)

    def _flooded(self) -> NoReturn:
        """Ends a process that wrote more than any answer has; the bridge itself never does."""
        self._note("wrote too much to its own output and is killed")
        self._received.clear()
        self.kill()
        raise BridgeDied(ProcessEnd(EndCause.FLOOD, 0, self.tail))

    def _send(self, outgoing: bytearray) -> None:
        """Write what the pipe takes."""
        if not outgoing:
            return
        try:
            del outgoing[: os.write(self._stdin.fileno(), outgoing[:_CHUNK])]
        except BlockingIOError:
            return
        except BrokenPipeError:
            # It will be found dead when its output ends.
            outgoing.clear()

    def _listen(self) -> None:
        heard = os.read(self._stderr.fileno(), _CHUNK)
        if not heard:
            self._selector.unregister(self._stderr)
            self._stderr.close()
            return
        self._keep(heard)

    def _keep(self, printed: bytes) -> None:
        self._tail += printed
        del self._tail[:-TAIL_BYTES]

    def _receive(self) -> None:
        received = os.read(self._stdout.fileno(), _CHUNK)
        if received:
            self._received += received
            return
        try:
            status = self._process.wait(KILL_SECONDS)
        except subprocess.TimeoutExpired:
            # It closed its output and lives on: it can answer no more.
            self._process.kill()
            status = self._process.wait(KILL_SECONDS)
        while not self._stderr.closed:
            try:
                self._listen()
            except BlockingIOError:
                break
        end = self._end_of(status)
        self._note(f"has ended ({end})")
        raise BridgeDied(end)

    def _end_of(self, status: int) -> ProcessEnd:
        end = _end_of(status, self.tail)
        if end.cause is EndCause.KILLED and self._limits and self.place.group and self.place.group.has_killed:
            limit = f"{self._limits.group_bytes >> 20} MB of memory, files on its disks and buffers together"
            return ProcessEnd(EndCause.EXCESS, end.status, self.tail, f"the app used more than {limit}")
        return end

    def _note(self, what: str) -> None:
        """Puts what became of the process into the log, with what it printed last."""
        log.info(
            "process %d of the twin %s; last printed by it:\n%s",
            self.pid, what, runtime_lines(self.tail),
            extra={"texts": self.tail},
        )  # fmt: skip


class _Deadline:
    """A moment, and what is to have happened by then."""

    def __init__(self, timeout_seconds: float, condition: str, cut_off: CutOff | None = None) -> None:
        self.timeout_seconds = timeout_seconds
        self.condition = condition
        self._end = time.monotonic() + timeout_seconds
        self._cut_off = cut_off or CutOff()

    def left(self) -> float:
        """The seconds until then, or until a cut-off that may be moved meanwhile; never negative."""
        return min(max(0.0, self._end - time.monotonic()), self._cut_off.left)


def start_bridge(
    runtime: TwinRuntime,
    limits: JailLimits,
    *,
    jailed: bool,
    handover: Handover = Handover.NOTHING,
    start_seconds: float = START_SECONDS,
) -> BridgeProcess:
    """Start a bridge on this runtime, inside the jail or, if told so, outside."""
    place: Place | None = None
    try:
        place = make_place(jailed=jailed, handover=handover, limits=limits)
        seen = runtime.moved_to(RUNTIME_INSIDE) if jailed else runtime
        command = seen.command(heap_mb=limits.heap_mb, temporary=place.temporary, recordings=_recordings(jailed=jailed))
        if jailed:
            libraries = needed_libraries(runtime.java.home)
            command = jailed_command(command, place, limits, runtime.shown_in(RUNTIME_INSIDE), libraries)
        else:
            command = limited_command(command, limits, group=place.group)
    except OSError as error:
        if place is not None:
            place.remove()
        raise DeviceUnavailable(f"no room for the twin's files: {error.strerror or error}") from error
    return BridgeProcess(command, place, limits=limits, start_seconds=start_seconds)


def _recordings(*, jailed: bool) -> Path | None:
    """The folder for flight recordings, which a developer of fewtaps may ask for outside of a jail."""
    wanted = os.environ.get(RECORDINGS_VARIABLE)
    if not wanted:
        return None
    if jailed:
        log.warning("%s is set, but a jailed twin can write no file: use --no-jail", RECORDINGS_VARIABLE)
        return None
    return Path(wanted).absolute()


def _start(command: list[str], variables: dict[str, str]) -> subprocess.Popen[bytes]:
    pipe = subprocess.PIPE
    return subprocess.Popen(
        command, stdin=pipe, stdout=pipe, stderr=pipe, env=variables, bufsize=0, start_new_session=True
    )


@cache
def _spawner() -> ThreadPoolExecutor:
    """One thread that starts all processes.

    The jail dies with its parent, and Linux takes that to be a thread: it has to be one that lives as long as we do,
    not that of a worker which may end before its device.
    """
    return ThreadPoolExecutor(max_workers=1, thread_name_prefix="fewtaps-spawner")


# A copy of this process has no such thread, and would wait for it for ever.
os.register_at_fork(after_in_child=_spawner.cache_clear)


def _end_of(status: int, tail: str) -> ProcessEnd:
    # A shell, and the jail, report the signal that ended their child as 128 and its number.
    number = -status if status < 0 else status - 128 if 128 < status < 128 + 65 else 0
    if number == signal.SIGXCPU:
        return ProcessEnd(EndCause.CPU_LIMIT, number, tail)
    if number == signal.SIGSYS:
        return ProcessEnd(EndCause.FORBIDDEN, number, tail)
    if (status == 1 or number == signal.SIGABRT) and _NO_MEMORY_FOR_JAVA in tail:
        return ProcessEnd(EndCause.FULL, status, tail)
    if number in _FAULTS:
        return ProcessEnd(EndCause.FAULT, number, tail)
    if number:
        return ProcessEnd(EndCause.KILLED, number, tail)
    return ProcessEnd(EndCause.FULL if status == _OUT_OF_MEMORY else EndCause.EXITED, status, tail)


def _resident_pages(pid: int) -> int | None:
    try:
        return int(Path(f"/proc/{pid}/statm").read_text(encoding="ascii").split()[1])
    except (OSError, IndexError, ValueError):
        return None
