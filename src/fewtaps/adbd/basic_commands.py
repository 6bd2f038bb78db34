"""Commands of the device's shell that concern the shell, its processes and its properties."""

from __future__ import annotations

import re
from datetime import UTC, datetime

from fewtaps.adbd.channel import Pause
from fewtaps.adbd.command_line import MAX_LINE
from fewtaps.adbd.patterns import compiled
from fewtaps.adbd.probe_hits import run_as
from fewtaps.adbd.shell import CommandCall, Running, Shell, ShellCommand
from fewtaps.model.numerals import whole_number

LONGEST_SLEEP_SECONDS = 86_400
MOST_NESTED = 8
"""Shells inside shells."""
LONGEST_FORMAT = 1000
"""Characters of the format of `date`; one of them may stand for hundreds."""
LONGEST_PATTERN = 200
"""Characters of the pattern of `pgrep`."""


def _true(call: CommandCall) -> int:
    return 0


def _false(call: CommandCall) -> int:
    return 1


def _exit(call: CommandCall) -> int:
    word = call.arguments[0] if call.arguments else call.variables["?"]
    call.shell.exit_status = int(word) & 0xFF if re.fullmatch(r"-?\d{1,9}", word) else 2
    return call.shell.exit_status


def _cd(call: CommandCall) -> int:
    path = call.path(call.arguments[0] if call.arguments else "/")
    node = call.phone.files.find(path)
    if node is None or not node.is_folder:
        return call.fail(f"cd: {call.arguments[0]}: {'Not a directory' if node else 'No such file or directory'}", 2)
    call.shell.folder = path
    return 0


def _pwd(call: CommandCall) -> int:
    call.say(call.shell.folder)
    return 0


def _export(call: CommandCall) -> int:
    pairs = (word.partition("=") for word in call.arguments)
    call.shell.assign({name: value for name, equals, value in pairs if equals})
    return 0


def _unset(call: CommandCall) -> int:
    for name in call.arguments:
        if name not in ("?", "$", "#", "0"):
            call.shell.variables.pop(name, None)
    return 0


def _env(call: CommandCall) -> int:
    call.say(*(f"{name}={value}" for name, value in sorted(call.variables.items()) if name.isidentifier()))
    return 0


def _sh(call: CommandCall) -> Running:
    words = [word for word in call.arguments if word not in ("-e", "-x")]
    if words[:1] == ["-c"] and len(words) > 1:
        script = words[1]
    elif words:
        script = call.contents(words[:1], MAX_LINE).decode("utf-8", "surrogateescape")
    else:
        script = (yield from call.read_all(MAX_LINE)).decode("utf-8", "surrogateescape")
    depth = whole_number(call.variables.get("SHLVL", "0"))
    if depth is None or depth >= MOST_NESTED:
        return call.fail("sh: too many shells inside shells")
    inner = Shell(call.phone, call.shell.commands)
    inner.folder = call.shell.folder
    inner.variables |= dict(call.variables) | {"SHLVL": str(depth + 1)}
    return (yield from inner.run(script, call.stdin, call.stdout, call.stderr))


def _prefix(skipped: int = 0) -> ShellCommand:
    """A command that runs the command behind it, after so many words of its own."""

    def run(call: CommandCall) -> Running:
        words = call.arguments
        while words and words[0].startswith("-"):
            words = words[1:]
        words = words[skipped:]
        if not words:
            return 0
        command = call.shell.commands.get(words[0])
        if command is None:
            return call.fail(f"{call.name}: {words[0]}: No such file or directory", 127)
        inner = CommandCall(call.shell, words[0], words[1:], call.stdin, call.stdout, call.stderr, call.variables)
        result = command(inner)
        return result if isinstance(result, int) else (yield from result)

    return run


def _test(call: CommandCall) -> int:
    words = list(call.arguments)
    if call.name == "[" and (not words or words.pop() != "]"):
        return call.fail("[: missing ]", 2)
    negated = False
    while words[:1] == ["!"]:
        negated, words = not negated, words[1:]
    return 0 if _holds(call, words) != negated else 1


def _holds(call: CommandCall, words: list[str]) -> bool:
    match words:
        case []:
            return False
        case [word]:
            return bool(word)
        case ["-n", word]:
            return bool(word)
        case ["-z", word]:
            return not word
        case [("-e" | "-f" | "-d" | "-r" | "-w" | "-x" | "-s") as what, word]:
            node = call.phone.files.find(call.path(word))
            if node is None:
                return False
            return {"-f": not node.is_folder, "-d": node.is_folder, "-s": node.size > 0}.get(what, True)
        case [left, "=" | "==", right]:
            return left == right
        case [left, "!=", right]:
            return left != right
        case [left, ("-eq" | "-ne" | "-lt" | "-le" | "-gt" | "-ge") as how, right]:
            one, two = _number(left), _number(right)
            order = {"-eq": one == two, "-ne": one != two, "-lt": one < two, "-le": one <= two}
            return (order | {"-gt": one > two, "-ge": one >= two})[how]
    raise ValueError("syntax error")


def _number(word: str) -> int:
    if not re.fullmatch(r"-?\d{1,18}", word):
        raise ValueError(f"{word}: bad number")
    return int(word)


def _sleep(call: CommandCall) -> Running:
    match = re.fullmatch(r"(\d{0,9}(?:\.\d{0,9})?)([smh]?)", call.arguments[0] if call.arguments else "")
    if match is None or not match[1].strip("."):
        return call.fail("sleep: not a time")
    seconds = min(float(match[1]) * {"m": 60, "h": 3600}.get(match[2], 1), LONGEST_SLEEP_SECONDS)
    phone = call.phone
    if phone.settings.pace.is_real:
        end = phone.clock() + seconds / (phone.settings.pace.factor or 1)
        while phone.clock() < end:
            yield Pause(until=end)
    elif seconds:
        phone.pass_time(int(seconds * 1000))
    return 0


def _date(call: CommandCall) -> int:
    seconds = call.phone.now_ms // 1000
    wanted = next((word[1:] for word in call.arguments if word.startswith("+")), "%a %b %d %H:%M:%S GMT %Y")
    if len(wanted) > LONGEST_FORMAT:
        return call.fail("date: the format is too long")
    moment = datetime.fromtimestamp(seconds, UTC)
    call.say(moment.strftime(wanted.replace("%s", str(seconds)).replace("%N", "000000000")))
    return 0


def _uname(call: CommandCall) -> int:
    names = {"s": "Linux", "n": "localhost", "r": "5.15.0-fewtaps", "m": "aarch64", "o": "Android"}
    letters = "".join(word.lstrip("-") for word in call.arguments) or "s"
    letters = "snrmo" if "a" in letters else letters
    call.say(" ".join(names[letter] for letter in "snrmo" if letter in letters))
    return 0


def _id(call: CommandCall) -> int:
    call.say("2000" if "-u" in call.arguments else "uid=2000(shell) gid=2000(shell) groups=2000(shell),3003(inet)")
    return 0


def _whoami(call: CommandCall) -> int:
    call.say("shell")
    return 0


def _which(call: CommandCall) -> int:
    words = [word for word in call.arguments if not word.startswith("-")]
    found = [word for word in words if word in call.shell.commands]
    call.say(*(f"/system/bin/{word}" for word in found))
    return 0 if words and len(found) == len(words) else 1


def _processes(call: CommandCall) -> list[tuple[str, int, str]]:
    fixed = [("root", 1, "init"), ("shell", 310, "adbd"), ("system", 512, "system_server")]
    fixed.append(("u0_a70", 820, "com.android.launcher3"))
    phone = call.phone
    fixed += [("u0_a200", pid, name) for pid, name in phone.guests.processes()]
    return fixed + ([("u0_a123", phone.pid, phone.app.package)] if phone.is_running else [])


def _ps(call: CommandCall) -> int:
    columns = next((after for word, after in zip(call.arguments, call.arguments[1:], strict=False) if word == "-o"), "")
    if columns:
        values = {"PID": 1, "USER": 0, "NAME": 2, "ARGS": 2, "CMD": 2}
        names = [name.strip("= ").upper() for name in columns.split(",")]
        call.say(" ".join(names))
        for process in _processes(call):
            call.say(" ".join(str(process[values[name]]) if name in values else "0" for name in names))
        return 0
    call.say(f"{'USER':<12} {'PID':>6} {'PPID':>5} {'VSZ':>10} {'RSS':>6} {'WCHAN':<15} {'ADDR':>4} S NAME")
    for user, pid, name in _processes(call):
        call.say(f"{user:<12} {pid:>6} {1:>5} {12_000_000:>10} {90_000:>6} {'do_epoll_wait':<15} {0:>4} S {name}")
    return 0


def _pidof(call: CommandCall) -> int:
    names = [word for word in call.arguments if not word.startswith("-")]
    found = [str(pid) for _, pid, name in _processes(call) if name in names]
    if found:
        call.say(" ".join(found))
    return 0 if found else 1


def _pgrep(call: CommandCall) -> int:
    if "--help" in call.arguments:
        call.say("usage: pgrep [PATTERN]")
        return 0
    words = [word for word in call.arguments if not word.startswith("-")]
    try:
        pattern = compiled(words[-1] if words and len(words[-1]) <= LONGEST_PATTERN else r"(?!)")
    except ValueError:
        return call.fail(f"pgrep: bad pattern {words[-1][:60]}", 2)
    # A kernel keeps 15 letters of a name; clients look for its beginning or its end.
    found = [str(pid) for _, pid, name in _processes(call) if any(map(pattern.search, (name, name[:15], name[-15:])))]
    call.say(*found)
    return 0 if found else 1


def _locksettings(call: CommandCall) -> int:
    """This device has no lock."""
    call.say("true" if call.arguments[:1] == ["get-disabled"] else "")
    return 0


def _kill(call: CommandCall) -> int:
    """Ends the app if its process is named; the shell of a phone may do so on a debug build only."""
    status = 0
    for word in call.arguments:
        if word.startswith("-"):
            continue
        if call.phone.is_running and word in (str(call.phone.pid), call.phone.app.package):
            call.phone.stop()
        elif any(word == str(pid) for _, pid, _ in _processes(call)):
            status = call.fail(f"{call.name}: bad pid '{word}': Operation not permitted")
        else:
            status = call.fail(f"{call.name}: bad pid '{word}': No such process")
    return status


def _getprop(call: CommandCall) -> int:
    words = [word for word in call.arguments if not word.startswith("-")]
    properties = call.phone.properties
    if words:
        call.say(properties.get(words[0], words[1] if len(words) > 1 else ""))
    else:
        call.say(*(f"[{name}]: [{value}]" for name, value in sorted(properties.items())))
    return 0


def _setprop(call: CommandCall) -> int:
    if len(call.arguments) != 2:
        return call.fail("usage: setprop NAME VALUE")
    name, value = call.arguments
    properties = call.phone.properties
    if name.startswith("ro."):
        return call.fail(f"setprop: failed to set property '{name}' to '{value}'")
    if len(value) > 91 or len(name) > 200 or (name not in properties and len(properties) >= 1000):
        return call.fail(f"setprop: failed to set property '{name[:60]}': too long, or too many")
    properties[name] = value
    return 0


def _refused(reason: str) -> ShellCommand:
    return lambda call: call.fail(f"{call.name}: {reason}")


def _uptime(call: CommandCall) -> int:
    call.say(" up 0 min,  0 users,  load average: 0.00, 0.00, 0.00")
    return 0


def _ip(call: CommandCall) -> int:
    call.say("    inet 127.0.0.1/8 scope host lo")
    return 0


BASIC_COMMANDS: dict[str, ShellCommand] = {
    "true": _true, ":": _true, "false": _false, "exit": _exit, "cd": _cd, "pwd": _pwd, "export": _export,
    "unset": _unset, "env": _env, "printenv": _env, "set": _true, "sh": _sh, "toybox": _prefix(),
    "toolbox": _prefix(), "nohup": _prefix(), "exec": _prefix(), "time": _prefix(), "timeout": _prefix(1),
    "setsid": _prefix(), "test": _test, "[": _test, "sleep": _sleep, "date": _date, "uname": _uname, "id": _id,
    "whoami": _whoami, "which": _which, "command": _which, "type": _which, "ps": _ps, "pidof": _pidof,
    "pgrep": _pgrep, "kill": _kill, "killall": _kill, "pkill": _kill, "getprop": _getprop, "setprop": _setprop,
    "uptime": _uptime, "ip": _ip, "ifconfig": _ip, "wait": _true, "umask": _true, "trap": _true,
    "su": _refused("there is no root on this device"), "run-as": run_as,
    "locksettings": _locksettings,
    "reboot": _refused("this device cannot be restarted; stop 'fewtaps device serve' instead"),
    "screenrecord": _refused("this device has no video codec"),
    "dalvikvm": _refused("this device runs no code of other programs"),
}  # fmt: skip
"""The commands of the shell itself by name."""
