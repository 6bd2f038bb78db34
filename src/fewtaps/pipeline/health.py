"""Looks at the machine: what is there, what is missing, what to do about it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from importlib import metadata
from importlib.util import find_spec

from fewtaps.device.backend import Health, HealthCheck
from fewtaps.device.registry import BACKENDS, DEFAULT_BACKEND


def diagnose() -> Iterator[HealthCheck]:
    """Looks at the machine: the checks of each backend, then of extras. Changes nothing and downloads nothing."""
    for backend in BACKENDS.values():
        yield from backend.check_machine()
    yield _check_farm()
    yield _check_agent_sdk()


def _check_farm() -> HealthCheck:
    """Whether the engine of farms is installed; it is not imported."""
    if find_spec("distributed") is None:
        advice = "needed for `fewtaps farm` and --farm only: pip install 'fewtaps[farm]'"
        return HealthCheck("farm", Health.OPTIONAL, "not installed", advice)
    return HealthCheck("farm", Health.GOOD, f"Dask distributed {metadata.version('distributed')}")


def _check_agent_sdk() -> HealthCheck:
    """Whether `fewtaps mcp` can serve coding agents."""
    if find_spec("mcp") is None:
        return HealthCheck("mcp", Health.OPTIONAL, "no SDK for `fewtaps mcp`", "pip install 'fewtaps[mcp]'")
    return HealthCheck("mcp", Health.GOOD, f"SDK {metadata.version('mcp')} for `fewtaps mcp`")


def verdict(checks: Sequence[HealthCheck]) -> str:
    """Whether the default device can run here, in one sentence; `checks` are all those of `diagnose`."""
    bad = [check for check in checks if check.health is Health.BAD]
    if not bad:
        return f"The {DEFAULT_BACKEND} can run here."
    if all(check.way_out for check in bad):
        return f"The {DEFAULT_BACKEND} runs here only with {bad[0].way_out}."
    return f"The {DEFAULT_BACKEND} cannot run here yet."
