"""The service `sync:`, by which adb pushes, pulls and lists files."""

from __future__ import annotations

import stat
import struct
from collections.abc import Generator

from fewtaps.adbd.channel import Channel, Pause, Service
from fewtaps.adbd.files import MAX_PATH, FileNode, MemoryFiles

MAX_CHUNK = 1 << 16
_HEAD = struct.Struct("<4sI")
_STAT = struct.Struct("<4s3I")
_STAT2 = struct.Struct("<4sIQQIIIIQqqq")
_DENT = struct.Struct("<4s4I")
_DENT2 = struct.Struct("<4sIQQIIIIQqqqI")
_NO_FILE, _OTHER_ERROR = 2, 5
"""Linux's numbers ENOENT and EIO."""


def sync_service(channel: Channel, files: MemoryFiles) -> Service:
    """Answers requests until `QUIT`, or until one that cannot be understood."""
    while True:
        head = yield from channel.read_exactly(_HEAD.size)
        if head is None:
            return
        request, length = _HEAD.unpack(head)
        if request == b"QUIT":
            return
        if length > MAX_PATH:
            _fail(channel, "path too long")
            return
        name = yield from channel.read_exactly(length)
        if name is None:
            return
        path = name.decode("utf-8", "surrogateescape")
        match request:
            case b"STAT":
                node = files.find(files.path(path), follows=False)
                channel.write(_STAT.pack(b"STAT", *_old_stat(node)))
            case b"STA2" | b"LST2":
                node = files.find(files.path(path), follows=request == b"STA2")
                channel.write(_STAT2.pack(request, *_new_stat(node)))
            case b"LIST" | b"LIS2":
                yield from _list(channel, files, files.path(path), is_new=request == b"LIS2")
            case b"RECV":
                if not (yield from _send_file(channel, files, files.path(path))):
                    return
            case b"RCV2":
                flags = yield from channel.read_exactly(8)
                if flags is None or struct.unpack("<4sI", flags)[1]:
                    _fail(channel, "files are not compressed here")
                    return
                if not (yield from _send_file(channel, files, files.path(path))):
                    return
            case b"SEND":
                target, _, mode = path.rpartition(",")
                if not target or not mode.isascii() or not mode.isdigit() or len(mode) > 10:
                    _fail(channel, "no mode behind the path")
                    return
                if not (yield from _take_file(channel, files, files.path(target), int(mode))):
                    return
            case b"SND2":
                rest = yield from channel.read_exactly(12)
                if rest is None or struct.unpack("<4sII", rest)[2]:
                    _fail(channel, "files are not compressed here")
                    return
                if not (yield from _take_file(channel, files, files.path(path), struct.unpack("<4sII", rest)[1])):
                    return
            case _:
                _fail(channel, f"unknown command {request!r}"[:60])
                return


def _fail(channel: Channel, message: str) -> None:
    data = message.encode("utf-8", "replace")
    channel.write(_HEAD.pack(b"FAIL", len(data)) + data)


def _old_stat(node: FileNode | None) -> tuple[int, int, int]:
    return (0, 0, 0) if node is None else (node.mode, node.size & 0xFFFFFFFF, node.time & 0xFFFFFFFF)


def _new_stat(node: FileNode | None) -> tuple[int, ...]:
    if node is None:
        return (_NO_FILE, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
    return (0, 1, id(node) & 0xFFFFFFFF, node.mode, 1, 2000, 2000, node.size, node.time, node.time, node.time)


def _list(channel: Channel, files: MemoryFiles, path: str, *, is_new: bool) -> Service:
    node = files.find(path)
    for name, each in list(files.listed(path)) if node is not None and node.is_folder else ():
        data = name.encode("utf-8", "surrogateescape")
        if is_new:
            channel.write(_DENT2.pack(b"DNT2", *_new_stat(each), len(data)) + data)
        else:
            channel.write(_DENT.pack(b"DENT", *_old_stat(each), len(data)) + data)
        yield from channel.flush()
    channel.write(_DENT2.pack(b"DONE", *(0,) * 12) if is_new else _DENT.pack(b"DONE", 0, 0, 0, 0))


def _send_file(channel: Channel, files: MemoryFiles, path: str) -> Generator[Pause, None, bool]:
    try:
        content = files.read(path)
    except OSError as error:
        _fail(channel, str(error))
        return True
    for start in range(0, len(content), MAX_CHUNK):
        part = content[start : start + MAX_CHUNK]
        channel.write(_HEAD.pack(b"DATA", len(part)) + part)
        yield from channel.flush()
    channel.write(_HEAD.pack(b"DONE", 0))
    return True


def _pushed_mode(mode: int) -> int:
    """The owner's permissions, given to the group and to others too, as Android's adbd does with the files it takes."""
    owner = mode & 0o700
    return (mode & 0o777) | owner >> 3 | owner >> 6


def _take_file(channel: Channel, files: MemoryFiles, path: str, mode: int) -> Generator[Pause, None, bool]:
    """Receives a file; True if the conversation can go on. A file that is not received whole is removed."""
    problem = ""
    content = bytearray()
    node: FileNode | None = None
    is_link = stat.S_ISLNK(mode)
    try:
        node = files.create(path, _pushed_mode(mode or 0o644), makes_folders=True)
    except OSError as error:
        problem = str(error)
    is_whole = False
    try:
        while True:
            head = yield from channel.read_exactly(_HEAD.size)
            if head is None:
                return False
            kind, length = _HEAD.unpack(head)
            if kind == b"DONE":
                is_whole = True
                break
            if kind != b"DATA" or length > MAX_CHUNK:
                problem = problem or "invalid data message"
                return False
            part = yield from channel.read_exactly(length)
            if part is None:
                return False
            if node is None or problem:
                continue
            if is_link:
                content += part
            else:
                try:
                    files.append(node, part)
                except OSError as error:
                    problem = str(error)
    finally:
        if node is not None and (problem or not is_whole) and files.find(path, follows=False) is node:
            files.remove(path)
    if not problem and node is not None:
        # The number behind DONE is the time of the file.
        node.time = length
        if is_link:
            files.link(path, bytes(content[:MAX_PATH]).decode("utf-8", "surrogateescape").rstrip("\0"))
    if problem:
        _fail(channel, problem)
    else:
        channel.write(_HEAD.pack(b"OKAY", 0))
    return True
