"""Runs that clients made are traces, which the device plays again step by step."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest
from adbd.rig import shell, simulated_phone

from fewtaps.device.session import SessionSettings
from fewtaps.device.simulated.device import SimulatedDevice
from fewtaps.replay import play
from fewtaps.tracefile import trace_to_bytes

PACKAGES = ("com.example.bill", "com.example.notes", "com.example.feed", "com.example.flakylock", "com.example.wizard")


def script(random: Random, package: str) -> str:
    """A shell script as a tool might send it."""
    lines = [f"pm clear {package}", f"am start -n {package}/.Main"]
    for _ in range(random.randrange(2, 15)):
        x, y = random.randrange(720), random.randrange(60, 1000)
        lines.append(
            random.choice(
                [f"input tap {x} {y}"] * 6
                + [f"input swipe {x} {y} {x} {y} 900", f"input swipe {x} {y} {x} {max(0, y - 400)} 200"]
                + ["input keyevent BACK", "input text 12", "sleep 1", "uiautomator dump", "dumpsys window"]
                + ["settings put system accelerometer_rotation 0; settings put system user_rotation 1"]
                + [f"am start {package}", f"monkey -p {package} -s {x} 3"]
            )
        )
    return "\n".join(lines)


@pytest.mark.slow
def test_fifty_recorded_runs_are_played_again_byte_for_byte(tmp_path: Path) -> None:
    device = SimulatedDevice()
    random = Random(19)
    played = 0
    while played < 50:
        package = PACKAGES[played % len(PACKAGES)]
        with simulated_phone(package, world=played % 3) as (phone, runs):
            shell(phone, script(random, package))
            phone.stop()
        app = next(each for each in device.apps if each.package == package)
        for run in runs:
            with device.open(app, SessionSettings()) as session:
                again = play(session, run.trace.events, world=run.trace.world)
            assert trace_to_bytes(again) == trace_to_bytes(run.trace)
            played += 1
