"""Commands of the device's shell that start agents of other tools: app_process, and what `am instrument` does."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from fewtaps.adbd.agent import agent_service
from fewtaps.adbd.appium.server import AppiumServer
from fewtaps.adbd.channel import Pause
from fewtaps.adbd.guests import APPIUM, APPIUM_TEST, MAESTRO, MAESTRO_TEST, OpenAgent, RunningAgent
from fewtaps.adbd.shell import CommandCall, Running, ShellCommand
from fewtaps.errors import UsageError

AGENT_CLASS = "com.wetest.uia2.Main"
"""The main class of uiautomator2's server."""
UIAUTOMATOR2 = "app_process"
UIAUTOMATOR2_PORT, APPIUM_PORT, MAESTRO_PORT = 9008, 6790, 7001


def _app_process(call: CommandCall) -> Running:
    if AGENT_CLASS not in call.arguments:
        return call.fail(
            "app_process: this device runs no code of other programs; uiautomator2's server is the one it answers for"
        )
    words = call.arguments
    port = words[words.index("-p") + 1] if "-p" in words[:-1] else str(UIAUTOMATOR2_PORT)
    return (yield from _listen(call, UIAUTOMATOR2, port, lambda: agent_service))


def instrument(call: CommandCall, words: Sequence[str]) -> int | Running:
    """`am instrument`: answers for the agents that it knows, until they are stopped; refuses others in one line."""
    name = next((word for word in reversed(words) if "/" in word), "")
    started = _AGENTS.get(name.partition("/")[0])
    if started is None:
        return call.fail(
            f"INSTRUMENTATION_FAILED: {name[:120]}: this device runs no code of other programs; it answers for the "
            "agents of Appium, Maestro and uiautomator2, see docs/adb.md"
        )
    process, usual, make = started
    extras = dict(zip(words, words[1:], strict=False)) if "port" in words else {}
    return _listen(call, process, extras.get("port", str(usual)), make)


def _listen(call: CommandCall, process: str, port: str, make: Callable[[], OpenAgent]) -> Running:
    """Answers on a port until the client ends the command or the agent."""
    agents = call.phone.guests.agents
    number = int(port) if re.fullmatch(r"\d{1,5}", port) else 0
    if not 0 < number < 65536 or number in agents:
        return call.fail(f"java.net.BindException: port {port[:20]} cannot be used")
    agent = agents[number] = RunningAgent(process, make())
    if process == UIAUTOMATOR2:
        call.say("[server] INFO: [UiAutomator2Server] Starting Server")
    else:
        # Clients wait for the first output before they go on.
        call.say(f"INSTRUMENTATION_STATUS: class={process}", "INSTRUMENTATION_STATUS_CODE: 1")
    try:
        while not (call.stdout.is_broken or call.stdin.is_broken or agent.is_stopped):
            yield Pause(until=call.phone.clock() + STOP_SECONDS)
    finally:
        if agents.get(number) is agent:
            del agents[number]
    if process != UIAUTOMATOR2:
        call.say("INSTRUMENTATION_CODE: -1")
    return 0


def _maestro() -> OpenAgent:
    """Maestro's driver. Raises UsageError if what it needs is not installed."""
    try:
        from fewtaps.adbd.maestro.server import maestro_service
    except ImportError as error:
        raise UsageError("Maestro's driver needs a package: pip install 'fewtaps[maestro]'") from error
    return maestro_service


STOP_SECONDS = 0.2
"""How often a command looks whether its agent was stopped."""

_AGENTS: dict[str, tuple[str, int, Callable[[], OpenAgent]]] = {
    APPIUM_TEST: (APPIUM, APPIUM_PORT, lambda: AppiumServer().serve),
    MAESTRO_TEST: (MAESTRO, MAESTRO_PORT, _maestro),
}
"""The packages of instrumentations: process, usual port, and what answers on it."""

AGENT_COMMANDS: dict[str, ShellCommand] = dict.fromkeys(("app_process", "app_process64", "app_process32"), _app_process)
"""The commands that start agents, by name."""
