"""Results and effects of calls: what was returned here, or what a call beyond passes on by its summary."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from fewtaps.model.recorded_code import Op
from fewtaps.model.run_record import Word
from fewtaps.model.slice import DependenceKind
from fewtaps.slicing.entries import Entries
from fewtaps.slicing.nodes import (
    BASE,
    CONTENT,
    DATA,
    GUESSED,
    MADE,
    PUT,
    STARTED,
    WHOLE,
    Argument,
    CallSite,
    Edge,
    Node,
    value_argument,
)
from fewtaps.slicing.recording import CallFrame
from fewtaps.slicing.summaries import CallEffect

_ENTRY_READERS = ("gets", "through", "element", "peeks", "pops", "takes", "takesLast", "removes")
READERS_AT_A_POSITION = ("finds", "reads", "moves")
"""Effects of calls whose result depends on where a cursor or parcel stands."""
_MAKERS = ("value", "makes", "constant")
"""Effects whose result was not handed to the receiver before."""
_ANY_OBJECT = ("Ljava/lang/Object;", "Ljava/lang/Comparable;")
"""Types of results that may be texts and numbers, or objects."""
_QUESTIONS = ("get", "is", "has", "size", "peek", "contains", "remaining", "toString", "equals", "<init>")
"""How the names of calls begin that end no wait of another thread."""
_LAST_ENDS = ("countDown", "release", "unlock", "await", "arrive")
_INPUT_READERS = frozenset(
    {
        *("getText", "length", "getQuery", "isChecked", "getProgress", "getRating", "getValue", "getDate"),
        *("getSelectedItem", "getSelectedItemPosition", "getSelectedItemId", "getCheckedItemPosition"),
        *("getCheckedItemPositions", "getCheckedItemIds", "getCheckedItemCount", "getCheckedRadioButtonId"),
        *("getHour", "getMinute", "getCurrentHour", "getCurrentMinute", "getYear", "getMonth", "getDayOfMonth"),
    }
)
"""Calls that tell what the user put into a widget."""


class CallResults(Entries):
    """Answers what the result, the puts and the changes of a call depend on."""

    def _call(self, frame: CallFrame, node: Node) -> Iterator[Edge]:
        row, instruction, role = node
        code = frame.method.code.instructions[instruction]
        assert code.called is not None
        if role == STARTED:
            for operand in range(len(code.operands)):
                yield from self.operand(frame, row, instruction, operand, BASE)
            return
        child = self.direct_child(frame, row, instruction)
        if child is not None and role in (WHOLE, CONTENT):
            yield from self._returned(frame, row, instruction, child)
            return
        went_on = self._went_on(frame, row)
        site = CallSite(frame, row, instruction, went_on or self.time_of(frame, row, instruction))
        effect = self.effect(site)
        if effect.guessed or not code.called.beyond:
            self.guesses[node] = f"{code.called.class_name}.{code.called.name}"
        if role in (WHOLE, CONTENT):
            yield from self._woken(frame, row)
            typed = self._input(site, effect)
            if typed is not None:
                self.inputs[node] = self.index.event_at(typed)
                yield from self.operand(frame, row, instruction, 0, BASE)
                return
            yield from self._result(site, effect, content=role == CONTENT)
        elif role == PUT:
            yield from self._put(site, effect)
        else:
            yield from self._changed(site, effect)

    def _input(self, site: CallSite, effect: CallEffect) -> int | None:
        """When the user put into a widget what a call reads from it; None if the app wrote it, or wrote it later."""
        called = site.code.called
        if not self.index.inputs or called is None or called.name not in _INPUT_READERS:
            return None
        receiver = self.receiver(site)
        times = [time for time in self.index.inputs.get(receiver or 0, ()) if time < site.time]
        if receiver is None or not times:
            return None
        for earlier, found in self.earlier(receiver, site):
            if earlier.time < times[-1]:
                break
            if found.word == "puts" and found.arguments[:1] == effect.arguments[:1]:
                return None
        return times[-1]

    def _returned(self, frame: CallFrame, row: int, instruction: int, child: CallFrame) -> Iterator[Edge]:
        code = frame.method.code.instructions[instruction]
        assert code.called is not None
        last = int(child.block_rows[-1])
        block = child.method.code.blocks[int(child.blocks[-1])]
        if not child.unwound and block.last >= block.first:
            yield Edge(Node(last, block.last), DATA, f"{code.called.name}()")
        if code.called.kind in ("virtual", "interface"):
            yield from self.operand(frame, row, instruction, 0, BASE)

    def _woken(self, frame: CallFrame, row: int) -> Iterator[Edge]:
        """What let a waiting call go on: the notify, the end of a future."""
        wakings = self.index.wakings.get(frame.thread)
        if not wakings:
            return
        following = self.index.next_row(frame, row)
        until = int(self.index.time[following]) if following is not None else len(self.index.words)
        begin = int(self.index.time[row])
        here = [(time, token) for time, token in wakings if begin < time < until]
        for _, token in here:
            if (hand := self.index.hands.get(token)) is not None:
                edge = self._hand_edge(hand)
                if edge is not None:
                    yield edge
        if here and not any(token for _, token in here):
            yield from self._ended_wait(frame, row, begin, here[-1][0])

    def _ended_wait(self, frame: CallFrame, row: int, begin: int, end: int) -> Iterator[Edge]:
        """The call of another thread on the object for which a call waited: a latch, a queue, a condition."""
        block = frame.method.code.blocks[int(self.index.row_payload[row]) - frame.method.code.first_block]
        waited = self.index.object_of(frame, row, block.last)
        ends = [
            (site, site.code.called.name)
            for site, _ in (self.history(waited) if waited else ())
            if begin < site.time < end
            and site.frame.thread != frame.thread
            and site.code.called is not None
            and not site.code.called.name.startswith(_QUESTIONS)
        ]
        if ends:
            # A latch opens with the last call, a queue has something to take after the first one.
            site, name = ends[-1] if ends[-1][1].startswith(_LAST_ENDS) else ends[0]
            yield Edge(Node(site.row, site.instruction, STARTED), DependenceKind.HANDED, name)

    def _result(self, site: CallSite, effect: CallEffect, *, content: bool) -> Iterator[Edge]:
        frame, row, instruction = site.frame, site.row, site.instruction
        has_receiver, arguments = self.arguments(frame.method, instruction)
        takes_receiver = self._has_receiver(frame.method, instruction)
        kind = GUESSED if effect.guessed else DATA
        result = self.index.word(frame, row, instruction, 0, after=True)
        receiver = self.receiver(site)
        name = site.code.called.name if site.code.called else ""
        if effect.word in ("nothing", "runs"):
            return
        if effect.word == "calls":
            answering = [each for each in self.index.children(frame, row) if _gives_a_value(each)]
            if answering:
                yield from self._returned(frame, row, instruction, answering[-1])
                for operand in range(len(site.code.operands)):
                    yield from self.operand(frame, row, instruction, operand, BASE)
                return
        if effect.word in _ENTRY_READERS and receiver:
            found = list(self._entry(site, effect, receiver))
            if found:
                yield from found
                yield from self._keys(site, effect, arguments)
                yield from self.operand(frame, row, instruction, 0, BASE)
                return
        if (
            result is not None
            and result[0] == Word.OBJECT
            and result[1]
            and effect.word not in ("value", "makes", "constant")
        ):
            holder = self._identity(site, receiver, result[1])
            if holder is not None:
                yield Edge(holder, DATA, f"{name}()")
                if takes_receiver:
                    yield from self.operand(frame, row, instruction, 0, BASE)
                return
        if receiver and effect.word in READERS_AT_A_POSITION:
            yield from self._position(site, receiver)
        if effect.word == "finds":
            holder = self._equal_value(site) or self._last_put(site, receiver)
            if holder is not None:
                yield Edge(holder, DATA, f"{name}()")
                for operand in range(len(site.code.operands)):
                    yield from self.operand(frame, row, instruction, operand, BASE)
                return
        if effect.word == "value" and takes_receiver:
            yield from self.operand(frame, row, instruction, 0, kind)
        if effect.word in ("gets", "through", "element", "peeks"):
            yield from self._keys(site, effect, arguments)
        else:
            is_object = result is not None and result[0] == Word.OBJECT and not self._has_value(site)
            for each in arguments:
                if is_object and not content:
                    yield from self.operand(frame, row, instruction, each.operand, kind)
                else:
                    yield from self._argument(site, each, kind)
                    if each.letters == "o" and not each.type.startswith("["):
                        yield from self._content(site, each)
        if effect.word in ("value", "constant") and result is not None and result[0] == Word.OBJECT and result[1]:
            # The app's own code may have made what is found: the constant of an enum.
            made = self.making(result[1], site.time)
            if made is not None and made.role == MADE:
                yield Edge(made, DATA, f"{name}()")
        if not takes_receiver or effect.word == "value":
            return
        yield from self.operand(frame, row, instruction, 0, BASE)
        # An object is a reference: what it holds matters to calls that read it.
        is_reference = result is not None and result[0] == Word.OBJECT and not self._has_value(site)
        is_property = bool(effect.arguments) and isinstance(effect.arguments[0], str)
        if effect.word != "makes" and receiver and (content or not is_reference) and not is_property:
            yield from self._state(receiver, site, kind)

    def _has_value(self, site: CallSite) -> bool:
        """Whether the result is a text or a number and not an object with a state of its own."""
        if not site.code.after.startswith("ov"):
            return False
        called = site.code.called
        if called is not None and called.descriptor.rpartition(")")[2] not in _ANY_OBJECT:
            return True
        found = self.index.word(site.frame, site.row, site.instruction, 1, after=True)
        return found is None or found[1] != 0

    def _argument(self, site: CallSite, argument: Argument, kind: DependenceKind) -> Iterator[Edge]:
        """The dependence on an argument whose value a call uses; of an array, on its elements too."""
        yield from self.operand(site.frame, site.row, site.instruction, argument.operand, kind)
        if argument.type.startswith("[") and kind is not BASE:
            identity = self.index.object_of(site.frame, site.row, site.instruction, argument.slot)
            if identity:
                yield from self._elements_of(identity, site.time)
                made = self.making(identity, site.time)
                if made is not None and made.role == WHOLE:
                    yield Edge(made._replace(role=CONTENT), kind)

    def _keys(self, site: CallSite, effect: CallEffect, arguments: tuple[Argument, ...]) -> Iterator[Edge]:
        if effect.arguments and isinstance(effect.arguments[0], int) and effect.arguments[0] <= len(arguments):
            operand = arguments[effect.arguments[0] - 1].operand
            yield from self.operand(site.frame, site.row, site.instruction, operand, BASE)

    def _put(self, site: CallSite, effect: CallEffect) -> Iterator[Edge]:
        """A value that a call put into its receiver."""
        _, arguments = self.arguments(site.frame.method, site.instruction)
        frame, row, instruction = site.frame, site.row, site.instruction
        if effect.word == "fills":
            for each in arguments:
                yield from self.operand(frame, row, instruction, each.operand, BASE)
            return
        number = value_argument(effect)
        for position, each in enumerate(arguments, 1):
            kind = DATA if effect.word != "saves" and number in (None, position) else BASE
            yield from self._argument(site, each, kind)
        if self._has_receiver(frame.method, instruction):
            yield from self.operand(frame, row, instruction, 0, BASE)
        if effect.word == "copies" and number is not None and number <= len(arguments):
            word = self.index.word(frame, row, instruction, arguments[number - 1].slot)
            if word is not None and word[0] == Word.OBJECT and word[1]:
                yield from self._state(word[1], site, DATA)

    def _changed(self, site: CallSite, effect: CallEffect) -> Iterator[Edge]:
        """A change of the receiver: what it was given, and all earlier changes."""
        kind = GUESSED if effect.guessed else DATA
        for edge in self._put(
            site, CallEffect("changes") if effect.word in ("pops", "takesLast", "clears") else effect
        ):
            yield edge if edge.kind is not DATA else Edge(edge.target, kind, edge.what)
        receiver = self._altered(site, effect) if effect.word == "alters" else self.receiver(site)
        if receiver and effect.word != "clears":
            yield from self._state(receiver, site, kind)

    def _content(self, site: CallSite, argument: Argument) -> Iterator[Edge]:
        """What an argument holds: the elements of an array, the state of an object whose class is not recorded."""
        identity = self.index.object_of(site.frame, site.row, site.instruction, argument.slot)
        if not identity or self.index.is_component(identity):
            return
        if argument.type.startswith("["):
            yield from self._elements_of(identity, site.time)
        elif any(effect.changes_state for _, effect in self.history(identity)):
            yield from self._state(identity, site, DATA)

    def constants(self, site: CallSite) -> Iterator[Edge]:
        """All constants of the enum that a call is given: the elements of what its `values()` returned last.

        The platform asks an enum for its constants once, and fails if it finds none of the name, or if one is null.
        """
        given = self.source_of(site.frame, site.row, site.instruction, 0)
        if not isinstance(given, Node):
            return
        name = self.index.frame_of(given.row).method.code.instructions[given.instruction].text
        table = next(
            (each for each in self.index.tables.methods if each.owner.name == name and each.code.name == "values"), None
        )
        if table is None:
            return
        starts = np.flatnonzero((self.index.kind == Word.BLOCK) & (self.index.payload == table.code.first_block))
        until = self.index.next_row(site.frame, site.row)
        end = len(self.index.words) if until is None else int(self.index.time[until])
        for start in reversed(starts[: int(starts.searchsorted(end))].tolist()):
            frame = self.index.frame_of(int(self.index.row_of[start]))
            block = table.code.blocks[int(frame.blocks[-1])]
            if frame.unwound or table.code.instructions[block.last].op is not Op.RETURN:
                continue
            row = int(frame.block_rows[-1])
            yield Edge(Node(row, block.last), DATA, "values()")
            made = self.source_of(frame, row, block.last, 0)
            if isinstance(made, Node):
                array = self.index.object_of(frame, made.row, made.instruction, after=True)
                if array:
                    yield from self._elements_of(array, int(self.index.time[row]) + 1)
                    yield Edge(made._replace(role=CONTENT), DATA, "values()")
            return


def _gives_a_value(frame: CallFrame) -> bool:
    """Whether a method ended by returning something."""
    block = frame.method.code.blocks[int(frame.blocks[-1])]
    if frame.unwound or block.last < block.first:
        return False
    last = frame.method.code.instructions[block.last]
    return last.op is Op.RETURN and bool(last.operands)
