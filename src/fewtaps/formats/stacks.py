"""Parses a Java stack in the form of Android's log into a crash."""

from __future__ import annotations

from collections.abc import Iterable

from fewtaps.model.crash import NATIVE, Crash, CrashKind, ExceptionInfo, Frame
from fewtaps.model.numerals import whole_number

MAX_FRAMES = 5000


def crash_from_stack(lines: Iterable[str], thread: str = "main") -> Crash | None:
    """The crash, its exceptions outermost first; None if the lines hold no exception.

    `... 7 more` is replaced by the last 7 frames of the enclosing exception, so that the stacks are complete.
    """
    exceptions: list[ExceptionInfo] = []
    head: list[str] = []
    frames: list[Frame] = []
    skipping = False

    def close() -> None:
        if head and head[0]:
            exceptions.append(_exception(head, frames))

    for line in lines:
        text = line.strip()
        frame = _frame(text)
        if text.startswith("Caused by: "):
            close()
            head, frames, skipping = [text.removeprefix("Caused by: ")], [], False
        elif text.startswith("Suppressed: "):
            skipping = True
        elif skipping or len(frames) >= MAX_FRAMES:
            continue
        elif frame is not None:
            frames.append(frame)
        elif text.startswith("... ") and text.endswith(" more"):
            frames.extend(_common(text, exceptions))
        elif not frames and (text or head):
            head.append(text)
    close()
    return Crash(CrashKind.EXCEPTION, thread, tuple(exceptions)) if exceptions else None


def _exception(head: list[str], frames: list[Frame]) -> ExceptionInfo:
    name, separator, message = "\n".join(head).rstrip().partition(": ")
    if not separator:
        name = name.removesuffix(":")
    return ExceptionInfo(name.strip(), message if separator else None, tuple(frames))


def _frame(text: str) -> Frame | None:
    if not text.startswith("at ") or not text.endswith(")"):
        return None
    place, _, source = text[3:-1].partition("(")
    class_name, separator, method = place.strip().rpartition(".")
    if not separator:
        return None
    if source == "Native Method":
        return Frame(class_name, method, None, NATIVE)
    file, _, number = source.partition(":")
    line = whole_number(number, 7)
    return Frame(class_name, method, None if file == "Unknown Source" else file or None, line)


def _common(text: str, exceptions: list[ExceptionInfo]) -> tuple[Frame, ...]:
    count = whole_number(text.removeprefix("... ").removesuffix(" more"), 5)
    return exceptions[-1].frames[-count:] if exceptions and count else ()
