"""Crash, Frame, and the signature that decides whether two crashes are the same."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any

from fewtaps.model.record import as_object, list_in, text_in
from fewtaps.model.suspicion import SuspectRule, rule_from_name


class CrashKind(Enum):
    """How the app died."""

    EXCEPTION = "exception"
    ANR = "anr"
    NATIVE = "native"
    EXIT = "exit"
    MEMORY = "memory"


OUT_OF_MEMORY = "java.lang.OutOfMemoryError"
NATIVE = -2
"""Java's own line number for native code."""


@dataclass(frozen=True, slots=True)
class Frame:
    """One line of a stack; `file` and `line` are None where they are unknown, `line` is `NATIVE` in native code."""

    class_name: str
    method: str
    file: str | None = None
    line: int | None = None

    @property
    def is_app(self) -> bool:
        """Whether the class name is outside the packages of the platform and of the most common libraries."""
        return not self.class_name.startswith(_PLATFORM)

    def __str__(self) -> str:
        if self.line == NATIVE:
            return f"{self.class_name}.{self.method}(Native Method)"
        source = self.file or "Unknown Source"
        return f"{self.class_name}.{self.method}({source}{f':{self.line}' if self.line is not None else ''})"


@dataclass(frozen=True, slots=True)
class ExceptionInfo:
    """One exception of a chain: its class, message and stack, innermost frame first."""

    type: str
    message: str | None = None
    frames: tuple[Frame, ...] = ()


@dataclass(frozen=True, slots=True)
class Crash:
    """The death of an app.

    `exceptions` come outermost first, the root cause last; for an ANR there is one, with the main thread's stack.

    `suspect` is the reason to believe that the device, not the app, caused the crash; None if there is no such reason.
    `rule` is the rule that gave the reason, None also for crashes kept by versions that had no rules.
    """

    kind: CrashKind
    thread: str
    exceptions: tuple[ExceptionInfo, ...] = ()
    suspect: str | None = None
    rule: SuspectRule | None = None

    @property
    def root(self) -> ExceptionInfo | None:
        """The exception that caused all others; None if the crash has none."""
        return self.exceptions[-1] if self.exceptions else None

    @property
    def place(self) -> Frame | None:
        """The innermost frame of the app's own code in the root cause, else the innermost of all; None without any."""
        frames = [frame for exception in reversed(self.exceptions) for frame in exception.frames]
        return next((frame for frame in frames if frame.is_app), frames[0] if frames else None)

    @property
    def is_slow(self) -> bool:
        """Whether the crash is detected late: a hang at the end of its deadline, an allocation once memory is full."""
        root = self.root
        return self.kind in (CrashKind.ANR, CrashKind.MEMORY) or (root is not None and root.type == OUT_OF_MEMORY)

    @property
    def signature(self) -> str:
        """The identity of the crash: two crashes with one signature are treated as the same.

        It holds the type of the root cause and the innermost frames of the app's own code. It leaves out lines,
        messages, compiler-made helpers and the numbers of lambdas, because those change from build to build, from
        phone to phone or from run to run.
        """
        where = " < ".join(_signature_frames(self))
        return f"{_type_name(self)}{_AT}{where}" if where else _type_name(self)

    @property
    def fingerprint(self) -> str:
        """The signature as twelve hexadecimal digits, for file names and tables."""
        return hashlib.blake2b(self.signature.encode(errors="surrogatepass"), digest_size=6).hexdigest()

    @property
    def summary(self) -> str:
        """The root cause with its message in one line, as the app wrote it."""
        root = self.root
        if root is None:
            return _TITLES[self.kind]
        return f"{root.type}: {root.message}" if root.message else root.type

    def render(self) -> str:
        """The crash in the form of Android's log; control characters are escaped, so that it is safe to print."""
        return "\n".join(text for text, _ in self.lines())

    def lines(self) -> Iterator[tuple[str, Frame | None]]:
        """The lines of `render`, each with the frame that it shows; None for a line that shows no frame."""
        for text, frame in self._texts():
            yield from ((line, frame) for line in _visible(text).split("\n"))

    def _texts(self) -> Iterator[tuple[str, Frame | None]]:
        title = (
            f"FATAL EXCEPTION: {self.thread}"
            if self.kind is CrashKind.EXCEPTION
            else f"{_TITLES[self.kind]}: {self.thread}"
        )
        yield title, None
        outer: tuple[Frame, ...] = ()
        for number, exception in enumerate(self.exceptions):
            head = f"{exception.type}: {exception.message}" if exception.message is not None else exception.type
            yield (f"Caused by: {head}" if number else head), None
            common = _common_tail(exception.frames, outer) if number else 0
            yield from ((f"\tat {frame}", frame) for frame in exception.frames[: len(exception.frames) - common])
            if common:
                yield f"\t... {common} more", None
            outer = exception.frames
        if self.suspect is not None:
            yield f"Suspect: {self.suspect}", None


_TITLES = {
    CrashKind.EXCEPTION: "Exception",
    CrashKind.ANR: "ANR",
    CrashKind.NATIVE: "Native crash",
    CrashKind.EXIT: "Exit",
    CrashKind.MEMORY: "Out of memory",
}

_PLATFORM = (
    "android.",
    "androidx.",
    # Not all of com.android: ordinary apps such as calculators and galleries have packages there too.
    "com.android.i18n.",
    "com.android.internal.",
    "com.android.okhttp.",
    "com.android.org.",
    "com.android.server.",
    "com.android.tools.r8.",
    "com.google.android.material.",
    "dalvik.",
    "dev.fewtaps.twin.",
    "java.",
    "javax.",
    "jdk.",
    "kotlin.",
    "kotlinx.",
    "libcore.",
    "org.apache.http.",
    "org.json.",
    "org.robolectric.",
    "org.w3c.dom.",
    "org.xml.sax.",
    "org.xmlpull.",
    "sun.",
)

SIGNATURE_FRAMES = 6
"""Number of innermost app frames in a signature; with more, two call paths to one defect would count as two crashes."""

_LOOP_FRAMES = frozenset(
    {
        "android.os.Handler.dispatchMessage",
        "android.os.Handler.handleCallback",
        "android.os.Looper.loop",
        "android.os.Looper.loopOnce",
        "android.app.ActivityThread.main",
        "java.lang.reflect.Method.invoke",
        "java.lang.Thread.run",
    }
)

# Compiler-made classes and methods: their frames only call the method of the next frame.
_SYNTHETIC_CLASS = re.compile(r"\$\$Lambda\$|\$\$ExternalSynthetic|\$\$InternalSynthetic|\$-CC$|\$\$Lambda/")
_SYNTHETIC_METHOD = re.compile(r"^(access\$|-\$\$Nest\$|\$r8\$lambda\$|\$jacoco|-wrap\d|-get\d|-set\d)")
_LAMBDA_NUMBER = re.compile(r"^(lambda\$.*?)(\$[0-9a-f]+)?\$\d+(\$.*)?$")
# Some compilers name a lambda by its number alone, without the method around it; D8 appends the class.
_BARE_LAMBDA = re.compile(r"^lambda\$\d+(\$.*)?$")
_SYNTHETIC_FILE = "D8$$SyntheticClass"


def _type_name(crash: Crash) -> str:
    root = crash.root
    return root.type if root is not None and crash.kind is CrashKind.EXCEPTION else _TITLES[crash.kind]


_AT = " at "
"""Separates the type and the frames of a signature; class names have no spaces."""


def type_in_signature(signature: str) -> str:
    """The type of the root cause, or what stands for it, in a signature that a suite or a store has kept."""
    return signature.partition(_AT)[0]


def _signature_frames(crash: Crash) -> tuple[str, ...]:
    """The names of the frames that are part of the signature, innermost first."""
    app = next((found for found in map(_app_frames, reversed(crash.exceptions)) if found), [])
    root = crash.root
    if not app or root is None:
        return _platform_frames(root.frames if root is not None else ())
    # A hang or a full heap is detected at a random moment, so the inner frames differ from run to run. The outermost
    # app frame, the callback, does not.
    if crash.is_slow:
        return (app[-1],)
    # An endless recursion ends at an arbitrary frame, where the stack is full. The methods that repeat are the same in
    # every run.
    if root.type == "java.lang.StackOverflowError":
        return _recursive_frames(app)
    return tuple(_without_repeats(app)[:SIGNATURE_FRAMES])


def _app_frames(exception: ExceptionInfo) -> list[str]:
    return [name for frame in exception.frames if frame.is_app and (name := clean_name(frame)) is not None]


def _platform_frames(frames: Sequence[Frame]) -> tuple[str, ...]:
    """For a crash without app code: the three innermost platform frames, up to the message loop."""
    names: list[str] = []
    for frame in frames:
        name = f"{frame.class_name}.{frame.method}"
        if name in _LOOP_FRAMES:
            break
        names.append(name)
    return tuple(_without_repeats(names)[:3])


def clean_name(frame: Frame) -> str | None:
    """The frame's class and method without compiler-made parts of the name; None for a compiler-made frame."""
    made_by_compiler = _SYNTHETIC_CLASS.search(frame.class_name) or _SYNTHETIC_METHOD.match(frame.method)
    if made_by_compiler or frame.file == _SYNTHETIC_FILE:
        return None
    method = "lambda" if _BARE_LAMBDA.match(frame.method) else _LAMBDA_NUMBER.sub(r"\1", frame.method)
    method = method.removesuffix("$default")
    return f"{frame.class_name}.{method}"


def _without_repeats(names: Iterable[str]) -> list[str]:
    kept: list[str] = []
    for name in names:
        if not kept or kept[-1] != name:
            kept.append(name)
    return kept


def _recursive_frames(names: Sequence[str]) -> tuple[str, ...]:
    counts = Counter(names)
    often = {name for name, count in counts.items() if count >= 3} or set(counts)
    return tuple(sorted(often)[:SIGNATURE_FRAMES])


def _common_tail(inner: Sequence[Frame], outer: Sequence[Frame]) -> int:
    common = 0
    while common < min(len(inner), len(outer)) and inner[-1 - common] == outer[-1 - common]:
        common += 1
    return common


def _visible(text: str) -> str:
    return "".join(char if char.isprintable() or char in "\n\t" else f"\\u{ord(char):04x}" for char in text)


def crash_to_json(crash: Crash) -> dict[str, Any]:
    """The crash as JSON data; `rule` is there only if a rule made it suspect."""
    record: dict[str, Any] = {
        "kind": crash.kind.value,
        "thread": crash.thread,
        "suspect": crash.suspect,
        "exceptions": [
            {
                "type": exception.type,
                "message": exception.message,
                "frames": [[frame.class_name, frame.method, frame.file, frame.line] for frame in exception.frames],
            }
            for exception in crash.exceptions
        ],
    }
    return record if crash.rule is None else {**record, "rule": crash.rule.value}


def crash_from_json(record: object) -> Crash:
    """The crash that `crash_to_json` or the bridge wrote. Raises ValueError, naming the bad field."""
    data = as_object("crash", record)
    kind = data.get("kind")
    try:
        crash_kind = CrashKind(kind)
    except ValueError:
        raise ValueError(f"kind: not a kind of crash: {kind!r:.60}") from None
    return Crash(
        kind=crash_kind,
        thread=text_in(data, "thread") or "",
        exceptions=tuple(_exception_from_json(exception) for exception in list_in(data, "exceptions")),
        suspect=text_in(data, "suspect"),
        rule=rule_from_name(data.get("rule")),
    )


def _exception_from_json(record: object) -> ExceptionInfo:
    data = as_object("exceptions", record)
    return ExceptionInfo(
        type=text_in(data, "type") or "",
        message=text_in(data, "message"),
        frames=tuple(_frame_from_json(frame) for frame in list_in(data, "frames")),
    )


def _frame_from_json(record: object) -> Frame:
    match record:
        case [str(class_name), str(method), None | str() as file, None | int() as line] if not isinstance(line, bool):
            # Other negative line numbers mean "unknown" in Java.
            return Frame(class_name, method, file, line if line is None or line >= 0 or line == NATIVE else None)
        case [str(class_name), str(method)]:
            return Frame(class_name, method)
    raise ValueError(f"frames: not class, method, file and line: {record!r:.80}")
