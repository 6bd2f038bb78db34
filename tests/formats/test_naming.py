"""Locators of Appium become selectors, and what a selector lacks is named."""

from __future__ import annotations

import pytest

from fewtaps.formats.naming import by_keywords, by_locator
from fewtaps.model.event import Selector


@pytest.mark.parametrize(
    ("strategy", "value", "selector"),
    [
        ("AppiumBy.ID", "com.x:id/y", Selector("com.x:id/y")),
        ("ID", "com.x:id/y", Selector("com.x:id/y")),
        ("AppiumBy.ACCESSIBILITY_ID", "Close", Selector(description="Close")),
        ("AppiumBy.CLASS_NAME", "a.B", Selector(class_name="a.B")),
        ("By.NAME", "OK", Selector(text="OK")),
        ("AppiumBy.XPATH", '//a.B[@text="OK"]', Selector(None, "a.B", "OK")),
        ("AppiumBy.ANDROID_UIAUTOMATOR", 'new UiSelector().text("OK")', Selector(text="OK")),
    ],
)
def test_a_locator_names_a_widget(strategy: str, value: str, selector: Selector) -> None:
    assert by_locator(strategy, value) == (selector, ())


def test_an_unknown_strategy_names_nothing_and_says_so() -> None:
    assert by_locator("AppiumBy.IMAGE", "aGVsbG8=") == (Selector(), ("IMAGE",))


def test_keywords_without_a_field_are_unsupported() -> None:
    assert by_keywords([("text", "OK"), ("instance", 2), ("className", 7)]) == (
        Selector(text="OK"),
        ("instance", "className"),
    )
