"""The helpers that tests start processes with."""

from __future__ import annotations

import signal
import sys

import pytest
from processes import started


@pytest.mark.parametrize("handling", [signal.SIG_IGN, signal.default_int_handler])
def test_a_started_process_hears_sigint_even_if_the_test_run_ignores_it(handling: signal.Handlers) -> None:
    before = signal.signal(signal.SIGINT, handling)
    try:
        script = "import time; print('ready', flush=True); time.sleep(60)"
        with started([sys.executable, "-c", script]) as process:
            assert process.stdout is not None and process.stdout.readline() == "ready\n"
            process.send_signal(signal.SIGINT)
            _, errors = process.communicate(timeout=30)
    finally:
        signal.signal(signal.SIGINT, before)
    assert "KeyboardInterrupt" in errors


def test_a_started_process_is_gone_when_its_context_ends() -> None:
    with started([sys.executable, "-c", "import time; time.sleep(600)"]) as process:
        pass
    assert process.returncode == -signal.SIGKILL
