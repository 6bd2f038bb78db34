"""Entries: which call put what another one takes out of a container, by key, index, identity or equal value."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from fewtaps.model.recorded_code import Op
from fewtaps.model.run_record import Word
from fewtaps.slicing.histories import Histories
from fewtaps.slicing.nodes import (
    CHANGED,
    CONTENT,
    DATA,
    MADE,
    PUT,
    SEARCHED_CALLS,
    WHOLE,
    CallSite,
    Edge,
    Node,
    value_argument,
)
from fewtaps.slicing.recording import signed
from fewtaps.slicing.summaries import CallEffect

_TRAVELLING = frozenset(
    {"android.content.Intent", "android.os.Bundle", "android.os.BaseBundle", "android.os.PersistableBundle"}
)


class Entries(Histories):
    """Answers where the entry came from that a call reads."""

    def _entry(self, site: CallSite, effect: CallEffect, receiver: int) -> Iterator[Edge]:
        if effect.word in ("gets", "removes", "through"):
            yield from self._by_key(site, effect, receiver)
            put = self.put_under(site, effect, receiver) if effect.word == "through" else None
            if put is not None:
                yield from self._put_content(put, site)
            return
        elements = self._elements(receiver, site)
        place: int | None = {"peeks": 0, "pops": 0, "takesLast": -1}.get(effect.word)
        if place is None:
            _, arguments = self.arguments(site.frame.method, site.instruction)
            number = int(effect.arguments[0])
            word = self.argument_word(site, arguments[number - 1]) if number <= len(arguments) else None
            place = signed(word[1]) if word is not None and word[0] == Word.NUMBER else None
        listed = self._listed(receiver, site)
        if listed is not None and place is not None:
            yield from self._element_source(listed, place, site.time, "element", 0)
            return
        if elements is None:
            return
        if place is not None and -len(elements) <= place < len(elements):
            found = elements[place]
            yield Edge(
                Node(found.row, found.instruction, PUT), DATA, f"element {place}" if place >= 0 else "last element"
            )
        elif not elements and (saved := self._saved_as(receiver, site)) is not None:
            original, reading = saved
            yield from self._entry(site, effect, original)
            yield Edge(reading, DATA)

    def _saved_as(self, identity: int, site: CallSite) -> tuple[int, Node] | None:
        """For a container that was made from saved bytes: the one that was saved, and the call that made it anew."""
        made = self.making(self.root(identity), site.time)
        if made is None or made.role != WHOLE:
            return None
        frame = self.index.frame_of(made.row)
        reading = CallSite(frame, made.row, made.instruction, self.time_of(frame, made.row, made.instruction))
        if reading.code.called is None:
            return None
        original = next((each for each in self.saved_objects(reading) if each != identity), None)
        return None if original is None else (original, made._replace(role=CONTENT))

    def _listed(self, receiver: int, site: CallSite) -> int | None:
        """The array whose elements a list shows, as `Arrays.asList` makes it."""
        made = self.making(self.root(receiver), site.time)
        if made is None or made.role != WHOLE:
            return None
        frame = self.index.frame_of(made.row)
        maker = CallSite(frame, made.row, made.instruction, self.time_of(frame, made.row, made.instruction))
        _, arguments = self.arguments(frame.method, made.instruction)
        if self.effect(maker).word != "lists" or len(arguments) != 1 or arguments[0].type[0] != "[":
            return None
        return self.index.object_of(frame, made.row, made.instruction, arguments[0].slot) or None

    def _put_content(self, put: Node, site: CallSite) -> Iterator[Edge]:
        """The content of the object that a call put into its receiver."""
        frame = self.index.frame_of(put.row)
        earlier = CallSite(frame, put.row, put.instruction, self.time_of(frame, put.row, put.instruction))
        _, arguments = self.arguments(frame.method, put.instruction)
        number = value_argument(self.effect(earlier))
        if number and number <= len(arguments):
            identity = self.index.object_of(frame, put.row, put.instruction, arguments[number - 1].slot)
            if identity:
                yield from self._state(identity, site, DATA)

    def _elements(self, receiver: int, site: CallSite) -> list[CallSite] | None:
        """The calls that put the elements into a list, in the order of the list; None if it is not known."""
        elements: list[CallSite] = []
        for earlier, effect in self.history(receiver):
            if (earlier.time, earlier.row) >= (site.time, site.row):
                break
            if not self.index.ran(earlier.frame, earlier.row, earlier.instruction):
                continue
            _, arguments = self.arguments(earlier.frame.method, earlier.instruction)
            numbers = [self.argument_word(earlier, each) for each in arguments]
            first = numbers[0] if numbers else None
            place = signed(first[1]) if first is not None and first[0] == Word.NUMBER else None
            match effect.word:
                case "adds":
                    elements.append(earlier)
                case "pushes":
                    elements.insert(0, earlier)
                case "inserts" if place is not None and 0 <= place <= len(elements):
                    elements.insert(place, earlier)
                case "replaces" if place is not None and 0 <= place < len(elements):
                    elements[place] = earlier
                case "takes" if place is not None and 0 <= place < len(elements):
                    del elements[place]
                case "drops":
                    equal = (at for at, each in enumerate(elements) if self._put_word(each) == first)
                    if (at := next(equal, None)) is not None:
                        del elements[at]
                case "pops":
                    elements[:1] = []
                case "takesLast":
                    elements[-1:] = []
                case "clears":
                    elements.clear()
                case "reads" | "element" | "peeks" | "views" | "next" | "nothing" | "runs" | "makes":
                    pass
                case _:
                    return None
        return elements

    def _put_word(self, site: CallSite) -> tuple[int, int] | None:
        _, arguments = self.arguments(site.frame.method, site.instruction)
        number = value_argument(self.effect(site))
        return self.argument_word(site, arguments[number - 1]) if number and number <= len(arguments) else None

    def key(self, site: CallSite, effect: CallEffect) -> tuple[int, int] | str | None:
        """The key that a call names: a property, or kind and payload of an argument's word."""
        key = effect.arguments[0]
        if isinstance(key, str):
            return key
        _, arguments = self.arguments(site.frame.method, site.instruction)
        return self.argument_word(site, arguments[key - 1]) if key <= len(arguments) else None

    def _by_key(self, site: CallSite, effect: CallEffect, receiver: int) -> Iterator[Edge]:
        key = self.key(site, effect)
        if key is None:
            return
        name = self.key_name(key)
        put = self.put_under(site, effect, receiver)
        if put is not None:
            yield Edge(put, DATA, name)
            return
        if self.index.record.first_event:
            self.earlier_events_wanted = True
        made = self.making(self.root(receiver), site.time)
        by_framework = isinstance(key, str) and made is not None and made.role != MADE
        if made is not None and not by_framework and (made.row, made.instruction) != (site.row, site.instruction):
            yield Edge(made, DATA, name)

    def put_under(self, site: CallSite, effect: CallEffect, receiver: int) -> Node | None:
        """The call that wrote the entry which a call reads; None if none did."""
        key = self.key(site, effect)
        is_property = isinstance(key, str)
        for earlier, each in self.earlier(receiver, site):
            if is_property and each.word != "puts":
                continue
            if earlier.time >= site.time or not self.index.ran(earlier.frame, earlier.row, earlier.instruction):
                continue
            if each.word in ("puts", "removes") and self.key(earlier, each) == key:
                return Node(earlier.row, earlier.instruction, PUT)
            if each.word == "copies":
                copied = self._copied_entry(earlier, each, effect, site)
                if copied is not None:
                    return copied
            elif each.word in ("clears", "changes", "writes"):
                return Node(earlier.row, earlier.instruction, CHANGED)
        if len(self.index.making.of(self.root(receiver))):
            return None
        travelled = self._travelled(site, key)
        saved = self._saved_as(receiver, site) if travelled is None else None
        return travelled if saved is None else self.put_under(site, effect, saved[0])

    def saved_objects(self, site: CallSite) -> Iterator[int]:
        """Those read from a stream, and the one that was put under the key of a bundle or an intent."""
        yield from super().saved_objects(site)
        effect, receiver = self.effect(site), self.receiver(site)
        if site.code.called is None or site.code.called.class_name not in _TRAVELLING or not receiver:
            return
        put = self.put_under(site, effect, receiver) if effect.word == "gets" else None
        if put is None or put.role != PUT:
            return
        frame = self.index.frame_of(put.row)
        earlier = CallSite(frame, put.row, put.instruction, self.time_of(frame, put.row, put.instruction))
        word = self._put_word(earlier)
        if word is not None and word[0] == Word.OBJECT and word[1]:
            yield word[1]

    def _copied_entry(self, copy: CallSite, effect: CallEffect, wanted: CallEffect, site: CallSite) -> Node | None:
        """The put of an equal key into the container from which a call copied all entries."""
        _, arguments = self.arguments(copy.frame.method, copy.instruction)
        number = value_argument(effect)
        word = self.argument_word(copy, arguments[number - 1]) if number and number <= len(arguments) else None
        if word is None or word[0] != Word.OBJECT or not word[1]:
            return None
        key = self.key(site, wanted)
        for earlier, each in self.earlier(word[1], copy):
            if earlier.time < copy.time and each.word == "puts" and self.key(earlier, each) == key:
                return Node(earlier.row, earlier.instruction, PUT)
        return None

    def key_name(self, key: object) -> str:
        """A key in words."""
        if isinstance(key, str):
            return key[1:]
        if isinstance(key, tuple):
            kind, payload = key
            if kind == Word.VALUE:
                return f'"{self.index.value(payload) or ""}"'
            if kind == Word.NUMBER:
                return str(signed(payload))
        return "entry"

    def _travelled(self, site: CallSite, key: object) -> Node | None:
        """The last put with an equal key into another object of the kind that the system copies: intents, bundles."""
        if not isinstance(key, tuple) or key[0] != Word.VALUE:
            return None
        called = site.code.called
        if called is None or called.class_name not in _TRAVELLING:
            return None
        instruction = self.index.instruction_at
        hits = np.flatnonzero((self.index.words == ((Word.VALUE << 28) | key[1])) & (instruction >= 0))
        for each in reversed(hits[: int(hits.searchsorted(site.time))].tolist()):
            frame, row, number = self.index.instance(each)
            code = frame.method.code.instructions[number]
            if code.op is not Op.CALL or code.called is None or code.called.class_name not in _TRAVELLING:
                continue
            earlier = CallSite(frame, row, number, each)
            effect = self.effect(earlier)
            if effect.word == "puts" and self.key(earlier, effect) == key:
                return Node(row, number, PUT)
        return None

    def _identity(self, site: CallSite, receiver: int | None, result: int) -> Node | None:
        """The earlier call that handed the returned object to the same receiver, or into what it holds."""
        if receiver is not None and receiver == result:
            return None
        given = self.index.handed.before(result, site.time)
        own = {receiver, *self._given_objects(site)} - {None, 0}
        roots = {self.root(each) for each in own if each is not None}
        for each in reversed(given[-SEARCHED_CALLS:].tolist()):
            earlier, argument = self.site(each)
            if argument is None or (earlier.row, earlier.instruction) == (site.row, site.instruction):
                continue
            holder = self.receiver(earlier)
            if holder and roots and self._holds(roots, self.root(holder), 3):
                return Node(earlier.row, earlier.instruction, argument.operand + 1)
        following = self.index.next_row(site.frame, site.row)
        until = int(self.index.time[following]) if following is not None else len(self.index.words)
        for each in reversed(self.index.returned.before(result, until)[-8:].tolist()):
            frame, row, instruction = self.index.instance(each)
            called = self.call_of(frame)
            inside = called is not None and (called[1], called[2]) == (site.row, site.instruction)
            if inside or called is None:
                return Node(row, instruction)
        return None

    def _given_objects(self, site: CallSite) -> Iterator[int]:
        if self._has_receiver(site.frame.method, site.instruction):
            return
        for each in self.arguments(site.frame.method, site.instruction)[1]:
            word = self.index.word(site.frame, site.row, site.instruction, each.slot) if each.letters else None
            if word is not None and word[0] == Word.OBJECT and word[1]:
                yield word[1]

    def _holds(self, roots: set[int], identity: int, depth: int) -> bool:
        """Whether one of the objects was handed the object, directly or inside another one."""
        if identity in roots:
            return True
        if not depth:
            return False
        for each in self.index.handed.of(identity)[-32:].tolist():
            site, argument = self.site(each)
            holder = self.receiver(site) if argument is not None else None
            if holder and holder != identity and self._holds(roots, self.root(holder), depth - 1):
                return True
        return False

    def _equal_value(self, site: CallSite) -> Node | None:
        """The last call that was given a value equal to the result: rows of a database, lines of a file, parcels."""
        letters = site.code.after
        result = self.index.word(
            site.frame, site.row, site.instruction, 1 if letters.startswith("ov") else 0, after=True
        )
        if result is None or result[0] not in (Word.VALUE, Word.NUMBER) or (result[0] == Word.VALUE and not result[1]):
            return None
        family = _family(site.code.called.class_name) if site.code.called is not None else ""
        hits = np.flatnonzero(self.index.words == ((result[0] << 28) | result[1]))
        for each in reversed(hits[: int(hits.searchsorted(site.time))][-2000:].tolist()):
            if self.index.instruction_at[each] < 0 or self.index.slot_at[each] < 0:
                continue
            frame, row, number = self.index.instance(each)
            code = frame.method.code.instructions[number]
            if code.op is not Op.CALL or code.called is None:
                continue
            if _family(code.called.class_name) != family:
                continue
            earlier, argument = self.site(each)
            if argument is not None and self.effect(earlier).word in ("puts", "writes"):
                return Node(row, number, argument.operand + 1)
        return None


def _family(class_name: str) -> str:
    """The classes between which values travel without their identity: databases, files, parcels."""
    if class_name.startswith("java.io."):
        return "files"
    if class_name.startswith(("android.database.", "android.content.Content")):
        return "databases"
    return class_name
