"""DeviceProfile: the screen, bars, language and names of the phone that a device presents to the app."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class DeviceProfile:
    """A kind of phone: its screen in pixels, its bars, its language, model and manufacturer.

    `android` is the version the phone came with, where it changes the looks: Android 4 uses the Holo theme as default
    and has a Menu key. It is empty for the looks of the Android version that runs on the device.
    """

    name: str
    width: int
    height: int
    dpi: int
    status_bar_dp: int = 25
    navigation_bar_dp: int = 0
    android: str = ""
    locale: str = "en-US"
    model: str = "Fewtaps Twin"
    manufacturer: str = "Fewtaps"
    abis: tuple[str, ...] = ("arm64-v8a", "armeabi-v7a", "armeabi")

    @property
    def screen(self) -> tuple[int, int, int]:
        """Width, height and dpi, as they are stored with a trace."""
        return self.width, self.height, self.dpi

    def pixels(self, dp: float) -> int:
        """Density-independent pixels converted to pixels of this screen."""
        return round(dp * self.dpi / 160)


PROFILES: dict[str, DeviceProfile] = {
    profile.name: profile
    for profile in (
        DeviceProfile("default", 720, 1280, 320),
        DeviceProfile(
            "mi1",
            480,
            854,
            240,
            android="4.4",
            model="MI-ONE Plus",
            manufacturer="Xiaomi",
            abis=("armeabi-v7a", "armeabi"),
        ),
        DeviceProfile("mi5", 1080, 1920, 480, model="MI 5", manufacturer="Xiaomi"),
        DeviceProfile("small", 320, 480, 160, model="Small phone", abis=("armeabi-v7a", "armeabi")),
        DeviceProfile("tall", 1080, 2340, 440, navigation_bar_dp=48, model="Tall phone"),
        DeviceProfile("tablet7", 800, 1280, 213, navigation_bar_dp=48, model="Tablet 7"),
        DeviceProfile("tablet10", 1600, 2560, 320, navigation_bar_dp=48, model="Tablet 10"),
    )
}
"""The built-in profiles by name."""
