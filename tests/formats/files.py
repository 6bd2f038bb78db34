"""Small foreign files for the tests of the formats."""

from __future__ import annotations

from pathlib import Path

from fewtaps.formats.monkeyscript import read_monkey_script
from fewtaps.formats.recording import Recording
from fewtaps.model.event import Event


def write(folder: Path, text: str, name: str = "recorded") -> Path:
    """A file with this text."""
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def script(folder: Path, *commands: str, header: str = "type= user\ncount= 1\nspeed= 1.0\n") -> Recording:
    """The recording of a Monkey script with these commands after a launch."""
    lines = ["start data >>", "LaunchActivity(com.example.app, .Main)", *commands]
    return read_monkey_script(write(folder, header + "\n".join(lines) + "\n"))


def events(recording: Recording) -> list[Event]:
    """What was done after the launch."""
    return [step.event for step in recording.steps[1:]]
