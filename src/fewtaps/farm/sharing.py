"""Which slots a run may use: shares by width, and as few changes as possible when slots or runs come and go."""

from __future__ import annotations

from collections.abc import Mapping, Sequence


def share_out(slots: Sequence[str], widths: Mapping[str, int], owners: Mapping[str, str]) -> dict[str, list[str]]:
    """The slots of each run. `widths` are the runs that want slots, `owners` the runs that had them so far.

    A run gets no more slots than its width. If there are more runs than slots, several runs share a slot.
    """
    runs = list(widths)
    if not slots or not runs:
        return {run: [] for run in runs}
    if len(slots) <= len(runs):
        return {run: [slots[number % len(slots)]] for number, run in enumerate(runs)}
    counts = dict.fromkeys(runs, 1)
    for _ in range(len(slots) - len(runs)):
        hungry = [run for run in runs if counts[run] < widths[run]]
        if not hungry:
            break
        counts[min(hungry, key=lambda run: counts[run] / widths[run])] += 1
    shares: dict[str, list[str]] = {run: [] for run in runs}
    free: list[str] = []
    for slot in slots:
        owner = owners.get(slot, "")
        if owner in shares and len(shares[owner]) < counts[owner]:
            shares[owner].append(slot)
        else:
            free.append(slot)
    for run in runs:
        while len(shares[run]) < counts[run]:
            shares[run].append(free.pop(0))
    return shares
