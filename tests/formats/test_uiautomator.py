"""Recorded scripts of uiautomator2 and of Appium's Inspector."""

from __future__ import annotations

from pathlib import Path

import pytest
from formats.files import events, write

from fewtaps.errors import UsageError
from fewtaps.formats.naming import by_ui_selector, by_xpath
from fewtaps.formats.recording import Recording
from fewtaps.formats.uiautomator import looks_like_uiautomator, read_uiautomator
from fewtaps.model.event import (
    DoubleTap,
    Event,
    Key,
    LongPress,
    Pinch,
    Rotate,
    Selector,
    Swipe,
    Tap,
    Text,
    Wait,
)

HEAD = 'import uiautomator2 as u2\n\nd = u2.connect()\nd.app_start("com.x")\n'

APPIUM = """\
# This sample code supports Appium Python client >=2.3.0
from appium import webdriver
from appium.options.common.base import AppiumOptions
from appium.webdriver.common.appiumby import AppiumBy

options = AppiumOptions()
options.load_capabilities({
\t"platformName": "Android",
\t"appium:appPackage": "com.x",
\t"appium:appActivity": ".Main"
})

driver = webdriver.Remote("http://127.0.0.1:4723", options=options)

el1 = driver.find_element(by=AppiumBy.ID, value="com.x:id/name")
el1.send_keys("Ada")
el2 = driver.find_element(by=AppiumBy.ACCESSIBILITY_ID, value="Split")
el2.click()
actions = ActionChains(driver)
actions.w3c_actions = ActionBuilder(driver, mouse=PointerInput(interaction.POINTER_TOUCH, "touch"))
actions.w3c_actions.pointer_action.move_to_location(523, 1201)
actions.w3c_actions.pointer_action.pointer_down()
actions.w3c_actions.pointer_action.pause(0.1)
actions.w3c_actions.pointer_action.release()
actions.perform()
actions = ActionChains(driver)
actions.w3c_actions = ActionBuilder(driver, mouse=PointerInput(interaction.POINTER_TOUCH, "touch"))
actions.w3c_actions.pointer_action.move_to_location(500, 1500)
actions.w3c_actions.pointer_action.pointer_down()
actions.w3c_actions.pointer_action.move_to_location(500, 300)
actions.w3c_actions.pointer_action.release()
actions.perform()
driver.orientation = 'LANDSCAPE'
driver.back()

driver.quit()
"""


def script(folder: Path, *lines: str, profile: str | None = None) -> Recording:
    return read_uiautomator(write(folder, HEAD + "\n".join(lines) + "\n"), profile)


@pytest.mark.parametrize(
    ("line", "event"),
    [
        ('d(resourceId="com.x:id/ok").click()', Tap(0, 0, Selector("com.x:id/ok"))),
        (
            'd(text="OK", className="android.widget.Button").long_click()',
            LongPress(0, 0, Selector(None, "android.widget.Button", "OK")),
        ),
        ("d.xpath('//*[@resource-id=\"com.x:id/ok\"]').click()", Tap(0, 0, Selector("com.x:id/ok"))),
        ('d.xpath("Settings").click()', Tap(0, 0, Selector(text="Settings"))),
        ("d.click(120, 300)", Tap(120, 300)),
        ("d.click(0.5, 0.25)", Tap(360, 320)),
        ("d.double_click(120, 300)", DoubleTap(120, 300)),
        ("d.long_click(120, 300)", LongPress(120, 300)),
        ("d.swipe(1, 2, 3, 400, 0.5)", Swipe(1, 2, 3, 400, duration_ms=500)),
        ("d.drag(1, 2, 3, 400)", Swipe(1, 2, 3, 400, duration_ms=500, hold_ms=500)),
        ('d.press("back")', Key("BACK")),
        ("d.press(82)", Key("MENU")),
        ('d.send_keys("Ada", clear=True)', Text("Ada", replace=True)),
        ('d(resourceId="n").set_text("Ada")', Text("Ada", replace=True, selector=Selector("n"))),
        ('d(resourceId="n").clear_text()', Text("", replace=True, selector=Selector("n"))),
        ('d.set_orientation("l")', Rotate("landscape")),
        ("time.sleep(1.5)", Wait(1500)),
        ("d.send_keys(':-(')", Text(":-(")),
        (r"d.send_keys('\d')", Text(r"\d")),
        ("d.click(\n    120,\n    300,\n)", Tap(120, 300)),
        ('d(text="x").double_click()', DoubleTap(0, 0, Selector(text="x"))),
        ('d(text="x").swipe("left")', Swipe(360, 640, 180, 640, selector=Selector(text="x"))),
        ('d(text="x").fling("down")', Swipe(360, 640, 360, 820, selector=Selector(text="x"))),
        ('d(text="x").pinch_in()', Pinch(0, 0, 360, 90, Selector(text="x"))),
        ('d(text="x").pinch_out()', Pinch(0, 0, 90, 360, Selector(text="x"))),
        ('d.swipe_ext("up")', Swipe(360, 1152, 360, 128)),
        ('d.press("recent")', Key("APP_SWITCH")),
        ("d.clear_text()", Text("", replace=True)),
        ("TouchAction(d).tap(x=1, y=2).perform()", Tap(1, 2)),
        ("TouchAction(d).long_press(x=1, y=2).release().perform()", LongPress(1, 2)),
        ("TouchAction(d).press(x=1, y=2).wait(ms=700).release().perform()", LongPress(1, 2)),
        (
            "TouchAction(d).press(x=1, y=2).move_to(x=1, y=400).release().perform()",
            Swipe(1, 2, 1, 400, duration_ms=300),
        ),
    ],
)
def test_a_step_of_uiautomator2_becomes_its_event(tmp_path: Path, line: str, event: Event) -> None:
    recording = script(tmp_path, line)
    assert recording.package == "com.x"
    assert events(recording) == [event]


def test_a_recording_of_appiums_inspector(tmp_path: Path) -> None:
    recording = read_uiautomator(write(tmp_path, APPIUM))
    assert recording.package == "com.x"
    assert events(recording) == [
        Text("Ada", selector=Selector("com.x:id/name")),
        Tap(0, 0, Selector(description="Split")),
        Tap(523, 1201),
        Swipe(500, 1500, 500, 300, duration_ms=400),
        Rotate("landscape"),
        Key("BACK"),
    ]
    assert looks_like_uiautomator(APPIUM) and looks_like_uiautomator(HEAD)


def test_parts_of_the_screen_are_those_of_the_profile(tmp_path: Path) -> None:
    recording = script(tmp_path, "d.click(0.5, 0.5)", profile="mi5")
    assert events(recording) == [Tap(540, 960)]
    assert recording.profile == "mi5"


def test_questions_change_nothing_and_the_rest_is_told(tmp_path: Path) -> None:
    lines = [
        'd.screenshot("a.png")',
        "print(d.info)",
        'assert_ = d(text="OK").exists',
        'd.shell("rm -r /sdcard")',
        "d.press('back')",
    ]
    recording = script(tmp_path, *lines)
    assert events(recording) == [Key("BACK")]
    assert recording.losses == ("line 8: cannot be said in a trace: d.shell",)


def test_what_a_selector_cannot_say_is_told(tmp_path: Path) -> None:
    recording = script(tmp_path, 'd(text="OK", instance=2).click()', 'd(textContains="O").click()', 'd.press("home")')
    assert events(recording) == [Tap(0, 0, Selector(text="OK")), Key("HOME")]
    told = "\n".join(recording.losses)
    assert "line 5: a selector cannot say instance" in told
    assert "line 6: the widget is not named in a way that a trace can say; the step is left out" in told


@pytest.mark.parametrize(
    ("line", "what"),
    [
        ("while True: d.click(1, 2)", "a program rather than a list of steps"),
        ("d.click(1", "does not end"),
        ("d.click(x, 2)", "not a number"),
        ("d.click('1', 2)", "not a number"),
        ("1 +* 2", "not a step"),
        ("d.press('frob')", "no key"),
        ("d.swipe_ext('sideways')", "needs a direction"),
        ("d.set_orientation('askew')", "not an orientation"),
        ("x = " + "(" * 5000 + ")" * 5000, "not a step"),
        ("d.send_keys('" + "x" * 30_000 + "')", "longer than"),
    ],
)
def test_what_is_broken_is_named_by_its_line(tmp_path: Path, line: str, what: str) -> None:
    with pytest.raises(UsageError, match=f"line 5: .*{what}"):
        script(tmp_path, line)


def test_nothing_of_a_script_is_run(tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    script(tmp_path, f"open({str(mark)!r}, 'w').write('x')", "d.press('back')")
    assert not mark.exists()


@pytest.mark.parametrize(
    ("xpath", "selector", "unsupported"),
    [
        ('//android.widget.Button[@text="a/b"]', Selector(None, "android.widget.Button", "a/b"), ()),
        ('//*[@resource-id="i" and @content-desc="d"]', Selector("i", None, None, "d"), ()),
        ("(//android.widget.Button)[2]", Selector(), ("XPath",)),
        ('//a.B/c.D[@index="2"]', Selector(None, "c.D"), ("the place in the tree", '[@index="2"]')),
        ("@com.x:id/y", Selector("com.x:id/y"), ()),
    ],
)
def test_an_xpath_names_a_widget(xpath: str, selector: Selector, unsupported: tuple[str, ...]) -> None:
    assert by_xpath(xpath) == (selector, unsupported)


def test_a_ui_selector_names_a_widget() -> None:
    named = by_ui_selector('new UiSelector().className("a.B").text("say \\"x\\"").instance(3)')
    assert named == (Selector(None, "a.B", 'say "x"'), ("instance",))
