"""Operands and parameters: their producer, the argument of the call, or what gave the object away."""

from __future__ import annotations

from collections.abc import Iterator

from fewtaps.model.run_record import Word
from fewtaps.model.slice import DependenceKind
from fewtaps.slicing.call_sites import CallSites
from fewtaps.slicing.nodes import (
    MADE,
    SEARCHED_CALLS,
    WHOLE,
    Edge,
    Node,
    parameter_name,
)
from fewtaps.slicing.recording import CallFrame


class Parameters(CallSites):
    """Follows an operand out of its frame."""

    def operand(
        self, frame: CallFrame, row: int, instruction: int, operand: int, kind: DependenceKind, what: str = ""
    ) -> Iterator[Edge]:
        """The dependence on the producer of an operand."""
        found = self.producer(frame, row, instruction, operand)
        if isinstance(found, Node):
            yield Edge(found, kind, what)
        elif found is not None:
            yield from self.parameter(frame, found, kind)

    def parameter(self, frame: CallFrame, number: int, kind: DependenceKind) -> Iterator[Edge]:
        """The dependence of a parameter's value: on the argument of the call, or on what gave the object away."""
        name = parameter_name(frame.method, number)
        called = self.call_of(frame)
        if called is not None and self.is_direct(*called, frame):
            parent, row, call = called
            operand = number
            if operand < len(parent.method.code.instructions[call].operands):
                yield Edge(Node(row, call, operand + 1), kind, name)
            return
        time = int(self.index.time[frame.start])
        identity = self.index.entry_word(frame, number)
        if identity is not None and identity[0] == Word.OBJECT and identity[1]:
            yield from self._arrival(identity[1], time, kind, name)
        elif called is not None and number:
            parent, row, call = called
            yield Edge(Node(row, call, WHOLE), kind, name)

    def _arrival(self, identity: int, time: int, kind: DependenceKind, name: str) -> Iterator[Edge]:
        """Where an object came from that code outside gave to a method here."""
        if self.index.is_component(identity):
            return  # Objects that were given an activity, such as its views, did not give it to its callbacks.
        given = self.index.handed.before(identity, time)
        back = self.index.returned.before(identity, time)
        if len(back) and (not len(given) or back[-1] > given[-1]):
            frame, row, instruction = self.index.instance(int(back[-1]))
            yield Edge(Node(row, instruction), kind, name)
            return
        for each in reversed(given[-SEARCHED_CALLS:].tolist()):
            site, argument = self.site(each)
            called = site.code.called
            to_parent = called is not None and called.kind == "special" and called.name != "<init>"
            if argument is not None and not to_parent:
                yield Edge(Node(site.row, site.instruction, argument.operand + 1), kind, name)
                return
        # What code outside made and gave to a callback leads nowhere.
        made = self.making(identity, time)
        if made is not None and made.role == MADE:
            yield Edge(made, kind, name)
