"""Histories: all calls beyond with one object or a view of it, and what its state depends on."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import replace

from fewtaps.model.run_record import Word
from fewtaps.model.slice import DependenceKind
from fewtaps.slicing.memory import MemoryDependences
from fewtaps.slicing.nodes import (
    BASE,
    CHANGED,
    CONTENT,
    MADE,
    PUT,
    RAN,
    WHOLE,
    Argument,
    CallSite,
    Edge,
    Node,
)
from fewtaps.slicing.summaries import CallEffect


class Histories(MemoryDependences):
    """Answers which calls changed an object without code here."""

    def root(self, identity: int) -> int:
        """The object whose state an iterator, an editor or another view shows; else the object itself."""
        found = self._roots.get(identity)
        if found is not None:
            return found
        self._roots[identity] = identity
        constructor = self.constructor(identity)
        effect = self.effect(constructor) if constructor is not None else None
        if constructor is not None and effect is not None and effect.word == "wraps":
            _, arguments = self.arguments(constructor.frame.method, constructor.instruction)
            number = int(effect.arguments[0])
            word = self.argument_word(constructor, arguments[number - 1]) if number <= len(arguments) else None
            if word is not None and word[0] == Word.OBJECT and word[1]:
                self._roots[identity] = self.root(word[1])
        given = self.index.given_back.of(identity)
        if len(given):
            frame, row, instruction = self.index.instance(int(given[0]))
            if row >= 0:
                site = CallSite(frame, row, instruction, int(given[0]))
                receiver = self.receiver(site)
                effect = self.effect(site)
                if receiver and receiver != identity and effect.word in ("views", "next") and self._shows(effect, site):
                    self._roots[identity] = self.root(receiver)
        return self._roots[identity]

    @staticmethod
    def _shows(effect: CallEffect, site: CallSite) -> bool:
        """Whether the result shows the receiver's state; of elements of iterators only the entries of maps do."""
        cast = site.code.called
        return effect.word == "views" or (cast is not None and "Entry" in cast.descriptor)

    def history(self, identity: int) -> list[tuple[CallSite, CallEffect]]:
        """All calls beyond with this receiver or a view of it, in the order of time."""
        identity = self.root(identity)
        found = self._histories.get(identity)
        if found is not None:
            return found
        calls: dict[tuple[int, int], tuple[CallSite, CallEffect]] = {}
        waiting, seen = [identity], {identity}
        while waiting:
            each = waiting.pop()
            constructor = self.constructor(each)
            if constructor is not None:
                calls[constructor.row, constructor.instruction] = (constructor, self.effect(constructor))
            for time in self.index.handed.of(each).tolist():
                site, argument = self.site(time)
                went_on = self._went_on(site.frame, site.row)
                site = site if went_on is None else replace(site, time=went_on)
                effect = self.effect(site)
                if argument is not None:
                    if effect.word == "alters" and self._altered(site, effect) == each:
                        calls[site.row, site.instruction] = (site, effect)
                    wrapper = self.receiver(site) if effect.word == "wraps" else None
                    if wrapper and wrapper not in seen:
                        seen.add(wrapper)
                        waiting.append(wrapper)
                    continue
                calls[site.row, site.instruction] = (site, effect)
                if effect.word in ("views", "next", "builds"):
                    result = self.index.object_of(site.frame, site.row, site.instruction, after=True)
                    if result and result not in seen and self.root(result) == identity:
                        seen.add(result)
                        waiting.append(result)
        found = self._histories[identity] = sorted(calls.values(), key=lambda pair: pair[0].time)
        return found

    def touches(self, identity: int) -> Iterator[tuple[CallSite, Argument | None]]:
        """Calls beyond that changed an object or were given it, and those that changed what it was made of."""
        for time in self.index.handed.of(identity).tolist():
            site, argument = self.site(time)
            if argument is not None or self.effect(site).changes_state:
                yield site, argument
        constructor = self.constructor(identity)
        if constructor is None:
            return
        code = self.index.record.code
        for argument in self.arguments(constructor.frame.method, constructor.instruction)[1]:
            word = self.index.word(constructor.frame, constructor.row, constructor.instruction, argument.slot)
            part = word[1] if word is not None and word[0] == Word.OBJECT else 0
            origin = self.making(part, constructor.time) if part else None
            if origin is None or origin.role != MADE:
                continue
            new = self.index.frame_of(origin.row).method.code.instructions[origin.instruction]
            if new.text not in code.classes:
                yield from ((site, None) for site, effect in self.history(part) if effect.changes_state)

    def earlier(self, identity: int, site: CallSite) -> Iterator[tuple[CallSite, CallEffect]]:
        """The calls of `history` before a call, the latest first."""
        history = self.history(identity)
        for at in range(bisect_left(history, site.time, key=lambda pair: pair[0].time) - 1, -1, -1):
            yield history[at]

    def _altered(self, site: CallSite, effect: CallEffect) -> int | None:
        """The argument whose state a call changes."""
        _, arguments = self.arguments(site.frame.method, site.instruction)
        number = int(effect.arguments[0])
        if number > len(arguments):
            return None
        return self.index.object_of(site.frame, site.row, site.instruction, arguments[number - 1].slot)

    def _shown_text(self, identity: int, time: int) -> Node | None:
        """The call that returned the text of a widget into which the user put something, by the text's identity."""
        if not self.index.inputs:
            return None
        given = self.index.given_back.before(identity, time)
        if not len(given):
            return None
        frame, row, instruction = self.index.instance(int(given[-1]))
        if row < 0:
            return None
        receiver = self.receiver(CallSite(frame, row, instruction, int(given[-1])))
        return Node(row, instruction) if receiver in self.index.inputs else None

    def _state(self, identity: int, site: CallSite, kind: DependenceKind) -> Iterator[Edge]:
        """What the state of an object depends on: its last change, else its making."""
        shown = self._shown_text(identity, site.time)
        if shown is not None:
            yield Edge(shown, kind, "text")
            return
        for earlier, effect in self.earlier(identity, site):
            if (
                earlier.time < site.time
                and effect.changes_state
                and (earlier.row, earlier.instruction) != (site.row, site.instruction)
            ):
                yield Edge(Node(earlier.row, earlier.instruction, CHANGED), kind, "")
                return
        if self.index.record.first_event:
            self.earlier_events_wanted = True
        made = self.making(self.root(identity), site.time)
        if made is not None and (made.row, made.instruction) != (site.row, site.instruction):
            yield Edge(made._replace(role=CONTENT) if made.role == WHOLE else made, kind, "")

    def _position(self, site: CallSite, receiver: int) -> Iterator[Edge]:
        """The last call that moved a cursor or parcel to the place that is read."""
        for earlier, effect in self.earlier(receiver, site):
            if earlier.time < site.time and effect.word == "moves":
                yield Edge(Node(earlier.row, earlier.instruction, RAN), BASE, "position")
                return

    def _last_put(self, site: CallSite, receiver: int | None) -> Node | None:
        for earlier, effect in self.earlier(receiver, site) if receiver else ():
            if earlier.time < site.time and effect.word in ("adds", "puts"):
                return Node(earlier.row, earlier.instruction, PUT)
        return None
