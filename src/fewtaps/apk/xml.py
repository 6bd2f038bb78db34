"""Android's compiled XML and resource tables, decoded by androguard and returned as plain values.

No other module imports androguard, and it is imported inside functions only: it runs in a process of its own, which
`decode_manifest` and `decode_strings` start.
"""

from __future__ import annotations

import io
import struct
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from fewtaps.apk.decoding import DecodingLimit, decode_in_child
from fewtaps.errors import ApkError

MOST_ELEMENTS = 200_000
DEEPEST = 100

# The exceptions that androguard raises for a file that is damaged or was tampered with.
DECODING_ERRORS = (
    struct.error,
    ValueError,
    IndexError,
    KeyError,
    TypeError,
    AttributeError,
    OverflowError,
    RecursionError,
    MemoryError,
)

TYPE_REFERENCE = 0x01
TYPE_STRING = 0x03
TYPE_DYNAMIC_REFERENCE = 0x07
TYPE_BOOLEAN = 0x12
TYPES_INTEGER = range(0x10, 0x20)
START_TAG, END_TAG, END_DOCUMENT = 2, 3, 1
STRING_POOL_CHUNK = 0x0001


@dataclass(frozen=True, slots=True)
class Reference:
    """The number of a value in the resource table: `@7F040001`."""

    resource: int


Value = str | int | bool | Reference


@dataclass(slots=True)
class Element:
    """One tag.

    Attribute names have no prefix. Where the file gives an attribute's number, its name is Android's name for that
    number, even if the file's own name differs.
    """

    name: str
    attributes: Mapping[str, Value]
    children: list[Element] = field(default_factory=list)

    def all(self, *names: str) -> list[Element]:
        """The direct children with one of these names."""
        return [child for child in self.children if child.name in names]


@dataclass(frozen=True, slots=True)
class DecodedManifest:
    """The root element of a manifest, and the texts of the resources to which its attributes refer."""

    root: Element
    texts: Mapping[int, str]


def decode_manifest(manifest: bytes, resources: bytes | None, label: str) -> DecodedManifest:
    """The manifest with its resources, decoded in a child process; `ApkError` if it cannot be decoded.

    Only references to resources stay unresolved if the table of resources is damaged.
    """
    if manifest.lstrip()[:1] == b"<":
        raise ApkError(f"{label} is plain text, not compiled: this is a source folder or a broken build, not an APK")
    parts = {"manifest": manifest, **({} if resources is None else {"resources": resources})}
    try:
        record, texts = decode_in_child("manifest", parts, label)
    except DecodingLimit:
        if resources is None:
            raise
        # The table may be what needs so much. A phone would install an app without its label.
        return decode_manifest(manifest, None, label)
    return DecodedManifest(_element(record), {int(number): text for number, text in texts.items()})


def decode_strings(resources: bytes, at_most: int) -> tuple[str, ...]:
    """All strings of a resource table, or an evenly spread part if there are more than `at_most`.

    The rest of the table is not decoded, because that takes seconds for a large app. Raises `ApkError` if the content
    is not a table or is damaged.
    """
    parts = {"resources": resources, "at_most": str(at_most).encode()}
    return tuple(decode_in_child("strings", parts, "the resource table"))


def _element(record: Any) -> Element:
    name, attributes, children = record
    values = {key: Reference(value[0]) if isinstance(value, list) else value for key, value in attributes.items()}
    return Element(name, values, [_element(child) for child in children])


def _record(element: Element) -> list[Any]:
    values = {
        name: [value.resource] if isinstance(value, Reference) else value for name, value in element.attributes.items()
    }
    return [element.name, values, [_record(child) for child in element.children]]


def _references(element: Element) -> Iterator[int]:
    yield from (value.resource for value in element.attributes.values() if isinstance(value, Reference))
    for child in element.children:
        yield from _references(child)


def _manifest_task(parts: Mapping[str, bytes]) -> Any:
    root = read_xml(parts["manifest"])
    table = ResourceTable(parts.get("resources"))
    found = {number: table.text(number) for number in sorted(set(_references(root)))}
    return _record(root), {number: text for number, text in found.items() if text is not None}


def _strings_task(parts: Mapping[str, bytes]) -> Any:
    return read_string_pool(parts["resources"], int(parts["at_most"]))


TASKS: dict[str, Callable[[Mapping[str, bytes]], Any]] = {
    "manifest": _manifest_task,
    "strings": _strings_task,
}
"""What the child process can be asked for, by name: a function from parts of a file to JSON data."""


def read_xml(content: bytes) -> Element:
    """The root element of a compiled XML file; `ApkError` if it cannot be decoded."""
    parser_class, parser_error = _androguard_xml()
    try:
        root = _tree(parser_class(content))
    except (*DECODING_ERRORS, parser_error) as error:
        raise ApkError(f"cannot be decoded ({error!s:.200})") from error
    if root is None:
        raise ApkError("cannot be decoded: it holds no element")
    return root


def _tree(parser: Any) -> Element | None:
    root: Element | None = None
    path: list[Element] = []
    count = 0
    while parser.is_valid():
        kind = next(parser)
        if kind == START_TAG:
            count += 1
            if count > MOST_ELEMENTS or len(path) > DEEPEST:
                raise ApkError("is too large or too deep")
            element = Element(parser.name, _attributes(parser))
            if path:
                path[-1].children.append(element)
            elif root is None:
                root = element
            path.append(element)
        elif kind == END_TAG and path:
            path.pop()
        elif kind == END_DOCUMENT:
            break
    return root


def _attributes(parser: Any) -> dict[str, Value]:
    found: dict[str, Value] = {}
    for index in range(parser.getAttributeCount()):
        name = str(parser.getAttributeName(index)).rpartition(":")[2]
        value = _value(parser, index)
        # The first of two attributes with one name counts, as on a phone.
        found.setdefault(name, value)
    return found


def _value(parser: Any, index: int) -> Value:
    kind, data = parser.getAttributeValueType(index), parser.getAttributeValueData(index)
    if kind == TYPE_STRING:
        return str(parser.getAttributeValue(index))
    if kind in (TYPE_REFERENCE, TYPE_DYNAMIC_REFERENCE):
        return Reference(data)
    if kind == TYPE_BOOLEAN:
        return bool(data)
    if kind in TYPES_INTEGER:
        return int(data) - (1 << 32) if data > 0x7FFFFFFF else int(data)
    return ""


class ResourceTable:
    """`resources.arsc`, decoded at the first call of `text`; for a damaged table `text` always returns None."""

    def __init__(self, content: bytes | None) -> None:
        self._content = content
        self._parser: Any = None

    def text(self, resource: int) -> str | None:
        """The value of a resource as text, in the default language if there is one."""
        if self._content is None:
            return None
        parser_class, parser_error = _androguard_table()
        try:
            if self._parser is None:
                self._parser = parser_class(self._content)
            choices = self._parser.get_resolved_res_configs(resource)
        except (*DECODING_ERRORS, parser_error):
            # A phone would install such an app without its label, so a missing label is no error.
            self._content = None
            return None
        if not choices:
            return None
        default = next((value for config, value in choices if config.is_default()), choices[0][1])
        return str(default)


def _androguard_xml() -> tuple[Any, type[Exception]]:
    _silence()
    from androguard.core.axml import AXMLParser, ResParserError

    return AXMLParser, ResParserError


def _androguard_table() -> tuple[Any, type[Exception]]:
    _silence()
    from androguard.core.axml import ARSCParser, ResParserError

    return ARSCParser, ResParserError


def _silence() -> None:
    # androguard logs every irregularity of an app at warning level. `disable` silences it without removing the
    # program's own log handlers.
    from loguru import logger

    logger.disable("androguard")


def read_string_pool(content: bytes, at_most: int) -> tuple[str, ...]:
    """The strings that `decode_strings` returns."""
    _silence()
    from androguard.core.axml import ARSCHeader, ResParserError, StringBlock

    try:
        stream = io.BufferedReader(io.BytesIO(content))
        table = ARSCHeader(stream)
        stream.seek(table.start + table.header_size)
        pool = StringBlock(stream, ARSCHeader(stream, expected_type=STRING_POOL_CHUNK))
        step = max(1.0, len(pool) / max(at_most, 1))
        return tuple(str(pool.getString(int(number * step))) for number in range(min(at_most, len(pool))))
    except (*DECODING_ERRORS, ResParserError) as error:
        raise ApkError(f"cannot be decoded ({error!s:.200})") from error
