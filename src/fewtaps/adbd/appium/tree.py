"""A screen as the XML document of Appium's UiAutomator2 server, and XPath over it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from lxml import etree

from fewtaps.adbd.hierarchy import DEEPEST, TRUTHS, Placed, placed_widgets, xml_text
from fewtaps.model.screen import Screen

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.\-]*")
_NUMBER = "fewtaps-number"
"""The attribute by which a widget is known again in the tree; it is not shown to clients."""


class XPathError(ValueError):
    """The expression is no XPath 1.0, or its value is no set of widgets."""


def source(screen: Screen, toast: str, *, all_windows: bool) -> str:
    """The document as text."""
    root, _ = _tree(screen, toast, all_windows=all_windows)
    for element in root.iter():
        element.attrib.pop(_NUMBER, None)
    return f"<?xml version='1.0' encoding='UTF-8' standalone='yes' ?>\n{etree.tostring(root, encoding='unicode')}"


def find_by_xpath(
    screen: Screen, toast: str, expression: str, *, all_windows: bool, within: Placed | None
) -> list[Placed]:
    """The widgets that an expression names, in the order of the document. Raises XPathError."""
    root, widgets = _tree(screen, toast, all_windows=all_windows)
    start = root
    if within is not None:
        numbers = [number for number, placed in enumerate(widgets) if placed.path == within.path]
        inner = root.find(f".//*[@{_NUMBER}='{numbers[0]}']") if numbers else None
        if inner is None:
            return []
        start = inner
    try:
        found = etree.XPath(expression)(start)
    except (etree.XPathError, etree.XMLSyntaxError, ValueError) as error:
        raise XPathError(str(error)[:200]) from error
    if not isinstance(found, list):
        raise XPathError("the value is no set of widgets")
    numbered = [each.get(_NUMBER) for each in found if isinstance(each, etree._Element)]
    return [widgets[int(number)] for number in numbered if number is not None]


def _tree(screen: Screen, toast: str, *, all_windows: bool) -> tuple[etree._Element, list[Placed]]:
    root = etree.Element(
        "hierarchy",
        {
            "index": "0",
            "class": "hierarchy",
            "rotation": str(screen.rotation),
            "width": str(screen.width),
            "height": str(screen.height),
        },
    )
    widgets: list[Placed] = []
    elements: dict[tuple[int, ...], etree._Element] = {}
    for placed in _shown(screen, all_windows=all_windows):
        above = elements.get(placed.path[:-1], root)
        attributes = {_NUMBER: str(len(widgets)), **_attributes(placed, screen.package)}
        elements[placed.path] = etree.SubElement(above, _tag(placed.widget.class_name), attributes)
        widgets.append(placed)
    if toast:
        named = {"index": "0", "package": screen.package, "class": "android.widget.Toast", "text": xml_text(toast)}
        etree.SubElement(root, "android.widget.Toast", named | {"displayed": "true"})
    return root, widgets


def _shown(screen: Screen, *, all_windows: bool) -> Iterator[Placed]:
    """The widgets of the focused window, or of all windows."""
    windows = [number for number, window in enumerate(screen.windows) if window.focused]
    windows = windows or [number for number, window in enumerate(screen.windows) if window.touchable]
    for placed in placed_widgets(screen):
        if (all_windows or placed.path[0] in windows[:1] or not windows) and len(placed.path) < DEEPEST:
            yield placed


def _attributes(placed: Placed, package: str) -> dict[str, str]:
    widget = placed.widget
    texts = {
        "index": str(placed.index),
        "package": package,
        "class": widget.class_name,
        "text": widget.text or "",
        "content-desc": widget.description or "",
        "resource-id": widget.resource_id or "",
        **{name: "true" if widget.flags & flag else "false" for name, flag in TRUTHS},
        "bounds": "[{},{}][{},{}]".format(*widget.bounds),
        "displayed": "true",
        **({"hint": widget.hint} if widget.hint else {}),
    }
    wanted = {name: text for name, text in texts.items() if text or name not in ("content-desc", "resource-id")}
    return {name: xml_text(text) for name, text in wanted.items()}


def _tag(class_name: str) -> str:
    name = class_name.replace("$", ".").replace("@", ".")
    return name if _NAME.fullmatch(name) else "android.view.View"
