"""The methods of Maestro's driver, carried out on a served device."""

from __future__ import annotations

from collections.abc import Callable

from fewtaps.adbd.acting import png_of, point_event
from fewtaps.adbd.channel import Channel, Service
from fewtaps.adbd.hierarchy import select, write_hierarchy
from fewtaps.adbd.maestro.grpc import INVALID, UNIMPLEMENTED, UNKNOWN, CallFailed, serve_grpc
from fewtaps.adbd.maestro.messages import MessageError, read_message, written_bytes, written_number
from fewtaps.adbd.phone import ServedPhone
from fewtaps.errors import FewtapsError
from fewtaps.formats.recording import in_package
from fewtaps.formats.touches import pixel
from fewtaps.model.event import ExtraValue, Key, StartIntent, Tap, Text, printable

SERVICE = "/maestro_android.MaestroDriver/"
MOST_ERASED = 2000

Fields = dict[int, list[int | bytes]]


def maestro_service(channel: Channel, phone: ServedPhone) -> Service:
    """Answers the calls of one connection."""
    return serve_grpc(channel, lambda path, request: _answer(path, request, phone))


def _answer(path: str, request: bytes, phone: ServedPhone) -> bytes:
    name = path.removeprefix(SERVICE)
    method = _METHODS.get(name)
    if method is None:
        phone.count_unknown(f"the method {printable(name, 40)} of Maestro")
        raise CallFailed(UNIMPLEMENTED, f"{printable(name, 60)} is not answered here")
    try:
        return method(phone, read_message(request))
    except MessageError as error:
        raise CallFailed(INVALID, str(error)) from error
    except (FewtapsError, ValueError, ArithmeticError, OSError) as error:
        raise CallFailed(UNKNOWN, f"{type(error).__name__}: {printable(str(error), 300)}") from error


def _number(fields: Fields, number: int) -> int:
    value = fields.get(number, [0])[-1]
    if not isinstance(value, int):
        raise MessageError(f"field {number}: not a number")
    return value


def _text(fields: Fields, number: int) -> str:
    value = fields.get(number, [b""])[-1]
    if not isinstance(value, bytes):
        raise MessageError(f"field {number}: not a text")
    return value.decode("utf-8", "replace")


def _device_info(phone: ServedPhone, fields: Fields) -> bytes:
    return written_number(1, phone.screen.width) + written_number(2, phone.screen.height)


def _hierarchy(phone: ServedPhone, fields: Fields) -> bytes:
    document = write_hierarchy(phone.look(), all_windows=True, hint_name="hintText", toast=phone.toast)
    return written_bytes(1, document.encode("utf-8", "replace"))


def _screenshot(phone: ServedPhone, fields: Fields) -> bytes:
    phone.look()
    return written_bytes(1, png_of(phone))


def _tap(phone: ServedPhone, fields: Fields) -> bytes:
    phone.perform(point_event(phone, Tap(pixel(_number(fields, 1)), pixel(_number(fields, 2)))))
    return b""


def _input_text(phone: ServedPhone, fields: Fields) -> bytes:
    phone.perform(Text(_text(fields, 1)))
    return b""


def _erase(phone: ServedPhone, fields: Fields) -> bytes:
    """Rubs letters out of the focused field; all of them at once if there are no more."""
    count = min(_number(fields, 1), MOST_ERASED)
    focused = next(iter(select(phone.screen, {"focused": True})), None)
    held = len(focused.widget.text or "") if focused is not None else None
    if held is not None and held <= count:
        if held:
            phone.perform(Text("", replace=True))
        return b""
    for _ in range(count):
        phone.perform(Key("DEL"))
    return b""


def _is_updating(phone: ServedPhone, fields: Fields) -> bytes:
    return written_number(1, 0)


def _launch(phone: ServedPhone, fields: Fields) -> bytes:
    package = _text(fields, 1)
    if package != phone.app.package:
        raise CallFailed(UNKNOWN, f"no app {printable(package, 100)} is installed")
    extras = dict(_argument(each) for each in fields.get(2, ()))
    launcher = phone.app.launcher
    if not extras or launcher is None:
        phone.start()
        return b""
    if not phone.is_running:
        phone.launch()
    component = f"{package}/{in_package(package, launcher)}"
    phone.perform(StartIntent("android.intent.action.MAIN", component=component, extras=tuple(extras.items())))
    return b""


def _argument(value: int | bytes) -> tuple[str, ExtraValue]:
    if not isinstance(value, bytes):
        raise MessageError("an argument that is no message")
    fields = read_message(value)
    name, text, kind = (_text(fields, number) for number in (1, 2, 3))
    kind = kind.rpartition(".")[2].lower()
    if kind in ("int", "integer", "long"):
        return name, int(text)
    if kind in ("double", "float"):
        return name, float(text)
    return name, text.lower() == "true" if kind == "boolean" else text


def _nothing(phone: ServedPhone, fields: Fields) -> bytes:
    return b""


_METHODS: dict[str, Callable[[ServedPhone, Fields], bytes]] = {
    "deviceInfo": _device_info,
    "viewHierarchy": _hierarchy,
    "screenshot": _screenshot,
    "tap": _tap,
    "inputText": _input_text,
    "eraseAllText": _erase,
    "isWindowUpdating": _is_updating,
    "launchApp": _launch,
    "disableLocationUpdates": _nothing,
}
"""The methods by name."""
