"""Control dependence: which blocks of a method decide whether another one runs.

Post-dominators over the blocks' successors, with one virtual exit, and with the exceptional edges that this recording
took.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from fewtaps.model.recorded_code import RETURNS, MethodCode, Op

Edges = Mapping[int, frozenset[tuple[int, int]]]
"""For a block the exceptional edges taken: the block arrived at (`RETURNS` if the frame ended), the thrower."""


def deciders(method: MethodCode, taken: Edges) -> dict[int, tuple[tuple[int, int], ...]]:
    """For each block the blocks that decide about it, each with the deciding instruction."""
    count = len(method.blocks)
    end = count
    successors = [_successors(method, block, taken.get(block, frozenset()), end) for block in range(count)]
    _reach_the_end(successors, end)
    parents = _post_dominators(successors, end)
    found: dict[int, set[tuple[int, int]]] = {}
    for block in range(count):
        if len(successors[block]) < 2:
            continue
        instruction = _deciding_instruction(method, block, taken)
        stop = parents[block]
        for successor in successors[block]:
            runner = successor
            while runner != stop and runner != end and runner >= 0:
                found.setdefault(runner, set()).add((block, instruction))
                runner = parents[runner]
    return {block: tuple(sorted(branches)) for block, branches in found.items()}


def _successors(method: MethodCode, block: int, taken: frozenset[tuple[int, int]], end: int) -> list[int]:
    normal = {end if each == RETURNS else each for each in method.blocks[block].successors}
    exceptional = {end if each == RETURNS else each for each, _ in taken}
    return sorted(normal | exceptional) or [end]


def _deciding_instruction(method: MethodCode, block: int, taken: Edges) -> int:
    """The last instruction if it branches, else the one that threw in this recording."""
    last = method.blocks[block].last
    if last >= method.blocks[block].first and method.instructions[last].op in (Op.BRANCH, Op.SWITCH):
        return last
    throwers = [thrower for _, thrower in taken.get(block, ()) if thrower >= 0]
    return max(throwers, default=last)


def _reach_the_end(successors: list[list[int]], end: int) -> None:
    """Endless loops get an edge to the exit, at the first of their blocks: post-dominators need one."""
    backwards: dict[int, list[int]] = {}
    for block, following in enumerate(successors):
        for each in following:
            backwards.setdefault(each, []).append(block)
    reached = {end}
    waiting = [end]
    lost = 0
    while True:
        while waiting:
            for each in backwards.get(waiting.pop(), ()):
                if each not in reached:
                    reached.add(each)
                    waiting.append(each)
        while lost < len(successors) and lost in reached:
            lost += 1
        if lost == len(successors):
            return
        target = _loop_head(successors, lost)
        successors[target].append(end)
        backwards.setdefault(end, []).append(target)
        reached.add(target)
        waiting.append(target)


def _loop_head(successors: Sequence[Sequence[int]], start: int) -> int:
    """A block in a cycle that can be reached from `start`: the first that is met twice on a walk."""
    seen: set[int] = set()
    block = start
    while block not in seen:
        seen.add(block)
        block = successors[block][0]
    return block


def _post_dominators(successors: Sequence[Sequence[int]], end: int) -> list[int]:
    """The immediate post-dominator of each block; the exit's is itself, -1 for what is never left."""
    order = _postorder(successors, end)
    number = {block: place for place, block in enumerate(order)}
    parents = [-1] * (end + 1)
    parents[end] = end
    changed = True
    while changed:
        changed = False
        for block in reversed(order):
            if block == end:
                continue
            best = -1
            for each in successors[block]:
                if each not in number or parents[each] == -1:
                    continue
                best = each if best == -1 else _meet(each, best, parents, number)
            if best != parents[block]:
                parents[block] = best
                changed = True
    return parents


def _meet(first: int, second: int, parents: Sequence[int], number: Mapping[int, int]) -> int:
    while first != second:
        while number[first] < number[second]:
            first = parents[first]
        while number[second] < number[first]:
            second = parents[second]
    return first


def _postorder(successors: Sequence[Sequence[int]], end: int) -> list[int]:
    """The blocks in postorder of the reversed graph, from the exit."""
    backwards: list[list[int]] = [[] for _ in range(end + 1)]
    for block, following in enumerate(successors):
        for each in following:
            backwards[each].append(block)
    order: list[int] = []
    seen = {end}
    stack = [(end, iter(backwards[end]))]
    while stack:
        block, rest = stack[-1]
        for each in rest:
            if each not in seen:
                seen.add(each)
                stack.append((each, iter(backwards[each])))
                break
        else:
            order.append(block)
            stack.pop()
    return order
