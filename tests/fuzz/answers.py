"""Readers of what a process of the twin hands over, of what phones answer, and of public keys."""

from __future__ import annotations

import base64
import io
import struct
import zipfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from adb_backend import test_dumps
from adbd.test_transport import key_pair
from device.twin import test_recording
from fuzz.subject import Subject
from PIL import Image

from fewtaps.adbd.acting import rgba
from fewtaps.adbd.keys import read_keys
from fewtaps.agentserver.pictures import smaller
from fewtaps.apk.entry_names import mark_names_as_utf8
from fewtaps.device.adb.dumps import parse_dump, screen_of
from fewtaps.device.adb.facts import parse_facts
from fewtaps.device.twin.instrumenting import read_instrumented
from fewtaps.device.twin.protocol import parse_png
from fewtaps.device.twin.recording import HEADER_WORDS, MAGIC, code_fields, read_file
from fewtaps.device.twin.reports import ReportOrder, deliver
from fewtaps.model.app import App
from fewtaps.model.run_record import RecordWish
from fewtaps.pipeline.picture_check import picture_difference
from fewtaps.report.thumbnails import Size, small_copy

FACTS = "\nfewtaps-next\n".join(
    ["Pixel 6", "Google", "14", "34", "arm64-v8a", "de-DE", "com.keys/.Ime", "Physical size: 1080x2400", "density: 420"]
)
DUMP = (
    f"<?xml version='1.0' ?><hierarchy rotation=\"0\">{test_dumps.BAR}{test_dumps.KEYBOARD}{test_dumps.APP}</hierarchy>"
)


def _recordings(folder: Path) -> list[bytes]:
    """A small recording, without the hole that a real one has, so that damage hits what counts."""
    entry = test_recording.entry
    tables = b"".join(
        reversed([entry(2, b"main"), entry(1, b"abc"), entry(4, struct.pack("<q", -5)), entry(12, b"a.B")])
    )
    words = [7, 1 << 28 | 42, 3 << 28 | 1, 8]
    found = []
    for flags in (0, 3, 32):
        head = struct.pack("<4I", MAGIC, len(words), flags, 4).ljust(HEADER_WORDS * 4, b"\0")
        found.append(head + struct.pack(f"<{len(words)}I", *words) + bytes(64) + tables)
    return found


def _read_recording(content: bytes, folder: Path) -> None:
    path = folder / "record"
    path.write_bytes(content)
    for is_cut in (False, True):
        code_fields(read_file(path, 4, is_cut=is_cut), RecordWish())


def _pictures(folder: Path) -> list[bytes]:
    found = []
    for mode in ("RGB", "P"):
        stream = io.BytesIO()
        Image.new(mode, (90, 160), 3).save(stream, "PNG")
        found.append(stream.getvalue())
    return found


def _read_picture(content: bytes, folder: Path) -> None:
    """As the twin's client takes it, or without its check, as a store that another wrote holds it."""
    picture_difference(content, content, ())
    # What it is declared to raise.
    with suppress(ValueError):
        small_copy(content, Size.SMALL)
    smaller(content)
    rgba(parse_png({"png": base64.b64encode(content).decode()}))


def _zips(*names: str) -> Callable[[Path], list[bytes]]:
    def contents(folder: Path) -> list[bytes]:
        stream = io.BytesIO()
        with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
            for name in names:
                archive.writestr(name, f"content of {name}" * 9)
        return [stream.getvalue()]

    return contents


def _written(content: bytes, folder: Path) -> Path:
    path = folder / "answer"
    path.write_bytes(content)
    return path


def _read_report(content: bytes, folder: Path) -> None:
    app = App("a.b", "a.apk")
    deliver(ReportOrder(app, "app", folder / "a.xml", folder / "html"), _written(content, folder))


def _read_instrumented(content: bytes, folder: Path) -> None:
    counts = {"probes": 3, "methods": 2, "skipped": 1, "notes": []}
    read_instrumented(_written(content, folder), counts)


ANSWERS = (
    Subject("recording", _recordings, _read_recording),
    Subject("picture", _pictures, _read_picture),
    Subject("report", _zips("jacoco.xml", "html/index.html", "html/a.b/C.java.html"), _read_report),
    Subject("instrumented", _zips("classes.dex", "classes2.dex", "probes.json"), _read_instrumented),
    Subject(
        "entry-names",
        _zips("AndroidManifest.xml", "res/\u00e9.png"),
        lambda content, folder: mark_names_as_utf8(_written(content, folder)),
    ),
    Subject(
        "phone-screen",
        lambda folder: [DUMP.encode()],
        lambda content, folder: screen_of(parse_dump(content.decode("utf-8", "replace")), test_dumps.FACTS, None),
    ),
    Subject(
        "phone-facts",
        lambda folder: [FACTS.encode()],
        lambda content, folder: parse_facts(content.decode("utf-8", "replace")),
    ),
    Subject(
        "adb-keys",
        lambda folder: [f"{key_pair()[2]} me@here\n".encode()],
        lambda content, folder: read_keys(content.decode("utf-8", "replace"), "adbkey.pub"),
    ),
)
