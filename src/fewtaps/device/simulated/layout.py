"""The positions of a simulated view's items on the screen, and the Screen they make.

Items are rows of equal height below the status bar; rows that do not fit are reached by swiping. The item at a point is
therefore found by one division, which keeps the device fast.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from fewtaps.device.simulated.program import Item, View
from fewtaps.model.profile import DeviceProfile
from fewtaps.model.screen import Bounds, Screen, Widget, WidgetFlags, Window, WindowKind

ROW_DP = 48


@dataclass(frozen=True, slots=True)
class Geometry:
    """The sizes of the screen in one orientation, in pixels."""

    rotation: int
    width: int
    height: int
    top: int
    row_height: int

    @classmethod
    def of(cls, profile: DeviceProfile, rotation: int) -> Geometry:
        """The sizes after a number of quarter turns."""
        width, height = profile.width, profile.height
        if rotation % 2:
            width, height = height, width
        return cls(rotation, width, height, profile.pixels(profile.status_bar_dp), profile.pixels(ROW_DP))

    @property
    def rows(self) -> int:
        """The number of rows that fit on the screen."""
        return max(1, (self.height - self.top) // self.row_height)

    def row_bounds(self, row: int) -> Bounds:
        top = self.top + row * self.row_height
        return Bounds(0, top, self.width, top + self.row_height)


@dataclass(frozen=True, slots=True)
class Row:
    """An item with its current text and flags."""

    item: Item
    text: str | None
    flags: WidgetFlags


def window_of(
    package: str, view: View, rows: Sequence[Row], geometry: Geometry, *, top: bool, overflow: bool
) -> Window:
    """The window of a view with these rows."""
    widgets = tuple(
        Widget(
            row.item.class_name,
            resource_id=f"{package}:id/{row.item.name}",
            text=row.text,
            hint=row.item.hint,
            bounds=geometry.row_bounds(number),
            flags=row.flags,
            input_type=1 if row.item.is_field else 0,
        )
        for number, row in enumerate(rows)
    )
    is_dialog = view.kind is not WindowKind.ACTIVITY
    bottom = geometry.top + len(rows) * geometry.row_height if is_dialog else geometry.height
    root = Widget(
        "android.widget.ScrollView" if overflow else "android.widget.LinearLayout",
        bounds=Bounds(0, geometry.top, geometry.width, bottom),
        flags=WidgetFlags.ENABLED | (WidgetFlags.SCROLLABLE if overflow else WidgetFlags.NONE),
        children=widgets,
    )
    return Window(view.name, view.kind, root, focused=top, touchable=top)


def toast_of(text: str, geometry: Geometry) -> Window:
    """A window over the lower edge of the screen that takes no touches."""
    bounds = Bounds(0, geometry.height - geometry.row_height, geometry.width, geometry.height)
    root = Widget("android.widget.TextView", text=text, bounds=bounds, flags=WidgetFlags.ENABLED)
    return Window("Toast", WindowKind.TOAST, root, touchable=False)


def home_screen(geometry: Geometry) -> Screen:
    """The screen of the device while the app is not in the foreground."""
    root = Widget("android.widget.FrameLayout", bounds=Bounds(0, 0, geometry.width, geometry.height))
    window = Window("Home", WindowKind.SYSTEM, root, focused=True)
    return Screen("com.android.launcher", None, geometry.width, geometry.height, geometry.rotation, windows=(window,))
