"""Tables of the probes of instrumented apps."""

from __future__ import annotations

from typing import Any

import pytest

from fewtaps.model.coverage import Coverage, ProbeSet
from fewtaps.model.probe_table import ProbeTable


def table(*probes: Any, **changed: Any) -> dict[str, Any]:
    about = {"name": "a.B", "methods": [[0, "c", "()V", 3]], "lines": [[0, 3], [1, 4]]}
    return {"version": 1, "origin": "0" * 64, "scope": "app", "classes": [about], "probes": list(probes), **changed}


def test_hits_prove_what_their_probes_prove_together() -> None:
    read = ProbeTable.from_json(table([[], [0, [3, 6]], [0]], [[7], [[4, 8]], [0, 2]], [[], [20], []]))
    assert read.coverage(ProbeSet.of([0, 1])) == Coverage(
        ProbeSet.of([7]), ProbeSet.of([0, 3, 4, 5, 6, 7, 8]), ProbeSet.of([0, 2])
    )
    assert read.coverage(ProbeSet.of([2, 3, 900])) == Coverage(lines=ProbeSet.of([20]))
    assert read.coverage(ProbeSet()) == Coverage()


def test_many_probes_that_prove_much_take_no_room_for_it() -> None:
    probe = [[[0, (1 << 26) - 1]]] * 3
    read = ProbeTable.from_json(table(*[probe] * 10_000))
    assert len(read.proofs) == 10_000 and read.coverage(ProbeSet.of([10_000])) == Coverage()


@pytest.mark.parametrize(
    "record",
    [
        [],
        table(version=2),
        table(origin=3),
        table([[], []]),
        table([[], [[5, 3]], []]),
        table([[], [-1], []]),
        table([[], [1 << 26], []]),
        table(classes=[{"name": "a.B", "lines": [[[], 3]]}]),
        table(classes=[{"name": 5}]),
        table(classes=[{"name": "a.B", "methods": [[0, "c"]]}]),
    ],
)
def test_anything_else_is_refused(record: object) -> None:
    with pytest.raises(ValueError, match=r"."):
        ProbeTable.from_json(record)
