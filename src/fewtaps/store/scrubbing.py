"""Removes texts, logs and pictures from a store, which stays valid: numbered words take the place of texts.

Each text that is removed becomes `[removed 1]`, `[removed 2]` and so on, the same text the same word. So screens and
events that differed still differ, and a step still names the widget that it tapped.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from fewtaps.model.screen import screen_from_json
from fewtaps.model.state import page_state
from fewtaps.store.connection import Database
from fewtaps.store.content import deflated, from_column, from_json, inflated, packed, to_column, to_json, unpacked
from fewtaps.store.pictures import Pictures, checked_name

TEXT_FIELDS = frozenset(("text", "description", "hint", "title", "message", "data", "notes", "log"))
"""The fields of events, screens, crashes and steps whose values are texts of the app or of its user."""
FREE_FIELDS = frozenset(("extras", "arguments"))
"""The fields whose values are objects of texts."""
FIXED_ARGUMENTS = frozenset(("to", "name", "state", "action"))
"""The arguments of system events that are chosen from a list, not free."""
_WORD = re.compile(r"\[removed (\d+)\]")


class Mask:
    """Replaces texts, or the parts of them that match a pattern, by numbered words; counts the texts it changed."""

    def __init__(self, pattern: re.Pattern[str] | None = None, first: int = 1) -> None:
        self._pattern = pattern
        self._first = first
        self._words: dict[str, str] = {}
        self.changed = 0

    def text(self, text: str) -> str:
        """The text with numbered words in it."""
        after = self._whole(text) if self._pattern is None else self._pattern.sub(lambda m: self._word(m[0]), text)
        self.changed += after != text
        return after

    def _whole(self, text: str) -> str:
        return text if not text.strip() or _WORD.fullmatch(text) else self._word(text)

    def _word(self, text: str) -> str:
        if not text or _WORD.fullmatch(text):
            return text
        return self._words.setdefault(text, f"[removed {self._first + len(self._words)}]")

    def data(self, value: Any) -> Any:
        """JSON data with its texts replaced; everything else is as before."""
        if isinstance(value, dict):
            return {key: self._member(key, each) for key, each in value.items()}
        return [self.data(each) for each in value] if isinstance(value, list) else value

    def _member(self, key: str, value: Any) -> Any:
        if key in TEXT_FIELDS and isinstance(value, str):
            return self.text(value)
        if key in TEXT_FIELDS and isinstance(value, list):
            return [self.text(each) if isinstance(each, str) else each for each in value]
        if key in FREE_FIELDS and isinstance(value, dict):
            return {
                name: self.text(each) if isinstance(each, str) and name not in FIXED_ARGUMENTS else each
                for name, each in value.items()
            }
        return self.data(value)

    def lines(self, content: bytes) -> bytes:
        """JSON Lines, such as a trace file, with their texts replaced; a line without any is as before."""
        done = []
        for line in content.split(b"\n"):
            before = json.loads(line) if line.strip() else None
            after = self.data(before)
            done.append(line if after == before else json.dumps(after, separators=(",", ":")).encode())
        return b"\n".join(done)


@dataclass(frozen=True, slots=True)
class ScrubOrder:
    """What is to be removed. With a pattern: texts and lines that match it, and pictures of screens that show one."""

    pictures: bool = True
    texts: bool = True
    logs: bool = True
    pattern: re.Pattern[str] | None = None


@dataclass(frozen=True, slots=True)
class Scrubbed:
    """How much was removed from a store."""

    texts: int = 0
    log_lines: int = 0
    slices: int = 0
    pictures: tuple[str, ...] = ()


@dataclass(slots=True)
class _Work:
    order: ScrubOrder
    mask: Mask
    screens: list[tuple[int, bytes]] = field(default_factory=list)
    """Numbers and digests of the screens that show what is removed."""


class Scrubbing:
    """Removes what an order names from a store that is open for writing."""

    def __init__(self, database: Database, pictures: Pictures) -> None:
        self._database = database
        self._pictures = pictures

    def scrub(self, order: ScrubOrder, allowed: Callable[[Scrubbed], bool]) -> Scrubbed | None:
        """Removes it in one transaction, if `allowed` says so of what would be removed; else None, and all stays."""
        self._database.run("PRAGMA secure_delete = ON")
        done: Scrubbed | None = None
        with suppress(_Refused), self._database.transaction():
            scrubbed = self._scrub(order)
            if not allowed(scrubbed):
                raise _Refused
            done = scrubbed
        if done is None:
            return None
        for path in self.unnamed_pictures():
            path.unlink(missing_ok=True)
        self._compact()
        return done

    def unnamed_pictures(self) -> list[Path]:
        """The files of pictures that no row names: left by a writer, or by a scrub, that was killed."""
        rows = self._database.rows("SELECT sha256 FROM picture UNION SELECT sha256 FROM screen_picture")
        named = {name for (name,) in rows}
        return [path for path in self._pictures.files() if path.stem not in named]

    def _compact(self) -> None:
        """Leaves nothing of what was removed in unused pages of the file, nor in the log beside it."""
        self._database.run("VACUUM")
        self._database.rows("PRAGMA wal_checkpoint(TRUNCATE)")

    def _scrub(self, order: ScrubOrder) -> Scrubbed:
        work = _Work(order, Mask(order.pattern, self._first_number()))
        digests = self._trace_digests() if order.texts else {}
        # The lines come first: what is left of them is not masked a second time.
        lines = self._scrub_logs(work) if order.logs else 0
        slices = 0
        if order.texts or order.pattern is not None:
            self._scrub_screens(work)
        if order.texts:
            self._scrub_values(work)
            slices = self._scrub_slices(work)
            self._rename_traces(digests)
        pictures = self._scrub_pictures(work) if order.pictures else ()
        return Scrubbed(work.mask.changed, lines, slices, pictures)

    def _first_number(self) -> int:
        """The number after the last of an earlier scrub."""
        most = 0
        for table in ("event", "screen", "crash", "reduction"):
            for (content,) in self._database.rows(f"SELECT content FROM {table}"):
                with self._database.reading(table):
                    text = (inflated(content) if table == "reduction" else unpacked(content)).decode("utf-8", "replace")
                most = max([most, *(int(number) for number in _WORD.findall(text) if len(number) < 10)])
        return most + 1

    def _scrub_screens(self, work: _Work) -> None:
        """Notes the screens with texts that are to be removed and, if texts are, replaces these."""
        for number, digest, content in self._database.rows("SELECT screen_id, digest, content FROM screen"):
            with self._database.reading(f"screen {number}"):
                before = from_json(content)
                mask = work.mask if work.order.texts else Mask(work.order.pattern)
                after = mask.data(before)
                if after == before:
                    continue
                work.screens.append((number, digest))
                screen = screen_from_json(after)
            if not work.order.texts:
                continue
            new, page = bytes.fromhex(screen.digest()), page_state(screen)
            text = packed(screen.canonical().decode())
            self._database.run(
                "UPDATE screen SET digest = ?, page = ?, content = ? WHERE screen_id = ?", (new, page, text, number)
            )
            self._database.run("UPDATE screen_picture SET digest = ?, page = ? WHERE digest = ?", (new, page, digest))

    def _scrub_values(self, work: _Work) -> None:
        for number, content in self._database.rows("SELECT event_id, content FROM event"):
            after = self._masked(work, content, f"event {number}")
            if after is not None:
                text, digest = _encoded(after)
                self._database.run(
                    "UPDATE event SET digest = ?, content = ? WHERE event_id = ?", (digest, text, number)
                )
        for table, key in (("crash", "crash_id"), ("crash_sighting", "episode_id, number")):
            for *numbers, content in self._database.rows(f"SELECT {key}, content FROM {table} WHERE content NOT NULL"):
                if (after := self._masked(work, content, table)) is not None:
                    where = " AND ".join(f"{name} = ?" for name in key.split(", "))
                    self._database.run(
                        f"UPDATE {table} SET content = ? WHERE {where}", (packed(to_json(after)), *numbers)
                    )
        for episode, number, notes in self._database.rows(
            "SELECT episode_id, number, notes FROM step WHERE notes NOT NULL"
        ):
            with self._database.reading("a step's notes"):
                after = [work.mask.text(note) for note in from_json(notes)]
            self._database.run(
                "UPDATE step SET notes = ? WHERE episode_id = ? AND number = ?",
                (packed(to_json(after)), episode, number),
            )
        for table in ("run", "episode"):
            for number, detail in self._database.rows(
                f"SELECT {table}_id, end_detail FROM {table} WHERE end_detail <> ''"
            ):
                with self._database.reading("the end of a run"):
                    after_detail = to_column(work.mask.text(from_column(detail)))
                self._database.run(f"UPDATE {table} SET end_detail = ? WHERE {table}_id = ?", (after_detail, number))
        self._scrub_reductions(work)

    def _scrub_reductions(self, work: _Work) -> None:
        rows = self._database.rows("SELECT reduction_id, goal_kind, goal_value, content FROM reduction")
        for number, kind, value, content in rows:
            with self._database.reading(f"reduction {number}"):
                trace = deflated(work.mask.lines(inflated(content)))
                goal = to_column(work.mask.text(from_column(value))) if kind == "text" else value
            self._database.run(
                "UPDATE reduction SET goal_value = ?, content = ? WHERE reduction_id = ?", (goal, trace, number)
            )

    def _scrub_slices(self, work: _Work) -> int:
        """Removes the slices that show what is removed: values of variables are texts too."""
        found = []
        for *key, content in self._database.rows(
            "SELECT app_id, crash, trace, content FROM slice WHERE content NOT NULL"
        ):
            with self._database.reading("a slice"):
                text = json.dumps(from_json(content), ensure_ascii=False)
            if work.order.pattern is None or work.order.pattern.search(text):
                found.append(key)
        self._database.run_many("DELETE FROM slice WHERE app_id = ? AND crash = ? AND trace = ?", found)
        return len(found)

    def _scrub_logs(self, work: _Work) -> int:
        removed = 0
        pattern = work.order.pattern
        for episode, number, log in self._database.rows("SELECT episode_id, number, log FROM step WHERE log NOT NULL"):
            with self._database.reading("a step's log"):
                lines = [str(line) for line in from_json(log)]
            left = [line for line in lines if pattern is not None and not pattern.search(line)]
            removed += len(lines) - len(left)
            if len(left) < len(lines):
                value = packed(to_json(left)) if left else None
                self._database.run(
                    "UPDATE step SET log = ? WHERE episode_id = ? AND number = ?", (value, episode, number)
                )
        return removed

    def _scrub_pictures(self, work: _Work) -> tuple[str, ...]:
        """Forgets the pictures and returns the names of their files."""
        everything = "SELECT sha256 FROM picture UNION SELECT sha256 FROM screen_picture"
        if work.order.pattern is None:
            names = {row[0] for row in self._database.rows(everything)}
        else:
            names = set()
            for number, digest in work.screens:
                names |= {
                    row[0] for row in self._database.rows("SELECT sha256 FROM picture WHERE screen_id = ?", (number,))
                }
                now = self._database.row("SELECT digest FROM screen WHERE screen_id = ?", (number,))
                for each in {digest, *(now or ())}:
                    rows = self._database.rows("SELECT sha256 FROM screen_picture WHERE digest = ?", (each,))
                    names |= {row[0] for row in rows}
        for table in ("picture", "screen_picture"):
            self._database.run_many(f"DELETE FROM {table} WHERE sha256 = ?", [(name,) for name in names])
        with self._database.reading("a picture"):
            return tuple(sorted(checked_name(name) for name in names))

    def _masked(self, work: _Work, content: object, what: str) -> Any:
        """The data of a column with its texts replaced; None if nothing changed."""
        with self._database.reading(what):
            before = from_json(content)
            after = work.mask.data(before)
        return None if after == before else after

    def _trace_digests(self) -> dict[tuple[object, ...], str]:
        """The digests by which other tables name traces: of the reductions, and of the episodes up to each crash."""
        found: dict[tuple[object, ...], str] = {}
        events: dict[object, Any] = {}
        for number, content in self._database.rows("SELECT event_id, content FROM event"):
            with self._database.reading(f"event {number}"):
                events[number] = from_json(content)
        for episode, last in self._database.rows("SELECT episode_id, number FROM crash_sighting"):
            rows = self._database.rows(
                "SELECT event_id FROM step WHERE episode_id = ? AND number <= ? ORDER BY number", (episode, last)
            )
            found["episode", episode, last] = _digest_of([events[row[0]] for row in rows])
        for number, content in self._database.rows("SELECT reduction_id, content FROM reduction"):
            with self._database.reading(f"reduction {number}"):
                found["reduction", number] = _digest_of(list(_events_in(inflated(content))))
        return found

    def _rename_traces(self, before: dict[tuple[object, ...], str]) -> None:
        after = self._trace_digests()
        names = {before[key]: after[key] for key in before if before[key] != after[key]}
        for table, column in (
            ("replay", "trace"), ("slice", "trace"), ("reduction", "original"), ("improvement", "original"),
        ):  # fmt: skip
            for old, new in names.items():
                self._database.run(f"UPDATE OR REPLACE {table} SET {column} = ? WHERE {column} = ?", (new, old))


class _Refused(Exception):
    """What would be removed is to stay."""


def _encoded(data: object) -> tuple[str | bytes, bytes]:
    text = to_json(data)
    return packed(text), hashlib.blake2b(text.encode(), digest_size=16).digest()


def _digest_of(events: list[Any]) -> str:
    """As `Trace.events_digest`."""
    return hashlib.blake2b(json.dumps(events).encode(), digest_size=16).hexdigest()


def _events_in(trace: bytes) -> Iterator[Any]:
    for line in trace.split(b"\n")[1:]:
        if line.strip():
            yield json.loads(line)["event"]
