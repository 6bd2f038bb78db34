"""The stack of a crash for the pages: the root cause first, the app's own lines apart from the platform's."""

from __future__ import annotations

from itertools import groupby

from fewtaps.model.crash import NATIVE, Crash, CrashKind, ExceptionInfo, Frame, clean_name
from fewtaps.report.views import ExceptionView, FrameGroup, FrameView

MAX_FRAMES = 200
"""Most frames of an exception that are shown; an endless recursion has a thousand equal ones."""
MAX_MESSAGE = 20_000
TITLES = {
    CrashKind.EXCEPTION: "Crash",
    CrashKind.ANR: "App not responding",
    CrashKind.NATIVE: "Native crash",
    CrashKind.EXIT: "The app ended itself",
    CrashKind.MEMORY: "Out of memory",
}


def title_of(crash: Crash) -> str:
    """The root cause without its package: "ArithmeticException"."""
    root = crash.root
    if root is None or crash.kind is not CrashKind.EXCEPTION:
        return TITLES[crash.kind]
    return root.type.rpartition(".")[2] or root.type


def message_of(crash: Crash) -> str:
    """The message of the root cause, shortened."""
    root = crash.root
    return (root.message or "")[:MAX_MESSAGE] if root is not None else ""


def place_of(crash: Crash) -> str:
    """The method in which it happened: "Main.onClick"; empty if it is unknown."""
    frame = _frame_of(crash)
    return "" if frame is None else _place(frame)


def where_of(crash: Crash) -> str:
    """The method in which it happened, with file and line: "Main.onClick (Main.java:42)"; empty if it is unknown."""
    frame = _frame_of(crash)
    if frame is None:
        return ""
    return f"{_place(frame)} ({_source(frame)})" if frame.file else _place(frame)


def _frame_of(crash: Crash) -> Frame | None:
    """The innermost frame of the app's own code, else of all."""
    frames = [frame for exception in reversed(crash.exceptions) for frame in exception.frames]
    return next((frame for frame in frames if frame.is_app and clean_name(frame)), frames[0] if frames else None)


def _place(frame: Frame) -> str:
    return f"{_short(frame.class_name)}.{(clean_name(frame) or frame.method).rpartition('.')[2]}"


def exceptions_of(crash: Crash) -> tuple[ExceptionView, ...]:
    """The exceptions of the chain, the root cause first."""
    return tuple(map(_exception, reversed(crash.exceptions)))


def _exception(exception: ExceptionInfo) -> ExceptionView:
    # Compiler-made frames are left out: they only call the method of the next frame.
    named = ((frame, clean_name(frame)) for frame in exception.frames[:MAX_FRAMES])
    frames = [FrameView(name, _source(frame), frame.is_app) for frame, name in named if name is not None]
    groups = tuple(FrameGroup(is_app, tuple(group)) for is_app, group in groupby(frames, lambda frame: frame.is_app))
    return ExceptionView(exception.type, (exception.message or "")[:MAX_MESSAGE], groups)


def _source(frame: Frame) -> str:
    if frame.line == NATIVE:
        return "native code"
    return f"{frame.file or ''}{f':{frame.line}' if frame.file and frame.line is not None else ''}"


def _short(name: str) -> str:
    return name.rpartition(".")[2] or name
