"""The bridge's messages as values and as JSON lines; `docs/bridge-protocol.md` describes them.

Everything that comes from the other side is checked here, once: what is malformed becomes a `BridgeError`, what the
bridge reports as an error becomes the exception of ours that it means.
"""

from __future__ import annotations

import base64
import json
import logging
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fewtaps.device.session import SessionSettings
from fewtaps.device.twin.bounds import MOST_REMEMBERED, check_crash, check_png, check_texts, weight_of
from fewtaps.errors import BridgeError, FewtapsError, NotViable, Unsupported, UnsupportedApp, UsageError
from fewtaps.model.coverage import NO_COVERAGE, Coverage, ProbeMap, ProbeSet
from fewtaps.model.crash import Crash, crash_from_json
from fewtaps.model.decision import Decision
from fewtaps.model.ending import Ending
from fewtaps.model.event import Event
from fewtaps.model.mutant import LoopTurns, Mutant
from fewtaps.model.record import as_list, as_number, as_object, as_text, list_in, number_in, text_in, truth_in
from fewtaps.model.screen import Screen, screen_from_json
from fewtaps.model.trace import Step

log = logging.getLogger(__name__)

PROTOCOL = 1


@dataclass(frozen=True, slots=True)
class Hello:
    """The bridge's first line: it is ready, and this is what runs."""

    java: str
    api: int


@dataclass(frozen=True, slots=True)
class OpenReply:
    """The answer to `open`: what was found in the app."""

    package: str
    main: str | None
    classes: int
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer to the request with this number: what was asked for, or an error."""

    number: int
    result: Mapping[str, Any] | None
    error: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class PlayedReply:
    """The answer to `launch` and `perform`. After a fatal one the process ends."""

    step: Step
    fatal: bool


class SeenScreens:
    """The screens of one session by their numbers: what the bridge has sent once, it only names later.

    The same screen comes back as the same object, with all that was worked out about it.
    """

    def __init__(self) -> None:
        self._screens: list[Screen] = []
        self._weight = 0

    def __len__(self) -> int:
        return len(self._screens)

    def read(self, result: Mapping[str, Any]) -> Screen:
        """The screen of a step. Raises KeyError, TypeError or ValueError if the step does not tell it."""
        number, record = result.get("number"), result.get("screen")
        if number is None:
            return screen_from_json(record)
        if record is None:
            return self._screens[_index(number, len(self._screens))]
        screen = screen_from_json(record)
        if number == 0:
            # The bridge has forgotten all that it sent before.
            self._screens.clear()
            self._weight = 0
        if number != len(self._screens):
            raise ValueError(f"screen number {number!r:.20} out of turn")
        self._weight += weight_of(record)
        if self._screens and self._weight > MOST_REMEMBERED:
            raise ValueError(f"{number + 1} screens to remember, of {self._weight} characters")
        self._screens.append(screen)
        return screen


def _index(number: object, count: int) -> int:
    if type(number) is not int or not 0 <= number < count:
        raise ValueError(f"no screen has the number {number!r:.20}")
    return number


@contextmanager
def checked(what: str) -> Iterator[None]:
    """Turns everything that reading a malformed message can raise into a `BridgeError` that names the message.

    The app runs in the bridge's process, so a reply may be the app's word: nothing in it is relied on.
    """
    try:
        yield
    except (LookupError, TypeError, ValueError, AttributeError, ArithmeticError, RecursionError) as error:
        raise BridgeError(f"the bridge sent a malformed {what}: {error!s:.200}") from error


_encode = json.JSONEncoder(separators=(",", ":"), ensure_ascii=False).encode


def encode_request(number: int, verb: str, fields: Mapping[str, Any]) -> bytes:
    """A request as a line of JSON; the answer has the same number."""
    return _encode({"id": number, "do": verb, **fields}).encode("utf-8", "replace") + b"\n"


def open_fields(apk: Path, cache: Path, data: Path, settings: SessionSettings) -> dict[str, Any]:
    """The fields of an `open` request."""
    profile = settings.profile
    return {
        "apk": str(apk),
        "cache": str(cache),
        "data": str(data),
        "profile": {
            "width": profile.width,
            "height": profile.height,
            "dpi": profile.dpi,
            "status_bar_dp": profile.status_bar_dp,
            "navigation_bar_dp": profile.navigation_bar_dp,
            "locale": profile.locale,
            "android": profile.android,
            "model": profile.model,
            "manufacturer": profile.manufacturer,
            "abis": list(profile.abis),
        },
        "permissions": settings.permissions,
        "neighbours": settings.neighbours,
        "content": settings.content,
        "network": settings.network,
        "served": [
            {
                "method": each.method,
                "address": each.address,
                "status": each.status,
                "type": each.content_type,
                "headers": [part for header in each.headers for part in header],
                "body": base64.b64encode(each.body).decode("ascii"),
            }
            for each in settings.served
        ],
        "coverage": settings.coverage,
        "step_coverage": settings.step_coverage,
        "think_ms": settings.think_ms,
        "launch_ms": settings.launch_ms,
    }


def parse_hello(line: bytes) -> Hello | None:
    """The bridge's greeting, or None if the line is something else: native code may print there too."""
    record = _find(line, b'{"hello":')
    return None if record is None else _hello(record["hello"])


def parse_reply(line: bytes, number: int) -> Reply | None:
    """The reply with this number, or None if the line is something else.

    What the app prints by accident lacks the number. Hostile code can find it out, so nothing in a reply is relied on.
    """
    record = _find(line, b'{"id":%d,' % number)
    if record is None:
        return None
    answers = [record[name] for name in ("ok", "error") if name in record]
    if len(answers) != 1 or not isinstance(answers[0], dict):
        raise BridgeError(f"the bridge sent a malformed reply: {_shortened(line)}")
    return Reply(number, record.get("ok"), record.get("error"))


def raise_error(error: Mapping[str, Any], *, opening: bool) -> None:
    """Raise what an error of the bridge means; while opening, what is not supported is the app."""
    kind, message = error.get("kind"), str(error.get("message", ""))
    stack = str(error.get("stack", ""))
    if kind in ("usage", "unsupported") and stack:
        # The message is for the user; the stack tells a defect of the bridge from a wrong request.
        log.info("the bridge refused a request: %s\n%s", message, stack.rstrip())
    if kind == "usage":
        raise UsageError(message)
    if kind == "unsupported":
        failure: type[FewtapsError] = UnsupportedApp if opening else Unsupported
        raise failure(message)
    if kind == "unviable":
        raise NotViable(message)
    raise BridgeError(f"the bridge failed: {message}", stack)


def parse_opened(result: Mapping[str, Any]) -> OpenReply:
    """The answer to `open`. Raises BridgeError if it is malformed."""
    with checked("answer to open"):
        return OpenReply(
            package=as_text("package", result["package"]),
            main=text_in(result, "main"),
            classes=number_in(result, "classes"),
            notes=_texts(result, "notes"),
        )


def parse_played(result: Mapping[str, Any], event: Event, before: Screen, seen: SeenScreens) -> PlayedReply:
    """The answer to `launch` or `perform`, as the step of this event; a new screen is remembered among those `seen`."""
    with checked("step"):
        crash, covered, ran = result.get("crash"), result.get("new"), result.get("ran")
        step = Step(
            event=event,
            before=before,
            after=seen.read(result),
            covered=Coverage.from_json(covered) if covered else NO_COVERAGE,
            log=_texts(result, "log"),
            crash=None if crash is None else _crash(crash),
            ending=Ending(result["ending"]),
            notes=_texts(result, "notes"),
            clock_ms=number_in(result, "clock_ms"),
            ran=Coverage.from_json(ran) if ran else NO_COVERAGE,
            asked_world=None if result.get("asked_world") is None else truth_in(result, "asked_world"),
        )
        return PlayedReply(step, truth_in(result, "fatal"))


def parse_png(result: Mapping[str, Any]) -> bytes:
    """The picture in the answer to `screenshot`. Raises BridgeError if it is malformed, or of another format."""
    content = _decoded(result, "png")
    with checked("picture"):
        check_png(content)
    return content


def parse_execution(result: Mapping[str, Any]) -> bytes:
    """The bytes in the answer to `execution`. Raises BridgeError if it is malformed."""
    return _decoded(result, "data")


def parse_translated(result: Mapping[str, Any]) -> bytes:
    """The packed classes in the answer to `translated`. Raises BridgeError if it is malformed."""
    return _decoded(result, "data")


def parse_hits(result: Mapping[str, Any]) -> ProbeSet:
    """The probes in the answer to `hits`. Raises BridgeError if it is malformed."""
    return ProbeSet(int.from_bytes(_decoded(result, "data"), "little"))


def parse_listening(result: Mapping[str, Any]) -> frozenset[str]:
    """The actions in the answer to `listening`. Raises BridgeError if it is malformed."""
    with checked("list of actions"):
        return frozenset(as_text("actions", action) for action in as_list("actions", result.get("actions")))


def parse_decisions(result: Mapping[str, Any]) -> tuple[Decision, ...]:
    """The decisions in the answer to `decisions`. Raises BridgeError if it is malformed."""
    with checked("list of decisions"):
        return tuple(
            Decision(as_text("what", what), as_number("at", at), as_number("due", due))
            for what, at, due in as_list("decisions", result.get("decisions"))
        )


def mutant_fields(mutant: Mutant) -> dict[str, Any]:
    """The mutant as a field of a `launch` request."""
    return {
        "class": mutant.class_name,
        "method": mutant.method,
        "desc": mutant.descriptor,
        "index": mutant.index,
        "operator": mutant.operator,
    }


def parse_mutants(result: Mapping[str, Any]) -> tuple[Mutant, ...]:
    """The mutants in the answer to `mutants`. Raises BridgeError if it is malformed."""
    mutants: list[Mutant] = []
    with checked("list of mutants"):
        for each in as_list("classes", result.get("classes")):
            record = as_object("class", each)
            name, file = as_text("name", record.get("name")), text_in(record, "file")
            mutants.extend(_mutant(name, file, fields) for fields in list_in(record, "mutants"))
    return tuple(mutants)


def _mutant(class_name: str, file: str | None, fields: object) -> Mutant:
    method, descriptor, index, operator, line, line_probe, method_probe, description, instruction = as_list(
        "mutant", fields
    )
    return Mutant(
        class_name=class_name,
        method=as_text("method", method),
        descriptor=as_text("descriptor", descriptor),
        index=as_number("index", index),
        operator=as_text("operator", operator),
        line=as_number("line", line),
        file=file,
        line_probe=None if line_probe is None else as_number("line probe", line_probe),
        method_probe=None if method_probe is None else as_number("method probe", method_probe),
        description=as_text("description", description),
        instruction=as_text("instruction", instruction),
    )


def parse_turns(result: Mapping[str, Any]) -> LoopTurns:
    """The answer to `turns`. Raises BridgeError if it is malformed."""
    with checked("count of turns"):
        return LoopTurns(as_number("turns", result.get("turns")), truth_in(result, "endless"))


def parse_probes(result: Mapping[str, Any]) -> ProbeMap:
    """The probe map in the answer to `probes`. Raises BridgeError if it is malformed."""
    with checked("probe map"):
        return ProbeMap.from_json(result)


def _decoded(result: Mapping[str, Any], field: str) -> bytes:
    with checked(f"field {field}"):
        return base64.b64decode(as_text(field, result[field]), validate=True)


def _find(line: bytes, start: bytes) -> dict[str, Any] | None:
    """The record that starts so, anywhere in the line: other output may stand before it without an end of line."""
    at = line.find(start)
    if at < 0:
        return None
    try:
        record: dict[str, Any] = json.loads(line[at:])
    except (ValueError, RecursionError):
        return None
    return record


def _texts(result: Mapping[str, Any], name: str) -> tuple[str, ...]:
    texts = tuple(as_text(name, each) for each in list_in(result, name))
    check_texts(name, texts)
    return texts


def _crash(record: object) -> Crash:
    crash = crash_from_json(record)
    check_crash(crash)
    return crash


def _hello(record: object) -> Hello:
    if not isinstance(record, dict) or record.get("protocol") != PROTOCOL:
        raise BridgeError(f"the bridge speaks another protocol: {record!r:.100}")
    with checked("greeting"):
        return Hello(text_in(record, "java") or "", number_in(record, "api"))


def _shortened(line: bytes, limit: int = 200) -> str:
    text = line.decode("utf-8", "replace").strip()
    return text if len(text) <= limit else text[:limit] + "…"
