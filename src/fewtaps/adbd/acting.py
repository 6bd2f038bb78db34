"""What commands of the shell and agents do to a served device alike: touches, keys, rotation, pictures."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

from fewtaps.adbd.phone import ServedPhone
from fewtaps.errors import DeviceError
from fewtaps.formats.monkeyscript import TURNS
from fewtaps.model.event import DoubleTap, Event, Key, LongPress, Rotate, SystemEvent, Tap

if TYPE_CHECKING:
    from PIL import Image


def point_event(phone: ServedPhone, event: Tap | LongPress) -> Event:
    """The event with the selector of the widget under it, so that the recording can be played by selector.

    A tap that follows one that is held makes a double tap of both.
    """
    first = phone.take_held_tap(event.x, event.y) if isinstance(event, Tap) else None
    if first is not None:
        return DoubleTap(first.x, first.y, first.selector)
    selector = phone.screen.selector_at(event.x, event.y) if phone.is_running else None
    return type(event)(event.x, event.y, selector)


def press_key(phone: ServedPhone, name: str) -> None:
    """A key. Those that turn the screen on and off are events of the system."""
    if name in ("SLEEP", "SOFT_SLEEP") or (name == "POWER" and phone.is_on):
        switch_screen(phone, on=False)
    elif name in ("WAKEUP", "POWER"):
        switch_screen(phone, on=True)
    else:
        phone.perform(Key(name))


def switch_screen(phone: ServedPhone, *, on: bool) -> None:
    """Turns the screen on or off, if it is not yet."""
    if phone.is_on != on:
        phone.is_on = on
        phone.perform(SystemEvent("screen_on" if on else "screen_off"))


def turn(phone: ServedPhone, rotation: int) -> None:
    """Turns the screen, unless it is turned so already."""
    if phone.screen.rotation != rotation:
        phone.perform(Rotate(TURNS[rotation]))


def touch(phone: ServedPhone, action: int, x: int, y: int) -> None:
    """One motion event of a finger; the gesture happens when the finger is lifted, a tap a moment later."""
    event = phone.fingers.touch(action, {0: (x, y)}, int(phone.clock() * 1000))
    if isinstance(event, Tap | LongPress):
        pointed = point_event(phone, event)
        if isinstance(pointed, Tap):
            phone.hold_tap(pointed)
        else:
            phone.perform(pointed)
    elif event is not None:
        phone.perform(event)


def png_of(phone: ServedPhone) -> bytes:
    """The screen as a PNG; plain grey if the app is not running."""
    picture = phone.screenshot()
    if picture:
        return picture
    from PIL import Image

    screen = phone.screen
    buffer = io.BytesIO()
    Image.new("RGB", (screen.width, screen.height), (200, 200, 200)).save(buffer, "PNG")
    return buffer.getvalue()


def decoded(png: bytes) -> Image.Image:
    """A picture of a device, with its pixels. Raises DeviceError for what is no PNG: an app may have sent it."""
    from PIL import Image

    try:
        with Image.open(io.BytesIO(png), formats=("PNG",)) as image:
            image.load()
            return image
    except (OSError, SyntaxError, ValueError, Image.DecompressionBombError) as error:
        raise DeviceError("the picture of the screen cannot be read") from error


def rgba(png: bytes) -> tuple[int, int, bytes]:
    """Width, height and pixels of a PNG."""
    image = decoded(png)
    return image.width, image.height, image.convert("RGBA").tobytes()
