"""`fewtaps mcp` on a real twin: a conversation that finds and explains a crash, and a client that is killed."""

from __future__ import annotations

import os
import shutil
import signal
import sys
import time
from pathlib import Path

import pytest
from agentserver.conversation import Conversation, converse
from processes import started

from fewtaps.device.twin.jail import jail_problem

SAMPLES = Path(__file__).resolve().parents[2] / "samples"
pytestmark = pytest.mark.jvm
OPTIONS = () if jail_problem() is None else ("--no-jail",)

CLIENT = """
import sys
from pathlib import Path
from agentserver.conversation import Conversation, converse

async def said(agent):
    await agent.call("open_app", app="calc.apk")
    print("open", flush=True)
    await agent.call("run", app="calc.apk", minutes=10)

converse(said, [Path(sys.argv[1])], *sys.argv[2:])
"""


@pytest.fixture
def allowed(tmp_path: Path) -> Path:
    """A folder with an app and its sources, which is all that the tools may reach."""
    shutil.copy(SAMPLES / "calc.apk", tmp_path)
    shutil.copytree(SAMPLES / "calc", tmp_path / "sources")
    return tmp_path


def test_a_conversation_finds_and_explains_a_crash_of_a_real_app(allowed: Path) -> None:
    async def said(agent: Conversation) -> None:
        opened = await agent.call("open_app", app="calc.apk", picture=True)
        assert opened.pictures and opened.data["app_activity"] == "dev.fewtaps.samples.calc.MainActivity"
        less = next(each["number"] for each in opened.data["widgets"] if each["app_id"] == "less_height")
        await agent.call("rotate")
        await agent.call("tap", number=less)
        shown = await agent.call("screen")
        crashed = await agent.call("tap", number=shown.numbers["Compress"])
        assert crashed.data["ending"] == "crashed"
        name = crashed.data["crash"]["id"]
        assert (await agent.call("undo")).data["widgets"] == shown.data["widgets"]
        await agent.call("tap", number=shown.numbers["Compress"])
        await agent.call("save_steps", path="crash.jsonl")
        await agent.call("close_app")
        ran = await agent.call("run", app="calc.apk", minutes=5, events=40)
        assert name in {each["crash"]["id"] for each in ran.data["crashes"]}
        why = await agent.call("explain", project="calc.apk", id=name[:6], sources="sources")
        failed = why.data["lines"][0]
        assert (failed["app_place"], failed["app_code"]) == ("MainActivity.java:32", "int maxRatio = width / height;")
        detail = await agent.call("crash", project="calc.apk", id=name, pictures=True)
        assert len(detail.data["slice"]["lines"]) == len(why.data["lines"]) and detail.pictures
        covered = await agent.call("coverage", project="calc.apk", class_name="MainActivity")
        assert covered.data["classes"][0]["lines_covered"] > 10

    converse(said, [allowed], *OPTIONS)


def test_a_killed_client_leaves_no_process_of_the_twin(allowed: Path) -> None:
    with started([sys.executable, "-c", CLIENT, str(allowed), *OPTIONS], env=with_tests()) as client:
        assert client.stdout is not None and client.stdout.readline() == "open\n"
        members = descendants(client.pid)
        # The server, the jail if there is one, and Java.
        assert len(members) >= 2
        client.send_signal(signal.SIGKILL)
        client.wait()
        deadline = time.monotonic() + 30
        while (left := [pid for pid in members if is_running(pid)]) and time.monotonic() < deadline:
            time.sleep(0.1)
        assert not left


def with_tests() -> dict[str, str]:
    """The environment in which a child finds the modules of the tests."""
    folders = (str(SAMPLES.parent / "tests"), os.environ.get("PYTHONPATH", ""))
    return {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, folders))}


def descendants(pid: int) -> list[int]:
    """The children of a process, of any of its threads, and theirs."""
    parents = {number: fields[1] for number in all_processes() if (fields := status_fields(number))}
    found = [pid]
    for each in found:
        found += [number for number, parent in parents.items() if parent == str(each)]
    return found[1:]


def all_processes() -> list[int]:
    return [int(path.name) for path in Path("/proc").iterdir() if path.name.isdecimal()]


def status_fields(pid: int) -> list[str]:
    """The state and the parent of a process; empty if there is none."""
    try:
        return Path(f"/proc/{pid}/stat").read_text("utf-8").rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return []


def is_running(pid: int) -> bool:
    """Whether there is such a process that is not just waiting to be collected by its parent."""
    return status_fields(pid)[:1] not in ([], ["Z"])
