"""An app in pieces on the twin: its resources come from the splits that fit the phone."""

from __future__ import annotations

from pathlib import Path

import pytest

from fewtaps.apk.pieces import assemble
from fewtaps.apk.reader import read_apk
from fewtaps.device.twin.device import TwinDevice
from fewtaps.model.profile import PROFILES

BUNDLE = Path(__file__).resolve().parents[2] / "samples" / "pieces" / "split.apks"


@pytest.mark.jvm
def test_resources_come_from_the_splits_that_fit_the_phone(twin: TwinDevice) -> None:
    with twin.open(read_apk(assemble(str(BUNDLE), PROFILES["default"]))) as session:
        shown = session.launch().after
    assert shown.shows("density xhdpi") and shown.shows("language en") and shown.shows("splits 2")
