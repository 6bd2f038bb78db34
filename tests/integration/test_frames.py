"""Frames of a group that prepares itself while it draws, as Compose does: drawn when they are due, and accelerated."""

from __future__ import annotations

import pytest
from integration.conftest import OpenSample
from integration.player import Player

pytestmark = pytest.mark.jvm


def test_a_frame_is_drawn_before_the_next_one_asks(open_sample: OpenSample) -> None:
    player = Player(open_sample("frames"))
    assert "ready, accelerated" in player.tap("Next frame").texts
    assert "drawn 9 times" in player.tap("Animation").texts
    assert player.step.crash is None
    assert player.session.screenshot()
