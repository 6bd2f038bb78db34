"""What the conformance checks need to know of the twin: a sample app, and what its buttons do."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from fewtaps.apk.reader import read_apk
from fewtaps.device.conformance import Subject
from fewtaps.device.twin.device import TwinDevice
from fewtaps.device.twin.jail import jail_problem
from fewtaps.model.event import Selector, Tap, Text
from fewtaps.model.screen import Screen

SAMPLE = Path(__file__).resolve().parents[2] / "samples" / "tipsplit.apk"
IDS = "dev.fewtaps.samples.tipsplit:id/"


@contextmanager
def open_subject() -> Iterator[Subject]:
    """The bill splitter on a twin of its own: 'more' changes the screen, and sharing among nobody crashes."""
    with TwinDevice(jail=jail_problem() is None) as device, device.open(read_apk(SAMPLE)) as session:
        first = session.launch().after
        fewer, more, split = (_tap(first, name) for name in ("fewer", "more", "split"))
        bill = Selector(resource_id=f"{IDS}bill")
        yield Subject(
            session,
            changes=(more, more, fewer),
            crashes=(Text("60", replace=True, selector=bill), fewer, fewer, split),
            field=bill,
            device=device,
        )


def _tap(screen: Screen, name: str) -> Tap:
    located = screen.find(Selector(resource_id=IDS + name))
    assert located is not None, f"the sample's first screen has no {name}"
    return Tap(*located.widget.bounds.centre)
