"""What kind of phone the app believes to be on."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class DeviceProfile:
    """A kind of phone: its screen in pixels, its bars, its language and what it says of itself.

    `android` is the version the phone came with, where its looks matter: an Android 4 draws what apps leave to it with
    Holo and has a Menu key. Empty for the looks of whatever Android runs there.
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
        """Width, height and dpi, as a trace remembers them."""
        return self.width, self.height, self.dpi

    def pixels(self, dp: float) -> int:
        """So many density-independent pixels in pixels of this screen."""
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
"""The profiles that have a name, by name."""
