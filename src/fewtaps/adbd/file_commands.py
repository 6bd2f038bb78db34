"""Commands of the device's shell for files and texts."""

from __future__ import annotations

import base64
import fnmatch
import hashlib
import re
import stat
from collections.abc import Iterator
from datetime import UTC, datetime

from fewtaps.adbd.channel import Pause
from fewtaps.adbd.command_line import MAX_TEXT
from fewtaps.adbd.files import MAX_PATH, FileNode
from fewtaps.adbd.patterns import compiled
from fewtaps.adbd.shell import TEXT_BYTES, CommandCall, FileSource, Pipe, Running, ShellCommand, encoded

MOST_LINES = 1_000_000
MOST_RANGES = 20
"""Ranges of letters in a set of `tr`; each may stand for all of the first 65,536."""


def options_of(call: CommandCall, with_value: str = "") -> tuple[dict[str, str], list[str]]:
    """Short options and the words behind them; those in `with_value` take the next word. `--` ends the options."""
    options: dict[str, str] = {}
    words = list(call.arguments)
    while words and words[0].startswith("-") and words[0] != "-":
        word = words.pop(0)
        if word == "--":
            break
        letters = word[1:]
        while letters:
            letter, letters = letters[0], letters[1:]
            if letter in with_value:
                options[letter] = letters or (words.pop(0) if words else "")
                letters = ""
            else:
                options[letter] = ""
    return options, words


def _cat(call: CommandCall) -> Running:
    _, words = options_of(call)
    status = 0
    for word in words or ["-"]:
        if word == "-":
            yield from _copy_input(call)
            continue
        try:
            source = FileSource(call.phone.files.file(call.path(word)))
        except OSError as error:
            status = call.fail(f"cat: {error}")
            continue
        while source.has_data:
            call.stdout.write(source.take())
            yield from call.flush()
    return status


def _copy_input(call: CommandCall) -> Running:
    while True:
        call.stdout.write(call.stdin.take())
        if call.stdin.is_closed and not call.stdin.has_data:
            return 0
        yield from call.flush()
        yield Pause(input=True)


def _tee(call: CommandCall) -> Running:
    options, words = options_of(call)
    data = yield from call.read_all()
    for word in words:
        path = call.path(word)
        node = call.phone.files.find(path) if "a" in options else None
        call.phone.files.append(node or call.phone.files.create(path), data)
    call.stdout.write(data)
    return 0


def _echo(call: CommandCall) -> int:
    words, newline, escapes = call.arguments, "\n", False
    while words and re.fullmatch("-[neE]+", words[0]):
        newline = "" if "n" in words[0] else newline
        escapes = escapes or "e" in words[0]
        words = words[1:]
    text = " ".join(words)
    call.stdout.write(encoded((_unescaped(text) if escapes else text) + newline))
    return 0


_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "\\": "\\", "0": "\0", "a": "\a", "b": "\b", '"': '"'}


def _unescaped(text: str) -> str:
    return re.sub(r"\\x([0-9a-fA-F]{1,2})|\\(.)", _escape, text, flags=re.DOTALL)


def _escape(match: re.Match[str]) -> str:
    if match[1]:
        code = int(match[1], 16)
        return chr(code) if code < 0x80 else bytes([code]).decode("utf-8", "surrogateescape")
    return _ESCAPES.get(match[2], match[0])


def _printf(call: CommandCall) -> int:
    if not call.arguments:
        return call.fail("printf: not enough arguments")
    values = call.arguments[:0:-1]
    length = 0

    def fill(match: re.Match[str]) -> str:
        nonlocal length
        filled = _filled(match[0], values)
        length += len(filled)
        if length > MAX_TEXT:
            raise ValueError("the text is too long")
        return filled

    pattern = r"%%|%-?\d{0,3}[sdib]"
    text = re.sub(pattern, fill, _unescaped(call.arguments[0]))
    if re.search(pattern.replace("%%|", ""), call.arguments[0]):
        for _ in range(1000):
            if not values or len(text) > MAX_TEXT:
                break
            text += re.sub(pattern, fill, _unescaped(call.arguments[0]))
    call.stdout.write(encoded(text))
    return 0


def _filled(place: str, values: list[str]) -> str:
    """What the last of the values becomes in a place of a format."""
    if place == "%%":
        return "%"
    value = values.pop() if values else ""
    if place[-1] in "di":
        return place % int(value or "0") if re.fullmatch(r"-?\d{0,18}", value) else "0"
    return place[:-1].replace("b", "s") % value if place[-1] == "b" else place % value


def _ls(call: CommandCall) -> int:
    options, words = options_of(call)
    status = 0
    for word in words or ["."]:
        path = call.path(word)
        node = call.phone.files.find(path, follows="d" not in options)
        if node is None:
            status = call.fail(f"ls: {word}: No such file or directory")
        elif node.is_folder and "d" not in options:
            if len(words) > 1:
                call.say(f"{word}:")
            entries = list(call.phone.files.listed(path))
            if "l" in options:
                call.say(f"total {sum((each.size + 1023) // 1024 for _, each in entries)}")
            for name, each in entries:
                if not name.startswith(".") or {"a", "A"} & options.keys():
                    call.say(_listed(name, each, "l" in options))
        else:
            call.say(_listed(word, node, "l" in options))
    return status


def _listed(name: str, node: FileNode, is_long: bool) -> str:
    if not is_long:
        return name
    moment = datetime.fromtimestamp(node.time, UTC)
    links = 2 if node.is_folder else 1
    target = f" -> {node.content.decode('utf-8', 'surrogateescape')}" if stat.S_ISLNK(node.mode) else ""
    return f"{stat.filemode(node.mode)} {links} shell shell {node.size:>6} {moment:%Y-%m-%d %H:%M} {name}{target}"


def _rm(call: CommandCall) -> int:
    options, words = options_of(call)
    status = 0
    if not words and "f" not in options:
        return call.fail("rm: Needs 1 argument")
    for word in words:
        try:
            call.phone.files.remove(call.path(word), recursive=bool({"r", "R"} & options.keys()))
        except FileNotFoundError as error:
            status = status if "f" in options else call.fail(f"rm: {error}")
        except OSError as error:
            status = call.fail(f"rm: {error}")
    return status


def _mkdir(call: CommandCall) -> int:
    options, words = options_of(call, "m")
    if not words:
        return call.fail("mkdir: Needs 1 argument")
    for word in words:
        call.phone.files.make_folder(call.path(word), parents="p" in options)
    return 0


def _rmdir(call: CommandCall) -> int:
    _, words = options_of(call)
    for word in words:
        path = call.path(word)
        node = call.phone.files.find(path)
        if node is None or not node.is_folder:
            return call.fail(f"rmdir: {word}: {'Not a directory' if node else 'No such file or directory'}")
        if any(True for _ in call.phone.files.listed(path)):
            return call.fail(f"rmdir: {word}: Directory not empty")
        call.phone.files.remove(path, recursive=True)
    return 0


def _target(call: CommandCall, source: str, word: str) -> str:
    target = call.path(word)
    node = call.phone.files.find(target)
    return f"{target.rstrip('/')}/{source.rpartition('/')[2]}" if node is not None and node.is_folder else target


def _mv(call: CommandCall) -> int:
    _, words = options_of(call)
    if len(words) < 2:
        return call.fail("mv: Needs 2 arguments")
    for word in words[:-1]:
        source = call.path(word)
        call.phone.files.move(source, _target(call, source, words[-1]))
    return 0


def _cp(call: CommandCall) -> int:
    _, words = options_of(call)
    if len(words) < 2:
        return call.fail("cp: Needs 2 arguments")
    for word in words[:-1]:
        source = call.path(word)
        call.phone.files.write(_target(call, source, words[-1]), call.phone.files.read(source))
    return 0


def _ln(call: CommandCall) -> int:
    options, words = options_of(call)
    if "s" not in options or len(words) != 2:
        return call.fail("ln: only ln -s TARGET LINK")
    call.phone.files.link(call.path(words[1]), words[0])
    return 0


def _touch(call: CommandCall) -> int:
    _, words = options_of(call, "dtr")
    for word in words:
        path = call.path(word)
        node = call.phone.files.find(path) or call.phone.files.create(path)
        node.time = call.phone.now_ms // 1000
    return 0


def _chmod(call: CommandCall) -> int:
    _, words = options_of(call)
    if len(words) < 2:
        return call.fail("chmod: Needs 2 arguments")
    for word in words[1:]:
        node = call.phone.files.find(call.path(word))
        if node is None:
            return call.fail(f"chmod: {word}: No such file or directory")
        if re.fullmatch("[0-7]{1,4}", words[0]):
            node.mode = stat.S_IFMT(node.mode) | int(words[0], 8)
        elif "+x" in words[0]:
            node.mode |= 0o111
    return 0


def _chown(call: CommandCall) -> int:
    return 0


def _stat(call: CommandCall) -> int:
    options, words = options_of(call, "c")
    pattern = options.get("c") or "  File: %n\n  Size: %s\t %F\nAccess: (%a)\nModify: %Y"
    if len(pattern) > MAX_PATH:
        return call.fail("stat: the format is too long")
    for word in words:
        path = call.path(word)
        node = call.phone.files.find(path)
        if node is None or len(word) > MAX_PATH:
            return call.fail(f"stat: '{word}': No such file or directory")
        fields = {"s": str(node.size), "n": word, "Y": str(node.time), "a": f"{node.mode & 0o777:o}", "i": "1"}
        fields |= {"F": "directory" if node.is_folder else "regular file", "u": "2000", "U": "shell"}
        call.say(re.sub("%(.)", lambda match, known=fields: known.get(match[1], "?"), pattern))  # type: ignore[misc]
    return 0


def _digest(algorithm: str) -> ShellCommand:
    def run(call: CommandCall) -> Running:
        options, words = options_of(call)
        status = 0
        for word in words or ["-"]:
            if word == "-":
                content = yield from call.read_all()
            else:
                try:
                    content = call.phone.files.read(call.path(word))
                except OSError as error:
                    status = call.fail(f"{call.name}: {error}")
                    continue
            digest = hashlib.new(algorithm, content, usedforsecurity=False).hexdigest()
            call.say(digest if "b" in options else f"{digest}  {word}")
        return status

    return run


def _inputs(call: CommandCall, words: list[str]) -> Iterator[tuple[str, bytes]]:
    for word in words:
        yield word, call.contents([word], TEXT_BYTES)


def _wc(call: CommandCall) -> Running:
    options, words = options_of(call)
    data = call.contents(words) if words else (yield from call.read_all())
    counts = {"l": data.count(b"\n"), "w": sum(1 for _ in re.finditer(rb"\S+", data)), "c": len(data)}
    wanted = [letter for letter in "lwc" if letter in options] or list("lwc")
    call.say(" ".join(str(counts[letter]) for letter in wanted) + (f" {words[0]}" if words else ""))
    return 0


def _head(call: CommandCall) -> Running:
    options, words = options_of(call, "nc")
    count = _count(options.get("n") or next((name for name in options if name.isdigit()), "10"))
    if words:
        data = call.contents(words, TEXT_BYTES)
        call.stdout.write(data[: _count(options["c"])] if "c" in options else _lines(data, count))
        return 0
    left = count
    buffer = bytearray()
    while left > 0:
        buffer += call.stdin.take()
        while left > 0 and (end := buffer.find(b"\n")) >= 0:
            call.stdout.write(bytes(buffer[: end + 1]))
            del buffer[: end + 1]
            left -= 1
        if left > 0:
            _check_line(buffer)
        if call.stdin.is_closed and not call.stdin.has_data:
            call.stdout.write(bytes(buffer) if left else b"")
            break
        if left > 0:
            yield Pause(input=True)
    return 0


def _check_line(line: bytearray) -> None:
    if len(line) > TEXT_BYTES:
        raise OSError(f"more than {TEXT_BYTES >> 20} MB in one line")


def _tail(call: CommandCall) -> Running:
    options, words = options_of(call, "nc")
    count = _count((options.get("n") or next((name for name in options if name.isdigit()), "10")).lstrip("+"))
    data = call.contents(words, TEXT_BYTES) if words else (yield from call.read_all(TEXT_BYTES))
    lines = data.splitlines(keepends=True)
    call.stdout.write(b"".join(lines[-count:] if count else []))
    return 0


def _count(text: str) -> int:
    if not re.fullmatch(r"\d{1,9}", text):
        raise ValueError(f"not a number: {text}")
    return int(text)


def _lines(data: bytes, count: int) -> bytes:
    return b"".join(data.splitlines(keepends=True)[:count])


def _grep(call: CommandCall) -> Running:
    options, words = options_of(call, "emAB")
    pattern = options["e"] if "e" in options else words.pop(0) if words else None
    if pattern is None:
        return call.fail("grep: no REGEX", 2)
    flags = re.IGNORECASE if "i" in options else 0
    try:
        wanted = compiled(re.escape(pattern) if "F" in options else _basic(pattern, "E" in options), flags)
    except ValueError:
        return call.fail(f"grep: bad REGEX '{pattern}'", 2)
    most = _count(options["m"]) if "m" in options else MOST_LINES
    found = 0
    if words:
        for word, content in _inputs(call, words):
            for number, line in enumerate(content.decode("utf-8", "surrogateescape").splitlines(), 1):
                if bool(wanted.search(line)) != ("v" in options) and found < most:
                    found += 1
                    _say_match(call, options, line, number, word if len(words) > 1 else "")
        return _grep_status(call, options, found)
    buffer, number = bytearray(), 0
    while found < most:
        buffer += call.stdin.take()
        ended = call.stdin.is_closed and not call.stdin.has_data
        parts = bytes(buffer).split(b"\n")
        rest = parts.pop()
        buffer = bytearray(rest)
        _check_line(buffer)
        for part in parts + ([rest] if ended and rest else []):
            number += 1
            line = part.decode("utf-8", "surrogateescape").removesuffix("\r")
            if bool(wanted.search(line)) != ("v" in options) and found < most:
                found += 1
                _say_match(call, options, line, number, "")
        if ended or ("q" in options and found):
            break
        yield from call.flush()
        yield Pause(input=True)
    return _grep_status(call, options, found)


def _say_match(call: CommandCall, options: dict[str, str], line: str, number: int, name: str) -> None:
    if not {"q", "c", "l"} & options.keys():
        prefix = f"{name}:" if name else ""
        call.say(f"{prefix}{f'{number}:' if 'n' in options else ''}{line}")


def _grep_status(call: CommandCall, options: dict[str, str], found: int) -> int:
    if "c" in options:
        call.say(str(found))
    return 0 if found else 1


def _basic(pattern: str, is_extended: bool) -> str:
    r"""A pattern of grep as one of Python: in the basic form `\|` is the operator and `|` is a letter."""
    pattern = pattern.replace("[[:space:]]", r"\s").replace("[[:digit:]]", r"\d")
    if is_extended:
        return pattern
    return re.sub(r"\\?[|+?(){}]", lambda match: match[0][1:] if match[0][0] == "\\" else "\\" + match[0], pattern)


def _sort(call: CommandCall) -> Running:
    options, words = options_of(call, "k")
    data = call.contents(words, TEXT_BYTES) if words else (yield from call.read_all(TEXT_BYTES))
    lines = sorted(data.splitlines(), key=_number_first if "n" in options else None, reverse="r" in options)
    call.stdout.write(b"".join(line + b"\n" for line in (dict.fromkeys(lines) if "u" in options else lines)))
    return 0


def _number_first(line: bytes) -> tuple[int, bytes]:
    match = re.match(rb"\s*(-?\d{1,18})", line)
    return int(match[1]) if match else 0, line


def _base64(call: CommandCall) -> Running:
    options, words = options_of(call, "w")
    data = call.contents(words) if words else (yield from call.read_all())
    if "d" in options:
        call.stdout.write(base64.b64decode(data))
    else:
        call.stdout.write(base64.b64encode(data) if options.get("w") == "0" else base64.encodebytes(data))
    return 0


def _size(word: str) -> int:
    """A number of bytes, with K, M or G behind it. Raises ValueError."""
    match = re.fullmatch(r"(\d{1,12})([kKmMgG]?)", word)
    if match is None:
        raise ValueError(f"{word[:40]}: not a size")
    return int(match[1]) << {"": 0, "k": 10, "m": 20, "g": 30}[match[2].lower()]


def _dd(call: CommandCall) -> Running:
    values = dict(word.partition("=")[::2] for word in call.arguments)
    data = call.phone.files.read(call.path(values["if"])) if "if" in values else (yield from call.read_all())
    block = _size(values.get("bs", "512"))
    skipped = block * _size(values.get("skip", "0"))
    data = data[skipped : skipped + block * _size(values["count"]) if "count" in values else None]
    if "of" in values:
        call.phone.files.write(call.path(values["of"]), data)
    else:
        call.stdout.write(data)
    return 0


def _find(call: CommandCall) -> int:
    words = call.arguments
    start = words[0] if words and not words[0].startswith("-") else "."
    pattern = words[words.index("-name") + 1] if "-name" in words[:-1] else None
    kind = words[words.index("-type") + 1] if "-type" in words[:-1] else None
    path = call.path(start)
    if call.phone.files.find(path) is None:
        return call.fail(f"find: '{start}': No such file or directory")
    todo = [(path, start)]
    while todo:
        place, shown = todo.pop()
        node = call.phone.files.find(place, follows=False)
        if node is None:
            continue
        fits = kind is None or (kind == "d") == node.is_folder
        if fits and (pattern is None or fnmatch.fnmatchcase(place.rpartition("/")[2], pattern)):
            call.say(shown)
        if node.is_folder:
            inner = [
                (f"{place.rstrip('/')}/{name}", f"{shown.rstrip('/')}/{name}")
                for name, _ in call.phone.files.listed(place)
            ]
            todo += reversed(inner)
    return 0


def _df(call: CommandCall) -> int:
    call.say(
        "Filesystem     1K-blocks    Used Available Use% Mounted on",
        "tmpfs            4194304  524288   3670016  13% /data",
        "/dev/fuse        4194304  524288   3670016  13% /storage/emulated",
    )
    return 0


def _basename(call: CommandCall) -> int:
    call.say(call.arguments[0].rstrip("/").rpartition("/")[2] if call.arguments else "")
    return 0


def _dirname(call: CommandCall) -> int:
    call.say((call.arguments[0].rstrip("/").rpartition("/")[0] or "/") if call.arguments else "")
    return 0


def _readlink(call: CommandCall) -> int:
    _, words = options_of(call)
    for word in words:
        call.say(call.path(word))
    return 0


def _xargs(call: CommandCall) -> Running:
    words = (yield from call.read_all(1 << 20)).decode("utf-8", "surrogateescape").split()
    name, *first = call.arguments or ["echo"]
    command = call.shell.commands.get(name)
    if command is None:
        return call.fail(f"xargs: {name}: No such file or directory", 127)
    result = command(
        CommandCall(call.shell, name, [*first, *words], Pipe(is_closed=True), call.stdout, call.stderr, call.variables)
    )
    return result if isinstance(result, int) else (yield from result)


def _letters(word: str) -> str:
    """The letters of a set of `tr`, in which a-z stands for all between. Raises ValueError."""
    if word.count("-") > MOST_RANGES:
        raise ValueError(f"more than {MOST_RANGES} ranges of letters")
    return re.sub(r"(.)-(.)", lambda match: _between(match[1], match[2]), _unescaped(word), flags=re.S)


def _between(first: str, last: str) -> str:
    return "".join(map(chr, range(ord(first), min(ord(last), ord(first) + 0xFFFF) + 1)))


def _tr(call: CommandCall) -> Running:
    options, words = options_of(call)
    data = (yield from call.read_all(TEXT_BYTES)).decode("utf-8", "surrogateescape")
    first = _letters(words[0]) if words else ""
    if "d" in options:
        dropped = frozenset(first)
        text = "".join(char for char in data if char not in dropped)
    else:
        second = _letters(words[1]) if len(words) > 1 else ""
        table = {char: second[min(place, len(second) - 1)] for place, char in enumerate(first) if second}
        text = "".join(table.get(char, char) for char in data)
    call.stdout.write(encoded(text))
    return 0


FILE_COMMANDS: dict[str, ShellCommand] = {
    "cat": _cat, "tee": _tee, "echo": _echo, "printf": _printf, "ls": _ls, "rm": _rm, "mkdir": _mkdir,
    "rmdir": _rmdir, "mv": _mv, "cp": _cp, "ln": _ln, "touch": _touch, "chmod": _chmod, "chown": _chown,
    "stat": _stat, "md5sum": _digest("md5"), "md5": _digest("md5"), "sha1sum": _digest("sha1"),
    "sha256sum": _digest("sha256"), "sha512sum": _digest("sha512"), "wc": _wc, "head": _head, "tail": _tail,
    "grep": _grep, "sort": _sort, "base64": _base64, "dd": _dd, "find": _find, "df": _df, "basename": _basename,
    "dirname": _dirname, "readlink": _readlink, "realpath": _readlink, "xargs": _xargs, "tr": _tr, "sync": _chown,
}  # fmt: skip
"""The commands for files and texts by name."""
