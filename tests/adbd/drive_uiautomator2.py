"""Drives a served notes app with an unmodified uiautomator2; writes a line for each call. Run as a program."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import uiautomator2

PACKAGE = "com.example.notes"


def main(serial: str) -> None:
    d: Any = uiautomator2.connect(serial)
    title: Any = d(resourceId=f"{PACKAGE}:id/title")
    save: Any = d(text="Save")
    folder = Path(tempfile.mkdtemp())
    done: list[str] = []

    def check(name: str, call: Callable[[], object], wanted: object = ...) -> None:
        found = call()
        assert wanted is ... or found == wanted, f"{name}: {found!r} instead of {wanted!r}"
        done.append(name)
        sys.stdout.write(f"{name}\n")

    def put(name: str, value: object) -> None:
        setattr(d, name, value)

    check("app_start", lambda: d.app_start(PACKAGE, stop=True))
    check("app_wait", lambda: d.app_wait(PACKAGE, front=True) > 0, True)
    check("app_current", lambda: d.app_current()["package"], PACKAGE)
    check("app_list", lambda: PACKAGE in d.app_list(), True)
    check("app_list_running", lambda: PACKAGE in d.app_list_running(), True)
    check("app_info", lambda: sorted(d.app_info(PACKAGE)), ["versionCode", "versionName"])
    check("wait_activity", lambda: d.wait_activity(f"{PACKAGE}.Main", timeout=3), True)
    check("info", lambda: d.info["displayWidth"], 720)
    check("device_info", lambda: d.device_info["model"], "Fewtaps Twin")
    check("window_size", lambda: tuple(d.window_size()), (720, 1280))
    check("serial", lambda: d.serial, serial)
    check("shell", lambda: d.shell("ls /none").exit_code, 1)
    check("dump_hierarchy", lambda: "Archive" in d.dump_hierarchy(), True)
    check("dump_hierarchy pretty", lambda: d.dump_hierarchy(pretty=True).count("\n") > 5, True)
    check("screenshot", lambda: d.screenshot().size, (720, 1280))
    check("screenshot to a file", lambda: d.screenshot(str(folder / "shot.png")))
    check("exists", lambda: bool(save.exists), True)
    check("exists with a time", lambda: save.exists(timeout=1), True)
    check("count", lambda: save.count, 1)
    check("len", lambda: len(d(className="android.widget.Button")) >= 5, True)
    check("info of a widget", lambda: save.info["clickable"], True)
    check("info_list", lambda: len(d(clickable=True).info_list()) > 3, True)
    check("bounds", lambda: save.bounds(), (0, 242, 720, 338))
    check("center", lambda: save.center(), (360.0, 290.0))
    check("wait", lambda: save.wait(timeout=2), True)
    check("wait_gone", lambda: d(text="No such text").wait_gone(timeout=1), True)
    check("wait in vain", lambda: d(text="No such text").wait(timeout=1), False)
    check("must_wait", lambda: save.must_wait(timeout=1))
    check("set_text", lambda: title.set_text("Übung"))
    check("get_text", lambda: title.get_text(), "Übung")
    check("clear_text", lambda: title.clear_text())
    check("send_keys of a widget", lambda: title.send_keys("Milk"))
    check("click of a widget", lambda: save.click())
    check("toast", lambda: d.last_toast, "Saved")
    check("clear_toast", lambda: d.clear_toast())
    check("click_exists", lambda: d(text="No such text").click_exists(timeout=0), False)
    check("long_click of a widget", lambda: save.long_click())
    check("a dialog", lambda: bool(d(text="Cancel").exists), True)
    check("press", lambda: d.press("back"))
    check("press a code", lambda: d.press(82))
    check("click_gone", lambda: d(text="Cancel").click_gone(maxretry=2, interval=0.01), True)
    check("click", lambda: d.click(360, 194))
    check("checked", lambda: bool(d(text="Urgent", checked=True).exists), True)
    check("double_click", lambda: d.double_click(10, 1200))
    check("long_click", lambda: d.long_click(10, 1200))
    check("swipe", lambda: d.swipe(100, 900, 100, 300))
    check("swipe_points", lambda: d.swipe_points([(100, 900), (200, 600), (100, 300)], 0.1))
    check("drag", lambda: d.drag(100, 900, 100, 300))
    check("touch", lambda: d.touch.down(10, 1200).move(12, 1201).up(12, 1201))
    check("swipe_ext", lambda: d.swipe_ext("up"))
    check("swipe of a widget", lambda: save.swipe("left"))
    check("drag_to", lambda: save.drag_to(100, 900))
    check("pinch_in", lambda: d(className="android.widget.LinearLayout").pinch_in())
    check("pinch_out", lambda: d(className="android.widget.LinearLayout").pinch_out())
    check("gesture", lambda: save.gesture((10, 10), (50, 50), (5, 5), (90, 90)))
    check("orientation", lambda: put("orientation", "left"))
    check("orientation is told", lambda: d.orientation, "left")
    check("natural orientation", lambda: put("orientation", "natural"))
    check("freeze_rotation", lambda: d.freeze_rotation())
    check("child", lambda: d(className="android.widget.LinearLayout").child(text="Save").count, 1)
    check("sibling", lambda: save.sibling(text="Sync").count, 1)
    check("child_by_text", lambda: bool(d(className="android.widget.LinearLayout").child_by_text("Sync").exists), True)
    check("instance", lambda: d(className="android.widget.Button")[1].get_text(), "Sync")
    check("iteration", lambda: [each.get_text() for each in d(className="android.widget.Button")][:1], ["Save"])
    check("down", lambda: save.down(className="android.widget.Button").get_text(), "Sync")
    check("up", lambda: d(text="Sync").up(className="android.widget.Button").get_text(), "Save")
    check("textContains", lambda: d(textContains="ync").count >= 1, True)
    check("textMatches", lambda: d(textMatches="S.n.").count, 1)
    check("xpath", lambda: d.xpath("//*[@text='Archive']").click())
    check("scroll to", lambda: d(scrollable=True).scroll.to(text="Note 40"), True)
    check("scroll to the beginning", lambda: d(scrollable=True).scroll.toBeginning())
    check("scroll", lambda: d(scrollable=True).scroll(), True)
    check("fling", lambda: d(scrollable=True).fling.backward() in (True, False), True)
    check("scroll to the end", lambda: d(scrollable=True).scroll.toEnd())
    check("keyevent", lambda: d.keyevent("back"))
    check("clipboard", lambda: put("clipboard", "words"))
    check("clipboard is told", lambda: d.clipboard, "words")
    check("focus", lambda: title.click())
    check("send_keys", lambda: d.send_keys(" and tea", clear=False))
    check("the field has them", lambda: title.get_text(), "Milk and tea")
    check("screen_off", lambda: d.screen_off())
    check("screen_on", lambda: d.screen_on())
    check("unlock", lambda: d.unlock())
    check("push", lambda: d.push(__file__, "/sdcard/file.py"))
    check("pull", lambda: d.pull("/sdcard/file.py", str(folder / "file.py")))
    check("the file is the same", lambda: (folder / "file.py").read_bytes() == Path(__file__).read_bytes(), True)
    check("open_url", lambda: d.open_url("https://example.org/"))
    check("session", lambda: d.session(PACKAGE).running(), True)
    check("app_clear", lambda: d.app_clear(PACKAGE))
    check("app_stop", lambda: d.app_stop(PACKAGE))
    sys.stdout.write(f"{len(done)} calls\n")


if __name__ == "__main__":
    main(sys.argv[1])
