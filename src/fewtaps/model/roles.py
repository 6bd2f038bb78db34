"""What a widget is to a user: button, checkbox, slider, …, by its flags and its class; views and Compose alike."""

from __future__ import annotations

import re

from fewtaps.model.screen import Widget, WidgetFlags

SLIDERS = re.compile(r"SeekBar|RatingBar|Slider")
_DROPDOWNS = re.compile(r"Spinner|Dropdown|DropDown")
_TABS = re.compile(r"Tab(View|Item)?$")


def role_of(widget: Widget) -> str:
    """The role in one or two words; the name of its class for a widget that takes no touch."""
    name = widget.class_name.rpartition(".")[2].rpartition("$")[2]
    flags = widget.flags
    if flags & WidgetFlags.EDITABLE:
        return "field"
    if flags & WidgetFlags.CHECKABLE:
        return "switch" if "Switch" in name or "Toggle" in name else "radio button" if "Radio" in name else "checkbox"
    if SLIDERS.search(name):
        return "slider"
    if _DROPDOWNS.search(name):
        return "dropdown"
    if _TABS.search(name):
        return "tab"
    if not widget.is_target:
        return name or "widget"
    if "Image" in name and "Button" not in name:
        return "image"
    return "button" if not widget.children or "Button" in name else "item"
