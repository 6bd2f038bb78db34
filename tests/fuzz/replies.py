"""Replies of the bridge, good ones and damaged ones: whatever they hold, reading ends in a value or a BridgeError."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from copy import deepcopy
from random import Random
from typing import Any

from fuzz.cases import Failure
from fuzz.damage import damaged

from fewtaps.device.twin.protocol import (
    SeenScreens,
    parse_decisions,
    parse_execution,
    parse_listening,
    parse_mutants,
    parse_opened,
    parse_played,
    parse_png,
    parse_probes,
    parse_reply,
    parse_turns,
)
from fewtaps.device.twin.recording import parse_code
from fewtaps.errors import BridgeError
from fewtaps.model.event import Tap
from fewtaps.model.screen import UNSEEN

NUMBER = 7
DEEP = 50_000
"""Brackets within brackets, far more than can be read."""

Reader = Callable[[Mapping[str, Any]], object]

WIDGET = {"class": "android.widget.Button", "bounds": [0, 0, 9, 9], "flags": "ce", "text": "OK", "children": []}
WINDOW = {"title": "a", "kind": "activity", "focused": True, "touchable": True, "root": WIDGET}
SCREEN = {"package": "a", "activity": "a.B", "width": 9, "height": 9, "rotation": 0, "windows": [WINDOW]}
FRAMES = [["a.B", "c", "B.java", 3]]
CRASH = {"kind": "exception", "thread": "main", "exceptions": [{"type": "x.Y", "message": "m", "frames": FRAMES}]}
STEP = {
    "screen": SCREEN,
    "number": 0,
    "new": {"branches": [1, [3, 5]], "lines": [2], "methods": []},
    "ran": {"branches": [[1, 5]], "lines": [2], "methods": [4]},
    "asked_world": True,
    "log": ["a"],
    "crash": CRASH,
    "ending": "crashed",
    "notes": [],
    "clock_ms": 5,
    "fatal": False,
}
PROBES = {
    "classes": [
        {
            "name": "a.B",
            "file": "B.java",
            "methods": [[0, "c", "()V", 1]],
            "lines": [[0, 1]],
            "branches": [[0, 1, 0]],
        }
    ]
}
METHOD = {
    "name": "c",
    "desc": "(I)V",
    "access": 1,
    "first": 7,
    "outside": True,
    "params": ["this", "I"],
    "code": [
        ["load", 3, [[-2]], {"local": 1, "name": "x"}, "", ""],
        ["switch", 4, [[0]], {"keys": [1, 2]}, "", ""],
        ["call", 5, [[0]], {"kind": "static", "class": "a.C", "name": "d", "desc": "()V", "beyond": True}, "n", "ov"],
        ["return", 6, [], {}, "", ""],
    ],
    "blocks": [[0, 1, [1, 2], []], [2, 2, [2], [2]], [3, 3, [-1], []]],
}
CODE = {"classes": [{"name": "a.B", "super": "a.A", "interfaces": ["a.I"], "app": True, "methods": [METHOD]}]}
MUTANT = ["c", "()V", 3, "math", 7, 1, None, "a + b", "iadd"]
MUTANTS = {"classes": [{"name": "a.B", "file": "B.java", "mutants": [MUTANT]}]}
PICTURE = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNkYAAAAAYAAjCB0C8AAAAASUVORK5CYII="
GOOD: dict[str, tuple[dict[str, Any], Reader]] = {
    "step": (STEP, lambda result: parse_played(result, Tap(1, 2), UNSEEN, SeenScreens())),
    "open": ({"package": "a", "main": "a.B", "classes": 3, "notes": ["n"]}, parse_opened),
    "probes": (PROBES, parse_probes),
    "decisions": ({"decisions": [["work", 1, 2]]}, parse_decisions),
    "listening": ({"actions": ["a"]}, parse_listening),
    "png": ({"png": PICTURE}, parse_png),
    "execution": ({"data": "AAAA"}, parse_execution),
    "code": (CODE, parse_code),
    "mutants": (MUTANTS, parse_mutants),
    "turns": ({"turns": 12, "endless": False}, parse_turns),
}

# Values that programs stumble over, each in the place of one that a reply has.
ODD: tuple[Any, ...] = (
    *(None, True, -1, 0, 1 << 31, 1 << 63, 1 << 200, -(1 << 64), 1.5, float("nan"), float("inf"), 1e308),
    *("", "x" * 5000, "\0", "\ud800", "../..", [], {}, [[]], [1, 2, 3], [[5, 1]], {"a": {}}, [None], "NaN"),
)


def damaged_reply(random: Random) -> tuple[str, bytes]:
    """A kind of reply, and the line of such a reply with some damage in its values or, now and then, in its bytes."""
    kind = random.choice(list(GOOD))
    record: dict[str, Any] = json.loads(json.dumps(GOOD[kind][0]))
    for _ in range(random.randint(1, 4)):
        _spoil(record, random)
    line = b'{"id":%d,"ok":' % NUMBER + json.dumps(record).encode() + b"}"
    choice = random.random()
    if choice < 0.01:
        line = line.replace(b":[", b":" + b"[" * DEEP + b"]" * DEEP + b',"x":[', 1)
    return kind, damaged(line, random) if choice > 0.9 else line


def _spoil(record: dict[str, Any], random: Random) -> None:
    """Replaces, removes, repeats or deeply wraps one value at any depth."""
    place: Any = record
    while place:
        key = random.choice(list(place) if isinstance(place, dict) else list(range(len(place))))
        if isinstance(place[key], dict | list) and place[key] and random.random() < 0.7:
            place = place[key]
            continue
        choice = random.random()
        if choice < 0.2:
            del place[key]
        elif choice < 0.3 and isinstance(place, list):
            place *= 3
        elif choice < 0.35:
            for _ in range(random.choice((3, 60))):
                place[key] = [place[key]] if random.random() < 0.5 else {"children": [place[key]]}
        else:
            place[key] = deepcopy(random.choice(ODD))
        return


def failure_of_reply(kind: str, line: bytes) -> str | None:
    """How reading a line failed; None if it gave a value or a BridgeError with a short message."""
    try:
        reply = parse_reply(line, NUMBER)
        if reply is not None and reply.result is not None:
            GOOD[kind][1](reply.result)
    except BridgeError as error:
        return f"the error has {len(str(error))} characters" if len(str(error)) > 600 else None
    except Exception as error:  # noqa: BLE001
        return f"{type(error).__name__}: {error}"[:300]
    return None


def run_replies(seed: int, count: int, first: int = 0) -> Iterator[Failure]:
    """The failures among `count` damaged replies; seed and number decide each."""
    for number in range(first, first + count):
        kind, line = damaged_reply(Random(f"replies {seed} {number}"))
        error = failure_of_reply(kind, line)
        if error is not None:
            yield Failure("replies", f"{kind}-{seed}-{number}", line, error)
