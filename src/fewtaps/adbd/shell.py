"""The device's shell: runs command lines with commands of our own. No process of the machine is ever started."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias
from weakref import WeakSet

from fewtaps.adbd.channel import INCOMING_BYTES, OUTGOING_BYTES, TURN, Pause
from fewtaps.adbd.command_line import (
    MAX_TEXT,
    Pipeline,
    Redirect,
    ShellSyntaxError,
    SimpleCommand,
    WordsTooLong,
    parse_line,
)
from fewtaps.adbd.files import MAX_BYTES, FileNode, MemoryFiles
from fewtaps.errors import DeviceError, FewtapsError
from fewtaps.model.event import printable

if TYPE_CHECKING:
    from fewtaps.adbd.phone import ServedPhone

Running: TypeAlias = Generator[Pause, None, int]
"""A command that may have to wait; its value is its status."""

NOT_FOUND, TOO_LONG, BAD_LINE, BAD_USE = 127, 126, 2, 1

SMALL_BYTES = 1 << 16
"""A pipe takes so many bytes however full the others are."""
WAITING_BYTES = 256 << 20
"""Bytes in all pipes of this process together."""
INPUT_BYTES = 64 << 20
"""The input of a command that needs all of it at once."""
TEXT_BYTES = 16 << 20
"""The same for a command that cuts it into lines or letters, each of which takes up to 60 bytes."""
READ_BYTES = 1 << 16

_pipes: WeakSet[Pipe] = WeakSet()


class Pipe:
    """Bytes between two commands, or between a command and its client."""

    def __init__(self, data: bytes = b"", *, is_closed: bool = False) -> None:
        self.data = bytearray(data)
        self.is_closed = is_closed
        """Nothing will be written any more."""
        self.is_broken = False
        """Nothing will be read any more."""
        _pipes.add(self)

    @property
    def has_data(self) -> bool:
        """Whether `take` gives something now."""
        return bool(self.data)

    @property
    def is_full(self) -> bool:
        return len(self.data) >= OUTGOING_BYTES

    @property
    def takes_more(self) -> bool:
        """Whether bytes of a client may be added."""
        return len(self.data) < INCOMING_BYTES

    def write(self, data: bytes) -> None:
        """Adds bytes, unless there is no reader any more. Raises OSError if all pipes together hold too many."""
        if self.is_broken:
            return
        if len(self.data) + len(data) > SMALL_BYTES:
            waiting = sum(len(pipe.data) for pipe in _pipes)
            if waiting + len(data) > WAITING_BYTES:
                raise OSError("out of memory")
        self.data += data

    def note(self, data: bytes) -> None:
        """Adds a few bytes, a message for instance, however many there are."""
        if not self.is_broken:
            self.data += data

    def take(self, most: int | None = None) -> bytes:
        """Removes and returns what is there, up to `most` bytes."""
        count = len(self.data) if most is None else min(most, len(self.data))
        data = bytes(self.data[:count])
        del self.data[:count]
        return data


class FileSink(Pipe):
    """Writes into a file. When the device is full, the rest is dropped and `problem` says so."""

    def __init__(self, files: MemoryFiles, node: FileNode) -> None:
        super().__init__()
        self._files = files
        self._node = node
        self.problem = ""

    def write(self, data: bytes) -> None:
        try:
            self._files.append(self._node, data)
        except OSError as error:
            self.problem = str(error)

    def note(self, data: bytes) -> None:
        self.write(data)


class FileSource(Pipe):
    """Reads a file piece by piece; only a file that is loaded from elsewhere is held whole."""

    def __init__(self, node: FileNode) -> None:
        super().__init__(is_closed=True)
        self._node = node
        self._position = 0
        if node.load is not None:
            Pipe.write(self, node.read())

    @property
    def has_data(self) -> bool:
        return bool(self.data) or (self._node.load is None and self._position < len(self._node.content))

    def take(self, most: int | None = None) -> bytes:
        """The next bytes: up to `most`, and a piece at most."""
        count = READ_BYTES if most is None else min(most, READ_BYTES)
        if self.data or self._node.load is not None:
            return super().take(count)
        taken = bytes(self._node.content[self._position : self._position + count])
        self._position += len(taken)
        return taken


class NullSink(Pipe):
    """Drops everything."""

    def write(self, data: bytes) -> None:
        """Does nothing."""

    def note(self, data: bytes) -> None:
        """Does nothing."""


@dataclass(slots=True)
class CommandCall:
    """One command as it is called: its words, its streams, and the shell it runs in."""

    shell: Shell
    name: str
    arguments: list[str]
    stdin: Pipe
    stdout: Pipe
    stderr: Pipe
    variables: Mapping[str, str] = field(default_factory=dict)
    held: list[Pipe] = field(default_factory=list)
    """Input that was read and counts as long as the command runs."""

    @property
    def phone(self) -> ServedPhone:
        return self.shell.phone

    def say(self, *lines: str) -> None:
        """Writes lines to the output."""
        for line in lines:
            self.stdout.write(encoded(line) + b"\n")

    def fail(self, message: str, status: int = BAD_USE) -> int:
        """Writes a line to the error stream and returns the status."""
        self.stderr.note(encoded(f"{message}\n"))
        return status

    def path(self, word: str) -> str:
        """The absolute path that a word names."""
        return self.phone.files.path(word, self.shell.folder)

    def read_all(self, most: int = INPUT_BYTES) -> Generator[Pause, None, bytes]:
        """All bytes of the input. Raises OSError if there are more than `most`."""
        held = Pipe()
        self.held.append(held)
        while True:
            held.write(self.stdin.take())
            if len(held.data) > most:
                raise OSError(f"more than {most >> 20} MB of input")
            if self.stdin.is_closed and not self.stdin.has_data:
                return bytes(held.data)
            yield Pause(input=True)

    def contents(self, words: Iterable[str], most: int = MAX_BYTES) -> bytes:
        """The contents of files one after the other. Raises OSError if they are longer than `most`."""
        data = bytearray()
        for word in words:
            data += self.phone.files.read(self.path(word))
            if len(data) > most:
                raise OSError(f"more than {most >> 20} MB of input")
        return bytes(data)

    def flush(self) -> Generator[Pause, None, None]:
        """Waits while the output is not taken."""
        while self.stdout.is_full and not self.stdout.is_broken:
            yield Pause(room=True)


ShellCommand: TypeAlias = Callable[[CommandCall], "int | Running"]


def encoded(text: str) -> bytes:
    """Text as bytes for a client. Lone surrogates of an app become question marks, bytes of a client stay."""
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return text.encode("utf-8", "replace")


class Shell:
    """One shell with its variables and its folder."""

    def __init__(self, phone: ServedPhone, commands: Mapping[str, ShellCommand]) -> None:
        self.phone = phone
        self.commands = commands
        self.folder = "/"
        self.exit_status: int | None = None
        self.variables: dict[str, str] = {
            "?": "0",
            "$": "4000",
            "#": "0",
            "0": "sh",
            "HOME": "/",
            "PATH": "/system/bin",
            "USER": "shell",
            "TMPDIR": "/data/local/tmp",
            "EXTERNAL_STORAGE": "/sdcard",
            "ANDROID_DATA": "/data",
            "ANDROID_ROOT": "/system",
        }

    def run(self, line: str, stdin: Pipe, stdout: Pipe, stderr: Pipe) -> Running:
        """Runs one line; the value is the status of its last command."""
        try:
            pipelines = parse_line(line)
        except ShellSyntaxError as error:
            stderr.note(encoded(f"sh: {error}\n"))
            self.variables["?"] = str(BAD_LINE)
            return BAD_LINE
        status = int(self.variables["?"])
        for pipeline in pipelines:
            if (pipeline.operator == "&&" and status) or (pipeline.operator == "||" and not status):
                continue
            status = yield from self._pipeline(pipeline, stdin, stdout, stderr)
            self.variables["?"] = str(status)
            if self.exit_status is not None:
                return self.exit_status
            yield TURN
        return status

    def _pipeline(self, pipeline: Pipeline, stdin: Pipe, stdout: Pipe, stderr: Pipe) -> Running:
        stages: list[_Stage] = []
        source = stdin
        for command in pipeline.commands:
            is_last = command is pipeline.commands[-1]
            sink = stdout if is_last else Pipe()
            stages.append(_Stage(self._command(command, source, sink, stderr), source, sink))
            source = sink
        while True:
            progressed = False
            for number, stage in enumerate(stages):
                if stage.status is None and stage.is_met(self.phone.clock()):
                    stage.resume()
                    progressed = True
                    if stage.status is not None:
                        _close_ends(stages, number)
            if stages[-1].status is not None:
                for stage in stages:
                    stage.running.close()
                return stages[-1].status
            yield TURN if progressed else _outer_pause(stages)

    def _command(self, command: SimpleCommand, stdin: Pipe, stdout: Pipe, stderr: Pipe) -> Running:
        try:
            values, words = self._expanded(command)
            stdin, stdout, stderr = self._redirected(command.redirects, stdin, stdout, stderr)
        except WordsTooLong as error:
            stderr.note(encoded(f"sh: {error}\n"))
            return TOO_LONG
        except OSError as error:
            stderr.note(encoded(f"sh: can't create or open {error}\n"))
            return BAD_USE
        if not words:
            try:
                self.assign(values)
            except OSError as error:
                stderr.note(encoded(f"sh: {error}\n"))
                return BAD_USE
            return 0
        name = words[0].rpartition("/")[2] if words[0].startswith("/system/") else words[0]
        found = self.commands.get(name)
        if found is None:
            self.phone.count_unknown(f"the command {name[:60]}")
            stderr.note(encoded(f"sh: {words[0]}: inaccessible or not found\n"))
            return NOT_FOUND
        call = CommandCall(self, name, words[1:], stdin, stdout, stderr, {**self.variables, **values})
        status = yield from _run(found, call)
        problem = getattr(stdout, "problem", "")
        if problem:
            stderr.note(encoded(f"{name}: {problem}\n"))
            return status or BAD_USE
        return status

    def assign(self, values: Mapping[str, str]) -> None:
        """Sets variables. Raises OSError if all of them are too long together."""
        variables = {**self.variables, **values}
        if sum(len(name) + len(value) for name, value in variables.items()) > MAX_TEXT:
            raise OSError("out of memory")
        self.variables = variables

    def _expanded(self, command: SimpleCommand) -> tuple[dict[str, str], list[str]]:
        """The variables that are set for a command, and its words."""
        given = [word for _, word in command.assignments] + command.words
        if sum(word.length(self.variables) for word in given) > MAX_TEXT:
            raise WordsTooLong("argument list too long")
        values = {name: word.one(self.variables) for name, word in command.assignments}
        return values, [text for word in command.words for text in word.expand(self.variables)]

    def _redirected(
        self, redirects: list[Redirect], stdin: Pipe, stdout: Pipe, stderr: Pipe
    ) -> tuple[Pipe, Pipe, Pipe]:
        for redirect in redirects:
            if redirect.target is None:
                if redirect.descriptor == 2:
                    stderr = stdout
                else:
                    stdout = stderr
            elif redirect.operator == "<":
                path = self.phone.files.path(redirect.target.one(self.variables), self.folder)
                stdin = Pipe(is_closed=True) if path == "/dev/null" else FileSource(self.phone.files.file(path))
            else:
                sink = self._file(redirect.target.one(self.variables), redirect.operator == ">>")
                if redirect.descriptor == 2:
                    stderr = sink
                else:
                    stdout = sink
        return stdin, stdout, stderr

    def _file(self, word: str, appends: bool) -> Pipe:
        path = self.phone.files.path(word, self.folder)
        if path == "/dev/null":
            return NullSink()
        node = self.phone.files.find(path) if appends else None
        if node is not None and node.is_folder:
            raise IsADirectoryError(f"{path}: Is a directory")
        return FileSink(self.phone.files, node or self.phone.files.create(path))


def _run(command: ShellCommand, call: CommandCall) -> Running:
    try:
        result = command(call)
        if isinstance(result, int):
            return result
        return (yield from result)
    except OSError as error:
        return call.fail(f"{call.name}: {error}")
    except DeviceError as error:
        return call.fail(f"{call.name}: the device failed: {printable(str(error), 300)}")
    except (FewtapsError, ValueError, ArithmeticError, RecursionError) as error:
        # Numbers and patterns of a client can be larger, or nested deeper, than Python takes.
        return call.fail(f"{call.name}: {printable(str(error), 300)}")


class _Stage:
    """One command of a pipeline while it runs."""

    def __init__(self, running: Running, source: Pipe, sink: Pipe) -> None:
        self.running = running
        self.source = source
        self.sink = sink
        self.pause = TURN
        self.status: int | None = None

    def is_met(self, now: float) -> bool:
        pause = self.pause
        return (
            (pause.input and (self.source.has_data or self.source.is_closed))
            or (pause.room and (not self.sink.is_full or self.sink.is_broken))
            or (pause.until is not None and now >= pause.until)
        )

    def resume(self) -> None:
        try:
            self.pause = next(self.running)
        except StopIteration as ended:
            self.status = int(ended.value)


def _close_ends(stages: list[_Stage], number: int) -> None:
    """Tells the neighbours of a command that has ended: the next one has all its input, those before have no reader."""
    if number + 1 < len(stages):
        stages[number].sink.is_closed = True
    for earlier in range(number - 1, -1, -1):
        stage = stages[earlier]
        stage.sink.is_broken = True
        stage.sink.data.clear()
        if stage.status is None:
            stage.running.close()
            stage.status = 141


def _outer_pause(stages: list[_Stage]) -> Pause:
    """What a pipeline waits for outside of itself."""
    outer = Pause()
    for number, stage in enumerate(stages):
        if stage.status is None:
            waits = stage.pause
            outer |= Pause(waits.input and number == 0, waits.room and number == len(stages) - 1, waits.until)
    return outer
