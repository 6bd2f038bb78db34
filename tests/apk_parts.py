"""Small real APK parts, built by hand: a compiled manifest, a DEX file, a ZIP around them; and their decoding."""

from __future__ import annotations

import json
import struct
import zipfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from fewtaps.apk.xml import TASKS
from fewtaps.errors import ApkError

ANDROID = "http://schemas.android.com/apk/res/android"
# Android's numbers of the attributes used here; they decide, not the names.
ATTRIBUTES = {
    "label": 0x01010001, "name": 0x01010003, "hasCode": 0x0101000C, "enabled": 0x0101000E, "exported": 0x01010010,
    "value": 0x01010024, "authorities": 0x01010018, "targetPackage": 0x01010021, "targetActivity": 0x01010202,
    "minSdkVersion": 0x0101020C, "versionCode": 0x0101021B, "versionName": 0x0101021C, "targetSdkVersion": 0x01010270,
    "maxSdkVersion": 0x01010271, "required": 0x0101028E, "largeHeap": 0x0101035A,
}  # fmt: skip
PLAIN = ("package", "split", "isSplitRequired")

Value = str | int | bool


@dataclass(slots=True)
class Tag:
    """An element of the manifest to be built."""

    name: str
    attributes: Mapping[str, Value] = field(default_factory=dict)
    children: Sequence[Tag] = ()


def activity(name: str, *categories: str, kind: str = "activity", **attributes: Value) -> Tag:
    """An activity; with categories it has a MAIN intent filter."""
    filters = []
    if categories:
        action = Tag("action", {"name": "android.intent.action.MAIN"})
        filters = [Tag("intent-filter", {}, [action, *(Tag("category", {"name": each}) for each in categories)])]
    return Tag(kind, {"name": name, **attributes}, filters)


LAUNCHER = "android.intent.category.LAUNCHER"


def manifest(
    *components: Tag, package: str = "com.example", root: Mapping[str, Value] | None = None,
    application: Mapping[str, Value] | None = None, extra: Sequence[Tag] = (),
) -> bytes:  # fmt: skip
    """A compiled manifest with these components."""
    app = Tag("application", application or {}, components)
    return compile_xml(Tag("manifest", {"package": package, "versionCode": 7, **(root or {})}, [*extra, app]))


def compile_xml(root: Tag, names: Mapping[str, str] | None = None) -> bytes:
    """Android's compiled XML; `names` replaces attribute names in the string pool, as an obfuscator does."""
    attributes = sorted({name for tag in _walk(root) for name in tag.attributes if name in ATTRIBUTES})
    shown = [(names or {}).get(name, name) for name in attributes]
    strings = list(shown)
    places = {name: index for index, name in enumerate(attributes)}

    def place(text: str) -> int:
        if text not in places:
            places[text] = len(strings)
            strings.append(text)
        return places[text]

    body = b"".join(_element(root, place))
    pool = _string_pool(strings)
    numbers = struct.pack(f"<{len(attributes)}I", *(ATTRIBUTES[name] for name in attributes))
    resource_map = struct.pack("<HHI", 0x0180, 8, 8 + len(numbers)) + numbers
    return struct.pack("<HHI", 0x0003, 8, 8 + len(pool) + len(resource_map) + len(body)) + pool + resource_map + body


def _walk(tag: Tag) -> Iterable[Tag]:
    yield tag
    for child in tag.children:
        yield from _walk(child)


def _element(tag: Tag, place: Callable[[str], int]) -> Iterable[bytes]:
    none = 0xFFFFFFFF
    rows = b""
    for name, value in tag.attributes.items():
        space = none if name in PLAIN else place(ANDROID)
        if isinstance(value, bool):
            rows += struct.pack("<IIIHBBI", space, place(name), none, 8, 0, 0x12, none if value else 0)
        elif isinstance(value, int):
            kind = 0x01 if value >= 0x7F000000 else 0x10
            rows += struct.pack("<IIIHBBI", space, place(name), none, 8, 0, kind, value)
        else:
            rows += struct.pack("<IIIHBBI", space, place(name), place(value), 8, 0, 0x03, place(value))
    count = len(tag.attributes)
    head = struct.pack("<II", 1, none) + struct.pack("<IIHHHHHH", none, place(tag.name), 20, 20, count, 0, 0, 0)
    yield struct.pack("<HHI", 0x0102, 16, 8 + len(head) + len(rows)) + head + rows
    for child in tag.children:
        yield from _element(child, place)
    yield struct.pack("<HHIIIII", 0x0103, 16, 24, 1, none, none, place(tag.name))


def _string_pool(strings: Sequence[str]) -> bytes:
    data, offsets = b"", []
    for text in strings:
        offsets.append(len(data))
        encoded = text.encode("utf-16-le")
        data += struct.pack("<H", len(encoded) // 2) + encoded + b"\0\0"
    data += b"\0" * (-len(data) % 4)
    start = 28 + 4 * len(strings)
    head = struct.pack("<HHIIIIII", 0x0001, 28, start + len(data), len(strings), 0, 0, start, 0)
    return head + struct.pack(f"<{len(strings)}I", *offsets) + data


def dex(classes: Mapping[str, str] | Sequence[str] = ("com.example.Main",)) -> bytes:
    """A DEX file with these classes (and their superclasses); header and class list only, no code."""
    parents = classes if isinstance(classes, Mapping) else dict.fromkeys(classes, "android.app.Activity")
    names = sorted({f"L{name.replace('.', '/')};" for pair in parents.items() for name in pair})
    index = {name: number for number, name in enumerate(names)}
    strings_at = 0x70
    types_at = strings_at + 4 * len(names)
    classes_at = types_at + 4 * len(names)
    data_at = classes_at + 32 * len(parents)
    data, offsets = b"", []
    for name in names:
        offsets.append(data_at + len(data))
        data += bytes([len(name)]) + name.encode() + b"\0"
    rows = b""
    for name, parent in parents.items():
        own, above = (index[f"L{each.replace('.', '/')};"] for each in (name, parent))
        rows += struct.pack("<IIIIIIII", own, 1, above, 0, 0xFFFFFFFF, 0, 0, 0)
    header = bytearray(0x70)
    header[:8] = b"dex\n035\0"
    struct.pack_into("<II", header, 0x38, len(names), strings_at)
    struct.pack_into("<II", header, 0x40, len(names), types_at)
    struct.pack_into("<II", header, 0x60, len(parents), classes_at)
    numbers = struct.pack(f"<{len(names)}I", *range(len(names)))
    return bytes(header) + struct.pack(f"<{len(names)}I", *offsets) + numbers + rows + data


def write_zip(path: Path, entries: Mapping[str, bytes]) -> Path:
    """A ZIP file with these entries."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in entries.items():
            archive.writestr(name, content)
    return path


def write_apk(path: Path, manifest_bytes: bytes | None = None, more: Mapping[str, bytes] | None = None) -> Path:
    """An app with one launcher activity and its class, unless said otherwise; `more` is added by name."""
    content = manifest(activity(".Main", LAUNCHER)) if manifest_bytes is None else manifest_bytes
    return write_zip(path, {"AndroidManifest.xml": content, "classes.dex": dex(), **(more or {})})


def decode_here(task: str, parts: Mapping[str, bytes], label: str) -> Any:
    """As the child process of `fewtaps.apk.decoding` decodes, in this process."""
    try:
        return json.loads(json.dumps(TASKS[task](parts)))
    except ApkError as error:
        raise ApkError(f"{label} {error}") from error
