"""Fixtures that several rooms share: sessions of the simulated sample apps."""

from __future__ import annotations

import gc
import signal
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from apk_parts import decode_here
from builders import OpenProgram
from hypothesis import HealthCheck, settings
from hypothesis.internal.conjecture import providers

from fewtaps.device.session import DEFAULT_SETTINGS, SessionSettings
from fewtaps.device.simulated.device import SimulatedDevice, SimulatedSession
from fewtaps.device.simulated.program import Program

# The same examples on every run, however busy the machine is; a new seed is a deliberate act.
settings.register_profile(
    "fewtaps", derandomize=True, deadline=None, max_examples=60, suppress_health_check=[HealthCheck.too_slow]
)
# For `make test-fast`: fewer examples where a test does not say how many it needs.
settings.register_profile("fast", parent=settings.get_profile("fewtaps"), max_examples=10)
settings.load_profile("fewtaps")
# Hypothesis draws some examples from the constants in the modules of ours that are imported so far: under several
# processes these differ from run to run, and so would the examples, in spite of `derandomize`.
vars(providers)["is_local_module_file"] = lambda path: False

# Tests send Ctrl-C to commands. A command inherits it as ignored where the test run was started so, as by `nohup` and
# as a background job of a script, and then never ends.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Under `pytest -n … --dist loadgroup`, keep the tests of a file that start twins in one process.

    They share one twin for each process, which takes seconds to start and holds 600 MB.
    """
    for item in items:
        if item.get_closest_marker("jvm") is not None:
            item.add_marker(pytest.mark.xdist_group(item.path.stem))


def pytest_collection_finish() -> None:
    """Keep the collected tests out of the garbage collector's sight: each of its full rounds took half a second."""
    gc.collect()
    gc.freeze()


@pytest.fixture(autouse=True)
def leaves_no_project() -> Iterator[None]:
    """A command without a folder makes its project where it is called: no test leaves one beside the sources."""
    here = Path.cwd()
    before = set(here.glob("fewtaps-*"))
    yield
    left = sorted(path.name for path in set(here.glob("fewtaps-*")) - before)
    assert not left, f"the test left {', '.join(left)} in {here}"


@pytest.fixture
def decoded_here(monkeypatch: pytest.MonkeyPatch) -> None:
    """APKs are decoded in this process: the child process, which tests/apk tests, takes 0.25 s to start."""
    monkeypatch.setattr("fewtaps.apk.xml.decode_in_child", decode_here)


@pytest.fixture
def open_program() -> Iterator[OpenProgram]:
    """Opens programs on simulated devices; all are closed after the test."""
    with ExitStack() as stack:

        def opened(program: Program, settings: SessionSettings = DEFAULT_SETTINGS) -> SimulatedSession:
            return stack.enter_context(SimulatedDevice([program]).open(program.app, settings))

        yield opened
