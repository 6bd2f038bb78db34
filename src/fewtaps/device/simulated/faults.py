"""Converts the exception of a handler into the crash that a phone would show."""

from __future__ import annotations

import traceback
from collections.abc import Iterator

from fewtaps.device.simulated.program import AppExit, Hang, Throw
from fewtaps.model.crash import Crash, CrashKind, ExceptionInfo, Frame
from fewtaps.model.ending import Ending

# Subclasses before their base classes, because the first match is used.
_JAVA_TYPES: tuple[tuple[type[BaseException], str], ...] = (
    (ZeroDivisionError, "java.lang.ArithmeticException"),
    (IndexError, "java.lang.IndexOutOfBoundsException"),
    (KeyError, "java.util.NoSuchElementException"),
    (UnicodeError, "java.nio.charset.CharacterCodingException"),
    (AttributeError, "java.lang.NullPointerException"),
    (TypeError, "java.lang.NullPointerException"),
    (RecursionError, "java.lang.StackOverflowError"),
    (MemoryError, "java.lang.OutOfMemoryError"),
    (NotImplementedError, "java.lang.UnsupportedOperationException"),
    (AssertionError, "java.lang.AssertionError"),
    (ValueError, "java.lang.NumberFormatException"),
    (OSError, "java.io.IOException"),
)

_LOOPER = (
    Frame("android.os.Handler", "dispatchMessage", "Handler.java"),
    Frame("android.os.Looper", "loop", "Looper.java"),
    Frame("android.app.ActivityThread", "main", "ActivityThread.java"),
)
_WORKER = (Frame("java.lang.Thread", "run", "Thread.java"),)

MAIN_THREAD = "main"


def crash_of(error: Exception, package: str, thread: str) -> tuple[Crash, Ending]:
    """The crash, and how the app ended, when a handler of the package raised the error on the thread."""
    tail = _LOOPER if thread == MAIN_THREAD else _WORKER
    if isinstance(error, Hang) and thread == MAIN_THREAD:
        info = ExceptionInfo("ANR", None, (*_frames(error, package), *tail))
        return Crash(CrashKind.ANR, thread, (info,)), Ending.ANR
    if isinstance(error, AppExit):
        info = ExceptionInfo("java.lang.System.exit", None, (*_frames(error, package), *tail))
        return Crash(CrashKind.EXIT, thread, (info,)), Ending.EXITED
    infos = tuple(
        ExceptionInfo(_java_type(link), _message(link), (*_frames(link, package), *tail)) for link in _chain(error)
    )
    kind = CrashKind.MEMORY if isinstance(error, MemoryError) else CrashKind.EXCEPTION
    return Crash(kind, thread, infos), Ending.CRASHED


def _chain(error: BaseException) -> Iterator[BaseException]:
    link: BaseException | None = error
    seen: set[int] = set()
    while link is not None and id(link) not in seen:
        seen.add(id(link))
        yield link
        link = link.__cause__


def _java_type(error: BaseException) -> str:
    if isinstance(error, Throw):
        return error.java_type
    return next((name for python, name in _JAVA_TYPES if isinstance(error, python)), "java.lang.RuntimeException")


def _message(error: BaseException) -> str | None:
    return error.message if isinstance(error, Throw) else str(error) or None


def _frames(error: BaseException, package: str) -> tuple[Frame, ...]:
    """The handler's own frames, innermost first; frames of the simulated device are left out."""
    # Not traceback.extract_tb: it reads the source files, which takes longer than the rest of a crash.
    own = [
        (code.co_filename, code.co_name, line)
        for frame, line in traceback.walk_tb(error.__traceback__)
        if not (code := frame.f_code).co_filename.endswith(_DEVICE_FILES)
    ]
    return tuple(
        Frame(f"{package}.{_class_name(path)}", _method(name), _file_name(path), line)
        for path, name, line in reversed(own)
    )


_DEVICE_FILES = ("device/simulated/device.py", "device\\simulated\\device.py")


def _file_name(path: str) -> str:
    return path.replace("\\", "/").rpartition("/")[2]


def _class_name(path: str) -> str:
    return _file_name(path).partition(".")[0].strip("<>-").title().replace("_", "") or "Program"


def _method(name: str) -> str:
    return "lambda$handler$0" if name == "<lambda>" else name
