"""Limits on the content of a reply, which may be the app's word: on its parts, texts, screens, crash and picture.

The bridge keeps lower ones itself. A reply that exceeds a limit is malformed.
"""

from __future__ import annotations

import json
import struct
import zipfile
import zlib
from collections.abc import Sequence

from fewtaps.model.crash import Crash

_SIGNS = (b"[", b"{", b",", b'"')
MOST_TEXTS = 1000
LONGEST_TEXT = 100_000
MOST_CHARACTERS_OF_TEXTS = 8 << 20
"""Of all lines of a log, or of all notes, together. The bridge sends some 200 lines of 20,000 characters."""
MOST_EXCEPTIONS = 200
MOST_FRAMES = 100_000
"""Of all exceptions of a crash together. The bridge follows 50 causes, and Java keeps 1,024 frames of each."""
MOST_REMEMBERED = 8 << 20
"""Characters of remembered screens: the bridge forgets them before they have half as many, unless one alone has."""
_WIDGET_CHARACTERS = 64
MOST_PIXELS = 40_000_000
UNREADABLE = (
    *(OSError, zipfile.BadZipFile, zlib.error, struct.error, EOFError, LookupError, ValueError),
    *(NotImplementedError, RuntimeError),
)
"""What Python raises for a damaged ZIP file: an OSError for an offset below zero, a ValueError for a name."""
_PNG_START = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"


def parts_of(line: bytes) -> int:
    """An upper limit of the lists, objects, texts and numbers in a line of JSON, without reading it.

    Each part takes up to 80 bytes when the line is read, and may be written in two.
    """
    return sum(map(line.count, _SIGNS))


def check_texts(name: str, texts: Sequence[str]) -> None:
    """Raises ValueError if there are too many texts, or one is too long."""
    if len(texts) > MOST_TEXTS:
        raise ValueError(f"{name}: {len(texts)} texts")
    if texts and max(map(len, texts)) > LONGEST_TEXT:
        raise ValueError(f"{name}: a text of {max(map(len, texts))} characters")
    if sum(map(len, texts)) > MOST_CHARACTERS_OF_TEXTS:
        raise ValueError(f"{name}: texts of {sum(map(len, texts))} characters")


def check_crash(crash: Crash) -> None:
    """Raises ValueError if a crash has too many exceptions or frames, or a text that is too long."""
    if len(crash.exceptions) > MOST_EXCEPTIONS:
        raise ValueError(f"crash: {len(crash.exceptions)} exceptions")
    frames = [frame for exception in crash.exceptions for frame in exception.frames]
    if len(frames) > MOST_FRAMES:
        raise ValueError(f"crash: {len(frames)} frames")
    texts = [crash.thread, crash.suspect]
    texts += [text for exception in crash.exceptions for text in (exception.type, exception.message)]
    texts += [text for frame in frames for text in (frame.class_name, frame.method, frame.file)]
    longest = max((len(text) for text in texts if text is not None), default=0)
    if longest > LONGEST_TEXT:
        raise ValueError(f"crash: a text of {longest} characters")


def weight_of(screen: object) -> int:
    """The characters of a screen's record, where a short record of a widget counts for a usual one."""
    text = json.dumps(screen, separators=(",", ":"), ensure_ascii=False)
    return max(len(text), text.count("{") * _WIDGET_CHARACTERS)


def check_png(content: bytes) -> None:
    """Raises ValueError for what is no PNG, or one of more pixels than a screen has."""
    if not content.startswith(_PNG_START) or len(content) < len(_PNG_START) + 8:
        raise ValueError("not a PNG")
    width, height = struct.unpack_from(">II", content, len(_PNG_START))
    if not 0 < width * height <= MOST_PIXELS:
        raise ValueError(f"a picture of {width} by {height} pixels")
