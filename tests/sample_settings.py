"""The settings in which the known crashes of the sample apps happen; also for benchmarks."""

from __future__ import annotations

from fewtaps.device.session import DEFAULT_SETTINGS, SessionSettings

SETTINGS = {
    # It crashes only without another app that shows a map.
    "zones": SessionSettings(neighbours="absent"),
    # It crashes on what a server answers.
    "pocket": SessionSettings(network="online"),
}


def settings_of(sample: str) -> SessionSettings:
    """How to open a sample so that its known crashes happen."""
    return SETTINGS.get(sample, DEFAULT_SETTINGS)
