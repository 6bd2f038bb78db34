"""Finding: the input of every export, a crash with its steps; Exported: the result."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from fewtaps.model.app import AppRef
from fewtaps.model.crash import Crash, CrashKind, Frame
from fewtaps.model.event import Event, printable
from fewtaps.model.phone import describe_need, describe_phone
from fewtaps.model.result import Reproduction
from fewtaps.model.slice import Slice
from fewtaps.model.trace import Trace

LONGEST_NAME = 60


@dataclass(frozen=True, slots=True)
class Finding:
    """A crash and the few steps that replay it.

    `trace` holds the reduced steps; `crash` is the crash they lead to, which may be missing in the trace. `rate` is the
    reproduction rate in words ("20 of 20 worlds"), `origin` the source of the steps ("crash 3f9a52c1 of fewtaps-app"),
    `tool` the program and its version; each is empty if unknown. `pictures` maps the number of a step (0 is the launch)
    to the path of its picture, relative to the exported file. `slice` says why it happened, None if that is not known.
    """

    app: AppRef
    crash: Crash
    trace: Trace
    rate: str = ""
    origin: str = ""
    tool: str = "fewtaps"
    pictures: Mapping[int, str] = field(default_factory=dict, hash=False)
    slice: Slice | None = None
    needs_phone: bool = False
    """Whether the steps were tried on phones with fewer differences and did not crash there."""

    @property
    def need(self) -> str:
        """What the phone of the steps needs: "Only in Arabic."; empty for an ordinary one or if it is not known."""
        words = describe_need(self.trace.phone) if self.needs_phone else ""
        return f"{words[:1].upper()}{words[1:]}." if words else ""

    @property
    def events(self) -> tuple[Event, ...]:
        """The events after the launch."""
        return self.trace.events[1:]

    @property
    def top(self) -> Frame | None:
        """The innermost frame of the app's own code in the innermost exception that has one."""
        return next((frame for each in reversed(self.crash.exceptions) for frame in each.frames if frame.is_app), None)

    @property
    def exception(self) -> str:
        """The class of the root cause without its package: "ArithmeticException"; "ANR" and the like if it has none."""
        root = self.crash.root
        if root is None or self.crash.kind is not CrashKind.EXCEPTION:
            return self.crash.kind.value.title() if self.crash.kind is not CrashKind.ANR else "ANR"
        return root.type.rpartition(".")[2]

    @property
    def name(self) -> str:
        """A name for classes and files, of letters and digits only: "ArithmeticExceptionInSplitActivity"."""
        top = self.top
        place = top.class_name.rpartition(".")[2].partition("$")[0] if top is not None else ""
        return f"{_identifier(self.exception) or 'Crash'}{'In' if _identifier(place) else ''}{_identifier(place)}"

    @property
    def on_phone(self) -> str:
        """The phone that the steps need, in words after "launch the app"; empty for an ordinary one."""
        phone = self.trace.phone
        return f" on a phone {describe_phone(phone)}" if phone else ""

    @property
    def provenance(self) -> tuple[str, ...]:
        """Crash, app, rate, origin and tool as printable lines; the caller escapes the end of its kind of comment."""
        steps, suspect = len(self.events), self.crash.suspect
        lines = [
            f"{printable(self.crash.summary, 160)}",
            f"at {printable(str(self.top), 160)}" if self.top is not None else "",
            f"Suspect, the device may be at fault: {printable(suspect, 160)}" if suspect is not None else "",
            f"{printable(self.app.package, 100)} {printable(self.app.version, 40)}".strip(),
            self.need,
            f"{steps} step{'' if steps == 1 else 's'} after the launch{self.on_phone}"
            + (f"; reproduction rate {printable(self.rate, 80)}" if self.rate else ""),
            "Found by " + printable(self.tool, 60) + (f": {printable(self.origin, 160)}" if self.origin else ""),
        ]
        return tuple(line for line in lines if line)


@dataclass(frozen=True, slots=True)
class Exported:
    """The text of an export, and one line for each thing in the finding that its format cannot express."""

    text: str
    losses: tuple[str, ...] = ()


def rate_in_words(rate: Reproduction | None, *, has_worlds: bool = True) -> str:
    """A reproduction rate for a finding: "19 of 20 worlds (76% to 99%)"; empty if it is unknown.

    On a device without worlds it counts runs.
    """
    if rate is None:
        return ""
    what = "worlds" if has_worlds else "runs"
    return "{} of {} {} ({:.0%} to {:.0%})".format(rate.met, rate.runs, what, *rate.interval)


def _identifier(text: str) -> str:
    words = re.split(r"[^A-Za-z0-9]+", text)
    name = "".join(word[:1].upper() + word[1:] for word in words if word)[:LONGEST_NAME]
    return name if name[:1].isalpha() else ""
