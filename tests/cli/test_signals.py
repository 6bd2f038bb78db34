"""A signal ends a command within seconds, whatever the app's process is doing meanwhile."""

from __future__ import annotations

import signal
import sys
import time
from pathlib import Path

import pytest
from processes import started

FAKE = Path(__file__).resolve().parents[1] / "device" / "twin" / "fake_bridge.py"
WITHIN_SECONDS = 5.0

# A command whose device is the fake bridge: it says when the event that never ends has begun.
SCRIPT = f"""
import sys, fewtaps.cli.main, fewtaps.cli.show
from fewtaps.device.twin import process
from fewtaps.device.twin.device import TwinDevice
from fewtaps.device.twin.jail import make_place
from fewtaps.model.app import App
from fewtaps.model.event import Text

process.FOREIGN_LIMIT_BYTES = 1 << 60

def start(api):
    return process.BridgeProcess([sys.executable, {str(FAKE)!r}, str(api)], make_place(jailed=False))

def run(apk, as_json):
    with TwinDevice(start=start) as device, device.open(App("com.a", path=apk, digest="0" * 20)) as session:
        session.launch()
        print(device._process.pid, flush=True)
        session.perform(Text(sys.argv[2]))

fewtaps.cli.show.run_show = run
sys.exit(fewtaps.cli.main.main(["show", sys.argv[1]]))
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("how", "number", "code"),
    [
        ("newlines", signal.SIGTERM, 143),
        ("newlines", signal.SIGINT, 130),
        ("drops", signal.SIGTERM, 143),
        ("silence", signal.SIGINT, 130),
    ],
)
def test_a_signal_ends_a_command_while_the_app_floods_drips_or_says_nothing(
    how: str, number: signal.Signals, code: int, tmp_path: Path
) -> None:
    apk = tmp_path / "a.apk"
    apk.write_bytes(b"an apk")
    with started([sys.executable, "-c", SCRIPT, str(apk), how]) as process:
        assert process.stdout is not None
        bridge = int(process.stdout.readline())
        # Long enough for the flood to be under way.
        time.sleep(0.5)
        began = time.monotonic()
        process.send_signal(number)
        _, errors = process.communicate(timeout=60)
        seconds = time.monotonic() - began
    assert process.returncode == code
    assert "Traceback" not in errors
    assert not Path(f"/proc/{bridge}").exists()
    assert seconds < WITHIN_SECONDS
