"""Selectors from the notations of UI Automator's clients: keywords, XPath, UiSelector, locators.

Every function returns the selector and the parts of the notation that a selector cannot express.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from fewtaps.model.event import Selector

KEYWORDS = {"resourceId": "resource_id", "className": "class_name", "text": "text", "description": "description"}
XPATH_ATTRIBUTES = {"resource-id": "resource_id", "class": "class_name", "text": "text", "content-desc": "description"}
LOCATORS = {"ID": "resource_id", "ACCESSIBILITY_ID": "description", "CLASS_NAME": "class_name", "NAME": "text"}

_STEP = re.compile(r"""//?(\*|[\w.$]+)((?:\[[^\[\]]{1,500}\]){0,8})$""")
_CONDITION = re.compile(r"""@([\w-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')""")
_UI_SELECTOR = re.compile(r"""\.(\w+)\(\s*(?:"((?:[^"\\]|\\.)*)"|(\w+))\s*\)""")


def by_keywords(named: Iterable[tuple[str, object]]) -> tuple[Selector, tuple[str, ...]]:
    """uiautomator2's `d(text="OK", instance=1)`."""
    fields: dict[str, str] = {}
    others = []
    for name, value in named:
        if name in KEYWORDS and isinstance(value, str):
            fields[KEYWORDS[name]] = value
        else:
            others.append(name)
    return _selector(fields), tuple(others)


def by_xpath(xpath: str) -> tuple[Selector, tuple[str, ...]]:
    """The last step of an XPath; the steps before it and conditions other than equality are unsupported.

    uiautomator2 also accepts a bare text, for the text or description of a widget, and `@id` for a resource id.
    """
    if xpath.startswith("@"):
        return Selector(resource_id=xpath[1:]), ()
    if not xpath.startswith(("/", "(")):
        return Selector(text=xpath), ()
    place = _last_step(xpath)
    found = _STEP.match(xpath[place:]) if len(xpath) < 5000 else None
    if found is None:
        return Selector(), ("XPath",)
    fields = {} if found[1] in ("*", "node") else {"class_name": found[1]}
    unsupported = ["the place in the tree"] if place else []
    for condition in re.findall(r"\[([^\[\]]*)\]", found[2]):
        pairs = _CONDITION.findall(condition)
        if not pairs or any(name not in XPATH_ATTRIBUTES for name, _, _ in pairs) or " or " in condition:
            unsupported.append(f"[{condition}]")
        else:
            fields |= {XPATH_ATTRIBUTES[name]: one or other for name, one, other in pairs}
    return _selector(fields), tuple(unsupported)


def by_ui_selector(text: str) -> tuple[Selector, tuple[str, ...]]:
    """`new UiSelector().resourceId("…").instance(2)`, as Appium writes it."""
    calls = [(name, quoted) for name, quoted, _ in _UI_SELECTOR.findall(text[:5000])]
    return by_keywords((name, quoted.replace('\\"', '"') if name in KEYWORDS else None) for name, quoted in calls)


def by_locator(strategy: str, value: str) -> tuple[Selector, tuple[str, ...]]:
    """Appium's `find_element(by=AppiumBy.ID, value="…")`."""
    strategy = strategy.rpartition(".")[2]
    if strategy in LOCATORS:
        return _selector({LOCATORS[strategy]: value}), ()
    if strategy == "XPATH":
        return by_xpath(value)
    if strategy == "ANDROID_UIAUTOMATOR":
        return by_ui_selector(value)
    return Selector(), (strategy,)


def _selector(fields: Mapping[str, str]) -> Selector:
    return Selector(
        resource_id=fields.get("resource_id"),
        class_name=fields.get("class_name"),
        text=fields.get("text"),
        description=fields.get("description"),
    )


def _last_step(xpath: str) -> int:
    """The index of the last slash that is not inside quotes."""
    quote = ""
    place = 0
    for index, char in enumerate(xpath):
        if quote:
            quote = "" if char == quote else quote
        elif char in "\"'":
            quote = char
        elif char == "/" and xpath[index - 1 : index] != "/":
            place = index
    return place
