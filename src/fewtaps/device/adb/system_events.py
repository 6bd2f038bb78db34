"""Events of the system and intents, as commands of a device's shell."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable

from fewtaps.errors import Unsupported
from fewtaps.formats.adbwriter import intent_commands
from fewtaps.model.event import StartIntent, SystemEvent

AIRPLANE_API, LOCALE_API, TRIM_API = 30, 33, 24
"""The API levels from which the shell can switch airplane mode, set an app's language, and ask it to free memory."""


def system_command(event: SystemEvent, package: str, api: int) -> str:
    """The command that makes an event happen. Raises Unsupported for one that only the system itself may cause."""
    arguments = dict(event.arguments)
    app = shlex.quote(package)
    match event.name:
        case "airplane_mode" if arguments.get("state") in ("true", "false") and api >= AIRPLANE_API:
            verb = "enable" if arguments["state"] == "true" else "disable"
            return f"cmd connectivity airplane-mode {verb}"
        case "battery_low":
            return "dumpsys battery set level 5"
        case "battery_okay":
            return "dumpsys battery set level 90"
        case "power_connected":
            return "dumpsys battery set ac 1"
        case "power_disconnected":
            return "dumpsys battery unplug"
        case "low_memory" if api >= TRIM_API:
            return f"am send-trim-memory {app} RUNNING_CRITICAL"
        case "locale" if arguments.get("to") and api >= LOCALE_API:
            return f"{_set_locales(app)} {shlex.quote(arguments['to'])}"
        case "permission" if arguments.get("name") and arguments.get("to") in ("granted", "denied"):
            verb = "grant" if arguments["to"] == "granted" else "revoke"
            return f"pm {verb} {app} {shlex.quote(arguments['name'])}"
        case "screen_off":
            return "input keyevent KEYCODE_SLEEP"
        case "screen_on":
            return "input keyevent KEYCODE_WAKEUP; wm dismiss-keyguard"
        case "broadcast" if arguments.get("action"):
            extras = (f"--es {shlex.quote(name)} {shlex.quote(value)}" for name, value in event.arguments)
            given = " ".join(extra for extra in extras if not extra.startswith("--es action "))
            return f"am broadcast -a {shlex.quote(arguments['action'])} -p {app} {given}".rstrip()
    raise Unsupported(f"the event {event.name} cannot be caused on this device")


def undo_command(event: SystemEvent, package: str, ask: Callable[[str], str]) -> str:
    """The command that undoes an event at the end, empty if none has to. `ask` runs a command before the event."""
    app = shlex.quote(package)
    match event.name:
        case "airplane_mode":
            was_on = ask("cmd connectivity airplane-mode").strip().startswith("enabled")
            return f"cmd connectivity airplane-mode {'enable' if was_on else 'disable'}"
        case "battery_low" | "battery_okay" | "power_connected" | "power_disconnected":
            return "dumpsys battery reset"
        case "locale":
            # Without a language of its own, the app has that of the system: "… for user 0 are []".
            told = re.search(r" are \[([\w,-]+)\]", ask(f"cmd locale get-app-locales {app} --user current"))
            return f"{_set_locales(app)} {told[1] if told else ''}".rstrip()
        case "screen_off":
            return "input keyevent KEYCODE_WAKEUP; wm dismiss-keyguard"
    return ""


def _set_locales(app: str) -> str:
    return f"cmd locale set-app-locales {app} --user current --locales"


def intent_command(intent: StartIntent, package: str) -> str:
    """The command that starts a component of the app by an intent. Raises Unsupported for one that cannot be said."""
    commands = list(intent_commands(intent, lambda reason: None))
    if not commands:
        raise Unsupported("this intent cannot be said in a shell command")
    within = "" if intent.component else f" -p {shlex.quote(package)}"
    return f"{commands[0].replace('am start', 'am start -W', 1)}{within}"


def was_refused(output: str) -> bool:
    """Whether the device refused a command because only the system may do that."""
    return "SecurityException" in output or "Permission Denial" in output or "Security exception" in output
