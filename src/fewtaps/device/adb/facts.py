"""What a device is: model, version, screen, keyboard; asked once, when an app is opened on it."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from fewtaps.device.adb.attached import OLDEST_API
from fewtaps.device.adb.wire import AdbWire
from fewtaps.errors import DeviceUnavailable
from fewtaps.formats.screens import nearest_profile
from fewtaps.model.numerals import whole_number
from fewtaps.model.profile import DeviceProfile

QUESTIONS = (
    "getprop ro.product.model",
    "getprop ro.product.manufacturer",
    "getprop ro.build.version.release",
    "getprop ro.build.version.sdk",
    "getprop ro.product.cpu.abilist",
    "getprop persist.sys.locale",
    "settings get secure default_input_method",
    "wm size",
    "wm density",
)


@dataclass(frozen=True, slots=True)
class PhoneFacts:
    """A device: `width` and `height` are those of its screen held upright."""

    model: str
    manufacturer: str
    release: str
    api: int
    abis: tuple[str, ...]
    locale: str
    keyboard: str
    width: int
    height: int
    dpi: int

    @property
    def words(self) -> str:
        """The device in words: "Pixel 6, Android 14"."""
        return f"{self.model or 'a device'}, Android {self.release or self.api}"

    @property
    def profile(self) -> DeviceProfile:
        """The built-in profile that is nearest, with the device's own screen and names."""
        near = nearest_profile((self.width, self.height, self.dpi))
        return replace(
            near,
            width=self.width,
            height=self.height,
            dpi=self.dpi,
            android=self.release,
            locale=self.locale or near.locale,
            model=self.model or near.model,
            manufacturer=self.manufacturer or near.manufacturer,
            abis=self.abis or near.abis,
        )


def ask_facts(wire: AdbWire) -> PhoneFacts:
    """Asks a device. Raises DeviceUnavailable for one that is too old or tells no screen."""
    separator = "; echo fewtaps-next; "
    facts = parse_facts(wire.shell(separator.join(QUESTIONS)).text)
    if 0 < facts.api < OLDEST_API:
        raise DeviceUnavailable(
            f"{wire.serial}: API level {facts.api} is too old; the oldest that works is {OLDEST_API}"
        )
    if not facts.width or not facts.height:
        raise DeviceUnavailable(f"{wire.serial}: the device does not tell the size of its screen; has it started?")
    return facts


def parse_facts(text: str) -> PhoneFacts:
    """The answers to all questions."""
    answers = [part.strip() for part in text.split("fewtaps-next")]
    answers += [""] * (len(QUESTIONS) - len(answers))
    model, maker, release, api, abis, locale, keyboard, size, density = answers[: len(QUESTIONS)]
    # An override, which stands in the last line, holds instead of the physical size.
    sizes = re.findall(r"(\d{1,5})x(\d{1,5})", size)
    width, height = sizes[-1] if sizes else ("0", "0")
    densities = re.findall(r"density: (\d{1,4})", density)
    return PhoneFacts(
        model=model[:80],
        manufacturer=maker[:80],
        release=release[:20],
        api=whole_number(api, 3) or 0,
        abis=tuple(each for each in abis.split(",") if each),
        locale=locale[:20],
        keyboard=keyboard.partition("/")[0] if "/" in keyboard else "",
        width=int(width),
        height=int(height),
        dpi=int(densities[-1]) if densities else 320,
    )
