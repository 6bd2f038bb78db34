"""What did not happen: writes to another object, writes that came too late, branches that were not taken."""

from __future__ import annotations

from fewtaps.model.slice import Omission
from fewtaps.slicing.criteria import Criterion
from fewtaps.slicing.dependences import Dependences
from fewtaps.slicing.graph import SliceGraph


def omissions_of(dependences: Dependences, criterion: Criterion, graph: SliceGraph) -> tuple[Omission, ...]:
    """The omissions that concern the values of the thin slice nearest to the criterion."""
    return ()
